"""Forward kinematics: six actuator coordinates and a pose nearby give the pose, or the reason why not.

    fk = forward_kinematics(platform, length, guess)     one Newton per row, leading axes are a batch
    tr = track(platform, lengths, start)                 one branch through a sequence, with subdivision
    forward_rates, forward_accelerations                 leg rates, accelerations -> twist, acceleration
Method and proofs: docs/forward-kinematics.md.  Every leg is a sphere equation (forward_legs.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gough import status
from gough.checks import Array, InputError, array, number
from gough.kinematics.forward_legs import leg_table, reduced
from gough.model import Platform
from gough.spatial import Pose

DEFAULT_MARGIN = 1e-9  # smallest half-width of the certified box of leg positions, relative to the machine


_STATUS = (status.CONVERGED, status.NO_CONVERGENCE, status.SINGULAR, status.UNREACHABLE, status.WRONG_BRANCH)
BAD = len(_STATUS)  # kernel code: the input is not numbers it can work with


def bare_pose(flat: Array) -> Pose:
    """A Pose from (..., 12) kernel rows without the checks at the border; rows of NaN mark failures."""
    return Pose.trusted(flat[..., :3], flat[..., 3:].reshape(*flat.shape[:-1], 3, 3))


def flat_pose(pose: Pose) -> Array:
    """(..., 12) rows t, R of the kernels."""
    R = pose.rotation
    return np.concatenate([pose.position, R.reshape(*R.shape[:-2], 9)], axis=-1)


@dataclass(frozen=True, eq=False)
class ForwardKinematics:
    """Answer of `forward_kinematics`; every array has the batch axes of the lengths.

    pose        NaN where the status is not CONVERGED
    status      Status (an object array for a batch), its value is a sentence
    iterations  Newton steps;   residual  largest |leg error|, m
    certified   True: proved to be the one pose connected to the guess, without singularity, for every leg
                motion in the box around the guess's legs (certificate.py)
    """

    flat: Array
    info: Array

    @cached_property
    def pose(self) -> Pose:
        """The platform pose."""
        return bare_pose(self.flat)

    @property
    def status(self) -> Any:
        """Status of each problem."""
        codes = self.info[..., 0].astype(int)
        return _STATUS[int(codes)] if codes.ndim == 0 else np.array(_STATUS, dtype=object)[codes]

    @property
    def success(self) -> Any:
        """True where a pose was found."""
        return self.info[..., 0] == 0.0

    @property
    def iterations(self) -> Any:
        """Newton steps taken."""
        return self.info[..., 1].astype(int)[()]

    @property
    def residual(self) -> Any:
        """Largest leg error, m."""
        return self.info[..., 2]

    @property
    def certified(self) -> Any:
        """Proved unique, connected to the guess and regular."""
        return (self.info[..., 3] == 1.0)[()]


@dataclass(frozen=True, eq=False)
class Track(ForwardKinematics):
    """Answer of `track`, one row per sample.

    straight    True: proved connected to the previous pose for the straight motion of the legs, in `pieces`;
                what the legs do between the samples may differ: only `certified` covers that
    connected   True: this and every sample before it is at least `straight`
    lost_at     first sample for which this fails
    """

    @property
    def straight(self) -> Any:
        """Proved along the straight leg motion from the previous sample."""
        return self.info[..., 4] == 1.0

    @property
    def pieces(self) -> Any:
        """Number of certified pieces of the step (0: the proof failed)."""
        return self.info[..., 5].astype(int)

    @property
    def connected(self) -> Any:
        """Proved connected to the start."""
        return np.logical_and.accumulate(self.straight, axis=-1)

    @property
    def lost_at(self) -> int | None:
        """First sample at which the branch is no longer proved (a singularity on or near the way), or None."""
        return None if self.straight.all() else int(np.argmin(self.straight))


def forward_kinematics(platform: Platform, length: ArrayLike, guess: Pose | None = None, *,
                       certify: bool = True, margin: float | None = None) -> ForwardKinematics:
    """The pose near `guess` (default: the platform's home) with actuator coordinates `length` (..., 6).

    margin widens the certified box of leg positions (m; default 1e-9 of the machine's size): set it to what
    the legs may do unseen between two samples.
    Lengths that are not numbers, not finite or (UPS, SPS) not positive raise InputError; lengths without a
    pose near the guess give a NaN pose and a status, never a wrong pose.
    """
    table = leg_table(_platform(platform))
    lam = _rows("length", length)
    home = _guess(platform, guess)
    scale = platform.characteristic_length
    extra = DEFAULT_MARGIN * scale if margin is None else number("margin", margin, minimum=0.0)
    if lam.ndim == 1 and home.position.ndim == 1:  # the way of real-time loops: as little Python as possible
        start, flat, info = np.empty((1, 12)), np.empty((1, 12)), np.empty((1, 4))
        start[0, :3], start[0, 3:] = home.position, home.rotation.ravel()
        rows = lam if lam.flags.carray else lam.copy()
        _solve_batch()(table, rows.reshape(1, 6), start, scale, extra, certify, flat, info)
        if info[0, 0] >= BAD:
            _refuse(platform, lam, start)
        return ForwardKinematics(flat[0], info[0])
    rows, start, shape = _together(lam, flat_pose(home))
    flat, info = np.empty((len(rows), 12)), np.empty((len(rows), 4))
    _solve_batch()(table, rows, start, scale, extra, certify, flat, info)
    if info[:, 0].max(initial=0.0) >= BAD:
        _refuse(platform, lam, start)
    return ForwardKinematics(flat.reshape(*shape, 12), info.reshape(*shape, 4))


@lru_cache(maxsize=1)
def _solve_batch() -> Any:
    from gough.kinematics.forward_batch import solve_batch

    return solve_batch


def _together(lam: Array, start: Array) -> tuple[Array, Array, tuple[int, ...]]:
    """Rows (N, 6), guesses (N, 12) or (1, 12), and the batch axes."""
    try:
        shape = np.broadcast_shapes(lam.shape[:-1], start.shape[:-1])
    except ValueError:
        raise InputError("guess", f"batch shape {start.shape[:-1]}", f"must broadcast with {lam.shape[:-1]}") from None
    rows = np.array(np.broadcast_to(lam, (*shape, 6)), order="C").reshape(-1, 6)
    if start.ndim > 1:
        start = np.broadcast_to(start, (*shape, 12))
    return rows, np.array(start, order="C").reshape(-1, 12), shape


def track(platform: Platform, lengths: ArrayLike, start: Pose | None = None, *,
          margin: float | None = None) -> Track:
    """Follow one branch through `lengths` (N, 6) from the pose `start`, each sample from the one before it.

    A step that cannot be certified as a whole is cut into certified pieces of the straight leg motion; where
    even that fails (a singularity on or near the way) the sample is flagged and the nearest pose, if there is
    one, is taken on: `connected` tells from which sample on the branch is no longer proved.
    """
    from gough.kinematics.forward_batch import track_batch

    table = leg_table(_platform(platform))
    lam = np.array(_rows("lengths", lengths), order="C")
    if lam.ndim != 2:
        raise InputError("lengths", f"shape {lam.shape}", "must have shape (N, 6)")
    home = _guess(platform, start)
    if home.shape != ():
        raise InputError("start", f"shape {home.shape}", "must be a single pose")
    scale = platform.characteristic_length
    pose, info = np.full((len(lam), 12), np.nan), np.zeros((len(lam), 6))
    extra = DEFAULT_MARGIN * scale if margin is None else number("margin", margin, minimum=0.0)
    track_batch(table, lam, flat_pose(home), scale, extra, pose, info)
    if info[:, 0].max(initial=0.0) >= BAD:
        _refuse(platform, lam, flat_pose(home))
    return Track(pose, info)


def _platform(platform: Platform) -> Platform:
    if not isinstance(platform, Platform):
        raise InputError("platform", platform, "must be a gough.Platform")
    return platform


def _rows(field: str, value: ArrayLike) -> Array:
    """Numbers with six in the last axis; finiteness is looked at by the kernel."""
    try:
        lam = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(field, value, "must be numbers") from None
    if lam.shape[-1:] != (6,):
        raise InputError(field, f"shape {lam.shape}", "must have shape (..., 6)")
    return lam


def _guess(platform: Platform, guess: Pose | None) -> Pose:
    if guess is None:
        guess = platform.home
        if guess is None:
            raise InputError("guess", None, "give a Pose: this platform has no home pose")
    if not isinstance(guess, Pose):
        raise InputError("guess", guess, "must be a gough.Pose")
    return guess


def _refuse(platform: Platform, length: Array, start: Array) -> None:
    """Say which input the kernel would not take."""
    if not np.isfinite(start).all():
        raise InputError("guess", "NaN", "must be finite; the pose of a failed forward kinematics is not")
    lam = array("length", length, (6,))
    for i, kind in enumerate(platform.kinds):
        bad = lam[..., i][lam[..., i] <= 0]
        if kind in ("UPS", "SPS") and bad.size:
            name = platform.leg_names[i]
            raise InputError(f"length[{i}]", float(bad.flat[0]), f"leg {name} must be positive, m")


def _leg_rows(platform: Platform, pose: Pose, length: ArrayLike | None) -> tuple[Array, Array, Array, Array]:
    """Jacobian rows (..., 6, 6) from twist to the actuator rates scaled by ``s.v_c``, and S, q, v_c."""
    table = leg_table(platform)
    q = platform.platform_joints @ np.swapaxes(pose.rotation, -1, -2)
    lam = actuator_coordinates(platform, pose) if length is None else np.asarray(length, dtype=float)
    c, _ = reduced(platform, lam)
    S = pose.position[..., None, :] + q - c
    kind = table[:, 0, None]
    turn = np.cos(lam)[..., None] * table[:, 13:16] - np.sin(lam)[..., None] * table[:, 10:13]
    v = np.where(kind == 1, table[:, 7:10], 0.0) + np.where(kind == 2, turn, 0.0)  # dc/dlam
    return np.concatenate([S, np.cross(q, S)], axis=-1), S, q, v


def actuator_coordinates(platform: Platform, pose: Pose) -> Array:
    """Actuator coordinates (..., 6) of a pose on the legs' own branches; NaN where a leg cannot reach."""
    table = leg_table(platform)
    kind, e = table[:, 0], table[:, 7:10]
    q = platform.platform_joints @ np.swapaxes(pose.rotation, -1, -2)
    P = pose.position[..., None, :] + q - table[:, 1:4]
    PP, eP = (P * P).sum(-1), (P * e).sum(-1)
    A, B = (P * table[:, 10:13]).sum(-1), (P * table[:, 13:16]).sum(-1)
    h, rho, Lf, sign = table[:, 16], table[:, 19], table[:, 17], table[:, 18]
    D = 0.5 * (PP + h * h + rho * rho - Lf * Lf) - h * eP
    with np.errstate(invalid="ignore"):
        X = sign * np.sqrt(A * A + B * B - D * D)
        slider = eP - sign * np.sqrt(eP * eP - PP + Lf * Lf)
    crank = np.arctan2(B * D + A * X, A * D - B * X)
    return np.where(kind == 0, np.sqrt(PP), np.where(kind == 1, slider, crank))


def forward_rates(platform: Platform, pose: Pose, rate: ArrayLike, *,
                  length: ArrayLike | None = None) -> Array:
    """Twist (..., 6) = (v, w), world axes, of the platform whose actuators move with `rate` (..., 6).

    Each sphere gives ``S.(v + w x q) = l ldot + S.cdot``: the rate enters as l (UPS, SPS) or ``S.dc/dlam``.
    A singular pose gives NaN.
    """
    ld = array("rate", rate, (6,))
    rows, S, _, v = _leg_rows(platform, pose, length)
    gain = np.where(leg_table(platform)[:, 0] == 0, np.sqrt((S * S).sum(-1)), (S * v).sum(-1))
    return _solve(rows, gain * ld)


def forward_accelerations(platform: Platform, pose: Pose, rate: ArrayLike, acceleration: ArrayLike, *,
                          length: ArrayLike | None = None) -> tuple[Array, Array]:
    """Twist and its time derivative (a, alpha), each (..., 6), from actuator rates and accelerations.

    The derivative of ``S.Sdot = l ldot`` is
    ``S.(a + alpha x q) = l ldd + ldot^2 - |Sdot|^2 + S.cdd - S.(w x (w x q))``.
    """
    ld, ldd = array("rate", rate, (6,)), array("acceleration", acceleration, (6,))
    lam = actuator_coordinates(platform, pose) if length is None else np.asarray(length, dtype=float)
    rows, S, q, v = _leg_rows(platform, pose, lam)
    table = leg_table(platform)
    kind = table[:, 0]
    twist = forward_rates(platform, pose, ld, length=lam)
    w = twist[..., None, 3:]
    qd = np.cross(w, q)
    Sd = twist[..., None, :3] + qd - v * ld[..., None]
    inward = -(np.cos(lam)[..., None] * table[:, 10:13] + np.sin(lam)[..., None] * table[:, 13:16])
    cdd = v * ldd[..., None] + np.where(kind[:, None] == 2, inward, 0.0) * ld[..., None] ** 2
    own = np.where(kind == 0, np.sqrt((S * S).sum(-1)) * ldd + ld * ld, (S * cdd).sum(-1))
    right = own - (Sd * Sd).sum(-1) - (S * np.cross(w, qd)).sum(-1)
    return twist, _solve(rows, right)


def _solve(rows: Array, right: Array) -> Array:
    size = np.linalg.norm(rows, axis=-1, keepdims=True)
    J, r = rows / size, right[..., None] / size
    values = np.linalg.svd(J, compute_uv=False)
    good = values[..., -1] > 1e-13 * values[..., 0]
    J = np.where(good[..., None, None], J, np.eye(6))
    x = np.linalg.solve(J, np.broadcast_to(r, (*J.shape[:-1], 1)))[..., 0]
    return np.where(good[..., None], x, np.nan)
