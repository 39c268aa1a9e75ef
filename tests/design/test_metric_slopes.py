"""Slopes of metrics against differences in 50 digits, kinks where they are, and what optimize makes of them."""

from __future__ import annotations

from collections.abc import Callable
from math import asin, sin
from typing import Any

import mpmath
import numpy as np
import pytest

from gough.design import DesignProblem, Task, descent, metric_slopes, optimize
from gough.design.descent import slopes_at
from gough.design.evaluation import BY_BATCH
from gough.design.metrics import METRICS
from gough.design.spec import MachineSpec

BOX = 0.03
AT = {
    "base_radius": 0.45,
    "platform_radius": 0.25,
    "base_pair_angle": 0.3,
    "platform_pair_angle": 0.5,
    "height": 0.5,
}
TASK = Task(np.array([BOX, 0.0, 0.0]))
SPEC = MachineSpec("hexapod", "hexapod", {}, {})
BENT = 2 * asin(0.25 * sin(0.25) / 0.45)  # base joints of a pair as far apart as platform joints


def struts(x: dict[str, Any]) -> list[list[tuple[Any, Any]]]:
    """(joint on the platform, strut) of each leg in each pose, as vectors of any numbers: written here anew."""
    mp, found = mpmath, []
    for shift in (-1, 0, 1):
        legs = []
        for i in range(6):
            turn = 1 - 2 * (i % 2)
            base = mp.radians((0, 120, 120, 240, 240, 0)[i]) + turn * x["base_pair_angle"] / 2
            top = mp.radians((60, 60, 180, 180, 300, 300)[i]) - turn * x["platform_pair_angle"] / 2
            b = mp.matrix([mp.cos(base), mp.sin(base), 0]) * x["base_radius"]
            p = mp.matrix([mp.cos(top), mp.sin(top), 0]) * x["platform_radius"]
            home = mp.matrix([shift * mp.mpf(BOX), 0, x["height"]])
            legs.append((p, home + p - b))
        found.append(legs)
    return found


def lengths(x: dict[str, Any]) -> list[list[Any]]:
    return [[mpmath.norm(s) for _, s in legs] for legs in struts(x)]


def dexterity_mean(x: dict[str, Any]) -> Any:
    total = mpmath.mpf(0)
    for legs in struts(x):
        H = mpmath.matrix(6, 6)
        for i, (p, s) in enumerate(legs):
            s, q = s / mpmath.norm(s), p / x["platform_radius"]  # its rms distance from the middle
            moment = (
                q[1] * s[2] - q[2] * s[1],
                q[2] * s[0] - q[0] * s[2],
                q[0] * s[1] - q[1] * s[0],
            )
            for k, value in enumerate((*s, *moment)):
                H[k, i] = value
        values = mpmath.svd_r(H, compute_uv=False)
        total += min(values) / max(values)
    return total / 3


EXACT: dict[str, Callable[[dict[str, Any]], Any]] = {
    "longest": lambda x: max(max(row) for row in lengths(x)),
    "shortest": lambda x: min(min(row) for row in lengths(x)),
    "stroke": lambda x: max(max(c) - min(c) for c in zip(*lengths(x), strict=True)),
    "extension": lambda x: max(max(c) / min(c) for c in zip(*lengths(x), strict=True)),
    "footprint": lambda x: 2 * x["base_radius"],
    "dexterity_mean": dexterity_mean,
}
WANTED = {name: METRICS[name] for name in EXACT}


def found_at(at: dict[str, float], wanted: Any = None) -> metric_slopes.MetricSlopes:
    return metric_slopes.metric_slopes(SPEC, at, at, TASK, wanted or WANTED)


def exact_slopes(name: str) -> list[float]:
    """Central differences with a step of 1e-18 in 50 digits."""
    with mpmath.workdps(50):
        x, h, out = {k: mpmath.mpf(v) for k, v in AT.items()}, mpmath.mpf("1e-18"), []
        for k in x:
            up, down = EXACT[name]({**x, k: x[k] + h}), EXACT[name]({**x, k: x[k] - h})
            out.append(float((up - down) / (2 * h)))
        return out


def test_slopes_are_those_of_50_digits() -> None:
    found = found_at(AT)
    assert found.road == BY_BATCH
    assert found.tried == 1 + 4 * len(AT)
    assert not found.kinks.any()
    for k, name in enumerate(EXACT):
        assert found.values[k] == pytest.approx(float(EXACT[name](AT)), rel=1e-12)
        assert found.slopes[k] == pytest.approx(exact_slopes(name), rel=1e-8, abs=1e-9)


def test_a_wrong_step_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted error: steps that are not where the formula takes them to be."""
    monkeypatch.setattr(metric_slopes, "_STEPS", np.array([-1.0, -0.5, 0.5, 1.001]))
    worst = 0.0
    found = found_at(AT)
    for k, name in enumerate(EXACT):
        worst = max(worst, float(np.abs(found.slopes[k] - exact_slopes(name)).max()))
    assert worst > 1e-5


def test_a_kink_is_said_and_its_slope_is_the_mean_of_both_sides() -> None:
    """Clearance is the nearer of two distances: joints of a pair on the base, or on the platform."""
    wanted = {name: METRICS[name] for name in ("clearance", "longest")}
    bent = found_at({**AT, "base_pair_angle": BENT}, wanted)
    angle = list(AT).index("base_pair_angle")
    assert bent.kinks[0, angle]
    assert not bent.kinks[1].any()
    before, after = (
        found_at({**AT, "base_pair_angle": BENT + step}, wanted) for step in (-0.01, 0.01)
    )
    assert not before.kinks.any()
    assert not after.kinks.any()
    sides = before.slopes[0, angle], after.slopes[0, angle]
    assert abs(sides[0] - sides[1]) > 0.1
    assert bent.slopes[0, angle] == pytest.approx(sum(sides) / 2, abs=0.01)


def test_slopes_where_nothing_can_be_built_are_none() -> None:
    found = found_at({**AT, "platform_radius": 0.0})
    assert np.isnan(found.values).all()
    assert np.isnan(found.slopes[:, list(AT).index("height")]).all()


def problem(**more: Any) -> DesignProblem:
    fixed = {k: v for k, v in AT.items() if k not in ("base_radius", "height")}
    machine = MachineSpec("hexapod", "hexapod", fixed, {})
    ranges = {"base_radius": (0.3, 0.6), "height": (0.3, 0.7)}
    given: dict[str, Any] = {"generations": 4, "population": 4, **more}
    return DesignProblem(machine, TASK, ranges, {"dexterity_mean": 1.0, "footprint": 1.0}, **given)


def test_optimize_ends_where_the_slopes_say() -> None:
    """A smooth optimum inside the ranges: no slope of the cost is left; nor is it worse than without slopes."""
    found = optimize(problem())
    assert found.road == BY_BATCH
    assert found.kinks == ()
    best = np.array(list(found.best.parameters.values()))
    slopes = slopes_at(problem(), best)
    x0 = found.references
    share = [-x0["dexterity_mean"] / slopes.values[0] ** 2, 1.0 / x0["footprint"]]
    inside = [
        k
        for k, (x, ends) in enumerate(zip(best, problem().ranges.values(), strict=True))
        if min(x - ends[0], ends[1] - x) > 1e-6
    ]
    assert inside
    assert (np.array(share) @ slopes.slopes)[inside] == pytest.approx(0.0, abs=1e-4)


def test_optimize_meets_constraints_and_is_no_worse_than_without_slopes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held = problem(constraints={"extension": (1.0, 1.08), "clearance": (0.05, float("inf"))})
    found = optimize(held)
    assert found.feasible
    assert found.best.metrics["extension"] <= 1.08
    monkeypatch.setattr(descent, "descend", lambda *_: 0)
    assert found.best.cost <= optimize(held).best.cost + 1e-12


def test_slopes_that_are_none_end_the_way_down() -> None:
    """A start whose neighbors cannot be built: nothing is raised, and the start is judged."""
    shown: list[Any] = []

    def costs(u: np.ndarray) -> np.ndarray:
        shown.append(u)
        return np.zeros(u.shape[1])

    never = problem()
    never.machine.fixed["platform_radius"] = -1.0
    assert descent.descend(never, {}, np.array([0.5, 0.5]), costs) == 9
    assert shown[0].shape == (2, 1)
