"""A machine for each run, every run for itself: what each is given, and how single runs become one table."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import xarray

import gough
from gough.results import Spin
from gough.simulation import State
from gough.simulation.fleet import simulate_each, stacked

MACHINE = gough.load("motion-base-1500")
HOME = MACHINE.require_home()


def a_run(steps: int, status: str = "ok", **columns: float) -> xarray.Dataset:
    """A run of so many samples; `columns`: numbers that only some runs hold."""
    names = {"height": 1.0, **columns}
    values = {
        name: (("time", "leg"), np.full((steps, 6), value), {"units": "m"})
        for name, value in names.items()
    }
    ds = xarray.Dataset(values, coords={"time": 0.1 * np.arange(steps), "leg": np.arange(6)})
    event = {"time": 0.1 * steps, "name": "stroke"}
    ds.attrs = {"status": status, "end_time": 0.1 * (steps - 1), "machine": f"m{steps}",
                "step": 0.1, "events": json.dumps([] if status == "ok" else [event])}  # fmt: skip
    return ds


class Asked:
    """Stands for the preparation of a run: keeps what it was asked; nothing can go side by side."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, State, dict[str, Any]]] = []

    def __call__(self, machine: Any, start: State, **options: Any) -> Any:
        self.calls.append((machine, start, options))
        if "progress" in options:
            options["progress"](0.5)
        record = SimpleNamespace(checkpoint="kept apart")
        return SimpleNamespace(job=None, inputs={}, settings=SimpleNamespace(record=record))


def concluded(run: Any, result: Any) -> xarray.Dataset:
    """Stands for the run itself."""
    assert result is None
    return a_run(3)


def test_every_run_has_its_machine_its_start_and_its_own_options(tmp_path: Path) -> None:
    asked, told = Asked(), list[float]()
    rng = np.random.default_rng(1)
    angle, rate = rng.normal(size=(2, 3, 6))
    motion = gough.Motion(HOME.position + rng.normal(size=(3, 3)), HOME.rotation)
    length = rng.normal(size=(3, 6))
    state = State(motion, spin=Spin(angle, rate), length=length)
    machines = tuple(MACHINE.replace(name=f"m{i}") for i in range(3))
    options = {"checkpoint": tmp_path, "spin": Spin(angle, rate[0]), "progress": told.append}
    found = simulate_each(asked, concluded, machines, state, options)
    assert found.sizes["run"] == 3
    for i, (machine, start, given) in enumerate(asked.calls):
        assert machine is machines[i]
        np.testing.assert_array_equal(start.motion.position, motion.position[i])
        np.testing.assert_array_equal(start.spin.angle, angle[i])
        np.testing.assert_array_equal(start.length, length[i])
        assert given["checkpoint"] == tmp_path / f"machine-{i}"
        np.testing.assert_array_equal(given["spin"].angle, angle[i])
        np.testing.assert_array_equal(given["spin"].rate, rate[0])
    assert told == pytest.approx([0.5 / 3, 1.5 / 3, 2.5 / 3])
    assert options["checkpoint"] == tmp_path  # what was given is left as it was


def test_one_start_for_all() -> None:
    asked = Asked()
    simulate_each(asked, concluded, (MACHINE, MACHINE), HOME, {})
    (_, first, _), (_, second, _) = asked.calls
    np.testing.assert_array_equal(first.motion.position, second.motion.position)


@pytest.mark.parametrize(
    ("state", "options", "words"),
    [
        ("home", {}, "gough.simulation.State"),
        (gough.Pose(np.zeros((3, 3)), np.broadcast_to(np.eye(3), (3, 3, 3))), {}, "one for each"),
        (HOME, {"record": SimpleNamespace(checkpoint="here")}, "give it directly"),
    ],
)
def test_what_cannot_be_given_to_several_machines(
    state: Any, options: dict[str, Any], words: str
) -> None:
    with pytest.raises(gough.InputError, match=words):
        simulate_each(Asked(), concluded, (MACHINE, MACHINE), state, options)


def test_an_error_names_its_run() -> None:
    def fails(machine: Any, start: Any, **options: Any) -> Any:
        if machine.name == "bad":
            raise gough.InputError("step", 0.0, "must be positive")
        return Asked()(machine, start, **options)

    with pytest.raises(gough.InputError, match="run 1"):
        simulate_each(fails, concluded, (MACHINE, MACHINE.replace(name="bad")), HOME, {})


def test_single_runs_as_one_table() -> None:
    """NaN after a run's end and where a run has no such column; events in the order of time."""
    runs = [a_run(5, "stopped"), a_run(3, spare=2.0), a_run(4, "diverged")]
    table = stacked(runs)
    assert table.height.dims == ("run", "time", "leg")
    assert table.sizes["time"] == 5
    known = np.isfinite(table.height.values).all(axis=2)
    np.testing.assert_array_equal(known.sum(axis=1), [5, 3, 4])
    assert known[1, :3].all()
    np.testing.assert_array_equal(
        np.isfinite(table.spare.values).all(axis=2).sum(axis=1), [0, 3, 0]
    )
    assert list(table.status.values) == ["stopped", "ok", "diverged"]
    np.testing.assert_allclose(table.end_time.values, [0.4, 0.2, 0.3])
    assert table.attrs["status"] == "2 of 3 runs: stopped"
    assert table.attrs["machine"] == "m5"
    assert table.attrs["step"] == 0.1
    assert [e["run"] for e in json.loads(table.attrs["events"])] == [2, 0]
    assert stacked([a_run(2), a_run(2)]).attrs["status"] == "ok"
