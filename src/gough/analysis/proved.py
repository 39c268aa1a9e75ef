"""Does a motion keep a machine's limits at every instant?  Proved between the samples, or said to be open.

Design.  Time is cut where the motion changes its formula (trajectory/bounds.py).  Over each interval Taylor models
(gough/taylor.py) enclose pose, twist and acceleration, and from them coordinates, rates, directions and distances of
the legs (analysis/leg_models.py).  Every limit is a function of time that must not be negative:

    stroke          lam - min,  max - lam                     speed           max - lam',  max + lam'
    base cone       s.axis - cos(half angle)                  acceleration    max - lam'', max + lam''
    platform cone   -s.(R axis) - cos(half angle)             distance        shadows of two struts (pair_clearance)
    reach           what is under the root of a slider's or crank's coordinate; without it nothing else is looked for
    determinant     (s, q x s) is regular: proved by the inverse in the middle
A limit holds where the lower bounds of all intervals are at least 0.  It is broken where a model proves it negative at
one of five instants of an interval (a distance: where it is short by 1e-9 of the machine's size at a middle).
Intervals that leave a limit open are cut into `PARTS`, `DEPTH` times at most, or until a model is as tight as `TIGHT`;
what is then still open is undecided, and so is a limit that is met exactly (touched, not passed): rounding cannot tell.
A determinant is broken where two instants of proved opposite sign surround a singular pose.
The verdict is about the motion's formula; rounding of the models is in their remainders.

Not judged yet: forces (they need bounds of the dynamics), legs with screws or offset joints, trajectories that give no
bounds (`gough.trajectory.bounds.KINDS` lists those that do): all these are undecided, and say so.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from gough.analysis.leg_models import LegModel, leg_models, pair_clearance, regular, served
from gough.checks import Array, InputError, six
from gough.layout import LEG_GEOMETRY as LEG
from gough.limits import check, cone_axes, needed_distances
from gough.model import Platform
from gough.struts import CRANK, PAIRS, SLIDER, leg_table, pair_distances, struts
from gough.taylor import Model, dot, stack, turned
from gough.trajectory.base import Trajectory
from gough.trajectory.bounds import MotionModel, gives_bounds, motion_model, pieces

HOLDS, BROKEN, UNDECIDED = "holds, proved", "broken", "undecided"
KINDS = (
    "reach",
    "stroke",
    "base cone",
    "platform cone",
    "distance",
    "speed",
    "acceleration",
    "determinant",
)
PARTS = 4  # of an interval that is left open
DEPTH = 9  # times: 4^9 parts of a piece
MOST = 10_000  # open intervals before a proof is given up
TIGHT = (
    1e-12  # m, rad, and per s: a limit that such a model leaves open is not looked at more closely
)
BATCH = 1024  # intervals at once
PLACES = np.array([-1.0, -0.5, 0.0, 0.5, 1.0])


@dataclass(frozen=True)
class Verdict:
    """On one limit of one leg (of two for a distance, of the machine for the determinant).

    status  `HOLDS`, `BROKEN` or `UNDECIDED`;  time  s, an instant where it is broken, or where it is first undecided
    within  s, half length of the interval that was left open
    """

    kind: str
    legs: tuple[int, ...]
    status: str
    sentence: str
    time: float | None = None
    within: float | None = None


@dataclass(frozen=True)
class ProvedLimits:
    """Verdicts on every limit that the machine has; intervals: how many were looked at."""

    verdicts: tuple[Verdict, ...]
    intervals: int

    @cached_property
    def ok(self) -> bool | None:
        """True: every limit holds, proved; False: one is broken; None: one is undecided and none broken."""
        if any(v.status == BROKEN for v in self.verdicts):
            return False
        return True if all(v.status == HOLDS for v in self.verdicts) else None

    def of(self, kind: str) -> tuple[Verdict, ...]:
        """The verdicts on one kind of limit."""
        return tuple(v for v in self.verdicts if v.kind == kind)

    def sentences(self) -> tuple[str, ...]:
        """What does not hold, in words."""
        return tuple(v.sentence for v in self.verdicts if v.status != HOLDS)


def proved_limits(
    platform: Platform,
    trajectory: Trajectory,
    *,
    max_acceleration: ArrayLike | None = None,
    determinant: bool = True,
) -> ProvedLimits:
    """Judge every limit of `platform` along `trajectory` at every instant, not at samples.

    max_acceleration  of the actuator coordinates, one number or six, m/s^2 (rad/s^2 for cranks); default: not judged
    determinant       also ask whether the motion stays clear of singular poses
    """
    limit = None if max_acceleration is None else six("max_acceleration", max_acceleration)
    if limit is not None and not (limit > 0.0).all():
        raise InputError("max_acceleration", max_acceleration, "must be positive")
    return _Proof(platform, trajectory, limit, determinant).verdicts()


class _Proof:
    """Limits of a machine as columns, and what is known of each."""

    def __init__(
        self, platform: Platform, path: Trajectory, acceleration: Array | None, determinant: bool
    ) -> None:
        self.platform, self.path = platform, path
        self.limits: dict[str, list[tuple[int, ...]]] = {}
        legs = [leg.limits for leg in platform.legs]
        axes = np.isnan(cone_axes(platform)[..., 0])
        carried = np.isin(leg_table(platform)[:, LEG.kind], (SLIDER, CRANK))
        self._add("reach", carried.tolist())
        self._add("stroke", [x.stroke is not None for x in legs])
        for side, kind in enumerate(("base cone", "platform cone")):
            given = [getattr(x, kind.replace(" ", "_")) for x in legs]
            self._add(kind, [g is not None and not axes[side, i] for i, g in enumerate(given)])
        needed = needed_distances(platform)
        pairs = [(int(i), int(j)) for i, j in PAIRS.T[~np.isnan(needed)]]
        if pairs:
            self.limits["distance"] = pairs
        self.needed = needed[~np.isnan(needed)]
        self._add("speed", [x.speed is not None for x in legs])
        self.acceleration = acceleration
        self._add("acceleration", [acceleration is not None] * 6)
        self.forces = [i for i, x in enumerate(legs) if x.force is not None]
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
        why = None
        if not served(self.platform):
            why = "no bound is known for legs with screws or offset joints"
        elif not gives_bounds(self.path):
            why = "this trajectory gives no bounds"
        if why is None:
            with np.errstate(all="ignore"):
                self._search()
        found = [
            self._verdict(kind, legs, k, why)
            for kind, each in self.limits.items()
            for k, legs in enumerate(each)
        ]
        later = "forces are not bounded between samples yet"
        for i in self.forces:
            said = self._say("force", (i,), f"{UNDECIDED}: {later}")
            found.append(Verdict("force", (i,), UNDECIDED, said))
        return ProvedLimits(tuple(found), self.looked)

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
            left: dict[str, Array] = {}
            for kind, broken in self.broken.items():
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

    def _leave(self, kind: str, each: Array, t: Array, half: Array) -> None:
        """Keep an interval that is left open, per limit: time and half length."""
        first = each.argmax(axis=0)
        seen = np.stack([t[first], half[first]], axis=-1)
        new = each.any(axis=0) & np.isnan(self.open[kind][:, 0])
        self.open[kind] = np.where(new[:, None], seen, self.open[kind])

    def _judge(self, t: Array, half: Array) -> dict[str, tuple[Array, Array]]:
        """(N, m) twice per kind: proved to hold over the interval, and the model is `TIGHT`; instants that break a
        limit are noted."""
        motion = motion_model(self.path, t, half)
        assert motion is not None
        legs = leg_models(self.platform, motion)
        out: dict[str, tuple[Array, Array]] = {}
        for kind, functions in self._functions(motion, legs).items():
            proved = (functions.lower() >= 0.0).all(axis=-1)
            out[kind] = proved, (functions.deviation() < TIGHT).all(axis=-1)
            self._note(kind, functions, t, half)
        if "determinant" in self.limits:
            good, sign = regular(legs, self.platform.characteristic_length)
            out["determinant"] = good[:, None], np.zeros((len(t), 1), dtype=bool)
            self._note_signs(t[good], sign[good])
        return out

    def _functions(self, motion: MotionModel, legs: LegModel) -> dict[str, Model]:
        """(N, m, k) per kind: at least 0 where the limit holds."""
        out: dict[str, Model] = {}
        for kind in self.limits:
            i = [leg[0] for leg in self.limits[kind]]
            own = [self.platform.legs[n].limits for n in i]
            if kind == "reach":
                out[kind] = stack([legs.room[:, i]])
            elif kind == "stroke":
                low, high = np.array([x.stroke for x in own], dtype=float).T
                lam = legs.coordinate[:, i]
                out[kind] = stack([lam - low, high - lam])
            elif kind in ("speed", "acceleration"):
                x = (legs.rate if kind == "speed" else legs.acceleration)[:, i]
                most = np.array([y.speed for y in own] if kind == "speed" else self.acceleration)
                out[kind] = stack([most - x, x + most])
            elif kind == "distance":
                out[kind] = pair_clearance(legs, self.needed, np.array(self.limits[kind]).T)
            elif kind != "determinant":
                out[kind] = self._cones(kind, i, motion, legs)
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
        """Instants at which a model proves a limit broken (a distance has no such proof here: see `_distance`)."""
        if kind == "distance":
            self._distance(t)
            return
        value, off = functions.at(PLACES)  # (5, N, m, k)
        bad = (value + off < 0.0).any(axis=-1)
        for k in np.nonzero(bad.any(axis=(0, 1)) & np.isnan(self.broken[kind]))[0].tolist():
            worst = np.where(bad[..., k], value.min(axis=-1)[..., k], np.inf)
            place, n = np.unravel_index(int(worst.argmin()), worst.shape)
            at = t[n] + PLACES[place] * half[n]
            self.broken[kind][k] = np.clip(at, 0.0, self.path.duration)

    def _distance(self, t: Array) -> None:
        """A pair is too near at the middle of an interval, by more than rounding: an instant, computed directly."""
        known = ~np.isnan(self.broken["distance"])
        if known.all():
            return
        d = pair_distances(struts(self.platform, self.path(t)))
        d = d[:, ~np.isnan(needed_distances(self.platform))]
        bad = d - self.needed < -1e-9 * self.platform.characteristic_length
        for k in np.nonzero(bad.any(axis=0) & ~known)[0].tolist():
            self.broken["distance"][k] = t[int((d[:, k]).argmin())]

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
        found = check(self.platform, self.path(at)).violations()
        said = [v.sentence for v in found if v.kind == kind and v.leg == legs[0]]
        return f"{BROKEN} at t = {at:.9g} s" + (f" ({said[0]})" if said else "")

    def _say(self, kind: str, legs: tuple[int, ...], text: str) -> str:
        names = [] if kind == "determinant" else [self.platform.leg_names[i] for i in legs]
        return f"{' and '.join(names)}{': ' if names else ''}{kind}: {text}"
