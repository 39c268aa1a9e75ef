"""Questions without an answer: no machine, no such engine, a singular pose, coordinates that no ideal leg has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gough
from gough.kinematics.forward import actuator_coordinates, forward_kinematics, forward_rates, twists
from gough.spatial import Pose, rotation_exp
from support.forward_machines import HOME, machine, poses


def test_modes_are_those_of_a_platform() -> None:
    nothing: Any = "motion-base-1500"
    with pytest.raises(gough.InputError, match=r"platform.*must be a gough\.Platform"):
        gough.assembly_modes(nothing, np.ones(6))


def test_legs_with_screws_know_the_engines_too() -> None:
    """Though only the CPU serves them: another name is refused, the card says what it serves."""
    platform = gough.load("screw-hexapod")
    length = actuator_coordinates(platform, platform.require_home())
    assert forward_kinematics(platform, length, engine="native").success
    with pytest.raises(gough.InputError, match=r"engine.*must be one of native, cuda"):
        forward_kinematics(platform, length, engine="abacus")


def singular_and_regular() -> tuple[gough.Platform, Pose]:
    """A regular hexapod turned by a right angle about its axis, between two usual poses."""
    platform = gough.hexapod(0.5, 0.3, 0.4, 0.4, 0.6)
    home = platform.require_home()
    turns = np.array([0.1, np.pi / 2, -0.2])[:, None] * [0.0, 0.0, 1.0]
    return platform, Pose(np.tile(home.position, (3, 1)), rotation_exp(turns) @ home.rotation)


def test_rates_of_a_singular_pose_are_refused() -> None:
    """Alone, in a batch, and where one pose has several sets of rates; the others are answered by `twists`."""
    platform, pose = singular_and_regular()
    rate = np.array([0.1, 0.2, -0.1, 0.3, 0.0, 0.05])
    with pytest.raises(gough.InfeasibleError):
        forward_rates(platform, pose[1], rate)
    with pytest.raises(gough.InfeasibleError, match="1"):
        forward_rates(platform, pose, rate)
    with pytest.raises(gough.InfeasibleError):
        forward_rates(platform, pose[1], np.tile(rate, (4, 1)))
    with pytest.raises(gough.InfeasibleError):
        forward_rates(platform, pose, np.tile(rate, (2, 3, 1)))
    found, regular = twists(platform, pose, rate)
    assert regular.tolist() == [True, False, True]
    assert np.isnan(found[1]).all()
    for k in (0, 2):
        alone = forward_rates(platform, pose[k], rate)
        np.testing.assert_allclose(found[k], alone, rtol=1e-9)
        np.testing.assert_allclose(gough.jacobian(platform, pose[k]) @ alone, rate, atol=1e-9)


def test_coordinates_of_screws_without_any_ideal_legs_have_no_pose() -> None:
    """Where Newton fails and the lengths without screws would be negative there is nowhere else to begin; what else
    is asked in the same call is answered."""
    platform = gough.load("screw-hexapod")
    home = platform.require_home()
    length = actuator_coordinates(platform, home)
    far = Pose(home.position, rotation_exp([0.0, 0.0, 0.9]) @ home.rotation)
    nowhere = np.full(6, 1e-9)
    for guess in (home, far):
        found = forward_kinematics(platform, np.stack([nowhere, length]), guess)
        assert not found.success[0]
        assert np.isnan(found.pose.position[0]).all()
        assert np.isnan(found.pose.rotation[0]).all()
    found = forward_kinematics(platform, np.stack([nowhere, length]), home)
    assert found.success[1]
    np.testing.assert_allclose(found.pose.position[1], home.position, atol=1e-12)


def test_a_batch_of_guesses_is_no_start_of_a_track() -> None:
    platform = machine("UPS")
    lam = np.tile(actuator_coordinates(platform, HOME), (3, 1))
    with pytest.raises(gough.InputError, match=r"start.*must be a single pose"):
        gough.track(platform, lam, poses(2))
    with pytest.raises(gough.InputError, match=r"lengths.*must have shape \(N, 6\)"):
        gough.track(platform, lam[0], HOME)
    for time in ([0.0, 1.0, 1.0], [0.0, 2.0, 1.0]):
        with pytest.raises(gough.InputError, match=r"time.*must increase"):
            gough.track(platform, lam, HOME, time=time)
    assert gough.track(platform, lam, HOME, time=[0.0, 1.0, 1.5]).certified.all()
