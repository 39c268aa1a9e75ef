"""What can be asked of the universal formulation."""

from __future__ import annotations

from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array
from gough.formulations.arrays import (
    MotionArrays,
    UPSArrays,
    motion_arrays,
    ups_arrays,
    world_wrench,
    wrench_matrix,
)
from gough.formulations.linear import apply, join, solve
from gough.formulations.protocol import Keep
from gough.formulations.universal.balance import joint_reactions, pod_forces, required_wrench
from gough.formulations.universal.closed_form import assemble, pod_bias, pod_mass, remainder
from gough.formulations.universal.errata import ABOUT, checked_route, kept
from gough.formulations.universal.kinematics import PodMotion, pod_motion
from gough.model import Platform
from gough.results import InverseDynamics, LegMotion, Reactions
from gough.spatial import Motion, Pose


def inverse_dynamics(
    platform: Platform,
    motion: Motion,
    external: ArrayLike | None = None,
    *,
    route: str | None = None,
    simplified: bool = False,
    **keep: Unpack[Keep],
) -> InverseDynamics:
    """Actuator forces F_act, (..., 6) N.  [Pedrammehr2012] (39), (45), (49) or (48), (51)

    external: (..., 6) force and moment on the platform at its reference point, platform axes.
    route: "axes" (18)-(21), "components" (22)-(25) or "closed" (41)-(51); by default "axes", or the route
    through which the chosen errata act.  simplified: pods that do not spin (no rotation along n).
    """
    slips = kept(**keep)
    route = checked_route(route, slips, simplified)
    pod, x, G = _pods(platform), motion_arrays(motion), platform.gravity
    k = pod_motion(pod, x, slips, route, simplified)
    force = pod_forces(pod, k, x.w, G, slips)
    if route == "closed":
        M = assemble(platform.body, x, k, pod_mass(pod, k, slips), slips)
        wrench = apply(M, join(x.a, x.al)) + _closed_bias(platform, pod, x, k, slips)
    else:
        wrench = required_wrench(platform.body, x, k, force, G, slips)
    H = wrench_matrix(k.n, k.q)
    F = solve(
        H, wrench - world_wrench(x.R, external), "singular pose: no pod forces hold the platform"
    )
    return InverseDynamics(
        force=F,
        wrench_matrix=H,
        formulation=ABOUT.name,
        published=bool(slips),
        characteristic_length=platform.characteristic_length,
        compute_reactions=lambda: joint_reactions(pod, k, force, F, G),
    )


def reactions(
    platform: Platform, motion: Motion, external: ArrayLike | None = None, **keep: Unpack[Keep]
) -> Reactions:
    """Joint reactions, world axes: F and m c of (34), (37), (40), the others by Newton's law per part."""
    return inverse_dynamics(platform, motion, external, **keep).reactions


def mass_matrix(platform: Platform, pose: Pose, **keep: Unpack[Keep]) -> Array:
    """Task-space mass matrix of (48), (51) with the complete Q, (..., 6, 6); E000-5: with the printed Q."""
    slips = kept(**keep)
    pod, x = _pods(platform), motion_arrays(Motion.at_rest(pose))
    k = pod_motion(pod, x, slips, "components", False)
    return assemble(platform.body, x, k, pod_mass(pod, k, slips), slips)


def bias(platform: Platform, motion: Motion, **keep: Unpack[Keep]) -> Array:
    """``b`` of ``M xdd + b = J^T F + wrench``: the terms of (48), (51) without acceleration, (..., 6)."""
    slips = kept(**keep)
    pod, x = _pods(platform), motion_arrays(motion)
    if "E000-2" in slips:  # eq 21 belongs to the recursive route
        x = x._replace(a=np.zeros(3), al=np.zeros(3))
        k = pod_motion(pod, x, slips, "axes", False)
        force = pod_forces(pod, k, x.w, platform.gravity, slips)
        return required_wrench(platform.body, x, k, force, platform.gravity, slips)
    return _closed_bias(platform, pod, x, pod_motion(pod, x, slips, "components", False), slips)


def leg_motion(
    platform: Platform,
    motion: Motion,
    *,
    route: str | None = None,
    simplified: bool = False,
    **keep: Unpack[Keep],
) -> LegMotion:
    """Lengths, rates and angular motion of the pods by either route.  [Pedrammehr2012] (4)-(25)"""
    slips = kept(**keep)
    route = checked_route(route, slips, simplified)
    k = pod_motion(_pods(platform), motion_arrays(motion), slips, route, simplified)
    return LegMotion(k.l, k.ld, k.ldd, k.n, k.wl, k.al_l)


def pod_matrices(platform: Platform, motion: Motion, **keep: Unpack[Keep]) -> tuple[Array, Array]:
    """``Q`` (..., 6, 3, 3) kg, ``V`` (..., 6, 3) N: ``F = -F_act n + Q (Xdd + al x q) + V``.  (41)-(43)"""
    slips = kept(**keep)
    pod, x = _pods(platform), motion_arrays(motion)
    k = pod_motion(pod, x, slips, "components", False)
    return pod_mass(pod, k, slips), pod_bias(pod, k, x.w, platform.gravity, slips)


def _closed_bias(
    platform: Platform, pod: UPSArrays, x: MotionArrays, k: PodMotion, slips: frozenset[str]
) -> Array:
    V = pod_bias(pod, k, x.w, platform.gravity, slips)
    return remainder(pod, platform.body, x, k, V, platform.gravity, slips)


def _pods(platform: Platform) -> UPSArrays:
    ABOUT.check(platform)
    return ups_arrays(platform)
