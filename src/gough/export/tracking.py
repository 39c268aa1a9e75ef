"""How far a run was from what it should do, and the limits that its efforts and coordinates are seen against."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gough.checks import Array, InputError
from gough.limits import allowed_range
from gough.model import Platform
from gough.spatial import Pose, rotation_log

if TYPE_CHECKING:
    from xarray import Dataset


class Tracking(NamedTuple):
    """Error of the platform's pose at the records, reference minus run, world axes: (K, 3) m and rotation vector, rad;
    NaN after the end of the run."""

    position: Array
    rotation: Array

    def figures(self) -> dict[str, float]:
        """Root-mean-square and largest size of both errors."""
        out = {}
        for name, error, unit in (
            ("position", self.position, "m"),
            ("rotation", self.rotation, "rad"),
        ):
            size = np.linalg.norm(error[np.isfinite(error).all(axis=1)], axis=1)
            out[f"{name}_rms_{unit}"] = float(np.sqrt((size**2).mean()))
            out[f"{name}_max_{unit}"] = float(size.max())
        return out


def tracking(run: Dataset, reference: Any) -> Tracking:
    """The error of a single run to a trajectory (its last pose is held), or to a pose."""
    if "run" in run.dims:
        raise InputError("run", f"{run.sizes['run']} runs", "must be a single run: run.isel(run=0)")
    t = run.time.values
    if isinstance(reference, Pose):
        wanted = reference
    else:
        end = float(getattr(reference, "duration", np.inf))
        each = [reference(float(x)) for x in np.minimum(t, end)]
        wanted = Pose(np.stack([m.position for m in each]), np.stack([m.rotation for m in each]))
    whole = np.isfinite(run.quaternion.values).all(axis=1)
    quaternion = np.where(whole[:, None], run.quaternion.values, (1.0, 0.0, 0.0, 0.0))
    was = Pose.from_quaternion(np.where(whole[:, None], run.position.values, 0.0), quaternion)
    turn = rotation_log(wanted.rotation @ np.swapaxes(was.rotation, -1, -2))
    lost = ~whole[:, None]
    error = np.where(lost, np.nan, wanted.position - was.position)
    return Tracking(error, np.where(lost, np.nan, turn))


def first_pose(run: Dataset) -> Pose:
    """Where a single run started."""
    return Pose.from_quaternion(run.position.values[0], run.quaternion.values[0])


def strokes(platform: Platform) -> Array:
    """(6, 2) ends of the actuator coordinates; infinite where a leg has none."""
    given = [leg.limits.stroke for leg in platform.legs]
    return np.array([(-np.inf, np.inf) if stroke is None else stroke for stroke in given])


def effort_limits(platform: Platform) -> Array:
    """(6,) largest efforts of the motors by the legs' force limits and the drives' currents; infinite without."""
    each = []
    for i, leg in enumerate(platform.legs):
        drive = np.inf if leg.drive is None else leg.drive.max_force
        each.append(min(allowed_range(platform, "force", i)[1], drive))
    return np.array(each)
