"""What a page draws of a machine, as JSON-ready data: its struts at home, cone axes, sizes, workspace slices, modes."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.analysis.workspace import WorkspaceSlice
from gough.checks import Array
from gough.kinematics.assembly import AssemblyModes
from gough.kinematics.forward import actuator_coordinates
from gough.limits import KINDS, cone_axes
from gough.model import CRANKS, Platform
from gough.rotations import rotation_exp
from gough.spatial import Pose
from gough.struts import CARRIED, anchors, struts


def drawing(platform: Platform) -> dict[str, Any]:
    """What the page draws, beyond the document: home struts, cone axes, sizes, a home pose."""
    home = platform.likely_home
    g = struts(platform, home)
    size = float(
        np.ptp(
            np.vstack([platform.base_joints, g.end[np.isfinite(g.end).all(axis=-1)]]), axis=0
        ).max()
    )
    base, top = cone_axes(platform)
    return {
        "kinds": list(platform.kinds),
        "names": list(platform.leg_names),
        "home": {"position": home.position.tolist(), "quaternion": home.quaternion.tolist()},
        "start": _finite(g.start),
        "end": _finite(g.end),
        "coordinate": _finite(g.coordinate),
        "size": size,
        "base_axes": _axes(base),
        "platform_axes": _axes(top),
        "up": platform.up.tolist(),
        "range": pose_range(platform, home, g.coordinate),
        "limit_kinds": list(KINDS),
        "rest": [rest_directions(platform, i) for i in range(len(platform.legs))],
    }


def rest_directions(platform: Platform, i: int) -> tuple[list[float], list[float]] | None:
    """Direction of leg `i` where the springs of its joints are relaxed, for drawing flexures; None without springs.

    Two unit vectors, as what carries either joint sees the leg: base axes (of a crank: world axes at zero crank angle),
    and platform axes.  A `gough.Platform` has such a pose, and the leg reaches it.
    """
    leg = platform.legs[i]
    if not leg.springs.any:
        return None
    pose = leg.springs.home or platform.require_home()
    g = struts(platform, pose)
    s = g.direction[i]
    turn = rotation_exp(-g.coordinate[i] * leg.shaft) if isinstance(leg, CRANKS) else np.eye(3)
    return (turn @ s).tolist(), (pose.rotation.T @ s).tolist()


def _axes(axes: Array) -> list[list[float] | None]:
    return [None if np.isnan(a[0]) else a.tolist() for a in axes]


def pose_range(platform: Platform, home: Pose, coordinate: Array) -> dict[str, Any]:
    """How far the sliders of the page go: about the travel of the legs, m and rad."""
    strokes = [
        float(np.ptp(leg.limits.stroke))
        for leg in platform.legs
        if leg.limits.stroke is not None and not isinstance(leg, CRANKS)
    ]
    struts_of = [
        getattr(leg, "length", float(l)) for leg, l in zip(platform.legs, coordinate, strict=True)
    ]
    reach = 0.8 * max(strokes) if strokes else 0.3 * max(struts_of)
    reach = float(f"{reach:.1g}") or 0.1
    return {"travel": reach, "turn": float(np.deg2rad(40.0)), "middle": home.position.tolist()}


def level_plane(platform: Platform) -> str:
    """The coordinate plane across gravity: ``"xy"`` for a machine that stands upright."""
    return ("yz", "xz", "xy")[int(np.argmax(np.abs(platform.up)))]


def slice_drawing(s: WorkspaceSlice) -> dict[str, Any]:
    """A workspace slice: its grid, the limit that ends it at each point (0: inside), and its area in a sentence."""
    return {
        "plane": s.plane,
        "level": s.level,
        "u": s.u,
        "v": s.v,
        "area": s.area,
        "reason": s.reason.ravel().tolist(),
        "kinds": ["inside", *KINDS],
        "text": s.words(),
    }


def modes_drawing(platform: Platform, modes: AssemblyModes) -> dict[str, Array]:
    """Points of every assembly mode: base joints (6, 3), strut feet (n, 6, 3), platform joints (n, 6, 3), m."""
    poses = modes.poses
    tops = poses.position[:, None] + platform.platform_joints @ np.swapaxes(poses.rotation, -1, -2)
    feet = np.broadcast_to(platform.base_joints, tops.shape)
    if any(kind in CARRIED for kind in platform.kinds):
        c, _ = anchors(platform, np.nan_to_num(actuator_coordinates(platform, poses)))
        feet = np.where(modes.on_branch[:, None, None], c, feet)
    return {"base": platform.base_joints, "feet": feet, "tops": tops}


def _finite(a: Array) -> Any:
    return np.where(np.isfinite(a), a, 0.0).tolist()
