"""Twists beyond half a turn: legs that are wound up while the platform passes no singular pose."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.checks import Array, InputError
from gough.model import Platform
from gough.results import condition_number
from gough.spatial import Motion
from gough.struts import struts
from gough.twist import leads, screw_shares, whole_turns
from support import winding as support

DURATION = 1.5  # s a round


def precession(machine: Platform, t: Array) -> Motion:
    """Round after round at one speed."""
    t, w = np.asarray(t, dtype=float), 2 * np.pi / DURATION
    return support.precession(machine, w * t, w + 0 * t, 0 * t, t)


@pytest.fixture(scope="module")
def machine() -> Platform:
    return support.winding()


def legs_of(machine: Platform, motion: Motion, **more: bool) -> gough.LegMotion:
    return gough.inverse_kinematics(machine, motion, engine="python", **more)


@pytest.mark.parametrize("rounds", [1.0, 2.5, -1.5])
def test_travels_go_on_round_after_round(machine: Platform, rounds: float) -> None:
    """No jump; the travel is the integral of its rate; a whole round is worth a lead though the pose is the same."""
    t = np.linspace(0.0, rounds * DURATION, 1 + 400 * round(2 * abs(rounds)))
    motion = precession(machine, t)
    found, cut = (legs_of(machine, motion, continuous=on) for on in (True, False))
    assert np.abs(np.diff(cut.length, axis=0)).max() > 4e-3, "some leg must pass the cut"
    assert np.abs(np.diff(found.length, axis=0)).max() < 1e-3
    for name in ("rate", "acceleration", "direction", "angular_velocity"):
        np.testing.assert_array_equal(getattr(found, name), getattr(cut, name))
    step, rate = t[1] - t[0], found.rate
    gone = np.cumsum((rate[1:] + rate[:-1]) / 2, axis=0) * step
    assert np.abs(found.length[1:] - found.length[0] - gone).max() < 2e-6
    np.testing.assert_array_equal(found.length[0], cut.length[0])
    if rounds == 1.0:
        np.testing.assert_allclose(motion.rotation[-1], motion.rotation[0], atol=1e-14)
        np.testing.assert_allclose(found.length[-1] - found.length[0], -5e-3, atol=1e-12)


def test_no_pose_on_the_way_is_singular(machine: Platform) -> None:
    """The claim behind all this: neither a leg nor the platform is anywhere near a singularity."""
    motion = precession(machine, np.linspace(0.0, DURATION, 721))
    g = struts(machine, motion)
    assert g.platform_axes is not None
    for axes in (g.platform_axes, np.array([leg.axis for leg in machine.legs])):  # type: ignore[union-attr]
        assert np.abs((axes * g.direction).sum(-1)).max() < 0.997
    assert condition_number(g.wrench_matrix, machine.characteristic_length).max() < 4.0
    force = gough.inverse_dynamics(machine, motion, engine="python").force
    jumps = np.abs(np.diff(force, axis=0)).max()
    assert jumps < 0.05 * np.ptp(force), "no spring, no law: the turn does not enter the forces"


def test_the_motion_is_one(machine: Platform) -> None:
    """Its twist and acceleration are the derivatives of its poses."""
    h, t = 1e-5, np.array([0.1, 0.4, 1.1])
    now, ends = precession(machine, t), [precession(machine, t + s * h) for s in (1, -1)]
    slope = (ends[0].rotation - ends[1].rotation) / (2 * h) @ np.swapaxes(now.rotation, -1, -2)
    np.testing.assert_allclose(
        np.stack([slope[:, 2, 1], slope[:, 0, 2], slope[:, 1, 0]], -1),
        now.angular_velocity,
        atol=1e-8,
    )
    slope = (ends[0].angular_velocity - ends[1].angular_velocity) / (2 * h)
    np.testing.assert_allclose(slope, now.angular_acceleration, atol=1e-7)


def test_batches_of_motions(machine: Platform) -> None:
    """Time is the last axis; each motion of a batch begins in home's turn."""
    t = np.stack([np.linspace(0.0, DURATION, 401), np.linspace(0.7, 0.7 + DURATION, 401)])
    both = legs_of(machine, precession(machine, t), continuous=True).length
    for k in range(2):
        one = legs_of(machine, precession(machine, t[k]), continuous=True).length
        np.testing.assert_allclose(both[k], one, atol=1e-15)
        np.testing.assert_allclose(one[-1] - one[0], -5e-3, atol=1e-12)


def test_cranks_too() -> None:
    """The servo hexapod's cranks stay within half a turn: nothing changes; a made angle goes on."""
    platform = gough.load("servo-hexapod")
    home, t = platform.require_home(), np.linspace(0.0, 1.0, 50)
    lift = np.array([0.0, 0.0, 0.005]) * np.sin(2 * np.pi * t)[:, None]
    speed = np.array([0.0, 0.0, 0.01 * np.pi]) * np.cos(2 * np.pi * t)[:, None]
    motion = Motion(home.position + lift, np.broadcast_to(home.rotation, (50, 3, 3)), speed, time=t)
    found, cut = (legs_of(platform, motion, continuous=on) for on in (True, False))
    np.testing.assert_array_equal(found.length, cut.length)
    angle = np.linspace(0.0, 40.0, 80)[:, None]
    rate = np.full((80, 1), 40.0)
    wrapped = np.arctan2(np.sin(angle), np.cos(angle))
    np.testing.assert_allclose(
        wrapped + whole_turns(wrapped, rate, np.linspace(0.0, 1.0, 80)), angle, atol=1e-12
    )


def test_refusals(machine: Platform) -> None:
    """Without times nothing goes on; instants too far apart do not say how often a leg has turned."""
    motion = precession(machine, np.linspace(0.0, DURATION, 400))
    for bad in (Motion(motion.position, motion.rotation), motion[0]):
        with pytest.raises(InputError, match=r"continuous: .*times"):
            legs_of(machine, bad, continuous=True)
    coarse = precession(machine, np.linspace(0.0, 8 * DURATION, 12))
    with pytest.raises(gough.InfeasibleError, match="too far apart"):
        legs_of(machine, coarse, continuous=True)


def test_turns_by_nearness_alone_would_be_wrong(machine: Platform) -> None:
    """Planted: few instants of a fast angle.  Its rates say the turn where the nearest angle is the wrong one."""
    t, angle = np.linspace(0.0, 1.0, 8), np.linspace(0.0, 40.0, 8)[:, None]
    wrapped, rate = np.arctan2(np.sin(angle), np.cos(angle)), np.full((8, 1), 40.0)
    np.testing.assert_allclose(wrapped + whole_turns(wrapped, rate, t), angle, atol=1e-12)
    assert np.abs(np.unwrap(wrapped, axis=0) - angle).max() > 6.0
    few = legs_of(machine, precession(machine, np.linspace(0.0, DURATION, 25)), continuous=True)
    many = legs_of(machine, precession(machine, np.linspace(0.0, DURATION, 2401)), continuous=True)
    np.testing.assert_allclose(few.length, many.length[::100], atol=1e-12)


def test_shares_and_leads(machine: Platform) -> None:
    """A right-hand lead of 5 mm; the coordinate is the length and the twist's share; none for legs without a screw."""
    pose = precession(machine, np.array(0.3)).pose
    g = struts(machine, pose)
    np.testing.assert_allclose(leads(machine), -5e-3)
    length = np.linalg.norm(g.end - g.start, axis=-1)
    np.testing.assert_allclose(g.coordinate, length + screw_shares(machine, g), rtol=1e-14)
    other = gough.load("dasgupta-1998-physical")
    assert not leads(other).any()
    assert not screw_shares(other, struts(other, gough.Pose([0.0, 0.0, 1.0]))).any()
