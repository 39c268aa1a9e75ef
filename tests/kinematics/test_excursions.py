"""How far legs may go past their samples: by their speed limits where times are told, else by what is seen around."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import gough
from gough.checks import Array
from gough.kinematics.forward import EXCURSION, WINDOW, actuator_coordinates, excursions
from gough.layout import LEG_GEOMETRY as LEG
from gough.model import Limits
from gough.struts import leg_table
from support.forward_machines import HOME, machine

SPEED = (None, 0.9, None, 0.7, 0.05, None)  # m/s or rad/s; the fifth leg is slower than it is seen


def limited(kind: str) -> gough.Platform:
    platform = machine(kind)
    legs = [
        leg.replace(limits=Limits(speed=speed))
        for leg, speed in zip(platform.legs, SPEED, strict=True)
    ]
    return platform.replace(legs=tuple(legs))


def samples(platform: gough.Platform, n: int, seed: int = 1) -> tuple[Array, Array]:
    """Coordinates that jump about, and clock times with steps of their own."""
    rng = np.random.default_rng(seed)
    lam = actuator_coordinates(platform, HOME) + 0.05 * rng.normal(size=(n, 6))
    return lam, np.cumsum(rng.uniform(0.1, 0.4, n))


def expected(platform: gough.Platform, lam: Array, clock: Array, timed: bool) -> Array:
    """Step by step and leg by leg, as the words say it: m."""
    there = [k for k in range(len(lam)) if np.isfinite(lam[k]).all()]
    arm = leg_table(platform)[:, LEG.rho]
    cranks = [kind == "RUS" for kind in platform.kinds]
    steps = []
    for a, b in pairwise(there):
        change = np.abs(lam[b] - lam[a])
        whole = np.abs(np.exp(1j * (lam[b] - lam[a])) - 1.0)  # chord of the turn, whole turns aside
        change = np.where(cranks, 2.0 * np.arcsin(whole / 2.0), change) * arm
        steps.append((clock[b] - clock[a], change))
    out = np.zeros(lam.shape)
    for k, (dt, change) in enumerate(steps):
        around = steps[max(0, k - WINDOW) : k + WINDOW + 1]
        fastest = max(c.max() / d for d, c in around)
        for leg in range(6):
            speed = SPEED[leg]
            out[there[k + 1], leg] = (
                EXCURSION * fastest * dt
                if speed is None or not timed
                else max(speed * arm[leg] * dt - change[leg], 0.0) / 2.0
            )
    return out


@pytest.mark.parametrize("kind", ["UPS", "RUS", "mixed"])
@pytest.mark.parametrize("timed", [True, False])
def test_each_step_allows_what_its_own_and_its_neighbors_say(kind: str, timed: bool) -> None:
    """More samples than the window is wide, two of them without numbers: the steps go past these."""
    platform = limited(kind)
    lam, clock = samples(platform, 4 * WINDOW + 5)
    lam[3, 2] = np.nan
    lam[9] = np.nan
    found = excursions(platform, lam, clock, timed)
    np.testing.assert_allclose(found, expected(platform, lam, clock, timed), rtol=1e-9, atol=1e-15)
    assert (found[[0, 3, 9]] == 0.0).all()
    if timed:
        assert (found[:, 4] == 0.0).any()  # faster than its limit: nothing is left to go past with
        assert (found[1:3, 1] > 0.0).all()


def test_a_crank_that_is_read_a_turn_later_has_not_moved() -> None:
    platform = limited("mixed")
    lam, clock = samples(platform, 6)
    turned = lam.copy()
    turned[3:, 5] += 2.0 * np.pi
    turned[5:, 3] -= 4.0 * np.pi
    for timed in (True, False):
        np.testing.assert_allclose(
            excursions(platform, turned, clock, timed),
            excursions(platform, lam, clock, timed),
            rtol=1e-9,
            atol=1e-14,
        )
    slid = lam.copy()
    slid[3:, 2] += 2.0 * np.pi  # a slider is somewhere else then
    assert (excursions(platform, slid, clock, False)[3] > 1.0).all()


@pytest.mark.parametrize("n", [0, 1])
def test_no_step_no_excursion(n: int) -> None:
    platform = limited("UPS")
    lam, clock = samples(platform, n)
    found = excursions(platform, lam, clock, True)
    assert found.shape == (n, 6)
    assert (found == 0.0).all()


def test_a_track_is_certified_for_what_its_times_allow() -> None:
    """Slow legs seen every millisecond cannot go far: certified.  Legs that might do metres in between are not, though
    the samples are the same."""
    platform = machine("UPS")
    lam = actuator_coordinates(platform, HOME) + 1e-4 * np.arange(5.0)[:, None]
    time = 1e-3 * np.arange(5.0)
    for speed, certified in ((0.2, True), (5e3, False)):
        legs = [leg.replace(limits=Limits(speed=speed)) for leg in platform.legs]
        run = gough.track(platform.replace(legs=tuple(legs)), lam, HOME, time=time)
        assert run.straight.all()
        assert bool(run.certified[1:].all()) is certified
        assert bool(run.certified[1:].any()) is certified


def test_a_jump_is_felt_three_steps_before_and_after_by_half() -> None:
    """As docs/forward-kinematics.md says; longer steps in proportion to their durations."""
    platform = machine("UPS")
    lam = np.tile(actuator_coordinates(platform, HOME), (12, 1))
    lam[6:, 2] += 0.1  # in the step that ends at sample 6
    clock = np.arange(12.0)
    found = excursions(platform, lam, clock, False)
    felt = np.where((np.arange(12) >= 3) & (np.arange(12) <= 9), 0.05, 0.0)
    np.testing.assert_allclose(found, np.repeat(felt[:, None], 6, axis=1), atol=1e-15)
    clock[8:] += 1.0  # the step that ends at sample 8 is twice as long
    felt[8] *= 2.0
    found = excursions(platform, lam, clock, False)
    np.testing.assert_allclose(found, np.repeat(felt[:, None], 6, axis=1), atol=1e-15)
