"""Many environments as one: all of them advance in one call of the compiled integrator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from numpy.typing import ArrayLike, NDArray

from gough.checks import Array, InputError, array, positive
from gough.control import leg_loads
from gough.dynamics import inverse_dynamics
from gough.engines import native
from gough.kinematics.inverse import inverse_kinematics
from gough.layout import LEG_MOTION, STATE, Layout
from gough.links import refuse_links
from gough.model import Platform
from gough.model.files import load
from gough.simulation import compiled, leg_law
from gough.simulation.cuda_kernel import Kernel
from gough.simulation.cuda_kernel import advance as on_device
from gough.simulation.cuda_legs import fitted
from gough.simulation.cuda_writer import Form
from gough.simulation.demand import check_step
from gough.simulation.device import check_engine
from gough.simulation.gym.draws import uniforms
from gough.simulation.gym.goals import NEAR, TASKS, Goal, at_age, table, usual_trajectory
from gough.simulation.gym.ranges import DIVERGED, SENTENCES, Ranges
from gough.simulation.machines import laws_of, machines_of
from gough.simulation.programs import METHODS
from gough.simulation.state import Rows
from gough.spatial import Motion, Pose, rotation_log

Runs = NDArray[np.intp]
OBSERVATION = Layout(position=3, rotation=3, velocity=3, angular_velocity=3, coordinate=6, rate=6)
POSE_ERROR = slice(0, OBSERVATION.at("velocity"))
TRIES = 200  # poses drawn for one that can be taken
START, GOAL = range(2)  # what is drawn of an episode
NO_WRENCH = np.zeros((1, 6, 1))
STIFF = 400.0  # 1/s^2: usual authority over the legs' own loads, per range of the coordinate


class PlatformVectorEnv(VectorEnv):
    """`num_envs` machines, each to be brought to a pose and held there, or along a trajectory.

    platform     a machine, its name or file, or one machine for each environment (legs of the same kinds)
    task         "hold", "reach" or "track" (`trajectory`; default: sines within the reach); see goals.py
    observation  (24,) float64: what is missing to the goal at the end of the coming period: pose, twist, leg
                 coordinates, leg rates; in units of the machine's own ranges, see ranges.py
    action       (6,) in -1..1: effort = static effort at home + action x `authority` (default: the legs' force limits)
    reward       per period: minus the squared pose error and a small share of the squared action; where an episode is
                 terminated, minus what an error of the whole reach in all six would cost until its end
    engine       "native", or "cuda": the steps on an NVIDIA GPU
    Terminated where a leg has left its reach, its stroke or a joint's cone at the end of a period, or the state is no
    number (``info["reason"]``; whether legs collide is not looked at); truncated after `duration`.  Environments that
    ended are reset by the next step (AutoresetMode.NEXT_STEP).  An environment with a seed has the same episodes alone
    and beside any others: ``reset(seed=[...])`` seeds each, ``reset(seed=s)`` the i-th with ``s + i``.
    """

    metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP, "render_modes": []}  # noqa: RUF012

    def __init__(
        self,
        platform: Platform | Sequence[Platform] | str = "motion-base-1500",
        num_envs: int | None = None,
        *,
        task: str = "hold",
        trajectory: Any = None,
        reach: float | None = None,
        period: float = 0.01,
        step: float = 1e-3,
        duration: float = 2.0,
        authority: ArrayLike | None = None,
        drives: bool = False,
        render_mode: str | None = None,
        engine: str = "native",
    ) -> None:
        check_engine(engine)
        machines = machines_of(load(platform) if isinstance(platform, str) else platform)
        several = not isinstance(platform, (Platform, str))
        self.num_envs = _count(num_envs, len(machines) if several else None)
        if task not in TASKS:
            raise InputError("task", task, f"must be one of {', '.join(TASKS)}")
        if trajectory is not None and task != "track":
            raise InputError("trajectory", "given", 'needs task="track"')
        if render_mode is not None:
            raise InputError("render_mode", render_mode, "must be None: nothing is drawn")
        if machines[0].home is None:
            raise InputError("platform.home", None, "must be given: the tasks are about it")
        self.platform, self.home, self.task = machines[0], machines[0].home, task
        self.period, self.step_size = positive("period", period), positive("step", step)
        self.substeps = round(self.period / self.step_size)
        gap = abs(self.substeps * self.step_size - self.period)
        if self.substeps < 1 or gap > 1e-9 * self.period:
            raise InputError("step", step, "must divide the period")
        self.horizon = round(positive("duration", duration) / self.period)
        self.law = laws_of(machines, None, drives, self.num_envs)
        self.rows = Rows(machines if several else machines[0], False, leg_law.in_use(self.law))
        for i, machine in enumerate(machines) if self.rows.laws else ():
            check_step(machine, METHODS["rk4"], self.step_size, [(0, self.law[:, :, i : i + 1])])
        refuse_links(self.platform, "learning environments do not serve machines")
        if self.rows.spins:
            refused = (
                "legs whose spin is part of the state are not served: it would not be observed"
            )
            raise InputError("platform", self.platform.name, refused)
        self.ranges = Ranges(self.rows, reach)
        self.reach = self.ranges.reach
        self.static = np.array([inverse_dynamics(m, m.require_home()).force for m in machines])
        self.authority = self._authority(machines, authority)
        self._spaces()
        own = several or (self.law.shape[2] > 1 and bool(self.rows.laws))
        self.compiled: Any = None
        self.kernel: Kernel | None = None
        if engine == "cuda":
            form = Form("rk4", self.rows.kinds, self.rows.laws, machines=own, watched=False)
            self.kernel = Kernel(fitted(form, self.num_envs))
            self.kernel.hold(self.rows.par, self.law)
        else:
            self.compiled = compiled.load("rk4", self.rows.kinds, self.rows.laws, machines=several)
        self._begin(machines, trajectory)

    def _authority(self, machines: tuple[Platform, ...], given: ArrayLike | None) -> Array:
        """(1 or n, 6) efforts of an action of one."""
        if given is not None:
            return np.broadcast_to(array("authority", given), (1, 6))
        loads = np.array([leg_loads(m, m.require_home()) for m in machines])
        usual = np.abs(self.static) + STIFF * loads * self.ranges.span
        limit = self.rows.of_legs(
            lambda leg: np.nan if leg.limits.force is None else leg.limits.force
        )
        return np.where(np.isnan(limit), usual, limit)

    def _spaces(self) -> None:
        box, batch = gymnasium.spaces.Box, gymnasium.vector.utils.batch_space
        self.single_observation_space = box(-np.inf, np.inf, (OBSERVATION.size,), np.float64)
        self.single_action_space = box(-1.0, 1.0, (6,), np.float64)
        self.observation_space = batch(self.single_observation_space, self.num_envs)
        self.action_space = batch(self.single_action_space, self.num_envs)

    def _begin(self, machines: tuple[Platform, ...], trajectory: Any) -> None:
        """State and goals of all environments before the first reset."""
        n, still = self.num_envs, np.zeros((self.num_envs, 3))
        self.X = np.zeros((self.rows.size, n))
        self.seed, self.episode = np.zeros(n, dtype=np.uint64), np.zeros(n, dtype=np.uint64)
        self.age, self.seeded = np.zeros(n, dtype=np.intp), False
        self.done = np.ones(n, dtype=bool)
        self.seen = np.zeros((n, OBSERVATION.size))
        if self.task == "track":
            if trajectory is None:
                span = self.horizon * self.period
                trajectory = usual_trajectory(self.home, self.ranges, span)
            self.track = table(machines, trajectory, self.period, self.horizon)
            return
        own = np.array([inverse_kinematics(m, self.home).length for m in machines])
        length = np.array(np.broadcast_to(own, (n, 6)))
        position, rotation = (
            np.repeat(a[None], n, axis=0) for a in (self.home.position, self.home.rotation)
        )
        self.goals = Goal(position, rotation, still, still, length, np.zeros((n, 6)))

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """New episodes of all environments; their streams go on where no seed is given."""
        super().reset(seed=seed if isinstance(seed, int) else None)
        if seed is None and not self.seeded:
            seed = int(self.np_random.integers(2**62))
        if seed is not None:
            each = [seed + i for i in range(self.num_envs)] if isinstance(seed, int) else list(seed)
            if len(each) != self.num_envs:
                allowed = f"must be one number, or {self.num_envs}"
                raise InputError("seed", f"{len(each)} seeds", allowed)
            for i, own in enumerate(each):
                if own is not None:
                    self.seed[i], self.episode[i] = np.uint64(own), np.uint64(0)
            self.seeded = True
        self._place(np.arange(self.num_envs))
        self.seen = self._observe(self.rows.kinematics(self.X))
        return self.seen.copy(), {}

    def step(self, actions: Any) -> tuple[Array, Array, Any, Any, dict[str, Any]]:
        """One control period for all environments; those that had ended are reset instead."""
        a = array("actions", actions)
        if a.shape != (self.num_envs, 6):
            allowed = f"must have shape ({self.num_envs}, 6)"
            raise InputError("actions", f"shape {a.shape}", allowed)
        fresh, new = self.done.copy(), np.flatnonzero(self.done)
        if len(new):
            self._place(new)
        start = self.X[:, new]
        a = np.clip(a, -1.0, 1.0)
        bad = self._advance(self.static + a * self.authority)
        self.X[:, new] = start
        self.age = np.where(fresh, 0, self.age + 1)
        legs, R = self.rows.kinematics(self.X), self.X[STATE.rotation].T.reshape(-1, 3, 3)
        code, leg = self.ranges.outside(legs, R)
        code = np.where((bad >= 0) & ~fresh, DIVERGED, code)
        lost = code > 0
        whole = np.isfinite(legs).all(axis=(1, 2)) & (bad < 0) | fresh
        with np.errstate(invalid="ignore"):
            seen = self._observe(legs)
        self.seen = np.where(whole[:, None], seen, self.seen)  # what was seen last still stands
        late = (self.age >= self.horizon) & ~lost
        self.done = lost | late
        return self.seen.copy(), self._reward(a, fresh, lost), lost, late, self._info(code, leg)

    def _advance(self, effort: Array) -> NDArray[np.int64]:
        """One period under held efforts (n, 6); per environment the step at which it diverged, or -1."""
        n, call = self.num_envs, (self.compiled, self.X, self.substeps, self.substeps)
        if self.kernel is not None:
            given = {"effort": np.broadcast_to(effort, (n, 6)).T[None], "external": NO_WRENCH}
            return on_device(self.kernel, *call[1:], self.step_size, **given)[1]
        with np.errstate(all="ignore"):
            _, bad = compiled.advance(
                *call,
                self.step_size,
                effort=np.broadcast_to(effort, (n, 6)).T[None],
                external=NO_WRENCH,
                law=self.law,
                par=self.rows.par,
                workers=native.threads(),
            )
        return bad

    def _reward(self, a: Array, fresh: NDArray[np.bool_], lost: NDArray[np.bool_]) -> Array:
        cost = (self.seen[:, POSE_ERROR] ** 2).sum(axis=1) + 1e-3 * (a**2).sum(axis=1)
        cost = cost + np.where(lost, 6.0 * (self.horizon - self.age), 0.0)
        return np.where(fresh, 0.0, -cost)

    def _info(self, code: Runs, leg: Runs) -> dict[str, Any]:
        """Why environments were terminated."""
        ended = np.flatnonzero(code)
        if not len(ended):
            return {}
        names, why = self.platform.leg_names, np.full(self.num_envs, None, dtype=object)
        why[ended] = [SENTENCES[code[i]].format(names[leg[i]]) for i in ended]
        return {"reason": why, "_reason": code > 0}

    def _place(self, runs: Runs) -> None:
        """The next episode of these environments: at rest in a pose drawn for it, with its goal."""
        center, size = self.home, 1.0
        if self.task == "track":
            center = Pose.trusted(self.track.position[0], self.track.rotation[0])
            size = NEAR
        pose, _ = self._drawn(runs, center, START, size)
        if self.rows.several:  # every state beside those of its own machine
            t, R = (
                self.X[STATE.position].T.copy(),
                self.X[STATE.rotation].T.reshape(-1, 3, 3).copy(),
            )
            still = self.X[STATE.rotation].any(axis=0)
            t[~still], R[~still] = self.home.position, self.home.rotation
            t[runs], R[runs] = pose.position, pose.rotation
            made = self.rows.start(Motion.at_rest(Pose.trusted(t, R)), None)[:, runs]
        else:
            made = self.rows.start(Motion.at_rest(pose), None)
        self.X[:, runs] = made
        if self.task == "reach":
            goal, legs = self._drawn(runs, self.home, GOAL, 1.0)
            self.goals.position[runs], self.goals.rotation[runs] = goal.position, goal.rotation
            self.goals.coordinate[runs] = legs[..., LEG_MOTION.coordinate]
        self.age[runs], self.done[runs] = 0, False
        self.episode[runs] += np.uint64(1)

    def _drawn(self, runs: Runs, center: Pose, what: int, size: float) -> tuple[Pose, Array]:
        """Poses within `size` of the reach that these environments can take, and their legs."""
        t, R = np.empty((len(runs), 3)), np.empty((len(runs), 3, 3))
        out, open_ = np.empty((len(runs), 6, LEG_MOTION.size)), np.arange(len(runs))
        for number in range(TRIES):
            own = runs[open_]
            given = self.seed[own], self.episode[own], 2 * number + what
            pose = self.ranges.poses(center, size * (2.0 * uniforms(*given, 6) - 1.0))
            legs = self.rows.resting_legs(pose, own)
            good = self.ranges.outside(legs, pose.rotation, own)[0] == 0
            done = open_[good]
            t[done], R[done], out[done] = pose.position[good], pose.rotation[good], legs[good]
            open_ = open_[~good]
            if not len(open_):
                return Pose.trusted(t, R), out
        raise InputError("reach", self.reach, "hardly any pose within it can be taken")

    def _observe(self, legs: Array) -> Array:
        """(n, 24) what is missing to the goals, scaled."""
        goal = at_age(self.track, self.age) if self.task == "track" else self.goals
        t, R, v, w = self.rows.blocks(self.X)
        turn = rotation_log(goal.rotation @ np.swapaxes(R.reshape(-1, 3, 3), -1, -2))
        r, per = self.ranges, 2.0 * np.pi
        return np.concatenate(
            [
                (goal.position - t) / r.reach,
                turn / r.tilt,
                (goal.velocity - v) / (per * r.reach),
                (goal.angular_velocity - w) / (per * r.tilt),
                (goal.coordinate - legs[..., LEG_MOTION.coordinate]) / r.coordinate,
                (goal.rate - legs[..., LEG_MOTION.rate]) / r.rate,
            ],
            axis=1,
        )


def _count(given: int | None, machines: int | None) -> int:
    """How many environments."""
    if given is not None and given < 1:
        raise InputError("num_envs", given, "must be at least 1")
    if machines is not None and given not in (None, machines):
        raise InputError("num_envs", given, f"must be {machines}: one for each machine")
    return machines or given or 1
