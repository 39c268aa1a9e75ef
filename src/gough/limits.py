"""Does a motion stay within the limits of the machine, and if not, why not, in sentences: the one judge of limits.

`check` looks at reach, stroke, joint cones, distances of legs and bodies, actuator speed and, if given, efforts;
simulation events and assembly filters ask for single kinds.  Every answer is a margin: positive inside, zero on the
limit, negative outside, scaled to the allowed range, so that limits compare and a workspace has a smooth boundary.

    stroke     min(l - min, max - l) / (max - min)
    cone       (half angle - angle) / half angle;  angle between strut and cone axis
    distance   (d - r_i - r_j) / (r_i + r_j);  d the distance of the two strut segments, legs that share a joint aside
    clearance  (d - r_i) / r_i;  d the distance of a strut from the body of platform or base (gough/clearances.py)
    speed      (max - |rate|) / max
    force      (max - |force|) / max
NaN means that the leg has no such limit; a quantity that is not a number is never inside (`UNKNOWN`).

A cone's axis is fixed: at the base side in world axes, at the platform in platform axes, for every leg type.  Left out,
it is the strut's direction at the home pose; without a home that the leg reaches, the cone is not checked, and
`LimitCheck.unchecked` says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import degrees
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough import reasons
from gough.checks import Array, InputError, kept, pick, real
from gough.clearances import CLEARANCES, leg_clearances, needed_clearances, unchecked_clearances
from gough.frozen import hinted
from gough.links import POSE, refuse_off_links
from gough.model import CRANKS, SLIDERS, Platform
from gough.spatial import Motion, Pose
from gough.struts import PAIRS, Struts, pair_distances, shared_joints, struts

KINDS = ("reach", "stroke", "base cone", "platform cone", "distance", "speed", "force", *CLEARANCES)
ROUNDING = 1e-9  # of a margin: a limit that is met so nearly is not broken for sure
UNKNOWN = -1.0  # margin of a leg that cannot reach its joint, or of a quantity that is not a number
_PAIRS_OF = np.array(
    [[n for n, pair in enumerate(PAIRS.T.tolist()) if leg in pair] for leg in range(6)]
)  # (6, 5)
_LEGS = np.arange(6)
_PARTNERS_OF = PAIRS.sum(axis=0)[_PAIRS_OF] - _LEGS[:, None]  # (6, 5)


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


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class LimitCheck:
    """Margins of a motion against the limits.

    geometry    the struts that were judged
    margin      per kind, (..., 6): positive inside, NaN where the leg has no such limit or cannot reach
    value       per kind, (..., 6): the quantity compared (m, rad, m/s, N)
    partner     (..., 6) the other leg of the tightest distance
    unchecked   sentences on limits that could not be checked
    """

    platform: Platform
    geometry: Struts
    margin: dict[str, Array]
    value: dict[str, Array]
    partner: NDArray[np.intp]
    unchecked: tuple[str, ...] = ()

    @cached_property
    def _tightest(self) -> Array:
        """(kinds, ...) smallest margin over the legs; infinite where nothing is limited."""
        stacked = np.stack([self.margin[kind] for kind in KINDS])
        return np.where(np.isnan(stacked), np.inf, stacked).min(axis=-1)

    @cached_property
    def leg_margin(self) -> Array:
        """(..., 6) smallest margin over the kinds; NaN where nothing is limited."""
        return np.fmin.reduce([self.margin[kind] for kind in KINDS])

    @cached_property
    def worst(self) -> Array:
        """(...) smallest margin over legs and kinds; infinite where nothing is limited."""
        return np.fmin.reduce(self.leg_margin, axis=-1, initial=np.inf)

    @cached_property
    def ok(self) -> NDArray[np.bool_]:
        """(...) bool: within every limit."""
        return self.worst >= 0.0

    @cached_property
    def reason(self) -> NDArray[np.intp]:
        """(...) int: 0 inside, else 1 + index in `KINDS` of the kind with the smallest margin."""
        return np.where(self.ok, 0, 1 + self._tightest.argmin(axis=0))

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
                other = (
                    int(self.partner.reshape(-1, 6)[sample, leg]) if kind == "distance" else None
                )
                if other is not None and other < leg:
                    continue  # said once, by the first leg of the pair
                found.append((least, self._violation(kind, leg, sample, other)))
        found.sort(key=lambda item: (round(item[0], 9), item[1].leg))
        return tuple(v for _, v in found[:most])

    def sentences(self) -> tuple[str, ...]:
        """Why the motion is refused; empty when it is within all limits."""
        return tuple(v.sentence for v in self.violations())

    def _violation(self, kind: str, leg: int, sample: int, other: int | None) -> Violation:
        value = float(self.value[kind].reshape(-1, 6)[sample, leg])
        allowed = allowed_range(self.platform, kind, leg, other)
        if kind == "reach":
            end = self.geometry.end.reshape(-1, 6, 3)[sample, leg]
            code = int(reasons.problems(self.platform, self.geometry).reshape(-1, 6)[sample, leg])
            text = (
                f"{self.platform.leg_names[leg]} cannot reach its platform joint: "
                f"{reasons.sentence(self.platform, code, leg, end)}"
            )
        else:
            text = _say(self.platform, kind, leg, value, allowed, other)
        return Violation(leg, kind, sample, value, allowed, text, other)


class _Table(NamedTuple):
    """Limits of the six legs side by side; NaN where there is none.  need (15,): distance of each pair of struts."""

    low: Array
    high: Array
    cones: Array
    speed: Array
    force: Array
    radius: Array
    need: Array
    has_cones: bool
    has_radii: bool


@kept
def _table(platform: Platform) -> _Table:
    def column(name: str, default: float | tuple[float, float] = np.nan) -> Array:
        values = [getattr(leg.limits, name) for leg in platform.legs]
        return np.array([default if v is None else v for v in values], dtype=float)

    low, high = column("stroke", (np.nan, np.nan)).T
    cones, radius = np.stack([column("base_cone"), column("platform_cone")]), column("radius")
    need = np.where(shared_joints(platform), np.nan, radius[PAIRS[0]] + radius[PAIRS[1]])
    return _Table(
        low,
        high,
        cones,
        column("speed"),
        column("force"),
        radius,
        need,
        not np.isnan(cones).all(),
        not np.isnan(need).all(),
    )


def check(
    platform: Platform,
    motion: Motion | Pose,
    *,
    rate: ArrayLike | None = None,
    force: ArrayLike | None = None,
    geometry: Struts | None = None,
) -> LimitCheck:
    """Compare `motion` with the limits of every leg.

    rate      (..., 6) actuator rates, m/s; computed from the motion's twist when not given
    force     (..., 6) actuator efforts, N; not checked when not given
    geometry  strut geometry of the same poses, if already known
    """
    refuse_off_links(platform, motion, POSE)
    g = struts(platform, motion) if geometry is None else geometry
    shape = g.coordinate.shape
    if rate is None:
        rate = (
            g.rate(motion.velocity, motion.angular_velocity)
            if isinstance(motion, Motion)
            else np.zeros(shape)
        )
    none = np.full(shape, np.nan)
    none.flags.writeable = False
    reached = g.reachable
    all_reached = bool(reached.all())
    margin: dict[str, Array] = {kind: none for kind in KINDS}  # noqa: C420
    value: dict[str, Array] = dict(margin)
    value["reach"] = value["stroke"] = g.coordinate
    margin["stroke"] = stroke_margin(platform, g.coordinate)
    partner = np.full(shape, -1)
    if _table(platform).has_cones:
        angles, margins = cone_margins(platform, g.direction, motion.rotation)
        value["base cone"], value["platform cone"] = angles
        margin["base cone"], margin["platform cone"] = margins
    if _table(platform).has_radii:
        margin["distance"], value["distance"], partner = _distance(platform, g)
    for kind, d in leg_clearances(platform, g, motion).items():
        radius = needed_clearances(platform)[kind]
        value[kind], margin[kind] = d, (d - radius) / radius
    for kind, given in (("speed", rate), ("force", force)):
        if given is not None:
            value[kind] = np.abs(_six(kind, given, shape))
            margin[kind] = magnitude_margin(platform, kind, value[kind])
    if not all_reached:  # such a leg has nothing else to compare
        margin = {kind: np.where(reached, found, np.nan) for kind, found in margin.items()}
        margin["reach"] = np.where(reached, np.nan, UNKNOWN)
    return LimitCheck(platform, g, margin, value, partner, _unchecked(platform))


def _six(kind: str, value: ArrayLike, shape: tuple[int, ...]) -> Array:
    """Six numbers per sample; NaN (a leg out of reach has no rate) and infinity (it breaks its limit) may be there."""
    field = "rate" if kind == "speed" else kind
    a = real(field, value, (6,))
    try:
        return np.broadcast_to(a, shape)
    except ValueError:
        raise InputError(
            field, f"shape {a.shape}", f"must fit the batch of poses, {shape}"
        ) from None


def _known(margin: Array, value: Array, limit: Array) -> Array:
    """`margin`, but `UNKNOWN` where a limited value is not a number."""
    lost = np.isnan(value)
    return np.where(lost & ~np.isnan(limit), UNKNOWN, margin) if lost.any() else margin


def stroke_margin(platform: Platform, coordinate: Array) -> Array:
    """(..., 6) of actuator coordinates (..., 6)."""
    low, high = _table(platform)[:2]
    return _known(np.minimum(coordinate - low, high - coordinate) / (high - low), coordinate, high)


def magnitude_margin(platform: Platform, kind: str, value: Array) -> Array:
    """(..., 6) of sizes of rates (kind "speed") or efforts ("force")."""
    most = getattr(_table(platform), kind)
    with np.errstate(invalid="ignore"):
        return _known((most - value) / most, value, most)


def cone_margins(platform: Platform, direction: Array, rotation: Array) -> tuple[Array, Array]:
    """(2, ..., 6) angles, rad, and margins at base and platform of struts along `direction` (..., 6, 3)."""
    strut = np.stack([direction, -(direction @ rotation)])
    axes, half = cone_axes(platform), _table(platform).cones
    if direction.ndim > 2:
        batch = (1,) * (direction.ndim - 2)
        axes, half = axes.reshape(2, *batch, 6, 3), half.reshape(2, *batch, 6)
    less, more = axes - strut, axes + strut  # 2 atan2(|a - b|, |a + b|) is exact near 0 and pi
    angle = 2.0 * np.arctan2(
        np.sqrt((less * less).sum(axis=-1)), np.sqrt((more * more).sum(axis=-1))
    )
    lost = np.where(np.isnan(axes[..., 0]), np.nan, half)  # no axis: not checked
    return angle, _known((half - angle) / half, angle, lost)


@kept
def cone_axes(platform: Platform) -> Array:
    """(2, 6, 3) cone axes at the base side (world axes) and platform (platform axes): as given, else the strut's
    direction at home; NaN where there is no home that the leg reaches."""
    axes = np.full((2, 6, 3), np.nan)
    if platform.home is not None:
        g = struts(platform, platform.home)
        s = np.where(g.reachable[:, None], g.direction, np.nan)
        axes[0], axes[1] = s, -(s @ platform.home.rotation)
    for i, leg in enumerate(platform.legs):
        for side, given in enumerate((leg.limits.base_axis, leg.limits.platform_axis)):
            if given is not None:
                axes[side, i] = given
    return axes


@kept
def _unchecked(platform: Platform) -> tuple[str, ...]:
    without = np.isnan(cone_axes(platform)[..., 0]) & ~np.isnan(_table(platform).cones)
    cones = (
        f"{platform.leg_names[i]}: {KINDS[2 + side]} not checked: neither axis nor home pose"
        for side, i in zip(*(x.tolist() for x in np.nonzero(without)), strict=True)
    )
    return (*cones, *unchecked_clearances(platform))


def _distance(platform: Platform, g: Struts) -> tuple[Array, Array, NDArray[np.intp]]:
    """(..., 6) margin and distance of each leg's tightest pair, and the other leg of it."""
    d, need = pair_distances(g), _table(platform).need
    margin = (d - need) / need
    least = np.where(np.isnan(margin), np.inf, margin)[..., _PAIRS_OF].argmin(axis=-1)
    pair = _PAIRS_OF[_LEGS, least]
    return pick(margin, pair), pick(d, pair), _PARTNERS_OF[_LEGS, least]


def needed_distances(platform: Platform) -> Array:
    """(15,) distance that each of `PAIRS` of struts needs, m; NaN without radii, or where a joint is shared."""
    return _table(platform).need


def allowed_range(
    platform: Platform, kind: str, leg: int, other: int | None = None
) -> tuple[float, float]:
    """What a leg may do, SI: (0, inf) where it is not limited; `other`: the second leg of a distance."""
    table = _table(platform)
    if kind == "stroke":
        low, high = table.low[leg], table.high[leg]
    elif kind == "distance":
        low, high = np.nan if other is None else table.radius[leg] + table.radius[other], np.inf
    elif kind == "reach":
        low, high = 0.0, np.inf
    elif kind in CLEARANCES:
        low, high = needed_clearances(platform).get(kind, np.full(6, np.nan))[leg], np.inf
    else:
        low, high = (
            0.0,
            table.cones[KINDS.index(kind) - 2, leg]
            if "cone" in kind
            else getattr(table, kind)[leg],
        )
    return (0.0 if np.isnan(low) else float(low)), (np.inf if np.isnan(high) else float(high))


def _say(
    platform: Platform,
    kind: str,
    leg: int,
    value: float,
    allowed: tuple[float, float],
    other: int | None,
) -> str:
    data, name, (low, high) = platform.legs[leg], platform.leg_names[leg], allowed
    turns = isinstance(data, CRANKS)

    def length(x: float) -> str:
        return f"{degrees(x):.2f}°" if turns else f"{1e3 * x:.2f} mm"

    if np.isnan(value):
        return f"{name}: {kind} is not a number: it cannot be within its limit"
    if kind == "stroke":
        side = (
            f"below its minimum {length(low)}"
            if value < low
            else f"beyond its maximum {length(high)}"
        )
        what = "crank at" if turns else "slider at" if isinstance(data, SLIDERS) else "length"
        what = what if getattr(data, "screw", None) is None else "screw at"
        excess = low - value if value < low else value - high
        return f"{name}: {what} {length(value)} is {side} by {length(excess)}"
    if kind == "distance" and other is not None:
        return (
            f"{name} and {platform.leg_names[other]} collide: axes {1e3 * value:.2f} mm apart, "
            f"they need {1e3 * low:.2f} mm"
        )
    if kind in CLEARANCES:
        body = kind.removesuffix(" clearance")
        return f"{name} touches the {body}: axis {1e3 * value:.2f} mm from it, it needs {1e3 * low:.2f} mm"
    if kind == "speed":
        return f"{name}: rate {value:.4g} {'rad/s' if turns else 'm/s'} exceeds {high:.4g}"
    if kind == "force":
        return f"{name}: effort {value:.4g} {'N m' if turns else 'N'} exceeds {high:.4g}"
    return (
        f"{name}: strut leans {degrees(value):.2f}° at its {kind.removesuffix(' cone')} joint; "
        f"its cone allows {degrees(high):.2f}°"
    )


def home_warnings(platform: Platform) -> tuple[str, ...]:
    """What is wrong with the home pose: limits that it breaks by more than rounding, joints that it cannot take."""
    home = platform.home
    if home is None:
        return ()
    found = check(platform, home)
    if found.worst < -ROUNDING:
        return tuple(f"the home pose breaks a limit: {said}" for said in found.sentences())
    problem = reasons.pose_problem(platform, home.position, home.rotation)
    return () if problem is None else (f"the home pose cannot be taken: {problem}",)
