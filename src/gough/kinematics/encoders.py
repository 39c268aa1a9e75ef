"""Actuator coordinates as a controller reads them: ``reading = scale (coordinate - zero) + offset``, leg by leg."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array, kept
from gough.model import CRANKS, Platform


@kept
def _rows(platform: Platform) -> tuple[Array, Array, Array]:
    """(6,) zero, scale, offset."""
    zero, scale, offset = (
        np.array([getattr(leg.encoder, name) for leg in platform.legs], dtype=float)
        for name in ("zero", "scale", "offset")
    )
    return zero, scale, offset


def readings(platform: Platform, length: ArrayLike) -> Array:
    """(..., 6) what the encoders show at actuator coordinates `length` (..., 6), m (rad).

    >>> platform = gough.load("positioner-300")
    >>> length = gough.inverse_kinematics(platform, platform.home).length
    >>> gough.readings(platform, length).shape
    (6,)
    """
    zero, scale, offset = _rows(platform)
    return scale * (np.asarray(length, dtype=float) - zero) + offset


def from_readings(platform: Platform, reading: ArrayLike) -> Array:
    """(..., 6) actuator coordinates, m (rad), at which the encoders show `reading` (..., 6).

    >>> platform = gough.load("positioner-300")
    >>> length = gough.inverse_kinematics(platform, platform.home).length
    >>> bool(abs(gough.from_readings(platform, gough.readings(platform, length)) - length).max() < 1e-12)
    True
    """
    zero, scale, offset = _rows(platform)
    return (np.asarray(reading, dtype=float) - offset) / scale + zero


def reading_units(platform: Platform) -> tuple[str, ...]:
    """What the readings of each leg are called; m or rad where its encoder says nothing."""
    return tuple(
        leg.encoder.unit or ("rad" if isinstance(leg, CRANKS) else "m") for leg in platform.legs
    )
