"""Improved Newton-Euler dynamics of the 6-UPS platform after Pedrammehr et al. (2012), key 000.

Takes the universal joint's kinematics seriously: the pod spins as the joint forces it to, and the joint's
moment acts along ``c = u x v``.  Pod motion (1)-(30) in pods.py, balances (31)-(50) in balance.py, closed
form (41)-(51) in closed_form.py.  Corrected, all of it is exact for any UPS leg; what the paper prints
instead is kept behind `errata`.  Derivation: docs/derivations/universal.md.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array, InfeasibleError, InputError, array
from gough.formulations.universal import balance, closed_form
from gough.formulations.universal.pods import PodMotion, Pods, State, apply, pod_data, pod_motion, state_of
from gough.model import Platform
from gough.results import InverseDynamics, LegMotion, Reactions
from gough.spatial import Motion, Pose

NAME = "universal"

ERRATA = {
    "E000-1": "eq 25: the last term lacks 1/sqrt(1 - (u.n)^2); acts through eqs 22-25 only",
    "E000-2": "eq 21: 'wu wv x l n' needs c; here the term is left out; acts through eqs 18-21 only",
    "E000-3": "eqs 32, 33, 50: parallel-axis part added to the tensors and counted again in m r x a",
    "E000-3:32": "the same in eq 32 only (lower parts)",
    "E000-3:33": "the same in eq 33 only (upper parts)",
    "E000-3:50": "the same in eq 50 only (platform)",
    "E000-4": "eqs 32, 33, 50: world components inside brackets that expect local ones (needs E000-3)",
    "E000-5": "eqs 42, 43: terms missing in Q and V; acts through the closed form",
    "E000-5:S": "Appendix 1: S with the length l where its rate belongs (needs E000-5)",
}
PRINTED = frozenset({"E000-3", "E000-4"})
"""The recursive model as printed, eqs 31-40 with 32, 33, 50 and the angular motion of eqs 12-14, 18-21."""

ROUTES = ("axes", "components", "closed")


def inverse_dynamics(platform: Platform, motion: Motion, external: ArrayLike | None = None, *,
                     published: bool = False, errata: Iterable[str] | None = None, route: str | None = None,
                     simplified: bool = False) -> InverseDynamics:
    """Actuator forces F_act, (..., 6) N.  [Pedrammehr2012] (39), (45), (49) or (48), (51)

    external: (..., 6) force and moment on the platform at its reference point, platform axes.
    published: the recursive model as printed; errata: a selection of ERRATA to commit instead.
    route: "axes" (18)-(21), "components" (22)-(25) or "closed" (41)-(51); by default "axes", or the route
    through which the chosen errata act.  simplified: pods that do not spin (no rotation along n).
    """
    slips = _selection(published, errata)
    route = _route(route, slips, simplified)
    pod, x, G = pod_data(platform), state_of(motion), platform.gravity
    load = None if external is None else array("external", external, (6,))
    k = pod_motion(pod, x, slips, route, simplified)
    force = balance.pod_forces(pod, k, x.w, G, slips)
    if route == "closed":
        M, b = _closed(platform, pod, x, k, slips)
        wrench = apply(M, np.concatenate([x.Xdd, x.al], axis=-1)) + b
        if load is not None:
            wrench = wrench - balance.world_wrench(x.R, load)
    else:
        wrench = balance.required_wrench(platform.body, x, k, force, load, G, slips)
    H = balance.wrench_matrix(k)
    F = _solve(H, wrench)
    return InverseDynamics(
        force=F, wrench_matrix=H, formulation=NAME, published=bool(slips),
        characteristic_length=platform.characteristic_length,
        compute_reactions=lambda: balance.joint_reactions(pod, k, force, F, G),
    )


def reactions(platform: Platform, motion: Motion, external: ArrayLike | None = None, *,
              published: bool = False, errata: Iterable[str] | None = None) -> Reactions:
    """Joint reactions, world axes: F and m c of (34), (37), (40), the others by Newton's law per part."""
    return inverse_dynamics(platform, motion, external, published=published, errata=errata).reactions


def mass_matrix(platform: Platform, pose: Pose, *, published: bool = False,
                errata: Iterable[str] | None = None) -> Array:
    """Task-space mass matrix of (48), (51) with the complete Q, (..., 6, 6); E000-5: with the printed Q."""
    slips = _selection(published, errata)
    pod, x = pod_data(platform), state_of(Motion.at_rest(pose))
    k = pod_motion(pod, x, slips, "components", False)
    return closed_form.assemble(platform.body, x, k, closed_form.pod_mass(pod, k, slips), slips)


def bias(platform: Platform, motion: Motion, *, published: bool = False,
         errata: Iterable[str] | None = None) -> Array:
    """``b`` of ``M xdd + b = J^T F + wrench``: the terms of (48), (51) without acceleration, (..., 6)."""
    slips = _selection(published, errata)
    pod, x = pod_data(platform), state_of(motion)
    if "E000-2" in slips:  # eq 21 belongs to the recursive route
        x = x._replace(Xdd=np.zeros(3), al=np.zeros(3))
        k = pod_motion(pod, x, slips, "axes", False)
        force = balance.pod_forces(pod, k, x.w, platform.gravity, slips)
        return balance.required_wrench(platform.body, x, k, force, None, platform.gravity, slips)
    k = pod_motion(pod, x, slips, "components", False)
    return _closed(platform, pod, x, k, slips)[1]


def leg_motion(platform: Platform, motion: Motion, *, published: bool = False,
               errata: Iterable[str] | None = None, route: str | None = None,
               simplified: bool = False) -> LegMotion:
    """Lengths, rates and angular motion of the pods by either route.  [Pedrammehr2012] (4)-(25)"""
    slips = _selection(published, errata)
    route = _route(route, slips, simplified)
    k = pod_motion(pod_data(platform), state_of(motion), slips, route, simplified)
    return LegMotion(k.l, k.ld, k.ldd, k.n, k.wl, k.al_l)


def pod_matrices(platform: Platform, motion: Motion, *,
                 errata: Iterable[str] | None = None) -> tuple[Array, Array]:
    """``Q`` (..., 6, 3, 3) kg, ``V`` (..., 6, 3) N: ``F = -F_act n + Q (Xdd + al x q) + V``.  (41)-(43)"""
    slips = _selection(False, errata)
    pod, x = pod_data(platform), state_of(motion)
    k = pod_motion(pod, x, slips, "components", False)
    return closed_form.pod_mass(pod, k, slips), closed_form.pod_bias(pod, k, x.w, platform.gravity, slips)


def _closed(platform: Platform, pod: Pods, x: State, k: PodMotion,
            slips: frozenset[str]) -> tuple[Array, Array]:
    Q = closed_form.pod_mass(pod, k, slips)
    V = closed_form.pod_bias(pod, k, x.w, platform.gravity, slips)
    M = closed_form.assemble(platform.body, x, k, Q, slips)
    return M, closed_form.remainder(pod, platform.body, x, k, V, platform.gravity, slips)


def _selection(published: bool, errata: Iterable[str] | None) -> frozenset[str]:
    if errata is None:
        return PRINTED if published else frozenset()
    chosen = frozenset(errata)
    if not chosen <= ERRATA.keys():
        raise InputError("errata", sorted(chosen - ERRATA.keys()), f"must be among {', '.join(ERRATA)}")
    if {"E000-1", "E000-2"} <= chosen or {"E000-2", "E000-5"} <= chosen:
        raise InputError("errata", sorted(chosen), "E000-2 belongs to eqs 18-21, the others to eqs 22-43")
    return chosen


def _route(route: str | None, slips: frozenset[str], simplified: bool) -> str:
    """The requested route, checked against the errata it must pass through."""
    needed = {"E000-1": "components", "E000-2": "axes", "E000-5": "closed"}
    forced = next((needed[key] for key in ("E000-5", "E000-2", "E000-1") if key in slips), None)
    if route is None:
        return forced or "axes"
    if route not in ROUTES:
        raise InputError("route", route, f"must be one of {', '.join(ROUTES)}")
    if forced is not None and route != forced and not (forced == "components" and route == "closed"):
        raise InputError("route", route, f"must be {forced!r} for the errata {sorted(slips)}")
    if simplified and route == "closed":
        raise InputError("route", route, "must be 'axes' or 'components' for simplified pods")
    return route


def _solve(H: Array, wrench: Array) -> Array:
    try:
        return np.asarray(np.linalg.solve(H, wrench[..., None])[..., 0], dtype=np.float64)
    except np.linalg.LinAlgError:
        raise InfeasibleError("singular pose: no pod forces hold the platform") from None
