"""Rollouts on the GPU: the generated text, compiled for the CPU, against the compiled kernels; planted errors; and the
same on a card where there is one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from gough.equations.machine import offsets
from gough.simulation import card_rollout, cuda_kernel, device, device_runs, rollout
from gough.simulation.cuda_rollout import back_cut, pull_module
from gough.simulation.cuda_writer import Form
from gough.simulation.differentiable import Rollout
from oracles.card_on_cpu import COMPILER, Made, no_card, played
from oracles.device_cases import CASES
from oracles.machines import case

CLOSE = 1e-10
needs_compiler = pytest.mark.skipif(
    COMPILER is None, reason="NO C++ COMPILER: the CUDA text of rollouts was not compiled"
)


@pytest.fixture
def card(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Made]:
    modules = cuda_kernel, device, card_rollout, device_runs
    with played(monkeypatch, tmp_path, modules, cuda_kernel._compiled) as made:
        yield made


def runs(name: str, method: str, steps: int, every: int, count: int = 3) -> list[Rollout]:
    """The same rollouts on both engines: `count` of a preset from home, two of a random machine from anywhere."""
    rng, spin = np.random.default_rng(0), None
    if name in gough.presets():
        platform, h = gough.load(name), 1e-3
        home = platform.require_home()
        rotation = np.repeat(home.rotation[None], count, axis=0)
        state = gough.Motion(np.repeat(home.position[None], count, axis=0), rotation)
        hold = np.repeat(gough.inverse_dynamics(platform, home).force[None], count, axis=0)
    else:
        c = case(name, seed=6, states=2)
        platform, state, h = c.platform, c.motion, 1e-4
        spin = gough.Spin(c.spin_angle, c.spin_rate) if c.needs_spin else None
        hold = gough.inverse_dynamics(platform, state, spin=spin).force
    push = hold * (1.0 + 0.05 * rng.normal(size=(steps, *hold.shape)))
    given: dict[str, Any] = {"step": h, "every": every, "integrator": method, "spin": spin}
    wrench = np.linspace(-10.0, 20.0, 6)
    return [
        rollout(platform, state, push, external=wrench, engine=engine, **given)
        for engine in device.ENGINES
    ]


def misfit(name: str, method: str = "rk4", steps: int = 8, every: int = 4, count: int = 3) -> float:
    """Largest difference of states and of slopes, relative to the largest number of each kind; of the slow ones with
    slopes over the machine alone, whose kernels other tests compile too."""
    wanted, found = runs(name, method, steps, every, count)
    rng, worst = np.random.default_rng(1), relative(found.rows, wanted.rows)
    names = ["position", "rotation", "velocity", "angular_velocity"]
    weights: dict[str, Any] = {n: rng.normal(size=getattr(wanted, n).shape) for n in names}
    if wanted.spin is not None:
        weights["spin_rate"] = rng.normal(size=wanted.spin.rate.shape)
    for parameters in (True,) if steps < 8 else (False, True):
        a, b = (run.slopes(**weights, parameters=parameters) for run in (wanted, found))
        each = ("effort", "external", "rows", *(["parameters"] if parameters else []))
        worst = max([worst, *(relative(getattr(b, n), getattr(a, n)) for n in each)])
    return worst


def relative(found: np.ndarray, wanted: np.ndarray) -> float:
    return float(np.abs(found - wanted).max() / np.abs(wanted).max())


@needs_compiler
def test_states_and_slopes_of_the_text_are_those_of_the_compiled_kernels(
    card: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By legs; with records at every step and with states computed again between them; in parts of one run."""
    found = card()
    assert misfit("motion-base-1500") < 1e-13
    monkeypatch.setattr(card_rollout, "MEMORY", 1.0)
    count = len(found.launched)
    assert misfit("motion-base-1500", every=1) < 1e-13
    assert len(found.launched) == count + 1 + 2 * 3
    assert back_cut("rk4", ("ups",) * 6) is not None


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "method", "count"),
    [("SPS-general", "lie", 2), ("telescope-secondary", "rk4", 1), ("RUS", "semi-implicit", 2)],
)
def test_legs_that_spin_and_links_have_one_program(
    card: Made, name: str, method: str, count: int
) -> None:
    """Legs with inputs of their own beside the effort, and legs that differ, are handed back as a whole."""
    card()
    assert misfit(name, method, steps=4, every=2, count=count) < CLOSE


@pytest.mark.parametrize("lanes", [0, 1])
@pytest.mark.parametrize("method", ["rk4", "lie", "semi-implicit"])
def test_slopes_over_the_machine_are_written_where_they_lie(method: str, lanes: int) -> None:
    """Never outside the array, not at all where they are not asked for; no line adds a zero.  (A stage has rows that no
    slope is kept of: a step's own length.)"""
    kinds = ("ups",) * 6
    for back in (True, False):
        form = Form(method, kinds, watched=False, held=True, lanes=lanes, back=back)
        text = pull_module(form).text
        found = re.findall(r"\bQ\[(-?\d+)(?: \+ (\d+) \* leg)?\] \+= ([^;]*);", text)
        assert len(found) == len(re.findall(r"\bQ\[[^]]*\] \+=", text))
        assert "0.0" not in {value for *_, value in found}
        written = {int(k) + int(row or 0) * leg for k, row, _ in found for leg in range(6)}
        room = [int(size) for size in re.findall(r"double Q\[(\d+)\]", text)]
        assert len(room) == back
        assert written <= set(range(sum(room)))
        assert bool(written) == back
        edges = offsets(kinds)
        head, row = int(edges[0]), int(edges[1] - edges[0])
        for k, by, _ in (
            found if lanes else ()
        ):  # a leg's numbers by its place, others where they are
            assert int(by) == row if by else int(k) < head
            assert not by or head <= int(k) < head + row
        if back:
            assert room == [edges[-1]]


PLANTED = {
    "a later stage is forgotten": ("+ onward * B[k]", "+ 0.0 * B[k]"),
    "the weight of a stage": ("const double share = h *", "const double share = 1.001 * h *"),
    "one leg hands nothing back": ("+= own_slope;", "+= leg < 5 ? own_slope : 0.0;"),
    "records are not added": ("G[k] += slope[(record", "G[k] += 0.0 * slope[(record"),
    "the states between records": ("X[k] = between[(inside", "X[k] = between[(0 * inside"),
}


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize("error", PLANTED)
def test_a_planted_error_is_found(card: Made, error: str) -> None:
    right, wrong = PLANTED[error]
    changed: list[bool] = []

    def change(text: str) -> str:
        changed.append(right in text)
        return text.replace(right, wrong)

    card(change)
    assert not misfit("motion-base-1500") < CLOSE
    assert any(changed)


@needs_compiler
def test_single_precision_is_good_to_six_digits_and_said_where_not(
    card: Made,
) -> None:
    """A state in double precision whose accelerations are single: the motion of 200 steps to 1e-6 of its way."""
    card()
    given = CASES["falling rk4"](200)
    machine, state, effort = given["platform"], given["state"], given["force"]
    ends = []
    for number in ("float64", "float32"):
        there = device_runs.DeviceRuns(machine, state, drives=False, number=number)
        begun = np.array(there.state)
        _, lost = there.advance(200, effort)
        assert (lost == -1).all()
        ends.append(np.array(there.state))
    far = np.abs(ends[1] - ends[0]).max()
    assert 1e-12 < far < 2e-6 * np.abs(ends[0] - begun).max()
    with pytest.raises(gough.InputError, match=r"number: .*drives=False"):
        device_runs.DeviceRuns(machine, state, number="float32")
    with pytest.raises(gough.InputError, match=r"number: .*float64, float32"):
        device_runs.DeviceRuns(machine, state, drives=False, number="float16")


def test_an_engine_that_is_none_and_a_card_that_is_not_there() -> None:
    machine = gough.load("motion-base-1500")
    push = np.zeros((2, 6))
    with pytest.raises(gough.InputError, match=r"engine: .*native, cuda"):
        rollout(machine, machine.require_home(), push, engine="python")
    if no_card(""):
        with pytest.raises(gough.InputError, match=r"engine: got 'cuda'|needs the extra cuda"):
            rollout(machine, machine.require_home(), push, engine="cuda")


@pytest.mark.parametrize(
    ("name", "method", "steps", "every"),
    [
        ("motion-base-1500", "rk4", 200, 10),
        ("motion-base-1500", "lie", 50, 10),
        ("motion-base-1500", "semi-implicit", 50, 1),
        ("servo-hexapod", "rk4", 20, 5),
        ("screw-hexapod", "rk4", 50, 5),
        ("telescope-secondary", "rk4", 20, 5),
        ("SPS-general", "rk4", 20, 5),
        ("mixed", "rk4", 8, 4),
    ],
)
def test_a_card_gives_the_slopes_of_the_cpu(name: str, method: str, steps: int, every: int) -> None:
    reason = no_card("rollouts on one were not compared")
    if reason:
        pytest.skip(reason)
    assert misfit(name, method, steps, every) < CLOSE
