"""What cannot be run is said in one sentence, before anything is allocated; a full disk as well."""

from __future__ import annotations

import errno
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from gough import storage
from gough.simulation import Brake, Springs, demand, leg_law
from gough.simulation.programs import METHODS


@pytest.fixture(scope="module")
def machine() -> gough.Platform:
    return gough.load("motion-base-1500")


@pytest.mark.parametrize("integrator", ["rk4", "DOP853", "hht"])
@pytest.mark.parametrize(
    ("options", "field", "words"),
    [
        ({"duration": 1e300}, "duration", "must not exceed|is 1e"),
        ({"duration": 1e9}, "duration", r"is 1e\+12 steps of 0.001 s; a run has at most"),
        ({"duration": 1e-3, "step": 1e-300}, "step", "at least"),
        ({"duration": 1e7, "output": 1e-3}, "output", "GB: record less often"),
    ],
)
def test_absurd_runs_are_one_sentence(
    machine: gough.Platform, integrator: str, options: dict[str, Any], field: str, words: str
) -> None:
    with pytest.raises(gough.InputError, match=words) as caught:
        gough.simulate(machine, machine.home, **options, integrator=integrator, drives=False)
    assert caught.value.field == field
    assert "\n" not in str(caught.value)


def test_memory_is_counted_before_it_is_taken(
    machine: gough.Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is estimated is at least what the answer holds; a machine with less refuses."""
    run = gough.simulate(machine, machine.home, duration=0.05, force=np.zeros(6), drives=False)
    held, asked = sum(v.nbytes for v in run.variables.values()), list[float]()
    monkeypatch.setattr(demand, "memory", lambda: asked.append(1.0) or 2.0 * held)
    with pytest.raises(gough.InputError, match="51 records of 1 runs"):
        gough.simulate(machine, machine.home, duration=0.05, force=np.zeros(6), drives=False)
    monkeypatch.setattr(demand, "memory", lambda: 8.0 * held)
    gough.simulate(machine, machine.home, duration=0.05, force=np.zeros(6), drives=False)


@pytest.mark.parametrize("method", ["rk4", "semi-implicit"])
def test_a_step_too_long_for_the_stiffest_law_is_refused(
    machine: gough.Platform, method: str
) -> None:
    """The step that is offered instead runs; one beyond it by far diverges where nothing refuses it."""
    stiff: dict[str, Any] = {"springs": Springs(1e9, 1.5, 1e4), "drives": False}
    more: dict[str, Any] = {"integrator": method, "reactions": False, **stiff}
    start = gough.Pose(machine.home.position + np.array([0, 0, 0.01]), machine.home.rotation)
    with pytest.raises(gough.InputError, match="too long for the stiffest law") as caught:
        gough.simulate(machine, start, duration=0.5, step=0.01, **more)
    assert caught.value.field == "step"
    largest = float(str(caught.value).split("up to ")[1].split(" s")[0])
    steady = gough.simulate(
        machine, start, duration=200 * 0.99 * largest, step=0.99 * largest, **more
    )
    assert "diverged" not in steady.attrs["status"]
    assert np.abs(steady.velocity.values[-1]).max() < np.abs(steady.velocity.values).max() + 1e-12
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gough.simulation.run.check_step", lambda *_: None)
        wild = gough.simulate(machine, start, duration=0.5, step=0.01, **more)
    assert wild.attrs["status"].startswith("diverged"), "the rule would refuse for nothing"


def test_default_steps_hold_every_preset_with_drives() -> None:
    """Friction at rest is stiff; the default step of 1 ms is within what it stands, brakes of a machine's size too."""
    for name in gough.presets():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", gough.ModelWarning)
            machine = gough.load(name)
        laws = leg_law.leg_laws(machine, None, True, 1)
        demand.check_step(machine, METHODS["rk4"], 1e-3, [(0, laws)])
    heavy = gough.load("motion-base-1500")
    braked = leg_law.apply_fault(heavy, leg_law.leg_laws(heavy, None, True, 1), Brake(0.0, 12e3))
    demand.check_step(heavy, METHODS["rk4"], 1e-3, [(0, braked)])
    with pytest.raises(gough.InputError, match="stiffest law"):
        demand.check_step(heavy, METHODS["rk4"], 1e-2, [(0, braked)])


def test_a_full_disk_is_one_sentence(
    machine: gough.Platform, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the run goes on from its last whole piece when there is room again."""
    more: dict[str, Any] = {"duration": 1.2, "force": np.zeros(6), "drives": False, "output": 0.1}
    whole = gough.simulate(machine, machine.home, **more)
    fsync, calls = storage.os.fsync, list[int]()

    def full(descriptor: int) -> None:
        calls.append(descriptor)
        if len(calls) > 4:
            raise OSError(errno.ENOSPC, "No space left on device")
        fsync(descriptor)

    monkeypatch.setattr(storage.os, "fsync", full)
    with pytest.raises(gough.InputError, match="cannot be written: No space left") as caught:
        gough.simulate(machine, machine.home, **more, checkpoint=tmp_path / "run")
    assert "\n" not in str(caught.value)
    monkeypatch.undo()
    again = gough.simulate(machine, machine.home, **more, checkpoint=tmp_path / "run", resume=True)
    assert again.identical(whole)
