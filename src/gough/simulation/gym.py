"""A batched Gymnasium environment: hold or reach poses by setting actuator efforts.  Extra: ``pip install gough[gym]``

All environments of a batch advance in one call of the compiled integrator.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from gough.border import guard_class
from gough.checks import Array, InputError, array, positive, six
from gough.control import leg_loads
from gough.dynamics import inverse_dynamics
from gough.engines import native
from gough.kinematics.feasibility import pose_problem
from gough.kinematics.inverse import inverse_kinematics
from gough.model import Platform
from gough.simulation import compiled, leg_law
from gough.simulation.state import BODY, Rows
from gough.spatial import Motion, Pose, rotation_exp, rotation_log

try:
    import gymnasium
    from gymnasium.vector import AutoresetMode, VectorEnv
except ImportError:
    raise ImportError("gough.gym needs the package gymnasium: pip install gough[gym]") from None


class PlatformVectorEnv(VectorEnv):
    """`num_envs` machines, each to be brought from a random pose to home and held there.

    observation  (24,) float64: pose error to home (m, rad; 6), twist (6), leg coordinate errors (6), leg rates (6),
                 in units of `reach`, `reach`/s for lengths and of the same numbers in rad for angles
    action       (6,) in -1..1: effort = static effort at home + action x `authority`
    reward       minus the squared pose error and a small share of the squared action, per step of `period` s
    An episode is terminated when the state leaves ten times the reach or is no number, truncated after `duration`.
    Environments that ended are reset by the next step (AutoresetMode.NEXT_STEP).
    """

    metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP, "render_modes": []}  # noqa: RUF012

    def __init__(
        self,
        platform: Platform,
        num_envs: int = 1,
        *,
        reach: float | None = None,
        period: float = 0.01,
        step: float = 1e-3,
        duration: float = 2.0,
        authority: Array | float | None = None,
        drives: bool = False,
    ) -> None:
        if platform.home is None:
            raise InputError("platform.home", None, "must be given: it is the goal")
        if num_envs < 1:
            raise InputError("num_envs", num_envs, "must be at least 1")
        self.platform, self.num_envs, self.home = platform, int(num_envs), platform.home
        usual = 0.05 * platform.characteristic_length
        self.reach = positive("reach", usual if reach is None else reach)
        self.period, self.step_size = positive("period", period), positive("step", step)
        self.substeps = round(self.period / self.step_size)
        gap = abs(self.substeps * self.step_size - self.period)
        if self.substeps < 1 or gap > 1e-9 * self.period:
            raise InputError("step", step, "must divide the period")
        self.horizon = round(positive("duration", duration) / self.period)
        self.law = leg_law.leg_laws(platform, None, drives, self.num_envs)
        self.rows = Rows(platform, False, leg_law.in_use(self.law))
        if self.rows.spins:
            refused = "legs whose spin is part of the state are not served"
            raise InputError("platform", platform.name, refused)
        self.static = inverse_dynamics(platform, self.home).force
        loads = leg_loads(platform, self.home)
        default = np.abs(self.static) + loads * self.reach * 400.0
        self.authority = six("authority", default if authority is None else authority)
        self.length = inverse_kinematics(platform, self.home).length
        box = gymnasium.spaces.Box
        self.single_observation_space = box(-np.inf, np.inf, (24,), np.float64)
        self.single_action_space = box(-1.0, 1.0, (6,), np.float64)
        batch = gymnasium.vector.utils.batch_space
        self.observation_space = batch(self.single_observation_space, self.num_envs)
        self.action_space = batch(self.single_action_space, self.num_envs)
        self.compiled = compiled.load("rk4", self.rows.kinds, self.rows.laws)
        self.X = np.zeros((self.rows.size, self.num_envs))
        self.age = np.zeros(self.num_envs, dtype=int)
        self.done = np.ones(self.num_envs, dtype=bool)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Random reachable poses within the reach, at rest."""
        super().reset(seed=seed if isinstance(seed, int) else None)
        self._place(np.ones(self.num_envs, dtype=bool))
        return self._observe(), {}

    def step(self, actions: Any) -> tuple[Array, Array, Any, Any, dict[str, Any]]:
        """One control period for all environments; those that had ended are reset instead."""
        a = array("actions", actions)
        if a.shape != (self.num_envs, 6):
            allowed = f"must have shape ({self.num_envs}, 6)"
            raise InputError("actions", f"shape {a.shape}", allowed)
        fresh = self.done.copy()
        if fresh.any():
            self._place(fresh)
        before = self.X.copy()
        effort = (self.static + np.clip(a, -1.0, 1.0) * self.authority).T[None]
        compiled.advance(
            self.compiled,
            self.X,
            self.substeps,
            self.substeps,
            self.step_size,
            effort=effort,
            external=np.zeros((1, 6, 1)),
            law=self.law,
            par=self.rows.par,
            workers=native.threads(),
        )
        self.X[:, fresh] = before[:, fresh]
        self.age = np.where(fresh, 0, self.age + 1)
        seen = self._observe()
        lost = ~(np.abs(seen[:, :6]).max(axis=1) < 10.0)
        error = np.where(lost[:, None], 10.0, seen[:, :6])
        reward = np.where(fresh, 0.0, -(error**2).sum(axis=1) - 1e-3 * (a**2).sum(axis=1))
        late = self.age >= self.horizon
        self.done = (lost | late) & ~fresh
        return np.nan_to_num(seen), reward, lost & ~fresh, late & ~lost & ~fresh, {}

    def _place(self, which: Any) -> None:
        """New random poses for the environments in `which`."""
        rng = cast(np.random.Generator, self.np_random)
        scale = self.reach / self.platform.characteristic_length
        for i in np.nonzero(which)[0]:
            for _ in range(100):
                t = self.home.position + rng.uniform(-1, 1, 3) * self.reach
                R = rotation_exp(rng.uniform(-1, 1, 3) * scale) @ self.home.rotation
                if pose_problem(self.platform, t, R) is None:
                    break
            else:
                raise InputError("reach", self.reach, "hardly any pose within it can be taken")
            self.X[:, [i]] = self.rows.start(Motion.at_rest(Pose(t[None], R[None])), None)
        self.age[which] = 0
        self.done[which] = False

    def _observe(self) -> Array:
        motion = self.rows.motion(self.X)
        length, rate = self.rows.legs(self.X)
        turn = rotation_log(self.home.rotation @ np.swapaxes(motion.rotation, -1, -2))
        pose, twist = (
            (self.home.position - motion.position, turn),
            (motion.velocity, motion.angular_velocity),
        )
        seen = np.concatenate([*pose, *twist, self.length - length, rate], axis=1) / self.reach
        return np.where(np.isfinite(self.X[BODY].sum(axis=0))[:, None], seen, np.nan)


guard_class(PlatformVectorEnv, "PlatformVectorEnv")
