"""Machines for the assembly tests: published sets and random architectures."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

import gough

DATA = Path(__file__).parents[1] / "data"


def hexapod(base: np.ndarray, joint: np.ndarray, **more: object) -> gough.Platform:
    """A massless machine with UPS legs."""
    legs = [
        gough.UPS(base=b, joint=p, axis=[0.9, 0.3, 0.1]) for b, p in zip(base, joint, strict=True)
    ]
    return gough.Platform(gough.Body(1.0), legs, **more)  # type: ignore[arg-type]


def published(name: str) -> tuple[gough.Platform, np.ndarray, dict]:
    """Machine, lengths and solutions of a data file."""
    d = json.loads((DATA / f"{name}.json").read_text())
    return hexapod(np.array(d["base"]), np.array(d["platform"])), np.array(d["leg_lengths"]), d


def pairs(radius: float, half: float, offset: float) -> np.ndarray:
    """Six points on a circle in three pairs, angles in degrees."""
    angle = np.radians([120.0 * k + offset + side * half for k in range(3) for side in (-1, 1)])
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), 0 * angle], axis=1)


def random_machine(kind: str, rng: np.random.Generator) -> gough.Platform:
    """Machines of one architecture; sizes around 1 m."""
    b, p = rng.normal(size=(6, 3)), rng.normal(size=(6, 3))
    if kind == "semi-regular":
        half = rng.uniform(5, 40)
        other = rng.uniform(5, 40)
        if abs(half + other - 60) < 1:  # similar hexagons: architecturally singular
            other -= 2
        b, p = pairs(1.0, half, 0.0), np.roll(pairs(rng.uniform(0.3, 1.0), other, 60.0), 1, axis=0)
    elif kind == "3-3":
        b, p = pairs(1.0, 0.0, 0.0), np.roll(pairs(rng.uniform(0.3, 1.0), 0.0, 60.0), 1, axis=0)
    elif kind in ("6-3", "6-4", "6-5"):
        for k in range(6 - int(kind[-1])):
            p[2 * k + 1] = p[2 * k]
    elif kind == "planar":
        b[:, 2] = p[:, 2] = 0.0
    elif kind == "hexagon on a triangle":
        b, p = (
            pairs(1.0, rng.uniform(5, 40), 0.0),
            np.roll(pairs(rng.uniform(0.3, 1.0), 0.0, 60.0), 1, axis=0),
        )
    return hexapod(b, p)
