"""Metrics of the machine as it is built: stiffness, accuracy, natural frequency, buckling, payload.

    softest, stiffest        1/largest, 1/smallest eigenvalue of the compliance's block of translations, N/m
    softest_turn, stiffest_turn   of its block of rotations, N m/rad;  actuators held, without the geometric part of the
                             operating forces (analysis/stiffness.py, `preload=False`)
    position_error, angle_error   standard deviation along the worst direction, first order (analysis/sensitivity.py)
    natural_frequency        lowest of `gough.analysis.modes` with the motors locked, weight and preload counted, Hz
    buckling                 largest ``P L^2/(pi^2 E I)``: compression over Euler's load of a rod hinged at both ends,
                             at rest in all poses and along the motion;  1: it buckles
    payload                  kg, largest mass at the payload's center (or the reference point) that the legs hold at
                             rest, beside the payload of the task
All at the poses of the task, and nothing between them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from gough.analysis.natural_modes import modes
from gough.analysis.sensitivity import error_budget
from gough.analysis.stiffness import compliance
from gough.analysis.workspace_maps import held_mass
from gough.checks import Array, InfeasibleError
from gough.design.hardware import need_hardware
from gough.dynamics import inverse_dynamics
from gough.layout import TWIST
from gough.spatial import Motion, Pose
from gough.struts import struts

if TYPE_CHECKING:
    from gough.design.metrics import Trial


def _compliance_values(trial: Trial, part: slice) -> Array:
    """(n, 3) ascending eigenvalues of the block of translations or rotations of the compliance."""
    k = trial.task.hardware.stiffness(trial.platform)
    C = compliance(trial.platform, trial.poses, stiffness=k, preload=False)
    return np.asarray(np.linalg.eigvalsh(C[..., part, part]), dtype=np.float64)


def _softest(trial: Trial, part: slice) -> float:
    return 1.0 / float(_compliance_values(trial, part)[..., -1].max())


def _stiffest(trial: Trial, part: slice) -> float:
    return 1.0 / float(_compliance_values(trial, part)[..., 0].max())


def _pose_error(trial: Trial, part: slice) -> float:
    h = trial.task.hardware
    need_hardware(("position_error",), h)
    joint, actuator = h.joint_error or 0.0, h.spread(trial.platform)
    errors = {"base": joint, "joint": joint, "actuator": actuator}
    spread = error_budget(trial.platform, trial.poses, **errors).covariance
    return float(np.sqrt(np.linalg.eigvalsh(spread[..., part, part])[..., -1].max()))


def _natural_frequency(trial: Trial) -> float:
    k = trial.task.hardware.stiffness(trial.platform)
    found = modes(trial.platform, trial.poses, stiffness=k)
    if not found.stable.all():
        raise InfeasibleError("natural_frequency: the machine is unstable at rest in a pose")
    return float(found.frequency.min())


def _buckling(trial: Trial) -> float:
    EI, motion = trial.task.hardware.bending(), trial.task.motion_of(trial.home)
    worst = _euler_product(trial, trial.poses)
    if motion is not None:
        worst = max(worst, _euler_product(trial, motion))
    return worst / EI


def _euler_product(trial: Trial, at: Pose | Motion) -> float:
    """Largest ``P L^2/pi^2`` of all legs, N m^2: the bending stiffness that the hardest pressed strut needs."""
    s = struts(trial.platform, at)
    force = inverse_dynamics(trial.platform, at).reactions.spherical_force
    push = np.maximum((force * s.direction).sum(axis=-1), 0.0)
    span = s.end - s.start
    return float((push * (span * span).sum(axis=-1)).max()) / np.pi**2


def _payload(trial: Trial) -> float:
    load = trial.task.payload
    center = np.zeros(3) if load is None else load.center
    found = float(held_mass(trial.platform, trial.poses, center).min())
    if not np.isfinite(found):
        raise InfeasibleError("payload: a mass there loads no leg, so none is the largest")
    return found


BUILT: dict[str, Callable[[Trial], float]] = {
    "softest": lambda t: _softest(t, TWIST.linear),
    "stiffest": lambda t: _stiffest(t, TWIST.linear),
    "softest_turn": lambda t: _softest(t, TWIST.angular),
    "stiffest_turn": lambda t: _stiffest(t, TWIST.angular),
    "position_error": lambda t: _pose_error(t, TWIST.linear),
    "angle_error": lambda t: _pose_error(t, TWIST.angular),
    "natural_frequency": _natural_frequency,
    "buckling": _buckling,
    "payload": _payload,
}
