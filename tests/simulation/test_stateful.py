"""Controllers with a memory: kept by the loop, resumed bit for bit, a run's own in a batch."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from xarray import Dataset

import gough
from gough.checks import Array
from gough.control import Decentralized, Measurement, Reference, Sampling
from gough.control.signals import Memory
from gough.simulation import fixed_run
from gough.simulation.asking import OWN
from gough.simulation.job import Job
from gough.simulation.loop import ControlLoop


class Learning:
    """PD plus an offset that learns from the error, and the number of samples it has seen."""

    def __init__(
        self, machine: gough.Platform, gain: float = 40.0, fails: tuple[int, ...] = ()
    ) -> None:
        self.inner = Decentralized.from_bandwidth(machine, bandwidth=40.0)
        self.gain, self.fails = gain, fails

    def init(self, runs: int) -> Memory:
        return {"offset": np.zeros((runs, 6)), "count": np.zeros(runs, dtype=np.int64)}

    def update(
        self, t: float, measurement: Measurement, reference: Reference, memory: Memory
    ) -> tuple[Array, Memory]:
        error = reference.length - measurement.length
        memory["offset"] += self.gain * error  # in place: what a refused call did must not count
        memory["count"] += 1
        off = np.abs(error).max(axis=1)
        if any(off[run] > 1e-9 and memory["count"][run] > 5 for run in self.fails):
            raise gough.InfeasibleError("too far")
        return self.inner(t, measurement, reference) + memory["offset"], memory


class Hidden(Learning):
    """The same law, its memory kept where it must not be: in the object."""

    hidden: Memory | None = None

    def update(
        self, t: float, measurement: Measurement, reference: Reference, memory: Memory
    ) -> tuple[Array, Memory]:
        before = self.hidden or super().init(len(measurement.length))
        command, self.hidden = super().update(t, measurement, reference, before)
        return command, memory

    def __reduce_ex__(self, protocol: object) -> tuple[object, ...]:
        return (type(self), (self.gain,))


@pytest.fixture(scope="module")
def machine() -> gough.Platform:
    return gough.load("motion-base-1500")


def run(machine: gough.Platform, controller: object, **more: object) -> Dataset:
    path = gough.trajectory.harmonic(
        ((0, 0, 1.15), (0, 0, 0)), [0.02, 0, 0.03, 0.02, 0, 0], 0.5, duration=10.0
    )
    options = {"duration": 1.2, "output": 4e-3, "sampling": Sampling(delay=2e-3), "reference": path}
    return gough.simulate(machine, path(0.0), controller=controller, **{**options, **more})  # type: ignore[arg-type]


def same(a: Dataset, b: Dataset) -> bool:
    return all(np.array_equal(a[n].values, b[n].values, equal_nan=True) for n in a.data_vars)


@pytest.mark.parametrize(("law", "resumes"), [(Learning, True), (Hidden, False)])
def test_a_resumed_run_is_the_same(
    machine: gough.Platform, tmp_path: Path, law: type[Learning], resumes: bool
) -> None:
    """Any number of finished pieces; a law that hides its memory (the planted error) is caught by the same test."""
    whole, folder = run(machine, law(machine)), tmp_path / "run"
    run(machine, law(machine), checkpoint=folder)
    pieces = sorted(folder.glob("piece-*.npz"))
    assert len(pieces) == 3
    for last in (2, 1):
        pieces[last].unlink()
        again = run(machine, law(machine), checkpoint=folder, resume=True)
        assert same(again, whole) == resumes


def test_the_memory_decides(machine: gough.Platform) -> None:
    learned, plain = run(machine, Learning(machine)), run(machine, Learning(machine, gain=0.0))
    error = [
        np.abs(r.length.values - r.length.values[0]).max() for r in (learned, plain)
    ]  # both follow
    assert min(error) > 1e-3
    assert not same(learned, plain)
    inner = Learning(machine).inner
    assert same(plain, run(machine, lambda t, seen, wanted: inner(t, seen, wanted)))


def batch(machine: gough.Platform, runs: int) -> gough.Pose:
    home = machine.require_home()
    shift = 0.01 * np.arange(runs)[:, None] * np.array([1.0, 0.0, 0.0])
    return gough.Pose(home.position + shift, np.broadcast_to(home.rotation, (runs, 3, 3)))


@pytest.fixture
def loops(monkeypatch: pytest.MonkeyPatch) -> list[ControlLoop]:
    """The loops of the runs that a test makes."""
    found: list[ControlLoop] = []
    attach = Job.__setattr__

    def watched(job: Job, name: str, value: object) -> None:
        if name == "loop" and isinstance(value, ControlLoop):
            found.append(value)
        attach(job, name, value)

    monkeypatch.setattr(Job, "__setattr__", watched)
    return found


def test_runs_that_fail_end_alone_and_keep_their_memory(
    machine: gough.Platform, loops: list[ControlLoop]
) -> None:
    home, start = machine.require_home(), batch(machine, 5)
    options = {"duration": 0.04, "drives": False, "reactions": False, "reference": home}
    found = gough.simulate(machine, start, controller=Learning(machine, fails=(1, 4)), **options)
    calm = gough.simulate(machine, start, controller=Learning(machine), **options)
    ended = ["too far" in str(s) for s in found.status.values]
    assert ended == [run in (1, 4) for run in range(5)]
    kept = [0, 2, 3]
    np.testing.assert_array_equal(found.length.values[kept], calm.length.values[kept])
    told, whole = (loop.memory for loop in loops)
    assert told[f"{OWN}count"].tolist() == [40, 5, 40, 40, 5]
    np.testing.assert_array_equal(told[f"{OWN}offset"][kept], whole[f"{OWN}offset"][kept])


def test_runs_that_have_ended_are_known_when_a_batch_is_resumed(
    machine: gough.Platform,
    loops: list[ControlLoop],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """One run of three ends in the first piece; its memory stays as it was, whatever piece the others go on from."""
    monkeypatch.setattr(fixed_run, "CHUNK", 16)
    options = {"duration": 0.04, "drives": False, "reactions": False, "checkpoint": tmp_path}
    options |= {"reference": machine.require_home()}

    def play(**more: object) -> Dataset:
        law = Learning(machine, fails=(1,))
        return gough.simulate(machine, batch(machine, 3), controller=law, **options, **more)  # type: ignore[arg-type]

    whole = play()
    pieces = sorted(tmp_path.glob("piece-*.npz"))
    assert len(pieces) == 3
    for last in (2, 1):
        for piece in pieces[last:]:
            piece.unlink()
        assert play(resume=True).identical(whole)
    assert len(loops) == 3
    for loop in loops:
        assert loop.memory[f"{OWN}count"].tolist() == [40, 5, 40]
        for name, value in loops[0].memory.items():
            np.testing.assert_array_equal(loop.memory[name], value)


def test_a_run_learns_the_same_alone_and_in_a_batch(machine: gough.Platform) -> None:
    options = {"duration": 0.1, "reactions": False, "reference": machine.require_home()}
    start = batch(machine, 3)
    together = gough.simulate(machine, start, controller=Learning(machine), **options)
    for i in range(3):
        alone = gough.simulate(machine, start[i], controller=Learning(machine), **options)
        np.testing.assert_array_equal(together.position.values[i], alone.position.values)


def changed(name: str, value: object) -> type[Learning]:
    class Changed(Learning):
        def update(self, *given: object) -> tuple[Array, Memory]:
            command, memory = super().update(*given)  # type: ignore[arg-type]
            return command, {**memory, name: value}  # type: ignore[dict-item]

    return Changed


def starting(value: object) -> type[Learning]:
    class Starting(Learning):
        def init(self, runs: int) -> Memory:
            return {"offset": value}  # type: ignore[dict-item]

    return Starting


@pytest.mark.parametrize(
    ("law", "words"),
    [
        (changed("offset", np.zeros(6)), r"offset: \(6,\) float64.*must stay \(1, 6\) float64"),
        (changed("count", np.zeros(1)), "count: .*must stay .*int64"),
        (changed("more", np.zeros(1)), "more: .*must stay nothing"),
        (starting(np.zeros(6)), r"controller.init.*offset: shape \(6,\)"),
        (starting(np.array([None])), "controller.init.*object"),
        (starting(0.0), "controller.init.*shape"),
    ],
)
def test_a_memory_that_changes_its_form_is_refused(
    machine: gough.Platform, law: type[Learning], words: str
) -> None:
    with pytest.raises(gough.InputError, match=words):
        run(machine, law(machine), duration=0.02)


def test_an_object_that_is_no_controller_is_refused(machine: gough.Platform) -> None:
    with pytest.raises(gough.InputError, match="init and update"):
        gough.simulate(machine, machine.require_home(), duration=0.01, controller=3)  # type: ignore[arg-type]
