"""How far a platform can go along a way before a limit or a singularity stops it: proved, not sampled.

A ray is a way from a pose (t0, R0), its place x >= 0:

    t(x) = c + exp(x w)(t0 - c) + x v,      R(x) = exp(x w) R0          world axes; w rad, v m per unit of x

a translation (w = 0), a turn about an axis through c (v = 0), or the straight way between two poses (c = t0, x = 1 at
its end).  Over an interval of x Taylor models (gough/taylor.py) enclose the pose and what the legs do
(analysis/leg_models.py); a limit is a function that must not be negative (analysis/proved.py: `LimitProof`), and the
rows (s, q x s) must be regular.  From x = 0 on intervals are proved one behind the other, twice as long after a
success, half as long after a failure, until one shorter than `FINEST` fails: up to there, `free`, everything holds.
Then the nearest place behind it is looked for at which a limit is broken, by a proof at that place: `beyond`.  So the
way ends in (free, beyond], and what stops it is named.  A limit that is only touched leaves it open.

A limit holds here where it is not broken by more than `SLACK`: m as a share of the machine's characteristic length,
rad, or of a cosine.  Without that a machine whose home is at the end of its strokes could not leave it.
Speeds and efforts are not looked at: a way has none.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import degrees
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gough import reasons, taylor
from gough.analysis.leg_models import LegModel, leg_models, regular, without_bounds
from gough.analysis.proved import LimitProof
from gough.checks import Array
from gough.layout import LEG_GEOMETRY as LEG
from gough.limits import allowed_range, needed_distances
from gough.model import Platform
from gough.spatial import Pose, rotation_exp
from gough.struts import CRANK, leg_table, pair_distances, struts
from gough.taylor import EPS, Model
from gough.trajectory.bounds import MotionModel, from_vector
from gough.trajectory.compose import hold

SLACK = 1e-9
FINEST = 1e-10  # of the unit of a ray (see `Rays.unit`)
LOOKS = np.append(2.0 ** np.arange(1, 25), 2e7)  # times FINEST: where a broken limit is looked for
ROUNDS = 2000  # intervals along one ray
JUDGED = ("reach", "link", "stroke", "base cone", "platform cone", "distance", "determinant")

Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Rays:
    """N ways: poses (N,), w, v, c (N, 3), their ends (N,) and the unit of x in which intervals are judged fine (N,)."""

    start: Pose
    turn: Array
    shift: Array
    center: Array
    end: Array
    unit: Array

    def __getitem__(self, i: NDArray[np.intp]) -> Rays:
        rest = (x[i] for x in (self.turn, self.shift, self.center, self.end, self.unit))
        return Rays(self.start[i], *rest)

    def pose(self, x: Array) -> Pose:
        """Poses (N,) at places x (N,)."""
        R = rotation_exp(self.turn * x[:, None])
        arm = self.start.position - self.center
        t = self.center + (R @ arm[..., None])[..., 0] + self.shift * x[:, None]
        return Pose.trusted(t, R @ self.start.rotation)

    def model(self, low: Array, high: Array) -> MotionModel:
        """Over the intervals [low, high]; without rates."""
        middle, half = 0.5 * (low + high), 0.5 * (high - low) * (1 + 4 * EPS) + 4 * EPS * high
        none = taylor.constant(np.zeros((len(low), 3)))
        x = taylor.constant(middle[:, None])
        x.c[1] = half[:, None]
        Q = from_vector((x * self.turn, none, none))[0]
        arm = self.start.position - self.center
        r = (Q * arm[:, None, :]).sum()
        R = taylor.stack(
            [(Q * self.start.rotation[:, None, :, k]).sum() for k in range(3)]
        )  # columns of R0 turned
        return MotionModel(r + self.center + x * self.shift, R, none, none, none, none)


class RayStop(NamedTuple):
    """What ends a way: kind of limit and legs ((): the machine), or why it is not known; `broken`: proved."""

    kind: str
    legs: tuple[int, ...]
    broken: bool
    sentence: str


@dataclass(frozen=True, eq=False)
class RayEnd:
    """How far a way goes.

    free    x up to which all limits hold and no pose is singular, proved unless `proved` says otherwise
    beyond  x at which something is broken; NaN: nothing found, or the end of the ray is free
    whole   free to the end of the ray
    stops   what is broken at `beyond`, or what could not be decided behind `free`
    proved  None: by proof; else why it is only sampled
    """

    free: float
    beyond: float
    whole: bool
    stops: tuple[RayStop, ...]
    proved: str | None = None


class RayProof:
    """The limits of a machine over intervals of rays."""

    def __init__(self, platform: Platform) -> None:
        self.platform, self.size = platform, platform.characteristic_length
        still = hold(platform.likely_home, 1.0)
        self.limits = LimitProof(platform, still, None, True, np.zeros(6))
        kinds = self.limits.limits
        self.limits.limits = {kind: legs for kind, legs in kinds.items() if kind in JUDGED}

    def over(self, rays: Rays, low: Array, high: Array) -> tuple[dict[str, Flags], Array]:
        """(N, m) per kind: proved to hold over [low, high]; sign (N,) of the determinant, 0: not proved."""
        motion = rays.model(low, high)
        legs = leg_models(self.platform, motion)
        out = {
            kind: np.all(f.lower() >= -self._slack(kind)[:, None], axis=-1)
            for kind, f in self._functions(motion, legs).items()
        }
        sure, sign = regular(legs, self.size)
        out["determinant"] = sure[:, None]
        return out, np.where(sure, sign, 0.0)

    def broken(self, rays: Rays, x: Array) -> dict[str, Flags]:
        """(N, m) per kind: proved broken at x, by more than the slack; nothing of determinants."""
        motion = rays.model(x, x)
        out: dict[str, Flags] = {}
        for kind, f in self._functions(motion, leg_models(self.platform, motion)).items():
            value, off = f.at(np.zeros(1))
            out[kind] = np.any(value[0] + off < -self._slack(kind)[:, None], axis=-1)
        if "distance" in out:
            needed = needed_distances(self.platform)
            d = pair_distances(struts(self.platform, rays.pose(x))) - needed
            with np.errstate(invalid="ignore"):
                out["distance"] = d[:, ~np.isnan(needed)] < -2.0 * SLACK * self.size
        return out

    def _functions(self, motion: MotionModel, legs: LegModel) -> dict[str, Model]:
        found = self.limits.of_coordinates(legs.coordinate, legs.rate, legs.acceleration)
        return found | self.limits.of_struts(motion, legs)

    def _slack(self, kind: str) -> Array:
        legs = self.limits.limits[kind]
        if kind in ("reach", "link"):
            return np.zeros(len(legs))
        if kind == "distance":
            return np.full(len(legs), SLACK * self.size)
        if kind != "stroke":
            return np.full(len(legs), SLACK)
        turns = leg_table(self.platform)[[i[0] for i in legs], LEG.kind] == CRANK
        return np.where(turns, SLACK, SLACK * self.size)


def first_stops(platform: Platform, rays: Rays) -> list[RayEnd]:
    """How far each ray goes; where the legs give no bounds, by samples, and `RayEnd.proved` says so."""
    why = without_bounds(platform)[0]
    if why:
        from gough.analysis.sampled_rays import sampled_stops

        return sampled_stops(platform, rays, why)
    proof = RayProof(platform)
    with np.errstate(all="ignore"):
        free, sign, open_ = _march(proof, rays)
        return [
            _ended(proof, rays[np.array([i])], float(free[i]), float(sign[i]), open_[i])
            for i in range(len(free))
        ]


def _march(proof: RayProof, rays: Rays) -> tuple[Array, Array, list[dict[str, Flags]]]:
    """(N,) up to where everything is proved, sign of the determinant there, and what failed behind it."""
    n = len(rays.end)
    free, sign, step = np.zeros(n), np.zeros(n), rays.end / 16.0
    failed: list[dict[str, Flags]] = [{} for _ in range(n)]
    active = np.arange(n)
    for _ in range(ROUNDS):
        active = active[(free[active] < rays.end[active]) & (step[active] > 0.0)]
        if not len(active):
            break
        low = free[active]
        high = np.minimum(low + step[active], rays.end[active])
        held, now = proof.over(rays[active], low, high)
        good = np.logical_and.reduce([each.all(axis=1) for each in held.values()])
        good &= (sign[active] == 0.0) | (now == sign[active])
        sign[active] = np.where(good, now, sign[active])
        free[active] = np.where(good, high, low)
        step[active] = np.where(good, 2.0 * step[active], 0.5 * (high - low))
        for row, i in enumerate(active.tolist()):
            if not good[row] and step[i] < FINEST * rays.unit[i]:
                failed[i] = {kind: ~each[row] for kind, each in held.items()}
                step[i] = 0.0
    return free, sign, failed


def _ended(
    proof: RayProof, ray: Rays, free: float, sign: float, failed: dict[str, Flags]
) -> RayEnd:
    """What stops one ray behind `free`."""
    end, unit = float(ray.end[0]), float(ray.unit[0])
    if free >= end:
        return RayEnd(free, np.nan, True, ())
    places = np.minimum(free + FINEST * unit * LOOKS, end)
    many = ray[np.zeros(len(places), dtype=int)]
    broken = proof.broken(many, places)
    turned = _sign_changes(proof, many, free, places, sign)
    first = [np.argmax(each.any(axis=1)) for each in broken.values() if each.any()]
    first += [np.argmax(turned)] if turned.any() else []
    if not first:
        return RayEnd(free, np.nan, False, _undecided(proof, failed))
    k = int(min(first))
    at = Pose.trusted(*(a[0] for a in _arrays(many[np.array([k])].pose(places[[k]]))))
    stops = [
        _stop(proof.platform, kind, proof.limits.limits[kind][j], at)
        for kind, each in broken.items()
        for j in np.nonzero(each[k])[0].tolist()
    ]
    if turned[k]:
        stops.append(RayStop("determinant", (), True, SINGULAR))
    return RayEnd(free, float(places[k]), False, tuple(stops))


SINGULAR = "a singular pose: the sign of the determinant changes"


def _arrays(pose: Pose) -> tuple[Array, Array]:
    return pose.position, pose.rotation


def _sign_changes(proof: RayProof, many: Rays, free: float, places: Array, sign: float) -> Flags:
    """Where the determinant has proved the other sign, and all legs are proved to reach in between."""
    if sign == 0.0:
        return np.zeros(len(places), dtype=bool)
    _, now = proof.over(many, places, places)
    between = proof.over(many, np.full(len(places), free), places)[0].get("reach")
    reached = np.ones(len(places), dtype=bool) if between is None else between.all(axis=1)
    return (now == -sign) & reached


def _undecided(proof: RayProof, failed: dict[str, Flags]) -> tuple[RayStop, ...]:
    """What could not be proved behind the free part, and is not proved broken either."""
    platform, out = proof.platform, []
    for kind, each in failed.items():
        for j in np.nonzero(each)[0].tolist():
            legs = () if kind == "determinant" else proof.limits.limits[kind][j]
            names = " and ".join(platform.leg_names[i] for i in legs)
            said = f"{names}{': ' if names else ''}{kind}: not decided here: met, or too nearly"
            out.append(RayStop(kind, legs, False, said))
    return tuple(out)


def _stop(platform: Platform, kind: str, legs: tuple[int, ...], at: Pose) -> RayStop:
    """The limit that ends a way, in words."""
    return RayStop(kind, legs, True, at_its_end(platform, kind, legs, at))


def at_its_end(platform: Platform, kind: str, legs: tuple[int, ...], at: Pose) -> str:
    """What a leg has come to at a pose just beyond its limit."""
    i, (low, high) = legs[0], allowed_range(platform, kind, *legs)
    name, turns = platform.leg_names[i], leg_table(platform)[i, LEG.kind] == CRANK
    if kind == "link":
        return f"{name}: is a fixed link, its length would change"
    g = struts(platform, at)
    if kind == "reach":
        code = int(reasons.problems(platform, g)[i])
        return f"{name}: reaches no farther: {reasons.sentence(platform, code, i, g.end[i])}"
    if kind == "stroke":
        lower = g.coordinate[i] - low < high - g.coordinate[i]
        end = low if lower else high
        said = f"{degrees(end):.4g}°" if turns else f"{1e3 * end:.6g} mm"
        return f"{name}: stroke at its {'minimum' if lower else 'maximum'}, {said}"
    if kind == "distance":
        names = " and ".join(platform.leg_names[j] for j in legs)
        return f"{names} touch: axes {1e3 * low:.4g} mm apart"
    joint = kind.removesuffix(" cone")
    return f"{name}: {joint} cone at its end, {degrees(high):.4g}° from its axis"


def together(stops: tuple[RayStop, ...]) -> tuple[str, ...]:
    """The sentences of stops, legs of which the same is said in one."""
    legs: dict[str, list[str]] = {}
    for stop in stops:
        name, _, said = stop.sentence.partition(": ")
        legs.setdefault(said, []).append(name)
    return tuple(f"{', '.join(names)}: {said}" for said, names in legs.items())
