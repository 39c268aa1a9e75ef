"""One run in every form of the text for the card: however legs are shared, whoever holds the numbers, however exact.

The text is compiled by g++ as in test_cuda_runs.py; here its forms are held against each other, without any kernel of
the CPU.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from gough.checks import Array
from gough.equations.kinds import PULLING
from gough.equations.machine import ANGULAR
from gough.simulation import Evenly, Springs, cuda_kernel, leg_law, varied
from gough.simulation.closed_kernels import WOUND
from gough.simulation.cuda_kernel import Kernel, advance
from gough.simulation.cuda_legs import (
    FEW,
    LANES,
    fitted,
    numbers_of_legs,
    outputs_of,
    own_blocks,
    stage_cut,
)
from gough.simulation.cuda_text import _loop_numbers, module, step_numbers
from gough.simulation.cuda_writer import THREADS, Form
from gough.simulation.programs import LEGS, METHODS, moving_layout, stage_layout, state_layout
from gough.simulation.state import Rows
from oracles.card_on_cpu import COMPILER, Made, played
from oracles.device_cases import spread

MACHINE = gough.load("motion-base-1500")
UPS = ("ups",) * 6
RUNS, STEPS, EVERY = 3, 6, 2
needs_compiler = pytest.mark.skipif(
    COMPILER is None, reason="NO C++ COMPILER: the CUDA text of runs was not compiled"
)


@pytest.fixture
def card(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Made]:
    with played(monkeypatch, tmp_path, (cuda_kernel,), cuda_kernel._compiled) as made:
        yield made


def laws() -> Array:
    """Drives, and springs that differ from leg to leg."""
    rest = gough.inverse_kinematics(MACHINE, MACHINE.require_home()).length
    return leg_law.leg_laws(MACHINE, Springs(1e3 * np.arange(1.0, 7.0), rest, 50.0), True, 1)


def machines() -> tuple[gough.Platform, ...]:
    return varied(MACHINE, {"body.mass": Evenly(0.5, 2.0, relative=True)}, RUNS, seed=3)


def advanced(form: Form, law: Array, par: Array) -> tuple[Array, Array]:
    """States recorded on the way and at the end, under efforts and a wrench that change within the steps."""
    rows = Rows(MACHINE, False, form.laws)
    X = np.array(rows.start(spread(MACHINE, 0.2, RUNS).motion, None))
    kernel = Kernel(form)
    kernel.hold(par, law)
    rng = np.random.default_rng(4)
    hold = gough.inverse_dynamics(MACHINE, MACHINE.require_home()).force[:, None]
    effort = hold * (1.0 + 0.3 * rng.standard_normal((3 * STEPS, 6, RUNS)))
    wrench = 200.0 * rng.standard_normal((3 * STEPS, 6, 1))
    out, bad = advance(kernel, X, STEPS, EVERY, 1e-3, effort=effort, external=wrench)
    assert (bad == -1).all()
    np.testing.assert_array_equal(out[-1], X)
    return out, X


def relative(found: Array, wanted: Array) -> float:
    scale = np.abs(wanted).max(axis=(0, 2), keepdims=True) + 1e-6
    return float((np.abs(found - wanted) / scale).max())


@needs_compiler
@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
@pytest.mark.parametrize("acting", [True, False], ids=["laws", "bare"])
def test_legs_one_after_another_or_on_lanes_are_the_legs_as_one_program(
    card: Made, acting: bool, lanes: int
) -> None:
    card()
    law = laws()
    form = Form("rk4", UPS, leg_law.in_use(law) if acting else (), watched=False)
    par = Rows(MACHINE, False, form.laws).par
    wanted, found = (advanced(replace(form, lanes=k), law, par)[0] for k in (0, lanes))
    assert wanted.shape[0] == STEPS // EVERY
    assert relative(found, wanted) < 1e-11
    assert np.ptp(wanted, axis=0).max() > 0.0


@needs_compiler
@pytest.mark.parametrize("lanes", [0, 2])
def test_machines_of_their_own_run_as_each_alone(card: Made, lanes: int) -> None:
    card()
    law = laws()
    form = Form("rk4", UPS, leg_law.in_use(law), watched=False, lanes=lanes)
    own = [Rows(machine, False, form.laws).par for machine in machines()]
    several = np.repeat(law, RUNS, axis=2)
    several[0, :, 1] *= 2.0
    found = advanced(replace(form, machines=True), several, np.array(own))[0]
    for i, par in enumerate(own):
        alone = advanced(form, several[:, :, i : i + 1], par)[0]
        assert relative(found[..., i : i + 1], alone[..., i : i + 1]) < 1e-12
    assert np.abs(found[..., 0] - found[..., 2]).max() > 1e-6


@needs_compiler
@pytest.mark.parametrize("several", [False, True], ids=["one machine", "a machine each"])
@pytest.mark.parametrize("lanes", [0, 2])
def test_stages_in_single_precision_are_good_to_six_digits(
    card: Made, lanes: int, several: bool
) -> None:
    """However the legs are shared: by more than rounding of double precision, and by no more than that of single."""
    card()
    law = np.zeros_like(laws())
    form = Form("rk4", UPS, (), watched=False, lanes=lanes, machines=several)
    own = np.array([Rows(machine, False, ()).par for machine in machines()])
    par = own if several else own[0]
    wanted, found = (advanced(replace(form, single=s), law, par)[0] for s in (False, True))
    assert 1e-13 < relative(found, wanted) < 1e-5


def test_so_many_threads_as_are_worth_it() -> None:
    """Lanes up to FEW runs; beyond one thread, whose legs follow each other unless it computes in single precision;
    legs that differ have no program of one leg."""
    form, single = Form("rk4", UPS), Form("rk4", UPS, single=True)
    assert [fitted(form, n).lanes for n in (1, FEW, FEW + 1)] == [LANES, LANES, 1]
    assert [fitted(single, n).lanes for n in (1, FEW, FEW + 1)] == [LANES, LANES, 0]
    mixed = Form("rk4", ("ups", "rus", "rus", "ups", "rus", "rus"))
    assert fitted(mixed, 1) == mixed
    assert LANES & (LANES - 1) == 0, "sums over lanes go by powers of two"
    assert THREADS % 32 == 0, "blocks are whole warps, so that the lanes of a run lie in one"
    assert FEW * LANES % THREADS == 0


@pytest.mark.parametrize("method", METHODS)
def test_outputs_that_a_kernel_reads(method: str) -> None:
    """Rates; where laws act an anchor of each leg; where limits are looked at the excess of each command too."""
    acting = leg_law.in_use(laws())
    for given, watched, more in (
        ((), True, 0),
        ((), False, 0),
        (acting, True, 12),
        (acting, False, 6),
    ):
        moving = moving_layout(METHODS[method], UPS, given).size
        assert outputs_of(Form(method, UPS, given, watched=watched)) == moving + more


def test_blocks_that_hold_a_number_for_each_leg() -> None:
    acting = leg_law.in_use(laws())
    names = stage_layout(METHODS["rk4"], UPS, acting).names
    found = own_blocks("rk4", UPS, acting)
    assert set(found) == {"effort", "anchor", "load"}
    assert not {"position", "rotation", "velocity", "step", "external"} & set(found)
    assert [n for n in names if n in found] == list(found)
    assert own_blocks("rk4", UPS, ()) == ("effort",)
    cut = stage_cut("rk4", UPS, (), 18)
    assert cut is not None
    assert stage_cut("rk4", ("ups", *("rus",) * 5), (), 18) is None


def test_a_leg_reads_the_numbers_of_its_own() -> None:
    """Those all legs share, its rows of the machine's and its column of the laws'; wide where either is."""
    par = Rows(MACHINE, False, ()).par
    law = np.arange(12.0).reshape(12, 1)  # two rows of a law by six legs
    for n, m in ((1, 1), (1, 2), (2, 1), (2, 2)):
        wide = np.repeat(par[:, None], n, axis=1) * np.arange(1.0, n + 1)
        found = numbers_of_legs(UPS, wide, np.repeat(law, m, axis=1))
        assert list(found) == [f"leg {k}" for k in range(6)]
        shared = len(found["leg 0"]) - 2
        head = (6 * shared - len(par)) // 5  # numbers before those of the legs
        each = shared - head
        for leg in range(6):
            own = found[f"leg {leg}"]
            assert own.shape == (shared + 2, max(n, m))
            first = head + leg * each
            for run in range(max(n, m)):
                k = min(run, n - 1) + 1.0
                np.testing.assert_array_equal(own[:head, run], k * par[:head])
                np.testing.assert_array_equal(own[head:shared, run], k * par[first : first + each])
                np.testing.assert_array_equal(own[shared:, run], [leg, 6 + leg])


def test_legs_that_turn_and_legs_that_screw_are_told_bit_by_bit() -> None:
    kinds = ("ups", "rus", "ucu_screw", "pus", "rus", "ucu_screw_upper")
    found = _loop_numbers(Form("rk4", kinds))
    for leg, kind in enumerate(kinds):
        assert found["angular"] >> leg & 1 == (kind in ANGULAR)
        assert found["screws"] >> leg & 1 == (kind in PULLING)
    assert found["angular"] < 64
    assert found["screws"] < 64
    assert found["angular"] > 0
    assert found["screws"] > 0
    assert found["legs_rows"] == 12 + 12
    assert {found["share"], found["lead"]} == {12 + WOUND.at("share"), 12 + WOUND.at("lead")}
    assert found["turn"] == repr(2 * np.pi)
    plain = _loop_numbers(Form("rk4", UPS))
    assert (plain["angular"], plain["screws"], plain["legs_rows"]) == (0, 0, 12)


def test_an_encoder_on_the_motor_reads_the_drive_and_not_the_leg() -> None:
    """Coordinates and rates of the drives are rows of the state; without it all twelve are computed."""
    acting, law = ("drive", "series"), ("decentralized", UPS)
    state = state_layout(UPS, acting)
    texts = {
        on: module(Form("rk4", UPS, acting, law, encoder=on, watched=False)).text
        for on in (True, False)
    }
    first = state.at("drive_coordinate")
    for k in range(LEGS.size):
        line = f"G[{k}] = X[{first + k}];"
        assert line in texts[True]
        assert line not in texts[False]
        assert f"G[{k}] = " in texts[False]


def test_a_method_is_told_by_its_stages() -> None:
    for name, method in METHODS.items():
        found: dict[str, Any] = step_numbers(Form(name, UPS))
        assert found["stages"] == len(method.nodes)
        assert [float(x) for x in found["weights"].split(",")] == list(method.weights)
        assert [float(x) for x in found["nodes"].split(",")] == [*method.nodes[1:], 0.0]
        assert [int(x) for x in found["samples"].split(",")] == [int(2 * x) for x in method.nodes]
        assert found["charted"] - found["moving"] == method.held.size
        assert (found["per_step"], found["real"], found["first"]) == (3, "double", "")
        held = step_numbers(Form(name, UPS, held=True, lanes=2, single=True))
        assert (held["per_step"], held["sample"]) == (1, "step")
        assert held["real"] == "float"
        assert "lane == 0" in held["first"]
        assert "lane" not in step_numbers(Form(name, UPS, lanes=1))["first"]
