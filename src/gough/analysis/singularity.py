"""How near the platform is to losing control of itself, and whether a path meets a singularity.

    H     (..., 6, 6) columns ``(s_i, q_i x s_i / ℓ)``: forces along the struts to the wrench, one unit
    ℓ     characteristic length of the platform, m
A pose is singular when H loses rank: some wrench moves the platform with locked actuators.

Along a path the determinant is a polynomial.  With S_i = t + R p_i - b_i (not normalized), ``D = det [S, q x S]``
is a cubic in the 17 forms psi/h of docs/forward-kinematics.md, so ``h^3 D`` is a polynomial in u of degree

    3  "translation": t linear, R constant
    9  "straight": position and quaternion both linear (the quaternion is normalized afterwards)

Its Bernstein coefficients enclose it: all of one sign prove that the whole path is regular.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import comb
from typing import Any

import numpy as np

from gough.checks import Array, InputError, array
from gough.model import Platform
from gough.spatial import Pose, quaternion_from_rotation
from gough.struts import struts, wrench_rows

DEGREE = {"translation": 3, "straight": 9}


@dataclass(frozen=True, eq=False)
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
    g = struts(platform, pose)
    H: Any = np.swapaxes(wrench_rows(g.arm / platform.characteristic_length, g.direction), -1, -2)
    good: Any = np.isfinite(H).all(axis=(-2, -1))
    values = np.linalg.svd(np.where(good[..., None, None], H, np.eye(6)), compute_uv=False)
    values = np.where(good[..., None], values, np.nan)  # a leg that cannot reach
    with np.errstate(divide="ignore", invalid="ignore"):
        condition = values[..., 0] / values[..., -1]
        determinant = np.linalg.det(H)
    return Singularity(values[..., -1], condition, determinant, H)


@dataclass(frozen=True, eq=False)
class PathCheck:
    """What is known about a path between two poses, u from 0 to 1; arrays for a batch of paths.

    regular    proved: no singularity on the path
    crossing   proved: the determinant changes sign on the path
    at         first zero of the determinant (u), NaN where there is none: the share of the path that is safe
    bernstein  (..., degree + 1) coefficients of ``h^3 D``
    Neither regular nor crossing: undecided, the determinant is zero somewhere to within the rounding of its terms.
    A machine that is singular everywhere is undecided on every path.
    """

    regular: Any
    crossing: Any
    at: Any
    bernstein: Array


def path_check(platform: Platform, start: Pose, end: Pose, path: str = "straight") -> PathCheck:
    """Is the path from `start` to `end` free of singularities?  UPS and SPS legs; poses may be batches."""
    if not all(kind in ("UPS", "SPS") for kind in platform.kinds):
        raise InputError(
            "platform", platform.kinds, "must have UPS or SPS legs: others bend the polynomial"
        )
    if path not in DEGREE:
        raise InputError("path", path, "must be one of " + ", ".join(DEGREE))
    from gough.kinematics.bernstein import decide

    coefficients, rounding = _bernstein(platform, start, end, path)
    flat = np.ascontiguousarray(coefficients.reshape(-1, coefficients.shape[-1]))
    found = np.empty((len(flat), 3))
    decide(flat, rounding.reshape(-1), found)
    regular, crossing, at = (found[:, k].reshape(coefficients.shape[:-1]) for k in range(3))
    return PathCheck(regular == 1, crossing == 1, at, coefficients)


def _bernstein(platform: Platform, start: Pose, end: Pose, path: str) -> tuple[Array, Array]:
    """(..., degree + 1) Bernstein coefficients of ``h^3 D`` on the path, and (...) the bound of their rounding."""
    from gough.kinematics.bernstein import determinants

    try:
        shape = np.broadcast_shapes(start.shape, end.shape)
    except ValueError:
        raise InputError("end", f"batch {end.shape}", f"must fit the batch {start.shape}") from None
    degree = DEGREE[path]
    nodes, solve = _interpolation(degree)
    u = nodes[:, None]
    middle = platform.base_joints.mean(axis=0)
    t0, t1 = (np.broadcast_to(x.position - middle, (*shape, 3))[..., None, :] for x in (start, end))
    q0, q1 = (
        np.broadcast_to(quaternion_from_rotation(x.rotation), (*shape, 4))[..., None, :]
        for x in (start, end)
    )
    if path == "translation":
        if np.abs(start.rotation - end.rotation).max() > 1e-9:
            raise InputError("path", path, "needs the same rotation at both ends")
        q, t = q0 + 0 * u, (1 - u) * t0 + u * t1
    else:
        q1 = np.where((q0 * q1).sum(-1, keepdims=True) < 0, -q1, q1)
        q, t = (1 - u) * q0 + u * q1, (1 - u) * t0 + u * t1
    q, t = np.broadcast_arrays(q, t[..., :1])[0], np.broadcast_arrays(t, q[..., :1])[0]
    D, rounding = np.empty(q.shape[:-1]), np.empty(q.shape[:-1])
    flat_t, flat_q = (np.ascontiguousarray(x.reshape(-1, x.shape[-1])) for x in (t, q))
    joints, base = np.array(platform.platform_joints), platform.base_joints - middle
    size = platform.characteristic_length
    determinants(flat_t, flat_q, joints, base, size, D.reshape(-1), rounding.reshape(-1))
    slack = (rounding + 1e-15 * np.abs(D)) @ np.abs(solve).max(axis=0)
    return D @ solve.T, slack


@lru_cache(maxsize=8)
def _interpolation(degree: int) -> tuple[Array, Array]:
    """Chebyshev nodes in [0, 1] and the matrix from values there to Bernstein coefficients."""
    nodes = 0.5 - 0.5 * np.cos(np.pi * np.arange(degree + 1) / degree)
    k = np.arange(degree + 1)
    binomial = np.array([comb(degree, i) for i in k])
    basis = binomial * nodes[:, None] ** k * (1 - nodes[:, None]) ** (degree - k)
    return nodes, np.asarray(np.linalg.inv(basis), dtype=np.float64)


def clearance(platform: Platform, pose: Pose, direction: Array, limit: float) -> Any:
    """Distance, m, the platform can move along `direction` (..., 3), rotation held, before a singularity.

    Infinite where the way is proved regular up to `limit` (m).
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
