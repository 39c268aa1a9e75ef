"""Runs on the GPU: the generated text compiled for the CPU against the compiled kernels, planted errors, refusals; and
the same on a card where there is one (cuda_text.py, cuda_legs.py, cuda_writer.py, side_by_side.py)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from gough.control import ComputedForce
from gough.engines import cuda
from gough.simulation import PowerLoss, Sampling, cuda_kernel, cuda_legs, device, device_runs
from oracles.card_on_cpu import COMPILER, Made, no_card, played
from oracles.device_cases import CASES, difference, pid, spread

CLOSE = 1e-10
QUICK = (  # their kernels are compiled by other tests too
    "falling rk4",
    "driven rk4",
    "pid every step",
    "pid at 250 Hz",
    "computed force",
    "cranks",
    "machines, controlled",
    "lost",
)
needs_compiler = pytest.mark.skipif(
    COMPILER is None, reason="NO C++ COMPILER: the CUDA text of runs was not compiled"
)


@pytest.fixture
def card(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Made]:
    with played(monkeypatch, tmp_path, (cuda_kernel, device), cuda_kernel._compiled) as made:
        yield made


def both(name: str, steps: int) -> float:
    given = CASES[name](steps)
    wanted, found = (gough.simulate(**given, engine=engine) for engine in device.ENGINES)
    return difference(found, wanted)


@needs_compiler
@pytest.mark.parametrize("name", QUICK)
def test_the_text_compiled_for_the_cpu_runs_as_the_compiled_kernels(card: Made, name: str) -> None:
    found = card()
    assert both(name, 600 if name == "lost" else 100) < CLOSE
    assert found.launched


@needs_compiler
@pytest.mark.parametrize("form", ["rows", "held", "function"])
def test_a_wrench_acts_under_a_controller_and_records_may_be_rare(card: Made, form: str) -> None:
    """In all the ways a wrench is given, cut by a fault that is not at a record."""
    card()
    rows = 300.0 * np.random.default_rng(2).standard_normal((31, 6))
    external = {"rows": rows, "held": rows[0], "function": lambda t: rows[0] * np.sin(200.0 * t)}
    faults = [PowerLoss(0.007, (2,))]
    case = CASES["pid every step" if form == "held" else "pid at 250 Hz"](30)
    given = {**case, "external": external[form], "output": 5e-3}
    found, wanted = (
        gough.simulate(**given, faults=faults, engine=engine) for engine in ("cuda", "native")
    )
    assert difference(found, wanted) < CLOSE
    assert wanted.sizes["time"] == 7


@needs_compiler
def test_steps_between_records_and_faults_are_taken_without_a_controller_too(card: Made) -> None:
    card()
    given = {**CASES["driven rk4"](20), "faults": [PowerLoss(0.007, (2,))], "output": 5e-3}
    found, wanted = (gough.simulate(**given, engine=engine) for engine in ("cuda", "native"))
    assert difference(found, wanted) < CLOSE


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in CASES if name not in QUICK])
def test_every_law_controller_and_leg_of_the_text(card: Made, name: str) -> None:
    card()
    assert both(name, 60) < CLOSE


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "alike"), [("driven rk4", True), ("pid every step", True), ("driven rk4", False)]
)
def test_one_thread_takes_the_legs_one_after_another_or_as_one_program(
    card: Made, monkeypatch: pytest.MonkeyPatch, name: str, alike: bool
) -> None:
    """As where there are many runs, and as where the legs differ."""
    monkeypatch.setattr(cuda_legs, "FEW", 0)
    if not alike:
        monkeypatch.setattr(cuda_legs, "stage_cut", lambda *_: None)
    card()
    assert both(name, 60) < CLOSE


PLANTED = {
    "lanes are not added up": ("driven rk4", "v += __shfl_xor_sync", "v = __shfl_xor_sync"),
    "a leg's answer from another": ("driven rk4", "W[0][1], 0, 2)", "W[0][1], 1, 2)"),
    "a stage goes back": ("falling rk4", "+ ahead * v", "- ahead * v"),
    "the wrong weight": ("falling rk4", "0.16666666666666666, 0.3333", "0.1666666, 0.3333"),
    "the integral of the error is lost": ("pid every step", "* (due_length - length)", "* 0.0"),
    "singularities are not seen": ("lost", "bits |= 1LL << 36", "bits |= 0LL << 36"),
}


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize("error", PLANTED)
def test_a_planted_error_is_found(card: Made, error: str) -> None:
    name, right, wrong = PLANTED[error]

    def change(text: str) -> str:
        assert right in text
        return text.replace(right, wrong)

    card(change)
    assert not both(name, 600 if name == "lost" else 40) < CLOSE


@needs_compiler
def test_runs_go_in_parts_and_an_environment_steps_as_on_the_cpu(
    card: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("gymnasium", reason="gymnasium is not installed: pip install gough[gym]")
    from gough.simulation.gym import environment as gym

    found = card()
    monkeypatch.setattr(cuda_kernel, "PART", 2)
    envs = [
        gym.PlatformVectorEnv("motion-base-1500", 5, engine=engine) for engine in device.ENGINES
    ]
    seen = [env.reset(seed=3)[0] for env in envs]
    for _ in range(2):
        answers = [env.step(0.1 * np.ones((5, 6))) for env in envs]
    assert np.array_equal(*seen)
    for a, b in zip(answers[0][:4], answers[1][:4], strict=True):
        np.testing.assert_allclose(a, b, rtol=CLOSE, atol=CLOSE)
    assert len(found.launched) == 2 * 3


@needs_compiler
def test_controlled_runs_go_in_parts(card: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each part is as large as it is, wherever it begins."""
    found = card()
    monkeypatch.setattr(cuda_kernel, "PART", 2)
    assert both("pid every step", 30) < CLOSE
    assert len(found.launched) > 1


@needs_compiler
def test_states_that_stay_on_the_card_move_as_the_compiled_steps(
    card: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = card()
    monkeypatch.setattr(device_runs, "cupy", lambda: found)
    given = CASES["falling rk4"](20)
    machine, state, effort = given["platform"], given["state"], given["force"]
    runs = device_runs.DeviceRuns(machine, state, drives=False)
    records, lost = runs.advance(20, effort, every=10)
    wanted = gough.simulate(**given, output=0.01)
    here = wanted.position.values[:, 1:].transpose(1, 2, 0)
    np.testing.assert_allclose(records[:, runs.layout.position], here, rtol=0, atol=1e-13)
    np.testing.assert_array_equal(records[-1], runs.state)
    assert (lost == -1).all()
    _, lost = runs.advance(20, np.full((len(lost), 6), np.nan))
    assert (lost == 1).all()
    with pytest.raises(gough.InputError, match="effort: "):
        runs.advance(1, np.zeros((2, 6)))
    with pytest.raises(gough.InputError, match="every: "):
        runs.advance(3, effort, every=2)
    with pytest.raises(gough.InputError, match="integrator: "):
        device_runs.DeviceRuns(machine, state, integrator="RK45")


@needs_compiler
def test_runs_of_two_machines_that_take_turns_keep_their_own_numbers(
    card: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Machines of one form share a compiled kernel and its constant memory."""
    found = card()
    monkeypatch.setattr(device_runs, "cupy", lambda: found)
    given = CASES["falling rk4"](20)
    state, effort = given["state"], given["force"]
    light = given["platform"]
    heavy = light.replace(body=light.body.replace(mass=3.0 * light.body.mass))

    def run(machine: gough.Platform) -> device_runs.DeviceRuns:
        return device_runs.DeviceRuns(machine, state, drives=False)

    alone = [run(machine) for machine in (light, heavy)]
    for runs in alone:
        runs._kernel.memory._owner = None
        runs.advance(10, effort)
        runs.advance(10, effort)
    both = [run(machine) for machine in (light, heavy)]
    for _ in range(2):
        for runs in both:
            runs.advance(10, effort)
    for one, other in zip(alone, both, strict=True):
        np.testing.assert_array_equal(one.state, other.state)
    assert np.abs(both[0].state - both[1].state).max() > 1e-6
    kernel = both[0]._kernel
    kernel.memory._owner = kernel._owner  # planted: as if its numbers still lay there
    wrong = both[0].state.copy()
    both[0].advance(10, effort)
    alone[0].advance(10, effort)
    assert not np.array_equal(both[0].state, alone[0].state)
    assert not np.array_equal(both[0].state, wrong)


class Strange(ComputedForce):
    """No built-in controller."""


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "another engine": ({"engine": "python"}, "engine: .*native, cuda"),
    "an adaptive integrator": ({"integrator": "RK45"}, "integrator: .*rk4, lie, semi-implicit"),
    "feedback": ({"force": lambda t, motion: np.zeros(6)}, "force: .*every stage"),
    "a base that moves": ({"base": lambda t: None}, "base: "),
    "a controller in Python": ({"controller": Strange}, "controller: .*asked in Python"),
    "a delay": ({"controller": pid, "sampling": Sampling(delay=1e-3)}, "sampling: .*no delay"),
    "noise": ({"controller": pid, "sampling": Sampling(noise=1e-6)}, "sampling: .*noise"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_the_card_does_not_serve_is_refused(card: Made, what: str) -> None:
    card()
    given, sentence = REFUSED[what]
    machine = gough.load("motion-base-1500")
    options = {"engine": "cuda", "duration": 0.01, "drives": False, **given}
    if options.get("controller") is Strange:
        options["controller"] = Strange(machine, 20.0)
    elif "controller" in options:
        options["controller"] = pid(machine)
    start = machine.home if what == "an adaptive integrator" else spread(machine)
    with pytest.raises(gough.InputError, match=sentence):
        gough.simulate(machine, start, **options)


def test_without_cupy_the_engine_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    machine = gough.load("motion-base-1500")
    with pytest.raises(gough.InputError, match="cupy: not installed; needs the extra cuda"):
        gough.simulate(machine, machine.home, duration=0.01, engine="cuda")


def test_arrays_of_other_libraries_pass_to_a_card_and_back() -> None:
    """PyTorch's and CuPy's arrays are taken and given without a copy through the host."""
    reason = no_card("runs on one were not compared")
    if reason:
        pytest.skip(reason)
    torch = pytest.importorskip("torch")
    given = CASES["falling rk4"](20)
    machine, state, effort = given["platform"], given["state"], given["force"]
    ends = []
    for made in (
        np.asarray,
        cuda.cupy().asarray,
        lambda a: torch.as_tensor(np.array(a), device="cuda"),
    ):
        runs = device_runs.DeviceRuns(machine, state, drives=False)
        runs.advance(20, made(effort))
        there = torch.from_dlpack(runs.state)
        assert there.is_cuda
        assert there.data_ptr() == runs.state.data.ptr
        ends.append(there.cpu().numpy())
    np.testing.assert_array_equal(ends[0], ends[1])
    np.testing.assert_array_equal(ends[0], ends[2])


@pytest.mark.parametrize("name", CASES)
def test_a_card_runs_as_the_cpu(name: str) -> None:
    reason = no_card("runs on one were not compared")
    if reason:
        pytest.skip(reason)
    assert both(name, 1000) < CLOSE
