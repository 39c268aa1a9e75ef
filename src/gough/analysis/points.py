"""Which positions are within all limits at one orientation: compiled for struts, sliders, cranks; vectorized for all.

`points_inside` answers yes or no for any number of positions; `gough.limits.check` says why not.
Leg-leg distance and the clearance of bodies are included, as in `check`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array, InputError, array
from gough.clearances import CLEARANCES, needed_clearances, plate_of
from gough.layout import LEG_GEOMETRY as LEG
from gough.limits import check, cone_axes, needed_distances
from gough.links import refuse_links
from gough.model import Platform
from gough.plates import plate_table
from gough.spatial import Pose
from gough.struts import CRANK, PAIRS, SLIDER, STRUT, leg_table, lengths_only

BLOCK = 50_000  # positions checked at once by the vectorized route
ROUTES = ("compiled", "vectorized")
ENGINES = ("native", "cuda")


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
    route     "compiled" (not for screws and offset joints, nor for sliders and cranks beside bodies with shapes) or
              "vectorized"; default: the compiled one where it exists
    engine    "native", or "cuda": legs driven along their length on an NVIDIA GPU, with the same answers
    """
    points = array("positions", positions, (3,))
    R = rotation_or_home(platform, rotation)
    struts_only, serves = lengths_only(platform), _compiles(platform)
    route = route or ("compiled" if serves else "vectorized")
    if route not in ROUTES or (route == "compiled" and not serves):
        allowed = "must be vectorized, or compiled for legs without screws and offset joints"
        raise InputError(
            "route", route, f"{allowed}{'' if struts_only else ' and bodies without shapes'}"
        )
    if engine not in ENGINES or (engine == "cuda" and not (route == "compiled" and struts_only)):
        allowed = "must be native, or cuda for the compiled route (legs driven along their length)"
        raise InputError("engine", engine, allowed)
    flat = np.ascontiguousarray(points.reshape(-1, 3))
    if route == "compiled" and not struts_only:
        _, *tables = _tables(platform, R)
        out = np.empty(len(flat), dtype=np.uint8)
        kernels().inside_carried(flat, leg_table(platform), *tables, out)
        return out.astype(bool).reshape(points.shape[:-1])
    if route == "compiled":
        out = _inside(flat, _tables(platform, R), engine)
        _clear(platform, R, flat, out)
        return out.astype(bool).reshape(points.shape[:-1])
    parts = [check(platform, Pose(flat[i : i + BLOCK], R)).ok for i in range(0, len(flat), BLOCK)]
    return (np.concatenate(parts) if parts else np.zeros(0, dtype=bool)).reshape(points.shape[:-1])


def _compiles(platform: Platform) -> bool:
    """Whether the compiled route serves the machine."""
    if lengths_only(platform):
        return True
    plain = np.isin(leg_table(platform)[:, LEG.kind], (STRUT, SLIDER, CRANK)).all()
    return bool(plain) and not needed_clearances(platform)


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
            if half is not None and not np.isnan(axes[side, i, 0]):
                cosines[side, i] = np.cos(min(half, np.pi))
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
