"""Stiffness of the platform with its actuators held: task-space matrix, compliance.

    K = J^T diag(k) J + joints + geometric part     (..., 6, 6): wrench per small displacement (m, rad), world axes
The geometric part is the change of direction of the operating forces and of gravity (docs/control.md).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gough.analysis import linked
from gough.analysis.joint_stiffness import joint_stiffness, spring_stiffness
from gough.analysis.state_space import linearize
from gough.checks import Array, InputError, six
from gough.dynamics import mass_matrix
from gough.kinematics.jacobian import jacobian
from gough.layout import LINEAR
from gough.links import links, refuse_links
from gough.model import Platform
from gough.spatial import Pose


def stiffness_matrix(
    platform: Platform,
    pose: Pose,
    *,
    stiffness: ArrayLike,
    universal: float = 0.0,
    spherical: float = 0.0,
    preload: bool = True,
) -> Array:
    """``K`` (..., 6, 6), symmetric, at rest, with the leg stiffness (N/m; one number or six) of locked actuators.

    universal, spherical  rotational stiffness of the joints, N m/rad, relaxed at this pose, beside the machine's own
    preload               count the geometric part of the forces that hold the pose
    """
    refuse_links(platform, "no 6x6 stiffness exists (compliance does)")
    k = _checked(stiffness)
    if preload:
        A = linearize(platform, pose, stiffness=k, universal=universal, spherical=spherical).A
        K = -mass_matrix(platform, pose) @ A[..., LINEAR.twist, LINEAR.pose]
        return 0.5 * (K + np.swapaxes(K, -1, -2))
    J = jacobian(platform, pose)
    joints = spring_stiffness(platform, pose) + joint_stiffness(
        platform, pose, universal, spherical
    )
    return np.swapaxes(J, -1, -2) @ (k[:, None] * J) + joints


def _checked(stiffness: ArrayLike) -> Array:
    k = six("stiffness", stiffness)
    if (k < 0).any():
        raise InputError("stiffness", stiffness, "must not be negative")
    return k


def _held_compliance(
    platform: Platform,
    pose: Pose,
    *,
    stiffness: ArrayLike,
    universal: float = 0.0,
    spherical: float = 0.0,
    preload: bool = True,
) -> Array:
    k = _checked(stiffness)
    return linked.held_compliance(platform, pose, k, (universal, spherical), preload)


def compliance(platform: Platform, pose: Pose, **options: ArrayLike) -> Array:
    """``K^-1`` (..., 6, 6): displacement (m, rad) per wrench; options as `stiffness_matrix`.

    With fixed links the displacements are those that they allow, rank 6 - m; `stiffness` of links is not read.
    """
    if len(links(platform).legs):
        return _held_compliance(platform, pose, **options)  # type: ignore[arg-type]
    K = stiffness_matrix(platform, pose, **options)  # type: ignore[arg-type]
    return np.asarray(np.linalg.inv(K), dtype=np.float64)
