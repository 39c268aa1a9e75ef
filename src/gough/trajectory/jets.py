"""Poses with three derivatives by time, as Taylor models over intervals: what bounds of jerk are made of.

A jet is the list of the first four Taylor coefficients about every instant, each a model (gough/taylor.py) over the
interval: ``f(t + eps) = f_0 + f_1 eps + f_2 eps^2 + f_3 eps^3 + ...``, so that f' is f_1, f'' is 2 f_2, f''' is 6 f_3.
Sums, products and functions of jets are those of power series; a formula for a pose is one for its derivatives.
"""

from __future__ import annotations

from collections.abc import Callable
from math import factorial
from typing import NamedTuple

import numpy as np

from gough import taylor
from gough.checks import Array
from gough.spatial import rotation_log
from gough.taylor import WIDER, Model
from gough.trajectory.base import Endpoint, Trajectory
from gough.trajectory.bounds import left, of_parts, placed, right
from gough.trajectory.compose import Hold, Retimed, Sequence
from gough.trajectory.harmonic import Harmonic
from gough.trajectory.point_to_point import PointToPoint
from gough.trajectory.shaking import Shaking
from gough.trajectory.so3 import left_jacobian
from gough.trajectory.spline import PoseSpline
from gough.trajectory.time_models import (
    polynomial_derivatives,
    profile_derivatives,
    sine_derivatives,
)

ORDERS = 4
Jet = list[Model]


class PoseJet(NamedTuple):
    """position (N, 3) and rotation (N, 3, 3), four models each; world axes."""

    position: Jet
    rotation: Jet


def jet(derivatives: list[Model]) -> Jet:
    """From f, f', f'', f'''."""
    return [d if k < 2 else d * (1.0 / factorial(k)) for k, d in enumerate(derivatives)]


def product(a: Jet, b: Jet) -> Jet:
    """``a b``"""
    out = []
    for k in range(ORDERS):
        terms = [a[i] * b[k - i] for i in range(k + 1)]
        total = terms[0]
        for term in terms[1:]:
            total = total + term
        out.append(total)
    return out


def added(a: Jet, b: Jet) -> Jet:
    """``a + b``"""
    return [x + y for x, y in zip(a, b, strict=True)]


def scaled(a: Jet, by: Array | float) -> Jet:
    """``a by``, by constant."""
    return [x * by for x in a]


def shifted(a: Jet, by: Array | float) -> Jet:
    """``a + by``, by constant."""
    return [a[0] + by, *a[1:]]


def each(a: Jet, do: Callable[[Model], Model]) -> Jet:
    """Something linear done to every coefficient."""
    return [do(x) for x in a]


def dot(a: Jet, b: Jet) -> Jet:
    """Over the last axis."""
    return each(product(a, b), lambda x: x.sum())


def composed(outer: list[Model], inner: Jet) -> Jet:
    """``f(g)`` from f's own Taylor coefficients at g_0."""
    f, f1, f2, f3 = outer
    g1, g2, g3 = inner[1:]
    square = g1 * g1
    return [
        f,
        f1 * g1,
        f1 * g2 + f2 * square,
        f1 * g3 + f2 * (g1 * g2) * 2.0 + f3 * (square * g1),
    ]


def power(x: Jet, p: float) -> Jet:
    """``x^p`` of what stays positive."""
    binomial = np.cumprod([1.0, *((p - k) / (k + 1) for k in range(ORDERS - 1))])
    return composed([taylor.power(x[0], p - k) * float(b) for k, b in enumerate(binomial)], x)


def reciprocal(x: Jet) -> Jet:
    """``1/x`` of what keeps its sign."""
    sign = np.where(x[0].c[0] < 0.0, -1.0, 1.0)
    return scaled(power(scaled(x, sign), -1.0), sign)


def _rotation_function(x: Jet, first: int) -> Jet:
    """a (first = 2) and b (3) of gough/trajectory/so3.py at ``x = |phi|^2``."""
    outer = [
        taylor.rotation_function(x[0], first, k) * (0.5**k / factorial(k)) for k in range(ORDERS)
    ]
    return composed(outer, x)


def _from_vector(phi: Jet) -> Jet:
    """``exp([phi]x) = E (1 - x a) + [phi]x (1 - x b) + phi phi^T a``, x = |phi|^2."""
    x = dot(phi, phi)
    a, b = _rotation_function(x, 2), _rotation_function(x, 3)

    def spread(f: Jet) -> Jet:
        return each(f, lambda m: m[:, None, None])

    cosine = shifted(scaled(product(x, a), -1.0), 1.0)
    sine = shifted(scaled(product(x, b), -1.0), 1.0)
    skew = each(phi, _skew)
    outer = product(each(phi, lambda m: m[:, :, None]), each(phi, lambda m: m[:, None, :]))
    turned = added(product(skew, spread(sine)), product(outer, spread(a)))
    return added(each(spread(cosine), lambda m: m * np.eye(3)), turned)


def _skew(v: Model) -> Model:
    """[v]x (N, 3, 3) of (N, 3)."""
    at, sign = (
        np.array([[0, 2, 1], [2, 0, 0], [1, 0, 0]]),
        np.array([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]]),
    )
    return Model(v.c[..., at] * sign, v.r[..., at] * np.abs(sign))


def _from_rpy(angles: Jet) -> Jet:
    """``Rz Ry Rx``."""
    s, c = taylor.sin_cos(angles[0])
    sines = composed([s, c, s * -0.5, c * (-1.0 / 6.0)], angles)
    cosines = composed([c, -s, c * -0.5, s * (1.0 / 6.0)], angles)
    turns = [
        _about(k, each(sines, lambda m, k=k: m[:, k]), each(cosines, lambda m, k=k: m[:, k]))
        for k in range(3)
    ]
    return _matrices(_matrices(turns[2], turns[1]), turns[0])


def _about(axis: int, sine: Jet, cosine: Jet) -> Jet:
    """Rotations about one axis."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    place = np.zeros((3, 3, 3))  # of one, cosine, sine
    place[0, axis, axis] = place[1, i, i] = place[1, j, j] = place[2, j, i] = 1.0
    place[2, i, j] = -1.0
    out = [
        c[:, None, None] * place[1] + s[:, None, None] * place[2]
        for s, c in zip(sine, cosine, strict=True)
    ]
    return shifted(out, place[0])


def _matrices(a: Jet, b: Jet) -> Jet:
    """Products of matrices."""
    wide = product(
        each(a, lambda m: m[:, :, None, :]),
        each(b, lambda m: Model(m.c.swapaxes(-1, -2), m.r.swapaxes(-1, -2))[:, None]),
    )
    return each(wide, lambda m: m.sum())


def _still(value: Array, n: int) -> Jet:
    zero = taylor.constant(np.zeros((n, *value.shape)))
    return [taylor.constant(np.broadcast_to(value, (n, *value.shape))), zero, zero, zero]


def _hold(path: Hold, t: Array, half: Array) -> PoseJet:
    return PoseJet(_still(path.at.position, len(t)), _still(path.at.rotation, len(t)))


def _harmonic(path: Harmonic, t: Array, half: Array) -> PoseJet:
    s, at = path.sines, path.center
    w = 2.0 * np.pi * s.frequency
    x = shifted(
        jet(sine_derivatives(s.amplitude, w, s.phase, t, half, ORDERS)), np.asarray(s.center)
    )
    p, q = (each(x, lambda m, part=part: m[:, part]) for part in (slice(3), slice(3, 6)))
    position = shifted(p, at.position)
    if path.orientation == "rpy":
        return PoseJet(position, _from_rpy(shifted(q, at.rpy)))
    return PoseJet(position, each(_from_vector(q), lambda m: right(m, at.rotation)))


def _point_to_point(path: PointToPoint, t: Array, half: Array) -> PoseJet | None:
    paces = [profile_derivatives(x, t, half, ORDERS) for x in (path.translation, path.rotation)]
    if paces[0] is None or paces[1] is None:
        return None
    s, s2, a, b = jet(paces[0]), jet(paces[1]), path.start, path.end
    if path.orientation == "screw":
        return _screw(a, b, s)
    position = shifted(scaled(s, b.position - a.position), a.position)
    if path.orientation == "rpy":
        return PoseJet(position, _from_rpy(shifted(scaled(s2, b.rpy - a.rpy), a.rpy)))
    phi = rotation_log(a.rotation.T @ b.rotation)
    return PoseJet(position, each(_from_vector(scaled(s2, phi)), lambda m: left(a.rotation, m)))


def _screw(a: Endpoint, b: Endpoint, s: Jet) -> PoseJet:
    """Along one screw, as in gough/trajectory/bounds.py: ``p = p0 + R0 s J(s phi) rho``."""
    phi = rotation_log(a.rotation.T @ b.rotation)
    rho: Array = np.linalg.solve(left_jacobian(phi), a.rotation.T @ (b.position - a.position))  # type: ignore[assignment]
    over: Array = np.cross(phi, rho)  # type: ignore[assignment]
    twice = product(s, s)
    square = each(scaled(twice, float(phi @ phi)), lambda m: m[:, 0])
    even, odd = (each(_rotation_function(square, first), lambda m: m[:, None]) for first in (2, 3))
    way = added(
        scaled(s, rho),
        added(
            scaled(product(even, twice), over),
            scaled(product(odd, product(twice, s)), np.asarray(np.cross(phi, over))),
        ),
    )
    turned = each(way, lambda m: left(a.rotation, m[..., None])[..., 0])
    return PoseJet(
        shifted(turned, a.position),
        each(_from_vector(scaled(s, phi)), lambda m: left(a.rotation, m)),
    )


def _spline(path: PoseSpline, t: Array, half: Array) -> PoseJet:
    i = np.searchsorted(path.times[1:-1], t, side="right")
    u = t - path.times[i]
    position, phi = (
        jet(polynomial_derivatives(c[i], u, half, ORDERS)) for c in (path.position, path.rotation)
    )
    return PoseJet(position, each(_from_vector(phi), lambda m: left(path.rotations[i], m)))


def _shaking(path: Shaking, t: Array, half: Array) -> PoseJet:
    jerk = np.diff(path.acceleration, axis=0) / np.diff(path.knots)[:, None]
    columns = path.position[:-1], path.velocity[:-1], path.acceleration[:-1] / 2.0, jerk / 6.0
    i = np.searchsorted(path.knots[1:-1], t, side="right")
    x = polynomial_derivatives(np.stack(columns, axis=1)[i], t - path.knots[i], half, ORDERS)
    return PoseJet(shifted(jet(x), path.start.position), _still(path.start.rotation, len(t)))


def _sequence(path: Sequence, t: Array, half: Array) -> PoseJet | None:
    def flat(part: Trajectory, t: Array, half: Array) -> Jet | None:
        one = pose_jet(part, t, half)
        return None if one is None else [*one.position, *one.rotation]

    found = of_parts(path, t, half, flat)
    return None if found is None else PoseJet(found[:ORDERS], found[ORDERS:])


def _retimed(path: Retimed, t: Array, half: Array) -> PoseJet | None:
    """The inner motion's jets over the places sigma that each interval may see, with sigma(t) put in."""
    pace, T = profile_derivatives(path.pace, t, half, ORDERS), path.inner.duration
    if pace is None:
        return None
    sigma = scaled(jet(pace), T)
    middle = sigma[0].c[0, :, 0]
    reach = np.maximum(sigma[0].deviation()[:, 0] * WIDER, 1e-12 * T)
    inner = pose_jet(path.inner, middle, reach)
    if inner is None:
        return None
    u = (sigma[0] - middle[:, None]) * (1.0 / reach)[:, None]
    wide = each(sigma, lambda m: m[:, :, None])
    return PoseJet(
        composed(each(inner.position, lambda m: placed(m, u)), sigma),
        composed(each(inner.rotation, lambda m: placed(m, u[:, :, None])), wide),
    )


KINDS: dict[type, Callable[..., PoseJet | None]] = {
    Hold: _hold,
    Harmonic: _harmonic,
    PointToPoint: _point_to_point,
    PoseSpline: _spline,
    Shaking: _shaking,
    Sequence: _sequence,
    Retimed: _retimed,
}


def pose_jet(path: Trajectory, t: Array, half: Array) -> PoseJet | None:
    """Of `path` over N intervals of middles t and half lengths `half` (N,), each inside one piece (`bounds.pieces`).

    None: no bounds of the jerk of this kind of trajectory are known.
    """
    kind = KINDS.get(type(path))
    return None if kind is None else kind(path, t, half)


def gives_jets(path: Trajectory) -> bool:
    """This motion, with all it is made of, has jets."""
    if isinstance(path, Sequence):
        return all(map(gives_jets, path.parts))
    zero = np.zeros(1)
    if isinstance(path, Retimed):
        known = profile_derivatives(path.pace, zero, zero, ORDERS) is not None
        return known and gives_jets(path.inner)
    with np.errstate(all="ignore"):
        return pose_jet(path, zero, zero) is not None
