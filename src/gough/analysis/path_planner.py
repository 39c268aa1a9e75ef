"""A way from one pose to another inside every geometric limit and clear of singular poses, proved piece by piece.

First the straight way.  If that is stopped, two trees of straight ways grow towards one another, one from each end
(RRT-Connect, Kuffner and LaValle 2000): towards a random pose goes the first tree as far as it can, towards the pose
that it reached the other.  How far a way goes is proved (analysis/rays.py), so every edge of a tree is; of one that is
stopped `STEP` of the free part is taken.  Corners that are not needed are left out, and what is answered is proved once
more, between the very poses of the answer.

True   `poses` are the corners of a way on whose straight pieces every limit holds and no pose is singular: proved
False  no such way exists: an end breaks a limit itself, or the determinants at the ends have proved opposite signs
None   neither is proved.  That no way was found says nothing: it was looked for in a number of random places
Limits, slacks and what is not judged along a way are those of `gough.reach` (docs/reach.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gough.analysis.rays import first_stops, free_parts
from gough.analysis.reachable import BEYOND, apart, refused, stopped
from gough.analysis.ways import RayEnd, between, straight
from gough.checks import Array, InputError
from gough.frozen import hinted
from gough.limits import check
from gough.links import links
from gough.model import Platform
from gough.results import Result
from gough.spatial import Pose, rotation_exp, rotation_log
from gough.trajectory.point_to_point import PointToPoint, uniform

STEP = 0.9  # of the free part of a way that is stopped
SHORTEST = 0.01  # rad, and of the machine's size: shorter steps lead to nothing new
SPREADS = (0.1, 0.3, 1.0)  # rad, and of the machine's size: how far from the straight way is looked
BATCH = 8  # random poses at once
CORNER = 1.0  # rad, or of the machine's size: so much longer may a way be for one corner less

ON_LINKS = "with fixed links only the straight way is tried"


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class PathPlan(Result):
    """A way between two poses, or why there is none.

    possible   True: proved; False: proved impossible; None: neither (see the module)
    poses      (n,) corners of the way, both ends included, n >= 2; None: none was found
    direct     how far the straight way goes; None: not asked, an end is refused
    tried      straight ways that were judged in the search
    sentences  what was found, the deciding one first
    """

    possible: bool | None
    poses: Pose | None
    direct: RayEnd | None
    tried: int
    sentences: tuple[str, ...]

    def __bool__(self) -> bool:
        return self.possible is True

    @property
    def parts(self) -> tuple[PointToPoint, ...]:
        """The straight pieces, 1 s each at an even pace (`gough.trajectory.uniform`, geodesic); none without a way."""
        if self.poses is None:
            return ()
        corners = [self.poses[i] for i in range(len(self.poses.position))]
        return tuple(uniform(a, b, 1.0, orientation="geodesic") for a, b in pairwise(corners))


def plan_path(
    platform: Platform, start: Pose, end: Pose, *, samples: int = 200, seed: int = 0
) -> PathPlan:
    """A way from `start` to `end` inside strokes, cones, leg-leg distances and reach, and clear of singular poses.

    samples  random poses that the search may go by
    seed     of these; the same seed gives the same answer

    >>> platform = gough.load("positioner-300")
    >>> end = gough.Pose.from_rpy(platform.home.position + [0.002, 0, 0], [0, 0, 0])
    >>> plan = gough.plan_path(platform, platform.home, end)
    >>> plan.possible, len(plan.poses)
    (True, 2)
    """
    if isinstance(samples, bool) or not isinstance(samples, int) or samples < 1:
        raise InputError("samples", samples, "must be a whole number, at least 1")
    for name, pose in (("start", start), ("end", end)):
        why = refused(platform, pose)[0]
        if why:
            return PathPlan(
                False, None, None, 0, (f"the {name} itself is refused: {why[0]}", *why[1:])
            )
    (direct,) = first_stops(platform, straight(start, end))
    if direct.proved is not None:
        said = () if direct.whole else stopped(direct)
        return PathPlan(None, None, direct, 1, (*said, f"no way is proved: {direct.proved}"))
    unchecked = check(platform, end).unchecked
    if direct.whole:
        return _found(_both(start, end), direct, 1, unchecked)
    if apart(platform, start, end):
        return PathPlan(False, None, direct, 1, (BEYOND, *stopped(direct)))
    if len(links(platform).legs):
        return PathPlan(None, None, direct, 1, (*stopped(direct), ON_LINKS))
    poses, tried = _search(platform, start, end, samples, seed)
    if poses is None:
        said = (
            f"none of {tried} straight ways by random poses led there: another way is not ruled out"
        )
        return PathPlan(None, None, direct, tried, (*stopped(direct), said))
    return _found(poses, direct, tried, unchecked)


def _found(poses: Pose, direct: RayEnd, tried: int, unchecked: tuple[str, ...]) -> PathPlan:
    count = len(poses.position) - 1
    way = "the straight way" if count == 1 else f"a way of {count} straight pieces"
    limits = "all limits that could be checked" if unchecked else "all limits"
    said = [f"{way} between the poses is inside {limits} and free of singular poses, proved"]
    said += [] if count == 1 else [f"the straight way stops at {100 * direct.free:.4g} % of it"]
    possible = None if unchecked else True
    return PathPlan(possible, poses, direct, tried, (*said, *unchecked))


def _both(a: Pose, b: Pose) -> Pose:
    return Pose.trusted(np.stack([a.position, b.position]), np.stack([a.rotation, b.rotation]))


class _Tree:
    """Poses joined to a first one by proved ways; size: m, that counts as much as a turn of 1 rad."""

    def __init__(self, root: Pose, size: float) -> None:
        self.position, self.rotation = root.position[None], root.rotation[None]
        self.before, self.size = [0], size

    def at(self, i: NDArray[np.intp]) -> Pose:
        """Poses by their numbers."""
        return Pose.trusted(self.position[i], self.rotation[i])

    def nearest(self, goals: Pose) -> NDArray[np.intp]:
        """(m,) the nearest pose of the tree to each of m."""
        own = Pose.trusted(self.position[:, None], self.rotation[:, None])
        return apart_by(own, goals, self.size).argmin(axis=0)

    def grow(self, platform: Platform, goals: Pose) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """Towards each of m goals as far as is proved: numbers (m,) of the new poses, -1 where the step is too short
        to keep, and whether each is its goal."""
        near = self.nearest(goals)
        start = self.at(near)
        rays = between(start, goals)
        free = free_parts(platform, rays)
        whole = free >= rays.end
        stop = rays.pose(STEP * free)
        t = np.where(whole[:, None], goals.position, stop.position)
        R = np.where(whole[:, None, None], goals.rotation, stop.rotation)
        kept = whole | (apart_by(start, Pose.trusted(t, R), self.size) > SHORTEST)
        number = np.where(kept, len(self.before) - 1 + np.cumsum(kept), -1)
        self.position = np.concatenate([self.position, t[kept]])
        self.rotation = np.concatenate([self.rotation, R[kept]])
        self.before += near[kept].tolist()
        return number, whole

    def back(self, i: int) -> Pose:
        """The way from pose i to the first."""
        way = [i]
        while way[-1] != 0:
            way.append(self.before[way[-1]])
        return self.at(np.array(way))


def apart_by(a: Pose, b: Pose, size: float) -> Array:
    """(...) how far two poses are from one another: shift over `size` (m), and angle, rad."""
    turn = rotation_log(np.swapaxes(a.rotation, -1, -2) @ b.rotation)
    shift = np.linalg.norm(a.position - b.position, axis=-1)
    return np.asarray(shift / size + np.linalg.norm(turn, axis=-1))


def _search(
    platform: Platform, start: Pose, end: Pose, samples: int, seed: int
) -> tuple[Pose | None, int]:
    """Corners of a proved way, or None; and how many ways were judged."""
    rng, size, tried = np.random.default_rng(seed), platform.characteristic_length, 1
    from_start, from_end = _Tree(start, size), _Tree(end, size)
    for begin in range(0, samples, BATCH):
        turn = begin // BATCH
        spread, count = SPREADS[turn % len(SPREADS)], min(BATCH, samples - begin)
        one, other = (from_start, from_end) if turn % 2 == 0 else (from_end, from_start)
        new, _ = one.grow(platform, _drawn(rng, start, end, spread, size, count))
        new = new[new >= 0]
        met, whole = other.grow(platform, one.at(new)) if len(new) else (new, new > 0)
        tried += count + len(new)
        for here, there in zip(new[whole].tolist(), met[whole].tolist(), strict=True):
            ends = (here, there) if one is from_start else (there, here)
            way = _joined(from_start.back(ends[0]), from_end.back(ends[1]))
            poses, asked = _shortened(platform, way, size)
            tried += asked
            if poses is not None:
                return poses, tried
    return None, tried


def _drawn(
    rng: np.random.Generator, start: Pose, end: Pose, spread: float, size: float, count: int
) -> Pose:
    """Random poses about the straight way: off it by normal shifts of `spread` sizes and turns of `spread` rad."""
    x = rng.uniform(0.0, 1.0, count)
    ways = straight(start, end)[np.zeros(count, dtype=np.intp)]
    near = ways.pose(x)
    turn = rotation_exp(spread * rng.normal(size=(count, 3)))
    return Pose.trusted(
        near.position + spread * size * rng.normal(size=(count, 3)), near.rotation @ turn
    )


def _joined(to_start: Pose, to_end: Pose) -> Pose:
    """Two ways back from the pose at which they meet, as one."""
    first = to_start[::-1]
    return Pose.trusted(
        np.concatenate([first.position, to_end.position[1:]]),
        np.concatenate([first.rotation, to_end.rotation[1:]]),
    )


def _shortened(platform: Platform, way: Pose, size: float) -> tuple[Pose | None, int]:
    """The best choice of corners whose straight pieces are all proved, or None; and how many pieces were judged.

    Best: least sum of `apart_by` and `CORNER` for each piece.
    """
    n = len(way.position)
    i, j = np.triu_indices(n, 1)
    rays = between(way[i], way[j])
    whole = free_parts(platform, rays) >= rays.end
    cost = np.where(whole, apart_by(way[i], way[j], size) + CORNER, np.inf)
    least, before = np.full(n, np.inf), np.zeros(n, dtype=np.intp)
    least[0] = 0.0
    for k in range(1, n):
        into = j == k
        total = least[i[into]] + cost[into]
        least[k], before[k] = total.min(), i[into][total.argmin()]
    if not np.isfinite(least[-1]):
        return None, len(i)
    kept = [n - 1]
    while kept[-1] != 0:
        kept.append(int(before[kept[-1]]))
    return way[np.array(kept[::-1])], len(i)
