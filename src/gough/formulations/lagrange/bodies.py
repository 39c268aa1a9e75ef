"""What legs are made of: struts, moving and turning bodies, rotors; all functions take complex numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gough.checks import Array, InfeasibleError
from gough.formulations.lagrange.chart import Complex
from gough.model import Body, Leg

SINGULAR = 1e-12  # 1 - (k.s)^2 below which the universal joint has lost an axis


@dataclass(frozen=True)
class Variant:
    """Which model: `links` complete, two-mass or three-mass; `errata` kept; `end_masses` (m_L1, m_L2)."""

    links: str = "complete"
    errata: frozenset[str] = frozenset()
    end_masses: tuple[float, float] | None = None


@dataclass
class Group:
    """Legs of one type, stacked: energies and Jacobians to be put into the machine."""

    index: list[int]
    parts: dict[str, Complex]
    potential: Complex
    J_C: Complex
    J_D: Complex
    J_U: Complex
    s: Complex


@dataclass
class Strut:
    """Direction s, frame ``T = [s, y, s x y]`` (eqs 53-56), angular velocity Jacobian J_D of struts."""

    s: Complex
    T: Complex
    J_D: Complex

    def turn(self, local: Array) -> Complex:
        """Local vectors (n, 3) to world axes."""
        return (self.T @ local[..., None])[..., 0]


def strut(
    s: Complex,
    k: Complex | None,
    N: Complex,
    index: list[int],
    no_spin: bool,
    carrier: tuple[Array, Complex] | None = None,
) -> Strut:
    """Frame and angular velocity of struts along `s` whose far end moves with ``N (v, omega)`` per length.

    Eq 59 gives the part across the strut.  The universal joint allows no relative rotation about
    ``c = k x y``, so the strut spins by ``(k.s)(k.W_n)/(1 - (k.s)^2)``; the paper drops this (E002-1), its
    frame (eq 55) has it.  `carrier` (axis e, rate row): the part that holds k turns about e, which adds
    ``(s.e - (k.s)(k.e))/(1 - (k.s)^2)`` times its rate.
    `k` None: ball joints at both ends, no spin, and only axisymmetric bodies, for which any frame serves.
    """
    J_n = skew(s) @ N
    if k is None:
        return Strut(s, any_frame(s), J_n)
    kap = (k * s).sum(-1)[..., None]
    room = 1 - kap * kap
    positive(
        room[..., 0].real - SINGULAR, index, "the strut lies along the first axis of its universal joint"
    )
    y = np.cross(k, s) / np.sqrt(room)
    T = np.stack([s, y, np.cross(s, y)], axis=-1)
    if no_spin:
        return Strut(s, T, J_n)
    spin = (kap / room) * (k[..., None, :] @ J_n)[..., 0, :]
    if carrier is not None:
        e, row = carrier
        spin = spin + (((s * e).sum(-1) - kap[..., 0] * (k * e).sum(-1))[..., None] / room) * row
    return Strut(s, T, J_n + s[..., :, None] * spin[..., None, :])


def any_frame(s: Complex) -> Complex:
    """A frame with first axis s, built on the world axis farthest from it."""
    k = np.eye(3)[np.argmin(np.abs(np.real(s)), axis=-1)]
    y = np.cross(k, s)
    y = y / np.sqrt((y * y).sum(-1))[..., None]
    return np.stack([s, y, np.cross(s, y)], axis=-1)


def moving(masses: Array, J_B: Complex) -> Complex:
    """``sum m J_B^T J_B``.  002 eqs 35, 48"""
    flat = J_B.reshape(*J_B.shape[:-3], -1, 6)
    return mt((masses[:, None, None] * J_B).reshape(flat.shape)) @ flat


def turning(bodies: Sequence[Body], strut: Strut) -> Complex:
    """``sum J_D^T (T I T^T) J_D``.  002 eqs 52, 62"""
    A = mt(strut.T) @ strut.J_D
    flat = A.reshape(*A.shape[:-3], -1, 6)
    return mt((np.array([x.inertia for x in bodies]) @ A).reshape(flat.shape)) @ flat


def weight(masses: Array, r: Complex, g: Array) -> Complex:
    """``- sum m g.r``.  002 eqs 66-69"""
    return -((r @ g) * masses).sum(-1)


def drives(legs: Sequence[Leg], J_C: Complex, strut: Strut) -> Complex:
    """Rotors: ``m_r ldot^2 / 2``, and ``gam ldot (d.W)`` for one that rides on its leg."""
    m_r = np.array([leg.drive.reflected_inertia if leg.drive else 0.0 for leg in legs])
    total = mt(m_r[:, None] * J_C) @ J_C
    for n, leg in enumerate(legs):
        if leg.drive is None or leg.drive.rotor_axis is None or leg.drive.rotor_inertia == 0.0:
            continue
        d = strut.T[..., n, :, :] @ leg.drive.rotor_axis
        row = (d[..., None, :] @ strut.J_D[..., n, :, :])[..., 0, :]
        cross = leg.drive.ratio * leg.drive.rotor_inertia * J_C[..., n, :, None] * row[..., None, :]
        total = total + cross + mt(cross)
    return total


def point(q: Complex) -> Complex:
    """``[1, -q~]``: velocity of a platform point from the twist, (..., n, 3, 6)."""
    J = np.zeros((*q.shape, 6), dtype=q.dtype)
    J[..., :3] = np.eye(3)
    J[..., 3:] = -skew(q)
    return J


def skew(v: Complex) -> Complex:
    K = np.zeros((*v.shape, 3), dtype=v.dtype)
    K[..., 0, 1], K[..., 1, 0] = -v[..., 2], v[..., 2]
    K[..., 0, 2], K[..., 2, 0] = v[..., 1], -v[..., 1]
    K[..., 1, 2], K[..., 2, 1] = -v[..., 0], v[..., 0]
    return K


def mt(a: Complex) -> Complex:
    return np.swapaxes(a, -1, -2)


def positive(value: Array, index: list[int], sentence: str) -> None:
    bad = np.logical_not(value > 0)
    if bad.any():
        leg = index[int(np.nonzero(bad)[-1][0])]
        raise InfeasibleError(f"leg {leg + 1}: {sentence}")
