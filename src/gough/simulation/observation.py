"""What a `Simulator` shows and keeps: the state that it has reached, and everything to go on from there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gough.checks import Array, Frozen
from gough.spatial import Motion, Pose


@dataclass(frozen=True, eq=False, repr=False)
class Observation(Frozen):
    """The state reached: pose and twist of the reference point (world axes), actuator coordinates and rates; SI.

    Its arrays are its own: a later step does not change them.
    """

    time: float
    position: Array
    rotation: Array
    velocity: Array
    angular_velocity: Array
    length: Array
    rate: Array

    @property
    def pose(self) -> Pose:
        """Position and rotation."""
        return Pose.trusted(self.position, self.rotation)

    @property
    def motion(self) -> Motion:
        """Pose and twist, no acceleration."""
        turn = self.velocity, self.angular_velocity
        return Motion.trusted(self.position, self.rotation, *turn)

    def __repr__(self) -> str:
        at = ", ".join(f"{x:.6g}" for x in self.position)
        return f"<Observation t = {self.time:.6g} s, position ({at}) m>"


@dataclass(frozen=True, eq=False, repr=False)
class Snapshot(Frozen):
    """Everything that a `Simulator` needs to go on from an instant; `restore` takes it."""

    owner: int
    step: int
    parts: dict[str, Any]

    def __repr__(self) -> str:
        return f"<Snapshot at step {self.step}>"
