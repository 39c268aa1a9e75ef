"""Poses that a machine can take, to choose measurements from: from home outwards in random directions of motion.

A direction has three translations (over the machine's size) and three rotations (rad).  It is followed until a limit,
the reach of a leg or a bad condition ends it; what is kept lies at a random share of the way.  The way is looked at in
`LOOKS` places, so this draws poses to try; it proves nothing about what lies between.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array, InputError, number
from gough.limits import check
from gough.model import Platform
from gough.spatial import Pose, rotation_exp
from gough.struts import struts

LOOKS = 24
HALVINGS = 12
FARTHEST = 1.5  # machine sizes, rad
WORST = 1e3  # condition number of the rows over the machine's size
SHRINK = 0.995  # stay clear of the limit itself


def reachable_poses(
    platform: Platform, count: int, seed: int = 0, *, rim: float = 0.0, home: Pose | None = None
) -> Pose:
    """`count` random poses within the machine's limits; every one is checked.

    rim   share of them that stand at the end of their way, where a limit stops them
    home  where the ways begin; default: the machine's home
    """
    if isinstance(count, bool) or not 1 <= count <= 1_000_000:
        raise InputError("count", count, "must be from 1 to 1000000")
    rim = number("rim", rim, minimum=0.0)
    if rim > 1.0:
        raise InputError("rim", rim, "must be at most 1")
    start = platform.likely_home if home is None else home
    if start.shape != ():
        raise InputError("home", f"shape {start.shape}", "must be a single pose")
    if not _inside(platform, _along(platform, start, np.zeros((1, 6)), np.zeros(1)))[0]:
        raise InputError("home", "this pose", "breaks a limit of the machine: no way begins there")
    if not any(leg.limits.given for leg in platform.legs):
        raise InputError("platform", platform.name, "has no limits: its poses have no bound")
    rng = np.random.default_rng(seed)
    way = rng.normal(size=(count, 6))
    way /= np.linalg.norm(way, axis=1, keepdims=True)
    low, high = _bracket(platform, start, way)
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        fine = _inside(platform, _along(platform, start, way, middle))
        low, high = np.where(fine, middle, low), np.where(fine, high, middle)
    share = np.where(rng.uniform(size=count) < rim, SHRINK, rng.uniform(size=count) ** (1.0 / 6.0))
    found = _along(platform, start, way, low * share)
    bad = ~_inside(platform, found)  # a gap between two looks: back to a quarter, to home at last
    for _ in range(8):
        if not bad.any():
            break
        share = np.where(bad, 0.25 * share, share)
        found = _along(platform, start, way, low * share)
        bad = ~_inside(platform, found)
    share = np.where(bad, 0.0, share)
    return _along(platform, start, way, low * share)


def _along(platform: Platform, start: Pose, way: Array, far: Array) -> Pose:
    step = far[:, None] * way
    position = start.position + platform.characteristic_length * step[:, :3]
    return Pose.trusted(position, rotation_exp(step[:, 3:]) @ start.rotation)


def _bracket(platform: Platform, start: Pose, way: Array) -> tuple[Array, Array]:
    """The last look inside the limits, and the first outside."""
    looks = FARTHEST * np.arange(1, LOOKS + 1) / LOOKS
    going = np.ones(len(way), dtype=bool)
    low, high = np.zeros(len(way)), np.full(len(way), FARTHEST)
    for far in looks:
        fine = going & _inside(platform, _along(platform, start, way, np.full(len(way), far)))
        high = np.where(going & ~fine, far, high)
        low = np.where(fine, far, low)
        going = fine
        if not going.any():
            break
    return low, high


def _inside(platform: Platform, pose: Pose) -> NDArray[np.bool_]:
    """(n,) within the limits, and well enough conditioned to be measured."""
    g = struts(platform, pose)
    rows = g.rows_over(platform.characteristic_length)
    reached = np.asarray(g.reachable.all(axis=-1))
    safe = np.where(reached[..., None, None], rows, np.eye(6))
    s = np.linalg.svd(safe, compute_uv=False)
    fine = np.flatnonzero(reached & (s[:, 0] < WORST * s[:, -1]))
    ok = np.zeros(len(s), dtype=bool)
    ok[fine] = check(platform, pose[fine]).ok
    return ok
