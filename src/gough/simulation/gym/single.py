"""One environment: the vector environment of one."""

from __future__ import annotations

from typing import Any

import gymnasium

from gough.checks import Array, InputError, array
from gough.model import Platform
from gough.simulation.gym.environment import PlatformVectorEnv


class PlatformEnv(gymnasium.Env):
    """A machine to be brought to a pose, or along a trajectory; everything as in `PlatformVectorEnv`.

    platform  a machine, its name or file;  options  those of `PlatformVectorEnv`
    """

    metadata = {"render_modes": []}  # noqa: RUF012

    def __init__(self, platform: Platform | str = "motion-base-1500", **options: Any) -> None:
        if "num_envs" in options:
            raise InputError("num_envs", options["num_envs"], "is one: take PlatformVectorEnv")
        self.batch = PlatformVectorEnv(platform, 1, **options)
        self.observation_space = self.batch.single_observation_space
        self.action_space = self.batch.single_action_space
        self.render_mode = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """A new episode; the stream of episodes goes on where no seed is given."""
        super().reset(seed=seed)
        seen, info = self.batch.reset(seed=seed)
        return seen[0], info

    def step(self, action: Any) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """One control period."""
        a = array("action", action)
        if a.shape != (6,):
            raise InputError("action", f"shape {a.shape}", "must be six numbers")
        if self.batch.done[0]:
            raise InputError("action", "given", "the episode has ended (or none has begun): reset")
        seen, reward, lost, late, info = self.batch.step(a[None])
        told = {"reason": info["reason"][0]} if info else {}
        return seen[0], float(reward[0]), bool(lost[0]), bool(late[0]), told
