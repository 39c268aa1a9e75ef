"""The metrics of many designs at one task, over designs x poses at once (design/batch_kernel.py, LAPACK).

The same formulas as design/metrics.py in the same order; numbers differ from those of one design by itself by rounding
only, at most 1e-13 of their size (of a radian or of the machine's size where a metric is next to nothing), and do not
depend on what stands beside a design.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gough.analysis.sizing import time_mean
from gough.checks import Array
from gough.design import batch_kernel
from gough.design.batch_forces import MovedDesigns
from gough.design.design_arrays import MOST, ROOM, DesignArrays
from gough.design.metrics import Task
from gough.layout import TWIST
from gough.reasons import SINGULAR, TOUCHING
from gough.results import condition_number
from gough.spatial import Pose
from gough.struts import PAIRS, wrench_rows

NUMBERS = (
    1 << 17
)  # that the matrices of a block of designs hold together: they stay in the processor's cache


class PoseTable:
    """The poses of a task, for all machines whose homes are turned alike.

    shift  (k, 3), share (k,): pose k of a machine at `home` has the position ``share home + shift``
    rotation  (m, 3, 3) all different, turn (k,): which of them pose k has
    """

    def __init__(self, task: Task, rotation: Array) -> None:
        here = Pose(np.zeros(3), rotation)
        poses, motion = task.poses(here), task.motion_of(here)
        shift, turns, share = poses.position, poses.rotation, np.ones(len(poses.position))
        if motion is not None:
            shift = np.concatenate([shift, motion.position])
            turns = np.concatenate([turns, motion.rotation])
            share = np.concatenate([share, np.full(len(motion.position), float(task.relative))])
        _, first, turn = np.unique(
            turns.reshape(-1, 9), axis=0, return_index=True, return_inverse=True
        )
        self.shift, self.share = np.array(shift), share  # kernels know arrays that may be written
        self.rotation, self.turn = np.ascontiguousarray(turns[first]), turn.reshape(-1)

    def __len__(self) -> int:
        return len(self.share)


class BatchTrial:
    """Machines at one task; everything is computed when first asked for."""

    def __init__(
        self, machines: DesignArrays, poses: PoseTable, moved: MovedDesigns | None = None
    ) -> None:
        self.machines, self.poses, self._moved = machines, poses, moved
        self.base = np.ascontiguousarray(machines.base)
        self.home = np.ascontiguousarray(machines.home)

    @property
    def moved(self) -> MovedDesigns:
        """The machines along the task's motion."""
        assert self._moved is not None
        return self._moved

    def some(self, which: slice | NDArray[Any]) -> BatchTrial:
        """Of some of the machines."""
        moved = None if self._moved is None else self._moved.some(which)
        return BatchTrial(self.machines.some(which), self.poses, moved)

    @cached_property
    def arm(self) -> Array:
        """(n, m, 6, 3) platform joints from the platform's reference point in every orientation, world axes."""
        return self.machines.joint[:, None] @ np.swapaxes(self.poses.rotation, -1, -2)

    @property
    def _at(self) -> tuple[Array, Array, Array, NDArray[np.intp]]:
        return self.home, self.poses.shift, self.poses.share, self.poses.turn

    @cached_property
    def _ends(self) -> tuple[Array, Array, Array]:
        low, high = np.empty((2, len(self.base), 6))
        lean, axis = np.empty(len(self.base)), np.ascontiguousarray(self.machines.axis)
        axis = np.zeros_like(axis) if self.machines.balls else axis
        batch_kernel.coordinates(*self._at, self.arm, self.base, axis, low, high, lean)
        return low, high, lean

    @property
    def low(self) -> Array:
        """(n, 6) smallest length of each leg."""
        return self._ends[0]

    @property
    def high(self) -> Array:
        """(n, 6) largest length of each leg."""
        return self._ends[1]

    @cached_property
    def sure(self) -> NDArray[np.bool_]:
        """(n,) the machine is certainly built, and its legs certainly reach every pose."""
        low, high, lean = self._ends
        clear = (low > ROOM * TOUCHING).all(axis=1) & (lean > (ROOM * SINGULAR) ** 2)
        return self.machines.sure & clear & (high < MOST).all(axis=1)

    @cached_property
    def tilt(self) -> Array:
        """(n, 2) largest turn of a strut from its home direction, rad, seen from base and platform."""
        m, turns = self.machines, self.poses.rotation
        strut = self.home[:, None] + m.joint @ m.rotation.T - self.base
        direction = strut / np.sqrt((strut * strut).sum(axis=-1))[..., None]
        seen = direction @ m.rotation
        angles = np.empty((len(strut), 2))
        for side, toward in enumerate(
            (direction[:, None], seen[:, None] @ np.swapaxes(turns, -1, -2))
        ):
            less, more = np.empty((2, len(strut)))
            at_home = np.ascontiguousarray(toward), np.ascontiguousarray((direction, seen)[side])
            batch_kernel.tilts(*self._at, self.arm, self.base, *at_home, side, turns, less, more)
            angles[:, side] = 2 * np.arctan2(np.sqrt(less), np.sqrt(more))
        return angles

    @cached_property
    def clearance(self) -> Array:
        """(n,) smallest distance of two struts that share no joint, m; infinite where all do."""
        gap = np.empty(len(self.base))
        pairs = (np.ascontiguousarray(i) for i in PAIRS)
        batch_kernel.clearances(*self._at, self.arm, self.base, *pairs, self.machines.apart, gap)
        return np.sqrt(gap)

    @cached_property
    def rows(self) -> Array:
        """(n, k, 6, 6) rows ``(s, q x s)`` of the legs at all poses."""
        at = self.poses
        q = self.arm[:, at.turn]
        position = at.share[:, None] * self.home[:, None] + at.shift
        span = position[:, :, None] + q - self.base[:, None]
        return wrench_rows(q, span / np.sqrt((span * span).sum(axis=-1))[..., None])

    @cached_property
    def dexterity(self) -> Array:
        """(n, k) 1/condition of H with the characteristic length."""
        length = self.machines.characteristic_length[:, None, None, None]
        return 1.0 / condition_number(np.swapaxes(self.rows, -1, -2), length)

    @cached_property
    def error_gain(self) -> Array:
        """(n,) largest norm of the linear rows of J^-1."""
        inverse = np.linalg.inv(self.rows)[..., TWIST.linear, :]
        return np.linalg.norm(inverse, ord=2, axis=(-2, -1)).max(axis=-1)

    @cached_property
    def footprint(self) -> Array:
        """(n,) diameter of the circle around the base joints, m."""
        b = self.base[..., :2]
        return 2.0 * np.linalg.norm(b - b.mean(axis=-2, keepdims=True), axis=-1).max(axis=-1)


BATCHED: dict[str, Callable[[BatchTrial], Array]] = {
    "dexterity": lambda t: t.dexterity.min(axis=-1),
    "dexterity_mean": lambda t: t.dexterity.mean(axis=-1),
    "stroke": lambda t: (t.high - t.low).max(axis=-1),
    "extension": lambda t: (t.high / t.low).max(axis=-1),
    "longest": lambda t: t.high.max(axis=-1),
    "shortest": lambda t: t.low.min(axis=-1),
    "base_tilt": lambda t: t.tilt[:, 0],
    "platform_tilt": lambda t: t.tilt[:, 1],
    "clearance": lambda t: t.clearance,
    "error_gain": lambda t: t.error_gain,
    "footprint": lambda t: t.footprint,
    "peak_force": lambda t: np.abs(t.moved.force).max(axis=(0, 2)),
    "rms_force": lambda t: np.sqrt(time_mean(t.moved.force**2, t.moved.time).max(axis=-1)),
    "peak_speed": lambda t: np.abs(t.moved.rate).max(axis=(0, 2)),
    "peak_power": lambda t: (t.moved.force * t.moved.rate).max(axis=(0, 2)),
}


def batch_numbers(trial: BatchTrial, names: tuple[str, ...]) -> tuple[Array, NDArray[np.bool_]]:
    """(n, metrics) numbers, and where (n,) they certainly are what a design by itself would have: all finite, of a
    machine that is certainly built and reaches every pose."""
    count = len(trial.machines.sure)
    out, sure = np.full((count, len(names)), np.nan), np.zeros(count, dtype=bool)
    block = max(1, NUMBERS // (36 * max(1, len(trial.poses))))
    with np.errstate(all="ignore"):
        for first in range(0, count, block):
            some = np.arange(first, min(first + block, count))
            part = trial.some(some)
            sure[some] = part.sure
            if not part.sure.all():
                some = some[part.sure]
                part = trial.some(some)
            if len(some):
                out[some] = _numbers(part, names)
    return out, sure & np.isfinite(out).all(axis=1)


def _numbers(trial: BatchTrial, names: tuple[str, ...]) -> Array:
    """(n, metrics); NaN for a design with a matrix that LAPACK refuses, whatever stands beside it."""
    try:
        return np.stack([BATCHED[name](trial) for name in names], axis=-1)
    except np.linalg.LinAlgError:
        count = len(trial.base)
        if count == 1:
            return np.full((1, len(names)), np.nan)
        each = (trial.some(slice(i, i + 1)) for i in range(count))
        return np.concatenate([_numbers(one, names) for one in each])
