"""Ways of a platform from a pose, and how they end: what analysis/rays.py proves and analysis/sampled_rays.py samples.

A ray is a way from a pose (t0, R0), its place x >= 0:

    t(x) = c + exp(x w)(t0 - c) + x v,      R(x) = exp(x w) R0          world axes; w rad, v m per unit of x

a translation (w = 0), a turn about an axis through c (v = 0), or the straight way between two poses (c = t0, x = 1 at
its end).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import degrees
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gough import reasons, taylor
from gough.checks import Array
from gough.clearances import CLEARANCES
from gough.frozen import hinted
from gough.layout import LEG_GEOMETRY as LEG
from gough.limits import allowed_range
from gough.model import Platform
from gough.spatial import Pose, rotation_exp, rotation_log
from gough.struts import CRANK, leg_table, struts
from gough.taylor import EPS
from gough.trajectory.bounds import MotionModel, from_vector

SLACK = 1e-9
FINEST = 1e-10  # of the unit of a ray: ends are known as finely
SINGULAR = "a singular pose: the sign of the determinant changes"


@dataclass(frozen=True, eq=False)
class Rays:
    """N ways: poses (N,), w, v, c (N, 3), their ends (N,) and the unit of x in which ends are judged fine (N,)."""

    start: Pose
    turn: Array
    shift: Array
    center: Array
    end: Array
    unit: Array

    def __len__(self) -> int:
        return len(self.end)

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
        """Taylor models over the intervals [low, high]; without rates."""
        middle, half = 0.5 * (low + high), 0.5 * (high - low) * (1 + 4 * EPS) + 4 * EPS * high
        none = taylor.constant(np.zeros((len(low), 3)))
        x = taylor.constant(middle[:, None])
        x.c[1] = half[:, None]
        Q = from_vector((x * self.turn, none, none))[0]
        arm = self.start.position - self.center
        r = (Q * arm[:, None, :]).sum()
        columns = [(Q * self.start.rotation[:, None, :, k]).sum() for k in range(3)]
        R = taylor.stack(columns)
        return MotionModel(r + self.center + x * self.shift, R, none, none, none, none)


def straight(start: Pose, end: Pose) -> Rays:
    """The straight way between two poses as a ray whose end is x = 1."""
    first, last = (Pose.trusted(p.position[None], p.rotation[None]) for p in (start, end))
    return between(first, last)


def between(starts: Pose, ends: Pose) -> Rays:
    """The straight ways between N poses and N others, each a ray whose end is x = 1."""
    one = np.ones(len(starts.position))
    turn = rotation_log(ends.rotation @ np.swapaxes(starts.rotation, -1, -2))
    return Rays(starts, turn, ends.position - starts.position, starts.position, one, one)


class RayStop(NamedTuple):
    """What ends a way: kind of limit and legs ((): the machine), in words."""

    kind: str
    legs: tuple[int, ...]
    sentence: str


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class RayEnd:
    """How far a way goes.

    free    x up to which all limits hold and no pose is singular
    beyond  x at which something is broken; NaN: nothing found, or the end of the ray is free
    whole   free to the end of the ray
    stops   what is broken at `beyond`, or what could not be decided behind `free`
    proved  None: all this by proof; else why it is only sampled
    """

    free: float
    beyond: float
    whole: bool
    stops: tuple[RayStop, ...]
    proved: str | None = None

    @property
    def settled(self) -> bool:
        """Both sides of the end are proved."""
        return self.proved is None and (self.whole or bool(np.isfinite(self.beyond)))


def stopped_by(platform: Platform, kind: str, legs: tuple[int, ...], at: Pose) -> RayStop:
    """The limit that ends a way, at a pose just beyond it."""
    return RayStop(kind, legs, _at_its_end(platform, kind, legs, at))


def _at_its_end(platform: Platform, kind: str, legs: tuple[int, ...], at: Pose) -> str:
    i = legs[0]
    name, turns = platform.leg_names[i], leg_table(platform)[i, LEG.kind] == CRANK
    if kind == "link":
        return f"{name}: is a fixed link, its length would change"
    g, (low, high) = struts(platform, at), allowed_range(platform, kind, *legs)
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
        return f"{names}: touch, axes {1e3 * low:.4g} mm apart"
    if kind in CLEARANCES:
        return f"{name}: touches the {kind.split()[0]}, axis {1e3 * low:.4g} mm from it"
    return f"{name}: {kind} at its end, {degrees(high):.4g}° from its axis"


def together(stops: tuple[RayStop, ...]) -> tuple[str, ...]:
    """The sentences of stops, legs of which the same is said in one."""
    legs: dict[str, list[str]] = {}
    for stop in stops:
        name, _, said = stop.sentence.partition(": ")
        legs.setdefault(said, []).append(name)
    return tuple(f"{', '.join(names)}: {said}" for said, names in legs.items())
