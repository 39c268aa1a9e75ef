"""Jerks between the samples: models against differences of accelerations, verdicts, jumps, and planted errors."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from campaigns.proved_campaign import motion
from gough import trajectory as tr
from gough.analysis.leg_jerks import jerk_models
from gough.analysis.proved import BROKEN, HOLDS, UNDECIDED, proved_limits
from gough.checks import Array
from gough.model import Platform
from gough.trajectory import jets
from gough.trajectory.bounds import pieces
from gough.trajectory.jets import pose_jet
from oracles.machines import platform

MACHINES = ("UPS", "PUS", "RUS")
MOTIONS = ("harmonic", "move", "line", "jerk limited", "waypoints", "shaking", "retimed")
STEP = 1e-3  # of an interval: between the accelerations whose difference is taken


def drawn(machine: Platform, kind: str) -> tr.Trajectory:
    rng = np.random.default_rng(3)
    return next(path for _ in range(50) if (path := motion(rng, machine, kind)) is not None)


def accelerations(machine: Platform, path: tr.Trajectory, t: Array) -> Array:
    return gough.inverse_kinematics(machine, path(t), engine="python").acceleration


def beyond(machine: Platform, path: tr.Trajectory) -> float:
    """By how much differences of accelerations lie outside the models of jerk, as a share of the largest."""
    edges = pieces(path)
    t, half = 0.5 * (edges[1:] + edges[:-1]), np.diff(edges) / 8.0
    pose = pose_jet(path, t, half)
    assert pose is not None
    tau = np.array([-0.7, 0.1, 0.8])
    value, off = jerk_models(machine, pose).at(tau)
    h = STEP * half
    at = t + tau[:, None] * half
    true = (accelerations(machine, path, at + h) - accelerations(machine, path, at - h)) / (
        2.0 * h[:, None]
    )
    return float((np.abs(value - true) - off).max() / np.abs(true).max())


@pytest.mark.parametrize("kind", MACHINES)
def test_jerks_lie_in_their_models(kind: str) -> None:
    machine = platform(kind, seed=5)
    for name in MOTIONS:
        assert beyond(machine, drawn(machine, name)) < 1e-6, name


@pytest.mark.parametrize("error", ["a term of the chain rule", "half of a product"])
def test_planted_errors_show(error: str, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = platform("UPS", seed=5)
    path = drawn(machine, "retimed")
    assert beyond(machine, path) < 1e-6
    whole, times = jets.composed, jets.product
    if error == "a term of the chain rule":
        monkeypatch.setattr(
            jets, "composed", lambda f, g: [*whole(f, g)[:3], whole(f, g)[3] - f[2] * g[1] * g[2]]
        )
    else:
        monkeypatch.setattr(
            jets, "product", lambda a, b: [*times(a, b)[:3], times(a, b)[3] - a[1] * b[2]]
        )
    assert beyond(machine, path) > 1e-3


def test_verdicts_beside_the_largest_jerk() -> None:
    """A thousandth beside the peak, which differences say to 1e-5; the instant that is named breaks it."""
    machine = gough.load("motion-base-1500")
    home = machine.require_home()
    end = gough.Pose.from_rpy(home.position + np.array([0.1, 0.0, 0.1]), home.rpy + 0.1)
    path = tr.harmonic(home, np.full(6, 0.02), 0.4, np.arange(6.0), duration=3.0)
    t = np.linspace(0.0, 3.0, 30_001)
    seen = np.abs(np.diff(accelerations(machine, path, t), axis=0) / 1e-4)
    most = seen.max(axis=0)
    held = proved_limits(machine, path, max_jerk=1.001 * most).of("jerk")
    assert [v.status for v in held] == [HOLDS] * 6
    for v in proved_limits(machine, path, max_jerk=0.999 * most).of("jerk"):
        assert v.status == BROKEN
        assert v.time is not None
        a = accelerations(machine, path, v.time + np.array([-1e-4, 1e-4]))
        assert abs((a[1] - a[0])[v.legs[0]]) / 2e-4 > 0.999 * most[v.legs[0]]
    quintic = tr.quintic(home, end, 2.0)
    assert proved_limits(machine, quintic, max_jerk=1e3).ok is True


def test_an_acceleration_that_jumps_breaks_every_limit() -> None:
    machine = gough.load("motion-base-1500")
    home = machine.require_home()
    end = gough.Pose.from_rpy(home.position + np.array([0.1, 0.0, 0.1]), home.rpy + 0.1)
    blends = tr.line(home, end, 3.0)
    found = proved_limits(machine, blends, max_jerk=1e6).of("jerk")
    assert {v.status for v in found} == {BROKEN}
    assert min(abs(found[0].time - b) for b in blends.breaks) < 1e-9  # type: ignore[operator]
    smooth = tr.sequence(tr.quintic(home, end, 2.0), tr.quintic(end, home, 2.0))
    assert proved_limits(machine, smooth, max_jerk=1e3).ok is True


def test_what_gives_no_bounds_of_jerk_says_so() -> None:
    machine = gough.load("motion-base-1500")
    home = machine.require_home()
    shake = tr.sweep((home.position, home.rpy), "x", 0.1, 1.0, 2.0, 3.0)
    lead = tr.hold((home.position, home.rpy), 1.0)
    for path in (shake, tr.sequence(lead, shake), tr.retimed(shake, 2.0)):
        found = proved_limits(machine, path, max_jerk=1e9).of("jerk")
        assert {v.status for v in found} == {UNDECIDED}
        assert "no bound is known for the jerk of this trajectory" in found[0].sentence
    screws = platform("UCU-screw", seed=1)
    found = proved_limits(screws, tr.hold(screws.require_home(), 1.0), max_jerk=1.0).of("jerk")
    assert "screws" in found[0].sentence
