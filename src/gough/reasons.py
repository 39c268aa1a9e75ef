"""Why a pose cannot be taken: reach, dead points and universal-joint singularities, leg by leg, with a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array
from gough.layout import LEG_GEOMETRY as LEG
from gough.spatial import Pose
from gough.struts import (
    CRANK,
    OFFSET,
    SCREW,
    SLIDER,
    STRUT,
    Struts,
    crank_balance,
    cross,
    leg_table,
    struts,
    universal_axes,
)

if TYPE_CHECKING:
    from gough.model import Platform

SINGULAR = 1e-6  # sine of the smallest angle between strut and universal axis, and of the dead-point angles
TOUCHING = 1e-12  # m: joints, or joint and shaft, that coincide

_SENTENCES = (
    "",
    "base and platform joint coincide",
    "out of reach: the platform joint is {distance:.6g} m from the rail, the link is {length:.6g} m",
    "the link is perpendicular to the rail (rail singularity)",
    "the platform joint lies on the shaft axis: the crank angle is undetermined",
    "out of reach: the rod is too short to bridge crank tip and platform joint",
    "out of reach: the rod is too long, the platform joint is too near the shaft",
    "the rod lies in the plane of shaft and crank arm (dead point)",
    "the strut lies along the universal joint's first axis (universal-joint singularity)",
    "the strut lies along the first axis of its universal joint at the platform (universal-joint singularity)",
    "its universal joints, whose axes do not meet, cannot close on the platform joint: the strut would lie at or "
    "beyond a first axis, or the joints are nearer than their offsets",
    "the pose is not made of finite numbers",
)
(
    FINE,
    COINCIDENT,
    FAR_FROM_RAIL,
    ACROSS_RAIL,
    ON_SHAFT,
    ROD_SHORT,
    ROD_LONG,
    DEAD_POINT,
    ALONG_AXIS,
    ALONG_PLATFORM_AXIS,
    NOT_CLOSED,
    NOT_FINITE,
) = range(len(_SENTENCES))


def problems(platform: Platform, g: Struts) -> NDArray[np.intp]:
    """(..., 6) what is wrong with each leg (`FINE` = 0: nothing), its first trouble in the order of the names above."""
    table = leg_table(platform)
    kind = table[:, LEG.kind]
    slider, crank = kind == SLIDER, kind == CRANK
    D, N = crank_balance(platform, g.end)
    with np.errstate(invalid="ignore"):
        along = universal_singular(platform, g.coordinate, g.direction)
        blunt = np.abs(g.lever) < SINGULAR
        causes = (
            (~np.isfinite(g.end).all(axis=-1), NOT_FINITE),
            (coincident(platform, g.coordinate), COINCIDENT),
            (np.isin(kind, (SCREW, OFFSET)) & (_span(g) < TOUCHING), COINCIDENT),
            ((kind == OFFSET) & np.isnan(g.coordinate), NOT_CLOSED),
            (slider & np.isnan(g.coordinate), FAR_FROM_RAIL),
            (slider & blunt, ACROSS_RAIL),
            (crank & (N < TOUCHING), ON_SHAFT),
            (crank & np.isnan(g.coordinate) & (D > 0.0), ROD_SHORT),
            (crank & np.isnan(g.coordinate), ROD_LONG),
            (crank & blunt, DEAD_POINT),
            (along, ALONG_AXIS),
            (platform_singular(g.platform_axes, g.direction), ALONG_PLATFORM_AXIS),
        )
    return np.select([where for where, _ in causes], [code for _, code in causes], FINE)


def _span(g: Struts) -> Array:
    return np.sqrt(((g.end - g.start) ** 2).sum(axis=-1))


def coincident(platform: Platform, coordinate: Array) -> NDArray[np.bool_]:
    """(..., 6) UPS, SPS and UCU legs (without a screw) whose joints coincide: their direction is rounding."""
    return (leg_table(platform)[:, LEG.kind] == STRUT) & (coordinate < TOUCHING)


def universal_singular(
    platform: Platform, coordinate: Array, direction: Array
) -> NDArray[np.bool_]:
    """(..., 6) legs whose strut lies along their universal joint's first axis."""
    lean = cross(universal_axes(platform, coordinate), direction)
    ball = (leg_table(platform)[:, LEG.axis] == 0.0).all(axis=-1)
    return ((lean * lean).sum(axis=-1) < SINGULAR**2) & ~ball


def platform_singular(axes: Array | None, direction: Array) -> NDArray[np.bool_]:
    """(..., 6) legs whose strut lies along the first axis (..., 6, 3) of a universal joint at the platform."""
    if axes is None:
        return np.zeros(direction.shape[:-1], dtype=bool)
    lean = cross(axes, direction)
    ball = (axes == 0.0).all(axis=-1)
    return ((lean * lean).sum(axis=-1) < SINGULAR**2) & ~ball


def sentence(platform: Platform, code: int, leg: int, end: Array) -> str:
    """The problem `code` of a leg with its platform joint at `end` (3,), in words."""
    row = leg_table(platform)[leg]
    P = end - row[LEG.base]
    distance = float(np.linalg.norm(P - (P @ row[LEG.e]) * row[LEG.e]))
    return _SENTENCES[code].format(distance=distance, length=row[LEG.length])


def pose_problem(platform: Platform, position: Array, rotation: Array) -> str | None:
    """The first leg problem at one pose, with the leg's name, or None."""
    g = struts(platform, Pose.trusted(position, rotation))
    codes = problems(platform, g)
    if not codes.any():
        return None
    leg = int(np.argmax(codes != FINE))
    return f"leg {platform.leg_names[leg]}: {sentence(platform, int(codes[leg]), leg, g.end[leg])}"
