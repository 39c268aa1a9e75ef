"""Machines and pairs of poses between which the straight way is blocked in its middle and not at its ends.

A random machine without limits, two random poses.  What is blocked by (`BLOCKS`):
    stroke        one leg is shorter in the middle than at both ends; its shortest length is put between
    cone          one leg tilts more in the middle; its cone's half angle is put between
    distance      two struts come nearer in the middle; the sum of their radii is put between
    determinant   its sign in the middle is not that of both ends: the way leaves an aspect and comes back
Whether or not there is another way is for the planner to say.
"""

from __future__ import annotations

import numpy as np

from campaigns.travel_campaign import signs
from gough.checks import Array
from gough.limits import check
from gough.model import Limits, Platform
from gough.spatial import Pose, rotation_exp, rotation_log
from gough.struts import PAIRS, pair_distances, shared_joints, struts
from oracles.machines import platform

BLOCKS = ("stroke", "cone", "distance", "determinant")
PLACES = 101
TRIES = 400
GAP = 0.01  # of the value at the ends: smaller differences are passed over
SHARE = 0.4  # of the difference: where between middle and ends the limit is put

Case = tuple[Platform, Pose, Pose]


def straight(a: Pose, b: Pose) -> Pose:
    """`PLACES` poses of the straight way."""
    u = np.linspace(0.0, 1.0, PLACES)[:, None]
    turn = rotation_log(a.rotation.T @ b.rotation)
    return Pose(a.position + u * (b.position - a.position), a.rotation @ rotation_exp(u * turn))


def blocked(kind: str, seed: int, by: str) -> Case | None:
    """A machine of this leg type, start and end; None: none of `TRIES` pairs is such."""
    rng = np.random.default_rng([seed, BLOCKS.index(by)])
    bare = platform(kind, seed=seed)
    bare = bare.replace(legs=[leg.replace(limits=Limits()) for leg in bare.legs])
    home, size = bare.require_home(), bare.characteristic_length
    far = 1.5 if by == "determinant" else 0.4
    for _ in range(TRIES):
        start, end = (
            Pose(
                home.position + rng.uniform(-1, 1, 3) * far * 0.5 * size,
                rotation_exp(rng.uniform(-1, 1, 3) * far) @ home.rotation,
            )
            for _ in range(2)
        )
        way = straight(start, end)
        if not struts(bare, way).reachable.all():
            continue
        limited = _limited(bare, way, by)
        if limited is not None:
            return limited, start, end
    return None


def _limited(bare: Platform, way: Pose, by: str) -> Platform | None:
    """The machine with the limit that blocks this way, or None."""
    sign = signs(bare, way)
    if by == "determinant":
        return bare if sign[0] == sign[-1] and (sign != sign[0]).any() else None
    if (sign != sign[0]).any():
        return None
    limits = [Limits() for _ in range(6)]
    if by == "stroke":
        lam = struts(bare, way).coordinate
        leg, low = _between(lam)
        high = (
            float(lam[:, leg].max()) + 1.0
        )  # of cranks: less than a turn, which would be no limit
        limits[leg] = Limits(stroke=np.array([low, high])) if leg >= 0 else limits[0]
    elif by == "cone":
        wide = [leg.replace(limits=Limits(base_cone=1.0)) for leg in bare.legs]
        leg, low = _between(-check(bare.replace(legs=wide), way).value["base cone"])
        limits[leg] = Limits(base_cone=-low) if leg >= 0 else limits[0]
    else:
        d = np.where(shared_joints(bare), np.nan, pair_distances(struts(bare, way)))
        leg, low = _between(d)
        for i in PAIRS[:, leg].tolist() if leg >= 0 else ():
            limits[i] = Limits(radius=0.5 * low)
    if leg < 0:
        return None
    return bare.replace(
        legs=[one.replace(limits=own) for one, own in zip(bare.legs, limits, strict=True)]
    )


def _between(value: Array) -> tuple[int, float]:
    """Of columns (n, m): which falls most in the middle below both its ends, and a number between; -1: none does."""
    ends, middle = np.minimum(value[0], value[-1]), value.min(axis=0)
    fall = np.where(np.isnan(ends), -np.inf, ends - middle)
    k = int(fall.argmax())
    if not fall[k] > GAP * abs(ends[k]):
        return -1, 0.0
    return k, float(middle[k] + SHARE * fall[k])
