"""Sensors that the loop reads when a controller asks for them, and the noise of all sensors."""

from __future__ import annotations

import numpy as np

from gough.checks import Array
from gough.control.signals import CHANNELS, MORE, Sampling
from gough.layout import STATE
from gough.model import Platform
from gough.simulation import compiled
from gough.simulation.state import Rows


def reading(
    name: str,
    sampling: Sampling,
    sample: int,
    rows: Rows,
    X: Array,
    effort: Array,
    wrench: Array,
    law: Array,
) -> Array:
    """What the sensor `name` (of MORE) reads of states X (rows, n) under efforts and wrench (6, n) and leg laws."""
    n, sensor, width = X.shape[1], sampling.sensor(name), dict(MORE.blocks())[name]
    R = X[STATE.rotation].T.reshape(n, 3, 3)
    if name == "angular_rate":
        true = np.einsum("nji,nj->ni", R, X[STATE.angular_velocity].T)
    else:
        told = compiled.tell(rows.kinds, rows.laws, False, X, effort, wrench, law, rows.par)
        if name == "acceleration":
            free = told["acceleration"].T - rows.platform.gravity
            true = np.einsum("nji,nj->ni", R, free)
        elif name == "force":
            true = told["force"].T
        else:
            true = told["motor"].T / _force_per_ampere(rows.platform)
    read = true + sensor.bias
    if sensor.noise:
        index = CHANNELS.names.index("angular_velocity") + 1 + MORE.names.index(name)
        read = read + sensor.noise * draw(sampling.seed, sample, index, (n, width))
    step = sensor.quantization
    return step * np.rint(read / step) if step else read


def _force_per_ampere(platform: Platform) -> Array:
    """(6,) effort per current of the motors; NaN where a drive does not say."""
    drives = [leg.drive for leg in platform.legs]
    return np.array(
        [
            np.nan if d is None or d.torque_constant is None else d.ratio * d.torque_constant
            for d in drives
        ]
    )


def draw(seed: int, sample: int, channel: int, shape: tuple[int, int]) -> Array:
    """Standard normal numbers of a sensor at a sample; runs first, so that a run's are its own in any batch."""
    key = [seed, sample] if channel == 0 else [seed, sample, channel]
    return np.random.default_rng(key).standard_normal(shape)
