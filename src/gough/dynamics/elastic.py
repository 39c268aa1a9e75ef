"""Elastic drives: the machine at rest on its twelve degrees of freedom.

    q       actuator coordinate of the leg;   lam  that of the motor;   y = k (lam - q) + c (lamd - qd)  transmitted
    rest    J^T y = b - wrench,  lam = q + y/k,  the motors give y
docs/derivations/elastic.md
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array, InputError
from gough.dynamics.inverse import inverse_dynamics
from gough.engines.pack import packed
from gough.frozen import hinted
from gough.kinematics.inverse import inverse_kinematics
from gough.links import links, refuse_links
from gough.model import Platform
from gough.results import Result
from gough.spatial import Motion, Pose


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class ElasticRest(Result):
    """A machine that stands on its elastic drives, (..., 6) each, m and N (rad and N m).

    coordinate  lam: where the motors stand;  stretch  ``lam - q``;  force  of the motors, what the springs carry
    """

    coordinate: Array
    stretch: Array
    force: Array


def elastic_rest(
    platform: Platform,
    pose: Pose,
    external: ArrayLike | None = None,
    *,
    engine: str = "native",
) -> ElasticRest:
    """Where the motors of elastic drives stand while they hold a pose against weight, springs and a wrench.

    ``lam = q + y/k`` with the efforts y of `inverse_dynamics` at rest and k of `Drive.stiffness`; a play between motor
    and leg (`Drive.backlash`) lies on the side that pushes.
    """
    refuse_links(platform, "elastic drives at rest are not known")
    if packed(platform).spins:
        why = "legs whose spin is part of the state stand only where it does: not known"
        raise InputError("platform", platform.name, why)
    k = drive_stiffness(platform)
    rest = Motion.at_rest(pose)
    force = inverse_dynamics(platform, rest, external, engine=engine).force
    half = [0.5 * leg.drive.backlash for leg in platform.legs if leg.drive is not None]
    stretch = force / k + np.sign(force) * half
    q = inverse_kinematics(platform, rest, engine=engine).length
    return ElasticRest(q + stretch, stretch, np.array(force))


def drive_stiffness(platform: Platform) -> Array:
    """(6,) of all drives; nothing in the place of fixed links, which have none."""
    held = links(platform).legs
    given = [
        0.0 if i in held else None if leg.drive is None else leg.drive.stiffness
        for i, leg in enumerate(platform.legs)
    ]
    if None in given:
        raise InputError(
            "stiffness", None, "must be given: not every leg has a drive with a stiffness"
        )
    return np.array(given, dtype=float)
