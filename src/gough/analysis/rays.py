"""How far a platform can go along a way before a limit or a singularity stops it: proved, not sampled.

Over an interval of a ray (analysis/ways.py) Taylor models (gough/taylor.py) enclose the pose and what the legs do
(kinematics/leg_models.py, screw_models.py); a limit is a function that must not be negative (analysis/proved.py:
`LimitProof`), and the rows of unit efforts' wrenches must be regular.  Samples tell about where a way ends
(analysis/sampled_rays.py).  Everything before is cut into intervals; those that leave something open are cut in `PARTS`
until they are shorter than `FINEST`.  Up to the first that still fails, or to where the samples end, everything is
proved: `free`.  Then the nearest place behind it is looked for at which a limit is broken, by a proof at that place:
`beyond`.  So the way ends in (free, beyond], and what stops it is named.  A limit that is only touched leaves it open.

A limit holds here where it is not broken by more than `SLACK`: m as a share of the machine's characteristic length,
rad, or of a cosine.  Without that a machine whose home is at the end of its strokes could not leave it.
Speeds and efforts are not looked at: a way has none.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gough.analysis.nearness import NEAR, room
from gough.analysis.proved import LimitProof
from gough.analysis.sampled_rays import looked_at, sampled_stops
from gough.analysis.screw_models import with_screws
from gough.analysis.ways import FINEST, SINGULAR, SLACK, RayEnd, Rays, RayStop, stopped_by
from gough.checks import Array
from gough.kinematics.leg_models import LegModel, leg_models, regular_rows, without_bounds
from gough.layout import LEG_GEOMETRY as LEG
from gough.model import Platform
from gough.spatial import Pose
from gough.struts import CRANK, leg_table
from gough.taylor import Model
from gough.trajectory.bounds import MotionModel
from gough.trajectory.compose import hold

FIRST, FRONT = 8, 32  # intervals of a ray to begin with, and at once
PARTS = 4  # of one that is left open
MOST = 2000  # intervals of one ray before it is given up
BATCH = 1024  # intervals at once
LOOKED = 65  # samples that tell where to look
LOOKS = np.append(2.0 ** np.arange(2, 25), 2e7)  # times FINEST: where a broken limit is looked for
JUDGED = ("reach", "link", "stroke", "base cone", "platform cone", *NEAR, "determinant")

Flags = NDArray[np.bool_]


class RayProof:
    """The limits of a machine over intervals of rays."""

    def __init__(self, platform: Platform) -> None:
        self.platform, self.size = platform, platform.characteristic_length
        still = hold(platform.likely_home, 1.0)
        self.limits = LimitProof(platform, still, {}, True, np.zeros(6))
        kinds = self.limits.limits
        self.limits.limits = {kind: legs for kind, legs in kinds.items() if kind in JUDGED}

    def over(self, rays: Rays, low: Array, high: Array) -> tuple[dict[str, Flags], Array]:
        """(N, m) per kind: proved to hold over [low, high]; sign (N,) of the determinant, 0: not proved."""
        motion = rays.model(low, high)
        legs, wrench = with_screws(self.platform, motion, leg_models(self.platform, motion))
        out = {
            kind: np.all(f.lower() >= -self.slack(kind)[:, None], axis=-1)
            for kind, f in self.functions(motion, legs).items()
        }
        sure, sign = regular_rows(wrench.force, wrench.moment * (1.0 / self.size))
        out["determinant"] = sure[:, None]
        return out, np.where(sure, sign, 0.0)

    def broken(self, rays: Rays, x: Array) -> dict[str, Flags]:
        """(N, m) per kind: proved broken at x, by more than the slack; nothing of determinants."""
        motion = rays.model(x, x)
        legs, _ = with_screws(self.platform, motion, leg_models(self.platform, motion))
        out: dict[str, Flags] = {}
        for kind, f in self.functions(motion, legs).items():
            value, off = f.at(np.zeros(1))
            out[kind] = np.any(value[0] + off < -self.slack(kind)[:, None], axis=-1)
        for kind in out:
            if kind in NEAR:
                out[kind] = room(self.platform, kind, rays.pose(x)) < -2.0 * SLACK * self.size
        return out

    def functions(self, motion: MotionModel, legs: LegModel) -> dict[str, Model]:
        """(N, m, k) per kind: at least 0 where the limit holds."""
        found = self.limits.of_coordinates(legs.coordinate, legs.rate, legs.acceleration)
        return found | self.limits.of_struts(motion, legs)

    def slack(self, kind: str) -> Array:
        """(m,) by how much a limit may be broken, in the unit of its function."""
        legs = self.limits.limits[kind]
        if kind in ("reach", "link"):
            return np.zeros(len(legs))
        if kind in NEAR:
            return np.full(len(legs), SLACK * self.size)
        if kind != "stroke":
            return np.full(len(legs), SLACK)
        turns = leg_table(self.platform)[[i[0] for i in legs], LEG.kind] == CRANK
        return np.where(turns, SLACK, SLACK * self.size)


def no_proof(platform: Platform) -> str:
    """Why nothing can be proved of a machine's ways, in words; empty: it can."""
    why, struts_known = without_bounds(platform)
    return "" if struts_known else why


def first_stops(platform: Platform, rays: Rays) -> list[RayEnd]:
    """How far each ray goes; where the legs give no bounds, by samples, and `RayEnd.proved` says so."""
    why = no_proof(platform)
    if why:
        return sampled_stops(platform, rays, why)
    with np.errstate(all="ignore"):
        proof = RayProof(platform)
        return _ends(proof, rays, *_looked_free(proof, rays))


def free_parts(platform: Platform, rays: Rays) -> Array:
    """(N,) up to where everything is proved on each ray, its end where on all of it; `no_proof` must be empty."""
    with np.errstate(all="ignore"):
        return _looked_free(RayProof(platform), rays)[0]


def _looked_free(proof: RayProof, rays: Rays) -> tuple[Array, list[dict[str, Flags]]]:
    """`_proved_free` up to where samples see an end."""
    seen = looked_at(proof.platform, rays, LOOKED)[0]
    until = np.where(seen < rays.end, np.maximum(seen - 2.0 * FINEST * rays.unit, 0.0), rays.end)
    return _proved_free(proof, rays, until)


def _proved_free(proof: RayProof, rays: Rays, until: Array) -> tuple[Array, list[dict[str, Flags]]]:
    """(N,) up to where everything is proved, at most `until`; and what failed behind it, where something did."""
    n = len(rays)
    free, failed = until.copy(), [dict[str, Flags]() for _ in range(n)]
    edges = np.linspace(0.0, 1.0, FIRST + 1) * until[:, None]
    waiting = np.repeat(np.arange(n), FIRST), edges[:, :-1].ravel(), edges[:, 1:].ravel()
    looked = np.zeros(n, dtype=int)
    while len(waiting[0]):
        (ray, low, high), waiting = _foremost(*waiting)
        looked += np.bincount(ray, minlength=n)
        held = [
            proof.over(rays[ray[k : k + BATCH]], low[k : k + BATCH], high[k : k + BATCH])[0]
            for k in range(0, len(ray), BATCH)
        ]
        each = {kind: np.concatenate([part[kind] for part in held]) for kind in held[0]}
        left = ~np.logical_and.reduce([x.all(axis=1) for x in each.values()])
        done = left & ((high - low <= FINEST * rays.unit[ray]) | (looked[ray] > MOST))
        for k in np.nonzero(done)[0].tolist():
            if low[k] < free[ray[k]] or (low[k] == free[ray[k]] and not failed[ray[k]]):
                free[ray[k]] = low[k]
                failed[ray[k]] = {kind: ~x[k] for kind, x in each.items()}
        again = left & ~done
        parts = _cut(ray[again], low[again], high[again])
        ray = np.concatenate([waiting[0], parts[0]])
        low, high = (np.concatenate([waiting[k], parts[k]]) for k in (1, 2))
        ahead = low < free[ray]
        waiting = ray[ahead], low[ahead], high[ahead]
    return free, failed


Intervals = tuple[NDArray[np.intp], Array, Array]
"""Numbers of rays, lower and upper ends."""


def _foremost(ray: NDArray[np.intp], low: Array, high: Array) -> tuple[Intervals, Intervals]:
    """The `FRONT` lowest intervals of each ray, and the others: nobody asks for what lies behind an end."""
    order = np.lexsort((low, ray))
    ray, low, high = ray[order], low[order], high[order]
    now = np.arange(len(ray)) - np.searchsorted(ray, ray) < FRONT
    return (ray[now], low[now], high[now]), (ray[~now], low[~now], high[~now])


def _cut(ray: NDArray[np.intp], low: Array, high: Array) -> Intervals:
    """Every interval in `PARTS`."""
    part, width = np.tile(np.arange(PARTS), len(ray)), np.repeat((high - low) / PARTS, PARTS)
    begin = np.repeat(low, PARTS) + part * width
    end = np.where(part == PARTS - 1, np.repeat(high, PARTS), begin + width)
    return np.repeat(ray, PARTS), begin, end


def _ends(proof: RayProof, rays: Rays, free: Array, failed: list[dict[str, Flags]]) -> list[RayEnd]:
    """What stops each ray behind `free`."""
    n, m = len(rays), len(LOOKS)
    sign = proof.over(rays, free, free)[1]
    places = np.minimum(free[:, None] + FINEST * rays.unit[:, None] * LOOKS, rays.end[:, None])
    many = rays[np.repeat(np.arange(n), m)]
    broken = {kind: x.reshape(n, m, -1) for kind, x in proof.broken(many, places.ravel()).items()}
    turned = _sign_changes(proof, many, np.repeat(free, m), places.ravel(), np.repeat(sign, m))
    broken["determinant"] = turned.reshape(n, m, 1)
    out = []
    for i in range(n):
        if free[i] >= rays.end[i]:
            out.append(RayEnd(float(free[i]), np.nan, True, ()))
            continue
        first = [int(np.argmax(x[i].any(axis=1))) for x in broken.values() if x[i].any()]
        if not first:
            out.append(RayEnd(float(free[i]), np.nan, False, _undecided(proof, failed[i])))
            continue
        at = rays[np.array([i])].pose(places[i, [min(first)]])[0]
        stops = _stops(proof, {kind: x[i, min(first)] for kind, x in broken.items()}, at)
        out.append(RayEnd(float(free[i]), float(places[i, min(first)]), False, stops))
    return out


def _stops(proof: RayProof, broken: dict[str, Flags], at: Pose) -> tuple[RayStop, ...]:
    found = [
        stopped_by(proof.platform, kind, proof.limits.limits[kind][j], at)
        for kind, each in broken.items()
        for j in np.nonzero(each)[0].tolist()
        if kind != "determinant"
    ]
    return (*found, *([RayStop("determinant", (), SINGULAR)] if broken["determinant"][0] else ()))


def _sign_changes(proof: RayProof, many: Rays, free: Array, places: Array, sign: Array) -> Flags:
    """Where the determinant has proved the other sign, and all legs are proved to reach in between."""
    _, now = proof.over(many, places, places)
    between = proof.over(many, free, places)[0].get("reach")
    reached = np.ones(len(places), dtype=bool) if between is None else between.all(axis=1)
    return (now * sign < 0.0) & reached


def _undecided(proof: RayProof, failed: dict[str, Flags]) -> tuple[RayStop, ...]:
    """What could not be proved behind the free part, and is not proved broken either."""
    platform, out = proof.platform, []
    for kind, each in failed.items():
        for j in np.nonzero(each)[0].tolist():
            legs = () if kind == "determinant" else proof.limits.limits[kind][j]
            names = " and ".join(platform.leg_names[i] for i in legs) or "the machine"
            said = f"{names}: {kind} not decided here, met or too nearly"
            out.append(RayStop(kind, legs, said))
    return tuple(out) or (RayStop("determinant", (), "the way: not decided here"),)
