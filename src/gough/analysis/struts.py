"""Where every strut is, for any number of poses at once: the geometry behind limits and workspace.

Unlike `gough.inverse_kinematics` nothing is raised for a pose that a leg cannot reach: `reachable` is False
there and the numbers of that leg are NaN, so that a whole grid can be asked in one call.

    P     (..., 3)  platform joint from the leg's base point, world axes          m
    e               rail (PUS) or shaft (RUS) direction                           -
    start, end      strut end points: base side (slider, crank tip) and platform  m
Source: docs/derivations/exact.md, inverse kinematics of the four leg types.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.checks import Array
from gough.model import PUS, RUS, Leg, Platform
from gough.spatial import Motion, Pose


@dataclass(frozen=True, eq=False)
class Struts:
    """Strut geometry of the six legs.

    coordinate  (..., 6) actuator coordinate, m (rad for a crank)
    start, end  (..., 6, 3) base-side and platform-side ends of the strut, world axes, m
    direction   (..., 6, 3) unit vector from start to end
    lever       (..., 6) how well the actuator drives the strut: 1 (UPS, SPS), s.e (PUS), eta / |arm| (RUS)
    reachable   (..., 6) bool
    """

    coordinate: Array
    start: Array
    end: Array
    direction: Array
    lever: Array
    reachable: np.ndarray


def struts(platform: Platform, pose: Pose | Motion) -> Struts:
    """Strut geometry at `pose` (any batch shape); legs out of reach give NaN and ``reachable = False``."""
    end = pose.position[..., None, :] + platform.platform_joints @ np.swapaxes(pose.rotation, -1, -2)
    start = np.broadcast_to(platform.base_joints, end.shape)
    span = end - start
    with np.errstate(invalid="ignore", divide="ignore"):
        coordinate = np.sqrt((span * span).sum(axis=-1))
        lever = np.ones_like(coordinate)
        driven = [i for i, leg in enumerate(platform.legs) if isinstance(leg, (PUS, RUS))]
        if driven:
            start = start.copy()
            for i in driven:
                coordinate[..., i], start[..., i, :], lever[..., i] = _one(platform.legs[i], span[..., i, :])
            span = end - start
        direction = span / np.sqrt((span * span).sum(axis=-1, keepdims=True))
    reachable = np.isfinite(coordinate) & np.isfinite(direction).all(axis=-1)
    return Struts(coordinate, start, end, direction, lever, reachable)


def _one(leg: Leg, P: Array) -> tuple[Array, Array, Array]:
    """Actuator coordinate, strut start and lever of a slider or crank leg."""
    return _slider(leg, P) if isinstance(leg, PUS) else _crank(leg, P)  # type: ignore[arg-type]


def _slider(leg: PUS, P: Array) -> tuple[Array, Array, Array]:
    """``l = P.e - sigma sqrt((P.e)^2 - P.P + length^2)``, sigma the sign of ``s.e``."""
    along = P @ leg.rail
    root = np.sqrt(along**2 - (P * P).sum(axis=-1) + leg.length**2)
    coordinate = along - leg.assembly * root
    return coordinate, leg.base + coordinate[..., None] * leg.rail, leg.assembly * root / leg.length


def _crank(leg: RUS, P: Array) -> tuple[Array, Array, Array]:
    """``cos th = (A D - B X)/N^2, sin th = (B D + A X)/N^2, X = elbow sqrt(N^2 - D^2)``."""
    e, u0 = leg.shaft, leg.arm
    h = float(e @ u0)
    u = u0 - h * e
    n = np.cross(e, u)
    A, B = P @ u, P @ n
    D = ((P * P).sum(axis=-1) + u0 @ u0 - leg.length**2) / 2 - h * (P @ e)
    N2 = A * A + B * B
    X = leg.elbow * np.sqrt(N2 - D * D)
    cos, sin = (A * D - B * X) / N2, (B * D + A * X) / N2
    tip = leg.base + h * e + cos[..., None] * u + sin[..., None] * n
    rho = float(np.linalg.norm(u))
    return np.arctan2(sin, cos), tip, -X / (leg.length * rho)
