"""Trajectories through given poses at given times, and through sampled motions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array, InputError, array
from gough.spatial import Pose
from gough.trajectory.base import endpoint
from gough.trajectory.cubic import End, knot_slopes
from gough.trajectory.spline import (
    PoseSpline,
    cubic_hermite,
    end_of_segment,
    knot_rates,
    quintic_hermite,
    relative_rotations,
)


def waypoints(
    poses: Pose | Sequence[object],
    times: ArrayLike,
    *,
    kind: str = "cubic",
    ends: str = "rest",
    start_twist: ArrayLike | None = None,
    end_twist: ArrayLike | None = None,
) -> PoseSpline:
    """A twice continuously differentiable motion through `poses` at `times` (s, increasing; shifted to 0).

    kind "cubic"    the C2 cubic spline of position and orientation
    kind "quintic"  twist and acceleration of the cubic at the inner waypoints, but no acceleration at the
                    ends: smooth starting and stopping
    ends "rest"     the twist is zero at both ends, or `start_twist`, `end_twist` (6,), linear first, world
    ends "natural"  the acceleration is zero at both ends
    """
    position, R = _stack(poses)
    t = check_knots("times", times, len(position))
    if kind not in ("cubic", "quintic"):
        raise InputError("kind", kind, "must be cubic or quintic")
    if ends not in ("rest", "natural"):
        raise InputError("ends", ends, "must be rest or natural")
    twists = [
        None if w is None else array(name, w, (6,))
        for name, w in (("start_twist", start_twist), ("end_twist", end_twist))
    ]
    if any(w is not None and w.ndim > 1 for w in twists):
        raise InputError("start_twist, end_twist", "a batch", "must be six numbers each")
    if ends == "natural" and any(w is not None for w in twists):
        raise InputError("ends", ends, "must be rest where a start_twist or end_twist is given")
    v, w = _cubic_rates(
        t,
        position,
        R,
        [np.zeros(6) if x is None else x for x in twists] if ends == "rest" else [None, None],
    )
    h = np.diff(t)
    phi = relative_rotations("poses", R)
    rate, _ = end_of_segment(phi, w[1:], np.zeros_like(phi))
    straight = cubic_hermite(h, position[:-1], v[:-1], position[1:], v[1:])
    turn = cubic_hermite(h, np.zeros_like(phi), w[:-1], phi, rate)
    if kind == "cubic":
        return PoseSpline(t, R, straight, turn)
    a, al = np.zeros_like(v), np.zeros_like(w)
    a[1:-1], al[1:-1] = 2.0 * straight[1:, 2], 2.0 * turn[1:, 2]
    return _quintic(t, position, R, v, w, a, al)


def through_motion(
    times: ArrayLike,
    position: Array,
    rotation: Array,
    velocity: Array | None = None,
    angular_velocity: Array | None = None,
    acceleration: Array | None = None,
    angular_acceleration: Array | None = None,
) -> PoseSpline:
    """A C2 motion through samples of pose, and of twist and acceleration where they are known (world axes).

    With twists and accelerations they are met exactly at the samples (quintic segments); with twists alone
    the accelerations are those of the C2 cubic spline through the twists; with poses alone this is the
    natural cubic.
    """
    t = check_knots("times", times, len(position))
    if velocity is None or angular_velocity is None:
        return waypoints(Pose(position, rotation), t, ends="natural")
    if acceleration is None or angular_acceleration is None:
        twist = np.concatenate([velocity, angular_velocity], axis=-1)
        end: End = "not-a-knot" if len(t) > 3 else "natural"
        slope = knot_slopes(t, twist, end, end)
        acceleration, angular_acceleration = slope[:, :3], slope[:, 3:]
    own = np.swapaxes(rotation, -1, -2)
    w = (own @ angular_velocity[..., None])[..., 0]
    al = (own @ angular_acceleration[..., None])[..., 0]
    return _quintic(t, position, rotation, velocity, w, acceleration, al)


def check_knots(field: str, times: ArrayLike, n: int) -> Array:
    """`n` increasing times, shifted to start at zero."""
    t = array(field, times)
    if t.shape != (n,):
        raise InputError(field, f"shape {t.shape}", f"must be {n} times, one for each pose")
    if n < 2:
        raise InputError(field, f"{n} pose(s)", "must be at least two")
    step = np.diff(t)
    if (step <= 0).any():
        i = int(np.argmax(step <= 0)) + 1
        raise InputError(
            f"{field}[{i}]", float(t[i]), f"must be greater than the one before, {t[i - 1]:.9g}"
        )
    return t - t[0]


def _stack(poses: Pose | Sequence[object]) -> tuple[Array, Array]:
    if isinstance(poses, Pose):
        if len(poses.shape) != 1:
            raise InputError("poses", f"batch shape {poses.shape}", "must be one row of poses")
        return poses.position, poses.rotation
    ends = [endpoint(f"poses[{i}]", p) for i, p in enumerate(poses)]
    if not ends:
        raise InputError("poses", poses, "must hold at least two poses")
    return np.array([e.position for e in ends]), np.array([e.rotation for e in ends])


def _cubic_rates(
    t: Array, position: Array, R: Array, twists: list[Array | None]
) -> tuple[Array, Array]:
    """Velocity (world axes) and omega (each knot's axes) of the C2 cubic spline at its knots."""
    known: list[End] = ["natural" if w is None else w[:3] for w in twists]
    v = knot_slopes(t, position, known[0], known[1])
    ends = [None if w is None else R[k].T @ w[3:] for k, w in zip((0, -1), twists, strict=True)]
    return v, knot_rates(np.diff(t), relative_rotations("poses", R), (ends[0], ends[1]))


def _quintic(
    t: Array, position: Array, R: Array, v: Array, w: Array, a: Array, al: Array
) -> PoseSpline:
    """Quintic segments from pose, twist and acceleration at the knots; w and al in each knot's axes."""
    h = np.diff(t)
    phi = relative_rotations("poses", R)
    rate, curvature = end_of_segment(phi, w[1:], al[1:])
    return PoseSpline(
        t,
        R,
        quintic_hermite(h, (position[:-1], v[:-1], a[:-1]), (position[1:], v[1:], a[1:])),
        quintic_hermite(h, (np.zeros_like(phi), w[:-1], al[:-1]), (phi, rate, curvature)),
    )
