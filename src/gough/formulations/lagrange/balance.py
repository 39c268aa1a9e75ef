"""Lagrange's equations in the coordinates of a chart.  [Lopes] 002, eqs 1, 10-14, 66-79"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from gough.checks import Array
from gough.formulations.arrays import column, frictions
from gough.formulations.lagrange import legs
from gough.formulations.lagrange.chart import Chart, derivative, rotation, velocity_map
from gough.formulations.lagrange.energies import Energies, platform_energy
from gough.formulations.lagrange.errata import Variant
from gough.formulations.linear import Numbers, apply, join, solve, transpose
from gough.model import PUS, RUS, SPS, UCU, UPS, Platform
from gough.spatial import Motion


@dataclass(frozen=True)
class Terms:
    """The terms of eq 1 in the coordinates of a chart.

    x, xd, xdd   (..., 6) coordinates, rates, accelerations
    inertia      (..., 6, 6) I;   coriolis (..., 6, 6) V;   gravity (..., 6) G
    gradient     (..., 6, 6, 6) ``dI/dx_k`` with k first: the blocks of eq 78
    map          (..., 6, 6) T of eq 29, ``(v, omega) = T xd``
    friction     (..., 6) generalized friction force, on the right-hand side
    energies     energies and Jacobians in the base frame
    """

    x: Array
    xd: Array
    xdd: Array
    inertia: Array
    coriolis: Array
    gravity: Array
    gradient: Array
    map: Array
    friction: Array
    energies: Energies

    @property
    def generalized_force(self) -> Array:
        """``I xdd + V xd + G`` (..., 6), conjugate to the coordinates.  002 eqs 70-72"""
        return apply(self.inertia, self.xdd) + apply(self.coriolis, self.xd) + self.gravity

    @property
    def base_force(self) -> Array:
        """The same as force and moment in the base frame."""
        return to_base(self.map, self.generalized_force)


def to_base(T: Array, generalized: Array) -> Array:
    """A generalized force as force and moment in the base frame, ``T^-T f``.  002 eq 13"""
    return solve(transpose(T), generalized, "the Euler angles are singular here; use chart='local'")


def energies_at(platform: Platform, t: Numbers, R: Numbers, variant: Variant) -> Energies:
    """All energies at position `t` (..., 3) and rotation `R` (..., 3, 3); legs of one type are handled together."""
    parts, potential = platform_energy(platform.body, platform.gravity, t, R)
    dtype, shape = np.result_type(t, R), t.shape[:-1]
    J_C, J_P, J_T, J_D, J_U, s = (
        np.zeros((*shape, 6, *tail), dtype=dtype)
        for tail in ((6,), (6,), (6,), (3, 6), (3, 6), (3,))
    )
    q = platform.platform_joints @ transpose(R)
    carried = partial(legs.telescopic, platform=(R, platform.likely_home))
    telescopes = {UPS: legs.telescopic, SPS: legs.telescopic, UCU: carried}
    makers = {**telescopes, PUS: legs.sliding, RUS: legs.cranked}
    for kind, make in makers.items():
        index = [i for i, leg in enumerate(platform.legs) if type(leg) is kind]
        if not index:
            continue
        chosen = [platform.legs[i] for i in index]
        group = make(chosen, index, platform.gravity, t, q[..., index, :], variant)  # type: ignore[arg-type]
        J_C[..., index, :], s[..., index, :] = group.J_C, group.s
        J_D[..., index, :, :], J_U[..., index, :, :] = group.J_D, group.J_U
        J_P[..., index, :] = group.J_C if group.J_P is None else group.J_P
        J_T[..., index, :] = 0.0 if group.J_T is None else group.J_T
        potential = potential + group.potential
        for name, value in group.parts.items():
            parts[name] = parts[name] + value if name in parts else value
    return Energies(parts, potential, J_C, J_D, J_U, s, q, J_P, J_T)


def terms_at(platform: Platform, motion: Motion, variant: Variant, kind: str) -> Terms:
    """The terms of eq 1 at `motion`, in the chart `kind`."""
    chart = Chart.at(motion.pose, kind)
    x, T = chart.x, velocity_map(chart.x)
    here = energies_at(platform, motion.position, motion.rotation, variant)
    inertia = transpose(T) @ here.inertia @ T  # eqs 28, 41, 50, 65
    # six complex steps at once: the imaginary parts are the derivatives along the coordinates
    steps = chart.steps()
    T_k = velocity_map(steps)
    there = energies_at(platform, steps[..., :3], rotation(steps, chart.origin), variant)
    gradient = np.moveaxis(derivative(transpose(T_k) @ there.inertia @ T_k), 0, -3)
    gravity = np.moveaxis(derivative(there.potential), 0, -1)
    twist = join(motion.velocity, motion.angular_velocity)
    refusal = "the Euler angles are singular here; use chart='local'"
    xd = solve(T, twist, refusal)
    along = (xd[..., None, None] * np.moveaxis(derivative(T_k), 0, -3)).sum(-3)  # dT/dt
    acceleration = join(motion.acceleration, motion.angular_acceleration)
    xdd = solve(T, acceleration - apply(along, xd), refusal)
    friction = apply(transpose(T), _friction(platform, here, twist))
    return Terms(x, xd, xdd, inertia, coriolis(gradient, xd), gravity, gradient, T, friction, here)


def coriolis(gradient: Array, xd: Array) -> Array:
    """``V = (dI/dt + U^T - U)/2`` (..., 6, 6), ``U = (1 kron xd^T) dI/dx``.  002 eqs 76-79"""
    U = (xd[..., None, None, :] @ gradient)[..., 0, :]  # row k is xd^T dI/dx_k
    rate = (xd[..., None, None] * gradient).sum(-3)  # dI/dt
    return (rate + transpose(U) - U) / 2


def _friction(platform: Platform, here: Energies, twist: Array) -> Array:
    """``-dD/d(twist)`` of ``D = sum (C_p ldot^2 + C_c phidot^2 + C_u |W_rel|^2 + C_s |W - omega|^2)/2``."""
    C_u, C_p, C_s = frictions(platform.legs)
    C_c = column(platform.legs, "friction.cylindrical")
    assert here.J_P is not None
    assert here.J_T is not None
    W, W_rel = (apply(J, twist[..., None, :]) for J in (here.J_D, here.J_U))
    slip = W - twist[..., None, 3:]
    force = apply(transpose(here.J_P), C_p * apply(here.J_P, twist))
    if C_c.any():
        force = force + apply(transpose(here.J_T), C_c * apply(here.J_T, twist))
    for moment, J in ((C_u[:, None] * W_rel, here.J_U), (C_s[:, None] * slip, here.J_D)):
        force = force + (moment[..., None, :] @ J)[..., 0, :].sum(-2)
    force[..., 3:] -= (C_s[:, None] * slip).sum(-2)
    return -force
