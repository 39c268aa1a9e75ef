"""The Jacobian from platform twist to actuator rates, its time derivative, and the wrench matrix.

    j = s/eta      actuator rate = j . pdot;  eta = 1 (UPS, SPS), s.rail (PUS), lever arm s.(e x u) (RUS)
    J  (..., 6, 6) rows ``(j_i, q_i x j_i)``: rates = J (v, w)
    H  (..., 6, 6) columns ``(s_i, q_i x s_i)``
"""

from __future__ import annotations

import numpy as np

from gough.checks import Array
from gough.engines.evaluate import as_motion
from gough.kinematics.feasibility import refuse
from gough.model import PUS, RUS, Leg, Platform
from gough.results import condition_number
from gough.spatial import Motion, Pose


def jacobian(platform: Platform, pose: Pose | Motion) -> Array:
    """``J``: actuator rates from the platform twist (linear, angular; world axes)."""
    motion = Motion.at_rest(as_motion(pose).pose)
    s, _, eta, _ = _struts(platform, motion)
    j = s / eta[..., None]
    J = np.concatenate([j, np.cross(_arms(platform, motion), j)], axis=-1)
    return _finite(platform, motion, J)


def jacobian_dot(platform: Platform, motion: Motion) -> Array:
    """``dJ/dt`` along a motion: actuator accelerations are ``J xdd + Jdot xd``."""
    q = _arms(platform, motion)
    qd = np.cross(motion.angular_velocity[..., None, :], q)
    s, sd, eta, etad = _struts(platform, motion)
    j = s / eta[..., None]
    jd = sd / eta[..., None] - j * (etad / eta)[..., None]
    return _finite(platform, motion, np.concatenate([jd, np.cross(qd, j) + np.cross(q, jd)], axis=-1))


def wrench_matrix(platform: Platform, pose: Pose | Motion) -> Array:
    """``H``, columns ``(s_i, q_i x s_i)``: the wrench of unit strut forces on the platform, about its reference."""
    motion = Motion.at_rest(as_motion(pose).pose)
    s = _struts(platform, motion)[0]
    return np.swapaxes(np.concatenate([s, np.cross(_arms(platform, motion), s)], axis=-1), -1, -2)


def condition(platform: Platform, pose: Pose | Motion, *, characteristic_length: float | None = None) -> Array:
    """Condition number of H; mixed units as in the papers, or with a characteristic length (m) to remove them."""
    return condition_number(wrench_matrix(platform, pose), characteristic_length or 1.0)


def _finite(platform: Platform, motion: Motion, J: Array) -> Array:
    bad = ~np.isfinite(J).all(axis=(-1, -2))
    if np.any(bad):
        raise refuse(platform, motion, bad, "a leg has no finite rate here")
    return J


def _arms(platform: Platform, motion: Motion) -> Array:
    return np.einsum("...ij,kj->...ki", motion.rotation, platform.platform_joints)


def _struts(platform: Platform, motion: Motion) -> tuple[Array, Array, Array, Array]:
    """``s``, ``ds/dt`` (..., 6, 3), ``eta``, ``d eta/dt`` (..., 6): pure geometry, nothing is compiled."""
    q = _arms(platform, motion)
    p = motion.position[..., None, :] + q
    pd = motion.velocity[..., None, :] + np.cross(motion.angular_velocity[..., None, :], q)
    with np.errstate(invalid="ignore", divide="ignore"):
        legs = [_strut(leg, p[..., i, :] - leg.base, pd[..., i, :]) for i, leg in enumerate(platform.legs)]
    s, sd, eta, etad = zip(*legs, strict=True)
    return np.stack(s, axis=-2), np.stack(sd, axis=-2), np.stack(eta, axis=-1), np.stack(etad, axis=-1)


def _strut(leg: Leg, P: Array, pd: Array) -> tuple[Array, Array, Array, Array]:
    """One leg, with its platform joint at P from its base point and moving with pd."""
    if isinstance(leg, PUS):
        Pe = P @ leg.rail
        slider = Pe - leg.assembly * np.sqrt(Pe**2 - (P * P).sum(-1) + leg.length**2)
        s = (P - slider[..., None] * leg.rail) / leg.length
        eta = s @ leg.rail
        sd = (pd - ((s * pd).sum(-1) / eta)[..., None] * leg.rail) / leg.length
        return s, sd, eta, sd @ leg.rail
    if isinstance(leg, RUS):
        return _rod(leg, P, pd)
    length = np.linalg.norm(P, axis=-1, keepdims=True)
    s = P / length
    sd = (pd - s * (s * pd).sum(-1, keepdims=True)) / length
    one = np.ones(P.shape[:-1])
    return s, sd, one, 0.0 * one


def _rod(leg: RUS, P: Array, pd: Array) -> tuple[Array, Array, Array, Array]:
    e, h = leg.shaft, float(leg.shaft @ leg.arm)
    up = leg.arm - h * e
    turned = np.cross(e, up)
    A, B = P @ up, P @ turned
    N2 = A * A + B * B
    D = ((P * P).sum(-1) + leg.arm @ leg.arm - leg.length**2) / 2 - h * (P @ e)
    X = leg.elbow * np.sqrt(N2 - D * D)
    c, t = ((A * D - B * X) / N2)[..., None], ((B * D + A * X) / N2)[..., None]
    u, n = h * e + c * up + t * turned, c * turned - t * up
    s = (P - u) / leg.length
    eta = (s * n).sum(-1)
    rate = ((s * pd).sum(-1) / eta)[..., None]
    sd = (pd - rate * n) / leg.length
    return s, sd, eta, (sd * n).sum(-1) + (s * (rate * np.cross(e, n))).sum(-1)
