"""Which positions are within all limits at one orientation: compiled, for legs of every kind and bodies with shapes.

`points_inside` answers yes or no for any number of positions; `gough.limits.check` says why not.
Leg-leg distance and the clearance of bodies are included, as in `check`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array, InputError, array
from gough.clearances import CLEARANCES, needed_clearances, plate_of
from gough.layout import LEG_JOINTS as JOINTS
from gough.limits import check, cone_axes, needed_distances
from gough.links import refuse_links
from gough.model import Platform
from gough.offset_legs import offset_legs
from gough.plates import plate_table
from gough.spatial import Pose
from gough.struts import PAIRS, leg_table, lengths_only
from gough.twist import cylinders

BLOCK = 50_000  # positions checked at once by the vectorized route
ROUTES = ("compiled", "vectorized")
ENGINES = ("native", "cuda")
NARROW = 1e-3  # sine of a cone's half angle: above, cosines are as good as angles


NO_VOLUME = "workspaces at one rotation are not known: the poses fill no volume there"


def points_inside(
    platform: Platform,
    positions: ArrayLike,
    rotation: ArrayLike | None = None,
    *,
    route: str | None = None,
    engine: str = "native",
) -> np.ndarray:
    """(...) bool: is the reference point at `positions` (..., 3), m, within reach, stroke, cones and leg distance?

    rotation  (3, 3), default that of the home pose
    route     "compiled" (the default) or "vectorized" (NumPy, by `gough.limits.check`): the same answers but for
              rounding at a limit
    engine    "native", or "cuda": legs driven along their length on an NVIDIA GPU
    """
    points = array("positions", positions, (3,))
    R = rotation_or_home(platform, rotation)
    route = "compiled" if route is None else route
    if route not in ROUTES:
        raise InputError("route", route, f"must be {' or '.join(ROUTES)}")
    plain = lengths_only(platform)
    if engine not in ENGINES or (engine == "cuda" and not (route == "compiled" and plain)):
        allowed = "must be native, or cuda for the compiled route (legs driven along their length)"
        raise InputError("engine", engine, allowed)
    flat = np.ascontiguousarray(points.reshape(-1, 3))
    if route == "vectorized":
        parts = [
            check(platform, Pose(flat[i : i + BLOCK], R)).ok for i in range(0, len(flat), BLOCK)
        ]
        found = np.concatenate(parts) if parts else np.zeros(0, dtype=bool)
    elif engine == "native" and not (plain and _wide_cones(platform)):
        found = _inside_any(platform, R, flat)
    else:
        found = _inside(flat, _tables(platform, R), engine)
        _clear(platform, R, flat, found)
    return found.astype(bool).reshape(points.shape[:-1])


def _wide_cones(platform: Platform) -> bool:
    """The cosine of every cone's half angle tells angles apart to far less than a margin's rounding."""
    halves = [h for leg in platform.legs for h in (leg.limits.base_cone, leg.limits.platform_cone)]
    return all(h is None or h >= np.pi or np.sin(h) > NARROW for h in halves)


def _inside(points: Array, tables: tuple[Array, ...], engine: str) -> Any:
    """What `workspace_kernel.inside` says, here or on the GPU."""
    if engine == "cuda":
        from gough.analysis.points_card import inside_on_card

        return inside_on_card(points, tables)
    out = np.empty(len(points), dtype=np.uint8)
    kernels().inside(points, *tables, out)
    return out


def _clear(platform: Platform, R: Array, points: Array, out: Any) -> None:
    """Take out the points at which a leg is too near a body with a shape (on this processor, whatever the engine)."""
    for kind, need in needed_clearances(platform).items():
        from gough.analysis.plate_kernel import clear_points

        plate = plate_of(platform, kind)
        assert plate is not None
        arms = np.ascontiguousarray(platform.platform_joints @ R.T)
        body = np.ascontiguousarray(R), tuple(plate_table(plate)), kind == CLEARANCES[0]
        clear_points(points, platform.base_joints, arms, *body, need, plate.spared, out)


def _inside_any(platform: Platform, R: Array, points: Array) -> Any:
    """What `points_kernel.inside_any` says: legs of every kind."""
    from gough.analysis.points_kernel import inside_any

    _, q, low, high, axes, _, pairs, need = _tables(platform, R)
    out = np.empty(len(points), dtype=np.uint8)
    legs = leg_table(platform), joint_table(platform, R), q, low, high
    cones, bodies = _half_cones(platform), (_body(platform, kind) for kind in CLEARANCES)
    inside_any(points, np.array(R), *legs, axes, cones, pairs, need, *bodies, out)
    return out


def joint_table(platform: Platform, R: Array) -> Array:
    """(6, LEG_JOINTS.size) joints of the legs at the orientation R: what `leg_table` does not hold of screws and
    offsets, world axes."""
    rows, turned, offset = np.zeros((6, JOINTS.size)), cylinders(platform), offset_legs(platform)
    if turned is not None:
        i = turned.legs
        rows[i, JOINTS.platform_axis] = turned.platform_axis @ R.T
        rows[i, JOINTS.travel], rows[i, JOINTS.travel_zero] = turned.screw, turned.screw_zero
    if offset is not None:
        i = offset.legs
        rows[i, JOINTS.platform_axis] = offset.platform_axes(R)
        rows[i, JOINTS.below], rows[i, JOINTS.above] = offset.below, offset.above
        rows[i, JOINTS.ball] = offset.ball
    return rows


def _half_cones(platform: Platform) -> Array:
    """(2, 6, 2) sine and cosine of half the half angles of cones at base and platform."""
    out, axes = np.tile([1.0, 0.0], (2, 6, 1)), cone_axes(platform)
    for i, leg in enumerate(platform.legs):
        for side, half in enumerate((leg.limits.base_cone, leg.limits.platform_cone)):
            if half is not None and half < np.pi and not np.isnan(axes[side, i, 0]):
                out[side, i] = np.sin(half / 2), np.cos(half / 2)
    return out


def _body(platform: Platform, kind: str) -> tuple[Any, ...]:
    """A body as `points_kernel.clear_of` takes it; one without shape asks for no distance."""
    on_platform, plate = kind == CLEARANCES[0], plate_of(platform, kind)
    need = needed_clearances(platform).get(kind)
    if plate is None or need is None:
        return (np.zeros((0, 2)), 0.0, 0.0, 0.0, 0.0, 0.0), on_platform, np.full(6, np.nan), 0.0
    corners, *rest = plate_table(plate)
    return (np.array(corners), *rest), on_platform, np.array(need), plate.spared


def rotation_or_home(platform: Platform, rotation: ArrayLike | None) -> Array:
    """The rotation of a workspace: given, or that of the home pose."""
    refuse_links(platform, NO_VOLUME)
    if rotation is None:
        return np.eye(3) if platform.home is None else platform.home.rotation
    return Pose(np.zeros(3), array("rotation", rotation, (3, 3))).rotation


def kernels() -> Any:
    """The compiled functions of workspace_kernel.py, loaded when first asked for."""
    from gough.analysis import workspace_kernel

    return workspace_kernel


def _tables(platform: Platform, R: Array) -> tuple[Array, ...]:
    """Arguments of the kernel for one orientation."""
    q = platform.platform_joints @ R.T
    base, top = cone_axes(platform)
    axes = np.stack([base, -(top @ R.T)])
    low, high = np.full(6, -np.inf), np.full(6, np.inf)
    cosines = np.full((2, 6), -2.0)
    for i, leg in enumerate(platform.legs):
        if leg.limits.stroke is not None:
            low[i], high[i] = leg.limits.stroke
        for side, half in enumerate((leg.limits.base_cone, leg.limits.platform_cone)):
            if half is not None and half < np.pi and not np.isnan(axes[side, i, 0]):
                cosines[side, i] = np.cos(half)
    need = needed_distances(platform)
    near = ~np.isnan(need)
    return (
        np.ascontiguousarray(platform.base_joints),
        np.ascontiguousarray(q),
        low,
        high,
        np.nan_to_num(axes),
        cosines,
        np.ascontiguousarray(PAIRS.T[near]),
        need[near],
    )
