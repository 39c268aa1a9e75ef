"""Repeated trials: the error falls, on machines whose model is wrong; where it cannot, nothing else is said."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import gough
from gough.control import ComputedForce, Decentralized, DisturbanceObserver, Sampling
from gough.control.learning import Learned, Learning, learn
from gough.simulation.scenario import load_scenario

TASK = {"duration": 0.4, "step": 2e-3, "drives": False, "reactions": False}


def load(name: str) -> gough.Platform:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gough.ModelWarning)
        return gough.load(name)


def task(machine: gough.Platform, law: Any, **more: Any) -> dict[str, Any]:
    home = machine.require_home()
    size = 0.02 * float(np.linalg.norm(machine.legs[0].joint))
    path = gough.trajectory.harmonic(home, [size, size, size, 0.02, 0.02, 0.02], 2.5, duration=0.4)
    sampling = Sampling(rate=500.0)
    given = {"state": path(0.0), "controller": law, "reference": path, "sampling": sampling}
    return {**TASK, **given, **more}


@pytest.mark.parametrize("name", ["motion-base-1500", "hexaglide", "servo-hexapod"])
def test_the_error_falls_from_trial_to_trial(name: str) -> None:
    """The controller believes a payload 20 % too heavy; after six trials little of that is left."""
    machine = load(name)
    law = ComputedForce(gough.control.with_payload_error(machine, 0.2), 40.0)
    found = learn(machine, task(machine, law), 6)
    assert found.monotone
    assert found.errors[-1] < 1e-2 * found.errors[0]
    given = task(machine, found.controller)
    state = given.pop("state")
    again = gough.simulate(machine, state, **given)
    legs = gough.inverse_kinematics(machine, given["reference"](again.time.values)).length
    rms = np.sqrt(((again.length.values - legs)[:-1] ** 2).mean())
    assert rms == pytest.approx(found.errors[-1], rel=0.05)
    assert found.feed_forward.shape == (200, 6)


def test_delay_is_taken_out_of_what_is_learned() -> None:
    """Ten samples late, legs alone: what can be learned (not the first ten samples) is kept; without the shift fast
    parts of the error grow again (planted error)."""
    machine = load("motion-base-1500")
    late = Sampling(rate=500.0, delay=20e-3)
    law = Decentralized.from_bandwidth(machine, bandwidth=8.0)
    found = learn(machine, task(machine, law, sampling=late), 8, gain=0.6)
    assert found.errors[-1] < 0.1 * found.errors[0]
    assert found.errors[-1] < 1.05 * found.errors.min()
    assert not found.monotone  # and so it is not said
    from gough.control import learning

    told = learning._Watched.told
    try:
        learning._Watched.told = lambda self, model, rate, late: told(self, model, rate, 0)  # type: ignore[method-assign]
        blind = learn(machine, task(machine, law, sampling=late), 8, gain=0.6)
    finally:
        learning._Watched.told = told  # type: ignore[method-assign]
    assert blind.errors[-1] > 1.3 * blind.errors.min()


def test_monotone_is_said_only_where_it_is() -> None:
    law = Learned(lambda t, m, r: np.zeros((1, 6)), np.zeros((1, 6)), 500.0)
    assert Learning(law, np.array([3.0, 2.0, 1.0])).monotone
    assert not Learning(law, np.array([3.0, 2.0, 2.0])).monotone
    assert not Learning(law, np.array([3.0, 4.0, 1.0])).monotone
    assert not Learning(law, np.array([3.0, np.nan, 1.0])).monotone


def test_a_scenario_file_is_learned(tmp_path: Any) -> None:
    machine = load("motion-base-1500")
    file = tmp_path / "task.toml"
    file.write_text(
        """
duration = "0.2 s"
step = "2 ms"
drives = false
[trajectory]
kind = "harmonic"
center = {position = [0, 0, 1.15]}
amplitude = [0.01, 0.01, 0.01, 0.01, 0.01, 0.01]
frequency = 2
duration = "0.2 s"
[controller]
kind = "computed-force"
bandwidth = 40
payload_error = 0.2
[sampling]
rate = 500
"""
    )
    scenario = load_scenario(file)
    found = gough.control.learn(machine, scenario, 3)
    assert found.monotone


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"controller": "memory"}, "without memory"),
        ({"reference": None}, "reference that moves"),
        ({"duration": 0.4, "controller": "wild"}, "must reach its end"),
    ],
)
def test_what_cannot_be_learned_is_refused(change: dict[str, Any], words: str) -> None:
    machine = load("motion-base-1500")
    laws = {
        "memory": DisturbanceObserver(machine, 20.0),
        "wild": Decentralized.from_bandwidth(machine, bandwidth=900.0),
    }
    given = task(machine, ComputedForce(machine, 20.0))
    given |= {k: laws.get(v, v) if isinstance(v, str) else v for k, v in change.items()}
    with pytest.raises(gough.InputError, match=words):
        learn(machine, given, 2)
    with pytest.raises(gough.InputError, match="at most 1"):
        learn(machine, given, 2, gain=1.5)
