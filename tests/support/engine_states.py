"""Inputs of machine functions and the relative difference of their outputs."""

from __future__ import annotations

import numpy as np

from gough.engines import native
from oracles.machines import Case


def blocks_of(c: Case, function: str, kinds: tuple[str, ...]) -> list[np.ndarray]:
    """(N, width) inputs of a machine function."""
    m, n = c.motion, len(c.external)
    spin = np.stack([np.cos(c.spin_angle), np.sin(c.spin_angle), c.spin_rate], axis=-1).reshape(
        n, 18
    )
    given = {
        "position": m.position,
        "rotation": m.rotation.reshape(n, 9),
        "velocity": m.velocity,
        "angular_velocity": m.angular_velocity,
        "acceleration": m.acceleration,
        "angular_acceleration": m.angular_acceleration,
        "external": c.external,
        "effort": 3.0 * c.external,
        "spin": spin,
        "drive_rate": 0.02 * c.external,
        "drive_acceleration": 2.0 * c.external,
        "push": np.roll(c.external, 1, axis=0),
        "base_moments": np.tile(c.external, 3) * np.linspace(-0.1, 0.2, 18),
        "platform_moments": np.tile(c.external, 3) * np.linspace(0.3, -0.1, 18),
        "base_position": 0.3 * m.velocity,
        "base_rotation": np.roll(m.rotation, 1, axis=0).reshape(n, 9),
        "base_velocity": 0.5 * m.acceleration,
        "base_angular_velocity": np.roll(m.angular_velocity, 1, axis=0),
        "base_acceleration": np.roll(m.acceleration, 1, axis=0),
        "base_angular_acceleration": np.roll(m.angular_acceleration, 1, axis=0),
    }
    return [given[name] for name, _ in native.inputs_of(function, kinds)]


def relative(found: np.ndarray, wanted: np.ndarray) -> float:
    """Largest difference of each output over its largest value in the batch."""
    size = np.abs(wanted).max(axis=0)
    return float((np.abs(found - wanted) / np.where(size > 0, size, 1.0)).max())
