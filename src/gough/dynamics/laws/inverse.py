"""The way back: motor efforts under which the drives deliver the efforts of a motion.

The load on a gear is known here (the effort less the rotor's inertia), so its friction is, and nothing is solved:
``u = force + c ldot + f``.  Limits are not applied.
"""

from __future__ import annotations

import numpy as np

from gough.checks import Array, InputError
from gough.dynamics.laws import friction, gear, in_use
from gough.dynamics.laws.machine import drive_laws, static_load
from gough.engines.pack import packed
from gough.layout import LEG_LAW
from gough.model import SPS, Platform
from gough.results import LegMotion, Spin
from gough.spatial import Motion


def motor_efforts(
    platform: Platform,
    motion: Motion,
    legs: LegMotion,
    force: Array,
    spin: Spin | None = None,
    spin_acceleration: Array | None = None,
) -> Array:
    """Motor efforts (..., 6) under which the drives deliver `force` (..., 6), no limit applied.

    A motion with times is followed along its last axis: the friction elements at ease and the gears loaded by what
    holds the first pose, as in a simulation that starts there, the loads between samples exact for efforts that are
    linear in time.  Each state of a motion without times slides steadily (`Drive.motor_force`).
    """
    drives = [leg.drive for leg in platform.legs]
    if any(drive is not None and drive.stiffness is not None for drive in drives):
        allowed = "efforts of elastic drives need the motion's fourth derivative: take drives without stiffness"
        raise InputError("drives", True, allowed)
    if motion.time is None or not motion.shape:
        given = (np.moveaxis(a, -1, 0) for a in (force, legs.rate, legs.acceleration))
        each = [
            F if drive is None else drive.motor_force(F, rate, acceleration)
            for drive, F, rate, acceleration in zip(drives, *given, strict=True)
        ]
        return np.stack(each, axis=-1)
    if not (np.diff(motion.time, axis=-1) > 0.0).all():
        allowed = "must increase along the last axis, along which the drives' friction is followed"
        raise InputError("motion.time", "times that do not increase", allowed)
    law = drive_laws(platform)
    through = force - law[LEG_LAW.reflected] * _felt(platform, legs, spin_acceleration)
    first = Motion(motion.position[..., 0, :], motion.rotation[..., 0, :, :])
    if spin is not None:
        spin = Spin(*(np.broadcast_to(a, force.shape)[..., 0, :] for a in (spin.angle, spin.rate)))
    load = static_load(platform, first, spin) if "gear" in in_use(law) else 0.0 * force[..., 0, :]
    rows = [np.moveaxis(a, -2, 0) for a in (force, legs.length, legs.rate, through)]
    periods = np.moveaxis(np.diff(motion.time, axis=-1), -1, 0)[..., None]
    anchor, out = rows[1][0], np.empty(rows[0].shape)
    for k, (wanted, length, rate, F) in enumerate(zip(*rows, strict=True)):
        if k:
            load = _followed(law, load, rows[3][k - 1], F, periods[k - 1])
        dry, (up, down) = friction.dry(law, rate), gear.levels(law, load)
        f, anchor = friction.element(law, length, rate, anchor, dry + up, dry + down)
        out[k] = wanted + law[LEG_LAW.viscous] * rate + f
    return np.moveaxis(out, 0, -2)


def _felt(platform: Platform, legs: LegMotion, spin_acceleration: Array | None) -> Array:
    """Accelerations of the legs as their rotors feel them, (..., 6)."""
    turning = legs.angular_acceleration
    if spin_acceleration is not None:
        spinning = np.array([isinstance(leg, SPS) for leg in platform.legs])
        missing = spin_acceleration - (legs.direction * turning).sum(axis=-1)
        turning = turning + np.where(spinning, missing, 0.0)[..., None] * legs.direction
    each = [
        {
            "acceleration": legs.acceleration[..., i],
            "direction": np.moveaxis(legs.direction[..., i, :], -1, 0),
            "angular_acceleration": np.moveaxis(turning[..., i, :], -1, 0),
        }
        for i in range(6)
    ]
    own = packed(platform, True)
    return np.stack(gear.felt(own.kinds, own.parameters, each), axis=-1)


def _followed(law: Array, load: Array, before: Array, after: Array, period: Array) -> Array:
    """The load of a gear after a period in which its force goes straight from `before` to `after`."""
    r = np.where(law[LEG_LAW.load_rate] > 0.0, law[LEG_LAW.load_rate], 1.0)
    lag = (after - before) / (r * period)
    return after - lag + np.exp(-r * period) * (load - before + lag)
