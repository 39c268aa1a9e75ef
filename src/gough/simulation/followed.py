"""The reference of a control loop that is told from step to step, instead of laid out before the run."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.checks import Array, InputError
from gough.engines.single_state import Lean
from gough.equations.machine import ANGULAR
from gough.kinematics.inverse import inverse_kinematics
from gough.layout import LEG_MOTION, MOTION
from gough.links import links
from gough.model import Spinning
from gough.simulation import closed_laws
from gough.simulation.closed_laws import REFERENCE
from gough.simulation.loop import ControlLoop
from gough.simulation.reference import LEGS
from gough.spatial import Motion, Pose
from gough.twist import screwed


class Followed:
    """Writes references into the one row that the loop reads at every sample."""

    def __init__(self, loop: ControlLoop) -> None:
        self.loop, self.model = loop, loop.model
        turning = any(kind.lower() in ANGULAR for kind in self.model.kinds)
        self._turns = turning or screwed(self.model)
        plain = not any(isinstance(leg, Spinning) for leg in self.model.legs)
        plain = plain and not len(links(self.model).legs) and not self._turns
        self._lean = Lean("kinematics", self.model) if plain else None
        self._now: Any = None
        self._motion: Motion | None = None

    def take(self, reference: Any) -> None:
        """A Pose at rest or a Motion with its accelerations; the very object of the step before costs nothing."""
        if reference is self._now:
            return
        if isinstance(reference, Pose):
            motion = Motion.trusted(reference.position, reference.rotation)
        elif isinstance(reference, Motion):
            motion = reference
        else:
            raise InputError("u", reference, "must be the reference: a gough.Pose or gough.Motion")
        if motion.shape != ():
            raise InputError("u", f"shape {motion.shape}", "must be a single pose or motion")
        row = self._row(motion)
        rows = self.loop.table.rows
        rows[0, :, 0] = row
        if self.loop.law == "feed_forward":
            table = self.loop.table
            table.put_ahead(closed_laws.ahead(self.model, table.motion))
        self._now, self._motion = reference, motion

    def _row(self, motion: Motion) -> Array:
        """(rows of REFERENCE,); raises where a leg cannot reach."""
        row = self.loop.table.rows[0, :, 0].copy()
        for name in MOTION.names:
            row[getattr(REFERENCE, name)] = getattr(motion, name).ravel()
        before = row[REFERENCE.leg_length].copy()
        if self._lean is not None:
            found = self._lean(row[: MOTION.size]).reshape(6, LEG_MOTION.size)
            for name, part in LEGS.items():
                own = "coordinate" if part == "length" else part
                row[getattr(REFERENCE, name)] = found[:, getattr(LEG_MOTION, own)].ravel()
            return row
        legs = self._legs(motion, before)
        for name, value in legs.items():
            row[getattr(REFERENCE, name)] = value
        return row

    def _legs(self, motion: Motion, before: Array) -> dict[str, Array]:
        """The legs' references; angles, and travels of screws, go on from those `before`, which held for a step."""
        if not self._turns:
            found = inverse_kinematics(self.model, motion)
            return {row: getattr(found, name) for row, name in LEGS.items()}
        was = self._motion if self._motion is not None else motion
        both = Motion(
            *(np.stack([getattr(m, name) for m in (was, motion)]) for name in MOTION.names),
            time=np.array([0.0, self.loop.step]),
        )
        found = inverse_kinematics(self.model, both, continuous=True)
        out = {row: getattr(found, name)[1].copy() for row, name in LEGS.items()}
        if self._motion is not None:
            out["leg_length"] += before - found.length[0]
        return out

    def saved(self) -> tuple[Any, ...]:
        """The reference in force."""
        return self._now, self._motion, self.loop.table.rows.copy()

    def restore(self, saved: tuple[Any, ...]) -> None:
        """A reference that was in force."""
        self._now, self._motion, self.loop.table.rows[:] = saved
