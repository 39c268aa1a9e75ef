"""Is a path between two poses free of singularities?  Proved regular, proved crossing, or undecided.

Of UPS and SPS legs the determinant is a polynomial along the path.  With S_i = t + R p_i - b_i (not normalized),
``D = det [S, q x S]`` is a cubic in the 17 forms psi/h of docs/forward-kinematics.md, so ``h^3 D`` has in u the degree

    3  "translation": t linear, R constant
    9  "straight": position and quaternion both linear (the quaternion is normalized afterwards)

Its Bernstein coefficients enclose it: all of one sign prove that the whole path is regular (bernstein.py).  Sliders and
cranks bend it: machines with PUS or RUS legs are judged interval by interval (path_intervals.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import comb
from typing import Any

import numpy as np

from gough.checks import Array, InputError
from gough.frozen import hinted
from gough.layout import LEG_GEOMETRY as LEG
from gough.links import refuse_links
from gough.model import Platform
from gough.spatial import Pose, quaternion_from_rotation
from gough.struts import leg_table, lengths_only, refuse_screws

DEGREE = {"translation": 3, "straight": 9}


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class PathCheck:
    """What is known about a path between two poses, u from 0 to 1; arrays for a batch of paths.

    regular    proved: no singularity on the path; PUS and RUS: all legs reach, on their own branch, all along
    crossing   proved: the determinant changes sign on the path
    at         first place (u) that is not regular, NaN where there is none: the share of the path that is safe
    bernstein  (..., degree + 1) coefficients of ``h^3 D``; (..., 0) with PUS or RUS legs
    Neither regular nor crossing: undecided, the determinant is zero somewhere to within the rounding of its terms
    (or touches zero), or a PUS or RUS leg does not reach.  A machine that is singular everywhere is undecided on every
    path.
    """

    regular: Any
    crossing: Any
    at: Any
    bernstein: Array


def path_check(platform: Platform, start: Pose, end: Pose, path: str = "straight") -> PathCheck:
    """Is the path from `start` to `end` free of singularities?  Poses may be batches."""
    if path not in DEGREE:
        raise InputError("path", path, "must be one of " + ", ".join(DEGREE))
    refuse_links(platform, "paths of poses are not judged: they leave the links; none is known")
    way = _way(platform, start, end, path)
    shape = way[0].shape[:-1]
    refuse_screws(platform)
    if lengths_only(platform):
        coefficients, found = _by_polynomial(platform, way, DEGREE[path])
    else:
        coefficients, found = np.zeros((*shape, 0)), _by_intervals(platform, way)
    regular, crossing, at = (found[:, k].reshape(shape) for k in range(3))
    return PathCheck(regular == 1, crossing == 1, at, coefficients)


Way = tuple[Array, Array, Array, Array]
"""Positions (..., 3) from the middle of the base and quaternions (..., 4) at both ends: t0, t1, q0, q1."""


def _way(platform: Platform, start: Pose, end: Pose, path: str) -> Way:
    try:
        shape = np.broadcast_shapes(start.shape, end.shape)
    except ValueError:
        raise InputError("end", f"batch {end.shape}", f"must fit the batch {start.shape}") from None
    if path == "translation" and np.abs(start.rotation - end.rotation).max() > 1e-9:
        raise InputError("path", path, "needs the same rotation at both ends")
    middle = platform.base_joints.mean(axis=0)
    t0, t1 = (np.broadcast_to(x.position - middle, (*shape, 3)) for x in (start, end))
    q0, q1 = (
        np.broadcast_to(quaternion_from_rotation(x.rotation), (*shape, 4)) for x in (start, end)
    )
    if path == "translation":
        return t0, t1, q0, q0
    return t0, t1, q0, np.where((q0 * q1).sum(-1, keepdims=True) < 0, -q1, q1)


def _by_polynomial(platform: Platform, way: Way, degree: int) -> tuple[Array, Array]:
    """(..., degree + 1) Bernstein coefficients of ``h^3 D`` on the paths, and what they decide (N, 3)."""
    from gough.kinematics.bernstein import decide, determinants

    nodes, solve = _interpolation(degree)
    u = nodes[:, None]
    t0, t1, q0, q1 = (x[..., None, :] for x in way)
    q, t = (1 - u) * q0 + u * q1, (1 - u) * t0 + u * t1
    D, rounding = np.empty(q.shape[:-1]), np.empty(q.shape[:-1])
    flat_t, flat_q = (np.ascontiguousarray(x.reshape(-1, x.shape[-1])) for x in (t, q))
    joints = np.array(platform.platform_joints)
    base = platform.base_joints - platform.base_joints.mean(axis=0)
    size = platform.characteristic_length
    determinants(flat_t, flat_q, joints, base, size, D.reshape(-1), rounding.reshape(-1))
    slack = (rounding + 1e-15 * np.abs(D)) @ np.abs(solve).max(axis=0)
    coefficients = D @ solve.T
    flat = np.ascontiguousarray(coefficients.reshape(-1, degree + 1))
    found = np.empty((len(flat), 3))
    decide(flat, slack.reshape(-1), found)
    return coefficients, found


def _by_intervals(platform: Platform, way: Way) -> Array:
    """(N, 3) what the intervals decide."""
    from gough.kinematics.path_intervals import judge

    t0, t1, q0, q1 = (np.ascontiguousarray(x.reshape(-1, x.shape[-1])) for x in way)
    v = q0[:, :1] * q1[:, 1:] - q1[:, :1] * q0[:, 1:] + np.cross(q0[:, 1:], q1[:, 1:])
    turn = np.linalg.norm(v, axis=1) * (
        1 + 1e-12
    )  # the axis of the rotation is fixed: vec(q1 conj(q0))
    table = leg_table(platform).copy()
    table[:, LEG.base] -= platform.base_joints.mean(axis=0)
    middle = platform.platform_joints.mean(axis=0)
    found = np.empty((len(t0), 3))
    size = platform.characteristic_length
    judge(table, middle, t0, t1 - t0, q0, q1 - q0, turn, size, found)
    return found


@lru_cache(maxsize=8)
def _interpolation(degree: int) -> tuple[Array, Array]:
    """Chebyshev nodes in [0, 1] and the matrix from values there to Bernstein coefficients."""
    nodes = 0.5 - 0.5 * np.cos(np.pi * np.arange(degree + 1) / degree)
    k = np.arange(degree + 1)
    binomial = np.array([comb(degree, i) for i in k])
    basis = binomial * nodes[:, None] ** k * (1 - nodes[:, None]) ** (degree - k)
    return nodes, np.asarray(np.linalg.inv(basis), dtype=np.float64)
