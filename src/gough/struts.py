"""Where every strut is, for any leg type and any number of poses at once: the one geometry of the legs.

A leg is a strut between a base-side point c(lam), which its actuator coordinate lam may move, and a platform joint:

    UPS, SPS, UCS  c = base                   lam = |S|            w = s
    PUS, PSU   c = base + lam e               |S| = length         w = e          e the rail
    UCU        as UPS; with a screw   lam = |S| + h (phi - phi_s),   phi the twist of the leg (gough/twist.py)
    RUS, RSS   c = base + h e + cos(lam) u + sin(lam) n            w = dc/dlam    e the shaft, u the arm across it,
               |S| = length                                                       n = e x u, h = e.arm
    q = R joint;  S = t + q - c;  s = S/|S|;  p = t + q the platform joint, P = p - base;  world axes, m

    eta = s.w            transmission: actuator rate = s.pdot / eta
    H                    columns (s, q x s): the wrench of unit strut forces about the platform's reference point;
                         with a screw (s', q x s' + m'), s' = s + h j_s, m' = h j_w

A leg that cannot reach has NaN everywhere and ``reachable = False``: a whole grid can be asked in one call; why not,
in words, is `gough.reasons`.  Source: docs/derivations/exact.md, inverse kinematics of the leg types.
Compiled copies (kinematics/forward_kernel.py, analysis/points_kernel.py) are tested against this module; the exact
equations and the formulations derive their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.checks import Array, InputError, kept
from gough.layout import LEG_GEOMETRY as LEG
from gough.layout import TWIST
from gough.offset_legs import OffsetPose, off_sphere, placed, pulls
from gough.segments import segment_distance as segment_distance
from gough.twist import TURN, cylinders, top_joints

if TYPE_CHECKING:
    from gough.model import Leg, Platform
    from gough.spatial import Motion, Pose

STRUT, SLIDER, CRANK, SCREW, OFFSET = 0.0, 1.0, 2.0, 3.0, 4.0  # column `kind` of the table
ALONG = (STRUT, SCREW, OFFSET)  # driven along the strut
CARRIED = {"PUS": SLIDER, "PSU": SLIDER, "RUS": CRANK, "RSS": CRANK}  # their base-side end moves
NO_SPHERES = (
    "not available with a screw whose nut turns with the platform, or with universal joints whose axes do not meet: "
    "the platform joint is not on a sphere about the base joint, whose radius the coordinate would be"
)
PAIRS = np.array(list(combinations(range(6), 2))).T  # (2, 15) leg numbers
_NEXT, _LAST = [1, 2, 0], [2, 0, 1]


@dataclass(frozen=True, eq=False)
class Struts:
    """Strut geometry of the six legs.

    coordinate  (..., 6) actuator coordinate, m (rad for a crank)
    start, end  (..., 6, 3) base-side and platform-side ends of the strut, world axes, m
    arm         (..., 6, 3) q: platform joint from the platform's reference point, world axes, m
    direction   (..., 6, 3) unit vector from start to end
    eta         (..., 6) transmission: 1, s.e (sliders), s.dc/dlam in m (cranks)
    rho         (6,) distance of a crank's tip from its shaft, m; 1 for other legs
    platform_axes  (..., 6, 3) first axes of universal joints at the platform, world axes; zero for balls; None: all are
    pull        None: a unit y is a force along `direction`; else (..., 6, 6) its force and moment at the joint
    offset      legs whose universal joints have offsets, if there are some; their start and end are on the leg's axis
    """

    coordinate: Array
    start: Array
    end: Array
    arm: Array
    direction: Array
    eta: Array
    rho: Array
    platform_axes: Array | None = None
    pull: Array | None = None
    offset: OffsetPose | None = None

    @cached_property
    def reachable(self) -> NDArray[np.bool_]:
        """(..., 6) the leg reaches its platform joint."""
        return np.isfinite(self.coordinate) & np.isfinite(self.direction).all(axis=-1)

    @property
    def lever(self) -> Array:
        """(..., 6) how well the actuator drives the strut, at most 1: eta, of a crank per radius."""
        return self.eta / self.rho

    @property
    def rows(self) -> Array:
        """(..., 6, 6) rows ``(s, q x s)`` of the legs, or what else a unit y does."""
        return self.rows_over(1.0)

    def rows_over(self, length: float | Array) -> Array:
        """The same with moments over a length."""
        if self.pull is None:
            return wrench_rows(self.arm / length, self.direction)
        rows = wrench_rows(self.arm / length, self.pull[..., TWIST.linear])
        rows[..., TWIST.angular] += self.pull[..., TWIST.angular] / length
        return rows

    @property
    def jacobian(self) -> Array:
        """(..., 6, 6) rows ``(j, q x j)``, ``j = s/eta``: actuator rates of the platform's twist."""
        if self.pull is None:
            return wrench_rows(self.arm, self.direction / self.eta[..., None])
        return self.rows / self.eta[..., None]

    @property
    def wrench_matrix(self) -> Array:
        """``H`` (..., 6, 6), its columns the `rows`."""
        return np.swapaxes(self.rows, -1, -2)

    def rate(self, velocity: Array, angular_velocity: Array) -> Array:
        """(..., 6) actuator rates ``s.pdot / eta`` of the platform's twist, m/s (rad/s for a crank)."""
        if self.pull is not None:
            turns = np.concatenate([velocity, angular_velocity], axis=-1)
            return (self.jacobian @ turns[..., None])[..., 0]
        pd = velocity[..., None, :] + cross(angular_velocity[..., None, :], self.arm)
        with np.errstate(invalid="ignore", divide="ignore"):
            return (self.direction * pd).sum(axis=-1) / self.eta


class _Group(NamedTuple):
    """Legs of one kind: their numbers and the columns of their rows."""

    legs: slice | list[int]
    base: Array
    e: Array
    u: Array
    n: Array
    h: Array
    length: Array
    sign: Array
    rho: Array
    zero: Array


@kept
def leg_table(platform: Platform) -> Array:
    """(6, LEG.size) description of the legs, for NumPy and for the compiled kernels."""
    table = np.array([_row(leg) for leg in platform.legs])
    for i in np.nonzero(table[:, LEG.kind] == CRANK)[0].tolist():
        table[i, LEG.zero] = _angle_at_home(_group(table, [i]), platform)
    turned = cylinders(platform)
    if turned is not None:
        table[turned.legs, LEG.zero] = turned.zero
    return table


def lengths_only(platform: Platform) -> bool:
    """The coordinate of every leg is the distance of its joints (UPS, SPS, UCS, UCU without a screw)."""
    return bool((leg_table(platform)[:, LEG.kind] == STRUT).all())


def crank_zeros(platform: Platform) -> list[float]:
    """Crank angles (of UCU legs: twists) at home, rad: counted from there, ``zero + (-pi, pi]``; 0 for other legs.

    What position the user calls zero then never changes what the machine does: coordinates are continuous as far as
    half a turn from home, not up to where the user's zero happens to put the cut.  Without a home pose the likely one
    serves; where that is out of reach, 0.  Whole turns follow the leg's stroke where it has one.
    """
    return leg_table(platform)[:, LEG.zero].tolist()


def _angle_at_home(crank: _Group, platform: Platform) -> float:
    end = joints(platform, platform.likely_home)[1]
    with np.errstate(invalid="ignore", divide="ignore"):
        angle = float(_turn(crank, end[crank.legs] - crank.base)[0][0])
    if not np.isfinite(angle):
        return 0.0
    stroke = platform.legs[crank.legs[0]].limits.stroke  # type: ignore[index]
    return (
        angle
        if stroke is None
        else angle + TURN * float(np.round((np.mean(stroke) - angle) / TURN))
    )


def _row(leg: Leg) -> Array:
    row = np.zeros(LEG.size)
    kind = CARRIED.get(type(leg).__name__, STRUT) if getattr(leg, "screw", None) is None else SCREW
    sides = (getattr(leg, f"{side}_offset", None) for side in ("base", "platform"))
    kind = OFFSET if any(side is not None for side in sides) else kind
    row[LEG.kind], row[LEG.base], row[LEG.joint], row[LEG.rho] = kind, leg.base, leg.joint, 1.0
    row[LEG.axis] = getattr(leg, "axis", 0.0)  # a ball joint has none
    if kind == SLIDER:
        row[LEG.e], row[LEG.sign] = leg.rail, leg.assembly  # type: ignore[union-attr]
    elif kind == CRANK:
        e, arm = leg.shaft, leg.arm  # type: ignore[union-attr]
        h = float(e @ arm)
        u = arm - h * e
        row[LEG.e], row[LEG.u], row[LEG.n], row[LEG.h] = e, u, np.cross(e, u), h
        row[LEG.rho], row[LEG.sign] = np.linalg.norm(u), leg.elbow  # type: ignore[union-attr]
    row[LEG.length] = getattr(leg, "length", 0.0)
    return row


@kept
def _groups(platform: Platform) -> tuple[_Group | None, _Group | None]:
    """Sliders and cranks; None where there are none."""
    table = leg_table(platform)

    def group(kind: float) -> _Group | None:
        i = np.nonzero(table[:, LEG.kind] == kind)[0].tolist()
        return _group(table, i) if i else None

    return group(SLIDER), group(CRANK)


def _group(table: Array, legs: list[int]) -> _Group:
    columns = (table[legs, getattr(LEG, name)] for name in _Group._fields[1:])
    return _Group(slice(None) if len(legs) == 6 else legs, *columns)


def spread(a: Array, shape: tuple[int, ...]) -> Array:
    """`a` as it is, or broadcast to `shape`: for one pose np.broadcast_to costs as much as a sum."""
    return a if a.shape == shape else np.broadcast_to(a, shape)


def struts(platform: Platform, pose: Pose | Motion) -> Struts:
    """Strut geometry at `pose` (any batch shape), every leg on its own branch."""
    q, end = joints(platform, pose)
    start = platform.base_joints
    span = end - start
    with np.errstate(invalid="ignore", divide="ignore"):
        coordinate = length = np.sqrt((span * span).sum(axis=-1))
        eta = np.ones_like(coordinate)
        sliders, cranks = _groups(platform)
        if sliders is not None or cranks is not None:
            start = np.array(np.broadcast_to(start, end.shape))
            for group, solve in ((sliders, _slide), (cranks, _turn)):
                if group is not None:
                    i = group.legs
                    coordinate[..., i], start[..., i, :], eta[..., i] = solve(
                        group, span[..., i, :]
                    )
            span = end - start
            length = np.sqrt((span * span).sum(axis=-1))
        direction, ends = span / length[..., None], (start, end)
        start, end, at = placed(platform, pose.rotation, ends, direction, length, coordinate)
        axes, pull = top_joints(platform, pose.rotation, direction, length, coordinate)
        pull, rho = pulls(platform, at, direction, pull), leg_table(platform)[:, LEG.rho]
    start = spread(start, end.shape)
    return Struts(coordinate, start, end, q, direction, eta, rho, axes, pull, at)


def struts_at(platform: Platform, pose: Pose | Motion, coordinate: ArrayLike) -> Struts:
    """Strut geometry with given actuator coordinates (..., 6), whatever branch they are on.

    The coordinates are taken as they are: where they do not belong to the pose, struts have the wrong length.
    """
    lam = np.asarray(coordinate, dtype=float)
    q, end = joints(platform, pose)
    start = _ends(platform, lam)
    span = end - start
    with np.errstate(invalid="ignore", divide="ignore"):
        length = np.sqrt((span * span).sum(axis=-1))
        direction, ends = span / length[..., None], (start, end)
        start, end, at = placed(platform, pose.rotation, ends, direction, length, np.array(length))
        axes, pull = top_joints(platform, pose.rotation, direction, length)
        pull = pulls(platform, at, direction, pull)
    eta = (direction * drive_vectors(platform, lam, direction)).sum(axis=-1)
    lam, start = np.broadcast_to(lam, end.shape[:-1]), np.broadcast_to(start, end.shape)
    rho = leg_table(platform)[:, LEG.rho]
    return Struts(lam, start, end, q, direction, eta, rho, axes, pull, at)


def joints(platform: Platform, pose: Pose | Motion) -> tuple[Array, Array]:
    """Platform joints (..., 6, 3) from the platform's reference point, and in the world; world axes, m."""
    q = platform.platform_joints @ np.swapaxes(pose.rotation, -1, -2)
    return q, pose.position[..., None, :] + q


def _slide(legs: _Group, P: Array) -> tuple[Array, Array, Array]:
    """``lam = P.e - sigma sqrt((P.e)^2 - P.P + length^2)``, sigma the sign of ``s.e``."""
    along = (P * legs.e).sum(axis=-1)
    root = legs.sign * np.sqrt(along**2 - (P * P).sum(axis=-1) + legs.length**2)
    coordinate = along - root
    return coordinate, legs.base + coordinate[..., None] * legs.e, root / legs.length


def _turn(legs: _Group, P: Array) -> tuple[Array, Array, Array]:
    """``cos lam = (A D - B X)/N^2, sin lam = (B D + A X)/N^2, X = elbow sqrt(N^2 - D^2)``; ``eta = -X/length``."""
    A, B, D, N2 = _crank_circle(legs, P)
    X = legs.sign * np.sqrt(N2 - D * D)
    cos, sin = (A * D - B * X) / N2, (B * D + A * X) / N2
    foot = legs.base + legs.h[:, None] * legs.e
    tip = foot + cos[..., None] * legs.u + sin[..., None] * legs.n
    c, s = np.cos(legs.zero), np.sin(legs.zero)
    lam = legs.zero + np.arctan2(sin * c - cos * s, cos * c + sin * s)
    return lam, tip, -X / legs.length


def _crank_circle(legs: _Group, P: Array) -> tuple[Array, Array, Array, Array]:
    """``A = P.u, B = P.n, N^2 = A^2 + B^2`` and D of ``A cos lam + B sin lam = D``: the rod's length, squared."""
    A, B, along = ((P * x).sum(axis=-1) for x in (legs.u, legs.n, legs.e))
    arm2 = legs.h * legs.h + legs.rho * legs.rho
    D = ((P * P).sum(axis=-1) + arm2 - legs.length * legs.length) / 2 - legs.h * along
    return A, B, D, A * A + B * B


def crank_balance(platform: Platform, end: Array) -> tuple[Array, Array]:
    """(..., 6) D and N of the crank circles for platform joints `end` (..., 6, 3); NaN for other legs.

    ``|D| <= N`` where the crank reaches; D > N: the rod is too short, D < -N: too long; N = 0: on the shaft axis.
    """
    D, N = np.full((2, *end.shape[:-1]), np.nan)
    cranks = _groups(platform)[1]
    if cranks is not None:
        i = cranks.legs
        _, _, D[..., i], N2 = _crank_circle(cranks, (end - platform.base_joints)[..., i, :])
        N[..., i] = np.sqrt(N2)
    return D, N


def anchors(platform: Platform, coordinate: ArrayLike) -> tuple[Array, Array]:
    """Spheres of the legs: centers c (..., 6, 3) and radii |S| (..., 6) for actuator coordinates (..., 6)."""
    refuse_screws(platform)
    table, lam = leg_table(platform), np.asarray(coordinate, dtype=float)
    radii = np.where(table[:, LEG.kind] == STRUT, lam, table[:, LEG.length])
    return _ends(platform, lam), radii


def refuse_screws(platform: Platform) -> None:
    """Refuse legs whose platform joint is on no sphere at a given coordinate."""
    if off_sphere(platform):
        raise InputError("platform", "legs with screws or offset joints", NO_SPHERES)


def _ends(platform: Platform, lam: Array) -> Array:
    """(..., 6, 3) base-side ends c of the struts."""
    table, L = leg_table(platform), lam[..., None]
    kind = table[:, LEG.kind, None]
    base, e, u, n = table[:, LEG.base], table[:, LEG.e], table[:, LEG.u], table[:, LEG.n]
    tip = table[:, LEG.h, None] * e + np.cos(L) * u + np.sin(L) * n
    return base + np.where(kind == SLIDER, L * e, 0.0) + np.where(kind == CRANK, tip, 0.0)


def drive_vectors(platform: Platform, coordinate: Array, direction: Array) -> Array:
    """w (..., 6, 3): how the strut gives way per unit of its coordinate: s, the rail, or the crank tip's dc/dlam."""
    table, L = leg_table(platform), coordinate[..., None]
    kind = table[:, LEG.kind, None]
    w = np.where(np.isin(kind, ALONG), direction, table[:, LEG.e])
    if (kind == CRANK).any():
        w = np.where(kind == CRANK, np.cos(L) * table[:, LEG.n] - np.sin(L) * table[:, LEG.u], w)
    return w


def drive_bends(platform: Platform, coordinate: Array) -> Array:
    """(..., 6, 3) d²c/dlam²: towards the shaft for cranks, zero for other legs."""
    table, L = leg_table(platform), coordinate[..., None]
    return -(np.cos(L) * table[:, LEG.u] + np.sin(L) * table[:, LEG.n])  # u = n = 0 but for cranks


def universal_axes(platform: Platform, coordinate: Array) -> Array:
    """(..., 6, 3) first axes of the universal joints, turned with their cranks; zero where a ball joint is instead."""
    table = leg_table(platform)
    axis, turns = table[:, LEG.axis], table[:, LEG.kind] == CRANK
    if not turns.any():
        return np.broadcast_to(axis, (*coordinate.shape, 3))
    e, L = table[:, LEG.e], np.where(turns, coordinate, 0.0)[..., None]
    along = (axis * e).sum(axis=-1, keepdims=True) * e
    return along + np.cos(L) * (axis - along) + np.sin(L) * np.cross(e, axis)


def cross(a: Array, b: Array) -> Array:
    """``a x b`` (..., 3); np.cross costs three times as much for a few vectors."""
    return a[..., _NEXT] * b[..., _LAST] - a[..., _LAST] * b[..., _NEXT]


def wrench_rows(q: Array, s: Array) -> Array:
    """(..., 6) rows ``(s, q x s)``: the wrench about the reference point of a unit force along s at q."""
    return np.concatenate([s, cross(q, s)], axis=-1)


@kept
def shared_joints(platform: Platform) -> NDArray[np.bool_]:
    """(15,) for each of `PAIRS`: do the two legs meet in a joint by design?

    At the platform, or at the base if both are fixed there: the base-side joints of sliders and cranks move, each its
    own way, even where their rails or shafts start from one point.
    """
    i, j = PAIRS
    tiny = 1e-9 * platform.characteristic_length
    b, p = platform.base_joints, platform.platform_joints
    fixed = np.isin(leg_table(platform)[:, LEG.kind], ALONG)
    at_base = (np.abs(b[i] - b[j]).max(axis=1) < tiny) & fixed[i] & fixed[j]
    return at_base | (np.abs(p[i] - p[j]).max(axis=1) < tiny)


def pair_distances(g: Struts) -> Array:
    """(..., 15) distances of the struts of each of `PAIRS`, m."""
    i, j = PAIRS
    return segment_distance(*(p.take(n, axis=-2) for n in (i, j) for p in (g.start, g.end)))
