"""Cranks that turn on and on under a controller: continuous coordinates in the compiled loop and in Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gough
from gough.control import Decentralized, Sampling
from gough.spatial import rotation_exp
from support.carousel import HEIGHT, carousel

TURNS, DURATION = 1.5, 0.6


def around(t: float) -> gough.Motion:
    """One and a half turns about the shaft, at rest at both ends."""
    s, total = min(t / DURATION, 1.0), 2 * np.pi * TURNS
    angle = total * (s - np.sin(2 * np.pi * s) / (2 * np.pi))
    rate = total / DURATION * (1 - np.cos(2 * np.pi * s))
    R = rotation_exp(np.array([0.0, 0.0, angle]))
    return gough.Motion([0.0, 0.0, HEIGHT], R, [0.0, 0.0, 0.0], [0.0, 0.0, rate])


@pytest.fixture(scope="module")
def machine() -> gough.Platform:
    return carousel()


def controlled(machine: gough.Platform, controller: Any, start: Any = None, **more: Any) -> Any:
    return gough.simulate(
        machine,
        around(0.0) if start is None else start,
        duration=DURATION,
        controller=controller,
        reference=around,
        **more,
    )


@pytest.mark.parametrize("velocity", ["measured", "observed"])
def test_cranks_follow_one_and_a_half_turns(machine: gough.Platform, velocity: str) -> None:
    """Both loops: no step in what is read, in the reference or in the command; the same run."""
    law = Decentralized.from_bandwidth(machine, bandwidth=60.0, integral=0.2)
    sampling = Sampling(velocity=velocity)
    runs = [controlled(machine, c, sampling=sampling) for c in (law, lambda *given: law(*given))]
    for run in runs:
        assert run.attrs["status"] == "ok"
        assert run.attrs["lengths_beyond_half_a_turn"].startswith("go on; limits")
        read, wanted = run.measured_length.values, run.reference_length.values
        for told in (read, wanted, run.length.values):
            assert np.abs(np.diff(told, axis=0)).max() < 0.05
            assert np.abs(told[-1] - told[0] - 2 * np.pi * TURNS).max() < 0.02
        assert np.abs(run.error.values).max() < 0.02
        assert np.abs(np.diff(run.command.values, axis=0)).max() < 0.2 * np.ptp(run.command.values)
    assert np.abs(runs[0].position.values - runs[1].position.values).max() < 1e-11
    assert np.abs(runs[0].command.values - runs[1].command.values).max() < 1e-7


def test_a_start_beyond_the_cut_is_read_in_the_turn_of_the_reference(
    machine: gough.Platform,
) -> None:
    """Half a turn from home coordinates are cut: a start on the other side is no whole turn from its reference."""
    pose = [
        gough.Pose([0.0, 0.0, HEIGHT], rotation_exp(np.array([0.0, 0.0, a]))) for a in (3.13, 3.15)
    ]
    cut = [gough.inverse_kinematics(machine, p).length for p in pose]
    assert np.abs(cut[0] - cut[1]).max() > 6.0, "the case must lie across the cut"
    law = Decentralized.from_bandwidth(machine, bandwidth=60.0)
    run = gough.simulate(machine, pose[0], duration=0.2, controller=law, reference=pose[1])
    assert np.abs(run.error.values).max() < 0.03
    assert np.abs(run.error.values[-1]).max() < 1e-3


def test_readings_that_jump_by_a_turn_are_seen(
    machine: gough.Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The planted error: a reference that is not continuous throws the machine about."""
    monkeypatch.setattr("gough.kinematics.inverse.whole_turns", lambda angle, rate, time: 0 * angle)
    law = Decentralized.from_bandwidth(machine, bandwidth=60.0, integral=0.2)
    run = controlled(machine, law)
    assert np.nanmax(np.abs(run.error.values)) > 3.0
