"""Trajectories of machines with fixed links: any other one, put onto the links."""

from __future__ import annotations

from dataclasses import dataclass

from gough.checks import Array
from gough.model import Platform
from gough.spatial import Motion
from gough.trajectory.base import Trajectory


@dataclass(frozen=True, eq=False)
class LinkedTrajectory(Trajectory):
    """A trajectory whose driven legs do what those of `free` do, while the fixed links keep their lengths."""

    platform: Platform
    free: Trajectory

    @property
    def duration(self) -> float:  # type: ignore[override]
        return self.free.duration

    @property
    def breaks(self) -> tuple[float, ...]:
        return self.free.breaks

    def evaluate(self, t: Array) -> Motion:
        # lazy: compiled code
        from gough.kinematics.links import on_links as moved

        return moved(self.platform, self.free.evaluate(t)).motion


def on_links(platform: Platform, trajectory: Trajectory) -> LinkedTrajectory:
    """A trajectory that the machine's fixed links allow: `gough.on_links` at every instant.

    Velocities and accelerations are the derivatives of its poses.  An instant without a pose near the given one raises
    `InfeasibleError` when it is asked for.
    """
    return LinkedTrajectory(platform, trajectory)
