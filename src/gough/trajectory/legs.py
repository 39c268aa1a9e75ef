"""Motions prescribed in leg space: six actuator coordinates in time, and the platform motion they give.

[ElBadawy] drives the legs with ``c_i(t) = c_0 + A_i sin(w t)``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array, Frozen, InfeasibleError, InputError
from gough.model import Platform
from gough.spatial import Motion, Pose
from gough.trajectory.base import Trajectory, check_times
from gough.trajectory.harmonic import Sines, sines


@dataclass(frozen=True, eq=False)
class LegCoordinates(Frozen):
    """Actuator coordinates (..., 6) m (rad for cranks), their rates and accelerations; time (...) s."""

    length: Array
    rate: Array
    acceleration: Array
    time: Array


class LegTrajectory(Frozen, ABC):
    """Six actuator coordinates over ``0 <= t <= duration`` (s); a frozen callable ``(t) -> LegCoordinates``."""

    duration: float

    @property
    @abstractmethod
    def resolution(self) -> float:
        """Time between looks along the way when the platform is followed, s."""

    @abstractmethod
    def coordinates(self, t: Array) -> LegCoordinates:
        """The coordinates at checked times."""

    def __call__(self, t: ArrayLike) -> LegCoordinates:
        """Coordinates, rates and accelerations at `t` (scalar or any batch shape)."""
        return self.coordinates(check_times(t, self.duration))

    def on(self, platform: Platform, guess: Pose | None = None) -> OnPlatform:
        """The platform motion these legs give, starting from the pose near `guess` (default: home)."""
        if not isinstance(platform, Platform):
            raise InputError("platform", platform, "must be a gough.Platform")
        return OnPlatform(self, platform, platform.require_home() if guess is None else guess)


@dataclass(frozen=True, eq=False)
class LegSines(LegTrajectory):
    """Sums of sines of the six actuator coordinates."""

    sines: Sines
    duration: float

    @property
    def resolution(self) -> float:
        return 1.0 / (40.0 * float(self.sines.frequency.max()))

    def coordinates(self, t: Array) -> LegCoordinates:
        return LegCoordinates(*self.sines(t), t)


@dataclass(frozen=True, eq=False)
class OnPlatform(Trajectory):
    """A leg-space motion carried to the platform by forward kinematics along one proved branch."""

    legs: LegTrajectory
    platform: Platform
    guess: Pose

    @property
    def duration(self) -> float:  # type: ignore[override]
        return self.legs.duration

    def evaluate(self, t: Array) -> Motion:
        # lazy: compiled code, and the only door from trajectories to kinematics
        from gough.kinematics.forward import forward_accelerations, track

        flat = t.reshape(-1)
        step = self.legs.resolution
        grid = np.minimum(np.arange(0.0, flat.max() + step, step), self.duration)
        way, index = np.unique(np.concatenate([flat, grid]), return_inverse=True)
        fk = track(self.platform, self.legs(way).length, self.guess)
        bad = ~np.asarray(fk.success)
        if bad.any():
            i = int(np.argmax(bad))
            raise InfeasibleError(f"leg motion at t = {way[i]:.6g} s: {fk.status[i].value}")
        if not fk.straight[1:].all():
            i = int(np.argmin(fk.straight[1:])) + 1
            raise InfeasibleError(
                f"leg motion at t = {way[i]:.6g} s: passes a singular pose, or too near to "
                "one to tell its branches apart"
            )
        pose = fk.pose[index[: flat.size].reshape(-1)]
        now = self.legs(flat)
        twist, rate = forward_accelerations(
            self.platform, pose, now.rate, now.acceleration, length=now.length
        )
        if not (np.isfinite(twist).all() and np.isfinite(rate).all()):
            raise InfeasibleError("leg motion: the platform is singular on the way")
        shape = t.shape
        halves = (pose.position, twist[:, :3], twist[:, 3:], rate[:, :3], rate[:, 3:])
        p, v, w, a, al = (x.reshape(*shape, 3) for x in halves)
        return Motion(p, pose.rotation.reshape(*shape, 3, 3), v, w, a, al, t)


def legs_harmonic(
    center: ArrayLike,
    amplitude: ArrayLike,
    frequency: ArrayLike,
    phase: ArrayLike = 0.0,
    *,
    duration: float | None = None,
) -> LegSines:
    """Leg lengths ``center_i + sum_k A_ki sin(2 pi f_k t + phase_ki)`` ([ElBadawy]; cranks: angles).

    center (6,), amplitude (6,) or (n, 6) in m, frequency Hz.  Default duration: a period of the slowest sine.
    """
    s = sines(center, amplitude, frequency, phase)
    if s.center.shape != (6,):
        raise InputError("center", f"shape {s.center.shape}", "must be six numbers")
    return LegSines(s, s.lasting(duration))
