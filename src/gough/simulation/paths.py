"""Runs of one whose states are known at all times inside their steps: the same lookout where nothing is compiled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gough.checks import Array
from gough.layout import STATE
from gough.simulation.driven import Efforts
from gough.simulation.events import limits_status
from gough.simulation.job import Finished, Job
from gough.simulation.lookout import Located, Lookout, Seen, Slots, Whole
from gough.simulation.state import orthogonal
from gough.spatial import Motion
from gough.status import Status

Inside = Callable[[Whole, Array], Array]
"""(steps, parts of them) (E,) -> states (rows, E)."""


@dataclass(eq=False)
class Path:
    """K steps of a run: their ends `times` (K + 1,), s, states inside them, and what acts on the run."""

    job: Job
    times: Array
    inside: Inside
    efforts: Efforts

    def states(self, slots: Slots, part: Array) -> Array:
        """(rows, E)."""
        return self.inside(slots.step, part)

    def time(self, slots: Slots, part: Array) -> Array:
        """(E,) s."""
        low, high = self.times[slots.step], self.times[slots.step + 1]
        return np.where(part < 1.0, low + part * (high - low), high)

    def seen(self, lookout: Lookout) -> list[Located]:
        """What the lookout sees for the first time along these steps."""
        count = len(self.times) - 1
        steps = np.append(np.arange(count), count - 1)
        states = self.inside(steps, np.append(np.zeros(count), 1.0)).T[:, :, None]
        starts = zip(self.times[:-1], states, strict=False)
        command = np.stack([self.efforts(float(t), X)[0] for t, X in starts])
        law = self.job.laws[0][1]
        seen = Seen.of(self.job.rows, states, command, np.diff(self.times), law)
        lookout.look(seen)
        return lookout.drain(self)


def states_and_rates(motion: Motion) -> tuple[Array, Array]:
    """(K, STATE.size) rows of a motion, and their rates ``t' = v, R' = w~ R, v' = a, w' = al``."""
    turning = np.cross(motion.angular_velocity[:, :, None], motion.rotation, axis=1)
    rate = (motion.velocity, turning, motion.acceleration, motion.angular_acceleration)
    both = [getattr(motion, name) for name in STATE.names], rate
    rows = [np.concatenate([a.reshape(len(a), -1) for a in blocks], axis=1) for blocks in both]
    return rows[0], rows[1]


def hermite(X: Array, rate: Array, h: float, step: Whole, part: Array) -> Array:
    """(rows, E) inside the steps of length h of states X (K, rows): cubic in time, rotations made orthogonal."""
    p, q = part[:, None], 1.0 - part[:, None]
    one, two = X[step], X[step + 1]
    bend = p * q * (q * (h * rate[step] - (two - one)) - p * (h * rate[step + 1] - (two - one)))
    out = (q * one + p * two + bend).T
    out[STATE.rotation] = orthogonal(out[STATE.rotation].T.reshape(-1, 3, 3)).reshape(-1, 9).T
    return out


def conclude(
    job: Job,
    states: Array,
    efforts: Efforts,
    status: Status,
    lookout: Lookout,
    found: list[Located],
) -> Finished:
    """A run of one with its first records `states` (K, rows, 1), up to the first event that stops it."""
    time: Array = job.step * job.recorded[: len(states)]
    last = np.full((job.rows.size, 1), np.nan)
    started, lookout.found, end = lookout.found, [], float(time[-1])
    for event, state in [*((e, job.X) for e in started), *((x.event, x.state) for x in found)]:
        if event.time > end:
            break
        lookout.found.append(event)
        if event.action(job.plant.events) == "stop":
            status, end, last = event.stopped(job.rows.platform), event.time, state
            states = np.concatenate([states[time < end], state[None]])
            time = np.append(time[time < end], end)
            break
    given = [efforts(float(t), X) for t, X in zip(time, states, strict=True)]
    command, external = (np.stack([g[i] for g in given]) for i in range(2))
    index = np.floor(time / job.step + 1e-9).astype(np.int64)
    if status.ok:
        status = limits_status(job.rows.platform, lookout.found)
    ends = np.array([end])
    return Finished(job, index, time, states, command, external, [status], ends, last, lookout)
