"""Distances that a machine must keep: of two struts, of a strut and a body (gough/clearances.py), and their proofs.

For any direction n, fixed in the body's axes, a segment a-b is at least ``min(n.a, n.b) - max n.c`` away from a convex
body of points c, |n| = 1.  Over an interval n is taken from the nearest points in its middle: what is lost is of second
order in the interval's length.  The far end of a leg that may be shorter than what is spared of it is judged anyway,
and the point at the spared length beyond it too: that proves more than is asked for, never less.
"""

from __future__ import annotations

import numpy as np

from gough import taylor
from gough.checks import Array
from gough.clearances import CLEARANCES, leg_clearances, needed_clearances, plate_of
from gough.kinematics.leg_models import LegModel
from gough.limits import needed_distances
from gough.model import Platform
from gough.plates import plate_table, segment_plate, support
from gough.spatial import Pose
from gough.struts import pair_distances, struts
from gough.taylor import Model, dot
from gough.trajectory.bounds import MotionModel

NEAR = ("distance", *CLEARANCES)
ROUND = 1e-14  # of a support and what it is made of


def room(platform: Platform, kind: str, poses: Pose) -> Array:
    """(N, m) by how much each limited distance of a kind is more than needed at poses (N,), m: no less than found."""
    g = struts(platform, poses)
    if kind == "distance":
        need, found = needed_distances(platform), pair_distances(g)
    else:
        need, found = needed_clearances(platform)[kind], leg_clearances(platform, g, poses)[kind]
    return (found - need)[:, ~np.isnan(need)]


def clearance_model(
    platform: Platform, kind: str, legs: list[int], motion: MotionModel, model: LegModel
) -> Model:
    """(N, m, 2): both at least 0 prove that the struts `legs` keep their radius from the body of `kind`, m."""
    plate = plate_of(platform, kind)
    assert plate is not None
    table = plate_table(plate)
    cut = model.direction[:, legs] * plate.spared
    a, b = model.start[:, legs], model.end[:, legs]
    if kind == CLEARANCES[0]:
        t, R = motion.position[:, None, :], motion.rotation
        turned = (_seen(R, x - t) for x in (a, b - cut))
        a, b = turned
    else:
        a = a + cut
    n = segment_plate(table, a.c[0], b.c[0])[1]
    size = np.sqrt((n * n).sum(axis=-1, keepdims=True))
    n = np.where(
        size > 0.0, n / np.where(size > 0.0, size, 1.0), 0.0
    )  # 0: they meet, nothing is proved
    n = n * (1.0 - 4.0 * taylor.EPS)  # not longer than 1
    far = support(table, n)
    sizes = np.abs(table.corners).max(initial=0.0) + abs(table.x) + abs(table.y) + table.radius
    far = far + ROUND * (sizes + abs(table.bottom) + abs(table.top))
    need = needed_clearances(platform)[kind][legs]
    return taylor.stack([dot(x, n) - (far + need) for x in (a, b)])


def _seen(R: Model, w: Model) -> Model:
    """(N, m, 3) vectors w in the axes R (N, 3, 3): ``R^T w``."""
    return taylor.stack([dot(w, R[:, None, :, k]) for k in range(3)])
