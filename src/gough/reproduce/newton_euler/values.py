"""What [Dasgupta1998] (001) states, computed with its own equations and with the exact model."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.checks import Array
from gough.formulations import newton_euler
from gough.formulations.newton_euler import PRINTED
from gough.model import Platform
from gough.reproduce import builders
from gough.reproduce.counting import CountedEvery, elimination
from gough.reproduce.newton_euler import remarks
from gough.reproduce.newton_euler.forces import PathForces, forces_on
from gough.reproduce.newton_euler.operations import LEG, PLATFORM, SERIAL, SOLVE, TOTAL, counts
from gough.trajectory.point_to_point import PointToPoint

LIGHT = 4.0  # kg: "platform mass of the same order as the mass of a leg"
SPEEDS = (1.0, 2.0, 4.0, 7.0, 10.0)  # times the speed of Path I


def values(machine: Platform, paths: dict[str, PathForces]) -> dict[str, Any]:
    """Everything the claims and errata of 001 ask for."""
    legs = builders.ups_legs(machine)
    return {
        "mass_ratio": machine.body.mass / (legs[0].lower.mass + legs[0].upper.mass),
        **_forces(machine, paths["I"], paths["II"]),
        **_fractions(machine, paths),
        **_singular(machine, paths["III"]),
        **_arithmetic(),
        **_errata(machine, paths),
        **remarks.values(machine, paths),
        "errors": builders.errors_by_speed(
            paths["I"].motion, SPEEDS, lambda m: forces_on(machine, m)
        ),
    }


def fraction(force: Array, massless: Array) -> Array:
    """``|F_d / F|`` in percent."""
    return 100 * np.abs(1.0 - massless / force)


def _forces(machine: Platform, one: PathForces, two: PathForces) -> dict[str, Any]:
    weight = machine.body.mass * 9.81
    found: dict[str, Any] = {"weight": weight, "peak_one": one.peak, "peak_two": two.peak}
    for model, slow, fast in (
        ("printed", one.printed, two.printed),
        ("exact", one.exact, two.exact),
    ):
        peaks, steps = np.abs(slow).max(axis=0), np.abs(np.diff(fast, axis=0)).max(axis=1)
        found |= {
            f"peaks_{model}": peaks,
            f"ratio_{model}": peaks.max() / weight,
            f"bound_one_{model}": np.abs(slow).max(),
            f"bound_two_{model}": np.abs(fast).max(),
            f"jump_{model}": steps.max(),
            f"jump_off_{model}": _from_blend(two.time, int(steps.argmax())),
            f"steepness_{model}": steps.max() / np.median(steps),
        }
    found |= {"condition_least": one.condition.min(), "condition_most": one.condition.max()}
    found |= {"error_one": one.cost(one.printed), "error_two": two.cost(two.printed)}
    found |= {"percent_one": one.percent(one.printed), "percent_two": two.percent(two.printed)}
    return found


def _from_blend(time: Array, step: int) -> float:
    """Time between the middle of a step and the nearest end of a blend of Path II, s."""
    path = builders.as_motion("001-II")
    assert isinstance(path, PointToPoint)
    ends = np.array([*path.translation.breaks, *path.rotation.breaks])
    return float(np.abs(ends - (time[step] + time[step + 1]) / 2).min())


def _fractions(machine: Platform, paths: dict[str, PathForces]) -> dict[str, Any]:
    one, two = paths["I"], paths["II"]
    light = builders.quiet_replace(
        machine, body=builders.quiet_body(LIGHT, machine.body.center, machine.body.inertia)
    )
    found: dict[str, Any] = {}
    for model, slips in (("printed", PRINTED), ("exact", frozenset[str]())):
        slow, fast = (fraction(getattr(path, model), path.massless) for path in (one, two))
        both = np.concatenate([slow, fast])
        found |= {
            f"mean_{model}": slow[:, :4].mean(),
            f"largest_{model}": slow[:, :4].max(),
            f"largest_leg_{model}": int(slow[:, :4].max(axis=0).argmax()) + 1,
            f"median_{model}": np.median(both),
            f"quartiles_{model}": np.percentile(both, [25, 75]),
            f"median_one_{model}": np.median(slow),
            f"median_two_{model}": np.median(fast),
            f"crossing_{model}": _crossing(getattr(one, model)),
        }
        for name, path in (("one", one), ("two", two)):
            r = newton_euler.inverse_dynamics(light, path.motion, errata=slips)
            medians = np.median(fraction(r.force, r.extra["massless"]), axis=0)
            found[f"light_{name}_{model}"] = medians
            found[f"light_median_{name}_{model}"] = np.median(medians)
    other = newton_euler.inverse_dynamics(machine, one.motion, errata=PRINTED | {"E001-4"}).force
    return found | {"crossing_33": _crossing(other), "light_mass": LIGHT}


def _crossing(force: Array) -> list[int]:
    """The legs whose force crosses zero."""
    sign = np.sign(force)
    return [i + 1 for i in range(6) if (sign[1:, i] != sign[:-1, i]).any()]


def _singular(machine: Platform, three: PathForces) -> dict[str, Any]:
    time = float(three.time[three.condition.argmax()])
    band = (three.condition > 1e2) & (three.condition < 1e3)
    found: dict[str, Any] = {
        "condition_peak": three.condition.max(),
        "condition_time": time,
        "singular_time": singular_time(machine),
        "band_samples": int(band.sum()),
    }
    for model in ("printed", "exact"):
        force = np.abs(getattr(three, model)).max(axis=1)
        inside = force[band] if band.any() else np.array([np.nan])
        found |= {
            f"highest_{model}": force.max(),
            f"highest_time_{model}": float(three.time[force.argmax()]),
            f"apart_{model}": abs(float(three.time[force.argmax()]) - time),
            f"band_least_{model}": inside.min(),
            f"band_most_{model}": inside.max(),
            f"correlation_{model}": np.corrcoef(np.log(three.condition), np.log(force))[0, 1],
        }
    return found


def singular_time(machine: Platform) -> float:
    """Time on Path III at which det H changes sign, by bisection, s; NaN if it does not there."""
    path = builders.as_motion("001-III")

    def det(t: float) -> float:
        return float(np.linalg.det(newton_euler.inverse_dynamics(machine, path(t)).H))

    low, high = 3.6, 3.7
    start = det(low)
    if det(high) * start > 0:
        return float("nan")
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if det(middle) * start > 0 else (low, middle)
    return (low + high) / 2


def _arithmetic() -> dict[str, Any]:
    printed, exact = (
        sum(t.total for t in counts(slips)) + elimination(6).total
        for slips in (PRINTED, frozenset[str]())
    )
    return {
        "sum": TOTAL,
        "serial": SERIAL,
        "sum_ratio": TOTAL / SERIAL,
        "count_printed": printed,
        "count_exact": exact,
        "count_ratio_printed": printed / SERIAL,
        "count_ratio_exact": exact / SERIAL,
        "parallel": max(LEG, PLATFORM) + SOLVE,
        "count_every": sum(t.total for t in counts(PRINTED, CountedEvery)) + elimination(6).total,
        "solve_paper": SOLVE,
        "solve_ours": elimination(6).total,
    }


def _errata(machine: Platform, paths: dict[str, PathForces]) -> dict[str, Any]:
    """What each slip alone, and each open choice, costs on Paths I and II."""
    legs = builders.ups_legs(machine)
    bent = [
        builders.quiet_replace(
            machine, legs=[legs[0].replace(axis=(-0.8141, 0.2714, z)), *legs[1:]]
        )
        for z in (0.5134, -0.5134)
    ]
    cases: dict[str, tuple[Platform, frozenset[str]]] = {
        **{f"slip{n}": (machine, frozenset({f"E001-{n}"})) for n in range(1, 5)},
        "slips33": (machine, PRINTED | {"E001-4"}),
        "bent_up": (bent[0], frozenset()),
        "bent_down": (bent[1], frozenset()),
        "physical": (builders.quiet_load("dasgupta-1998-physical"), frozenset()),
        "smooth": (builders.without_friction(machine), frozenset()),
    }
    found: dict[str, Any] = {}
    for name, (other, slips) in cases.items():
        for path in ("I", "II"):
            force = newton_euler.inverse_dynamics(other, paths[path].motion, errata=slips).force
            found[f"{name}_{path}"] = paths[path].cost(force)
    lengths = newton_euler.leg_motion(machine, paths["I"].motion).length
    found["lowest_center"] = min(float((lengths + leg.upper.center[0]).min()) for leg in legs)
    found["axis_length"] = float(np.hypot(0.8141, 0.2714))
    found["moments"] = np.linalg.eigvalsh(legs[0].lower.inertia)
    return found
