"""Kinetic and potential energy of every body from the platform pose.  [Lopes] 002, Secs. 3.1, 3.2, 3.4

Every body is seen through Jacobians from the platform twist (v, omega) at the reference point, world axes:
    J_C  (..., 6)     of an actuator rate                 eqs 6, 34
    J_B  (..., 3, 6)  of a mass center's velocity         eqs 45, 46
    J_D  (..., 3, 6)  of a strut's angular velocity       eqs 60, 63
so that its kinetic energy is that of a platform with inertia ``m J_B^T J_B + J_D^T I J_D`` (eqs 48, 62).
The paper's 6-PUS machine is one case; telescopic legs (UPS, SPS) add a second body per leg, cranks (RUS)
turn where its sliders slide, mass centers may lie off the strut and tensors may be full.  Legs of one type
are handled together along the axis ``n``.
Everything is analytic in the pose: no norms of complex numbers, no branches on them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.checks import Array
from gough.formulations.lagrange import legs
from gough.formulations.lagrange.bodies import Variant, mt, point
from gough.formulations.lagrange.chart import Complex
from gough.model import PUS, RUS, SPS, UPS, Body, Platform


@dataclass
class Machine:
    """What the energies need, at one pose (or at the six complex steps around it).

    parts      equivalent inertia matrices (..., 6, 6) by name, base frame, to be added (eq 73)
    potential  (...) J
    J_C        (..., 6, 6) actuator rates;   J_D  (..., 6, 3, 6) strut angular velocities
    J_U        (..., 6, 3, 6) strut angular velocities relative to what carries their universal joints
    s          (..., 6, 3) strut directions; q (..., 6, 3) platform joints from the reference point
    """

    parts: dict[str, Complex]
    potential: Complex
    J_C: Complex
    J_D: Complex
    J_U: Complex
    s: Complex
    q: Complex

    @property
    def inertia(self) -> Complex:
        """Total inertia matrix, base frame.  002 eq 73"""
        return sum(self.parts.values(), np.zeros((6, 6)))  # type: ignore[return-value]


def machine(platform: Platform, t: Complex, R: Complex, variant: Variant) -> Machine:
    """All energies at position `t` (..., 3) and rotation `R` (..., 3, 3)."""
    parts, potential = _platform(platform.body, platform.gravity, t, R)
    dtype, shape = np.result_type(t, R), t.shape[:-1]
    J_C = np.zeros((*shape, 6, 6), dtype=dtype)
    J_D, J_U = (np.zeros((*shape, 6, 3, 6), dtype=dtype) for _ in range(2))
    s = np.zeros((*shape, 6, 3), dtype=dtype)
    q = platform.platform_joints @ mt(R)
    makers = {UPS: legs.telescopic, SPS: legs.telescopic, PUS: legs.sliding, RUS: legs.cranked}
    for kind, make in makers.items():
        index = [i for i, leg in enumerate(platform.legs) if type(leg) is kind]
        if not index:
            continue
        chosen = [platform.legs[i] for i in index]
        group = make(chosen, index, platform.gravity, t, q[..., index, :], variant)  # type: ignore[arg-type]
        J_C[..., index, :], s[..., index, :] = group.J_C, group.s
        J_D[..., index, :, :], J_U[..., index, :, :] = group.J_D, group.J_U
        potential = potential + group.potential
        for name, value in group.parts.items():
            parts[name] = parts[name] + value if name in parts else value
    return Machine(parts, potential, J_C, J_D, J_U, s, q)


def _platform(body: Body, g: Array, t: Complex, R: Complex) -> tuple[dict[str, Complex], Complex]:
    """Moving platform: eqs 16-23 and 67, with the mass center anywhere in the platform."""
    r = R @ body.center
    J_B = point(r[..., None, :])[..., 0, :, :]
    inertia = body.mass * mt(J_B) @ J_B
    inertia[..., 3:, 3:] += R @ body.inertia @ mt(R)  # eq 20
    return {"platform": inertia}, -body.mass * (t + r) @ g
