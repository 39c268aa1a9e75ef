"""Lagrange multipliers as physical joint forces and moments."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gough.checks import Array
from gough.formulations.linear import apply, cross
from gough.formulations.multibody.assembly import Assembly
from gough.formulations.multibody.balance import rotor_rows
from gough.formulations.multibody.constraints import BodyState
from gough.model import PUS, RUS, UCU
from gough.results import Reactions

Wrench = Callable[[tuple[str, ...], int, int], Array]
"""Names of joints, body, leg -> their wrench on that body (..., 6), moment about its mass center."""


def joint_reactions(
    assembly: Assembly, state: BodyState, ud: Array, multiplier: Array
) -> Reactions:
    """Physical forces and couples: ``-Phi_q^T lambda`` of a group of rows is its wrench on a body."""
    Phi = assembly.jacobian(state)

    def wrench(names: tuple[str, ...], body: int, leg: int) -> Array:
        found = [b.rows[b.legs == leg].ravel() for b in assembly.blocks if b.name in names]
        rows = np.concatenate([np.zeros(0, dtype=np.intp), *found])
        part = Phi[..., rows, 6 * body : 6 * body + 6]
        return -(multiplier[..., None, rows] @ part)[..., 0, :]

    out = [np.empty((*state.shape, 6, 3)) for _ in range(6)]
    relative = state.w[..., assembly.strut, :] - state.w[..., assembly.support, :]
    friction = assembly.friction[:, :1] * relative
    rubbing = state.w[..., 1:7, :] - state.w[..., :1, :]
    out[5][...] = assembly.friction[:, 2:] * rubbing
    inertia_force = _drive_inertia(assembly, state, Phi, ud)
    for i in range(6):
        strut = int(assembly.strut[i])
        out[0][..., i, :] = -wrench(("spherical",), 1 + i, i)[..., :3]
        out[1][..., i, :] = wrench(("base",), strut, i)[..., :3]
        out[2][..., i, :] = wrench(("universal",), strut, i)[..., 3:] - friction[..., i, :]
        out[3][..., i, :], out[4][..., i, :] = _support(
            assembly, state, wrench, Phi, inertia_force, i
        )
        if isinstance(assembly.platform.legs[i], UCU):
            out[5][..., i, :] += wrench(("platform",), 0, i)[..., 3:]
    if assembly.pairs is not None:
        pairs = assembly.pairs
        axes = state.A[..., 7 + pairs.legs, :, :][..., 0]
        out[4][..., pairs.legs, :] += pairs.torque(state)[..., None] * axes
    return Reactions(*out)


def _drive_inertia(assembly: Assembly, state: BodyState, Phi: Array, ud: Array) -> Array:
    """``m_r zd + gam d . A``: actuator force spent in the drive's own inertia, (..., 6)."""
    if not assembly.reflected.any():
        return np.zeros((*state.shape, 6))
    zd = (
        apply(Phi[..., assembly.driver_rows, :], ud)
        - assembly.gamma(state)[..., assembly.driver_rows]
    )
    return assembly.reflected * zd + assembly.rotor * apply(rotor_rows(assembly, state), ud)


def _support(
    assembly: Assembly, state: BodyState, wrench: Wrench, Phi: Array, inertia_force: Array, i: int
) -> tuple[Array, Array]:
    """Prismatic (UPS, SPS, UCU), guide (PUS) or shaft (RUS) reaction: force and moment as `Reactions` has them."""
    leg = assembly.platform.legs[i]
    if isinstance(leg, PUS):
        W = wrench(("lock", "lateral"), 7 + i, i)
        arm = np.broadcast_to(leg.slider_center, W[..., :3].shape)
    elif isinstance(leg, RUS):
        W = wrench(("shaft", "bearing", "driver"), 7 + i, i)
        row = Phi[..., assembly.driver_rows[i], 6 * (7 + i) : 6 * (8 + i)]
        z = (Phi[..., assembly.driver_rows[i], :] * state.speeds).sum(axis=-1)
        W = W - row * (inertia_force[..., i] + assembly.friction[i, 1] * z)[..., None]
        arm = state.r[..., 7 + i, :] - leg.base
    else:
        W = wrench(("lock", "coaxial", "lateral", "driver"), 1 + i, i)
        W = (
            W
            - Phi[..., assembly.driver_rows[i], 6 * (1 + i) : 6 * (2 + i)]
            * inertia_force[..., i, None]
        )
        arm = state.r[..., 1 + i, :] - leg.base
    return W[..., :3], W[..., 3:] + cross(arm, W[..., :3])
