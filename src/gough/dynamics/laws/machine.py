"""The laws of a machine's six legs as numbers, (rows of LEG_LAW, 6), and the load their gears carry at rest."""

from __future__ import annotations

import numpy as np

from gough.checks import Array
from gough.dynamics.laws import friction, gear, hydraulic, motor, series, stops
from gough.dynamics.laws.stiffness import leg_masses
from gough.engines.evaluate import evaluation
from gough.layout import FORCES, LEG_LAW
from gough.model import Platform
from gough.results import Spin
from gough.spatial import Motion, Pose


def ideal_laws() -> Array:
    """(rows of LEG_LAW, 6): every effort is handed through unchanged."""
    law = np.zeros((LEG_LAW.size, 6))
    law[LEG_LAW.limit] = law[LEG_LAW.voltage_force] = np.inf
    law[LEG_LAW.stribeck] = law[LEG_LAW.grip] = 1.0
    return law


def drive_laws(platform: Platform) -> Array:
    """(rows of LEG_LAW, 6): friction, losses, limits, cylinders of the drives; the legs' force limits and stops."""
    series.check(platform)
    law, share = ideal_laws(), platform.body.mass / 6
    for i, leg in enumerate(platform.legs):
        if leg.limits.force is not None:
            law[LEG_LAW.limit, i] = leg.limits.force
        if leg.limits.stroke is not None:
            stops.fill(law[:, i], leg, leg_masses(platform)[i])
        if leg.drive is not None:
            law[LEG_LAW.reflected, i] = leg.drive.reflected_inertia
            gear.fill(law[:, i], leg, leg.drive)
            motor.fill(law[:, i], leg.drive)
            friction.fill(law[:, i], leg, leg.drive, share)
            series.fill(law[:, i], leg, leg.drive)
            hydraulic.fill(law[:, i], leg, leg.drive)
    return law


def static_load(platform: Platform, pose: Pose | Motion, spin: Spin | None = None) -> Array:
    """(..., 6) efforts that hold a pose at rest; 0 where none do.  The load on every gear before a motion starts."""
    still = Motion(pose.position, pose.rotation)
    if spin is not None:
        spin = Spin(spin.angle, 0.0 * spin.rate)
    with np.errstate(all="ignore"):
        force = evaluation("forces", platform, still, spin, external=None).run("forces")[
            ..., FORCES.effort
        ]
    return np.where(np.isfinite(force), force, 0.0)
