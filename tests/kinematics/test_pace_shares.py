"""How much of its limits a motion uses at most: never less than at any instant, and hardly more."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.kinematics.leg_peaks import pace_share
from gough.trajectory import harmonic
from support.forward_machines import HOME, machine

KINDS = pytest.mark.parametrize("kind", ["UPS", "PUS", "RUS"])


def used(platform: gough.Platform, path: object, V: np.ndarray, A: np.ndarray) -> float:
    """At ten thousand instants."""
    t = np.linspace(0.0, path.duration, 10_001)  # type: ignore[attr-defined]
    legs = gough.inverse_kinematics(platform, path(t))  # type: ignore[operator]
    rate, bend = np.abs(legs.rate) / V, np.abs(legs.acceleration) / A
    return float(max(rate.max(), np.sqrt(bend.max())))


@KINDS
@pytest.mark.parametrize("narrow", ["rate", "acceleration"])
def test_the_share_is_that_of_the_hardest_instant(kind: str, narrow: str) -> None:
    """Each limit by itself; slowed by the answer, the motion keeps both and uses one up."""
    platform = machine(kind)
    path = harmonic(HOME, [0.02, 0.01, 0.015, 0.05, 0.08, 0.03], 0.7, np.arange(6.0))
    V, A = np.linspace(1.0, 2.0, 6), np.linspace(3.0, 1.0, 6)
    V, A = (1e-3 * V, 1e3 * A) if narrow == "rate" else (1e3 * V, 1e-3 * A)
    found, seen = pace_share(platform, path, V, A), used(platform, path, V, A)
    assert found is not None
    assert seen <= found <= seen * (1.0 + 1e-5)
    assert pace_share(platform, path, found * V, found**2 * A) == pytest.approx(1.0, rel=1e-4)


@KINDS
def test_a_motion_far_below_its_limits_is_said_to_be_below_them(kind: str) -> None:
    """Then nothing has to be slowed, and the share need not be sharp."""
    platform = machine(kind)
    path = harmonic(HOME, [0.01, 0.01, 0.01, 0.0, 0.0, 0.0], 0.5)
    V, A = np.full(6, 10.0), np.full(6, 100.0)
    found = pace_share(platform, path, V, A)
    assert found is not None
    assert used(platform, path, V, A) <= found <= 1.0 + 1e-5


@KINDS
def test_what_is_slow_uses_little_and_what_rests_uses_nothing(kind: str) -> None:
    """A share below one is a share as well: it falls with the motion's size, down to nothing."""
    platform = machine(kind)
    V, A = np.full(6, 10.0), np.full(6, 100.0)
    shares = []
    for size in (1.0, 0.1, 0.0):
        path = harmonic(HOME, size * np.array([0.01, 0.01, 0.01, 0.02, 0.0, 0.0]), 0.5)
        found = pace_share(platform, path, V, A)
        assert found is not None
        assert used(platform, path, V, A) <= found
        shares.append(found)
    assert 0.2 > shares[0] > shares[1] > shares[2]
    assert shares[2] < 1e-6


def test_legs_without_bounds_have_no_share() -> None:
    """Of screws that turn with the platform only the struts are known."""
    platform = gough.load("screw-hexapod")
    path = harmonic(platform.require_home(), [0.001, 0.0, 0.0, 0.0, 0.0, 0.0], 0.5)
    assert pace_share(platform, path, np.ones(6), np.ones(6)) is None
