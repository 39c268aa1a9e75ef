"""What [Pedrammehr2012] (000) states, computed with its own equations and with the exact model."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.checks import Array
from gough.dynamics import inverse_dynamics
from gough.formulations import newton_euler, universal
from gough.model import Platform
from gough.reproduce import builders
from gough.reproduce.builders import Forces, Newtons, worst
from gough.reproduce.universal.forces import ImprovedForces, PodRotation, forces_on

VARIANTS: dict[str, frozenset[str]] = {
    "as printed (E000-3, E000-4)": universal.PRINTED,
    "brackets in local components (E000-3)": frozenset({"E000-3"}),
    "closed form 42, 43 (E000-12)": frozenset({"E000-5"}),
    "eq 21 without its term (E000-2)": frozenset({"E000-2"}),
    "eq 25 (E000-1)": frozenset({"E000-1"}),
}
SEEN = 2.0  # percent: what a plot can show
NAMED = {"rate": [0, 1, 5], "turn": [2]}  # pods said to coincide in Figs. 5 and 6, from zero
SPEEDS = (1.0, 2.0, 4.0, 7.0, 10.0)  # times the speed of Path 2


def values(
    machine: Platform, spin: PodRotation, paths: dict[str, ImprovedForces]
) -> dict[str, Any]:
    """Everything the claims and errata of 000 ask for."""
    return {
        **_rotations(machine, spin),
        **_forces(machine, paths),
        **_structure(machine, paths),
        **_errata(machine, paths),
        "errors": builders.errors_by_speed(
            paths["2"].motion, SPEEDS, lambda m: forces_on(machine, m)
        ),
    }


def _rotations(machine: Platform, spin: PodRotation) -> dict[str, Any]:
    """Largest difference between a pod's complete and simplified rotation on Path 1, percent of the largest."""
    found: dict[str, Any] = {}
    rows = {
        "rate": (spin.rate, spin.rate_across),
        "turn": (spin.acceleration, spin.acceleration_across),
    }
    for name, (full, across) in rows.items():
        share = 100 * (full - across).max(axis=0) / across.max(axis=0)
        others = [i for i in range(6) if i not in NAMED[name]]
        found |= {name: share, f"{name}_named": share[NAMED[name]], f"{name}_others": share[others]}
    motion = builders.as_motion("000-1").sample(len(spin.time))
    exact, printed = (universal.leg_motion(machine, motion, published=p) for p in (False, True))
    along = motion.velocity[0] / np.linalg.norm(motion.velocity[0])
    four = abs(float(builders.ups_legs(machine)[3].axis @ along))
    return found | {
        "rate_four": found["rate"][3],
        "rate_same": [i + 1 for i in range(6) if found["rate"][i] <= SEEN],
        "axis_four": np.degrees(np.arccos(min(four, 1.0))),
        "rate_printed_off": worst(exact.angular_velocity, printed.angular_velocity),
        "turn_printed_off": worst(exact.angular_acceleration, printed.angular_acceleration),
    }


def _forces(machine: Platform, paths: dict[str, ImprovedForces]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, path in zip(("slow", "fast"), paths.values(), strict=True):
        local = universal.inverse_dynamics(machine, path.motion, errata={"E000-3"}).force
        found |= {
            f"error_{name}": path.cost(path.printed),
            f"local_{name}": path.cost(local),
            f"simplified_{name}": path.cost(path.simplified),
            f"percent_{name}": path.percent(path.printed),
            f"local_percent_{name}": path.percent(local),
            f"simplified_percent_{name}": path.percent(path.simplified),
        }
        for model, force in (("printed", path.printed), ("exact", path.exact)):
            pairs = zip(path.simplified.T, force.T, strict=True)
            change = Newtons(worst(force, path.simplified), path.peak)
            found |= {
                f"trend_{name}_{model}": min(np.corrcoef(a, b)[0, 1] for a, b in pairs),
                f"change_{name}_{model}": change,
                f"change_percent_{name}_{model}": 100 * change / path.peak,
            }
    return found


def _structure(machine: Platform, paths: dict[str, ImprovedForces]) -> dict[str, Any]:
    fast = paths["3"]
    printed = universal.inverse_dynamics(machine, fast.motion, errata={"E000-5"}).force
    closed = universal.inverse_dynamics(machine, fast.motion, route="closed").force
    Q, _ = universal.pod_matrices(machine, fast.motion, errata={"E000-5"})
    n = universal.leg_motion(machine, paths["2"].motion).direction
    u = np.array([leg.axis for leg in builders.ups_legs(machine)])
    v = np.cross(u, n) / np.linalg.norm(np.cross(u, n), axis=-1, keepdims=True)
    c = np.cross(u, v)
    along = {name: np.abs((c * axis).sum(axis=-1)) for name, axis in (("u", u), ("v", v), ("n", n))}
    return {
        "compact": fast.cost(printed),
        "compact_percent": fast.percent(printed),
        "closed": worst(closed, fast.exact),
        "theory_off": worst(fast.exact, inverse_dynamics(machine, fast.motion).force),
        "asymmetry": np.abs(Q - np.swapaxes(Q, -1, -2)).max(),
        "along_u": max(along["u"].max(), along["v"].max()),
        "along_n": along["n"].min(),
        "time": None,
    }


def variants(machine: Platform, path: Forces) -> dict[str, Array]:
    """Forces with some errata committed, by name."""
    return {
        label: universal.inverse_dynamics(machine, path.motion, errata=slips).force
        for label, slips in VARIANTS.items()
    }


def _errata(machine: Platform, paths: dict[str, ImprovedForces]) -> dict[str, Any]:
    """What each slip, and each open choice, costs on Paths 2 and 3."""
    turned = builders.quiet_replace(
        machine, legs=[leg.replace(axis=-leg.axis) for leg in builders.ups_legs(machine)]
    )
    slips = {
        "slip1": {"E000-1"},
        "slip2": {"E000-2"},
        **{f"slip3_{eq}": {f"E000-3:{eq}", "E000-4"} for eq in ("32", "33", "50")},
        "slip12": {"E000-5"},
    }
    others = {"turned": turned, "plus": builders.quiet_load("dasgupta-1998")}
    found: dict[str, Any] = {}
    for number, path in paths.items():
        for name, keys in slips.items():
            force = universal.inverse_dynamics(machine, path.motion, errata=keys).force
            found[f"{name}_{number}"] = path.cost(force)
        for name, other in others.items():
            force = newton_euler.inverse_dynamics(other, path.motion).force
            found[f"{name}_{number}"] = path.cost(force)
    return found
