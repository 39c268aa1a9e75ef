"""The same machine in another size, or with its frames somewhere else."""

from __future__ import annotations

from typing import Any

import numpy as np

import gough
from gough.layout import LEG_GEOMETRY as LEG
from gough.spatial import Pose
from gough.struts import CRANK, leg_table

AWAY = np.array([1.0, -0.7, 0.4])  # a skew direction


def scaled(platform: gough.Platform, factor: float, shift: float = 0.0) -> gough.Platform:
    """`factor` times as large, the base frame `shift` (m) away along a skew direction."""
    legs = []
    for leg in platform.legs:
        change: dict[str, Any] = {
            "base": factor * leg.base + shift * AWAY,
            "joint": factor * leg.joint,
        }
        for name in ("length", "arm"):
            if hasattr(leg, name):
                change[name] = factor * getattr(leg, name)
        legs.append(leg.replace(**change))
    return gough.Platform(platform.body, legs, home=moved(platform.require_home(), factor, shift))


def moved(pose: Pose, factor: float, shift: float = 0.0) -> Pose:
    """The pose of the scaled machine."""
    return Pose(factor * pose.position + shift * AWAY, pose.rotation)


def coordinates(platform: gough.Platform, length: np.ndarray, factor: float) -> np.ndarray:
    """Actuator coordinates of the scaled machine: crank angles do not grow."""
    return np.where(leg_table(platform)[:, LEG.kind] == CRANK, length, factor * length)
