"""The Jacobian from platform twist to actuator rates, its time derivative, and the wrench matrix.

    j = s/eta      actuator rate = j . pdot;  eta = 1 (UPS, SPS), s.rail (PUS), lever arm s.(e x u) (RUS)
    J  (..., 6, 6) rows ``(j_i, q_i x j_i)``: rates = J (v, w)
    H  (..., 6, 6) columns ``(s_i, q_i x s_i)``
"""

from __future__ import annotations

import numpy as np

from gough.checks import Array
from gough.engines.evaluate import as_motion
from gough.kinematics.inverse import inverse_kinematics
from gough.model import PUS, RUS, Platform
from gough.results import LegMotion, condition_number
from gough.spatial import Motion, Pose, rotation_exp


def jacobian(platform: Platform, pose: Pose | Motion) -> Array:
    """``J``: actuator rates from the platform twist (linear, angular; world axes)."""
    motion = as_motion(pose)
    legs = inverse_kinematics(platform, motion.pose)
    j = legs.direction / _lever(platform, legs)[0][..., None]
    return np.concatenate([j, np.cross(_arms(platform, motion), j)], axis=-1)


def jacobian_dot(platform: Platform, motion: Motion) -> Array:
    """``dJ/dt`` along a motion: actuator accelerations are ``J xdd + Jdot xd``."""
    legs = inverse_kinematics(platform, motion)
    q = _arms(platform, motion)
    qd = np.cross(motion.angular_velocity[..., None, :], q)
    eta, etad = _lever(platform, legs)
    s, sd = legs.direction, np.cross(legs.angular_velocity, legs.direction)
    j = s / eta[..., None]
    jd = sd / eta[..., None] - j * (etad / eta)[..., None]
    return np.concatenate([jd, np.cross(qd, j) + np.cross(q, jd)], axis=-1)


def wrench_matrix(platform: Platform, pose: Pose | Motion) -> Array:
    """``H``, columns ``(s_i, q_i x s_i)``: the wrench of unit strut forces on the platform, about its reference."""
    motion = as_motion(pose)
    s = inverse_kinematics(platform, motion.pose, check=False).direction
    return np.swapaxes(np.concatenate([s, np.cross(_arms(platform, motion), s)], axis=-1), -1, -2)


def condition(platform: Platform, pose: Pose | Motion, *, characteristic_length: float | None = None) -> Array:
    """Condition number of H; mixed units as in the papers, or with a characteristic length (m) to remove them."""
    return condition_number(wrench_matrix(platform, pose), characteristic_length or 1.0)


def _arms(platform: Platform, motion: Motion) -> Array:
    return np.einsum("...ij,kj->...ki", motion.rotation, platform.platform_joints)


def _lever(platform: Platform, legs: LegMotion) -> tuple[Array, Array]:
    """``eta`` and its rate, (..., 6)."""
    eta, etad = np.ones_like(legs.length), np.zeros_like(legs.length)
    for i, leg in enumerate(platform.legs):
        s = legs.direction[..., i, :]
        sd = np.cross(legs.angular_velocity[..., i, :], s)
        if isinstance(leg, PUS):
            eta[..., i], etad[..., i] = s @ leg.rail, sd @ leg.rail
        elif isinstance(leg, RUS):
            u = rotation_exp(legs.length[..., i, None] * leg.shaft) @ leg.arm
            n = np.cross(leg.shaft, u)
            nd = legs.rate[..., i, None] * np.cross(leg.shaft, n)
            eta[..., i], etad[..., i] = (s * n).sum(-1), (sd * n).sum(-1) + (s * nd).sum(-1)
    return eta, etad
