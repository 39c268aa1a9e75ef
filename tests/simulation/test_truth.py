"""What a run says of itself: where it ended, what it saw, and which run it is."""

from __future__ import annotations

import functools
import json
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from gough.checks import Array
from gough.control import Decentralized, Sampling
from gough.simulation import Events, run
from gough.simulation.identity import identity

GAIN = 2.0


@pytest.fixture(scope="module")
def machine() -> gough.Platform:
    return gough.load("motion-base-1500")


@pytest.fixture(scope="module")
def lift(machine: gough.Platform) -> Array:
    return gough.inverse_dynamics(machine, machine.home).force


def events(answer: Any) -> list[dict[str, Any]]:
    return json.loads(answer.attrs["events"])


@pytest.mark.parametrize("integrator", ["rk4", "DOP853", "hht"])
def test_a_prime_number_of_steps_is_recorded_like_any_other(
    machine: gough.Platform, lift: Array, monkeypatch: pytest.MonkeyPatch, integrator: str
) -> None:
    """Too many steps for the default records, and no stride divides them: the last state is kept all the same."""
    monkeypatch.setattr(run, "RECORDS", 20)
    more: dict[str, Any] = {"drives": False, "integrator": integrator, "reactions": False}
    coarse = gough.simulate(machine, machine.home, duration=0.053, force=1.2 * lift, **more)
    fine = gough.simulate(
        machine, machine.home, duration=0.053, force=1.2 * lift, output=1e-3, **more
    )
    assert np.allclose(coarse.time, [*np.arange(0, 53, 3) * 1e-3, 0.053], atol=1e-15)
    assert coarse.attrs["record_interval"] == pytest.approx(3e-3)
    assert fine.attrs["record_interval"] == 1e-3
    same = 0.0 if integrator != "DOP853" else 1e-12
    assert np.abs(coarse.position.values[-1] - fine.position.values[-1]).max() <= same
    for name in ("position", "work"):
        assert np.isfinite(coarse[name]).all()


def test_events_between_the_ends_of_a_prime_run_are_seen(
    machine: gough.Platform, lift: Array
) -> None:
    """200,003 steps, a prime number: two records would see nothing of what lies between."""
    answer = gough.simulate(
        machine,
        machine.home,
        duration=200.003,
        force=lambda t: lift * (1.5 if t < 0.4 else 0.5),
        drives=False,
        reactions=False,
        events=Events(stroke="stop"),
    )
    assert answer.attrs["record_interval"] == pytest.approx(2e-3)
    assert answer.attrs["status"].startswith("stopped by stroke")
    assert answer.attrs["end_time"] < 2.0


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_command_that_is_no_number_ends_its_run(
    machine: gough.Platform, lift: Array, bad: float
) -> None:
    start = gough.Motion(np.repeat(machine.home.position[None], 3, axis=0), machine.home.rotation)

    def controller(t: float, measurement: Any, reference: Any) -> Array:
        command = np.repeat(lift[None], 3, axis=0)
        command[1, 4] = bad if t > 0.0095 else command[1, 4]
        return command

    answer = gough.simulate(machine, start, duration=0.02, controller=controller, drives=False)
    sentence = str(answer.status.values[1])
    assert (
        sentence
        == f"the controller asked leg {machine.leg_names[4]} for {bad}, which is no effort, at t = 0.01 s"
    )
    assert list(answer.status.values[[0, 2]]) == ["ok", "ok"]
    assert np.isfinite(answer.position.values[1, :11]).all(), "the state before the command stands"
    assert np.isnan(answer.position.values[1, 11:]).all()
    assert np.isfinite(answer.position.values[[0, 2]]).all()


def test_a_large_command_is_a_number(machine: gough.Platform) -> None:
    """The square of 1e200 is infinite, the command is not: the run diverges by its physics."""
    answer = gough.simulate(
        machine,
        machine.home,
        duration=5e-3,
        controller=lambda t, m, r: np.full(6, 1e200),
        drives=False,
    )
    assert answer.attrs["status"].startswith("diverged")


@pytest.mark.parametrize("output", [None, 4e-3])
def test_the_diverged_sample_is_not_kept(machine: gough.Platform, output: float | None) -> None:
    """Neither as a state, nor as an event of one; what came before stays."""
    pushed = gough.simulate(
        machine, machine.home, duration=0.04, force=np.full(6, 1e11), drives=False, output=output
    )
    end = pushed.attrs["end_time"]
    assert (
        pushed.attrs["status"] == f"diverged: the state grew beyond any bound after t = {end:.6g} s"
    )
    kept = pushed.time.values <= end * (1 + 1e-12)
    assert 1 <= kept.sum() < len(kept)
    body = np.concatenate(
        [pushed[n].values for n in ("position", "velocity", "angular_velocity")], axis=1
    )
    assert (body[kept] ** 2).sum(axis=1).max() < 1e12
    assert np.isnan(body[~kept]).all()
    assert all(event["time"] <= end * (1 + 1e-12) for event in events(pushed))


def test_an_event_before_the_end_stops_a_run_that_diverges_soon_after(
    machine: gough.Platform,
) -> None:
    """Both fall between two looks at the events; what came first counts."""
    more: dict[str, Any] = {"duration": 0.4, "force": np.full(6, 3e9), "drives": False}
    free = gough.simulate(machine, machine.home, **more)
    assert free.attrs["status"].startswith("diverged")
    first = next(event for event in events(free) if event["name"] == "stroke")
    assert first["time"] < free.attrs["end_time"]
    stopped = gough.simulate(machine, machine.home, events=Events(stroke="stop"), **more)
    assert stopped.attrs["status"].startswith(f"stopped by stroke at t = {first['time']:.6g} s: ")


class Law:
    """A user's controller."""

    def __init__(self, gain: float, table: dict[str, Array]) -> None:
        self.gain, self.table = gain, table

    def __call__(self, t: float, measurement: Any, reference: Any) -> Array:
        return self.gain * GAIN * (reference.length - measurement.length) + self.table["offset"]


def closed(gain: float) -> Any:
    return lambda t, measurement, reference: gain * (reference.length - measurement.length)


def defaulted(t: float, measurement: Any, reference: Any, gain: float = 1.0) -> Array:
    return gain * (reference.length - measurement.length)


def other(t: float, measurement: Any, reference: Any, gain: float = 1.0) -> Array:
    return gain * (reference.length + measurement.length)


other.__qualname__, other.__name__ = defaulted.__qualname__, defaulted.__name__
SAME = {
    "numbers": lambda: np.arange(6.0),
    "closure": lambda: closed(2.0),
    "object": lambda: Law(1.0, {"offset": np.zeros(6)}),
    "bound": lambda: Law(1.0, {"offset": np.zeros(6)}).__call__,
    "partial": lambda: functools.partial(defaulted, gain=2.0),
    "controller": lambda: Decentralized(1.0, 2.0, 0.0, 1.0, 0.0),
    "sampling": lambda: Sampling(rate=500.0),
    "machine": lambda: gough.load("motion-base-1500"),
    "trajectory": lambda: gough.trajectory.harmonic(
        ((0, 0, 1), (0, 0, 0)), [0.1] * 6, 0.5, duration=1.0
    ),
    "generator": lambda: np.random.default_rng(3),
}


@pytest.mark.parametrize("name", SAME)
def test_equal_content_is_the_same_run(name: str) -> None:
    assert identity({"x": SAME[name]()}) == identity({"x": SAME[name]()})


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (np.arange(6.0), np.arange(6)),
        (np.arange(6.0), np.arange(6.0).reshape(2, 3)),
        ([1, [2, 3]], [[1, 2], 3]),
        (closed(2.0), closed(2.1)),
        (defaulted, other),
        (functools.partial(defaulted, gain=2.0), functools.partial(defaulted, gain=3.0)),
        (Law(1.0, {"offset": np.zeros(6)}), Law(1.5, {"offset": np.zeros(6)})),
        (Law(1.0, {"offset": np.zeros(6)}), Law(1.0, {"offset": np.ones(6)})),
        (Decentralized(1.0, 2.0, 0.0, 1.0, 0.0), Decentralized(1.0, 2.0, 0.0, 1.5, 0.0)),
        (np.random.default_rng(3), np.random.default_rng(4)),
        (np.sin, np.cos),
    ],
)
def test_other_content_is_another_run(one: object, two: object) -> None:
    assert identity({"x": one}) != identity({"x": two})


def test_globals_methods_and_own_modules_belong_to_a_function(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    law = Law(1.0, {"offset": np.zeros(6)})
    before = identity({"x": law})
    monkeypatch.setattr(f"{__name__}.GAIN", 3.0)
    assert identity({"x": law}) != before, "a global that a method names"
    monkeypatch.undo()
    assert identity({"x": law}) == before
    monkeypatch.setattr(Law, "__call__", other)
    assert identity({"x": law}) != before, "the method itself"
    monkeypatch.undo()
    monkeypatch.syspath_prepend(str(tmp_path))

    def imports(t: float) -> Any:
        import own_gains_of_a_test

        return own_gains_of_a_test.K

    (tmp_path / "own_gains_of_a_test.py").write_text("from own_deeper_of_a_test import K\n")
    deeper = tmp_path / "own_deeper_of_a_test.py"
    deeper.write_text("K = 1\n")
    first = identity({"x": imports})
    assert identity({"x": imports}) == first
    deeper.write_text("K = 2\n")
    assert identity({"x": imports}) != first, "a module that the user's module imports"


@pytest.mark.parametrize("hidden", ["a lock", "a file"])
def test_what_cannot_be_told_needs_a_version(
    machine: gough.Platform, tmp_path: Path, hidden: str
) -> None:
    thing: Any = threading.Lock() if hidden == "a lock" else (tmp_path / "log").open("w")
    law = functools.partial(lambda held, t, m, r: 0.0 * r.length, thing)
    more: dict[str, Any] = {"duration": 2e-3, "controller": law, "checkpoint": tmp_path / "run"}
    with pytest.raises(gough.InputError, match="version") as caught:
        gough.simulate(machine, machine.home, **more)
    assert caught.value.field == "controller"
    assert not (tmp_path / "run").exists()
    gough.simulate(machine, machine.home, version="1", **more)
    gough.simulate(machine, machine.home, version="1", resume=True, **more)
    with pytest.raises(gough.InputError, match="another run"):
        gough.simulate(machine, machine.home, version="2", resume=True, **more)


def test_every_piece_belongs_to_its_run(
    machine: gough.Platform, lift: Array, tmp_path: Path
) -> None:
    """A piece of another run under the right name is refused, also where the folder's head is right."""
    for name, factor in (("a", 1.0), ("b", 1.01)):
        gough.simulate(
            machine, machine.home, duration=0.6, force=factor * lift, checkpoint=tmp_path / name
        )
    foreign = tmp_path / "b" / "piece-000001.npz"
    foreign.replace(tmp_path / "a" / foreign.name)
    with pytest.raises(gough.InputError, match=r"piece-000001.*another run"):
        gough.simulate(
            machine, machine.home, duration=0.6, force=lift, checkpoint=tmp_path / "a", resume=True
        )


def test_the_code_of_a_controller_is_part_of_the_run(
    machine: gough.Platform, tmp_path: Path
) -> None:
    more: dict[str, Any] = {"duration": 2e-3, "checkpoint": tmp_path / "run"}
    gough.simulate(machine, machine.home, controller=defaulted, **more)
    gough.simulate(machine, machine.home, controller=defaulted, resume=True, **more)
    with pytest.raises(gough.InputError, match="another run"):
        gough.simulate(machine, machine.home, controller=other, resume=True, **more)
