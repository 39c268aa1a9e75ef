"""Struts and points: directions, frames and Jacobians from the platform twist; all functions take complex numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.checks import Array
from gough.formulations import refusals
from gough.formulations.linear import Numbers, apply, cross, dot, outer, skew


@dataclass
class Strut:
    """Direction s, frame ``T = [s, y, s x y]`` (eqs 53-56), angular velocity Jacobian J_D of struts."""

    s: Numbers
    T: Numbers
    J_D: Numbers

    def turn(self, local: Array) -> Numbers:
        """Local vectors (n, 3) to world axes."""
        return apply(self.T, local)


def strut(
    s: Numbers,
    k: Numbers | None,
    N: Numbers,
    index: list[int],
    no_spin: bool,
    carrier: tuple[Array, Numbers] | None = None,
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
    kap = dot(k, s)[..., None]
    room = 1 - kap * kap
    refusals.along_axis(room[..., 0], index)
    y = cross(k, s) / np.sqrt(room)
    T = np.stack([s, y, cross(s, y)], axis=-1)
    if no_spin:
        return Strut(s, T, J_n)
    spin = (kap / room) * (k[..., None, :] @ J_n)[..., 0, :]
    if carrier is not None:
        e, row = carrier
        spin = spin + ((dot(s, e) - kap[..., 0] * dot(k, e))[..., None] / room) * row
    return Strut(s, T, J_n + outer(s, spin))


def any_frame(s: Numbers) -> Numbers:
    """A frame with first axis s, built on the world axis farthest from it."""
    k = np.eye(3)[np.argmin(np.abs(np.real(s)), axis=-1)]
    y = cross(k, s)
    y = y / np.sqrt(dot(y, y))[..., None]
    return np.stack([s, y, cross(s, y)], axis=-1)


def point(q: Numbers) -> Numbers:
    """``[1, -q~]``: velocity of a platform point from the twist, (..., n, 3, 6)."""
    J = np.zeros((*q.shape, 6), dtype=q.dtype)
    J[..., :3] = np.eye(3)
    J[..., 3:] = -skew(q)
    return J


def crank_angle(
    P: Numbers, e: Array, u0: Array, Lf: Array, elbow: Array, index: list[int]
) -> tuple[Numbers, Numbers]:
    """Cosine and sine (..., n, 1) of the crank angle that puts the tip at the rod's length from P."""
    h, Pe = dot(e, u0), dot(P, e)
    flat = u0 - h[:, None] * e
    A, B = dot(P, flat), dot(P, cross(e, flat))
    D = (dot(P, P) + dot(u0, u0) - Lf * Lf) / 2 - h * Pe
    NN = A * A + B * B
    root = NN - D * D
    refusals.far_from_crank(root, index)
    X = elbow * np.sqrt(root)
    return ((A * D - B * X) / NN)[..., None], ((B * D + A * X) / NN)[..., None]
