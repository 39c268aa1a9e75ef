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
from functools import cached_property
from itertools import combinations
from math import degrees

import numpy as np
from numpy.typing import ArrayLike

from gough.analysis.struts import Struts, struts
from gough.checks import Array, InputError, array
from gough.model import RUS, Platform
from gough.spatial import Motion, Pose

KINDS = ("reach", "stroke", "base cone", "platform cone", "distance", "speed", "force")
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
        found: list[tuple[float, Violation]] = []
        for kind in KINDS:
            margin = self.margin[kind].reshape(-1, 6)
            value = self.value[kind].reshape(-1, 6)
            filled = np.where(np.isnan(margin), np.inf, margin)
            if not filled.size:
                continue
            for leg in range(6):
                sample = int(filled[:, leg].argmin())
                if filled[sample, leg] >= 0.0:
                    continue
                other = int(self.partner.reshape(-1, 6)[sample, leg]) if kind == "distance" else None
                if other is not None and other < leg:
                    continue  # said once, by the first leg of the pair
                violation = _say(self.platform, kind, leg, sample, float(value[sample, leg]), other)
                found.append((float(filled[sample, leg]), violation))
        found.sort(key=lambda item: item[0])
        return tuple(v for _, v in found[:most])

    def sentences(self) -> tuple[str, ...]:
        """Why the motion is refused; empty when it is within all limits."""
        return tuple(v.sentence for v in self.violations())


def check(platform: Platform, motion: Motion | Pose, *, rate: ArrayLike | None = None,
          force: ArrayLike | None = None, geometry: Struts | None = None) -> LimitCheck:
    """Compare `motion` with the limits of every leg.

    rate      (..., 6) actuator rates, m/s; computed from the motion's twist when not given
    force     (..., 6) actuator efforts, N; not checked when not given
    geometry  strut geometry of the same poses, if already known
    """
    g = struts(platform, motion) if geometry is None else geometry
    shape = g.coordinate.shape
    if rate is None:
        rate = actuator_rate(platform, motion, g) if isinstance(motion, Motion) else np.zeros(shape)
    margin = {kind: np.full(shape, np.nan) for kind in KINDS}
    value = {kind: np.full(shape, np.nan) for kind in KINDS}
    margin["reach"] = np.where(g.reachable, np.nan, UNREACHED)
    value["reach"] = g.coordinate
    value["stroke"] = g.coordinate
    _stroke(platform, g, margin)
    unchecked = _cones(platform, motion, g, margin, value)
    partner = _distance(platform, g, margin, value)
    _magnitude(platform, "speed", np.broadcast_to(array_or_nan("rate", rate), shape), margin, value)
    if force is not None:
        _magnitude(platform, "force", np.broadcast_to(array_or_nan("force", force), shape), margin, value)
    return LimitCheck(platform, margin, value, partner, unchecked)


def array_or_nan(field: str, value: ArrayLike) -> Array:
    """Six numbers per sample; NaN is let through (legs out of reach have no rate)."""
    a = np.asarray(value, dtype=float)
    if a.ndim == 0 or a.shape[-1] != 6:
        raise InputError(field, f"shape {a.shape}", "must have shape (..., 6)")
    array(field, np.nan_to_num(a, nan=0.0), (6,))
    return a


def actuator_rate(platform: Platform, motion: Motion, g: Struts) -> Array:
    """``ldot = s.pdot / lever`` (rad/s for a crank: lever times its radius), shape (..., 6)."""
    q = motion.rotation[..., None, :, :] @ platform.platform_joints[..., None]
    pdot = motion.velocity[..., None, :] + np.cross(motion.angular_velocity[..., None, :], q[..., 0])
    radius = np.array([np.linalg.norm(np.cross(leg.shaft, leg.arm)) if isinstance(leg, RUS) else 1.0
                       for leg in platform.legs])
    with np.errstate(invalid="ignore", divide="ignore"):
        return (g.direction * pdot).sum(axis=-1) / (g.lever * radius)


def _stroke(platform: Platform, g: Struts, margin: dict[str, Array]) -> None:
    for i, leg in enumerate(platform.legs):
        if leg.limits.stroke is not None:
            low, high = leg.limits.stroke
            l = g.coordinate[..., i]
            margin["stroke"][..., i] = np.minimum(l - low, high - l) / (high - low)


def _cones(platform: Platform, motion: Motion | Pose, g: Struts, margin: dict[str, Array],
           value: dict[str, Array]) -> tuple[str, ...]:
    unchecked = []
    axes = cone_axes(platform)
    for i, leg in enumerate(platform.legs):
        s = g.direction[..., i, :]
        in_platform = np.einsum("...ji,...j->...i", motion.rotation, -s)
        both = (("base cone", leg.limits.base_cone, s, axes[0][i]),
                ("platform cone", leg.limits.platform_cone, in_platform, axes[1][i]))
        for kind, limit, strut, axis in both:
            if limit is None:
                continue
            if axis is None:
                unchecked.append(f"{platform.leg_names[i]}: {kind} not checked: neither axis nor home pose")
                continue
            angle = np.arctan2(np.linalg.norm(np.cross(axis, strut), axis=-1), strut @ axis)
            value[kind][..., i] = angle
            margin[kind][..., i] = (limit - angle) / limit
    return tuple(unchecked)


def cone_axes(platform: Platform) -> tuple[list[Array | None], list[Array | None]]:
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
    partner = np.full(g.coordinate.shape, -1)
    radius = [leg.limits.radius for leg in platform.legs]
    for i, j in combinations(range(6), 2):
        ri, rj = radius[i], radius[j]
        if ri is None or rj is None or _shared(g, i, j):
            continue
        d = segment_distance(g.start[..., i, :], g.end[..., i, :], g.start[..., j, :], g.end[..., j, :])
        m = (d - ri - rj) / (ri + rj)
        for a, b in ((i, j), (j, i)):
            closer = np.isnan(margin["distance"][..., a]) | (m < margin["distance"][..., a])
            margin["distance"][..., a] = np.where(closer, m, margin["distance"][..., a])
            value["distance"][..., a] = np.where(closer, d, value["distance"][..., a])
            partner[..., a] = np.where(closer, b, partner[..., a])
    return partner


def _shared(g: Struts, i: int, j: int) -> bool:
    """Two legs that meet in one joint by design cannot be asked to keep apart there."""
    ends = ((g.start, g.start), (g.end, g.end))
    gaps = (np.linalg.norm(a[..., i, :] - b[..., j, :], axis=-1) for a, b in ends)
    return min(float(np.nanmin(gap, initial=np.inf)) for gap in gaps) < 1e-9


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
        gap = np.linalg.norm(w + x[..., None] * u - y[..., None] * v, axis=-1)
    ends = np.minimum.reduce([_to_segment(a0, b0, b1), _to_segment(a1, b0, b1),
                              _to_segment(b0, a0, a1), _to_segment(b1, a0, a1)])
    return np.where(inside, np.minimum(gap, ends), ends)


def _to_segment(x: Array, a: Array, b: Array) -> Array:
    d = b - a
    length2 = (d * d).sum(-1)
    along = np.clip(((x - a) * d).sum(-1) / np.where(length2 > 0, length2, 1.0), 0.0, 1.0)
    return np.linalg.norm(x - a - along[..., None] * d, axis=-1)


def _magnitude(platform: Platform, kind: str, x: Array, margin: dict[str, Array],
               value: dict[str, Array]) -> None:
    value[kind] = np.abs(x)
    for i, leg in enumerate(platform.legs):
        most = getattr(leg.limits, kind)
        if most is not None:
            margin[kind][..., i] = (most - np.abs(x[..., i])) / most


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
