"""Published poses, lengths and rates that need no search: all-solutions solver, model library, motion laboratory."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.kinematics.assembly import assembly_modes
from gough.kinematics.assembly.examples import example
from gough.reproduce.codes.geometry import legs, numbers
from gough.spatial import rotation_x, rotation_y, rotation_z


def all_solutions() -> dict[str, Any]:
    """The 40 real poses of a general platform, and the published one among them."""
    d = numbers()["all_solutions"]
    platform, lengths = example("dietmaier-1998")
    R, place = np.array(d["rotation"]), np.array(d["position"])
    found, _ = legs(platform.base_joints, platform.platform_joints, place, R)
    modes = assembly_modes(platform, lengths)
    apart = (
        np.abs(modes.poses.position - place).max(-1),
        np.abs(modes.poses.rotation - R).max((-2, -1)),
    )
    nearest = float(np.maximum(*apart).min())
    return {
        "poses_found": len(modes.poses.position),
        "pose_nearest": nearest,
        "pose_residual": float(np.abs(found - lengths).max()),
    }


def library() -> dict[str, Any]:
    """Lengths and directions of the six legs of a model library's example, from its joints."""
    d = numbers()["library"]
    length, n = legs(
        np.array(d["base"]), np.array(d["platform"]), [0.0, d["height"], 0.0], np.eye(3)
    )
    return {
        "library_length": float(np.abs(length - d["length"]).max()),
        "library_direction": float(np.abs(n - d["directions"]).max()),
        "library_base_radius": 1e3 * float(np.linalg.norm(d["base"][0])),
    }


def motion_lab() -> dict[str, Any]:
    """Body rates from the rates of the angles of Rx Ry Rz: the published formula against the derivative of R."""
    d = numbers()["motion_lab"]
    angles, rates = np.array(d["angles"]), np.array(d["rates"])
    make = lambda a: rotation_x(a[0]) @ rotation_y(a[1]) @ rotation_z(a[2])  # noqa: E731
    x, y, z = np.eye(3)
    tail = rotation_y(angles[1]) @ rotation_z(angles[2])
    formula = make(angles).T @ (rates[0] * x) + tail.T @ (rates[1] * y) + rates[2] * z
    h = 1e-6
    S = make(angles).T @ (make(angles + h * rates) - make(angles - h * rates)) / (2 * h)
    return {"lab_off": float(np.abs(formula - [S[2, 1], S[0, 2], S[1, 0]]).max())}


def values() -> dict[str, Any]:
    """All three."""
    return {**all_solutions(), **library(), **motion_lab()}
