"""Stiffness of the platform with its actuators held: task-space matrix, compliance, natural modes.

    K = J^T diag(k) J + joints + geometric part     (..., 6, 6): wrench per small displacement (m, rad), world axes
The geometric part is the change of direction of the operating forces and of gravity (docs/control.md).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.analysis.state_space import joint_stiffness, linearize
from gough.checks import Array, InputError, six
from gough.dynamics import mass_matrix
from gough.kinematics.jacobian import jacobian
from gough.layout import LINEAR
from gough.model import Platform
from gough.results import Result
from gough.spatial import Pose


@dataclass(frozen=True, eq=False, repr=False)
class NaturalModes(Result):
    """Natural motions of the undamped machine at rest, sorted by frequency.

    frequency  (..., 6) Hz; 0 for a direction without stiffness
    shape      (..., 6, 6), columns: (translation m, rotation rad) with ``shape^T M shape = E``
    stable     (..., 6) False where the equilibrium is unstable (frequency then is the growth rate over 2 pi)
    """

    frequency: Array
    shape: Array
    stable: NDArray[np.bool_]


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

    universal, spherical  rotational stiffness of the joints, N m/rad
    preload               count the geometric part of the forces that hold the pose
    """
    k = six("stiffness", stiffness)
    if (k < 0).any():
        raise InputError("stiffness", stiffness, "must not be negative")
    if preload:
        A = linearize(platform, pose, stiffness=k, universal=universal, spherical=spherical).A
        K = -mass_matrix(platform, pose) @ A[..., LINEAR.twist, LINEAR.pose]
        return 0.5 * (K + np.swapaxes(K, -1, -2))
    J = jacobian(platform, pose)
    return np.swapaxes(J, -1, -2) @ (k[:, None] * J) + joint_stiffness(
        platform, pose, universal, spherical
    )


def compliance(platform: Platform, pose: Pose, **options: ArrayLike) -> Array:
    """``K^-1`` (..., 6, 6): displacement (m, rad) per wrench; options as `stiffness_matrix`."""
    K = stiffness_matrix(platform, pose, **options)  # type: ignore[arg-type]
    return np.asarray(np.linalg.inv(K), dtype=np.float64)


def modes(
    platform: Platform,
    pose: Pose,
    *,
    stiffness: ArrayLike,
    universal: float = 0.0,
    spherical: float = 0.0,
    preload: bool = True,
) -> NaturalModes:
    """Natural frequencies and mode shapes of ``M xdd + K x = 0`` at rest; arguments as `stiffness_matrix`."""
    K = stiffness_matrix(
        platform,
        pose,
        stiffness=stiffness,
        universal=universal,
        spherical=spherical,
        preload=preload,
    )
    lower = np.linalg.inv(np.linalg.cholesky(mass_matrix(platform, pose)))
    values, vectors = np.linalg.eigh(lower @ K @ np.swapaxes(lower, -1, -2))
    shape = np.asarray(np.swapaxes(lower, -1, -2) @ vectors, dtype=np.float64)
    return NaturalModes(np.sqrt(np.abs(values)) / (2 * np.pi), shape, values >= 0.0)
