"""The Gymnasium environment: interface, a simple policy against none, determinism, autoreset."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("gymnasium")

import gough
from gough.checks import Array
from gough.control import leg_loads
from gough.simulation.gym import PlatformVectorEnv


@pytest.fixture(scope="module")
def env() -> PlatformVectorEnv:
    return PlatformVectorEnv(gough.load("motion-base-1500"), 8, duration=1.0)


def rollout(env: PlatformVectorEnv, gain: float, steps: int, seed: int = 3) -> tuple[Array, Array]:
    """Total reward and last pose error under PD on each leg (gain 0: no control at all)."""
    seen, _ = env.reset(seed=seed)
    loads, w = leg_loads(env.platform, env.home), 15.0
    total = np.zeros(env.num_envs)
    for _ in range(steps):
        effort = loads * env.reach * (w**2 * seen[:, 12:18] - 2 * 0.8 * w * seen[:, 18:24])
        seen, reward, *_ = env.step(np.clip(gain * effort / env.authority, -1, 1))
        total += reward
    return total, np.abs(seen[:, :6]).max(axis=1)


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


def test_a_simple_policy_beats_none(env: PlatformVectorEnv) -> None:
    good, left = rollout(env, 1.0, 90)
    bad, _ = rollout(env, 0.0, 90)
    assert (good > bad).all()
    assert (left < 0.05).all()


def test_the_same_seed_gives_the_same_bits(env: PlatformVectorEnv) -> None:
    first, second = rollout(env, 1.0, 20), rollout(env, 1.0, 20)
    assert np.array_equal(first[0], second[0])
    assert not np.array_equal(first[0], rollout(env, 1.0, 20, seed=4)[0])


def test_ended_environments_are_reset_by_the_next_step(env: PlatformVectorEnv) -> None:
    env.reset(seed=1)
    push = np.ones((8, 6))
    push[4:] = 0.0
    ended = np.zeros(8, dtype=bool)
    for _ in range(60):
        _, _, lost, _, _ = env.step(push)
        if lost.any():
            ended = lost
            break
    assert ended[:4].any()
    seen, reward, lost, late, _ = env.step(np.zeros((8, 6)))
    assert (reward[ended] == 0.0).all()
    assert not (lost | late)[ended].any()
    assert np.abs(seen[ended, :3]).max() <= 1.0 + 1e-9


def test_time_is_up_for_all_at_once() -> None:
    env = PlatformVectorEnv(gough.load("motion-base-1500"), 2, duration=0.05)
    env.reset(seed=0)
    flags = [env.step(np.zeros((2, 6)))[3] for _ in range(5)]
    assert [bool(f.all()) for f in flags] == [False] * 4 + [True]
