"""Half-meter machines of every leg type for the forward-kinematics tests."""

from __future__ import annotations

import numpy as np

import gough
from gough.spatial import Pose, rotation_exp

HOME = Pose([0.02, -0.01, 0.55])


def joints(radius: float, pair: float, offset: float) -> np.ndarray:
    """Six points on a circle in pairs, angles in degrees."""
    angle = np.radians([k * 120.0 + offset + side * pair for k in range(3) for side in (-1, 1)])
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), 0 * angle], axis=1)


def machine(kind: str) -> gough.Platform:
    """A 0.5 m hexapod with legs of one type (or a mixture), slightly irregular."""
    rng = np.random.default_rng(5)
    base = joints(0.5, 12.0, 0.0) + rng.normal(scale=0.01, size=(6, 3))
    top = np.roll(joints(0.3, 15.0, 60.0), 1, axis=0) + rng.normal(scale=0.01, size=(6, 3))
    kinds = ["UPS", "SPS", "PUS", "RUS", "PUS", "RUS"] if kind == "mixed" else [kind] * 6
    legs: list[gough.model.Leg] = []
    for i, name in enumerate(kinds):
        b, p = base[i], top[i]
        if name == "UPS":
            legs.append(gough.UPS(base=b, joint=p, axis=[0, 1, 0]))
        elif name == "SPS":
            legs.append(gough.SPS(base=b, joint=p))
        elif name == "PUS":
            legs.append(
                gough.PUS(base=b, rail=[0.1, 0.05 * i, 1], joint=p, axis=[0, 1, 0], length=0.65)
            )
        else:
            radial = b / np.linalg.norm(b)
            shaft = np.cross([0, 0, 1.0], radial) + 0.1 * rng.normal(size=3)
            legs.append(
                gough.RUS(
                    base=b,
                    shaft=shaft,
                    arm=0.2 * radial + 0.02 * rng.normal(size=3),
                    joint=p,
                    axis=[0.3, 1, 0],
                    length=0.62,
                    elbow=1 if i % 2 else -1,
                )
            )
    return gough.Platform(gough.Body(1.0), legs, home=HOME, name=kind)


def poses(n: int, shift: float = 0.05, turn: float = 0.25, seed: int = 0) -> Pose:
    """Random poses around home."""
    rng = np.random.default_rng(seed)
    position = HOME.position + rng.uniform(-shift, shift, (n, 3))
    return Pose(position, rotation_exp(rng.uniform(-turn, turn, (n, 3))))


KINDS = ["UPS", "SPS", "PUS", "RUS", "mixed"]
