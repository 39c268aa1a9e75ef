"""What verdicts and sizes rest on: motions that samples do not show are seen, and samples alone are said to be that."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough import trajectory as tr
from gough.analysis import limit_report, looks, size, sizing
from gough.analysis.judged import at_samples, by_proof
from gough.analysis.proved import proved_limits
from gough.analysis.timeline import timeline
from gough.kinematics import leg_peaks
from gough.model import Limits, Platform
from gough.report.html import report_data
from oracles.machines import platform

MINUTES = 600.0  # s


def resonant(**limits: float) -> tuple[Platform, tr.Trajectory]:
    """Ten minutes of heave at 0.5 Hz: at 601 samples, one a second, the platform seems to stand still."""
    machine = gough.load("motion-base-1500")
    heave = np.array([0.0, 0.0, 0.1, 0.0, 0.0, 0.0])
    path = tr.harmonic(machine.require_home(), heave, 0.5, 0.5 * np.pi, duration=MINUTES)
    legs = [leg.replace(limits=Limits(**limits)) for leg in machine.legs]
    return machine.replace(legs=legs), path


def test_a_motion_that_601_samples_pass_is_refused() -> None:
    machine, path = resonant(speed=0.05)
    found = limit_report(machine, path)
    assert not found["ok"]
    assert not found["proved"]
    assert any("rate" in said and "exceeds" in said for said in found["reasons"])


def test_samples_alone_are_said_to_be_that_and_contradict_one_another() -> None:
    machine, path = resonant(speed=0.05)
    few = path.sample(601)
    found = limit_report(machine, few)
    assert found["ok"]  # of what was given
    assert not found["proved"]
    assert found["judged"][0] == "limits judged at 601 samples, no proof between them"
    assert "contradict one another" in found["judged"][1]
    assert len(at_samples(path.sample(12_001))) == 1  # ten a period: they agree
    with_proof = limit_report(machine, few, proof=proved_limits(machine, path))
    assert not with_proof["ok"]
    assert "speed: broken at t = " in with_proof["reasons"][0]


def test_a_limit_that_holds_is_proved_in_words() -> None:
    machine, path = resonant(speed=0.5)
    found = limit_report(machine, path)
    assert found["ok"]
    assert found["proved"]
    assert found["judged"] == ["proved at every instant: speed, determinant"]


def test_efforts_that_are_not_bounded_are_said_to_be_sampled() -> None:
    machine, path = resonant(force=1e9)
    spinning = machine.replace(legs=platform("SPS-general", seed=1).legs)
    legs = [leg.replace(limits=Limits(force=1e9)) for leg in spinning.legs]
    proof = proved_limits(spinning.replace(legs=legs), tr.hold(machine.require_home(), 1.0))
    assert proof.ok is None
    assert any("spin freely are not bounded" in said for said in by_proof(proof))
    found = limit_report(machine, path.sample(601), proof=proof)
    assert "efforts judged at 601 samples, no proof between them" in found["judged"]


def peaks(machine: Platform, motion: gough.Motion | tr.Trajectory) -> list[float]:
    return [max(leg.peak_power, -leg.peak_braking) for leg in size(machine, [motion]).legs]


def test_power_between_samples_is_sized(monkeypatch: pytest.MonkeyPatch) -> None:
    """Against two periods at 1e-4 of a period; planted: pieces unknown, blind to disagreement, no closer look."""
    machine, path = resonant()
    assert max(peaks(machine, path.sample(601))) < 1e-6
    true = peaks(machine, path(np.linspace(0.0, 4.0, 20_001)))
    assert max(true) > 100.0
    np.testing.assert_allclose(peaks(machine, path), true, rtol=1e-6)
    monkeypatch.setattr(looks, "pieces", lambda path: np.array([0.0, path.duration]))
    np.testing.assert_allclose(peaks(machine, path), true, rtol=1e-6)  # found out by disagreement
    monkeypatch.setattr(looks, "disagreement", lambda motion: np.zeros(len(motion.time) - 1))
    monkeypatch.setattr(sizing, "sharpened", lambda t, look: t)
    assert max(peaks(machine, path)) < 1e-6


def test_a_size_says_what_it_rests_on() -> None:
    machine, path = resonant(speed=0.05)
    said = size(machine, {"sampled": path.sample(601), "whole": path})
    assert "sampled: limits judged at 601 samples, no proof between them" in said.judged
    assert any(s.startswith("whole: no instant exceeds the bounds") for s in said.judged)
    assert any(s.startswith("whole: ") and "exceeds" in s for s in said.overload)
    assert not any(s.startswith("sampled: ") for s in said.overload)


def test_pages_show_the_proof() -> None:
    machine, path = resonant(speed=0.05)
    few = path.sample(601)
    refused, notes = timeline(machine, few, path=path)[2:]
    assert any("speed: broken at t = " in said for said in refused)
    assert "proved at every instant: determinant" in notes
    refused, notes = timeline(machine, few)[2:]
    assert refused == []
    assert "limits judged at 601 samples, no proof between them" in notes
    warned = report_data(machine, few)["machine"]["warnings"]
    assert any("no proof" in said for said in warned)
    held, slow = resonant(speed=0.5)
    shown = report_data(held, slow.sample(601), trajectory=slow)
    assert not any("proof" in said for said in shown["machine"]["warnings"])


def test_a_fast_pace_is_judged_between_its_grid_points(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits imposed on a coarse grid hold between its points, since the pace is slowed; planted: it is not."""
    machine = gough.load("motion-base-1500")
    home = machine.require_home()
    line = tr.uniform(home, (home.position + np.array([0.1, 0.0, 0.1]), home.rpy + 0.1), 1.0)
    coarse = {"max_acceleration": 1.0, "max_rate": 0.2, "points": 12}
    slowed = tr.time_optimal(line, machine, **coarse)
    monkeypatch.setattr(leg_peaks, "pace_share", lambda *a: None)
    fast = tr.time_optimal(line, machine, **coarse)
    legs = [leg.replace(limits=Limits(speed=0.2)) for leg in machine.legs]
    strict = proved_limits(machine.replace(legs=legs), fast, max_acceleration=1.0)
    wide = [leg.replace(limits=Limits(speed=0.22)) for leg in machine.legs]
    loose = proved_limits(machine.replace(legs=wide), fast, max_acceleration=1.5)
    assert strict.ok is False
    assert loose.ok is True
    kept = proved_limits(machine.replace(legs=legs), slowed, max_acceleration=1.0)
    assert kept.ok is True
    assert 1.0 < slowed.duration / fast.duration < 1.1
    assert "acceleration" in by_proof(loose)[0]
