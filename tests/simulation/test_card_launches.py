"""Launches for the card, on arrays of NumPy: parts that fit, threads that are enough, marks that come back."""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gough
from gough.checks import Array
from gough.control import Sampling
from gough.engines.tracer import record
from gough.layout import Layout
from gough.simulation import card_rollout, cuda_kernel
from gough.simulation.card_rollout import CardSteps
from gough.simulation.cuda_kernel import HOST_MARKS, Kernel, _Marks, _parts, some, there, whole
from gough.simulation.cuda_legs import fitted, outputs_of, stage_cut
from gough.simulation.cuda_writer import THREADS, Form, Module, Writer, at, by_blocks
from gough.simulation.device import ENGINES, check_engine, refuse_loop_on_device
from gough.simulation.watch import MARKS, NUMBERS, SLOTS

UPS = ("ups",) * 6


@pytest.fixture
def card(monkeypatch: pytest.MonkeyPatch) -> Any:
    found = SimpleNamespace(
        empty=np.empty, zeros=np.zeros, asnumpy=np.array, asarray=lambda a, dtype=None: np.array(a)
    )
    for module in (card_rollout, cuda_kernel):
        monkeypatch.setattr(module, "cupy", lambda: found)
    return found


@pytest.mark.parametrize("every", [1, 3])
@pytest.mark.parametrize("parameters", [True, False])
def test_slopes_of_as_many_runs_as_fit_go_back_together(
    card: Any, every: int, parameters: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """States and their weights, loads and their slopes, states between records and the machine's numbers, 8 bytes each:
    room for three and a half runs is room for three."""
    steps, rows, n, numbers = 6, 18, 8, 11
    records = steps // every + 1
    each = 2 * records * rows + 3 * 6 * steps + (every * rows if every > 1 else 0) + numbers
    monkeypatch.setattr(card_rollout, "MEMORY", 8.0 * each * 3.5)
    launched: list[tuple[int, Any]] = []

    class Fake:
        def launch(self, m: int, given: tuple[Any, ...]) -> None:
            launched.append((m, given))
            states = given[4]
            between, to_push, to_wrench, to_start, to_par = given[12:]
            assert between.shape == (every if every > 1 else 0, rows, m)
            to_push[:], to_wrench[:] = states[0, 0], 10.0 + states[0, 0]
            to_start[:], to_par[:] = 20.0 + states[0, 0], 30.0 + states[0, 0]

    asked: list[Any] = []

    def kernel(self: Any, par: Array, runs: int, back: bool | None = None) -> Any:
        asked.append((runs, back))
        return Fake()

    monkeypatch.setattr(CardSteps, "kernel", kernel)
    states = np.ones((records, rows, n)) * np.arange(float(n))
    given = states, np.zeros((steps, 6, n)), np.zeros((1, 6, 1)), states
    card_steps = CardSteps("rk4", UPS, 1e-3, every)
    found = card_steps.pull(np.zeros(numbers), *given, parameters)
    assert [m for m, _ in launched] == [3, 3, 2]
    assert asked == [(n, parameters)]
    wanted = [(steps, 6), (steps, 6), (rows,), (numbers if parameters else 0,)]
    for k, (got, shape) in enumerate(zip(found, wanted, strict=True)):
        assert got.shape == (*shape, n)
        np.testing.assert_array_equal(got, np.broadcast_to(10.0 * k + np.arange(n), got.shape))
    monkeypatch.setattr(card_rollout, "MEMORY", 1.0)
    launched.clear()
    card_steps.pull(np.zeros(numbers), *given, parameters)
    assert [m for m, _ in launched] == [1] * n
    monkeypatch.setattr(card_rollout, "MEMORY", 1e30)
    monkeypatch.setattr(card_rollout, "PART", 5)
    launched.clear()
    card_steps.pull(np.zeros(numbers), *given, parameters)
    assert [m for m, _ in launched] == [5, 3]


@pytest.mark.parametrize("lanes", [0, 1, 2, 8])
@pytest.mark.parametrize("runs", [1, 32, 33, 64, 65, 1000])
def test_as_many_blocks_of_threads_as_all_runs_need(runs: int, lanes: int) -> None:
    made: Any = Kernel.__new__(Kernel)
    made.form = Form("rk4", UPS, lanes=lanes)
    launched: list[Any] = []
    made.memory = SimpleNamespace(holding=lambda owner, shared: nullcontext())
    made._owner, made._shared = None, {}
    made.function = lambda grid, block, given: launched.append((grid, block, given))
    made.launch(runs, ("a",))
    (((blocks,), (threads,), given),) = launched
    need = runs * max(lanes, 1)
    assert threads == THREADS
    assert (blocks - 1) * threads < need <= blocks * threads
    assert given == ("a",)


def test_runs_go_in_parts_each_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda_kernel, "PART", 4)
    assert list(_parts(9)) == [slice(0, 4), slice(4, 8), slice(8, 9)]
    assert list(_parts(4)) == [slice(0, 4)]
    assert list(_parts(1)) == [slice(0, 1)]
    assert whole(3, -1) == (3, -1)
    assert all(type(x) is np.int64 for x in whole(3, -1))


def test_numbers_that_are_the_same_for_all_runs_go_as_they_are(card: Any) -> None:
    a = np.arange(12.0).reshape(2, 6, 1)
    assert some(a, slice(2, 5)) is a
    b = np.arange(24.0).reshape(2, 3, 4)
    np.testing.assert_array_equal(some(b, slice(1, 3)), b[..., 1:3])
    assert there(b[..., ::2]).flags.c_contiguous


def test_marks_of_some_runs_go_to_the_card_and_come_back_to_them(card: Any) -> None:
    """All that is kept between calls; slots and the states before them of those runs that used some."""
    n, rows = 5, 7
    rng = np.random.default_rng(0)
    marks = rng.integers(1, 9, size=(MARKS.size, n))
    before = rng.normal(size=(SLOTS, rows, n))
    old, was = marks.copy(), before.copy()
    seen = _Marks(marks, before, slice(1, 4))
    first = MARKS.at("step")
    assert slice(0, first) == HOST_MARKS
    np.testing.assert_array_equal(seen.there[:first], old[:first, 1:4])
    assert not seen.there[first:].any()
    assert seen.there.shape == (MARKS.size, 3)
    assert seen.passed.shape == (SLOTS, rows, 3)
    seen.there[:first] += 100
    seen.there[MARKS.used] = [0, 2, 0]
    seen.there[first:] = 7
    seen.passed[:] = 3.5
    seen.fetch()
    np.testing.assert_array_equal(marks[:, [0, 4]], old[:, [0, 4]])
    np.testing.assert_array_equal(before[..., [0, 1, 3, 4]], was[..., [0, 1, 3, 4]])
    assert (before[:2, :, 2] == 3.5).all()
    np.testing.assert_array_equal(before[2:, :, 2], was[2:, :, 2])
    assert (marks[first:, 2] == 7).all()
    np.testing.assert_array_equal(marks[first:, 1], old[first:, 1])
    np.testing.assert_array_equal(marks[0, 1:4], old[0, 1:4] + 100)
    quiet, still = marks.copy(), before.copy()
    seen = _Marks(marks, before, slice(0, 2))
    seen.there[MARKS.used] = 0
    seen.fetch()
    np.testing.assert_array_equal(before, still)
    np.testing.assert_array_equal(marks[:, 2:], quiet[:, 2:])


def test_a_kernel_holds_the_numbers_of_machine_laws_limits_and_gains() -> None:
    """Each part gets its own rows; wide where one of them is; shared numbers are those of the first column."""
    given: dict[str, Array] = {}
    machine, law = np.arange(4.0), np.arange(24.0).reshape(2, 6, 2)

    def constants(each: dict[str, Array]) -> Array:
        given.update(each)
        return np.array([[1.0, 2.0], [3.0, 4.0]])

    for machines in (True, False):
        made: Any = Kernel.__new__(Kernel)
        made.form = Form("rk4", UPS, machines=machines)
        made.made, made._shared = SimpleNamespace(constants=constants), {}
        limits = np.arange(4.0 + NUMBERS)[None]
        made.hold(machine, law, limits, np.array([5.0, 6.0]))
        np.testing.assert_array_equal(given["machine"], machine[:, None])
        assert given["stage"].shape == (4 + 12, 2)
        np.testing.assert_array_equal(given["stage"][4:], law.reshape(12, 2))
        np.testing.assert_array_equal(given["law"], law.reshape(12, 2))
        np.testing.assert_array_equal(given["limits"][:, 0], np.arange(4.0, 4 + len(given["limits"])))  # fmt: skip
        np.testing.assert_array_equal(given["gains"], [[5.0], [6.0]])
        np.testing.assert_array_equal(made.own, [[1.0, 2.0], [3.0, 4.0]])
        assert ("par" in made._shared) is not machines
        if not machines:
            np.testing.assert_array_equal(made._shared["par"], [1.0, 3.0])
        made.hold(machine, law)
        assert given["gains"].shape == (0, 1)
        assert given["watch"].shape == (4 + NUMBERS, 1)
        assert not given["watch"].any()


def test_parts_of_a_text_follow_each_other() -> None:
    """Each program's numbers begin where those before end; those of a leg are six times as many."""
    writer = Writer()

    def scaled(x: Any, par: Any) -> list[Any]:
        return [x[0] * (par[0] + par[1]), x[1] * par[2]]

    program = record(scaled, {"x": 2, "par": 3})
    first = writer.lines("machine", program, lambda k: f"X[{k}]", lambda k, v: f"Y[{k}] = {v};")
    count = writer.count
    assert count == 2
    assert "NUMBER(0)" in first
    assert "NUMBER(1)" in first
    assert "double" in first
    legs = writer.leg_lines("leg", program, lambda k: f"X[{k}]", lambda k, v: f"Y[{k}] = {v};", True)  # fmt: skip
    assert writer.of_legs == [(2, 2)]
    assert writer.count == 2 + 6 * 2
    assert f"OWN_SINGLE({count} + leg * 2 + 1, 1)" in legs
    assert "float" in legs
    again = writer.leg_lines("leg", program, lambda k: f"X[{k}]", lambda k, v: f"Y[{k}] = {v};")
    assert f"OWN({count + 12} + leg * 2 + 0, 2)" in again
    assert writer.kept("limits", 5) == 26
    assert writer.count == 31
    names = [name for name, _ in writer.parts]
    assert names == ["machine", *2 * [f"leg {k}" for k in range(6)], "limits"]
    numbers = {name: np.array([1.0, 2.0, 5.0]) for name in names[:-1]}
    found = Module("", tuple(writer.parts)).constants({**numbers, "limits": np.arange(5.0)})
    assert found.shape == (31,)
    np.testing.assert_array_equal(np.sort(found[:2]), [3.0, 5.0])
    np.testing.assert_array_equal(found[26:], np.arange(5.0))
    np.testing.assert_array_equal(Module("", ()).constants({}), np.zeros(1))


def test_rows_are_read_by_block_and_place() -> None:
    layout = Layout(a=2, b=1, c=3)
    read = by_blocks(layout, {"a": at("X[{}]", 4), "c": lambda k: f"c{k}"})
    assert [read(k) for k in range(6)] == ["X[4]", "X[5]", "", "c0", "c1", "c2"]


def test_an_engine_that_is_none_is_refused() -> None:
    assert check_engine("native") == "native"
    assert ENGINES == ("native", "cuda")
    with pytest.raises(gough.InputError, match="engine"):
        check_engine("opencl")


def test_laws_with_a_model_are_refused_where_legs_carry_their_spin() -> None:
    """Ideal sampling alone; laws of the legs are served for any legs, others where no spin is part of the state."""
    machine = gough.load("motion-base-1500")
    control = gough.control
    legs = control.Decentralized.from_bandwidth(machine, bandwidth=30.0)
    models = control.ComputedForce(machine, 30.0), control.FeedForward(machine, 30.0)
    refuse_loop_on_device(legs, Sampling(), False)
    refuse_loop_on_device(legs, Sampling(), True)
    for law in models:
        refuse_loop_on_device(law, Sampling(), False)
        with pytest.raises(gough.InputError, match=r"controller: .*asked in Python"):
            refuse_loop_on_device(law, Sampling(), True)
    for spins in (False, True):
        with pytest.raises(gough.InputError, match="controller"):
            refuse_loop_on_device(lambda *_: None, Sampling(), spins)
    for sampling in (Sampling(delay=1e-3), Sampling(noise=1e-6), Sampling(velocity="observed")):
        with pytest.raises(gough.InputError, match="sampling"):
            refuse_loop_on_device(legs, sampling, False)


@pytest.mark.parametrize("kind", ["ups", "rus", "pus", "sps"])
def test_like_legs_of_any_kind_have_a_program_of_one_leg(kind: str) -> None:
    """With laws and without: each finds its own rows of the machine's numbers and of the laws'."""
    for laws in ((), ("drive", "gear", "stops")):
        form = Form("semi-implicit", (kind,) * 6, laws, watched=False)
        assert stage_cut(form.method, form.kinds, laws, outputs_of(form)) is not None
        assert fitted(form, 1).lanes > 1
