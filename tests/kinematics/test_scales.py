"""No size and no frame changes what is said: machines of 1e-9 to 1e9 m, frames 1e6 m away, tiny platforms."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.analysis.singularity import path_check
from gough.kinematics.assembly.filters import admitted
from gough.kinematics.forward import (
    actuator_coordinates,
    forward_kinematics,
    forward_rates,
    track,
)
from gough.spatial import Pose, rotation_exp
from gough.struts import struts
from support.forward_machines import HOME, KINDS, machine, poses
from support.scaled import AWAY, coordinates, moved, scaled

SIZES = (1e-9, 1e-3, 1e3, 1e9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("factor", SIZES)
def test_the_same_answers_in_every_size(kind: str, factor: float) -> None:
    """Status, certificate and pieces are equal, poses after unscaling too, from near by and from home."""
    small, there = machine(kind), poses(40)
    large = scaled(small, factor)
    length = actuator_coordinates(small, there)
    near = Pose(there.position + 1e-3, there.rotation)
    for guess in (near, HOME):
        one = forward_kinematics(small, length, guess)
        other = forward_kinematics(large, coordinates(small, length, factor), moved(guess, factor))
        assert one.success.all()
        assert (one.straight == other.straight).all()
        assert (one.certified == other.certified).all()
        assert (one.pieces == other.pieces).all()
        np.testing.assert_allclose(other.pose.position / factor, one.pose.position, atol=1e-14)
        np.testing.assert_allclose(other.pose.rotation, one.pose.rotation, atol=1e-14)
    fk = forward_kinematics(large, coordinates(small, length, factor), moved(near, factor))
    assert fk.certified.mean() > 0.8
    twist = forward_rates(small, there, np.ones(6))
    rate = coordinates(small, np.ones(6), factor)
    grown = forward_rates(large, moved(there, factor), rate)
    np.testing.assert_allclose(grown / np.repeat([factor, 1.0], 3), twist, rtol=1e-9)


@pytest.mark.parametrize("factor", SIZES)
def test_paths_are_judged_alike_in_every_size(factor: float) -> None:
    small = machine("UPS")
    large = scaled(small, factor)
    a, b = poses(100, 0.2, 0.8, 1), poses(100, 0.2, 0.8, 2)
    one = path_check(small, a, b)
    for platform in (large, scaled(small, factor, 1e6 * factor)):
        shift = 1e6 * factor if platform is not large else 0.0
        other = path_check(platform, moved(a, factor, shift), moved(b, factor, shift))
        assert (one.regular == other.regular).mean() > 0.97
        assert not (one.regular & other.crossing).any()
        assert not (one.crossing & other.regular).any()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shift", [100.0, 1e6])
def test_a_frame_far_away(kind: str, shift: float) -> None:
    """Base frame, platform frame or both 1e6 m off: certified all the same, right to the rounding of the numbers."""
    here, there = machine(kind), poses(40)
    length = actuator_coordinates(here, there)
    near = Pose(there.position + 1e-3, there.rotation)
    rounding = 10 * np.finfo(float).eps * shift
    base = scaled(here, 1.0, shift)
    joints = here.replace(
        legs=[leg.replace(joint=leg.joint + shift * AWAY) for leg in here.legs], home=None
    )
    carried = [Pose(p.position - p.rotation @ (shift * AWAY), p.rotation) for p in (near, there)]
    for platform, guess, truth, lever in (
        (base, moved(near, 1.0, shift), moved(there, 1.0, shift), 0.0 * AWAY),
        (joints, *carried, shift * AWAY),
    ):
        fk = forward_kinematics(platform, length, guess)
        assert fk.success.all()
        assert fk.certified.mean() > 0.8
        middle, wanted = (p.position + p.rotation @ lever for p in (fk.pose, truth))
        assert np.abs(middle - wanted).max() < 20 * rounding  # where the machine is
        assert np.abs(fk.pose.rotation - truth.rotation).max() < 20 * rounding
        assert fk.residual.max() < 20 * rounding  # the far frame's rounding is said, not hidden
        assert fk.residual.min() > 1e-2 * rounding
    run = track(base, length[:1], moved(near[0], 1.0, shift))
    assert run.certified.all()


@pytest.mark.parametrize("ratio", [1e-2, 1e-5])
def test_a_platform_much_smaller_than_its_base(ratio: float) -> None:
    """Small turns of a tiny platform: found and certified, the rotation as exact as the legs' rounding allows."""
    whole = machine("UPS")
    legs = [leg.replace(joint=ratio * leg.joint) for leg in whole.legs]
    tiny = gough.Platform(whole.body, legs, home=HOME)
    rng = np.random.default_rng(3)
    there = poses(60, shift=0.1, turn=0.3)
    near = Pose(there.position + ratio * rng.uniform(-1e-3, 1e-3, (60, 3)), there.rotation)
    length = actuator_coordinates(tiny, there)
    fk = forward_kinematics(tiny, length, near)
    assert fk.success.all()
    assert np.abs(fk.pose.position - there.position).max() < 1e-13
    assert np.abs(fk.pose.rotation - there.rotation).max() < 1e-13 / ratio
    assert fk.certified.mean() > 0.9


@pytest.mark.parametrize("factor", [1e-9, 1e9])
def test_the_branch_of_a_slider_is_judged_in_every_size(factor: float) -> None:
    """A pose on the other branch of one slider is told from its own, however small the machine."""
    platform = machine("PUS")
    other = platform.replace(
        legs=[platform.legs[0].replace(assembly=-platform.legs[0].assembly), *platform.legs[1:]]
    )
    length = coordinates(platform, actuator_coordinates(platform, HOME), factor)
    there = moved(Pose(HOME.position[None]), factor)
    for which, wanted in ((platform, True), (other, False)):
        assert admitted("branch", scaled(which, factor), there, length).tolist() == [wanted]


@pytest.mark.parametrize("high", [0.35, 35.0, 3500.0])
def test_legs_with_screws_may_be_much_longer_than_the_platform_is_wide(high: float) -> None:
    """Rounding is that of the lengths: the pose is found, its legs have the lengths asked for to some roundings."""
    platform, rng = gough.load("screw-hexapod"), np.random.default_rng(5)
    there = Pose(
        high * (np.array([0.0, 0.0, 1.0]) + rng.uniform(-0.1, 0.1, (20, 3))),
        rotation_exp(rng.uniform(-0.2, 0.2, (20, 3))),
    )
    length = struts(platform, there).coordinate
    near = Pose(there.position + 1e-3 * high, there.rotation)
    found = forward_kinematics(platform, length, near)
    assert found.success.all()
    back = struts(platform, found.pose).coordinate
    np.testing.assert_allclose(back, length, rtol=1e-14)
