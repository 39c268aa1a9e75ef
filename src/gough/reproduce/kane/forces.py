"""Forces of every model of [Syed] (004) along its six trajectories, and what its statements are about."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array
from gough.formulations import kane
from gough.kinematics.inverse import inverse_kinematics
from gough.model import Platform
from gough.reproduce.builders import Forces, worst
from gough.reproduce.kane.statements import DURATION, NAMES, PEAKS, Observed, X, profile
from gough.spatial import Motion, Pose, rotation_exp

SAMPLES = 101
TITLES = {
    **{name: f"translation {name}" for name in "xyz"},
    **{f"r{name}": f"rotation about {name}" for name in "xyz"},
}
Path = Callable[[ArrayLike], Motion]


def path_of(machine: Platform, name: str, shape: str = "constant") -> Path:
    """The trajectory that accelerates the coordinate `name` from rest at the machine's home pose."""
    home, i = machine.require_home(), NAMES.index(name)
    along = PEAKS[i] * np.eye(3)[i % 3]

    def path(time: ArrayLike) -> Motion:
        t = np.asarray(time, dtype=float)
        x, v, a = (value[..., None] * along for value in profile(shape, t))
        none = np.zeros_like(v)
        if i < 3:
            return Motion(home.position + x, home.rotation, v, none, a, none, t)
        return Motion(home.position, rotation_exp(x) @ home.rotation, none, v, none, a, t)

    return path


def motion_of(
    machine: Platform, name: str, shape: str = "constant", samples: int = SAMPLES
) -> Motion:
    """The same, sampled."""
    return path_of(machine, name, shape)(np.linspace(0.0, DURATION, samples))


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
    def middle(self) -> int:
        """Sample in the middle of the trajectory."""
        return len(self.time) // 2

    def share(self, part: Array) -> float:
        """What a model adds to massless legs, percent of the peak."""
        return 100 * float(np.abs(part - self.massless).max()) / self.peak


def leg_and_drive(machine: Platform, driven: Platform, name: str) -> LegAndDriveForces:
    """All models along the trajectory that accelerates the coordinate `name`."""
    motion = motion_of(machine, name)
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


def observed(machine: Platform, reflected: float, shape: str = "constant") -> Observed:
    """What the statements are about, by Kane's formulation; `machine` without its drives, `reflected` kg each."""
    paths = [motion_of(machine, name, shape, 41) for name in NAMES]
    force = {
        part: np.stack([kane.inverse_dynamics(machine, m, legs=part).force for m in paths])
        for part in kane.LEGS
    }
    still = Motion.at_rest(paths[0].pose)
    rest = {
        part: kane.inverse_dynamics(machine, still, legs=part).force
        for part in ("full", "massless")
    }
    legs = [inverse_kinematics(machine, m) for m in paths]
    return Observed(
        shape,
        massless=force["massless"],
        lower=force["lower"],
        upper=force["upper"],
        weight=rest["full"] - rest["massless"],
        rate=np.stack([leg.rate for leg in legs]),
        acceleration=np.stack([leg.acceleration for leg in legs]),
        mass=leg_mass_matrix(machine, "full"),
        reflected=np.asarray(reflected),
    )


def dependence(machine: Platform) -> dict[str, float]:
    """How much what the legs add along x changes, percent of its largest.

    start_changes   with a start aside by a tenth of the height;   path_changes   with y in place of x
    """
    home = machine.require_home()
    aside = Pose(home.position + 0.1 * home.position[2] * np.eye(3)[X], home.rotation)
    here = _added(machine, "x")
    there, other = _added(machine.replace(home=aside), "x"), _added(machine, "y")
    size = float(np.abs(here).max()) / 100
    return {"start_changes": worst(here, there) / size, "path_changes": worst(here, other) / size}


def _added(machine: Platform, name: str) -> Array:
    """What the legs add to the forces (times, 6), N."""
    motion = motion_of(machine, name, samples=11)
    full, none = (
        kane.inverse_dynamics(machine, motion, legs=part, drive=False).force
        for part in ("full", "massless")
    )
    return full - none


def leg_mass_matrix(machine: Platform, legs: str) -> Array:
    """Mass matrix for the actuator rates (6, 6) at the start, kg."""
    eq = kane.equations(machine, Motion.at_rest(machine.require_home()), legs=legs)
    return -eq.in_leg_space().m + eq.drive


def coupling(M: Array) -> tuple[float, float]:
    """Mean of the diagonal of a mass matrix and the largest entry beside it, kg."""
    return float(np.diag(M).mean()), float(np.abs(M - np.diag(np.diag(M))).max())
