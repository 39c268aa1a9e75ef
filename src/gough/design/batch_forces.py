"""Efforts and rates of many designs along one motion, by the exact model: one call, a machine for every state.

What the guard would look at more closely (gough/guard.py) has no numbers here: such a design goes one by one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array
from gough.design.design_arrays import DesignArrays
from gough.engines import native
from gough.engines.evaluate import motion_blocks
from gough.guard import MAX_CONDITION
from gough.layout import FORCES
from gough.spatial import Motion
from gough.struts import cross


@dataclass(frozen=True, eq=False)
class MovedDesigns:
    """n machines that all make a motion, given with their homes at the world's origin.

    kinds, parameters  (n, parameters) as the engines read them
    relative           1: the motion goes along with the home, 0: it is one in the world
    """

    machines: DesignArrays
    kinds: tuple[str, ...]
    parameters: Array
    motion: Motion
    relative: float

    def some(self, which: slice | NDArray[Any]) -> MovedDesigns:
        """Some of the machines."""
        return replace(self, machines=self.machines.some(which), parameters=self.parameters[which])

    @property
    def time(self) -> Array:
        """(k,) s."""
        assert self.motion.time is not None
        return self.motion.time

    @cached_property
    def _position(self) -> Array:
        """(k, n, 3)"""
        return self.relative * self.machines.home + self.motion.position[:, None]

    @cached_property
    def force(self) -> Array:
        """(k, n, 6) efforts; NaN for designs with a state that the guard would look at."""
        k, n = self._position.shape[:2]
        blocks = [np.repeat(block, n, axis=0) for block in motion_blocks(self.motion)]
        blocks[0] = self._position.reshape(k * n, 3)
        blocks.append(np.zeros((k * n, 6)))  # no external wrench
        out = native.run("forces", self.kinds, blocks, self.parameters).reshape(k, n, -1)
        fine = np.isfinite(out).all(axis=(0, 2)) & (out[..., FORCES.risk].max(axis=0) <= self._risk)
        return np.where(fine[:, None], out[..., FORCES.effort], np.nan)

    @property
    def _risk(self) -> Array:
        """(n,) as of `gough.guard.risk_limit`."""
        reach2 = (self.machines.joint**2).sum(axis=-1).max(axis=-1)
        size = self.machines.characteristic_length
        factor = np.sqrt(6.0 * (1.0 + reach2 / size**2)) * np.maximum(1.0, size)
        return (MAX_CONDITION / factor) ** 2

    @cached_property
    def rate(self) -> Array:
        """(k, n, 6) rates of the legs."""
        m = self.motion
        q = self.machines.joint @ np.swapaxes(m.rotation, -1, -2)[:, None]
        span = self._position[:, :, None] + q - self.machines.base
        s = span / np.sqrt((span * span).sum(axis=-1))[..., None]
        turning = cross(np.broadcast_to(m.angular_velocity[:, None, None], q.shape), q)
        return (s * (m.velocity[:, None, None] + turning)).sum(axis=-1)
