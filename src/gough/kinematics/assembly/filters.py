"""What removes a real pose: limits of the legs, the side of the base, legs that would cross, another aspect."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.checks import Array
from gough.clearances import leg_clearances, needed_clearances
from gough.kinematics.aspects import aspects
from gough.layout import LEG_GEOMETRY as LEG
from gough.limits import cone_margins, needed_distances, stroke_margin
from gough.model import Platform
from gough.spatial import Pose
from gough.struts import CRANK, STRUT, leg_table, pair_distances, shared_joints, struts, struts_at

WAYPOINTS = 60  # random poses by way of which a pose may be joined to home
Mask = Any  # NDArray[np.bool_]; one pose gives one np.bool_
FILTERS = ("stroke", "cones", "above", "crossings", "branch", "aspect")


def admitted(name: str, platform: Platform, poses: Pose, length: Array) -> Mask:
    """(n,) which poses the filter `name` lets pass.

    stroke     the given coordinates are within every leg's stroke
    cones      every strut is within its base and platform cones (axes default to the home pose)
    above      every platform joint is above the base joints' centroid, against gravity (z without gravity)
    crossings  the axes of any two legs stay farther apart than the sum of their radii (0 where none is given), and
               every leg its radius away from the shapes of platform and base, where these have one
    branch     PUS and RUS legs are on their own branch
    aspect     not proved to be separated from home by a singularity (`joined` tells what is proved joined)
    """
    return {
        "stroke": _stroke,
        "cones": _cones,
        "above": _above,
        "crossings": _crossings,
        "branch": _branch,
        "aspect": _aspect,
    }[name](platform, poses, length)


def _stroke(platform: Platform, poses: Pose, length: Array) -> Mask:
    return np.full(poses.shape, not (stroke_margin(platform, length) < 0.0).any())


def _cones(platform: Platform, poses: Pose, length: Array) -> Mask:
    s = struts_at(platform, poses, length).direction
    return np.logical_not(cone_margins(platform, s, poses.rotation)[1] < 0.0).all(axis=(0, -1))


def _above(platform: Platform, poses: Pose, length: Array) -> Mask:
    end = struts_at(platform, poses, length).end
    return ((end - platform.base_joints.mean(axis=0)) @ platform.up > 0).all(axis=-1)


def _branch(platform: Platform, poses: Pose, length: Array) -> Mask:
    kind = leg_table(platform)[:, LEG.kind]
    error = np.where(kind == STRUT, 0.0, struts(platform, poses).coordinate - length)
    error -= np.where(kind == CRANK, 2 * np.pi * np.round(error / (2 * np.pi)), 0.0)
    error /= np.where(kind == CRANK, 1.0, platform.characteristic_length)
    return np.abs(np.nan_to_num(error, nan=np.inf)).max(axis=-1, initial=0.0) < 1e-6


def _crossings(platform: Platform, poses: Pose, length: Array) -> Mask:
    g = struts_at(platform, poses, length)
    gap, need = pair_distances(g), needed_distances(platform)
    apart = ((gap > 0.0) & ~(gap < need) | shared_joints(platform)).all(axis=-1)
    for kind, clear in leg_clearances(platform, g, poses).items():
        apart &= ~(clear < needed_clearances(platform)[kind]).any(axis=-1)
    return apart


def _aspect(platform: Platform, poses: Pose, length: Array) -> Mask:
    apart = aspects(platform, _from_home(platform, poses), samples=0).separated[0, 1:]
    return ~apart & _branch(platform, poses, length)


def joined(platform: Platform, poses: Pose, length: Array) -> Mask:
    """(n,) which poses are proved to be in the aspect of home: a way without a singularity is known."""
    known = aspects(platform, _from_home(platform, poses), samples=WAYPOINTS).connected[0, 1:]
    return known & _branch(platform, poses, length)


def _from_home(platform: Platform, poses: Pose) -> Pose:
    home = platform.require_home()
    return Pose.trusted(
        np.concatenate([home.position[None], poses.position]),
        np.concatenate([home.rotation[None], poses.rotation]),
    )
