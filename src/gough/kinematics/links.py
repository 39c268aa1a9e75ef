"""Machines with fixed links: poses and motions that the links allow, and the freedom that is left.

Metric of displacements and twists (v, w) of the reference point: ``|v|^2 + c^2 |w|^2``, c the machine's characteristic
length.  G rows ``(s, q x s)`` of the links.  docs/derivations/links.md
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.checks import Array, InfeasibleError
from gough.engines.evaluate import as_motion, check_platform
from gough.frozen import hinted
from gough.kinematics.forward import forward_accelerations
from gough.kinematics.forward_results import bare_pose, flat_pose
from gough.kinematics.jacobian import jacobian, jacobian_dot
from gough.kinematics.screwed import CONVERGED, newton
from gough.layout import FORWARD_SOLUTION as INFO
from gough.layout import POSE, TWIST
from gough.links import POSE as ONLY_POSE
from gough.links import links, refuse_off_links
from gough.model import Platform
from gough.results import Result
from gough.spatial import Motion, Pose, rotation_exp, rotation_log
from gough.struts import struts

MOST_STEPS = 200
ROUNDING = 64 * np.finfo(float).eps  # of positions, relative to the machine's size


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class OnLinks(Result):
    """A motion that the links allow, and how far it is from the one given.

    motion    at rest where a pose was given
    distance  (...) between the poses: ``sqrt(|dt|^2 + c^2 angle^2)``, m, c the machine's characteristic length
    """

    motion: Motion
    distance: Array

    @property
    def pose(self) -> Pose:
        """The pose that the links allow."""
        return self.motion.pose


def on_links(platform: Platform, motion: Pose | Motion) -> OnLinks:
    """The pose, or the motion, nearby in which all fixed links have their lengths.

    A pose moves to a nearest one: on the links, and the displacement to it across all that they allow, in the metric of
    `OnLinks.distance`.
    A motion moves so that its velocity and acceleration stay the derivatives of its pose: the driven legs keep their
    coordinates, rates and accelerations, the links their lengths, and the platform follows (``J xd = rate`` with zeros
    for the links, and so on).  A motion that is allowed stays, to rounding.
    `InfeasibleError` where no such pose is found near the given one.
    """
    check_platform(platform)
    return _moved(platform, motion) if isinstance(motion, Motion) else _nearest(platform, motion)


def _moved(platform: Platform, motion: Motion) -> OnLinks:
    """By the legs: those that are driven keep what they do."""
    held = links(platform).legs
    J, Jd = jacobian(platform, motion), jacobian_dot(platform, motion)
    twist, change = (np.concatenate(pair, axis=-1)[..., None] for pair in _halves(motion))
    length = np.array(struts(platform, motion).coordinate)
    rate, acceleration = (J @ twist)[..., 0], (J @ change + Jd @ twist)[..., 0]
    length[..., held], rate[..., held], acceleration[..., held] = links(platform).length, 0.0, 0.0
    start = flat_pose(motion.pose).reshape(-1, POSE.size)
    flat, info = newton(platform, length.reshape(-1, 6), start)
    _refuse(motion, (info[:, INFO.status] != CONVERGED).reshape(motion.shape))
    pose = bare_pose(flat.reshape(*motion.shape, POSE.size))
    twist, change = forward_accelerations(platform, pose, rate, acceleration)
    lin, ang = TWIST.linear, TWIST.angular
    found = Motion(
        pose.position,
        pose.rotation,
        *(twist[..., lin], twist[..., ang], change[..., lin], change[..., ang]),
        time=motion.time,
    )
    return OnLinks(found, _distance(platform, motion.pose, pose))


def _halves(motion: Motion) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    v, w, a, al = motion.rates
    return (v, w), (a, al)


def _nearest(platform: Platform, pose: Pose) -> OnLinks:
    """With u the displacement from the start: ``step = -u + G^+ (G u - off)``, which takes from u what the links allow
    and gives it what they lack; it ends where they hold and u has no part that they allow."""
    pose, held = as_motion(pose).pose, links(platform)
    c = platform.characteristic_length
    t, R = (a.reshape(-1, *a.shape[len(pose.shape) :]) for a in (pose.position, pose.rotation))
    start, scale = (t, R), np.repeat([1.0, 1.0 / c], 3)
    size = c + np.abs(platform.base_joints).max() + np.abs(t).max(initial=0.0)
    done = np.zeros(len(t), dtype=bool)
    for _ in range(MOST_STEPS):
        g = struts(platform, Pose.trusted(t, R))
        off = g.coordinate[:, held.legs] - held.length
        G = g.rows[:, held.legs] * scale  # per displacement (dt, c angle)
        u = np.concatenate([t - start[0], c * rotation_log(R @ np.swapaxes(start[1], 1, 2))], 1)
        back = np.linalg.pinv(G)
        step = -u + (back @ ((G @ u[..., None])[..., 0] - off)[..., None])[..., 0]
        done = (np.abs(step).max(axis=1) <= ROUNDING * size) & (
            np.abs(off).max(axis=1, initial=0.0) <= ROUNDING * size
        )
        if done.all():
            break
        t = t + step[:, TWIST.linear]
        R = rotation_exp(step[:, TWIST.angular] / c) @ R
    _refuse(pose, ~done.reshape(pose.shape))
    found = Pose(t.reshape(pose.position.shape), R.reshape(pose.rotation.shape))
    return OnLinks(Motion.at_rest(found), _distance(platform, pose, found))


def _distance(platform: Platform, start: Pose, end: Pose) -> Array:
    turn = rotation_log(end.rotation @ np.swapaxes(start.rotation, -1, -2))
    c = platform.characteristic_length
    return np.sqrt(((end.position - start.position) ** 2).sum(-1) + c**2 * (turn**2).sum(-1))


def _refuse(motion: Pose | Motion, lost: Array) -> None:
    if np.any(lost):
        index = np.unravel_index(int(np.argmax(lost)), lost.shape) if lost.shape else ()
        where = f"state {', '.join(str(int(i)) for i in index)}: " if index else ""
        raise InfeasibleError(f"{where}no pose near the given one is on the fixed links")


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class PlatformFreedom(Result):
    """What the fixed links leave free in a pose, m links.

    basis            (..., 6, 6 - m) allowed twists (v, w), orthonormal in the metric ``|v|^2 + c^2 |w|^2``: G basis = 0
    constraint       (..., m, 6) G, rows ``(s, q x s)`` of the links
    jacobian         (..., 6 - m, 6 - m) coordinates in the basis -> rates of the driven legs
    link_condition   (...) condition number of G in the metric; infinite where the links are dependent: a twist more
                     is free, and forces in the links balance each other
    drive_condition  (...) condition number of the driven legs' rows (unit strut forces) on the basis; infinite where
                     the drives cannot hold what the links leave free
    The condition number of all six legs together is that of `gough.inverse_dynamics`; it is infinite where one of
    these two is.
    """

    basis: Array
    constraint: Array
    jacobian: Array
    link_condition: Array
    drive_condition: Array


def freedom(platform: Platform, pose: Pose | Motion) -> PlatformFreedom:
    """The twists that the fixed links allow in a pose, and how well links and drives hold the platform.

    All of them where the machine has no links.
    """
    check_platform(platform)
    motion, held = as_motion(pose), links(platform)
    refuse_off_links(platform, motion, ONLY_POSE)
    g, scale = struts(platform, motion), np.repeat([1.0, 1.0 / platform.characteristic_length], 3)
    rows = g.rows
    G = rows[..., held.legs, :]
    m = len(held.legs)
    values = np.linalg.svd(G * scale, compute_uv=False)
    basis = np.linalg.svd(G * scale, full_matrices=True)[2][..., m:, :] if m else np.eye(6)
    basis = np.broadcast_to(basis, (*motion.shape, 6 - m, 6)) * scale
    basis = np.ascontiguousarray(np.swapaxes(basis, -1, -2))
    driven = np.linalg.svd(rows[..., held.driven, :] @ basis, compute_uv=False)
    return PlatformFreedom(
        basis,
        np.ascontiguousarray(G),
        g.jacobian[..., held.driven, :] @ basis,
        _condition(values) if m else np.ones(motion.shape),
        _condition(driven),
    )


def _condition(values: Any) -> Array:
    """Largest over smallest singular value; infinite where that is rounding."""
    low, high = values[..., -1], values[..., 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(low > 1e-15 * high, high / low, np.inf)
