"""Kinetic and potential energy of every body from the platform pose.  [Lopes] 002, Secs. 3.1, 3.2, 3.4

Every body is seen through Jacobians from the platform twist (v, omega) at the reference point, world axes:
    J_C  (..., 6)     of an actuator rate                 eqs 6, 34
    J_B  (..., 3, 6)  of a mass center's velocity         eqs 45, 46
    J_D  (..., 3, 6)  of a strut's angular velocity       eqs 60, 63
so that its kinetic energy is that of a platform with inertia ``m J_B^T J_B + J_D^T I J_D`` (eqs 48, 62).
The paper's 6-PUS machine is one case; telescopic legs (UPS, SPS) add a second body per leg, cranks (RUS)
turn where its sliders slide, mass centers may lie off the strut and tensors may be full.  Legs of one type
are handled together along the axis ``n`` (legs.py).
Everything is analytic in the pose: no norms of complex numbers, no branches on them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gough.checks import Array
from gough.formulations.arrays import column, rotors
from gough.formulations.lagrange.kinematics import Strut, point
from gough.formulations.linear import Numbers, transpose
from gough.model import Body, Leg


@dataclass
class Energies:
    """What the equations need of n legs (or of the machine, n = 6), at one pose or at the six complex steps around it.

    parts      equivalent inertia matrices (..., 6, 6) by name, base frame, to be added (eq 73)
    potential  (...) J
    J_C        (..., n, 6) actuator rates;   J_D  (..., n, 3, 6) strut angular velocities
    J_U        (..., n, 3, 6) strut angular velocities relative to what carries their universal joints
    s          (..., n, 3) strut directions; q (..., n, 3) platform joints from the reference point
    J_P, J_T   (..., n, 6) rates of sliding and of twisting in the joint between the two parts of a leg; None: J_C, zero
    UCU legs: J_D is of the upper, J_U of the lower part
    """

    parts: dict[str, Numbers]
    potential: Numbers
    J_C: Numbers
    J_D: Numbers
    J_U: Numbers
    s: Numbers
    q: Numbers
    J_P: Numbers | None = None
    J_T: Numbers | None = None

    @property
    def inertia(self) -> Numbers:
        """Total inertia matrix, base frame.  002 eq 73"""
        return sum(self.parts.values(), np.zeros((6, 6)))  # type: ignore[return-value]


def platform_energy(
    body: Body, g: Array, t: Numbers, R: Numbers
) -> tuple[dict[str, Numbers], Numbers]:
    """Moving platform: eqs 16-23 and 67, with the mass center anywhere in the platform."""
    r = R @ body.center
    J_B = point(r[..., None, :])[..., 0, :, :]
    inertia = body.mass * transpose(J_B) @ J_B
    inertia[..., 3:, 3:] += R @ body.inertia @ transpose(R)  # eq 20
    return {"platform": inertia}, -body.mass * (t + r) @ g


def moving(masses: Array, J_B: Numbers) -> Numbers:
    """``sum m J_B^T J_B``.  002 eqs 35, 48"""
    flat = J_B.reshape(*J_B.shape[:-3], -1, 6)
    return transpose((masses[:, None, None] * J_B).reshape(flat.shape)) @ flat


def turning(bodies: Sequence[Body], strut: Strut) -> Numbers:
    """``sum J_D^T (T I T^T) J_D``.  002 eqs 52, 62"""
    A = transpose(strut.T) @ strut.J_D
    flat = A.reshape(*A.shape[:-3], -1, 6)
    return transpose((column(bodies, "inertia") @ A).reshape(flat.shape)) @ flat


def weight(masses: Array, r: Numbers, g: Array) -> Numbers:
    """``- sum m g.r``.  002 eqs 66-69"""
    return -((r @ g) * masses).sum(-1)


def drives(legs: Sequence[Leg], J_C: Numbers, strut: Strut) -> Numbers:
    """Rotors: ``m_r ldot^2 / 2``, and ``gam ldot (d.W)`` for one that rides on its leg."""
    m_r, gam, axis = rotors(legs)
    total = transpose(m_r[:, None] * J_C) @ J_C
    for n in np.flatnonzero(gam):
        d = strut.T[..., n, :, :] @ axis[n]
        row = (d[..., None, :] @ strut.J_D[..., n, :, :])[..., 0, :]
        coupling = gam[n] * J_C[..., n, :, None] * row[..., None, :]
        total = total + coupling + transpose(coupling)
    return total
