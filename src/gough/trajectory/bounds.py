"""What a motion can do between two instants: Taylor models (gough/taylor.py) of its pose, twist and acceleration.

A trajectory gives them where its coordinates are polynomials or sines of time piece by piece (`KINDS` lists
them); then over any interval inside a piece

    polynomial   the coefficients about the middle of the interval; exact but for the powers above the model's degree
    sine         ``A w^k sin(w t + phase + k pi/2)/k!``, remainder ``A w^(n+1)/(n+1)! half^(n+1)``
    angles       R, omega, alpha from them by the formulas of gough/trajectory/base.py (RPY) or so3.py (rotation vector)
World axes, SI.  A motion's own times are good to `base.BREAK` of its duration (there it takes the later piece), and so
are the times of a proof.  A kind that is not listed gives no bounds: `motion_model` is None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from gough import taylor
from gough.checks import Array
from gough.spatial import rotation_log
from gough.taylor import DEGREE, EPS, WIDER, Model
from gough.trajectory.base import Endpoint, Trajectory
from gough.trajectory.compose import Hold, Retimed, Sequence
from gough.trajectory.harmonic import AccelerationProfile, Harmonic, Sines
from gough.trajectory.jerk_limited import LegMove
from gough.trajectory.legs import LegSines, OnPlatform
from gough.trajectory.point_to_point import PointToPoint
from gough.trajectory.shaking import Shaking
from gough.trajectory.so3 import left_jacobian
from gough.trajectory.spline import PoseSpline
from gough.trajectory.sweeps import VibrationSweep
from gough.trajectory.time_models import (
    Three,
    polynomial,
    profile,
    segments,
    shifted,
    sines,
    times,
    vibration,
)


class MotionModel(NamedTuple):
    """Models over N intervals: position, velocity, acceleration, angular ones (N, 3), rotation (N, 3, 3)."""

    position: Model
    rotation: Model
    velocity: Model
    angular_velocity: Model
    acceleration: Model
    angular_acceleration: Model


def _matrix(rows: list[list[Model]]) -> Model:
    flat = [x for row in rows for x in row]
    m = taylor.stack(flat)
    shape = (*m.r.shape[:-1], 3, 3)
    return Model(m.c.reshape(len(m.c), *shape), m.r.reshape(shape))


def from_rpy(angles: Three) -> tuple[Model, Model, Model]:
    """R, omega, alpha of ``R = Rz Ry Rx`` with angles (N, 3): ``omega = J_A rpy'`` and its derivative."""
    x, xd, xdd = angles
    s, c = taylor.sin_cos(x)
    (sx, sy, sz), (cx, cy, cz) = ([m[:, j] for j in range(3)] for m in (s, c))
    szsy, czsy, czcy, szcy = sz * sy, cz * sy, cz * cy, sz * cy
    R = _matrix(
        [
            [czcy, czsy * sx - sz * cx, czsy * cx + sz * sx],
            [szcy, szsy * sx + cz * cx, szsy * cx - cz * sx],
            [-sy, cy * sx, cy * cx],
        ]
    )
    none, one = taylor.constant(np.zeros(sx.r.shape)), taylor.constant(np.ones(sx.r.shape))
    # axes of roll, pitch and yaw; each turns with the rates of those behind it
    e1, e2, e3 = (
        taylor.stack(list(axis)) for axis in ((czcy, szcy, -sy), (-sz, cz, none), (none, none, one))
    )
    r1, r2, r3 = (xd[:, j : j + 1] for j in range(3))
    w3 = e3 * r3
    w2 = w3 + e2 * r2
    omega = w2 + e1 * r1
    alpha = e1 * xdd[:, 0:1] + e2 * xdd[:, 1:2] + e3 * xdd[:, 2:3]
    alpha = alpha + taylor.cross(w2, e1 * r1) + taylor.cross(w3, e2 * r2)
    return R, omega, alpha


def from_vector(phi: Three) -> tuple[Model, Model, Model]:
    """exp([phi]x) with omega and alpha in the outer axes: gough/trajectory/so3.py."""
    x, u, v = phi
    square = taylor.dot(x, x)
    a, b, c, d = (
        taylor.rotation_function(square, first, slopes)[:, None]
        for slopes in (0, 1)
        for first in (2, 3)
    )
    half_sine = (1.0 - square[:, None] * b)[:, :, None]  # sin|phi|/|phi|
    n = len(square.r)
    none = taylor.constant(np.zeros(n))
    p0, p1, p2 = (x[:, j] for j in range(3))
    K = _matrix([[none, -p2, p1], [p2, none, -p0], [-p1, p0, none]])
    outer = x[:, :, None] * x[:, None, :]
    # E cos + K sin/|phi| + phi phi^T a,  cos = 1 - x a
    cosine = (1.0 - square[:, None] * a)[:, :, None]
    R = cosine * np.eye(3) + K * half_sine + outer * a[:, :, None]
    xu, xv = taylor.cross(x, u), taylor.cross(x, v)
    xxu = taylor.cross(x, xu)
    omega = u + a * xu + b * xxu
    along = taylor.dot(x, u)[:, None]
    alpha = v + a * xv + b * taylor.cross(x, xv)
    alpha = alpha + c * along * xu + d * along * xxu + b * taylor.cross(u, xu)
    return R, omega, alpha


def _behind(R0: Array, found: tuple[Model, Model, Model]) -> tuple[Model, Model, Model]:
    """R0 (3, 3) or (N, 3, 3) in front of rotations: outer axes turned."""
    R, omega, alpha = found
    return left(R0, R), left(R0, omega[..., None])[..., 0], left(R0, alpha[..., None])[..., 0]


def left(A: Array, m: Model) -> Model:
    """``A m``, A (3, 3) or (N, 3, 3)."""
    sizes = np.abs(m.c).sum(axis=0)
    return Model(A @ m.c, np.abs(A) @ (m.r + 4 * EPS * sizes))


def right(m: Model, A: Array) -> Model:
    """``m A``"""
    sizes = np.abs(m.c).sum(axis=0)
    return Model(m.c @ A, (m.r + 4 * EPS * sizes) @ np.abs(A))


def _still(R: Array, n: int) -> tuple[Model, Model, Model]:
    zero = taylor.constant(np.zeros((n, 3)))
    return taylor.constant(np.broadcast_to(R, (n, 3, 3))), zero, zero


def _motion(position: Three, turn: tuple[Model, Model, Model]) -> MotionModel:
    return MotionModel(position[0], turn[0], position[1], turn[1], position[2], turn[2])


def _hold(path: Hold, t: Array, half: Array) -> MotionModel:
    p = taylor.constant(np.broadcast_to(path.at.position, (len(t), 3)))
    zero = taylor.constant(np.zeros((len(t), 3)))
    return _motion((p, zero, zero), _still(path.at.rotation, len(t)))


def _harmonic(path: Harmonic, t: Array, half: Array) -> MotionModel:
    s, at = path.sines, path.center
    x = shifted(
        sines(s.amplitude, 2.0 * np.pi * s.frequency, s.phase, t, half), np.asarray(s.center)
    )
    p, q = (tuple(m[:, part] for m in x) for part in (slice(3), slice(3, 6)))
    position = shifted((p[0], p[1], p[2]), at.position)
    angles = q[0], q[1], q[2]
    if path.orientation == "rpy":
        return _motion(position, from_rpy(shifted(angles, at.rpy)))
    R, omega, alpha = from_vector(angles)
    return _motion(position, (right(R, at.rotation), omega, alpha))


def _acceleration_profile(path: AccelerationProfile, t: Array, half: Array) -> MotionModel:
    w, e = 2.0 * np.pi / path.period, np.eye(3)[path.coordinate % 3]
    A = path.peak / w
    drift = polynomial(np.broadcast_to([[0.0], [A]], (len(t), 2, 1)), t, half)
    wave = sines(np.array([[-A / w]]), np.array([w]), np.zeros((1, 1)), t, half)
    x = times((drift[0] + wave[0], drift[1] + wave[1], drift[2] + wave[2]), e)
    return _along(path.start, path.coordinate, x)


def _along(start: Endpoint, coordinate: int, x: Three) -> MotionModel:
    """A motion along (0 to 2) or about (3 to 5) one world axis."""
    n = len(x[0].r)
    if coordinate < 3:
        return _motion(shifted(x, start.position), _still(start.rotation, n))
    R, omega, alpha = from_vector(x)
    p = taylor.constant(np.broadcast_to(start.position, (n, 3)))
    zero = taylor.constant(np.zeros((n, 3)))
    return _motion((p, zero, zero), (right(R, start.rotation), omega, alpha))


def _point_to_point(path: PointToPoint, t: Array, half: Array) -> MotionModel | None:
    s, s2 = profile(path.translation, t, half), profile(path.rotation, t, half)
    if s is None or s2 is None:
        return None
    a, b = path.start, path.end
    if path.orientation == "screw":
        return _screw(a, b, s)
    position = shifted(times(s, b.position - a.position), a.position)
    if path.orientation == "rpy":
        return _motion(position, from_rpy(shifted(times(s2, b.rpy - a.rpy), a.rpy)))
    phi = rotation_log(a.rotation.T @ b.rotation)
    return _motion(position, _behind(a.rotation, from_vector(times(s2, phi))))


def _screw(a: Endpoint, b: Endpoint, s: Three) -> MotionModel:
    """Along one screw (rho, phi) in moving axes: ``p = p0 + R0 s J(s phi) rho``, ``v = R rho s'``, J of so3.py."""
    phi = rotation_log(a.rotation.T @ b.rotation)
    rho: Array = np.linalg.solve(left_jacobian(phi), a.rotation.T @ (b.position - a.position))  # type: ignore[assignment]
    x, rate, bend = s
    square = (x * x)[:, 0] * float(phi @ phi)
    even, odd = (taylor.rotation_function(square, first, 0)[:, None] for first in (2, 3))
    over: Array = np.cross(phi, rho)  # type: ignore[assignment]
    twice = x * x
    way = x * rho + even * twice * over + odd * (twice * x) * np.cross(phi, over)
    R, omega, alpha = _behind(a.rotation, from_vector(times(s, phi)))
    along, across = (taylor.turned(R, u[None])[:, 0] for u in (rho, over))
    position = left(a.rotation, way[..., None])[..., 0]
    return _motion(
        (position + a.position, along * rate, along * bend + across * (rate * rate)),
        (R, omega, alpha),
    )


def _vibration(path: VibrationSweep, t: Array, half: Array) -> MotionModel:
    return _along(
        path.start, path.coordinate, times(vibration(path, t, half), np.eye(3)[path.coordinate % 3])
    )


def _spline(path: PoseSpline, t: Array, half: Array) -> MotionModel:
    i = np.searchsorted(path.times[1:-1], t, side="right")
    u = t - path.times[i]
    turn = from_vector(polynomial(path.rotation[i], u, half))
    return _motion(polynomial(path.position[i], u, half), _behind(path.rotations[i], turn))


def _shaking(path: Shaking, t: Array, half: Array) -> MotionModel:
    jerk = np.diff(path.acceleration, axis=0) / np.diff(path.knots)[:, None]
    columns = path.position[:-1], path.velocity[:-1], path.acceleration[:-1] / 2.0, jerk / 6.0
    x = segments(path.knots, np.stack(columns, axis=1), t, half)
    return _motion(shifted(x, path.start.position), _still(path.start.rotation, len(t)))


def _sequence(path: Sequence, t: Array, half: Array) -> MotionModel | None:
    found = of_parts(path, t, half, motion_model)
    return None if found is None else MotionModel(*found)


def of_parts(
    path: Sequence,
    t: Array,
    half: Array,
    ask: Callable[[Trajectory, Array, Array], Iterable[Model] | None],
) -> list[Model] | None:
    """What `ask` knows of each part over its own intervals, joined; None: of one it knows nothing."""
    starts = np.concatenate([[0.0], np.cumsum([p.duration for p in path.parts])])
    part = np.searchsorted(starts[1:-1], t, side="right")
    order, found = [], []
    for i in np.unique(part).tolist():
        here = np.nonzero(part == i)[0]
        one = ask(path.parts[i], t[here] - starts[i], half[here])
        if one is None:
            return None
        order.append(here)
        found.append(one)
    back = np.argsort(np.concatenate(order))
    return [
        Model(
            np.concatenate([m.c for m in each], axis=1)[:, back],
            np.concatenate([m.r for m in each])[back],
        )
        for each in zip(*found, strict=True)
    ]


def _retimed(path: Retimed, t: Array, half: Array) -> MotionModel | None:
    """The inner motion's models over the places sigma that each interval may see, with sigma(t) put in."""
    pace, T = profile(path.pace, t, half), path.inner.duration
    if pace is None:
        return None
    sigma, rate, bend = (x * T for x in pace)
    middle = sigma.c[0, :, 0]
    reach = np.maximum(sigma.deviation()[:, 0] * WIDER, 1e-12 * T)
    inner = motion_model(path.inner, middle, reach)
    if inner is None:
        return None
    u = (sigma - middle[:, None]) * (1.0 / reach)[:, None]
    p, v, w, a, al = (placed(inner[i], u) for i in (0, 2, 3, 4, 5))
    R = placed(inner.rotation, u[:, :, None])
    square = rate * rate
    return MotionModel(p, R, v * rate, w * rate, a * square + v * bend, al * square + w * bend)


def placed(m: Model, u: Model) -> Model:
    """A model at other times, -1 <= u <= 1 of its interval."""
    out = taylor.constant(m.c[-1])
    for k in range(DEGREE - 1, -1, -1):
        out = out * u + m.c[k]
    return Model(out.c, out.r + m.r)


KINDS: dict[type, Callable[..., MotionModel | None]] = {
    Hold: _hold,
    Harmonic: _harmonic,
    AccelerationProfile: _acceleration_profile,
    PointToPoint: _point_to_point,
    PoseSpline: _spline,
    Shaking: _shaking,
    VibrationSweep: _vibration,
    Sequence: _sequence,
    Retimed: _retimed,
}


def motion_model(path: Trajectory, t: Array, half: Array) -> MotionModel | None:
    """Models of `path` over N intervals of middles t and half lengths `half` (N,), each inside one piece (`pieces`).

    None: this kind of trajectory gives no bounds.
    """
    kind = KINDS.get(type(path))
    return None if kind is None else kind(path, t, half)


def coordinate_model(path: Trajectory, t: Array, half: Array) -> Three | None:
    """Of a motion given by its legs: their coordinates (N, 6), rates and accelerations; None: no such, or no bounds."""
    legs = path.legs if isinstance(path, OnPlatform) else None
    if type(legs) is LegSines:
        s = legs.sines
        w = 2.0 * np.pi * s.frequency
        return shifted(sines(s.amplitude, w, s.phase, t, half), np.asarray(s.center))
    if type(legs) is LegMove:
        pace = profile(legs.progress, t, half)
        return None if pace is None else shifted(times(pace, legs.end - legs.start), legs.start)
    return None


def gives_bounds(path: Trajectory) -> bool:
    """This motion, with all it is made of, has models."""
    if isinstance(path, Sequence):
        return all(map(gives_bounds, path.parts))
    zero = np.zeros(1)
    if isinstance(path, Retimed):
        return profile(path.pace, zero, zero) is not None and gives_bounds(path.inner)
    with np.errstate(all="ignore"):
        return motion_model(path, zero, zero) is not None


def pieces(path: Trajectory) -> Array:
    """Times (n + 1,) from 0 to the duration between which the motion is one formula, fine enough to begin with."""
    if isinstance(path, Sequence):
        starts = np.concatenate([[0.0], np.cumsum([p.duration for p in path.parts])])
        inner = [s + pieces(p) for s, p in zip(starts, path.parts, strict=False)]
        return _distinct(np.concatenate(inner), path.duration)
    if isinstance(path, Retimed):
        low, high = np.zeros((2, len(inner := pieces(path.inner))))
        high = high + path.duration
        for _ in range(60):  # the pace never falls
            middle = 0.5 * (low + high)
            before = path.pace(middle)[0] * path.inner.duration < inner
            low, high = np.where(before, middle, low), np.where(before, high, middle)
        ends = [0.0, path.duration]
        return _distinct(np.concatenate([high, path.pace.breaks, ends]), path.duration)
    edges, parts = [0.0, path.duration, *path.breaks], 8
    if isinstance(path, PoseSpline):
        edges, parts = [*path.times.tolist()], 2
    elif isinstance(path, Shaking):
        edges, parts = [*path.knots.tolist()], 1
    elif isinstance(path, VibrationSweep):
        return _distinct(_quarters(path), path.duration)
    elif isinstance(path, Harmonic):
        parts = _periods(path.sines, path.duration)
    elif isinstance(path, OnPlatform):
        if isinstance(path.legs, LegSines):
            parts = _periods(path.legs.sines, path.duration)
        elif isinstance(path.legs, LegMove):
            edges = [*edges, *path.legs.progress.breaks]
    edges = _distinct(np.array(edges), path.duration)
    shares = np.arange(parts) / parts
    cut = edges[:-1, None] + np.diff(edges)[:, None] * shares
    return np.append(cut.ravel(), edges[-1])


def _periods(waves: Sines, duration: float) -> int:
    """Quarters of the shortest period."""
    return int(np.clip(np.ceil(4.0 * float(waves.frequency.max()) * duration), 8, 20_000))


def _quarters(path: VibrationSweep) -> Array:
    """Quarters of its periods, as near as a table of its phase tells, and where its fading begins and ends."""
    t = np.linspace(0.0, path.duration, 10_001)
    phase = path.phase(t)[0]
    parts = int(np.clip(np.ceil(phase[-1] / (0.5 * np.pi)), 8, 20_000))
    cut = np.interp(np.linspace(0.0, phase[-1], parts + 1)[1:-1], phase, t)
    ends = [0.0, path.fade, path.duration - path.fade, path.duration]
    return np.concatenate([cut, ends])


def _distinct(times: Array, duration: float) -> Array:
    times = np.sort(times)
    kept = np.append(True, np.diff(times) > 1e-13 * duration)
    kept[-1] = True
    return times[kept]
