"""Does a motion stay within the limits of the machine, and if not, why not, in sentences.

`check` looks at reach, stroke, joint cones, leg-leg distance, actuator speed and, if given, efforts.
Every check answers with a margin: positive inside, zero on the limit, negative outside, scaled to the allowed
range, so that different limits compare and a workspace has a smooth boundary.

    stroke     min(l - min, max - l) / (max - min)
    cone       (half angle - angle) / half angle;  angle between strut and cone axis
    distance   (d - r_i - r_j) / (r_i + r_j);  d the distance of the two strut segments
    speed      (max - |rate|) / max
    force      (max - |force|) / max
A cone without an axis takes the strut direction of the home pose, as `gough.Limits` says.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations
from math import degrees

import numpy as np
from numpy.typing import ArrayLike

from gough.analysis.struts import Struts, struts
from gough.checks import Array, InputError
from gough.model import RUS, Platform
from gough.spatial import Motion, Pose, skew

KINDS = ("reach", "stroke", "base cone", "platform cone", "distance", "speed", "force")
ConeAxes = tuple[list[Array | None], list[Array | None]]
_PAIRS = np.array(list(combinations(range(6), 2))).T  # (2, 15) leg numbers
_PAIRS_OF = np.array([[n for n, pair in enumerate(_PAIRS.T.tolist()) if leg in pair] for leg in range(6)])  # (6, 5)
UNREACHED = -1.0  # margin of a leg that cannot reach its joint at all


@dataclass(frozen=True)
class Violation:
    """One limit broken by one leg at one sample.

    leg 0..5; other: the second leg for a distance; sample: flat index; value and allowed in SI
    """

    leg: int
    kind: str
    sample: int
    value: float
    allowed: tuple[float, float]
    sentence: str
    other: int | None = None


@dataclass(frozen=True, eq=False)
class LimitCheck:
    """Margins of a motion against the limits.

    margin      per kind, (..., 6): positive inside, NaN where the leg has no such limit
    value       per kind, (..., 6): the quantity compared (m, rad, m/s, N)
    unchecked   sentences on limits that could not be checked
    """

    platform: Platform
    margin: dict[str, Array]
    value: dict[str, Array]
    partner: Array
    unchecked: tuple[str, ...] = ()

    @cached_property
    def worst(self) -> Array:
        """(...) smallest margin over legs and kinds; infinite where nothing is limited."""
        stacked = np.stack(list(self.margin.values()))
        return np.where(np.isnan(stacked), np.inf, stacked).min(axis=(0, -1))

    @cached_property
    def ok(self) -> np.ndarray:
        """(...) bool: within every limit."""
        return self.worst >= 0.0

    @cached_property
    def reason(self) -> np.ndarray:
        """(...) int: 0 inside, else 1 + index in `KINDS` of the kind with the smallest margin."""
        filled = np.nan_to_num(np.stack([self.margin[k] for k in KINDS]), nan=np.inf, neginf=-np.inf)
        each = filled.min(axis=-1)
        return np.where(self.ok, 0, 1 + each.argmin(axis=0))

    def violations(self, most: int = 60) -> tuple[Violation, ...]:
        """The broken limits, worst sample of each leg and kind, worst first; at most `most` of them."""
        if self.worst.size == 0 or bool(self.ok.all()):
            return ()
        found: list[tuple[float, Violation]] = []
        for kind in KINDS:
            margin = self.margin[kind].reshape(-1, 6)
            filled = np.where(np.isnan(margin), np.inf, margin)
            samples = filled.argmin(axis=0)
            for leg, sample in enumerate(samples.tolist()):
                least = float(filled[sample, leg])
                if least >= 0.0:
                    continue
                other = int(self.partner.reshape(-1, 6)[sample, leg]) if kind == "distance" else None
                if other is not None and other < leg:
                    continue  # said once, by the first leg of the pair
                value = float(self.value[kind].reshape(-1, 6)[sample, leg])
                found.append((least, _say(self.platform, kind, leg, sample, value, other)))
        found.sort(key=lambda item: (round(item[0], 9), item[1].leg))
        return tuple(v for _, v in found[:most])

    def sentences(self) -> tuple[str, ...]:
        """Why the motion is refused; empty when it is within all limits."""
        return tuple(v.sentence for v in self.violations())


def check(platform: Platform, motion: Motion | Pose, *, rate: ArrayLike | None = None,
          force: ArrayLike | None = None, geometry: Struts | None = None,
          axes: ConeAxes | None = None) -> LimitCheck:
    """Compare `motion` with the limits of every leg.

    rate      (..., 6) actuator rates, m/s; computed from the motion's twist when not given
    force     (..., 6) actuator efforts, N; not checked when not given
    geometry  strut geometry of the same poses, if already known;  axes: from `cone_axes`, likewise
    """
    g = struts(platform, motion) if geometry is None else geometry
    shape = g.coordinate.shape
    if rate is None:
        rate = actuator_rate(platform, motion, g) if isinstance(motion, Motion) else np.zeros(shape)
    none = np.full(shape, np.nan)
    none.flags.writeable = False
    margin: dict[str, Array] = {kind: none for kind in KINDS}  # noqa: C420
    value: dict[str, Array] = dict(margin)
    margin["reach"] = np.where(g.reachable, np.nan, UNREACHED)
    value["reach"] = g.coordinate
    value["stroke"] = g.coordinate
    _stroke(platform, g, margin)
    unchecked = _cones(platform, motion, g, margin, value, axes)
    partner = _distance(platform, g, margin, value)
    _magnitude(platform, "speed", np.broadcast_to(array_or_nan("rate", rate), shape), margin, value)
    if force is not None:
        _magnitude(platform, "force", np.broadcast_to(array_or_nan("force", force), shape), margin, value)
    return LimitCheck(platform, margin, value, partner, unchecked)


def array_or_nan(field: str, value: ArrayLike) -> Array:
    """Six numbers per sample; NaN (a leg out of reach has no rate) and infinity (it breaks its limit) may be there."""
    a = np.asarray(value, dtype=float)
    if a.ndim == 0 or a.shape[-1] != 6:
        raise InputError(field, f"shape {a.shape}", "must have shape (..., 6)")
    return a


def actuator_rate(platform: Platform, motion: Motion, g: Struts) -> Array:
    """``ldot = s.pdot / lever`` (rad/s for a crank: lever times its radius), shape (..., 6)."""
    q = motion.rotation[..., None, :, :] @ platform.platform_joints[..., None]
    pdot = motion.velocity[..., None, :] + (skew(motion.angular_velocity)[..., None, :, :] @ q)[..., 0]
    with np.errstate(invalid="ignore", divide="ignore"):
        return (g.direction * pdot).sum(axis=-1) / (g.lever * _crank_radius(platform))


@lru_cache(maxsize=64)
def _crank_radius(platform: Platform) -> Array:
    """(6,) distance of the crank tip from its shaft, m; 1 for legs that are not cranks."""
    return np.array([np.linalg.norm(np.cross(leg.shaft, leg.arm)) if isinstance(leg, RUS) else 1.0
                     for leg in platform.legs])


@lru_cache(maxsize=64)
def _column(platform: Platform, name: str) -> Array:
    """(6,) one limit of every leg (two columns for the stroke), NaN where there is none."""
    none = (np.nan, np.nan) if name == "stroke" else np.nan
    values = [getattr(leg.limits, name) for leg in platform.legs]
    return np.array([none if v is None else v for v in values], dtype=float)


def _stroke(platform: Platform, g: Struts, margin: dict[str, Array]) -> None:
    low, high = _column(platform, "stroke").T
    margin["stroke"] = np.minimum(g.coordinate - low, high - g.coordinate) / (high - low)


def _cones(platform: Platform, motion: Motion | Pose, g: Struts, margin: dict[str, Array],
           value: dict[str, Array], axes: ConeAxes | None) -> tuple[str, ...]:
    limit = {"base cone": _column(platform, "base_cone"), "platform cone": _column(platform, "platform_cone")}
    if np.isnan([*limit["base cone"], *limit["platform cone"]]).all():
        return ()
    base, top = axes or cone_axes(platform)
    unchecked = []
    for kind, strut, given in (("base cone", g.direction, base),
                               ("platform cone", -(g.direction @ motion.rotation), top)):
        half = limit[kind]
        axis = np.array([(np.nan,) * 3 if a is None else a for a in given], dtype=float)
        angle = _angle(axis, strut)
        value[kind], margin[kind] = angle, (half - angle) / half
        unchecked += [f"{platform.leg_names[i]}: {kind} not checked: neither axis nor home pose"
                      for i in range(6) if given[i] is None and not np.isnan(half[i])]
    return tuple(unchecked)


def _angle(a: Array, b: Array) -> Array:
    """Between unit vectors, rad: ``2 atan2(|a - b|, |a + b|)``, exact near 0 and pi."""
    less, more = a - b, a + b
    return 2.0 * np.arctan2(np.sqrt((less * less).sum(axis=-1)), np.sqrt((more * more).sum(axis=-1)))


def cone_axes(platform: Platform) -> ConeAxes:
    """Cone axes at the base side (world axes) and platform (platform axes), from home where not given."""
    home = None if platform.home is None else struts(platform, platform.home)
    base: list[Array | None] = []
    top: list[Array | None] = []
    for i, leg in enumerate(platform.legs):
        s = None
        if home is not None and platform.home is not None and home.reachable[i]:
            s = home.direction[i]
        base.append(leg.limits.base_axis if leg.limits.base_axis is not None else s)
        at_home = None if s is None or platform.home is None else -(platform.home.rotation.T @ s)
        top.append(leg.limits.platform_axis if leg.limits.platform_axis is not None else at_home)
    return base, top


def _distance(platform: Platform, g: Struts, margin: dict[str, Array], value: dict[str, Array]) -> Array:
    i, j = _PAIRS
    need = _clearance(platform)
    if np.isnan(need).all():
        return np.full(g.coordinate.shape, -1)
    d = segment_distance(g.start[..., i, :], g.end[..., i, :], g.start[..., j, :], g.end[..., j, :])
    m = ((d - need) / need)[..., _PAIRS_OF]
    best = np.where(np.isnan(m), np.inf, m).argmin(axis=-1)[..., None]
    margin["distance"] = np.take_along_axis(m, best, axis=-1)[..., 0]
    value["distance"] = np.take_along_axis(d[..., _PAIRS_OF], best, axis=-1)[..., 0]
    pair = _PAIRS_OF[np.arange(6), best[..., 0]]
    return np.where(i[pair] == np.arange(6), j[pair], i[pair])


@lru_cache(maxsize=64)
def _clearance(platform: Platform) -> Array:
    """(15,) distance that each pair of struts needs; NaN without radii, or where a joint is shared by design."""
    i, j = _PAIRS
    radius = _column(platform, "radius")
    tiny = 1e-9 * platform.characteristic_length
    b, p = platform.base_joints, platform.platform_joints
    shared = np.minimum(np.abs(b[i] - b[j]).max(axis=1), np.abs(p[i] - p[j]).max(axis=1)) < tiny
    return np.where(shared, np.nan, radius[i] + radius[j])


def segment_distance(a0: ArrayLike, a1: ArrayLike, b0: ArrayLike, b1: ArrayLike) -> Array:
    """Shortest distance of the segments a0-a1 and b0-b1, (...), m.

    The closest points lie inside both segments, or one of them is an end point: the smallest of the inner
    solution (where it falls inside both) and the four end-point distances is exact, parallel ones included.
    """
    a0, a1, b0, b1 = (np.asarray(x, dtype=float) for x in (a0, a1, b0, b1))
    u, v, w = a1 - a0, b1 - b0, a0 - b0
    uu, uv, vv = (u * u).sum(-1), (u * v).sum(-1), (v * v).sum(-1)
    uw, vw = (u * w).sum(-1), (v * w).sum(-1)
    det = uu * vv - uv * uv
    with np.errstate(invalid="ignore", divide="ignore"):
        x, y = (uv * vw - vv * uw) / det, (uu * vw - uv * uw) / det
        inside = (det > 1e-14 * uu * vv) & (x > 0) & (x < 1) & (y > 0) & (y < 1)
        apart = w + x[..., None] * u - y[..., None] * v
        gap = np.sqrt((apart * apart).sum(-1))
    shape = np.broadcast_shapes(a0.shape, a1.shape, b0.shape, b1.shape)
    points, low, high = (np.stack([np.broadcast_to(x, shape) for x in four])
                         for four in ((a0, a1, b0, b1), (b0, b0, a0, a0), (b1, b1, a1, a1)))
    ends = _to_segment(points, low, high).min(axis=0)
    return np.where(inside, np.minimum(gap, ends), ends)


def _to_segment(x: Array, a: Array, b: Array) -> Array:
    d = b - a
    length2 = (d * d).sum(-1)
    along = np.clip(((x - a) * d).sum(-1) / np.where(length2 > 0, length2, 1.0), 0.0, 1.0)
    gap = x - a - along[..., None] * d
    return np.sqrt((gap * gap).sum(-1))


def _magnitude(platform: Platform, kind: str, x: Array, margin: dict[str, Array],
               value: dict[str, Array]) -> None:
    most = _column(platform, kind)
    value[kind] = np.abs(x)
    margin[kind] = (most - value[kind]) / most


def _say(platform: Platform, kind: str, leg: int, sample: int, value: float, other: int | None) -> Violation:
    data, name = platform.legs[leg], platform.leg_names[leg]
    limits, turns = data.limits, isinstance(data, RUS)

    def length(x: float) -> str:
        return f"{degrees(x):.2f}°" if turns else f"{1e3 * x:.2f} mm"

    low, high = 0.0, np.inf
    if kind == "reach":
        strut = 1e3 * getattr(data, "length", 0.0)
        text = (f"{name} cannot reach its platform joint: strut of {strut:.1f} mm is too short or long "
                "for this pose")
    elif kind == "stroke" and limits.stroke is not None:
        low, high = (float(x) for x in limits.stroke)
        side = f"below its minimum {length(low)}" if value < low else f"beyond its maximum {length(high)}"
        what = {"PUS": "slider at", "RUS": "crank at"}.get(type(data).__name__, "length")
        excess = low - value if value < low else value - high
        text = f"{name}: {what} {length(value)} is {side} by {length(excess)}"
    elif kind in ("base cone", "platform cone"):
        high = float(limits.base_cone or 0.0) if kind == "base cone" else float(limits.platform_cone or 0.0)
        where = "base" if kind == "base cone" else "platform"
        text = (f"{name}: strut leans {degrees(value):.2f}° at its {where} joint; "
                f"its cone allows {degrees(high):.2f}°")
    elif kind == "distance" and other is not None:
        low = float(limits.radius or 0.0) + float(platform.legs[other].limits.radius or 0.0)
        text = (f"{name} and {platform.leg_names[other]} collide: axes {1e3 * value:.2f} mm apart, "
                f"they need {1e3 * low:.2f} mm")
    elif kind == "speed":
        high = float(limits.speed or 0.0)
        text = f"{name}: rate {value:.4g} {'rad/s' if turns else 'm/s'} exceeds {high:.4g}"
    else:
        high = float(limits.force or 0.0)
        text = f"{name}: effort {value:.4g} {'N m' if turns else 'N'} exceeds {high:.4g}"
    return Violation(leg, kind, sample, value, (low, high), text, other)
