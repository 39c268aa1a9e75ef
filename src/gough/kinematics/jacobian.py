"""The Jacobian from platform twist to actuator rates, its time derivative, and the wrench matrix.

    j = s/eta      actuator rate = j . pdot;  eta = s.w = 1 (UPS, SPS), s.rail (PUS), lever arm s.(e x u) (RUS)
    J  (..., 6, 6) rows ``(j_i, q_i x j_i)``: rates = J (v, w)
    H  (..., 6, 6) columns ``(s_i, q_i x s_i)``; of a screw ``(s', q x s' + m')``
Legend and geometry: gough/struts.py.
"""

from __future__ import annotations

import numpy as np

from gough.checks import Array
from gough.engines.evaluate import as_motion
from gough.kinematics.feasibility import refuse
from gough.layout import LEG_GEOMETRY as LEG
from gough.layout import TWIST
from gough.model import Platform
from gough.offset_legs import pull_rates
from gough.reasons import coincident
from gough.spatial import Motion, Pose
from gough.struts import (
    ALONG,
    OFFSET,
    SCREW,
    Struts,
    cross,
    drive_bends,
    drive_vectors,
    leg_table,
    struts,
)


def jacobian(platform: Platform, pose: Pose | Motion) -> Array:
    """``J``: actuator rates from the platform twist (linear, angular; world axes)."""
    motion = as_motion(pose)
    g = struts(platform, motion)
    with np.errstate(invalid="ignore", divide="ignore"):
        J = g.jacobian
    return _finite(platform, motion, g.coordinate, J)


def jacobian_dot(platform: Platform, motion: Motion) -> Array:
    """``dJ/dt`` along a motion: actuator accelerations are ``J xdd + Jdot xd``.

    ``|S| sd = pd - rate w``,  ``d eta/dt = sd.w + s.wd`` with ``wd = rate d²c/dlam²`` (zero but for cranks).
    """
    g = struts(platform, motion)
    q, s = g.arm, g.direction
    qd = cross(motion.angular_velocity[..., None, :], q)
    pd = motion.velocity[..., None, :] + qd
    w, bend = drive_vectors(platform, g.coordinate, s), drive_bends(platform, g.coordinate)
    straight = np.isin(leg_table(platform)[:, LEG.kind], ALONG)
    with np.errstate(invalid="ignore", divide="ignore"):
        eta = g.eta[..., None]
        rate = (s * pd).sum(axis=-1, keepdims=True) / eta
        sd = (pd - rate * w) / np.linalg.norm(g.end - g.start, axis=-1, keepdims=True)
        etad = np.where(straight, 0.0, (sd * w).sum(axis=-1) + (s * rate * bend).sum(axis=-1))[
            ..., None
        ]
        j = s / eta
        jd = sd / eta - j * (etad / eta)
    Jd = np.concatenate([jd, cross(qd, j) + cross(q, jd)], axis=-1)
    if g.pull is not None:
        turning = motion.velocity, motion.angular_velocity
        pulled = np.isin(leg_table(platform)[:, LEG.kind, None], (SCREW, OFFSET))
        Jd = np.where(pulled, row_rates(platform, g, *turning), Jd)
    return _finite(platform, motion, g.coordinate, Jd)


def row_rates(platform: Platform, g: Struts, velocity: Array, turn: Array) -> Array:
    """(..., 6, 6) time derivative of the rows ``(s', q x s' + m')`` of machines with screws."""
    pulled = pull_rates(platform, g, velocity, turn)
    lin, qd = pulled[..., TWIST.linear], cross(turn[..., None, :], g.arm)
    assert g.pull is not None
    moment = cross(qd, g.pull[..., TWIST.linear]) + cross(g.arm, lin)
    return np.concatenate([lin, moment + pulled[..., TWIST.angular]], axis=-1)


def wrench_matrix(platform: Platform, pose: Pose | Motion) -> Array:
    """``H``, columns ``(s_i, q_i x s_i)``: the wrench of unit strut forces on the platform, about its reference.

    Of a leg with a screw: the wrench of a unit effort.
    """
    return struts(platform, as_motion(pose)).wrench_matrix


def _finite(platform: Platform, motion: Motion, coordinate: Array, J: Array) -> Array:
    bad = ~np.isfinite(J).all(axis=(-1, -2)) | coincident(platform, coordinate).any(axis=-1)
    if np.any(bad):
        raise refuse(platform, motion, bad, "a leg has no finite rate here")
    return J
