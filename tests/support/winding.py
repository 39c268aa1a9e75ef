"""A machine whose legs are wound up by a motion that passes no singular pose."""

from __future__ import annotations

import numpy as np

import gough
from gough.checks import Array
from gough.model import UCU, Platform
from gough.spatial import Motion, rotation_exp

LEAN, TILT = 0.2, 0.35  # rad from the strut to the platform's axis; rad of the precession


def winding() -> Platform:
    """The screw hexapod with first axes at the platform that lie near the struts: a small tilt carries them around."""
    preset = gough.load("screw-hexapod")
    home, legs = preset.require_home(), []
    for leg in preset.legs:
        assert isinstance(leg, UCU)
        s = home.position + home.rotation @ leg.joint - leg.base
        s = s / np.linalg.norm(s)
        across = np.cross(s, leg.axis)
        axis = np.cos(LEAN) * s + np.sin(LEAN) * across / np.linalg.norm(across)
        legs.append(leg.replace(platform_axis=home.rotation.T @ axis))
    return preset.replace(legs=tuple(legs))


def precession(
    platform: Platform, angle: Array, rate: Array, acceleration: Array, time: Array
) -> Motion:
    """The platform leans by TILT towards the direction `angle` (rad), which turns with `rate` and `acceleration`.

    ``R = Rz(a) Rx(TILT) Rz(-a)`` turns with ``rate (z - R z)``, and ``R z`` with ``rate z`` about the vertical.
    """
    a, w, al = (np.asarray(x, dtype=float)[..., None] for x in (angle, rate, acceleration))
    n, z = np.concatenate([np.cos(a), np.sin(a), 0 * a], axis=-1), np.array([0.0, 0.0, 1.0])
    R = rotation_exp(TILT * n)
    up = R @ z
    still = np.zeros(R.shape[:-1])
    place = np.broadcast_to(platform.require_home().position, still.shape)
    spin = al * (z - up) - w * w * np.cross(z, up)
    return Motion(place, R, still, w * (z - up), still, spin, time=time)
