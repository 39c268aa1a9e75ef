"""How near the platform is to losing control of itself, and whether a path meets a singularity.

    H     (..., 6, 6) columns ``(s_i, q_i x s_i / ℓ)``: forces along the struts to the wrench, one unit
    ℓ     characteristic length of the platform, m
A pose is singular when H loses rank: some wrench moves the platform with locked actuators.

Paths are judged by `path_check` (kinematics/regular_paths.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.checks import Array, InputError, array
from gough.frozen import hinted
from gough.kinematics.regular_paths import PathCheck as PathCheck
from gough.kinematics.regular_paths import path_check as path_check
from gough.links import POSE, refuse_off_links
from gough.model import Platform
from gough.spatial import Pose
from gough.struts import struts


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Singularity:
    """Measures of one pose or a batch.

    smallest      smallest singular value of H with unit struts, 0 at a singularity, largest possible near 1
    condition     ratio of the extreme singular values (infinite at a singularity)
    determinant   of H; its sign tells the aspect: two poses with different signs are always separated
    wrench_matrix H
    """

    smallest: Any
    condition: Any
    determinant: Any
    wrench_matrix: Array


def singularity(platform: Platform, pose: Pose) -> Singularity:
    """Distance of a pose (any leg types) from singularity, in numbers without units."""
    refuse_off_links(platform, pose, POSE)
    g = struts(platform, pose)
    H: Any = np.swapaxes(g.rows_over(platform.characteristic_length), -1, -2)
    good: Any = np.isfinite(H).all(axis=(-2, -1))
    values = np.linalg.svd(np.where(good[..., None, None], H, np.eye(6)), compute_uv=False)
    values = np.where(good[..., None], values, np.nan)  # a leg that cannot reach
    with np.errstate(divide="ignore", invalid="ignore"):
        condition = values[..., 0] / values[..., -1]
        determinant = np.linalg.det(H)
    return Singularity(values[..., -1], condition, determinant, H)


def clearance(platform: Platform, pose: Pose, direction: Array, limit: float) -> Any:
    """Distance, m, the platform can move along `direction` (..., 3), rotation held, before a singularity.

    Infinite where the way is proved regular up to `limit` (m); PUS, RUS: before a leg's own singularity or reach, too.
    """
    way = array("direction", direction, (3,))
    size = np.linalg.norm(way, axis=-1, keepdims=True)
    if not (np.isfinite(way).all() and (size > 0).all() and np.isfinite(limit) and limit > 0):
        raise InputError(
            "direction", direction, "must be a finite, non-zero vector, with a positive limit"
        )
    end = Pose(pose.position + limit * way / size, pose.rotation)
    found = path_check(platform, pose, end, "translation")
    return np.where(found.regular, np.inf, found.at * limit)[()]
