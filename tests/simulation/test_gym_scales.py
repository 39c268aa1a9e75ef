"""What environments measure by: ranges of the legs, usual efforts and trajectory, rewards, periods and horizons."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

pytest.importorskip("gymnasium", reason="gymnasium is not installed: pip install gough[gym]")

import gough
from gough.control import leg_loads
from gough.layout import LEG_MOTION, STATE
from gough.simulation import Evenly, varied
from gough.simulation.gym import goals
from gough.simulation.gym.environment import (
    NO_WRENCH,
    OBSERVATION,
    POSE_ERROR,
    STIFF,
    PlatformVectorEnv,
    _count,
)
from gough.simulation.gym.goals import usual_trajectory
from gough.simulation.gym.ranges import CORNERS, USUAL_REACH, Ranges
from gough.simulation.state import Rows
from gough.spatial import Pose, rotation_exp

NAME = "motion-base-1500"


def limited(**of_leg: Any) -> gough.Platform:
    """The machine whose first three legs have these limits and whose others have none at all."""
    machine = gough.load(NAME)
    bare = {"stroke": None, "speed": None, "force": None, "base_cone": None, "platform_cone": None}
    legs = [
        leg.replace(limits=leg.limits.replace(**{**bare, **(of_leg if i < 3 else {})}))
        for i, leg in enumerate(machine.legs)
    ]
    return machine.replace(legs=legs)


def test_ranges_are_those_of_the_limits_and_else_of_the_reach() -> None:
    """Half the stroke and the speed limit where there are such; else the change over all corners of the reach, and
    what a swing of one second would need of it."""
    home = gough.inverse_kinematics(gough.load(NAME), gough.load(NAME).require_home()).length
    low, high = float(home.min()) - 0.2, float(home.max()) + 0.5
    machine = limited(stroke=(low, high), speed=0.7)
    ranges = Ranges(Rows(machine, False), None)
    size = machine.characteristic_length
    assert ranges.reach == pytest.approx(0.05 * size)
    assert USUAL_REACH == 0.05
    assert ranges.tilt == pytest.approx(0.05)
    assert len(CORNERS) == 3**6
    assert {tuple(c) for c in CORNERS} == set(product((-1.0, 0.0, 1.0), repeat=6))
    center = machine.require_home()
    poses = [
        Pose(
            center.position + ranges.reach * u[:3],
            rotation_exp(ranges.tilt * u[3:]) @ center.rotation,
        )
        for u in CORNERS
    ]
    away = [gough.inverse_kinematics(machine, pose).length - home for pose in poses[::7]]
    assert (ranges.span[0] >= np.abs(away).max(axis=0) - 1e-12).all()
    most = np.max(
        np.abs([gough.inverse_kinematics(machine, p).length - home for p in poses]), axis=0
    )
    np.testing.assert_allclose(ranges.span[0], most, rtol=1e-10)
    np.testing.assert_allclose(ranges.coordinate[0, :3], 0.5 * (high - low), rtol=1e-14)
    np.testing.assert_allclose(ranges.coordinate[0, 3:], most[3:], rtol=1e-10)
    np.testing.assert_allclose(ranges.rate[0, :3], 0.7)
    np.testing.assert_allclose(ranges.rate[0, 3:], 2.0 * np.pi * most[3:], rtol=1e-10)
    np.testing.assert_array_equal(ranges.low[0], [low] * 3 + [-np.inf] * 3)
    np.testing.assert_array_equal(ranges.high[0], [high] * 3 + [np.inf] * 3)
    twice = Ranges(Rows(machine, False), 0.1 * size)
    assert twice.tilt == pytest.approx(0.1)


def test_poses_are_moved_and_turned_in_world_axes() -> None:
    ranges = Ranges(Rows(gough.load(NAME), False), None)
    center = Pose(np.array([0.1, -0.2, 1.1]), rotation_exp(np.array([0.3, -0.2, 0.5])))
    u = np.array([[0.5, -1.0, 0.25, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, -0.5, 0.0]])
    found = ranges.poses(center, u)
    np.testing.assert_allclose(found.position, center.position + ranges.reach * u[:, :3])
    for R, turn in zip(found.rotation, u[:, 3:], strict=True):
        np.testing.assert_allclose(
            R @ center.rotation.T, rotation_exp(ranges.tilt * turn), atol=1e-15
        )


def test_the_first_leg_beyond_and_the_gravest_reason_are_told() -> None:
    """States made by hand: within both ends of the stroke, beyond either, one that is no number."""
    env = PlatformVectorEnv(limited(stroke=(0.5, 2.5)), 1)
    legs = np.array(np.broadcast_to(env.rows.kinematics(env.X), (5, 6, LEG_MOTION.size)))
    legs = np.ones_like(legs)
    coordinate = LEG_MOTION.at("coordinate")
    legs[:, :, coordinate] = 1.0
    legs[1, 1, coordinate], legs[1, 2, coordinate] = 0.4999, 3.0
    legs[2, 2, coordinate] = 2.5001
    legs[3, 4, coordinate] = 100.0  # a leg without a stroke
    legs[4, 2, coordinate], legs[4, 0, 0] = 3.0, np.nan
    code, leg = env.ranges.outside(legs, np.repeat(np.eye(3)[None], 5, axis=0))
    assert code.tolist() == [0, 2, 2, 0, 1]
    assert leg.tolist() == [0, 1, 2, 0, 0]
    legs[0, 1, coordinate], legs[0, 2, coordinate] = 0.5, 2.5  # the ends themselves are inside
    assert env.ranges.outside(legs[:1], np.eye(3)[None])[0].tolist() == [0]


def test_usual_efforts_hold_the_machine_and_swing_its_legs() -> None:
    """The force limit where a leg has one; else the static effort and a swing of each leg's own load over its range."""
    machine = limited(force=5432.0)
    env = PlatformVectorEnv(machine, 1)
    static = gough.inverse_dynamics(machine, machine.require_home()).force
    np.testing.assert_allclose(env.static[0], static, rtol=1e-12)
    swing = STIFF * leg_loads(machine, machine.require_home()) * env.ranges.span[0]
    np.testing.assert_allclose(env.authority[0, :3], 5432.0)
    np.testing.assert_allclose(env.authority[0, 3:], (np.abs(static) + swing)[3:], rtol=1e-12)
    for given in (700.0, [700.0], [100.0, 200.0, 300.0, 400.0, 500.0, 600.0]):
        asked = PlatformVectorEnv(machine, 2, authority=given)
        np.testing.assert_array_equal(asked.authority, np.broadcast_to(given, (1, 6)))
    assert NO_WRENCH.shape == (1, 6, 1)
    assert not NO_WRENCH.any()


def test_each_machine_has_the_static_effort_of_its_own() -> None:
    machines = varied(gough.load(NAME), {"body.mass": Evenly(0.5, 2.0, relative=True)}, 3, seed=1)
    env = PlatformVectorEnv(machines)
    for i, machine in enumerate(machines):
        own = gough.inverse_dynamics(machine, machine.require_home()).force
        np.testing.assert_allclose(env.static[i], own, rtol=1e-12)
    assert np.ptp(env.static[:, 0]) > 100.0


def test_the_reward_is_minus_errors_and_efforts_and_of_a_lost_one_the_whole_reach_to_the_end() -> (
    None
):
    env = PlatformVectorEnv(NAME, 4, duration=0.5)
    env.reset(seed=1)
    action = np.linspace(-1.5, 0.6, 24).reshape(4, 6)
    seen, reward, *_ = env.step(action)
    used = np.clip(action, -1.0, 1.0)
    error = (seen[:, :6] ** 2).sum(axis=1)
    assert (POSE_ERROR.start, POSE_ERROR.stop) == (0, 6)
    np.testing.assert_allclose(reward, -error - 1e-3 * (used**2).sum(axis=1), rtol=1e-13)
    assert env.horizon == 50
    lost, fresh = np.array([True, False, True, False]), np.array([False, False, True, True])
    env.age[:] = [7, 8, 9, 10]
    told = env._reward(used, fresh, lost)
    cost = error + 1e-3 * (used**2).sum(axis=1)
    np.testing.assert_allclose(told, [-cost[0] - 6.0 * (50 - 7), -cost[1], 0.0, 0.0], rtol=1e-13)


def test_legs_are_told_in_their_own_ranges() -> None:
    env = PlatformVectorEnv(NAME, 3)
    env.reset(seed=3)
    seen = env.step(np.full((3, 6), 0.3))[0]
    motion = env.rows.motion(env.X)
    legs, r = gough.inverse_kinematics(env.platform, motion), env.ranges
    home = gough.inverse_kinematics(env.platform, env.home).length
    np.testing.assert_allclose(
        seen[:, OBSERVATION.coordinate], (home - legs.length) / r.coordinate, atol=1e-12
    )
    np.testing.assert_allclose(seen[:, OBSERVATION.rate], -legs.rate / r.rate, atol=1e-12)
    assert OBSERVATION.size == 24


def test_an_episode_that_grows_beyond_any_bound_is_lost_and_shows_what_was_seen_last() -> None:
    """Efforts beyond any machine; the others beside it go on, and it starts anew at the next step."""
    env = PlatformVectorEnv(limited(), 3, authority=1e14)
    before, _ = env.reset(seed=2)
    push = np.zeros((3, 6))
    push[1] = 1.0
    seen, reward, lost, late, info = env.step(push)
    assert lost.tolist() == [False, True, False]
    assert not late.any()
    np.testing.assert_array_equal(seen[1], before[1])
    assert info["reason"].tolist()[::2] == [None, None]
    assert info["reason"][1] == "the state grew beyond any bound"
    assert info["_reason"].tolist() == [False, True, False]
    assert reward[1] < -6.0 * (env.horizon - 1) + 1e-9 < reward[0]
    seen, reward, lost, late, info = env.step(np.zeros((3, 6)))
    assert env.age.tolist() == [2, 0, 2]
    assert reward[1] == 0.0
    assert info == {}
    assert not (lost | late).any()
    assert np.isfinite(seen).all()
    assert (env.episode == [1, 2, 1]).all()


def test_before_the_first_reset_every_environment_is_done() -> None:
    """So that a step without a reset starts the episodes."""
    env = PlatformVectorEnv(NAME, 2)
    assert env.done.all()
    assert not env.seeded
    assert not env.X.any()
    assert not env.seen.any()
    _, reward, lost, late, _ = env.step(np.ones((2, 6)))
    assert not reward.any()
    assert not (lost | late).any()
    assert (env.age == 0).all()
    still = env.X[STATE.velocity.start :]
    assert not still.any(), "a new episode is not pushed by the action of the old one"


def test_periods_are_whole_steps() -> None:
    one = PlatformVectorEnv(NAME, 1, period=2e-3, step=2e-3, duration=0.1)
    assert (one.substeps, one.horizon) == (1, 50)
    two = PlatformVectorEnv(NAME, 1, period=0.02, step=1e-3 * (1 + 4e-10), duration=0.1)
    assert (two.substeps, two.horizon) == (20, 5)
    for period, step in ((0.02, 1e-3 * (1 + 4e-9)), (0.02, 0.05), (0.02, 0.012)):
        with pytest.raises(gough.InputError, match="divide the period"):
            PlatformVectorEnv(NAME, 1, period=period, step=step)


def test_how_many_environments_there_are() -> None:
    assert (_count(None, None), _count(3, None), _count(None, 4), _count(4, 4)) == (1, 3, 4, 4)
    assert _count(1, None) == 1
    for given, machines in ((0, None), (-1, 2), (3, 4)):
        with pytest.raises(gough.InputError, match="num_envs"):
            _count(given, machines)


def test_seeds_of_some_leave_the_streams_of_others() -> None:
    env = PlatformVectorEnv(NAME, 3)
    env.reset(seed=[4, 5, 6])
    env.reset()
    env.reset(seed=[None, 9, None])
    assert env.seed.tolist() == [4, 9, 6]
    assert env.episode.tolist() == [3, 1, 3]
    env.reset(seed=20)
    assert env.seed.tolist() == [20, 21, 22]
    assert env.episode.tolist() == [1, 1, 1]


def test_spaces_are_open_for_what_is_seen_and_closed_for_what_is_done() -> None:
    env = PlatformVectorEnv(NAME, 2)
    see, do = env.single_observation_space, env.single_action_space
    assert see.shape == (24,)
    assert do.shape == (6,)
    assert see.dtype == do.dtype == np.float64
    assert (see.low == -np.inf).all()
    assert (see.high == np.inf).all()
    assert (do.low == -1.0).all()
    assert (do.high == 1.0).all()


def test_the_usual_trajectory_stays_within_the_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three sines whose amplitudes add up to the reach, with whole periods in two seconds, phases even on the circle,
    and signs that make the three differ from coordinate to coordinate."""
    given: dict[str, Any] = {}

    def caught(home: Pose, amplitude: Any, frequency: Any, phase: Any, duration: float) -> None:
        given.update(amplitude=amplitude, frequency=frequency, phase=phase, duration=duration)

    monkeypatch.setattr(goals, "harmonic", caught)
    ranges = Ranges(Rows(gough.load(NAME), False), 0.08)
    usual_trajectory(gough.load(NAME).require_home(), ranges, 3.5)
    size = np.array([0.08] * 3 + [ranges.tilt] * 3)
    share = np.asarray(given["amplitude"]) / size
    np.testing.assert_allclose(np.abs(share).sum(axis=0), 1.0, rtol=1e-14)
    assert (np.ptp(np.abs(share), axis=1) < 1e-14).all()
    assert (np.diff(np.abs(share[:, 0])) < 0.0).all()
    signs = np.sign(share)
    assert (signs[0] == 1.0).all()
    assert signs[0] @ signs[1] == signs[1] @ signs[2] == 0.0
    np.testing.assert_allclose(np.asarray(given["frequency"]) * 2.0, [1.0, 2.0, 3.0])
    np.testing.assert_allclose(given["phase"], np.tile(2 * np.pi * np.arange(6) / 6, (3, 1)))
    assert given["duration"] == 3.5


def test_a_tracking_episode_starts_near_its_trajectory() -> None:
    """Within a tenth of the reach of its first pose, which is not home."""
    machine = gough.load(NAME)
    home = machine.require_home()
    up = Pose(home.position + np.array([0.02, 0.0, 0.03]), home.rotation)
    path = gough.trajectory.quintic(up, home, duration=0.3)
    env = PlatformVectorEnv(machine, 64, task="track", trajectory=path)
    env.reset(seed=0)
    off = np.abs(env.X[STATE.position].T - up.position).max() / env.reach
    assert 0.08 < off <= 0.1 + 1e-12
