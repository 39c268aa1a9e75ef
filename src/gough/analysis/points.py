"""Which positions are within all limits at a given orientation: compiled for UPS and SPS legs, vectorized for all.

`points_inside` answers yes or no for any number of positions; `gough.analysis.limits.check` says why not.
Leg-leg distance is included, as in `check`.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gough.analysis.limits import check, cone_axes
from gough.checks import Array, InputError, array
from gough.model import SPS, UPS, Platform
from gough.spatial import Pose

BLOCK = 50_000  # positions checked at once by the vectorized route
ROUTES = ("compiled", "vectorized")


def points_inside(platform: Platform, positions: ArrayLike, rotation: ArrayLike | None = None, *,
                  route: str | None = None) -> np.ndarray:
    """(...) bool: is the reference point at `positions` (..., 3), m, within reach, stroke, cones and leg distance?

    rotation  (3, 3), default that of the home pose
    route     "compiled" (UPS and SPS legs only) or "vectorized"; default: the compiled one where it exists
    """
    points = array("positions", positions, (3,))
    R = rotation_or_home(platform, rotation)
    struts_only = all(isinstance(leg, (UPS, SPS)) for leg in platform.legs)
    route = route or ("compiled" if struts_only else "vectorized")
    if route not in ROUTES or (route == "compiled" and not struts_only):
        raise InputError("route", route, "must be vectorized, or compiled for machines of UPS and SPS legs")
    flat = np.ascontiguousarray(points.reshape(-1, 3))
    if route == "compiled":
        out = np.empty(len(flat), dtype=np.uint8)
        kernels().inside(flat, *_tables(platform, R), out)
        return out.astype(bool).reshape(points.shape[:-1])
    axes = cone_axes(platform)
    parts = [check(platform, Pose(flat[i:i + BLOCK], R), axes=axes).ok for i in range(0, len(flat), BLOCK)]
    return (np.concatenate(parts) if parts else np.zeros(0, dtype=bool)).reshape(points.shape[:-1])


def rotation_or_home(platform: Platform, rotation: ArrayLike | None) -> Array:
    if rotation is None:
        return np.eye(3) if platform.home is None else platform.home.rotation
    return Pose(np.zeros(3), array("rotation", rotation, (3, 3))).rotation


@lru_cache(maxsize=1)
def kernels() -> Any:
    """The compiled functions of workspace_kernel.py, kept beside the other kernels under a hash of their source."""
    from gough.engines.cache import load_generated

    text = Path(__file__).with_name("workspace_kernel.py").read_text(encoding="utf-8")
    return load_generated(f"workspace_{hashlib.sha256(text.encode()).hexdigest()[:12]}", text)


def _tables(platform: Platform, R: Array) -> tuple[Any, ...]:
    """Arguments of the kernel for one orientation."""
    q = platform.platform_joints @ R.T
    base, top = cone_axes(platform)
    low, high = np.zeros(6), np.full(6, np.inf)
    axes, cosines = np.zeros((2, 6, 3)), np.full((2, 6), -2.0)
    for i, leg in enumerate(platform.legs):
        if leg.limits.stroke is not None:
            low[i], high[i] = leg.limits.stroke
        at_base, at_top = base[i], top[i]
        if leg.limits.base_cone is not None and at_base is not None:
            axes[0, i], cosines[0, i] = at_base, np.cos(min(leg.limits.base_cone, np.pi))
        if leg.limits.platform_cone is not None and at_top is not None:
            axes[1, i], cosines[1, i] = -(R @ at_top), np.cos(min(leg.limits.platform_cone, np.pi))
    pairs, need = _pairs(platform)
    return (np.ascontiguousarray(platform.base_joints), np.ascontiguousarray(q), low, high, axes, cosines, pairs, need)


def _pairs(platform: Platform) -> tuple[np.ndarray, Array]:
    """Legs that must keep apart and by how much, m; legs that share a joint cannot."""
    b, p = platform.base_joints, platform.platform_joints
    tiny = 1e-9 * platform.characteristic_length
    pairs, need = [], []
    for i, j in combinations(range(6), 2):
        ri, rj = platform.legs[i].limits.radius, platform.legs[j].limits.radius
        meet = min(np.abs(b[i] - b[j]).max(), np.abs(p[i] - p[j]).max()) < tiny
        if ri is not None and rj is not None and not meet:
            pairs.append((i, j))
            need.append(ri + rj)
    return np.array(pairs, dtype=np.int64).reshape(-1, 2), np.array(need, dtype=float)
