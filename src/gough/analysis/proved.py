"""Does a motion keep a machine's limits at every instant?  Proved between the samples, or said to be open.

Design.  Time is cut where the motion changes its formula (trajectory/bounds.py).  Over each interval Taylor models
(gough/taylor.py) enclose pose, twist and acceleration, and from them coordinates, rates, directions and distances of
the legs (kinematics/leg_models.py).  Every limit is a function of time that must not be negative:

    stroke          lam - min,  max - lam                     speed           max - lam',  max + lam'
    base cone       s.axis - cos(half angle)                  acceleration    max - lam'', max + lam''
    platform cone   -s.(R axis) - cos(half angle)             distance        shadows of two struts (pair_clearance)
    clearance       shadows of a strut and a body (analysis/nearness.py)
    reach           what is under the root of a slider's or crank's coordinate; without it nothing else is looked for
    determinant     (s, q x s) is regular: proved by the inverse in the middle
    link            a fixed link keeps its length to `links.TOLERANCE` of it
    force           max - F, max + F (analysis/effort_models.py)
    jerk            max - |lam'''|; accelerations of neighboring pieces meet (analysis/jerk_proof.py)
A limit holds where the lower bounds of all intervals are at least 0; intervals overlap by the rounding of times.  It is
broken where a model proves it negative at one of five instants inside an interval (a distance or clearance: where the
points that are found, which are never nearer than struts and bodies, are too near by 1e-9 of the machine's size).
Intervals that leave a limit open are cut into `PARTS`, `DEPTH` times at most, or until a model is as tight as `TIGHT`;
what is then still open is undecided, and so is a limit that is met exactly (touched, not passed): rounding cannot tell.
A determinant is broken where two instants of proved opposite sign surround a singular pose and every leg reaches in
between.  The verdict is about the motion's formula; rounding of the models is in their remainders.  What a motion does
for less than `base.BREAK` of its duration (a part of a sequence that short) no time of it can name, and is not seen.

Not judged, and said to be undecided: legs with offset joints, and the coordinates of legs with screws; efforts of legs
that spin freely and of machines with fixed links; every
limit but stroke, speed and acceleration of a motion that is given by its legs (whether or not the platform can follow
them); trajectories that give no bounds (`gough.trajectory.bounds.KINDS` lists those that do).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.analysis.effort_models import ROOM, effort_models, share_room, without_efforts
from gough.analysis.jerk_proof import acceleration_jumps, jerk_room, without_jerks
from gough.analysis.nearness import NEAR, clearance_model, room
from gough.analysis.verdicts import BROKEN, HOLDS, UNDECIDED, ProvedLimits, Verdict
from gough.checks import Array, InfeasibleError, InputError, array
from gough.clearances import CLEARANCES, NO_RADIUS, needed_clearances, without_radius
from gough.kinematics.leg_models import (
    LegModel,
    leg_models,
    pair_clearance,
    regular,
    without_bounds,
)
from gough.layout import LEG_GEOMETRY as LEG
from gough.limits import check, cone_axes, needed_distances
from gough.links import TOLERANCE, links
from gough.model import Platform
from gough.struts import CRANK, PAIRS, SLIDER, leg_table
from gough.taylor import EPS, Model, dot, stack, turned
from gough.trajectory.base import Trajectory
from gough.trajectory.bounds import (
    MotionModel,
    coordinate_model,
    gives_bounds,
    motion_model,
    pieces,
)
from gough.trajectory.legs import OnPlatform
from gough.trajectory.optimal import positive

OF_COORDINATES = ("stroke", "speed", "acceleration")
PARTS = 4  # of an interval that is left open
DEPTH = 9  # times: 4^9 parts of a piece
MOST = 10_000  # open intervals before a proof is given up
TIGHT = 1e-12  # m, rad, and per s: what such a model leaves open is not looked at more closely
BATCH = 1024  # intervals at once
PLACES = np.array([-0.99, -0.5, 0.0, 0.5, 0.99])  # inside: at an end the next piece may speak

Flags = NDArray[np.bool_]


def proved_limits(
    platform: Platform,
    trajectory: Trajectory,
    *,
    max_acceleration: ArrayLike | None = None,
    max_jerk: ArrayLike | None = None,
    determinant: bool = True,
    external: ArrayLike | None = None,
) -> ProvedLimits:
    """Judge every limit of `platform` along `trajectory` at every instant, not at samples.

    max_acceleration  of the actuator coordinates, one number or six, m/s^2 (rad/s^2 for cranks); default: not judged
    max_jerk          likewise, m/s^3 (rad/s^3 for cranks)
    determinant       also ask whether the motion stays clear of singular poses
    external          (6,) constant wrench on the platform, platform axes, N and N m, of which efforts are judged
    """
    wrench = np.zeros(6) if external is None else array("external", external, (6,))
    if wrench.shape != (6,):
        raise InputError("external", f"shape {wrench.shape}", "must be one wrench, six numbers")
    most = {"acceleration": max_acceleration, "jerk": max_jerk}
    moving = {k: positive(f"max_{k}", x) for k, x in most.items() if x is not None}
    return LimitProof(platform, trajectory, moving, determinant, wrench).verdicts()


class LimitProof:
    """Limits of a machine as columns, and what is known of each."""

    def __init__(
        self,
        platform: Platform,
        path: Trajectory,
        moving: dict[str, Array],
        determinant: bool,
        wrench: Array,
    ) -> None:
        self.platform, self.path, self.wrench = platform, path, wrench
        self.by_legs = self._by_legs()
        self.limits: dict[str, list[tuple[int, ...]]] = {}
        self.unknown: list[tuple[str, tuple[int, ...], str]] = []
        legs = [leg.limits for leg in platform.legs]
        axes = np.isnan(cone_axes(platform)[..., 0])
        carried = np.isin(leg_table(platform)[:, LEG.kind], (SLIDER, CRANK))
        self.links = links(platform)
        self._add("reach", carried.tolist())
        self._add("link", np.isin(np.arange(6), self.links.legs).tolist())
        self._add("stroke", [x.stroke is not None for x in legs])
        for side, kind in enumerate(("base cone", "platform cone")):
            given = [getattr(x, kind.replace(" ", "_")) for x in legs]
            self._add(kind, [g is not None and not axes[side, i] for i, g in enumerate(given)])
            lost = [i for i, g in enumerate(given) if g is not None and axes[side, i]]
            self.unknown += [(kind, (i,), "neither axis nor home pose") for i in lost]
        needed = needed_distances(platform)
        pairs = [(int(i), int(j)) for i, j in PAIRS.T[~np.isnan(needed)]]
        if pairs:
            self.limits["distance"] = pairs
        self.needed = needed[~np.isnan(needed)]
        for kind, radius in needed_clearances(platform).items():
            self._add(kind, (~np.isnan(radius)).tolist())
        self.unknown += [(kind, (i,), NO_RADIUS) for kind, i in without_radius(platform)]
        self._add("speed", [x.speed is not None for x in legs])
        self.moving = moving
        for kind in moving:
            self._add(kind, [True] * 6)
        self._add("force", [x.force is not None for x in legs])
        if determinant:
            self.limits["determinant"] = [tuple(range(6))]
        self.broken = {kind: np.full(len(x), np.nan) for kind, x in self.limits.items()}
        self.open = {kind: np.full((len(x), 2), np.nan) for kind, x in self.limits.items()}
        self.signs: list[tuple[float, float]] = []
        self.looked = 0

    def _add(self, kind: str, has: list[bool]) -> None:
        legs = [(i,) for i, given in enumerate(has) if given]
        if legs:
            self.limits[kind] = legs

    def verdicts(self) -> ProvedLimits:
        """The whole proof."""
        blind = self._blind()
        given = self.limits
        self.limits = {kind: legs for kind, legs in given.items() if kind not in blind}
        if self.limits:
            with np.errstate(all="ignore"):
                self._search()
                self._jumps()
            self._withhold()
        found = [
            self._verdict(kind, legs, k, blind.get(kind))
            for kind, each in given.items()
            for k, legs in enumerate(each)
        ]
        for kind, i, why in self.unknown:
            said = self._say(kind, i, f"{UNDECIDED}: {why}")
            found.append(Verdict(kind, i, UNDECIDED, said))
        return ProvedLimits(tuple(found), self.looked)

    def _blind(self) -> dict[str, str]:
        """Kinds of limits of which nothing can be known, and why."""
        efforts = without_efforts(self.platform) if "force" in self.limits else ""
        jerks = without_jerks(self.platform, self.path) if "jerk" in self.limits else ""
        blind = {"force": efforts, "jerk": jerks}
        return {kind: why for kind, why in blind.items() if why} | self._blind_legs()

    def _blind_legs(self) -> dict[str, str]:
        why, struts_known = without_bounds(self.platform)
        moving = [kind for kind in self.limits if kind in OF_COORDINATES]
        if self.by_legs:
            why = "a motion given by its legs gives no bounds of its poses"
            return {kind: why for kind in self.limits if kind not in moving}
        if not gives_bounds(self.path):
            return dict.fromkeys(self.limits, "this trajectory gives no bounds")
        if why and struts_known:
            return {kind: why for kind in self.limits if kind in (*moving, "link", "determinant")}
        return dict.fromkeys(self.limits, why) if why else {}

    def _by_legs(self) -> bool:
        """The motion says what the legs of this very machine do."""
        if not isinstance(self.path, OnPlatform):
            return False
        own, other = leg_table(self.platform), leg_table(self.path.platform)
        zero = np.zeros(1)
        same = np.array_equal(own, other, equal_nan=True)
        return same and coordinate_model(self.path, zero, zero) is not None

    def _withhold(self) -> None:
        """No sign of a determinant changes where a leg may be out of reach in between: there is none."""
        reach = [x.get("reach", np.zeros((0, 2))) for x in (self.broken, self.open)]
        if "determinant" in self.broken and not all(np.isnan(x).all() for x in reach):
            self.broken["determinant"][:] = np.nan
            self.open["determinant"][:] = 0.5 * self.path.duration

    def _search(self) -> None:
        edges = pieces(self.path)
        t, half = 0.5 * (edges[1:] + edges[:-1]), 0.5 * np.diff(edges)
        for depth in range(DEPTH + 1):
            found = [
                self._judge(t[first : first + BATCH], half[first : first + BATCH])
                for first in range(0, len(t), BATCH)
            ]
            self.looked += len(t)
            again = np.zeros(len(t), dtype=bool)
            left: dict[str, Flags] = {}
            for kind in self.limits:
                broken = self.broken[kind]
                proved, tight = (np.concatenate([x[kind][n] for x in found]) for n in (0, 1))
                left[kind] = ~proved & np.isnan(broken)
                self._leave(kind, left[kind] & tight, t, half)
                again |= (left[kind] & ~tight).any(axis=1)
            lost = not np.isnan(self.broken.get("reach", np.array([np.nan]))).all()
            if not again.any() or depth == DEPTH or lost or int(again.sum()) * PARTS > MOST:
                for kind, each in left.items():
                    self._leave(kind, each, t, half)
                return
            half = np.repeat(half[again] / PARTS, PARTS)
            shift = np.tile(np.arange(1 - PARTS, PARTS, 2), int(again.sum()))
            t = np.repeat(t[again], PARTS) + shift * half

    def _jumps(self) -> None:
        """Where an acceleration jumps there is no jerk that keeps a limit."""
        if "jerk" in self.limits:
            broken, opened = acceleration_jumps(self.platform, self.path, self.moving["jerk"])
            self.broken["jerk"] = np.where(np.isnan(broken), self.broken["jerk"], broken)
            known = np.isnan(opened[:, :1])
            self.open["jerk"] = np.where(known, self.open["jerk"], opened)

    def _leave(self, kind: str, each: Flags, t: Array, half: Array) -> None:
        """Keep an interval that is left open, per limit: time and half length."""
        first = each.argmax(axis=0)
        seen = np.stack([t[first], half[first]], axis=-1)
        new = each.any(axis=0) & np.isnan(self.open[kind][:, 0])
        self.open[kind] = np.where(new[:, None], seen, self.open[kind])

    def _judge(self, t: Array, half: Array) -> dict[str, tuple[Flags, Flags]]:
        """(N, m) twice per kind: proved to hold over the interval, and the model is `TIGHT`; instants that break a
        limit are noted."""
        wide = half + 8.0 * EPS * self.path.duration
        out: dict[str, tuple[Flags, Flags]] = {}
        motion = None if self.by_legs else motion_model(self.path, t, wide)
        legs = None if motion is None else leg_models(self.platform, motion)
        moved = coordinate_model(self.path, t, wide)
        if legs is not None:
            moved = legs.coordinate, legs.rate, legs.acceleration
        assert moved is not None
        functions = self.of_coordinates(*moved)
        if motion is not None and legs is not None:
            functions |= self.of_struts(motion, legs)
        if "jerk" in self.limits:
            functions["jerk"] = jerk_room(self.platform, self.path, t, wide, self.moving["jerk"])
        for kind, function in functions.items():
            proved = np.all(function.lower() >= 0.0, axis=-1)
            tight = 3.0 * ROOM if kind in ("force", "jerk") else TIGHT
            out[kind] = proved, np.all(function.deviation() < tight, axis=-1)
            self._note(kind, function, t, half)
        if "determinant" in self.limits and legs is not None:
            good, sign = regular(legs, self.platform.characteristic_length)
            out["determinant"] = good[:, None], np.zeros((len(t), 1), dtype=bool)
            self._note_signs(t[good], sign[good])
        return out

    def of_coordinates(self, lam: Model, rate: Model, acceleration: Model) -> dict[str, Model]:
        """(N, m, 2) per kind: at least 0 where the limit holds."""
        out: dict[str, Model] = {}
        for kind in self.limits:
            i = [leg[0] for leg in self.limits[kind]]
            own = [self.platform.legs[n].limits for n in i]
            if kind == "stroke":
                low, high = np.array([x.stroke for x in own], dtype=float).T
                out[kind] = stack([lam[:, i] - low, high - lam[:, i]])
            elif kind == "link":
                off = lam[:, i] - self.links.length
                most = TOLERANCE * self.links.length
                out[kind] = stack([most - off, off + most])
            elif kind in ("speed", "acceleration"):
                x = (rate if kind == "speed" else acceleration)[:, i]
                most = np.array([y.speed for y in own] if kind == "speed" else self.moving[kind])
                out[kind] = stack([most - x, x + most])
        return out

    def of_struts(self, motion: MotionModel, legs: LegModel) -> dict[str, Model]:
        """(N, m, k) per kind: at least 0 where the limit holds."""
        out: dict[str, Model] = {}
        for kind in self.limits:
            i = [leg[0] for leg in self.limits[kind]]
            if kind == "reach":
                out[kind] = stack([legs.room[:, i]])
            elif kind == "distance":
                out[kind] = pair_clearance(legs, self.needed, np.array(self.limits[kind]).T)
            elif kind in CLEARANCES:
                out[kind] = clearance_model(self.platform, kind, i, motion, legs)
            elif kind.endswith("cone"):
                out[kind] = self._cones(kind, i, motion, legs)
            elif kind == "force":
                most = np.array([self.platform.legs[n].limits.force for n in i], dtype=float)
                effort = effort_models(self.platform, motion, self.wrench)
                out[kind] = share_room(effort[:, i], most)
        return out

    def _cones(self, kind: str, i: list[int], motion: MotionModel, legs: LegModel) -> Model:
        half = np.array(
            [getattr(self.platform.legs[n].limits, kind.replace(" ", "_")) for n in i], dtype=float
        )
        s = legs.direction[:, i]
        if kind == "base cone":
            along = dot(s, cone_axes(self.platform)[0, i])
        else:
            along = -dot(s, turned(motion.rotation, cone_axes(self.platform)[1, i]))
        return stack([along - np.cos(np.minimum(half, np.pi)) + np.where(half < np.pi, 0.0, 1.0)])

    def _note(self, kind: str, functions: Model, t: Array, half: Array) -> None:
        """Instants at which a model proves a limit broken (distances have no such proof here: see `_near`)."""
        if kind in NEAR:
            self._near(kind, t)
            return
        value, off = functions.at(PLACES)  # (5, N, m, k)
        bad: Flags = np.any(value + off < 0.0, axis=-1)
        for k in np.nonzero(np.any(bad, axis=(0, 1)) & np.isnan(self.broken[kind]))[0].tolist():
            worst = np.where(bad[..., k], value.min(axis=-1)[..., k], np.inf)
            place, n = np.unravel_index(int(worst.argmin()), worst.shape)
            at = t[n] + PLACES[place] * half[n]
            self.broken[kind][k] = np.clip(at, 0.0, self.path.duration)

    def _near(self, kind: str, t: Array) -> None:
        """Something is too near at the middle of an interval, by more than rounding: an instant, computed directly."""
        known = ~np.isnan(self.broken[kind])
        if known.all():
            return
        left = room(self.platform, kind, self.path(t))
        bad = left < -1e-9 * self.platform.characteristic_length
        for k in np.nonzero(bad.any(axis=0) & ~known)[0].tolist():
            self.broken[kind][k] = t[int(np.nanargmin(left[:, k]))]

    def _note_signs(self, t: Array, sign: Array) -> None:
        for s in (-1.0, 1.0):
            if not any(x[1] == s for x in self.signs) and (sign == s).any():
                self.signs.append((float(t[np.argmax(sign == s)]), s))
        if len(self.signs) == 2:
            self.broken["determinant"][0] = max(x[0] for x in self.signs)

    def _verdict(self, kind: str, legs: tuple[int, ...], k: int, why: str | None) -> Verdict:
        if why is not None:
            return Verdict(kind, legs, UNDECIDED, self._say(kind, legs, f"{UNDECIDED}: {why}"))
        at = float(self.broken[kind][k])
        if not np.isnan(at):
            return Verdict(kind, legs, BROKEN, self._say(kind, legs, self._how(kind, legs, at)), at)
        t, half = self.open[kind][k].tolist()
        if np.isnan(t):
            return Verdict(kind, legs, HOLDS, self._say(kind, legs, HOLDS))
        text = f"{UNDECIDED} within {half:.2g} s of t = {t:.9g} s"
        return Verdict(kind, legs, UNDECIDED, self._say(kind, legs, text), t, half)

    def _how(self, kind: str, legs: tuple[int, ...], at: float) -> str:
        """In the words of the one judge of limits, where it has them."""
        if kind == "determinant":
            a, b = sorted(x[0] for x in self.signs)
            return f"{BROKEN}: its sign changes between t = {a:.9g} s and t = {b:.9g} s"
        try:
            found = check(self.platform, self.path(at)).violations()
        except InfeasibleError:  # off its links: that is said by them
            found = ()
        said = [v.sentence for v in found if v.kind == kind and v.leg == legs[0]]
        return f"{BROKEN} at t = {at:.9g} s" + (f" ({said[0]})" if said else "")

    def _say(self, kind: str, legs: tuple[int, ...], text: str) -> str:
        names = [] if kind == "determinant" else [self.platform.leg_names[i] for i in legs]
        return f"{' and '.join(names)}{': ' if names else ''}{kind}: {text}"
