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
from functools import lru_cache

import numpy as np

from gough.checks import Array
from gough.model import PUS, RUS, Platform
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
        for table, solve in ((_sliders(platform), _slide), (_cranks(platform), _turn)):
            if table is not None:
                i = table["leg"]
                start = start.copy()
                coordinate[..., i], start[..., i, :], lever[..., i] = solve(table, span[..., i, :])
        span = end - start
        direction = span / np.sqrt((span * span).sum(axis=-1, keepdims=True))
    reachable = np.isfinite(coordinate) & np.isfinite(direction).all(axis=-1)
    return Struts(coordinate, start, end, direction, lever, reachable)


@lru_cache(maxsize=64)
def _sliders(platform: Platform) -> dict[str, np.ndarray] | None:
    """Numbers of the PUS legs, stacked; None when there are none."""
    legs = [(i, leg) for i, leg in enumerate(platform.legs) if isinstance(leg, PUS)]
    if not legs:
        return None
    return {"leg": np.array([i for i, _ in legs]), "base": np.array([leg.base for _, leg in legs]),
            "rail": np.array([leg.rail for _, leg in legs]), "length": np.array([leg.length for _, leg in legs]),
            "sign": np.array([float(leg.assembly) for _, leg in legs])}


def _slide(legs: dict[str, np.ndarray], P: Array) -> tuple[Array, Array, Array]:
    """``l = P.e - sigma sqrt((P.e)^2 - P.P + length^2)``, sigma the sign of ``s.e``."""
    along = (P * legs["rail"]).sum(axis=-1)
    root = legs["sign"] * np.sqrt(along**2 - (P * P).sum(axis=-1) + legs["length"] ** 2)
    coordinate = along - root
    return coordinate, legs["base"] + coordinate[..., None] * legs["rail"], root / legs["length"]


@lru_cache(maxsize=64)
def _cranks(platform: Platform) -> dict[str, np.ndarray] | None:
    """Numbers of the RUS legs, stacked: u the arm across the shaft, n = e x u, h its height along the shaft."""
    legs = [(i, leg) for i, leg in enumerate(platform.legs) if isinstance(leg, RUS)]
    if not legs:
        return None
    e, arm = np.array([leg.shaft for _, leg in legs]), np.array([leg.arm for _, leg in legs])
    h = (e * arm).sum(axis=-1)
    u = arm - h[:, None] * e
    return {"leg": np.array([i for i, _ in legs]), "e": e, "h": h, "u": u, "n": np.cross(e, u),
            "foot": np.array([leg.base for _, leg in legs]) + h[:, None] * e,
            "length": np.array([leg.length for _, leg in legs]), "arm2": (arm * arm).sum(axis=-1),
            "rho": np.sqrt((u * u).sum(axis=-1)), "sign": np.array([float(leg.elbow) for _, leg in legs])}


def _turn(legs: dict[str, np.ndarray], P: Array) -> tuple[Array, Array, Array]:
    """``cos th = (A D - B X)/N^2, sin th = (B D + A X)/N^2, X = elbow sqrt(N^2 - D^2)``."""
    A, B, along = ((P * legs[name]).sum(axis=-1) for name in ("u", "n", "e"))
    D = ((P * P).sum(axis=-1) + legs["arm2"] - legs["length"] ** 2) / 2 - legs["h"] * along
    N2 = A * A + B * B
    X = legs["sign"] * np.sqrt(N2 - D * D)
    cos, sin = (A * D - B * X) / N2, (B * D + A * X) / N2
    tip = legs["foot"] + cos[..., None] * legs["u"] + sin[..., None] * legs["n"]
    return np.arctan2(sin, cos), tip, -X / (legs["length"] * legs["rho"])
