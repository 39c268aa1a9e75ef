"""How much of a cue is felt: models of the inner ear, and the score of a cue by them.

Constants of Reid and Nahon (UTIAS 296, 1985), after Zacharias and others:
    semicircular canals   TL Ta s^2 / ((TL s + 1)(Ta s + 1))      TL roll 6.1, pitch 5.3, yaw 10.2 s; Ta 30 s
    otoliths              K (ta s + 1)/((tL s + 1)(ts s + 1))     K 0.4; ta 13.2, tL 5.33, ts 0.66 s
    thresholds            roll 3.0, pitch 3.6, yaw 2.6 deg/s; surge, sway 0.17, heave 0.28 m/s^2
The canals' short constant of 0.1 s is left out: it lies above what a hexapod moves.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import radians

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array, Frozen, InputError, array
from gough.cueing.filters import Filter, polynomial, transfer
from gough.cueing.recording import GRAVITY, Telemetry
from gough.frozen import hinted
from gough.spatial import Motion

CANALS = (6.1, 5.3, 10.2)
ADAPTATION = 30.0
OTOLITH = {"gain": 0.4, "lead": 13.2, "slow": 5.33, "fast": 0.66}
RATE_THRESHOLD = np.array([radians(3.0), radians(3.6), radians(2.6)])
FORCE_THRESHOLD = np.array([0.17, 0.17, 0.28])
AXES = ("surge", "sway", "heave", "roll", "pitch", "yaw")


def canal(axis: int) -> Filter:
    """Angular rate -> sensed angular rate about roll, pitch or yaw."""
    T = CANALS[axis]
    return transfer([[T * ADAPTATION, 0.0, 0.0]], polynomial([T, 1.0], [ADAPTATION, 1.0]))


def otolith() -> Filter:
    """Specific force -> sensed specific force."""
    o = OTOLITH
    return transfer(
        [[o["gain"] * o["lead"], o["gain"]]], polynomial([o["slow"], 1.0], [o["fast"], 1.0])
    )


def sensed(step: float, force: Array, rate: Array) -> Array:
    """Sensed specific force (its deviation from rest) and angular rate, (n, 6)."""
    felt = otolith().respond(force - np.array([0.0, 0.0, GRAVITY]), step)[0]
    turned = [canal(i).respond(rate[:, i], step)[0] for i in range(3)]
    return np.concatenate([felt, np.stack(turned, axis=-1)], axis=1)


def on_platform(motion: Motion) -> tuple[Array, Array]:
    """Specific force and angular rate of an occupant at the reference point, in platform axes."""
    own = np.swapaxes(motion.rotation, -1, -2)
    up = np.array([0.0, 0.0, GRAVITY])
    force = (own @ (motion.acceleration + up)[..., None])[..., 0]
    return force, (own @ motion.angular_velocity[..., None])[..., 0]


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Score(Frozen):
    """What the occupant misses, axis by axis (surge, sway, heave, roll, pitch, yaw).

    missed     (6,) root mean square of the sensed error, m/s^2 and rad/s
    noticed    (6,) share of the time in which the sensed error exceeds its threshold
    false_cue  (6,) share of the time in which the platform is felt against the vehicle's direction, both above
               threshold
    sensed     (n, 6) in the vehicle;  given (n, 6) on the platform
    """

    missed: Array
    noticed: Array
    false_cue: Array
    sensed: Array
    given: Array

    def __repr__(self) -> str:
        words = (f"{axis} {x:.2g}" for axis, x in zip(AXES, self.missed, strict=True))
        return f"<Score: missed {', '.join(words)} (m/s^2, rad/s)>"


def scaled_vehicle(vehicle: Telemetry, scale: ArrayLike = 1.0) -> tuple[Array, Array]:
    """Specific force (its deviation from rest) and angular rate of a vehicle times `scale`: one number, or six."""
    given = array("scale", scale)
    if given.shape not in ((), (6,)):
        raise InputError("scale", f"shape {given.shape}", "must be one number or six")
    six = np.broadcast_to(given, (6,))
    rest = np.array([0.0, 0.0, GRAVITY])
    return rest + six[:3] * (vehicle.specific_force - rest), six[3:] * vehicle.angular_rate


def score(vehicle: Telemetry, motion: Motion, scale: ArrayLike = 1.0) -> Score:
    """Compare what is felt in the vehicle, times `scale`, with what is felt on the platform at the same times.

    scale  one factor, or one for each of surge, sway, heave, roll, pitch and yaw
    """
    wanted = sensed(vehicle.step, *scaled_vehicle(vehicle, scale))
    found = sensed(vehicle.step, *on_platform(motion))
    threshold = np.concatenate([FORCE_THRESHOLD, RATE_THRESHOLD])
    error = found - wanted
    both = (np.abs(found) > threshold) & (np.abs(wanted) > threshold)
    return Score(
        np.sqrt(np.mean(error**2, axis=0)),
        np.mean(np.abs(error) > threshold, axis=0),
        np.mean(both & (found * wanted < 0.0), axis=0),
        wanted,
        found,
    )
