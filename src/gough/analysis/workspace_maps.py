"""What a machine is worth where it can be moved to: condition, stiffness, payload, accuracy, margin over a joined part.

    condition   ratio of the extreme singular values of H over the characteristic length (analysis/singularity.py)
    stiffness   N/m, of the softest direction: ``1/max eig`` of the translational block of the compliance, actuators
                held, without the geometric part of the operating forces (analysis/stiffness.py, `preload=False`)
    accuracy    m, standard deviation of the position along its worst direction from that of the actuators
                (analysis/sensitivity.py: `error_budget`)
    payload     kg, the largest mass at a point of the platform that the legs hold at rest within their largest efforts;
                efforts are ``f0 + m f1``, so each leg allows an interval of m.  0: not even the platform is held
    margin      share of the allowed range that is left to the nearest limit of all legs and kinds (gough/limits.py)
Values belong to the centers of cells; between them nothing is looked at, and no extreme of a map is proved.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gough.analysis.connected import REACHED, ReachableVolume
from gough.analysis.sensitivity import error_budget
from gough.analysis.singularity import singularity
from gough.analysis.stiffness import compliance
from gough.checks import Array, InputError, array, six
from gough.dynamics import inverse_dynamics
from gough.frozen import hinted
from gough.layout import TWIST
from gough.limits import allowed_range, check
from gough.model import Platform
from gough.results import Result
from gough.spatial import Pose
from gough.struts import struts

UNITS = {"condition": "1", "stiffness": "N/m", "accuracy": "m", "payload": "kg", "margin": "1"}
LARGE_IS_GOOD = ("stiffness", "payload", "margin")
BLOCK = 20_000  # poses at once


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class WorkspaceMap(Result):
    """A quantity over the cells that are joined with the start.

    quantity, unit  what, and in what unit
    values          (n, n, n) at the centers of cells; NaN where a cell is not joined
    worst, best     least and most wanted of the values;  worst_at, best_at: (3,) where, m, world axes
    box             (2, 3) corners of the grid of cells, m
    """

    quantity: str
    unit: str
    values: Array
    worst: float
    best: float
    worst_at: Array
    best_at: Array
    box: Array

    @property
    def spacing(self) -> Array:
        """(3,) sides of a cell, m."""
        return (self.box[1] - self.box[0]) / self.values.shape

    @property
    def axes(self) -> tuple[Array, ...]:
        """Centers of the cells along x, y and z, m."""
        steps = zip(self.box[0], self.spacing, self.values.shape, strict=True)
        return tuple(low + (np.arange(n) + 0.5) * step for low, step, n in steps)

    def sentence(self) -> str:
        """The extremes in words."""
        where = " ".join(f"{x:.4g}" for x in self.worst_at)
        size = " x ".join(f"{1e3 * x:.3g}" for x in self.spacing)
        return (
            f"{self.quantity}: {self.worst:.5g} to {self.best:.5g} {self.unit} at the centers of "
            f"{int(np.isfinite(self.values).sum())} cells of {size} mm, worst at {where} m; "
            "not proved between them"
        )


def workspace_map(
    platform: Platform,
    part: ReachableVolume,
    quantity: str,
    *,
    stiffness: ArrayLike | None = None,
    actuator: ArrayLike | None = None,
    center: ArrayLike | None = None,
) -> WorkspaceMap:
    """A map of `quantity` (condition, stiffness, accuracy, payload, margin) over the joined cells of `part`.

    stiffness  of the legs, N/m (N m/rad): one number or six; for stiffness
    actuator   standard deviations of the actuators, m (rad): one number or six; for accuracy
    center     (3,) mass center of the payload, platform axes, m (default: the reference point); for payload
    """
    given = {"stiffness": stiffness, "accuracy": actuator}
    if quantity not in UNITS:
        raise InputError("quantity", quantity, f"must be one of {', '.join(UNITS)}")
    if quantity in given and given[quantity] is None:
        field = "stiffness" if quantity == "stiffness" else "actuator"
        raise InputError(field, None, f"must be given for a map of {quantity}")
    measures: dict[str, Callable[[Pose], Array]] = {
        "condition": lambda pose: singularity(platform, pose).condition,
        "stiffness": lambda pose: _softest(platform, pose, six("stiffness", stiffness)),
        "accuracy": lambda pose: _least_sure(platform, pose, six("actuator", actuator)),
        "payload": lambda pose: held_mass(platform, pose, _center(center)),
        "margin": lambda pose: _nearest_limit(platform, pose),
    }
    joined = np.argwhere(part.cells >= REACHED)
    if not len(joined):
        raise InputError("part", "no cells", "must have some that are joined with its start")
    size = (part.box[1] - part.box[0]) / part.cells.shape
    at = part.box[0] + (joined + 0.5) * size
    poses = [Pose(at[k : k + BLOCK], part.start.rotation) for k in range(0, len(at), BLOCK)]
    if not all(struts(platform, pose).reachable.all() for pose in poses):
        raise InputError("part", "cells out of reach", "must be a part of this machine's workspace")
    found = np.concatenate([measures[quantity](pose) for pose in poses])
    values = np.full(part.cells.shape, np.nan)
    values[tuple(joined.T)] = found
    low, high = int(found.argmin()), int(found.argmax())
    worst, best = (low, high) if quantity in LARGE_IS_GOOD else (high, low)
    extremes = float(found[worst]), float(found[best]), at[worst], at[best]
    return WorkspaceMap(quantity, UNITS[quantity], values, *extremes, part.box)


def _center(center: ArrayLike | None) -> Array:
    if center is None:
        return np.zeros(3)
    found = array("center", center, (3,))
    if found.shape != (3,):
        raise InputError("center", f"shape {found.shape}", "must be one point (3,)")
    return found


def _softest(platform: Platform, pose: Pose, stiffness: Array) -> Array:
    C = compliance(platform, pose, stiffness=stiffness, preload=False)
    largest = np.linalg.eigvalsh(C[..., TWIST.linear, TWIST.linear])[..., -1]
    return np.asarray(1.0 / largest, dtype=np.float64)


def _least_sure(platform: Platform, pose: Pose, actuator: Array) -> Array:
    spread = error_budget(platform, pose, actuator=actuator).covariance
    return np.sqrt(np.linalg.eigvalsh(spread[..., TWIST.linear, TWIST.linear])[..., -1])


def _nearest_limit(platform: Platform, pose: Pose) -> Array:
    found = check(platform, pose).worst
    if not np.isfinite(found).all():
        raise InputError("limits", None, "at least one leg needs a limit of the pose")
    return found


def held_mass(platform: Platform, pose: Pose, center: Array) -> Array:
    most = np.array([allowed_range(platform, "force", i)[1] for i in range(6)])
    if not np.isfinite(most).any():
        raise InputError("limits.force", None, "at least one leg needs a largest effort")
    own = inverse_dynamics(platform, pose).force
    weight = platform.gravity @ pose.rotation  # of 1 kg, platform axes
    wrench = np.concatenate([weight, np.cross(center, weight)], axis=-1)
    slope = inverse_dynamics(platform, pose, np.broadcast_to(wrench, (*pose.shape, 6))).force - own
    with np.errstate(divide="ignore", invalid="ignore"):
        until = np.where(slope > 0.0, (most - own) / slope, (-most - own) / slope)
    until = np.where(slope == 0.0, np.inf, until)
    mass = np.maximum(until.min(axis=-1), 0.0)
    return np.where((np.abs(own) > most).any(axis=-1), 0.0, mass)
