"""Tables of corrections: what to add to actuator coordinates so that a warm or loaded machine stands where it should.

heat   a uniform temperature rise of base, platform and legs stretches each by ``1 + expansion rise``: base joints
       about the world's origin, platform joints about the reference point, rods and struts along themselves
           (legs with screws or offset joints, whose parts would each need a rise, are refused).  An
       encoder that counts along a warm leg reads ``L/(1 + expansion rise)`` (cranks: the angle, unchanged)
load   a wrench w (N, N m; world axes, about the reference point) displaces the platform by ``K^-1 w``; actuators
       give ``-J K^-1 w`` against it, to first order
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from gough.analysis.stiffness import compliance
from gough.checks import Array, InputError, array, number, six
from gough.frozen import hinted
from gough.kinematics.forward import forward_kinematics
from gough.kinematics.inverse import inverse_kinematics
from gough.kinematics.jacobian import jacobian
from gough.links import refuse_links
from gough.metrology.unknowns import coordinate_unit
from gough.model import CRANKS, SLIDERS, Platform
from gough.offset_legs import off_sphere
from gough.spatial import Pose, rotation_log
from gough.storage import write_whole

LENGTHS = ("length", "arm")  # of rods and cranks
LEAST, MOST = -300.0, 2000.0  # K


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Compensation:
    """Corrections at poses.

    pose     (n,) where the machine should stand
    nominal  (n, 6) coordinates that would bring it there cold and unloaded
    change   (n, 6) to add to them, m (rad for cranks)
    error    (n, 6) where it stands without: translation m, rotation vector rad, world axes
    """

    platform: Platform
    pose: Pose
    nominal: Array
    change: Array
    error: Array

    def write(self, path: str | os.PathLike[str]) -> Path:
        """As a CSV table: pose, coordinates, corrections; complete or not at all."""
        names, legs = self.platform.leg_names, range(6)
        unit = [coordinate_unit(self.platform, i) for i in legs]
        heads = ["x [m]", "y [m]", "z [m]", "roll [rad]", "pitch [rad]", "yaw [rad]"]
        heads += [f"{names[i]} [{unit[i]}]" for i in legs]
        heads += [f"{names[i]} change [{unit[i]}]" for i in legs]
        parts = [self.pose.position, self.pose.rpy, self.nominal, self.change]
        rows = np.concatenate(parts, axis=1).tolist()
        return write_whole(
            path, "\n".join([",".join(heads), *(",".join(map(repr, r)) for r in rows), ""])
        )


def heated(
    platform: Platform,
    *,
    expansion: float,
    base: float = 0.0,
    plate: float = 0.0,
    legs: float | Sequence[float] = 0.0,
) -> tuple[Platform, Array]:
    """The warm machine, and (6,) what its encoders' coordinates must be multiplied by.

    expansion  coefficient, 1/K;   base, plate, legs  rise of temperature, K (legs: one or six)
    """
    if off_sphere(platform):
        raise InputError(
            "platform", "legs with screws or offset joints", "are not served by `heated`"
        )
    alpha = number("expansion", expansion, minimum=0.0)
    rise = np.broadcast_to(six("legs", legs), (6,))
    for name, value in (("base", base), ("plate", plate), *(("legs", x) for x in rise.tolist())):
        if not LEAST <= number(name, value) <= MOST:
            raise InputError(name, value, f"must be a rise of {LEAST:g} to {MOST:g} K")
    below, above, along = (1.0 + alpha * np.asarray(x) for x in (base, plate, rise))
    changed = []
    for leg, stretch in zip(platform.legs, along.tolist(), strict=True):
        new = {"base": leg.base * below, "joint": leg.joint * above}
        for field in fields(leg):
            if field.name in LENGTHS:
                new[field.name] = getattr(leg, field.name) * stretch
        changed.append(leg.replace(**new))
    carried = np.array([isinstance(leg, (*CRANKS, *SLIDERS)) for leg in platform.legs])
    rails = np.array([isinstance(leg, SLIDERS) for leg in platform.legs])
    scale = np.where(rails, below, np.where(carried, 1.0, along))
    return platform.replace(legs=tuple(changed)), scale


def thermal_compensation(
    platform: Platform,
    pose: Pose,
    *,
    expansion: float,
    base: float = 0.0,
    plate: float = 0.0,
    legs: float | Sequence[float] = 0.0,
) -> Compensation:
    """Corrections at poses (n,) of a machine whose parts are warmer than when it was measured; arguments of `heated`.

    Rails belong to the base: their scales stretch with it.
    """
    refuse_links(platform, "thermal_compensation")
    poses = _several(pose)
    warm, scale = heated(platform, expansion=expansion, base=base, plate=plate, legs=legs)
    nominal = inverse_kinematics(platform, poses).length
    wanted = inverse_kinematics(warm, poses).length / scale
    stands = forward_kinematics(warm, nominal * scale, poses, certify=False)
    if not np.isfinite(stands.pose.position).all():
        raise InputError("pose", "one of them", "is not reached by the warm machine")
    turn = rotation_log(stands.pose.rotation @ np.swapaxes(poses.rotation, -1, -2))
    error = np.concatenate([stands.pose.position - poses.position, turn], axis=1)
    return Compensation(platform, poses, nominal, wanted - nominal, error)


def load_compensation(
    platform: Platform, pose: Pose, wrench: ArrayLike, *, stiffness: ArrayLike
) -> Compensation:
    """Corrections at poses (n,) of a machine under a wrench (6,) or (n, 6).

    stiffness  of the legs, one or six, N/m (N m/rad)
    """
    refuse_links(platform, "load_compensation")
    poses = _several(pose)
    w = np.broadcast_to(array("wrench", wrench, (6,)), (len(poses), 6))
    error = (compliance(platform, poses, stiffness=stiffness) @ w[..., None])[..., 0]
    change = -(jacobian(platform, poses) @ error[..., None])[..., 0]
    return Compensation(platform, poses, inverse_kinematics(platform, poses).length, change, error)


def _several(pose: Pose) -> Pose:
    if pose.shape == ():
        return Pose(pose.position[None], pose.rotation[None])
    if len(pose.shape) != 1:
        raise InputError("pose", f"shape {pose.shape}", "must be poses (n,)")
    return pose
