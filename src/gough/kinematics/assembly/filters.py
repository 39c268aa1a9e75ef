"""What removes a real pose: limits of the legs, the side of the base, legs that would cross."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array
from gough.kinematics.forward import actuator_coordinates
from gough.kinematics.forward_legs import leg_table, reduced
from gough.model import Platform
from gough.spatial import Pose

Mask = NDArray[np.bool_]
FILTERS = ("stroke", "cones", "above", "crossings", "branch")


def admitted(name: str, platform: Platform, poses: Pose, length: Array) -> Mask:
    """(n,) which poses the filter `name` lets pass.

    stroke     the given coordinates are within every leg's stroke
    cones      every strut is within its base and platform cones (axes default to the home pose)
    above      every platform joint is above the base joints' centroid, against gravity (z without gravity)
    crossings  the axes of any two legs stay farther apart than the sum of their radii (0 where none is given)
    branch     PUS and RUS legs are on their own branch
    """
    return {"stroke": _stroke, "cones": _cones, "above": _above, "crossings": _crossings, "branch": _branch}[name](
        platform, poses, length)


def _stroke(platform: Platform, poses: Pose, length: Array) -> Mask:
    ok = True
    for leg, value in zip(platform.legs, length, strict=True):
        stroke = leg.limits.stroke
        ok = ok and (stroke is None or bool(stroke[0] <= value <= stroke[1]))
    return np.full(poses.shape, ok)


def _struts(platform: Platform, poses: Pose, length: Array) -> tuple[Array, Array, Array]:
    """Base-side ends c (6, 3), platform joints (n, 6, 3), unit directions s (n, 6, 3)."""
    c, _ = reduced(platform, length)
    joints = poses.position[..., None, :] + platform.platform_joints @ np.swapaxes(poses.rotation, -1, -2)
    S = joints - c
    return c, joints, S / np.linalg.norm(S, axis=-1, keepdims=True)


def _cones(platform: Platform, poses: Pose, length: Array) -> Mask:
    _, _, s = _struts(platform, poses, length)
    home = platform.home
    ok = np.ones(poses.shape, dtype=bool)
    for i, leg in enumerate(platform.legs):
        limits = leg.limits
        if limits.base_cone is None and limits.platform_cone is None:
            continue
        rest = None
        if home is not None:
            at_home = _struts(platform, home, actuator_coordinates(platform, home))[2][i]
            rest = (at_home, -home.rotation.T @ at_home)
        if limits.base_cone is not None:
            axis = limits.base_axis if limits.base_axis is not None else (rest[0] if rest else None)
            if axis is not None:
                ok &= s[..., i, :] @ axis >= np.cos(limits.base_cone)
        if limits.platform_cone is not None:
            axis = limits.platform_axis if limits.platform_axis is not None else (rest[1] if rest else None)
            if axis is not None:
                inward = -(np.swapaxes(poses.rotation, -1, -2) @ s[..., i, :, None])[..., 0]
                ok &= inward @ axis >= np.cos(limits.platform_cone)
    return ok


def _above(platform: Platform, poses: Pose, length: Array) -> Mask:
    g = np.linalg.norm(platform.gravity)
    up = -platform.gravity / g if g > 0 else np.array([0.0, 0.0, 1.0])
    _, joints, _ = _struts(platform, poses, length)
    return ((joints - platform.base_joints.mean(axis=0)) @ up > 0).all(axis=-1)


def _branch(platform: Platform, poses: Pose, length: Array) -> Mask:
    if (leg_table(platform)[:, 0] == 0).all():
        return np.ones(poses.shape, dtype=bool)
    error = actuator_coordinates(platform, poses) - length
    turn = 2 * np.pi * np.round(error / (2 * np.pi))
    error = np.where(leg_table(platform)[:, 0] == 2, error - turn, error)
    return np.abs(np.nan_to_num(error, nan=np.inf)).max(axis=-1, initial=0.0) < 1e-6


def _crossings(platform: Platform, poses: Pose, length: Array) -> Mask:
    c, joints, _ = _struts(platform, poses, length)
    radius = [leg.limits.radius or 0.0 for leg in platform.legs]
    size = platform.characteristic_length
    ok = np.ones(poses.shape, dtype=bool)
    for i in range(6):
        for j in range(i):
            shared = min(np.linalg.norm(c[i] - c[j]),
                         np.linalg.norm(platform.platform_joints[i] - platform.platform_joints[j]))
            if shared < 1e-6 * size:  # legs that meet in a common joint
                continue
            gap = segment_distance(np.broadcast_to(c[i], joints[..., i, :].shape), joints[..., i, :],
                                   np.broadcast_to(c[j], joints[..., j, :].shape), joints[..., j, :])
            ok &= gap > radius[i] + radius[j]
    return ok


def segment_distance(a0: Array, a1: Array, b0: Array, b1: Array) -> Array:
    """Shortest distance between segments a0-a1 and b0-b1, (..., 3) each, m."""
    u, v, w = a1 - a0, b1 - b0, a0 - b0
    A, B, C = (u * u).sum(-1), (u * v).sum(-1), (v * v).sum(-1)
    D, E = (u * w).sum(-1), (v * w).sum(-1)
    det = A * C - B * B
    safe = np.where(det > 1e-14 * A * C, det, 1.0)
    s = np.where(det > 1e-14 * A * C, np.clip((B * E - C * D) / safe, 0, 1), 0.0)
    t = np.clip((B * s + E) / C, 0, 1)
    s = np.clip((B * t - D) / A, 0, 1)  # one more projection: exact when t was clipped
    return np.linalg.norm(w + s[..., None] * u - t[..., None] * v, axis=-1)
