"""What [Lopes] (002) states, computed with its own equations and with the exact model."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.checks import Array
from gough.dynamics import inverse_dynamics
from gough.formulations import lagrange
from gough.formulations.lagrange.balance import energies_at
from gough.formulations.lagrange.errata import Variant
from gough.model import PUS, Body, Platform
from gough.reproduce.agreement import random_motion
from gough.reproduce.builders import Newtons, quiet_load, worst
from gough.reproduce.lagrange import operations
from gough.reproduce.lagrange.forces import HALF, TABLE_2_ENDS, Durations, LinkModelForces
from gough.reproduce.lagrange.operations import LinkCounts
from gough.spatial import Motion

EVERY_KIND = ("dasgupta-1998", "syed-6sps-drive", "lopes-6pus", "servo-hexapod")


def values(
    machine: Platform, main: LinkModelForces, runs: Durations, counts: dict[str, LinkCounts]
) -> dict[str, Any]:
    """Everything the claims and errata of 002 ask for."""
    word = {0.5: "half"}
    shares = {
        f"simplified_{name}_{word.get(T, f'{T:g}')}": r.percent(r.simplified)
        for (name, T), r in runs.items()
    }
    slow_to_fast = [r for (name, _), r in runs.items() if name == "A"]
    return {
        "half": HALF,
        "percent": main.percent(main.printed),
        "error": main.cost(main.printed),
        **shares,
        "by_time_A": [v for k, v in shares.items() if "_A_" in k],
        "by_time_B": [v for k, v in shares.items() if "_B_" in k],
        "three": max(r.percent(r.three) for r in runs.values()),
        **_masses(machine, main),
        **_operations(counts),
        **_theory(machine, main),
        "errors": tuple((r.speed, r.percent(r.simplified)) for r in slow_to_fast),
    }


def _links(machine: Platform) -> list[PUS]:
    return [leg for leg in machine.legs if isinstance(leg, PUS)]


def _masses(machine: Platform, main: LinkModelForces) -> dict[str, Any]:
    legs = _links(machine)
    rest = [Motion.at_rest(main.motion[i].pose) for i in (0, len(main.time) // 2)]
    forces = [lagrange.inverse_dynamics(machine, at).force for at in rest]
    ends = {"links": "two-mass", "end_masses": TABLE_2_ENDS}
    simple = lagrange.inverse_dynamics(machine, rest[0], **ends).force  # type: ignore[arg-type]
    moved = lagrange.inverse_dynamics(redistributed(machine), main.motion).force
    bodies = sum(leg.slider_mass + leg.link.mass for leg in legs)
    weight = 9.81 * (machine.body.mass + bodies)
    radius = float(np.linalg.norm(legs[0].joint[:2]))
    added = TABLE_2_ENDS[0] * radius**2 * np.array([3.0, 3.0, 6.0])  # eqs 89-91
    length, link = legs[0].length, legs[0].link
    turning = sum(TABLE_2_ENDS) * (length / 2) ** 2
    return {
        "moved": worst(moved, main.simplified),
        "added": added_inertia(machine),
        "added_printed": added,
        "added_off": worst(added_inertia(machine), added),
        "ends": sum(TABLE_2_ENDS),
        "link_mass": link.mass,
        "middle": length / 2,
        "center": length - link.center[0],
        "lost": float(forces[0][0] - simple[0]),
        "missing": 1000 * (link.mass - sum(TABLE_2_ENDS)),
        "rest_one": float(forces[0][0]),
        "sums": [float(f.sum()) for f in forces],
        "weight": weight,
        "turning": turning,
        "turning_ratio": turning / link.inertia[1, 1],
        "rod": link.mass * length**2 / 12,
        **{f"thick_{k}": _thick_links(machine, main, I) for k, I in (("1", 0.001), ("10", 0.01))},
    }


def added_inertia(machine: Platform) -> Array:
    """Of the six m_L1 about the platform's center, kg m^2."""
    p = machine.platform_joints
    sums = [(p[:, 1] ** 2).sum(), (p[:, 0] ** 2).sum(), (p**2).sum()]
    return TABLE_2_ENDS[0] * np.array(sums)


def redistributed(machine: Platform) -> Platform:
    """Eqs 86-91: the end masses of Table 2 as part of platform and sliders, links without mass."""
    platform, slider = TABLE_2_ENDS
    tensor = machine.body.inertia + np.diag(added_inertia(machine))
    body = Body(machine.body.mass + 6 * platform, machine.body.center, tensor)
    legs = [
        leg.replace(slider_mass=leg.slider_mass + slider, link=Body(0.0)) for leg in _links(machine)
    ]
    return machine.replace(body=body, legs=legs)


def _thick_links(machine: Platform, main: LinkModelForces, axial: float) -> Newtons:
    """Cost of E002-1 for links with a moment of inertia about their axis (kg m^2)."""
    links = [
        Body(leg.link.mass, leg.link.center, leg.link.inertia + np.diag([axial, 0, 0]))
        for leg in _links(machine)
    ]
    legs = [leg.replace(link=link) for leg, link in zip(machine.legs, links, strict=True)]
    heavy = machine.replace(legs=legs)
    right, printed = (
        lagrange.inverse_dynamics(heavy, main.motion, published=p).force for p in (False, True)
    )
    return Newtons(worst(printed, right), float(np.abs(right).max()))


def _operations(counts: dict[str, LinkCounts]) -> dict[str, Any]:
    complete, simple = operations.printed_totals()
    mine = {name: found.total for name, found in counts.items()}
    return {
        "sums_1": operations.column_sums(),
        "table_complete": complete,
        "table_simple": simple,
        "table_saved": 100 * (1 - simple / complete),
        "count_complete": mine["complete"],
        "count_simple": mine["two-mass"],
        "count_three": mine["three-mass"],
        "count_saved": 100 * (1 - mine["two-mass"] / mine["complete"]),
    }


def _theory(machine: Platform, main: LinkModelForces) -> dict[str, Any]:
    found = lagrange.terms(machine, main.motion, chart="euler")
    rate = (found.xd[..., None, None] * found.gradient).sum(-3)
    skew = rate - 2 * found.coriolis
    christoffel = np.einsum("tkij,ti,tj->tk", found.gradient, found.xd, found.xd)
    Vx = (found.coriolis @ found.xd[..., None])[..., 0]
    want = (rate @ found.xd[..., None])[..., 0] - christoffel / 2
    turned = np.abs(skew + np.swapaxes(skew, -1, -2)).max() / np.abs(found.coriolis).max()
    return {
        "coriolis": np.abs(Vx - want).max() / np.abs(want).max(),
        "skew": turned,
        "spin": np.abs(link_spin(machine, main.motion)).max(),
        "general": [_general(name) for name in EVERY_KIND],
        "kinds": [quiet_load(name).kinds[0] for name in EVERY_KIND],
    }


def _general(name: str) -> float:
    """Relative difference of Lagrange's and the exact forces on another machine."""
    platform = quiet_load(name)
    motion = random_motion(platform, 5, 2)
    exact = inverse_dynamics(platform, motion).force
    found = inverse_dynamics(platform, motion, formulation="lagrange").force
    return worst(found, exact) / float(np.abs(exact).max())


def link_spin(machine: Platform, motion: Motion) -> Array:
    """Angular velocity of the links along their own axes (n, 6), rad/s."""
    found = energies_at(machine, motion.position, motion.rotation, Variant())
    twist = np.concatenate([motion.velocity, motion.angular_velocity], axis=-1)
    W = (found.J_D @ twist[..., None, :, None])[..., 0]
    return (W * found.s).sum(-1)
