"""The same run by two ways through the code: forces of time and forces of time and motion, steps and runs; and what a
run is known by, what it needs, what it shows."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gough
from gough.engines.tracer import Program
from gough.layout import LEG_LAW
from gough.simulation import Brake, Simulator, leg_law
from gough.simulation import run as running
from gough.simulation.closed_kernels import law_program
from gough.simulation.closed_laws import CONTROL, LAWS, REFERENCE
from gough.simulation.cuda_text import module
from gough.simulation.cuda_writer import Form
from gough.simulation.fixed_run import DIVERGED, LOST, FixedRun
from gough.simulation.identity import identity
from gough.simulation.lookout import Seen
from gough.simulation.programs import BLOCK, LANES, WIDTH, width_of

MACHINE = gough.load("motion-base-1500")
HOME = MACHINE.require_home()
UPS = ("ups",) * 6


@pytest.mark.parametrize("push", [1e25, -1e25, 1e13, -1e13])
def test_a_run_that_diverges_ends_at_the_same_instant_whoever_is_asked(push: float) -> None:
    """Efforts beyond any machine from t = 4.5 ms on, as a function of time and as one of time and motion."""

    def wild(t: float) -> Any:
        return np.full(6, push if t > 4.2e-3 else 0.0)

    given: dict[str, Any] = {"duration": 0.01, "drives": False}
    alone = gough.simulate(MACHINE, HOME, force=wild, **given)
    asked = gough.simulate(MACHINE, HOME, force=lambda t, motion: wild(t), **given)
    assert alone.attrs["end_time"] == pytest.approx(4e-3)
    assert asked.attrs["end_time"] == pytest.approx(alone.attrs["end_time"])
    assert asked.attrs["status"] == alone.attrs["status"]
    there = np.isfinite(alone.position.values)
    assert (there == np.isfinite(asked.position.values)).all()
    assert there[:5].all()
    assert not there[5:].any()


@pytest.mark.parametrize(
    ("states", "start", "kinds", "said"),
    [
        ([1.0, 2.0, np.nan], 5.0, ("rus",) * 6, LOST),
        ([1.0, 2e3, np.nan], 5.0, ("rus",) * 6, DIVERGED),
        ([2e3, 1.0, np.nan], 5.0, ("rus",) * 6, LOST),
        ([np.nan], 5.0, ("rus",) * 6, LOST),
        ([np.nan], 2e3, ("rus",) * 6, DIVERGED),
        ([], 5.0, ("pus",) * 6, LOST),
        ([1.0, np.nan], 5.0, UPS, DIVERGED),
        ([1.0, np.nan], 5.0, ("ups", "ups", "rus", "ups", "ups", "ups"), LOST),
        ([1.0, np.nan], 5.0, ("ups", "rus_offset", "ups", "ups", "ups", "ups"), LOST),
    ],
)
def test_what_ended_a_run_is_read_off_its_last_state_that_stands(
    states: list[float], start: float, kinds: tuple[str, ...], said: tuple[str, str]
) -> None:
    """Legs that are carried may leave their reach from a quiet state; all else has grown beyond any bound."""
    rows = SimpleNamespace(kinds=kinds, platform=MACHINE)
    X = np.full((30, 2), start)
    kept = np.full((5, 30, 2), 1e9)  # of another run, and records that are not filled
    kept[: len(states), :, 1] = np.array(states)[:, None]
    made: Any = SimpleNamespace(
        kept={"state": kept}, count=len(states), job=SimpleNamespace(rows=rows, X=X)
    )
    assert FixedRun._why(made, 1) == said


def test_memory_is_asked_for_as_many_records_as_there_will_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[tuple[Any, ...]] = []
    monkeypatch.setattr(running, "check_memory", lambda *given: asked.append(given))
    given: dict[str, Any] = {"duration": 6e-3, "drives": False}
    for output, reactions in ((None, None), (2e-3, False), (6e-3, True)):
        ds = gough.simulate(MACHINE, HOME, output=output, reactions=reactions, **given)
        records, runs, rows, samples, told = asked.pop()
        assert (records, runs, samples) == (ds.sizes["time"], 1, 0)
        assert rows == 18
        assert told is (reactions is not False)
    path = gough.trajectory.quintic(HOME, HOME, duration=0.01)
    control = gough.control.ComputedForce(MACHINE, 20.0)
    gough.simulate(MACHINE, HOME, controller=control, reference=path, **given)
    assert asked.pop()[3] == 6  # a sample of the reference at each step
    gough.simulate(MACHINE, HOME, controller=control, reference=HOME, **given)
    assert asked.pop()[3] == 0
    asked.clear()
    gough.simulate(MACHINE, HOME, integrator="hht", **given)
    assert asked[0] == (6, 1, running.BODIES, 0, True)


def test_what_is_observed_cannot_be_written_to_and_stays() -> None:
    simulator = Simulator(MACHINE, drives=False)
    seen = simulator.observe()
    for name in ("position", "rotation", "velocity", "angular_velocity", "length", "rate"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(seen, name)[0] = 1.0
    assert seen.length.shape == seen.rate.shape == (6,)
    before = seen.position.copy()
    simulator.step(np.zeros(6))
    np.testing.assert_array_equal(seen.position, before)
    legs = gough.inverse_kinematics(MACHINE, simulator.observe().motion)
    np.testing.assert_allclose(simulator.observe().length, legs.length, rtol=1e-12)
    np.testing.assert_allclose(simulator.observe().rate, legs.rate, atol=1e-12)


def a_class(gain: float, method: Any, hidden: float = 0.0) -> Any:
    body = {"gain": gain, "_hidden": hidden, "__call__": method, "__module__": "somebody"}
    return type("Law", (), body)


def test_a_class_is_known_by_its_methods_and_its_fields() -> None:
    """Not by what Python itself writes into it."""

    def one(self: Any) -> float:
        return 1.0

    def two(self: Any) -> float:
        return 2.0

    same = identity({"x": a_class(1.0, one)})
    assert identity({"x": a_class(1.0, one)}) == same
    assert identity({"x": a_class(2.0, one)}) != same
    assert identity({"x": a_class(1.0, two)}) != same
    assert identity({"x": a_class(1.0, one, 3.0)}) != same
    told = a_class(1.0, one)
    told.__doc__ = "Another sentence about it."
    assert identity({"x": told}) == same
    assert identity({"y": a_class(1.0, one)}) != same


def test_a_brake_holds_a_sixth_of_the_body_for_each_leg(monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[Any] = []
    monkeypatch.setattr(leg_law.brake, "close", lambda *given: closed.append(given[1:]))
    law = leg_law.leg_laws(MACHINE, None, True, 1)
    leg_law.apply_fault(MACHINE, law, Brake(0.0, 500.0, (1, 4)))
    share = MACHINE.body.mass / 6
    assert closed == [
        (MACHINE.legs[1], pytest.approx(share), 500.0),
        (MACHINE.legs[4], pytest.approx(share), 500.0),
    ]


def read(program: Program, code: str) -> set[int]:
    return {at.a for at in program.operations if at.code == code}


@pytest.mark.parametrize("name", LAWS)
def test_a_law_reads_the_machine_and_the_turn_only_where_it_says_so(name: str) -> None:
    program, law = law_program(name, UPS, 1).program, LAWS[name]
    first = program.sizes["par"] - law.gains.size
    assert any(k < first for k in read(program, "par")) is law.model
    assert set(range(first, first + law.gains.size)) <= read(program, "par")
    rows = read(program, "x")
    assert bool(rows & set(range(CONTROL.size)[CONTROL.turn])) is law.turns
    assert len(program.outputs) == 7


def test_rows_of_references_and_laws() -> None:
    assert [w for n, w in REFERENCE.blocks() if n.startswith("leg") or n == "ahead"] == [6] * 4
    assert CONTROL.size == 3 * 6 + 18 + REFERENCE.size + 3
    for law in LAWS.values():
        assert all(w in (1, 6) for _, w in law.gains.blocks())
        assert all(w == 6 for n, w in law.gains.blocks() if n in ("load", "mass", "offset", "ki"))


def test_blocks_of_runs_are_whole_lines_of_the_cache_and_no_power_of_two_apart() -> None:
    assert WIDTH > BLOCK
    assert WIDTH * 8 % 64 == 0
    assert WIDTH & (WIDTH - 1)
    assert WIDTH - BLOCK < BLOCK
    assert BLOCK % LANES == 0
    assert (width_of(1), width_of(LANES)) == (1, WIDTH)


def test_lanes_of_a_machine_for_all_read_their_legs_side_by_side() -> None:
    """From shared memory, where the lanes of a run find their numbers beside each other; with a machine each, from the
    rows of the run."""
    for lanes, machines, place in ((2, False, "OF_LEG["), (2, True, "NUMBER(k)"), (1, False, "NUMBER(k)")):  # fmt: skip
        text = module(Form("rk4", UPS, watched=False, lanes=lanes, machines=machines)).text
        assert f"#define OWN(k, place) {place}" in text
        assert ("__shared__ double OF_LEG[" in text) is (place == "OF_LEG[")
        assert ("own[(k) * n + i]" in text) is machines


def test_a_command_that_a_drive_cuts_is_beyond_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rates of the legs, or of the drives behind their springs; the law of each run."""
    rates: list[Any] = []

    def given(law: Any, u: Any, rate: Any) -> Any:
        rates.append(rate)
        return np.clip(u, -3.0, 3.0)

    monkeypatch.setattr(leg_law, "motor_force", given)
    command = np.arange(12.0).reshape(2, 6, 1)
    states = np.zeros((3, 30, 2))
    states[:, 20:26] = np.arange(3.0)[:, None, None]
    for series in (True, False):
        layout: Any = SimpleNamespace(
            names=("drive_rate",) if series else (), drive_rate=slice(20, 26)
        )
        rows: Any = SimpleNamespace(
            laws=("drive",), layout=layout, legs=lambda X: (None, np.full((2, 6), 7.0))
        )
        rates.clear()
        law = np.zeros((LEG_LAW.size, 6, 1))
        seen = Seen.of(rows, states, command, np.array([0.1, 0.1]), law)
        wanted = np.where(command > 3.0, 1.0, -1.0)
        np.testing.assert_array_equal(seen.excess, np.broadcast_to(wanted, (2, 6, 2)))
        for k in range(2):
            np.testing.assert_array_equal(rates[k], np.full((6, 2), float(k) if series else 7.0))
