"""Forces of every model of [Syed] (004) along its six trajectories."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.checks import Array
from gough.formulations import kane
from gough.model import Platform
from gough.reproduce.builders import Forces, as_motion
from gough.spatial import Motion
from gough.trajectory import acceleration_profile

SAMPLES = 201
NAMES = ("x", "y", "z", "rx", "ry", "rz")
TITLES = {
    **{name: f"translation {name}" for name in "xyz"},
    **{f"r{name}": f"rotation about {name}" for name in "xyz"},
}
START = np.array([0.0, 0.0, 0.3])  # m, of every trajectory


def motion_of(machine: Platform, name: str, samples: int) -> Motion:
    """The trajectory that accelerates the coordinate `name`, from the machine's home pose."""
    home, peak = machine.require_home(), 8.0 if name.startswith("r") else 10.0
    start = (home.position, np.zeros(3))
    return acceleration_profile(start, name, peak, 0.1).sample(samples)


@dataclass(frozen=True, eq=False)
class LegAndDriveForces(Forces):
    """`exact` and `printed` are for whole legs without drives; the other models of the paper beside them.

    massless, lower, upper   which leg bodies count, no drive;   driven: whole legs with drive
    printed_drive            the same as printed;   slip: eq 12's sign alone;   rotor: m_r ldd alone
    torque                   at the motors, N m
    """

    massless: Array
    lower: Array
    upper: Array
    driven: Array
    printed_drive: Array
    slip: Array
    rotor: Array
    torque: Array

    @property
    def quarter(self) -> int:
        """Sample of the largest acceleration."""
        return (len(self.time) - 1) // 4

    def share(self, part: Array) -> float:
        """What a model adds to massless legs, percent of the peak."""
        return 100 * float(np.abs(part - self.massless).max()) / self.peak


def leg_and_drive(
    machine: Platform, driven: Platform, name: str, samples: int = SAMPLES
) -> LegAndDriveForces:
    """All models along the trajectory that accelerates the coordinate `name`."""
    motion = as_motion(f"004-{name}").sample(samples)
    leg = {k: kane.inverse_dynamics(machine, motion, legs=k).force for k in kane.LEGS}
    right = kane.inverse_dynamics(driven, motion)
    return LegAndDriveForces(
        motion,
        leg["full"],
        kane.inverse_dynamics(machine, motion, errata={"E004-3"}).force,
        leg["massless"],
        leg["lower"],
        leg["upper"],
        right.force,
        kane.inverse_dynamics(driven, motion, published=True).force,
        kane.inverse_dynamics(driven, motion, errata={"E004-2"}).force,
        right.force - right.extra["transmitted_force"],
        right.extra["motor_torque"],
    )


def leg_mass_matrix(machine: Platform, legs: str) -> Array:
    """Mass matrix for the actuator rates (6, 6) at the start, kg."""
    eq = kane.equations(machine, Motion(START), legs=legs)
    return -eq.in_leg_space().m + eq.drive


def coupling(M: Array) -> tuple[float, float]:
    """Mean of the diagonal of a mass matrix and the largest entry beside it, kg."""
    return float(np.diag(M).mean()), float(np.abs(M - np.diag(np.diag(M))).max())
