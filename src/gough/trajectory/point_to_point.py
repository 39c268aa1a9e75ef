"""From one pose to another.

Orientation interpolation
    rpy       linear in the angles, ``theta = theta0 + s (theta1 - theta0)`` (the papers' way)
    geodesic  ``R = R0 exp(s phi)``, ``phi = log(R0^T R1)``: one fixed axis, shortest way; position straight
    screw     the pose follows one fixed screw from start to end; position on a helix
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.checks import Array, InputError, number
from gough.spatial import Motion, rotation_exp, rotation_log
from gough.trajectory.base import Endpoint, Trajectory, endpoint, rpy_motion
from gough.trajectory.profile import Profile, blend_for_speed, make_profile
from gough.trajectory.so3 import left_jacobian

ORIENTATIONS = ("rpy", "geodesic", "screw")


@dataclass(frozen=True, eq=False)
class PointToPoint(Trajectory):
    """Start to end, `translation` and `rotation` giving the progress of each."""

    start: Endpoint
    end: Endpoint
    translation: Profile
    rotation: Profile
    orientation: str = "rpy"

    def __post_init__(self) -> None:
        if self.orientation not in ORIENTATIONS:
            raise InputError(
                "orientation", self.orientation, f"must be one of {', '.join(ORIENTATIONS)}"
            )
        if self.orientation == "screw" and self.translation != self.rotation:
            raise InputError(
                "orientation", "screw", "needs the same profile for translation and rotation"
            )

    @property
    def duration(self) -> float:  # type: ignore[override]
        return self.translation.duration

    @property
    def breaks(self) -> tuple[float, ...]:
        return tuple(sorted({*self.translation.breaks, *self.rotation.breaks}))

    def evaluate(self, t: Array) -> Motion:
        if self.orientation == "screw":
            return self._screw(t)
        s, sd, sdd = (x[..., None] for x in self.translation(t))
        step = self.end.position - self.start.position
        s2, sd2, sdd2 = (x[..., None] for x in self.rotation(t))
        if self.orientation == "rpy":
            turn = self.end.rpy - self.start.rpy
            R, omega, alpha = rpy_motion(self.start.rpy + s2 * turn, sd2 * turn, sdd2 * turn)
        else:
            phi = rotation_log(self.start.rotation.T @ self.end.rotation)
            R = self.start.rotation @ rotation_exp(s2 * phi)
            axis = self.start.rotation @ phi
            omega, alpha = sd2 * axis, sdd2 * axis
        return Motion(self.start.position + s * step, R, sd * step, omega, sdd * step, alpha, t)

    def _screw(self, t: Array) -> Motion:
        """Constant screw (rho, phi) in moving axes: ``v = R rho s'``, ``omega = R phi s'``."""
        s, sd, sdd = (x[..., None] for x in self.translation(t))
        R0 = self.start.rotation
        phi = rotation_log(R0.T @ self.end.rotation)
        rho = np.linalg.solve(left_jacobian(phi), R0.T @ (self.end.position - self.start.position))
        R = R0 @ rotation_exp(s * phi)
        position = self.start.position + s * (left_jacobian(s * phi) @ rho) @ R0.T
        along, across, axis = R @ rho, R @ np.cross(phi, rho), R @ phi
        return Motion(
            position, R, along * sd, axis * sd, along * sdd + across * sd**2, axis * sdd, t
        )


def line(
    start: object,
    end: object,
    duration: float,
    max_speed: float | None = None,
    max_rate: float | None = None,
    *,
    orientation: str = "rpy",
) -> PointToPoint:
    """Straight line with parabolic blends, [Dasgupta1998] (39), (40).

    max_speed  cruising speed of the reference point, m/s
    max_rate   of the orientation, rad/s: norm of the RPY rates, or the angular speed with
               ``orientation="geodesic"``
    Blend times ``tau_b = tau_f - distance/speed`` are found for position and angles apart; a speed that
    cannot be reached, or that is too low, is refused with the admissible range.  None takes 1.5 times the
    mean speed (blends of a third of the time).
    """
    if orientation == "screw":
        raise InputError(
            "orientation", orientation, "must be rpy or geodesic: a screw motion is not a line"
        )
    duration = number("duration", duration, above=0.0)
    a, b = _ends(start, end)
    turn = b.rpy - a.rpy if orientation == "rpy" else rotation_log(a.rotation.T @ b.rotation)
    distance, angle = float(np.linalg.norm(b.position - a.position)), float(np.linalg.norm(turn))
    translation = blend_for_speed("max_speed", distance, duration, max_speed)
    rotation = blend_for_speed("max_rate", angle, duration, max_rate)
    return PointToPoint(a, b, translation, rotation, orientation)


def move(
    start: object,
    end: object,
    duration: float,
    *,
    profile: str = "quintic",
    orientation: str = "rpy",
) -> PointToPoint:
    """From start to end with one progress profile: uniform, trigonometric or quintic."""
    a, b = _ends(start, end)
    progress = make_profile(profile, duration)
    return PointToPoint(a, b, progress, progress, orientation)


def uniform(
    start: object, end: object, duration: float, *, orientation: str = "rpy"
) -> PointToPoint:
    """Constant speed throughout, not at rest at the ends ([Pedrammehr2012] Path 1)."""
    return move(start, end, duration, profile="uniform", orientation=orientation)


def trigonometric(
    start: object, end: object, duration: float, *, orientation: str = "rpy"
) -> PointToPoint:
    """Rest to rest by the third-order trigonometric spline of [Lopes], without acceleration at the ends."""
    return move(start, end, duration, profile="trigonometric", orientation=orientation)


def quintic(
    start: object, end: object, duration: float, *, orientation: str = "rpy"
) -> PointToPoint:
    """Rest to rest by the quintic polynomial, without acceleration at the ends."""
    return move(start, end, duration, profile="quintic", orientation=orientation)


def _ends(start: object, end: object) -> tuple[Endpoint, Endpoint]:
    a = endpoint("start", start)
    return a, endpoint("end", end, near=a)
