"""Reference values of the test program of exported C: states near home and what the library says of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.checks import Array, InputError
from gough.engines.plain import NO_SPIN, machine
from gough.equations.machine import spinning
from gough.export.c_limits import reference_margins
from gough.export.c_plant import PlantParts, start_rows, stepped
from gough.layout import LEG_MOTION, SPIN, STATE
from gough.model import Platform
from gough.orientations import from_rotation
from gough.results import Spin
from gough.spatial import Motion, Pose, rotation_exp

TRIES = 200
SCALES = (0.5, 1.0, 3.0, 5.0)  # of velocities and accelerations, linear and angular
Reference = dict[str, Array]


def references(
    platform: Platform,
    kinds: tuple[str, ...],
    par: Array,
    count: int,
    convention: str,
    plant: PlantParts | None,
    step: float,
) -> list[Reference]:
    """States near home with their efforts, coordinates and rates, and a guess for forward kinematics; angles and
    margins of their poses; of a plant its state there and a step later."""
    home = platform.require_home()  # the test program's states lie around it
    rng = np.random.default_rng(20)
    size, out = platform.characteristic_length, list[Reference]()
    functions = machine(kinds)
    for _ in range(TRIES):
        t = home.position + 0.05 * size * rng.uniform(-1, 1, 3)
        R = rotation_exp(0.05 * rng.uniform(-1, 1, 3)) @ home.rotation
        motion = np.concatenate([t, R.ravel(), *(s * rng.uniform(-1, 1, 3) for s in SCALES)])
        wrench = rng.uniform(-50, 50, 6)
        angle, rate = rng.uniform(-1, 1, 6), rng.uniform(-1, 1, 6)
        spin = np.array(NO_SPIN)
        if spinning(kinds):
            spin = np.stack([np.cos(angle), np.sin(angle), rate], axis=1).ravel()
        x = tuple(np.concatenate([motion, wrench]))
        effort = np.array(functions.forces(x, tuple(spin), functions.unpack(par))[:6])
        legs = np.array(functions.kinematics(x, NO_SPIN, functions.unpack(par)))
        if not (np.isfinite(effort).all() and np.isfinite(legs).all()):
            continue
        legs, pose = legs.reshape(6, LEG_MOTION.size), Pose.trusted(t, R)
        row = {
            "motion": motion,
            "external": wrench,
            "spin": spin,
            "force": effort,
            "coordinate": legs[:, LEG_MOTION.coordinate],
            "rate": legs[:, LEG_MOTION.rate],
            "guess": np.concatenate([home.position, home.rotation.ravel()]),
            "angles": from_rotation(convention, R),
            "margins": reference_margins(platform, pose),
        }
        if plant is not None:
            row |= _plant_rows(platform, plant, par, row, step)
        out.append(row)
        if len(out) == count:
            return out
    raise InputError("home", home.position, "the machine cannot be evaluated around its home pose")


def _plant_rows(
    platform: Platform, plant: PlantParts, par: Array, row: Reference, step: float
) -> dict[str, Any]:
    t, R, v, w = (row["motion"][getattr(STATE, name)] for name in STATE.names)
    motion = Motion.trusted(t, R.reshape(3, 3), v, w)
    spin = None
    if spinning(plant.kinds):
        each = row["spin"].reshape(6, SPIN.size)
        angle = np.arctan2(each[:, SPIN.sine], each[:, SPIN.cosine])
        spin = Spin(angle, each[:, SPIN.rate])
    start = start_rows(platform, plant, motion, spin)
    return {
        "start": start,
        "step": stepped(plant, par, start, row["force"], row["external"], step),
    }
