"""Area of a plane slice of the constant-orientation workspace of UPS and SPS legs, exact to round-off.

(Where two limits touch, or a cone is as flat as a plane, crossings are double roots: to about 1e-8 of the area.)

At a fixed rotation R every limit of a leg is a surface about one center ``c_i = b_i - R p_i`` in the space of the
reference point t: a stroke is a shell ``low <= |t - c_i| <= high``, a joint cone (base or platform side) is a cone
with its tip at c_i.  A plane z = const cuts them in circles and conics.  The slice is bounded by arcs of these
curves, so its area is a sum of boundary integrals (Green):

    A = 1/2 sum over arcs  int (x dy - y dx),  the region on the left
Each curve has an angle psi; another limit, a quadratic form, is a trigonometric polynomial of degree 2 in psi along
it, so all crossings are the roots of a quartic.  A superfluous cut is harmless: the midpoint of a piece decides.

    circle  t = c + r (cos psi, sin psi)
    cone    t = c + (h/u_z) u,  u = cos(a) n + sin(a) (cos psi e1 + sin psi e2),  h = z - c_z
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gough.checks import Array, InputError
from gough.limits import cone_axes
from gough.model import Platform
from gough.struts import lengths_only

_FIVE = 2 * np.pi * np.arange(5) / 5
_FIXED = 2 * np.pi * np.arange(8) / 8 + 0.01  # pieces never exceed an eighth of a turn
NEAR_CIRCLE = (
    1e-3  # roots further from the unit circle are not crossings, rounding and tangencies included
)
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(14)


@dataclass(frozen=True, eq=False)
class Surfaces:
    """Limits at one rotation as surfaces in the space of the reference point, world axes.

    center (n, 3), low (n,), high (n,)  shells; low 0 and high infinite where there is no stroke limit
    tip (m, 3), axis (m, 3), half (m,)  cones, half angles in rad
    size                                a length of the machine, m
    """

    center: Array
    low: Array
    high: Array
    tip: Array
    axis: Array
    half: Array
    size: float

    @cached_property
    def generators(self) -> Array:
        """(m, 3, 3) with the direction of a cone's line at angle psi: ``u = generators (1, cos psi, sin psi)``."""
        columns = [
            np.column_stack([np.cos(a) * n, *(np.sin(a) * _across(n))])
            for n, a in zip(self.axis, self.half, strict=True)
        ]
        return np.array(columns, dtype=np.float64).reshape(-1, 3, 3)

    def inside(self, points: Array) -> np.ndarray:
        """(...) bool for points (..., 3): within every shell and cone."""
        d = np.linalg.norm(points[..., None, :] - self.center, axis=-1)
        ok = ((d >= self.low) & (d <= self.high)).all(axis=-1)
        if len(self.tip):
            e = points[..., None, :] - self.tip
            ok &= ((e * self.axis).sum(-1) >= np.cos(self.half) * np.linalg.norm(e, axis=-1)).all(
                axis=-1
            )
        return ok

    def depth(self, points: Array) -> Array:
        """(...) signed distance to the nearest limit, m: positive inside; never changes faster than the point moves."""
        d = np.linalg.norm(points[..., None, :] - self.center, axis=-1)
        best = np.minimum(d - self.low, self.high - d).min(axis=-1)
        return np.minimum(best, self.cone_depths(points).min(axis=-1)) if len(self.tip) else best

    def cone_depths(self, points: Array) -> Array:
        """(..., m) signed distance to each cone alone, m."""
        e = points[..., None, :] - self.tip
        r = np.linalg.norm(e, axis=-1)
        along = (e * self.axis).sum(-1)
        across = np.sqrt(np.maximum(r * r - along * along, 0.0))
        gap = self.half - np.arctan2(across, along)
        return np.where(np.abs(gap) < np.pi / 2, r * np.sin(gap), np.sign(gap) * r)


def surfaces(platform: Platform, rotation: Array) -> Surfaces:
    """The shells and cones of a machine of UPS and SPS legs at `rotation`; equal ones are merged."""
    if not lengths_only(platform):
        raise InputError(
            "legs",
            ", ".join(sorted(set(platform.kinds))),
            "exact slices and cells need legs driven along their length (UPS, SPS, UCU); use the grid for others",
        )
    R = np.asarray(rotation, dtype=float)
    centers = platform.base_joints - platform.platform_joints @ R.T
    size = (
        float(np.ptp(np.vstack([platform.base_joints, platform.platform_joints]), axis=0).max())
        or 1.0
    )
    shells: list[list[object]] = []
    cones: list[list[object]] = []
    base, top = cone_axes(platform)
    for i, leg in enumerate(platform.legs):
        if leg.limits.stroke is not None:
            _merge_shell(
                shells, centers[i], float(leg.limits.stroke[0]), float(leg.limits.stroke[1]), size
            )
        for half, axis in (
            (leg.limits.base_cone, base[i]),
            (leg.limits.platform_cone, -(R @ top[i])),
        ):
            if half is not None and half < np.pi:
                if np.isnan(axis[0]):
                    raise InputError(
                        f"legs[{i}].limits",
                        "a cone without axis",
                        "give the cone's axis or the machine's home pose",
                    )
                _merge_cone(cones, centers[i], axis, float(half), size)
    if not shells:
        raise InputError(
            "limits.stroke", None, "at least one leg needs a stroke: the workspace has no bound"
        )
    c, low, high = (np.array(x, dtype=float) for x in zip(*shells, strict=True))
    tip, axis, half = (
        (np.array(x, dtype=float) for x in zip(*cones, strict=True))
        if cones
        else (np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0))
    )
    return Surfaces(c, np.maximum(low, 0.0), high, tip, axis, half, size)


def _merge_shell(
    shells: list[list[object]], center: Array, low: float, high: float, size: float
) -> None:
    for shell in shells:
        if np.abs(np.asarray(shell[0]) - center).max() < 1e-12 * size:
            shell[1], shell[2] = max(float(shell[1]), low), min(float(shell[2]), high)  # type: ignore[arg-type]
            return
    shells.append([center, low, high])


def _merge_cone(
    cones: list[list[object]], tip: Array, axis: Array, half: float, size: float
) -> None:
    for cone in cones:
        same = np.abs(np.asarray(cone[0]) - tip).max() < 1e-12 * size
        if same and np.abs(np.asarray(cone[1]) - axis).max() < 1e-9:
            cone[2] = min(float(cone[2]), half)  # type: ignore[arg-type]
            return
    cones.append([tip, axis, half])


@dataclass(frozen=True, eq=False)
class _Curves:
    """n curves of one slice: circles first, then conics.  Homogeneous point ``(X, Y, w)`` is linear in
    ``(1, cos psi, sin psi)``: `form` (n, 3, 3);  `quadric` (n, 3, 3) of the same curve;  circles: how many of the
    curves;  owner: shell of each circle, outer ones first."""

    form: Array
    quadric: Array
    circles: int
    owner: np.ndarray

    def homogeneous(self, psi: Array) -> Array:
        """(n, k, 3) at angles (n, k)."""
        trig = np.stack([np.ones_like(psi), np.cos(psi), np.sin(psi)], axis=-1)
        return np.einsum("nij,nkj->nki", self.form, trig)

    def tangent(self, psi: Array) -> Array:
        """Derivative of `homogeneous`."""
        trig = np.stack([np.zeros_like(psi), -np.sin(psi), np.cos(psi)], axis=-1)
        return np.einsum("nij,nkj->nki", self.form, trig)


def _curves(s: Surfaces, z: float) -> _Curves | None:
    """The curves of the plane z; None when an outer sphere does not reach it."""
    dz = z - s.center[:, 2]
    outer, inner = s.high**2 - dz**2, s.low**2 - dz**2
    if (outer <= 0.0).any():
        return None
    cut = inner > 0.0
    c = np.vstack([s.center[:, :2], s.center[cut, :2]])
    r2 = np.concatenate([outer, inner[cut]])
    n, m = len(c), len(s.tip)
    form, quadric = np.zeros((n + m, 3, 3)), np.zeros((n + m, 3, 3))
    form[:n, :2, 0], form[:n, 2, 0] = c, 1.0
    form[:n, 0, 1] = form[:n, 1, 2] = np.sqrt(r2)
    quadric[:n, 0, 0] = quadric[:n, 1, 1] = 1.0
    quadric[:n, :2, 2] = quadric[:n, 2, :2] = -c
    quadric[:n, 2, 2] = (c * c).sum(axis=1) - r2
    if m:
        h, u = z - s.tip[:, 2], s.generators
        h = np.where(h == 0.0, 1e-14 * s.size, h)
        form[n:, :2] = h[:, None, None] * u[:, :2] + s.tip[:, :2, None] * u[:, 2:]
        form[n:, 2] = u[:, 2]
        lift = np.zeros((m, 3, 3))
        lift[:, 0, 0] = lift[:, 1, 1] = 1.0
        lift[:, :2, 2], lift[:, 2, 2] = -s.tip[:, :2], h
        core = s.axis[:, :, None] * s.axis[:, None, :] - (np.cos(s.half) ** 2)[
            :, None, None
        ] * np.eye(3)
        quadric[n:] = np.swapaxes(lift, 1, 2) @ core @ lift
    owner = np.concatenate([np.arange(len(s.center)), np.nonzero(cut)[0]])
    return _Curves(form, quadric, n, owner)


def _across(axis: Array) -> Array:
    """Two unit vectors that make a right-handed frame with `axis`."""
    seed = np.eye(3)[int(np.argmin(np.abs(axis)))]
    first = np.cross(axis, seed)
    first = first / np.linalg.norm(first)
    return np.array([first, np.cross(axis, first)], dtype=np.float64)


def _crossings(curves: _Curves) -> Array:
    """(n, k) angles on each curve where it may meet another, sorted over one turn."""
    n = len(curves.form)
    X = curves.homogeneous(np.broadcast_to(_FIVE, (n, 5)))
    F = np.einsum("nmi,kij,nmj->nkm", X, curves.quadric, X)
    c0 = F.mean(axis=-1)
    c1 = (F * np.exp(-1j * _FIVE)).mean(axis=-1)
    c2 = (F * np.exp(-2j * _FIVE)).mean(axis=-1)
    scale = np.abs(F).max(axis=-1) + 1e-300
    flat = np.abs(c2) <= 1e-13 * scale
    with np.errstate(invalid="ignore", divide="ignore"):
        reach = np.arccos(-c0 / (2 * np.abs(c1)))
    first = np.nan_to_num(np.where(flat, -np.angle(c1) - reach, 0.0))
    second = np.nan_to_num(np.where(flat, -np.angle(c1) + reach, 0.0))
    angles = [first, second]
    apart = np.abs(c0) > 2.001 * (np.abs(c1) + np.abs(c2))  # of one sign all around: no crossing
    if not (flat | apart).all():
        angles.append(_quartic(c0, c1, c2, flat | apart))
    poles = np.arctan2(
        curves.form[:, 2, 2], curves.form[:, 2, 1]
    )  # w = 0 of conics: the way to infinity
    with np.errstate(invalid="ignore", divide="ignore"):
        bend = np.nan_to_num(
            np.arccos(-curves.form[:, 2, 0] / np.hypot(curves.form[:, 2, 1], curves.form[:, 2, 2]))
        )
    angles += [np.stack([poles - bend, poles + bend], axis=1), np.broadcast_to(_FIXED, (n, 8))]
    found = np.concatenate([np.asarray(a, dtype=np.float64).reshape(n, -1) for a in angles], axis=1)
    return np.sort(np.mod(found, 2 * np.pi), axis=1)


def _quartic(c0: Array, c1: np.ndarray, c2: np.ndarray, skip: np.ndarray) -> Array:
    """Angles of the four roots of ``c2 z^4 + c1 z^3 + c0 z^2 + c1* z + c2*`` where not skipped, polished."""
    lead = c2[~skip]
    rest = (
        np.stack([c1[~skip], c0[~skip] + 0j, np.conj(c1[~skip]), np.conj(lead)], axis=-1)
        / lead[:, None]
    )
    companion = np.zeros((len(lead), 4, 4), dtype=complex)
    companion[:, 0, :] = -rest
    companion[:, [1, 2, 3], [0, 1, 2]] = 1.0
    roots = np.linalg.eigvals(companion)
    psi = np.where(np.abs(np.abs(roots) - 1.0) < NEAR_CIRCLE, np.angle(roots), 0.0)
    a0, a1, a2 = c0[~skip][:, None], c1[~skip][:, None], lead[:, None]
    for _ in range(2):
        e1, e2 = np.exp(1j * psi), np.exp(2j * psi)
        value = a0 + 2 * np.real(a1 * e1) + 2 * np.real(a2 * e2)
        slope = -2 * np.imag(a1 * e1) - 4 * np.imag(a2 * e2)
        with np.errstate(invalid="ignore", divide="ignore"):
            step = np.where(np.abs(slope) > 0, value / slope, 0.0)
        psi = psi - np.where(np.abs(step) < 1e-4, step, 0.0)
    out = np.zeros((*c0.shape, 4))
    out[~skip] = psi
    return out


def slice_area(s: Surfaces, z: float) -> float:
    """Area of the part of the plane at height z that lies within all surfaces, m^2."""
    curves = _curves(s, z)
    if curves is None:
        return 0.0
    cuts = _crossings(curves)
    ends = np.concatenate([cuts[:, 1:], cuts[:, :1] + 2 * np.pi], axis=1)
    n, k = np.nonzero(ends - cuts > 1e-14)
    start, end = cuts[n, k], ends[n, k]
    pieces = _Curves(curves.form[n], curves.quadric[:0], 0, n)
    middle = (start + end)[:, None] / 2
    X, T = pieces.homogeneous(middle)[:, 0], pieces.tangent(middle)[:, 0]
    kept = _on_boundary(s, curves, n, X, z)
    if not kept.any():
        return 0.0
    n = n[kept]
    side = _left(s, curves, n, X[kept], T[kept], z)
    shift = s.center[:, :2].mean(axis=0)
    return float((side * _sweep(curves, n, start[kept], end[kept], shift)).sum())


def _on_boundary(s: Surfaces, curves: _Curves, n: np.ndarray, X: Array, z: float) -> np.ndarray:
    """(k,) bool: the point X on curve n lies on the real part of its own curve and within every other limit."""
    with np.errstate(invalid="ignore", divide="ignore"):
        x = X[..., :2] / X[..., 2:]
    points = np.concatenate([x, np.full((*x.shape[:-1], 1), z)], axis=-1)
    d = np.linalg.norm(points[..., None, :] - s.center, axis=-1)
    outer, inner = d <= s.high, d >= s.low
    k = np.arange(len(n))  # a point on its own curve is on the limit, whatever its rounding says
    on_outer, on_inner = n < len(s.center), (n >= len(s.center)) & (n < curves.circles)
    outer[k[on_outer], curves.owner[n[on_outer]]] = True
    inner[k[on_inner], curves.owner[n[on_inner]]] = True
    ok = outer.all(axis=-1) & inner.all(axis=-1)
    if len(s.tip):
        e = points[..., None, :] - s.tip
        with np.errstate(invalid="ignore"):
            along, reach = (e * s.axis).sum(-1), np.cos(s.half) * np.linalg.norm(e, axis=-1)
        cone = along >= reach
        conic = n >= curves.circles
        own = n[conic] - curves.circles
        cone[k[conic], own] = (
            X[conic, 2] * (z - s.tip[own, 2]) > 0.0
        )  # the nappe that opens along the axis
        ok &= cone.all(axis=-1)
    return ok & np.isfinite(x).all(axis=-1)


def _left(s: Surfaces, curves: _Curves, n: np.ndarray, X: Array, T: Array, z: float) -> Array:
    """+1 where the inside is on the left of growing psi, else -1."""
    w = X[:, 2:]
    x = X[:, :2] / w
    tangent = (T[:, :2] - x * T[:, 2:]) / w
    inward = np.zeros_like(x)
    outer = n < len(s.center)
    inner = (n >= len(s.center)) & (n < curves.circles)
    inward[outer] = s.center[curves.owner[n[outer]], :2] - x[outer]
    inward[inner] = x[inner] - s.center[curves.owner[n[inner]], :2]
    conic = n >= curves.circles
    if conic.any():
        k = n[conic] - curves.circles
        e = np.column_stack([x[conic], np.full(int(conic.sum()), z)]) - s.tip[k]
        e = e / np.linalg.norm(e, axis=1, keepdims=True)
        inward[conic] = (s.axis[k] - np.cos(s.half[k])[:, None] * e)[:, :2]
    return np.sign(tangent[:, 0] * inward[:, 1] - tangent[:, 1] * inward[:, 0])


def _sweep(curves: _Curves, n: np.ndarray, start: Array, end: Array, shift: Array) -> Array:
    """``1/2 int (x dy - y dx)`` of each piece about `shift`; exact on circles, 14-point Gauss on conics."""
    value = np.zeros(len(n))
    round_ = n < curves.circles
    f = curves.form[n[round_]]
    c, r = f[:, :2, 0] - shift, f[:, 0, 1]
    a, b = start[round_], end[round_]
    value[round_] = (
        0.5
        * r
        * (r * (b - a) + c[:, 0] * (np.sin(b) - np.sin(a)) - c[:, 1] * (np.cos(b) - np.cos(a)))
    )
    if not round_.all():
        owner, a, b = _away_from_poles(curves.form[n[~round_]], start[~round_], end[~round_])
        psi = (a + b)[:, None] / 2 + (b - a)[:, None] / 2 * _NODES
        part = _Curves(curves.form[n[~round_]][owner], curves.quadric[:0], 0, curves.owner)
        X, T = part.homogeneous(psi), part.tangent(psi)
        x = X[..., :2] / X[..., 2:]
        t = (T[..., :2] - x * T[..., 2:]) / X[..., 2:]
        x = x - shift
        each = (b - a)[:, None] / 4 * _WEIGHTS * (x[..., 0] * t[..., 1] - x[..., 1] * t[..., 0])
        value[~round_] = np.bincount(owner, each.sum(axis=-1), int((~round_).sum()))
    return value


def _away_from_poles(form: Array, start: Array, end: Array) -> tuple[np.ndarray, Array, Array]:
    """Pieces of conics, halved until ``w = 0`` is further away than their width: number of each one's piece, ends.

    ``|w(psi + d) - w(psi)| <= swing |d| cosh |d|`` for complex d, so w has no zero in the ellipse about such a piece
    in which 14-point Gauss is good to round-off.
    """
    owner, swing = np.arange(len(start)), np.hypot(form[:, 2, 1], form[:, 2, 2])
    for _ in range(60):
        middle = (start + end) / 2
        w = form[owner, 2, 0] + form[owner, 2, 1] * np.cos(middle)
        w = np.abs(w + form[owner, 2, 2] * np.sin(middle))
        long = 2.0 * swing[owner] * (end - start) > w
        if not long.any():
            break
        owner = np.concatenate([owner, owner[long]])
        start, end = np.concatenate([start, middle[long]]), np.concatenate([end, end[long]])
        end[: len(long)][long] = middle[long]
    return owner, start, end
