"""What an environment shows is scaled: one is the reach, or the speed of a swing of a second's period by it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("gymnasium", reason="gymnasium is not installed: pip install gough[gym]")

import gough
from gough.simulation.gym import environment
from gough.simulation.gym.draws import uniforms
from gough.simulation.gym.environment import START, PlatformVectorEnv
from gough.spatial import rotation_log


def test_what_is_missing_to_the_goal_is_told_in_reaches_and_swings() -> None:
    env = PlatformVectorEnv("motion-base-1500", 3)
    env.reset(seed=3)
    seen = env.step(np.full((3, 6), 0.3))[0]
    t, R, v, w = env.rows.blocks(env.X)
    goal, reach, tilt = env.goals, env.ranges.reach, env.ranges.tilt
    turn = rotation_log(goal.rotation @ np.swapaxes(R.reshape(-1, 3, 3), -1, -2))
    swing = 2.0 * np.pi
    parts = (goal.position - t, turn, -v / swing, -w / swing)
    wanted = [part / size for part, size in zip(parts, (reach, tilt) * 2, strict=True)]
    assert np.abs(v).max() > 0.0
    np.testing.assert_allclose(seen[:, :12], np.concatenate(wanted, axis=1), rtol=1e-5, atol=1e-6)


def test_episodes_of_a_seed_are_numbered_from_zero_on() -> None:
    """Episode e of an environment with a seed starts where (seed, e) says, and an environment alone does the same."""
    env = PlatformVectorEnv("motion-base-1500", 2)
    for episode in range(3):
        env.reset(seed=[5, 8] if episode == 0 else None)
        np.testing.assert_array_equal(env.episode, episode + 1)
        seeds, number = np.array([5, 8], dtype=np.uint64), np.full(2, episode, dtype=np.uint64)
        drawn = 2.0 * uniforms(seeds, number, START, 6) - 1.0
        there = env.ranges.poses(env.home, drawn)
        np.testing.assert_allclose(env.rows.blocks(env.X)[0], there.position, atol=1e-14)


@pytest.mark.parametrize("drives", [False, True])
@pytest.mark.parametrize("several", [False, True])
def test_environments_on_a_card_have_numbers_of_their_own_where_they_differ(
    several: bool, drives: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of machines that are several, and of laws that are several where laws are in use."""
    made = list[Any]()

    class Card:
        def __init__(self, form: Any) -> None:
            made.append(form)

        def hold(self, *_: Any) -> None:
            """Nothing."""

    monkeypatch.setattr(environment, "check_engine", lambda engine: engine)
    monkeypatch.setattr(environment, "Kernel", Card)
    monkeypatch.setattr(environment, "fitted", lambda form, runs: form)
    one = gough.load("motion-base-1500")
    monkeypatch.setattr(PlatformVectorEnv, "_begin", lambda *_: None)
    machines = [one, one.replace(name="other")] if several else one
    env = PlatformVectorEnv(machines, 2, drives=drives, engine="cuda")
    laws = env.law.shape[2] > 1 and drives
    assert made[0].machines is (several or laws)
    assert made[0].watched is False
