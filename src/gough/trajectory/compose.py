"""Trajectories made of trajectories: one after another, standing still, at another pace."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from itertools import pairwise

import numpy as np

from gough.checks import Array, InputError, number
from gough.spatial import Motion, rotation_log
from gough.trajectory.base import BREAK, Endpoint, Trajectory, endpoint
from gough.trajectory.point_to_point import move
from gough.trajectory.profile import Profile, make_profile

JOIN_POSITION = 1e-9  # m: largest gap between the end of one part and the start of the next
JOIN_ANGLE = 1e-9  # rad


@dataclass(frozen=True, eq=False)
class Hold(Trajectory):
    """Standing still at a pose."""

    at: Endpoint
    duration: float

    def evaluate(self, t: Array) -> Motion:
        shape = (*t.shape, 3)
        return Motion(np.broadcast_to(self.at.position, shape), self.at.rotation, time=t)


@dataclass(frozen=True, eq=False)
class Sequence(Trajectory):
    """Parts one after another; at a joint the value is that of the later part."""

    parts: tuple[Trajectory, ...]

    @cached_property
    def _starts(self) -> Array:
        return np.concatenate([[0.0], np.cumsum([p.duration for p in self.parts])])

    @property
    def duration(self) -> float:  # type: ignore[override]
        return float(self._starts[-1])

    @property
    def breaks(self) -> tuple[float, ...]:
        inner = [s + b for s, p in zip(self._starts, self.parts, strict=False) for b in p.breaks]
        return tuple(sorted({*map(float, inner), *map(float, self._starts[1:-1])}))

    def evaluate(self, t: Array) -> Motion:
        flat = t.reshape(-1)
        starts = self._starts
        part = np.searchsorted(starts[1:-1], flat + BREAK * self.duration, side="right")
        out = {
            f.name: np.empty((flat.size, 3))
            for f in fields(Motion)
            if f.name not in ("rotation", "time")
        }
        R = np.empty((flat.size, 3, 3))
        for i, p in enumerate(self.parts):
            here = part == i
            if here.any():
                motion = p.evaluate(np.clip(flat[here] - starts[i], 0.0, p.duration))
                R[here] = motion.rotation
                for name, values in out.items():
                    values[here] = getattr(motion, name)
        shaped = {name: values.reshape(*t.shape, 3) for name, values in out.items()}
        return Motion(rotation=R.reshape(*t.shape, 3, 3), time=t, **shaped)


@dataclass(frozen=True, eq=False)
class Retimed(Trajectory):
    """The same path at another pace: ``sigma(t) = duration_inner * s(t)``.

    ``v = v_inner sigma'``, ``a = a_inner sigma'^2 + v_inner sigma''``, and the same for rotations.
    """

    inner: Trajectory
    pace: Profile

    @property
    def duration(self) -> float:  # type: ignore[override]
        return self.pace.duration

    @cached_property
    def breaks(self) -> tuple[float, ...]:  # type: ignore[override]
        """Breaks of the pace, and of the path where the pace reaches them (by bisection: s never falls)."""
        found = []
        for b in self.inner.breaks:
            low, high = 0.0, self.duration
            for _ in range(60):
                mid = 0.5 * (low + high)
                if self.pace(np.asarray(mid))[0] * self.inner.duration < b:
                    low = mid
                else:
                    high = mid
            found.append(high)
        return tuple(sorted({*self.pace.breaks, *found}))

    def evaluate(self, t: Array) -> Motion:
        T = self.inner.duration
        s, sd, sdd = self.pace(t)
        m = self.inner.evaluate(np.clip(T * s, 0.0, T))
        d, dd = (T * sd)[..., None], (T * sdd)[..., None]
        return Motion(
            m.position,
            m.rotation,
            m.velocity * d,
            m.angular_velocity * d,
            m.acceleration * d**2 + m.velocity * dd,
            m.angular_acceleration * d**2 + m.angular_velocity * dd,
            t,
        )


def hold(pose: object, duration: float) -> Hold:
    """Standing still at `pose` for `duration` s."""
    return Hold(endpoint("pose", pose), number("duration", duration, above=0.0))


def sequence(*parts: Trajectory) -> Sequence:
    """One trajectory after another; each must start where the one before it ends (1e-9 m, 1e-9 rad).

    Velocities may jump at a joint if the parts do not meet in velocity; `breaks` lists the joints.
    """
    if not parts:
        raise InputError("parts", parts, "must hold at least one trajectory")
    for i, (a, b) in enumerate(pairwise(parts)):
        before, after = a(a.duration), b(0.0)
        gap = float(np.linalg.norm(after.position - before.position))
        angle = float(np.linalg.norm(rotation_log(before.rotation.T @ after.rotation)))
        if gap > JOIN_POSITION or angle > JOIN_ANGLE:
            raise InputError(
                f"parts[{i + 1}]",
                f"a start {gap:.3g} m and {angle:.3g} rad away",
                f"must start where parts[{i}] ends",
            )
    return Sequence(tuple(parts))


def there_and_back(
    start: object,
    end: object,
    duration: float,
    *,
    profile: str = "trigonometric",
    orientation: str = "rpy",
) -> Sequence:
    """Start to end and back, `duration` s each way ([Lopes]: P1, P2, P1)."""
    a = endpoint("start", start)
    b = endpoint("end", end, near=a)
    pairs = ((a.position, a.rpy), (b.position, b.rpy)) if orientation == "rpy" else (a.pose, b.pose)
    return sequence(
        move(pairs[0], pairs[1], duration, profile=profile, orientation=orientation),
        move(pairs[1], pairs[0], duration, profile=profile, orientation=orientation),
    )


def retimed(trajectory: Trajectory, duration: float, *, profile: str = "uniform") -> Retimed:
    """The same path in `duration` s: evenly faster or slower, or with a rest-to-rest profile laid over it."""
    return Retimed(trajectory, make_profile(profile, duration))
