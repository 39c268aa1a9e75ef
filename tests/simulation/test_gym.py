"""The Gymnasium environments: interface, scales, tasks, limits, seeds, machines of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("gymnasium")

import gymnasium

import gough
from gough.checks import Array
from gough.control import leg_loads
from gough.kinematics.inverse import inverse_kinematics
from gough.layout import LEG_MOTION, STATE
from gough.limits import check
from gough.model.numbers import with_numbers
from gough.simulation import Evenly, Normal, varied
from gough.simulation.gym import TASKS, PlatformEnv, PlatformVectorEnv
from gough.simulation.gym.draws import uniforms
from gough.simulation.gym.environment import OBSERVATION, POSE_ERROR
from gough.simulation.gym.ranges import CONE, REACH, STROKE
from oracles.machines import case

MACHINES = ("motion-base-1500", "servo-hexapod", "hexaglide")


def policy(env: PlatformVectorEnv, seen: Array, gain: float = 1.0, w: float = 15.0) -> Array:
    """PD on each leg; gain 0: no control at all."""
    loads, r = leg_loads(env.platform, env.home), env.ranges
    error, rate = (seen[:, at] for at in (OBSERVATION.coordinate, OBSERVATION.rate))
    effort = loads * (w**2 * error * r.coordinate + 2 * 0.8 * w * rate * r.rate)
    return np.clip(gain * effort / env.authority, -1.0, 1.0)


def rollout(env: PlatformVectorEnv, gain: float, steps: int, seed: Any = 3) -> tuple[Array, Array]:
    """Total reward and last pose error."""
    seen, _ = env.reset(seed=seed)
    total = np.zeros(env.num_envs)
    for _ in range(steps):
        seen, reward, *_ = env.step(policy(env, seen, gain))
        total += reward
    return total, np.abs(seen[:, POSE_ERROR]).max(axis=1)


@pytest.fixture(scope="module")
def env() -> PlatformVectorEnv:
    return PlatformVectorEnv(gough.load("motion-base-1500"), 8, duration=1.0)


def test_spaces_fit(env: PlatformVectorEnv) -> None:
    seen, info = env.reset(seed=0)
    assert info == {}
    assert env.observation_space.contains(seen)
    assert env.action_space.shape == (8, 6)
    seen, reward, ended, late, _ = env.step(np.zeros((8, 6)))
    assert seen.shape == (8, 24)
    assert reward.shape == ended.shape == late.shape == (8,)
    assert (reward < 0).all()
    with pytest.raises(gough.InputError):
        env.step(np.zeros((7, 6)))
    with pytest.raises(gough.InputError):
        env.step(np.full((8, 6), np.nan))


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("name", MACHINES)
def test_a_simple_policy_beats_none(name: str, task: str) -> None:
    """Of every leg kind; and no environment ends while it is controlled (angles were once divided by meters)."""
    env = PlatformVectorEnv(name, 4, task=task, duration=1.0)
    good, left = rollout(env, 1.0, 90)
    assert (env.age == 90).all(), "an episode ended"
    bad, _ = rollout(env, 0.0, 90)
    assert (good > bad).all()
    assert (left < (0.1 if task == "hold" else 0.4)).all()


@pytest.mark.parametrize("name", MACHINES)
def test_observations_are_of_the_order_of_one(name: str) -> None:
    """Start poses fill the reach, and the legs' errors stay within their own ranges, whatever their unit."""
    env = PlatformVectorEnv(name, 500)
    seen, _ = env.reset(seed=1)
    pose, legs = seen[:, POSE_ERROR], np.abs(seen[:, OBSERVATION.coordinate])
    assert 0.9 < np.abs(pose[:, OBSERVATION.position]).max() <= 1.0
    assert np.abs(pose).max() < 1.8  # a rotation vector of three angles
    assert 0.01 < legs.max() < 1.5
    assert not seen[:, OBSERVATION.velocity].any()
    seen, _, ended, _, _ = env.step(np.zeros((500, 6)))
    assert not ended.any()
    assert np.abs(seen).max() < 3.0


def test_the_same_seed_gives_the_same_bits(env: PlatformVectorEnv) -> None:
    first, second = rollout(env, 1.0, 20), rollout(env, 1.0, 20)
    assert np.array_equal(first[0], second[0])
    assert not np.array_equal(first[0], rollout(env, 1.0, 20, seed=40)[0])


@pytest.mark.parametrize("task", TASKS)
def test_an_environment_has_the_same_episodes_alone_and_beside_others(task: str) -> None:
    """Three episodes each: seeds of a list, or counted up from one; the planted error is another seed."""
    options: dict[str, Any] = {"task": task, "duration": 0.05, "drives": True}
    many = PlatformVectorEnv("servo-hexapod", 5, **options)
    seeds = [7, 1, 2**40, 7, 3]
    seen, _ = many.reset(seed=seeds)
    shown = [seen]
    for _ in range(15):
        seen, *_ = many.step(policy(many, seen))
        shown.append(seen)
    for i, seed in enumerate(seeds):
        alone = PlatformEnv("servo-hexapod", **options)
        mine, _ = alone.reset(seed=seed)
        for step, other in enumerate(shown):
            assert np.array_equal(mine, other[i]), (i, step)
            if alone.batch.done[0]:
                mine, _ = alone.reset()
            else:
                mine, *_ = alone.step(policy(alone.batch, mine[None])[0])
    assert np.array_equal(shown[0][0], shown[0][3])
    assert not np.array_equal(shown[0][0], shown[0][1])
    assert np.array_equal(many.reset(seed=5)[0], many.reset(seed=[5, 6, 7, 8, 9])[0])


@pytest.mark.parametrize(
    ("name", "drives"),
    [
        ("motion-base-1500", False),
        ("motion-base-1500", True),
        ("servo-hexapod", True),
        ("hexaglide", False),
    ],
)
def test_a_machine_each_is_the_machine_alone(name: str, drives: bool) -> None:
    spread = {"body.mass": Evenly(0.7, 1.3, relative=True), "legs.*.joint.?": Normal(1e-5)}
    machines = varied(gough.load(name), spread, 4)
    many = PlatformVectorEnv(machines, task="reach", drives=drives, duration=0.1)
    assert many.num_envs == 4
    seen, _ = many.reset(seed=[1, 2, 3, 4])
    alone = [
        PlatformEnv(m, task="reach", drives=drives, duration=0.1, reach=many.reach)
        for m in machines
    ]
    for a in alone:
        a.batch.ranges.tilt = many.ranges.tilt  # of the first machine's size
    own = [a.reset(seed=i + 1)[0] for i, a in enumerate(alone)]
    action = np.random.default_rng(0).uniform(-0.1, 0.1, (4, 6))
    for _ in range(8):
        assert np.array_equal(seen, own)
        seen, *_ = many.step(action)
        own = [a.step(u)[0] for a, u in zip(alone, action, strict=True)]
    assert np.ptp(seen[:, OBSERVATION.velocity], axis=0).max() > 0.0
    with pytest.raises(gough.InputError, match="one for each machine"):
        PlatformVectorEnv(machines, 5)


@pytest.mark.parametrize("name", MACHINES)
def test_a_leg_at_the_end_of_its_stroke_ends_the_episode(name: str) -> None:
    """Pushed outwards, every environment is terminated, with the leg whose limit the judge of limits finds broken."""
    machine = gough.load(name)
    assert machine.home is not None
    home = inverse_kinematics(machine, machine.home).length
    span = PlatformVectorEnv(machine, 1).ranges.span[0]
    legs = [
        leg.replace(limits=leg.limits.replace(stroke=(h - 2 * s, h + 2 * s)))
        for leg, h, s in zip(machine.legs, home, span, strict=True)
    ]
    env = PlatformVectorEnv(machine.replace(legs=legs), 6, duration=5.0)
    env.reset(seed=2)
    why: list[Any] = [None] * 6
    for _ in range(300):
        seen, reward, lost, _, info = env.step(np.ones((6, 6)))
        assert np.isfinite(seen).all()
        for i in np.flatnonzero(lost):
            assert info["_reason"][i]
            why[i] = why[i] or info["reason"][i]
            assert reward[i] < -6.0 * (env.horizon - env.age[i])
            pose = gough.Pose(
                env.X[STATE.position, i], env.X[STATE.rotation, i].reshape(3, 3).copy()
            )
            judged = check(env.platform, pose)
            assert not judged.ok
            assert info["reason"][i].split()[1] in {
                v.sentence.split(":")[0].split()[0] for v in judged.violations()
            }
        if all(why):
            break
    assert all(word and "stroke" in word for word in why)


def test_what_is_outside_is_what_the_judge_of_limits_says() -> None:
    """Reach, strokes and cones of many random poses, well in and well out."""
    machine = gough.load("servo-hexapod")
    assert machine.home is not None
    legs = [
        leg.replace(
            limits=leg.limits.replace(stroke=(-0.3, 0.4), base_cone=0.25, platform_cone=0.3)
        )
        for leg in machine.legs
    ]
    limited = machine.replace(legs=legs)
    env = PlatformVectorEnv(limited, 1, reach=0.3 * machine.characteristic_length)
    rng = np.random.default_rng(0)
    u = rng.uniform(-2.0, 2.0, (2000, 6)) * rng.uniform(0.0, 1.0, (2000, 1)) ** 2
    pose = env.ranges.poses(env.home, u)
    found = env.rows.resting_legs(pose, np.zeros(2000, dtype=int))
    code, leg = env.ranges.outside(found, pose.rotation)
    judged = check(limited, pose)
    assert np.array_equal(code == 0, judged.ok)
    assert set(code) == {0, REACH, STROKE, CONE}
    for i in np.flatnonzero(code)[::40]:
        sentences = [v.leg for v in check(limited, pose[i]).violations()]
        assert leg[i] in sentences
    assert (found[..., LEG_MOTION.rate][code == 0] == 0.0).all()


def test_ended_environments_are_reset_by_the_next_step(env: PlatformVectorEnv) -> None:
    env.reset(seed=1)
    push = np.ones((8, 6))
    push[4:] = 0.0
    ended = np.zeros(8, dtype=bool)
    for _ in range(90):
        _, _, lost, _, _ = env.step(push)
        if lost.any():
            ended = lost
            break
    assert ended[:4].any()
    seen, reward, lost, late, info = env.step(np.zeros((8, 6)))
    assert (reward[ended] == 0.0).all()
    assert not (lost | late)[ended].any()
    assert np.abs(seen[ended, OBSERVATION.position]).max() <= 1.0 + 1e-9
    assert (env.age[ended] == 0).all()
    assert "reason" not in info or not info["_reason"][ended].any()


def test_time_is_up_for_all_at_once() -> None:
    env = PlatformVectorEnv(gough.load("motion-base-1500"), 2, duration=0.05)
    env.reset(seed=0)
    flags = [env.step(np.zeros((2, 6)))[3] for _ in range(5)]
    assert [bool(f.all()) for f in flags] == [False] * 4 + [True]


@pytest.mark.filterwarnings("ignore:.*Box observation space:UserWarning")
@pytest.mark.parametrize("task", TASKS)
def test_made_by_name_and_checked_by_gymnasium(task: str) -> None:
    from gymnasium.utils.env_checker import check_env

    name = f"gough/{task.capitalize()}-v0"
    env = gymnasium.make(name, platform="servo-hexapod", duration=0.1)
    assert env.unwrapped.batch.task == task
    check_env(env.unwrapped, skip_render_check=True)
    many = gymnasium.make_vec(name, num_envs=3, platform=gough.load("servo-hexapod"))
    assert many.reset(seed=1)[0].shape == (3, 24)
    assert gymnasium.make(f"gough.gym:{name}").unwrapped.batch.platform.name


def test_tracking_knows_its_trajectory() -> None:
    """Held at its target the machine would see no error; a trajectory outside the limits is refused."""
    machine = gough.load("motion-base-1500")
    assert machine.home is not None
    up = gough.Pose(machine.home.position + np.array([0.0, 0.0, 0.03]), machine.home.rotation)
    path = gough.trajectory.quintic(machine.home, up, duration=0.3)
    env = PlatformVectorEnv(machine, 2, task="track", trajectory=path, duration=0.5)
    env.reset(seed=0)
    env.age[:] = 49
    env.X[STATE.position], env.X[STATE.rotation] = up.position[:, None], up.rotation.reshape(9, 1)
    env.X[STATE.velocity] = env.X[STATE.angular_velocity] = 0.0
    assert np.abs(env._observe(env.rows.kinematics(env.X))).max() < 1e-9
    far = gough.Pose(machine.home.position + np.array([0.0, 0.0, 2.0]), machine.home.rotation)
    wild = gough.trajectory.quintic(machine.home, far, duration=0.3)
    for wrong, words in ((wild, "L1|stroke|beyond"), (3.0, "trajectory"), (lambda t: t, "Motion")):
        with pytest.raises(gough.InputError, match=words):
            PlatformVectorEnv(machine, task="track", trajectory=wrong)


def test_environments_that_cannot_be_are_refused(env: PlatformVectorEnv) -> None:
    machine = env.platform
    spin = case("SPS-general", seed=2, states=1).platform
    beyond = with_numbers(
        machine, {"L1.limits.stroke.max": 0.5 * env.ranges.high[0, 0] + 0.5 * env.ranges.low[0, 0]}
    )
    if check(beyond, env.home).ok:
        beyond = with_numbers(machine, {"L1.limits.stroke.min": 0.99 * env.ranges.high[0, 0]})
    refused: list[tuple[Any, dict[str, Any], str]] = [
        (machine, {"num_envs": 0}, "num_envs"),
        (machine, {"task": "dance"}, "hold, reach, track"),
        (machine, {"trajectory": lambda t: t}, "track"),
        (machine, {"step": 3e-3}, "divide the period"),
        (machine, {"render_mode": "human"}, "nothing is drawn"),
        (machine.replace(home=None), {}, "home"),
        (spin, {}, "spin"),
        (beyond, {}, "home"),
    ]
    for platform, options, words in refused:
        with pytest.raises(gough.InputError, match=words):
            PlatformVectorEnv(platform, **options)
    with pytest.raises(gough.InputError, match="seeds"):
        env.reset(seed=[1, 2])
    with pytest.raises(gough.InputError, match="hardly any pose"):
        PlatformVectorEnv(gough.load("servo-hexapod"), reach=500.0).reset(seed=1)
    alone = PlatformEnv(machine)
    with pytest.raises(gough.InputError, match="reset"):
        alone.step(np.zeros(6))
    alone.reset(seed=1)
    with pytest.raises(gough.InputError, match="six numbers"):
        alone.step(np.zeros((1, 6)))
    with pytest.raises(gough.InputError, match="PlatformVectorEnv"):
        PlatformEnv(machine, num_envs=3)


class SplitMix64:
    """The published generator, number after number: a state that goes on by the golden ratio, and its mixing function
    [Steele, Lea, Flood 2014]."""

    def __init__(self, state: int) -> None:
        self.state = state

    def next(self) -> int:
        self.state = z = (self.state + 0x9E3779B97F4A7C15) % 2**64
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
        return z ^ z >> 31


def test_draws_are_those_of_splitmix64() -> None:
    """Number for number: a seed's first number starts a generator whose numbers start those of the tries."""
    known = SplitMix64(1234567)  # its first numbers are often given as a check
    assert [known.next() for _ in range(3)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
    ]
    for seed in (0, 7, 2**64 - 1):
        tries = SplitMix64(SplitMix64(seed).next())
        given = np.array([seed], dtype=np.uint64), np.zeros(1, dtype=np.uint64)
        for number in range(1, 5):
            one = SplitMix64(tries.next())
            wanted = [(one.next() >> 11) / 2**53 for _ in range(6)]
            assert uniforms(*given, number, 6)[0].tolist() == wanted


def test_draws_are_even_and_every_stream_its_own() -> None:
    n = 20_000
    seed, zero = np.arange(n, dtype=np.uint64), np.zeros(n, dtype=np.uint64)
    u = uniforms(seed, zero, 0, 6)
    assert 0.0 <= u.min() < u.max() < 1.0
    counts = np.stack([np.histogram(c, 20, (0.0, 1.0))[0] for c in u.T])
    chi2 = ((counts - n / 20) ** 2 / (n / 20)).sum(axis=1)
    assert (chi2 < 50.0).all(), "19 degrees of freedom: beyond 50 one time in 7000"
    other = [
        uniforms(seed, zero, 1, 6),
        uniforms(seed, zero + np.uint64(1), 0, 6),
        np.roll(u, 1, 1),
        np.roll(u, 1, 0),
    ]
    for v in other:
        assert np.abs(np.corrcoef(u.ravel(), v.ravel())[0, 1]) < 4.0 / np.sqrt(u.size)
    assert np.array_equal(u[5:6], uniforms(seed[5:6], zero[5:6], 0, 6))
