"""`rollout`: many steps under given efforts, with the slopes of any loss over all that goes in.

Efforts and wrench are held over each step.  `Rollout.slopes` takes the slopes of a loss over the recorded states and
hands them back through every step (reverse mode on the very programs that `simulate` runs): one call, at the cost of a
few rollouts, answers the slopes over all efforts, the wrench, the start and the machine's numbers.  Between two
records the states are computed again, so memory grows with the records and not with the steps.

Slopes are those of the numbers as the steps compute them, exact to rounding.  docs/derivations/rollout.md
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array, InfeasibleError, InputError, array, number
from gough.dynamics.parameters import Parameters, machine_parameters
from gough.engines.evaluate import check_platform, evaluation
from gough.frozen import hinted
from gough.layout import SPINNING, STATE
from gough.model import Platform
from gough.results import Result, Spin
from gough.simulation.card_rollout import steps_of
from gough.simulation.device import check_engine
from gough.simulation.programs import METHODS
from gough.simulation.state import Rows, State, initial, spin_angle
from gough.spatial import Motion, Pose
from gough.system import memory

CHUNK = 8192  # states that are judged together
WORK = 4  # numbers in memory for each one that is recorded


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class RolloutSlopes(Result):
    """Slopes of a loss over all that went into a rollout: (...) runs, a number of each for every unit.

    effort, external   (steps, ..., 6) over what was held in each step
    rows               (..., rows) over the start's numbers as the steps read them
    packed             (..., P) over the engines' numbers of the machine; None where they were not asked for
    """

    effort: Array
    external: Array
    rows: Array = field(repr=False)
    start: Array = field(repr=False)
    packed: Array | None = field(repr=False, default=None)
    machine: Parameters | None = field(repr=False, default=None)

    @property
    def position(self) -> Array:
        """(..., 3) over the start's position, per m."""
        return self.rows[..., STATE.position]

    @property
    def rotation(self) -> Array:
        """(..., 3, 3) over the nine numbers of the start's rotation."""
        return self.rows[..., STATE.rotation].reshape(*self.rows.shape[:-1], 3, 3)

    @property
    def velocity(self) -> Array:
        """(..., 3) over the start's velocity, per m/s."""
        return self.rows[..., STATE.velocity]

    @property
    def angular_velocity(self) -> Array:
        """(..., 3) over the start's angular velocity, per rad/s."""
        return self.rows[..., STATE.angular_velocity]

    @property
    def turn(self) -> Array:
        """(..., 3) over a small rotation vector phi of the start in world axes, ``R -> exp([phi]x) R``, per rad."""
        R = self.start[..., STATE.rotation].reshape(self.rotation.shape)
        S = self.rotation @ np.swapaxes(R, -1, -2)
        return np.stack([S[..., j, i] - S[..., i, j] for i, j in ((1, 2), (2, 0), (0, 1))], axis=-1)

    @property
    def spin_angle(self) -> Array:
        """(..., 6) over the spins' angles at the start, per rad; zero where no leg carries its spin."""
        if self.rows.shape[-1] == STATE.size:
            return np.zeros((*self.rows.shape[:-1], 6))
        cosine, sine = SPINNING.spin_cosine, SPINNING.spin_sine
        along = self.rows[..., sine] * self.start[..., cosine]
        return along - self.rows[..., cosine] * self.start[..., sine]

    @property
    def spin_rate(self) -> Array:
        """(..., 6) over the spins' rates at the start, per rad/s; zero where no leg carries its spin."""
        if self.rows.shape[-1] == STATE.size:
            return np.zeros((*self.rows.shape[:-1], 6))
        return self.rows[..., SPINNING.spin_rate]

    @cached_property
    def parameters(self) -> Array:
        """(..., n) over the machine's parameters, per unit of each, in the order of `names`."""
        return self._asked()[0] @ self._asked()[1].packing

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the machine's parameters, as its file has them."""
        return self._asked()[1].names

    @property
    def units(self) -> tuple[str, ...]:
        """Their SI units."""
        return self._asked()[1].units

    def _asked(self) -> tuple[Array, Parameters]:
        if self.packed is None or self.machine is None:
            raise AttributeError("not asked for: slopes(..., parameters=True)")
        return self.packed, self.machine


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Rollout(Result):
    """States along a rollout: (records, ...) with the start first, world axes.

    rows               (records, rows, runs) as the steps have them
    effort, external   (steps, 6, runs or 1) as they were held
    """

    platform: Platform = field(repr=False)
    integrator: str
    step: float
    every: int
    shape: tuple[int, ...]
    rows: Array = field(repr=False)
    effort: Array = field(repr=False)
    external: Array = field(repr=False)
    engine: str = "native"

    @property
    def time(self) -> Array:
        """(records,) s."""
        return np.arange(len(self.rows), dtype=float) * (self.step * self.every)

    @property
    def position(self) -> Array:
        """(records, ..., 3) m."""
        return self._block(STATE.position)

    @property
    def rotation(self) -> Array:
        """(records, ..., 3, 3)."""
        R = self._block(STATE.rotation)
        return R.reshape(*R.shape[:-1], 3, 3)

    @property
    def velocity(self) -> Array:
        """(records, ..., 3) m/s."""
        return self._block(STATE.velocity)

    @property
    def angular_velocity(self) -> Array:
        """(records, ..., 3) rad/s."""
        return self._block(STATE.angular_velocity)

    @property
    def motion(self) -> Motion:
        """(records, ...) the states, without accelerations."""
        given = self.position, self.rotation, self.velocity, self.angular_velocity
        return Motion.trusted(*given)

    @property
    def spin(self) -> Spin | None:
        """(records, ..., 6) spins of legs that carry them."""
        if not self._spins:
            return None
        angle = np.moveaxis(spin_angle(self.rows, 1), 1, -1)
        rate = self._block(SPINNING.spin_rate)
        return Spin(angle.reshape(rate.shape), rate)

    @property
    def _spins(self) -> bool:
        return self.rows.shape[1] > STATE.size

    def _block(self, rows: slice) -> Array:
        block = np.moveaxis(self.rows[:, rows], 1, -1)
        return block.reshape(len(self.rows), *self.shape, block.shape[-1])

    def slopes(
        self,
        *,
        position: ArrayLike | None = None,
        rotation: ArrayLike | None = None,
        velocity: ArrayLike | None = None,
        angular_velocity: ArrayLike | None = None,
        spin_angle: ArrayLike | None = None,
        spin_rate: ArrayLike | None = None,
        parameters: bool = False,
    ) -> RolloutSlopes:
        """Slopes of a loss over everything that went in, from its slopes over the recorded states.

        Each argument has the shape of the array of this name, or broadcasts to it; a loss that does not read it leaves
        it out.  `rotation`: over the nine numbers of R (records, ..., 3, 3).  `spin_angle`, `spin_rate`: of `spin`.
        With `parameters` over the machine's numbers too, which costs a little more.
        """
        weight = np.zeros(self.rows.shape)
        given = [(STATE.position, "position", position, (3,))]
        given += [(STATE.rotation, "rotation", rotation, (3, 3))]
        given += [(STATE.velocity, "velocity", velocity, (3,))]
        given += [(STATE.angular_velocity, "angular_velocity", angular_velocity, (3,))]
        for name, value in (("spin_rate", spin_rate), ("spin_angle", spin_angle)):
            if self._spins:
                given.append((getattr(SPINNING, name), name, value, (6,)))
            elif value is not None:
                raise InputError(name, "given", "must be left out: no leg carries its spin")
        for rows, name, value, own in given:
            if value is not None:
                weight[:, rows] = self._weight(name, value, own)
        if spin_angle is not None:  # an angle is that of cosine and sine
            angle = weight[:, SPINNING.spin_angle].copy()
            weight[:, SPINNING.spin_angle] = 0.0
            weight[:, SPINNING.spin_cosine] = -self.rows[:, SPINNING.spin_sine] * angle
            weight[:, SPINNING.spin_sine] = self.rows[:, SPINNING.spin_cosine] * angle
        return self._pulled(weight, bool(parameters))

    def _weight(self, name: str, value: ArrayLike, own: tuple[int, ...]) -> Array:
        a, shape = array(name, value, own), (len(self.rows), *self.shape, *own)
        try:
            a = np.broadcast_to(a, shape)
        except ValueError:
            raise InputError(name, f"shape {a.shape}", f"must broadcast to {shape}") from None
        return np.moveaxis(a.reshape(len(self.rows), self.rows.shape[2], -1), -1, 1)

    def _pulled(self, weight: Array, parameters: bool) -> RolloutSlopes:
        own = Rows(self.platform, self._spins)
        steps = steps_of(self.engine, self.integrator, own.kinds, self.step, self.every)
        found = steps.pull(own.par, self.rows, self.effort, self.external, weight, parameters)

        def shaped(a: Array) -> Array:
            return np.moveaxis(a, -2, -1).reshape(*a.shape[:-2], *self.shape, a.shape[-2])

        return RolloutSlopes(
            shaped(found[0]),
            shaped(found[1]),
            shaped(found[2]),
            shaped(self.rows[0]),
            shaped(found[3]) if parameters else None,
            machine_parameters(self.platform, self._spins) if parameters else None,
        )


def rollout(
    platform: Platform,
    state: State | Motion | Pose,
    effort: ArrayLike,
    *,
    step: float = 1e-3,
    external: ArrayLike | None = None,
    every: int = 1,
    integrator: str = "rk4",
    spin: Spin | None = None,
    engine: str = "native",
) -> Rollout:
    """Steps of the bare machine under given efforts, whose slopes can be asked for (`Rollout.slopes`).

    state       State, Motion or Pose; leading axes are runs that advance side by side
    effort      (steps, 6), or (steps, ..., 6) with one for each run: N, N m; held over each step
    external    the same, wrench on the platform at its reference point, platform axes; (6,): always this
    step        s
    every       steps between records, a divisor of the steps: memory is that of the records
    integrator  "rk4", "lie", "semi-implicit"
    engine      "native"; "cuda": steps and slopes on an NVIDIA GPU, equal to rounding
    No drives, stops, springs of `simulate`, and no limit is looked at: `simulate` does.  A run that leaves all numbers
    is refused with its step, and one with a recorded state without a trustworthy answer, as `forward_dynamics` does.
    """
    check_platform(platform)
    if integrator not in METHODS:
        raise InputError("integrator", integrator, f"must be one of {', '.join(METHODS)}")
    h, every = number("step", step, above=0.0), whole(every)
    motion, spin = initial(platform, state, spin)
    shape = motion.shape
    n = int(np.prod(shape, dtype=int))
    push = _signal("effort", effort, shape, None)
    steps = len(push)
    if not steps or steps % every:
        raise InputError("every", every, f"must divide the {steps} steps")
    wrench = _signal("external", np.zeros(6) if external is None else external, shape, steps)
    own = Rows(platform, spin is not None)
    need = 8.0 * WORK * (steps // every + 1) * own.size * n
    if need > memory():
        what = f"{steps // every + 1} records of {n} runs"
        raise InputError("every", what, f"would need {need / 1e9:.3g} GB: record less often")
    made = steps_of(check_engine(engine), integrator, own.kinds, h, every)
    rows, bad = made.roll(own.par, own.start(motion, spin), push, wrench)
    for run in np.flatnonzero(bad >= 0)[:1]:
        where = f"run {run}: " if shape else ""
        when = f"t = {bad[run] * h:.6g} s, step {bad[run]} of {steps}"
        raise InfeasibleError(f"{where}the state leaves all numbers at {when}")
    found = Rollout(platform, integrator, h, every, shape, rows, push, wrench, engine)
    _judge(found)
    return found


def _judge(run: Rollout) -> None:
    """Refuse a recorded state whose accelerations have no trustworthy digits."""
    motion, spin = run.motion, run.spin
    chunk = max(1, CHUNK // max(1, run.rows.shape[2]))
    steps = len(run.effort)
    held = np.minimum(np.arange(len(run.rows)) * run.every, steps - 1)

    def loads(signal: Array, some: slice) -> Array:
        at = signal[np.minimum(held[some], len(signal) - 1)]
        each = np.broadcast_to(at, (*at.shape[:2], run.rows.shape[2]))
        return np.moveaxis(each, 1, -1).reshape(len(at), *run.shape, 6)

    for low in range(0, len(run.rows), chunk):
        some = slice(low, low + chunk)
        parts = (getattr(motion, name)[some] for name in STATE.names)
        turned = None if spin is None else Spin(spin.angle[some], spin.rate[some])
        force, external = loads(run.effort, some), loads(run.external, some)
        now = Motion.trusted(*parts)
        evaluation("forward", run.platform, now, turned, force=force, external=external).judged()


def whole(every: int) -> int:
    """Steps between records, checked."""
    if isinstance(every, bool) or not isinstance(every, (int, np.integer)) or every < 1:
        raise InputError("every", every, "must be a whole number of steps, at least 1")
    return int(every)


def _signal(name: str, value: ArrayLike, shape: tuple[int, ...], steps: int | None) -> Array:
    """(steps, 6, runs or 1), steps 1 where it is always the same: (6,), (steps, 6) or (steps, ..., 6)."""
    a = array(name, value, (6,))
    if a.ndim == 1 and steps is not None:
        return a.reshape(1, 6, 1)
    if a.ndim < 2 or (steps is not None and len(a) != steps):
        many = "steps" if steps is None else steps
        raise InputError(name, f"shape {a.shape}", f"must have shape ({many}, ..., 6)")
    if a.ndim == 2:
        return np.ascontiguousarray(a[:, :, None])
    try:
        each = np.broadcast_to(a, (len(a), *shape, 6)).reshape(len(a), -1, 6)
    except ValueError:
        allowed = f"must broadcast to {(len(a), *shape, 6)}"
        raise InputError(name, f"shape {a.shape}", allowed) from None
    return np.ascontiguousarray(np.moveaxis(each, 1, 2))
