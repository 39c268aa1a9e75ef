"""What a design, a task or a sweep cannot be, in one sentence each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from gough.design import DesignProblem, Task, evaluate, read_sweep, sweep
from gough.design.metrics import Trial
from gough.design.optimization import _bounds
from gough.design.parameter_sweep import run_span, slowed
from gough.design.spans import Span
from gough.design.spec import MachineSpec, changed

FIXED = {"base_radius": 0.5, "platform_radius": 0.3, "base_pair_angle": 0.3}
FIXED |= {"platform_pair_angle": 0.4, "height": 0.6}
HEXAPOD = MachineSpec("hexapod", "hexapod", FIXED, {})
STILL = Task(np.full(3, 0.01), np.zeros(3))
RANGE, WISH = {"height": (0.5, 0.7)}, {"stroke": 1.0}
MOTION = gough.trajectory.harmonic(
    ((0, 0, 0), (0, 0, 0)), [0.01, 0, 0, 0, 0, 0], 1.0, duration=1.0
).sample(5)

REFUSED: list[tuple[Callable[[], Any], str]] = [
    (lambda: Task([0.1, -0.1, 0.0]), "not negative"),
    (lambda: Task(tilt=[0.1, 0.1]), "three numbers"),
    (lambda: Trial(HEXAPOD.build({}), STILL).motion, "must be given"),
    (lambda: evaluate(HEXAPOD.build({}), STILL, ["beauty"]), "must be one of"),
    (lambda: DesignProblem(HEXAPOD, STILL, {}, WISH), "at least one parameter"),
    (lambda: DesignProblem(HEXAPOD, STILL, RANGE, {}), "at least one of"),
    (lambda: DesignProblem(HEXAPOD, STILL, {"color": (0.0, 1.0)}, WISH), "this machine has"),
    (lambda: DesignProblem(HEXAPOD, STILL, {"height": (0.7, 0.7)}, WISH), "low < high"),
    (lambda: DesignProblem(HEXAPOD, STILL, RANGE, {"beauty": 1.0}), "must be one of"),
    (lambda: DesignProblem(HEXAPOD, STILL, RANGE, WISH, {"beauty": (0, 1)}), "must be one of"),
    (lambda: DesignProblem(HEXAPOD, STILL, RANGE, {"peak_force": 1.0}), "along a motion"),
    (lambda: _bounds(), "one of them at least"),
    (lambda: _bounds(2.0, 1.0), "min <= max"),
    (lambda: slowed(MOTION, 0.0), "greater than 0"),
    (lambda: changed(HEXAPOD.build({}), {"base_scale": 0.0}), "greater than 0"),
    (lambda: changed(HEXAPOD.build({}), {"platform_scale": -1.0}), "greater than 0"),
    (lambda: MachineSpec("hexapod", "hexapod", {}, {}).build({}), "must be given for family"),
]


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_refusals(number: int) -> None:
    ask, word = REFUSED[number]
    with pytest.raises(gough.InputError, match=word):
        ask()


def test_one_side_of_a_bound_is_enough() -> None:
    assert _bounds(min=2.0) == (2.0, np.inf)
    assert _bounds(max=2.0) == (-np.inf, 2.0)
    assert _bounds(2.0, 2.0) == (2.0, 2.0)


def test_a_payload_changes_the_forces_and_limits_bind_the_motion() -> None:
    task = Task(np.zeros(3), np.zeros(3), MOTION, relative=True)
    heavy = task.replace(payload=gough.Body(20.0))
    platform = HEXAPOD.build({})
    light = evaluate(platform, task, ["peak_force"])["peak_force"]
    assert evaluate(platform, heavy, ["peak_force"])["peak_force"] > light
    strokes = [leg.replace(limits=gough.Limits(stroke=(0.1, 5.0))) for leg in platform.legs]
    assert evaluate(platform.replace(legs=strokes), task, ["margin"])["margin"] > 0


SWEEP = """
metrics = ["stroke"]
[machine]
preset = "motion-base-1500"
[axes]
base_scale = [1.0, 1.1]
"""
BAD: list[tuple[str, str, str]] = [
    ("[machine]", "[machines.a]\npreset = 'hexaglide'\n[machine]", "give one table"),
    ('[machine]\npreset = "motion-base-1500"', "", "give one table"),
    ('[machine]\npreset = "motion-base-1500"', "[machines]", "at least one machine"),
    ("base_scale", "height", "this machine has"),
    ('preset = "motion-base-1500"', 'preset = "a"\nfamily = "hexapod"', "exactly one of"),
    ('[machine]\npreset = "motion-base-1500"', "machine = 3", "must be a table"),
    ('preset = "motion-base-1500"', 'family = "octopod"', "must be one of"),
    ("[1.0, 1.1]", "{ from = 1.0, to = 2.0, count = 2000000000 }", "."),
]


@pytest.mark.parametrize(("old", "new", "word"), BAD)
def test_bad_plans_are_refused(tmp_path: Path, old: str, new: str, word: str) -> None:
    text = SWEEP.replace(old, new)
    if new.startswith("machine = "):
        text = new + "\n" + SWEEP.replace(old, "")
    (tmp_path / "plan.toml").write_text(text)
    with pytest.raises(gough.InputError, match=word):
        read_sweep(tmp_path / "plan.toml")


def test_bad_runs_of_a_plan_are_refused(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(SWEEP)
    plan = read_sweep(tmp_path / "plan.toml")
    with pytest.raises(gough.InputError, match="executor"):
        sweep(plan, tmp_path / "out", executor="magic")
    for formats in (("xls",), ()):
        with pytest.raises(gough.InputError, match="formats"):
            sweep(plan, tmp_path / "out", formats=formats)
    with pytest.raises(gough.InputError, match="is a file"):
        sweep(plan, tmp_path / "plan.toml")
    with pytest.raises(gough.InputError, match="was changed"):
        run_span(str(tmp_path / "plan.toml"), "", "another", Span(0, 1))
    assert not (tmp_path / "out").exists()


def test_too_many_cases_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from gough.design import sweep_plan

    monkeypatch.setattr(sweep_plan, "MOST_CASES", 1)
    (tmp_path / "plan.toml").write_text(SWEEP)
    with pytest.raises(gough.InputError, match="at most 1"):
        read_sweep(tmp_path / "plan.toml")
