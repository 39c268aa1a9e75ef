"""A pose with its proof against errors: lengths and joints within given bounds, a box around the pose, a covariance.

Unknown z = (u, a): the platform's reference point moves by u (m), its rotation becomes C(a) R with the quaternion
proportional to (1, a), world axes.  With q = C R (p + dp), P = t + u + q - c - dc each leg says

    F = |P|^2 - (l + dl)^2 = 0,     dF/du = 2 P,     dF/da = 4/(1 + a.a) (m + m x a),   m = q x P

Krawczyk: J over the box |z| <= r and over all data is J0 +- dJ(r), A close to the inverse of J0.  The slope of F from 0
to z is the mean of J on the way, J0 +- (dJ(0) + dJ(r))/2 since dJ is convex.  If, entry by entry,

    k = |A F0| + |A| dF + (|E - A J0| + |A| (dJ(0) + dJ(r))/2) r  <  r     and     (|E - A J0| + |A| dJ(r)) r  <  r

then every value of the data has a pose within k (the first, Brouwer), no other in the box (the second: J is regular
there), and it depends continuously on the data: it is the branch of the pose itself.
Rounding is covered by SLACK.  A rotation by the quaternion (1, a) has a rotation
vector of at most 2 |a_k| in each coordinate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gough import status
from gough.checks import Array, InputError, array
from gough.frozen import hinted
from gough.kinematics.forward import forward_kinematics
from gough.kinematics.mode_boxes import DataError, data_error
from gough.layout import TWIST
from gough.links import with_links
from gough.model import Platform
from gough.spatial import Pose
from gough.struts import anchors, drive_vectors, joints

SLACK = 1e-13  # relative, for the rounding of all terms below; they have some twenty roundings each
MOST = 60


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class PoseUncertainty:
    """Answer of `pose_uncertainty`.

    pose        at the values given;   status  of its forward kinematics
    certified   proved: for every value within the bounds there is exactly one pose in `box`, and it is the one that
                grows continuously out of `pose`
    box         (6,) half-widths around `pose`: position (m), rotation vector (rad), world axes; infinite without proof
    covariance  (6, 6) of the same, to first order, for independent errors spread evenly within their bounds
    """

    pose: Pose
    box: Array
    covariance: Array
    certified: bool
    status: status.Status

    @property
    def sigma(self) -> Array:
        """(6,) standard deviations."""
        return np.sqrt(np.diag(self.covariance))

    def __repr__(self) -> str:
        box, sigma = (" ".join(f"{x:.2g}" for x in v) for v in (self.box, self.sigma))
        proved = f"proved within {box}" if self.certified else "no box is proved"
        return f"<PoseUncertainty: {self.status.code}; {proved}; sigma {sigma} (m, rad)>"


def pose_uncertainty(
    platform: Platform,
    length: ArrayLike,
    guess: Pose | None = None,
    *,
    actuator: float | ArrayLike = 0.0,
    base: float = 0.0,
    joint: float = 0.0,
) -> PoseUncertainty:
    """Where the platform can be if actuator coordinates (6,) and joints are known only within bounds.

    actuator: largest error of each coordinate, m (rad for cranks);  base, joint: of each coordinate of the base
    points (world axes) and of the platform joints (platform axes), m.  Link lengths and directions are exact.

    >>> platform = gough.load("positioner-300")
    >>> length = gough.inverse_kinematics(platform, platform.home).length
    >>> found = gough.pose_uncertainty(platform, length, actuator=1e-6)
    >>> bool((found.box[:3] < 2e-5).all())
    True
    """
    lam = array("length", length, (6,))
    if lam.ndim != 1:
        raise InputError("length", f"shape {lam.shape}", "must be six numbers")
    lam = with_links(platform, "length", lam)
    error = data_error(platform, lam, actuator, base, joint)
    fk = forward_kinematics(platform, lam, guess, certify=False)
    none = np.full(6, np.inf), np.full((6, 6), np.inf)
    if not fk.success:
        return PoseUncertainty(fk.pose, *none, False, fk.status)
    q, end = joints(platform, fk.pose)
    c, l = anchors(platform, lam)
    P = end - c
    J = np.concatenate([2 * P, 4 * np.cross(q, P)], axis=1)
    scale = np.repeat([1.0, 1.0 / platform.characteristic_length], 3)  # columns of one unit
    values = np.linalg.svd(J * scale / l[:, None], compute_uv=False)
    if not values[-1] > 1e-12 * values[0]:
        return PoseUncertainty(fk.pose, *none, False, status.SINGULAR)
    A = np.asarray(scale[:, None] * np.linalg.inv(J * scale), dtype=np.float64)
    box = _krawczyk(fk.pose.rotation, q, P, end, l, J, A, error)
    to_vector = np.repeat([1.0, 2.0], 3)  # a rotation vector is 2 a, to first order
    act = np.broadcast_to(np.asarray(actuator, dtype=float), (6,))
    slope = A * to_vector[:, None]
    S = _variance(platform, lam, P, act, base, joint)
    covariance = slope @ (S[:, None] * slope.T)
    if box is None:
        return PoseUncertainty(fk.pose, none[0], covariance, False, fk.status)
    return PoseUncertainty(fk.pose, box * to_vector, covariance, True, fk.status)


def _variance(
    platform: Platform, lam: Array, P: Array, actuator: Array, base: float, joint: float
) -> Array:
    """(6,) variances of F of errors spread evenly: w^2/3 each; a joint's three coordinates turn with the platform."""
    direction = P / np.linalg.norm(P, axis=1, keepdims=True)
    drive = 2 * (P * drive_vectors(platform, lam, direction)).sum(axis=1) * actuator
    return (drive**2 + 4 * (P * P).sum(axis=1) * (base**2 + joint**2)) / 3


def _krawczyk(
    R: Array, q: Array, P: Array, end: Array, l: Array, J: Array, A: Array, error: DataError
) -> Array | None:
    """Half-widths (6,) of z that hold the pose for all data, or None."""
    absA, far = np.abs(A), np.abs(end).sum(axis=1) + np.abs(q).sum(axis=1) + l
    turned = error.joint @ np.abs(R).T  # R dp
    off = turned + error.center
    size = np.linalg.norm(error.joint, axis=1) + np.linalg.norm(error.center, axis=1)
    dF = 2 * (np.abs(P) * off).sum(axis=1) + size**2 + (2 * l + error.radius) * error.radius
    dF += SLACK * far * l
    miss = np.abs(A @ ((P * P).sum(axis=1) - l * l)) + absA @ dF
    slip = np.abs(np.eye(6) - A @ J) + absA @ (SLACK * (np.abs(J) + far[:, None] * _columns(q)))
    still = _spread(q, P, turned, off, np.zeros(6))
    r, proved = 1.01 * miss + 1e-300, None
    for _ in range(MOST):
        moving = _spread(q, P, turned, off, r)
        k = miss + (slip + absA @ (still + moving) / 2) @ r
        if (k < r).all() and ((slip + absA @ moving) @ r < r).all():
            if proved is not None and (k > 0.999 * proved).all():
                break
            proved, r = k, 1.0001 * k  # the pose lies within k: look again, closer
        elif proved is not None or not (k[TWIST.angular] < 1).all():
            break
        else:
            r = np.maximum(1.05 * k, r)
    return proved


def _columns(q: Array) -> Array:
    """(6, 6) sizes of a row of J per meter of P."""
    arm = np.abs(q).sum(axis=1, keepdims=True)
    return np.concatenate([np.full((6, 3), 2.0), np.repeat(4.0 * arm, 3, axis=1)], axis=1)


def _spread(q: Array, P: Array, turned: Array, off: Array, r: Array) -> Array:
    """(6, 6) how far J is from its value at the middle, over the box |z| <= r and all data."""
    u, a = r[TWIST.linear], r[TWIST.angular]
    aa = float(a @ a)
    arm = np.linalg.norm(np.abs(q) + turned, axis=1, keepdims=True)
    dq = (
        turned + 2 * _cross(a, np.abs(q) + turned) + 2 * aa * arm
    )  # C(a) - E = 2 ([a] + [a]^2)/(1 + a.a)
    dP = u + dq + (off - turned)
    dm = _cross(np.abs(q), dP) + _cross(dq, np.abs(P) + dP)
    m = np.abs(np.cross(q, P))
    return np.concatenate([2 * dP, 4 * (dm + _cross(m + dm, a) + aa * m)], axis=1)


def _cross(x: Array, y: Array) -> Array:
    """Largest entries of a cross product of vectors whose entries are at most x and y."""
    n, p = [1, 2, 0], [2, 0, 1]
    return x[..., n] * y[..., p] + x[..., p] * y[..., n]
