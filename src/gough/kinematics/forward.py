"""Forward kinematics: six actuator coordinates and a pose nearby give the pose, or the reason why not.

    fk = forward_kinematics(platform, length, guess)     one Newton per row, leading axes are a batch
    tr = track(platform, lengths, start)                 one branch through a sequence, with subdivision
    forward_rates, forward_accelerations                 leg rates, accelerations -> twist, acceleration
Method and proofs: docs/forward-kinematics.md.  Every leg is a sphere equation (gough/struts.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough import border
from gough.checks import Array, InputError, array, batch_shape, fitting, number, real
from gough.guard import DEPENDENT, refuse
from gough.kinematics.centering import Centered, centered
from gough.kinematics.forward_results import BAD as BAD
from gough.kinematics.forward_results import HINTED, Track
from gough.kinematics.forward_results import ForwardKinematics as ForwardKinematics
from gough.kinematics.forward_results import bare_pose as bare_pose
from gough.kinematics.forward_results import flat_pose as flat_pose
from gough.kinematics.forward_solver import solver
from gough.kinematics.jacobian import row_rates
from gough.layout import FORWARD_SOLUTION as INFO
from gough.layout import LEG_GEOMETRY as LEG
from gough.layout import POSE, TWIST
from gough.links import refuse_moving_links, with_links
from gough.model import Platform
from gough.offset_legs import off_sphere
from gough.spatial import Pose
from gough.struts import (
    ALONG,
    CARRIED,
    CRANK,
    OFFSET,
    SCREW,
    Struts,
    cross,
    drive_bends,
    drive_vectors,
    leg_table,
    refuse_screws,
    struts,
    struts_at,
)

SOLVED = INFO.size  # columns of one solution
DEFAULT_MARGIN = (
    1e-9  # smallest half-width of the certified box of leg positions, relative to the machine
)
WINDOW, EXCURSION = (
    3,
    0.5,
)  # steps before and after, and the share of their largest change: `excursions`


@border.outside(engine="auto")
def forward_kinematics(
    platform: Platform,
    length: ArrayLike,
    guess: Pose | None = None,
    *,
    certify: bool = True,
    margin: float | None = None,
    engine: str = "native",
) -> ForwardKinematics:
    """The pose near `guess` (default: the platform's home) with actuator coordinates `length` (..., 6).

    certify: prove the answer.  Where the box proof fails the straight motion of the legs from the guess is followed in
    proved pieces, and its pose is the answer (`straight`); `proof` says what came of it.
    margin widens the certified box of leg positions (m; default 1e-9 of the machine's size): set it to what
    the legs may do unseen between two samples.
    engine: "native", or "cuda": on an NVIDIA GPU, for legs that are struts; what is not settled there, the CPU answers.
    By default "native", but the same functions uncompiled for a few poses while its kernel is being compiled.
    Lengths that are not numbers, not finite or (UPS, SPS, UCU) not positive raise InputError; lengths without a
    pose near the guess give a NaN pose and a status, never a wrong pose.  With screws that turn with the platform (UCU)
    or universal joints with offsets nothing is certified: proofs need legs that are spheres (screwed.py).
    """
    here = centered(_platform(platform))
    lam = with_links(platform, "length", _rows("length", length))
    home = _guess(platform, guess)
    if off_sphere(platform):
        if engine not in ("auto", "native"):
            solver(platform, engine, 1)
        return _screwed(platform, lam, home)
    scale = platform.characteristic_length
    extra = DEFAULT_MARGIN * scale if margin is None else number("margin", margin, minimum=0.0)
    if lam.ndim == 1 and home.position.ndim == 1:  # real-time loops: as little Python as possible
        start, flat = np.empty((1, POSE.size)), np.empty((1, POSE.size))
        info = np.empty((1, SOLVED))
        start[0, POSE.position], start[0, POSE.rotation] = home.position, home.rotation.ravel()
        rows, shape = (lam if lam.flags.carray else lam.copy()).reshape(1, 6), ()
    else:
        rows, start, shape = _together(lam, flat_pose(home))
        flat, info = np.empty((len(rows), POSE.size)), np.empty((len(rows), SOLVED))
    solve = solver(platform, engine, len(rows))
    solve(here.table, rows, here.inward(start), scale, extra, certify, flat, info)
    worst = info[0, INFO.status] if len(rows) == 1 else info[:, INFO.status].max(initial=0.0)
    if worst > 0.0:
        if worst >= BAD:
            _refuse(platform, lam, start)
        _hint(platform, rows, info)
    if here.moved:
        flat = _outward(here, flat, info)
    return ForwardKinematics(flat.reshape(*shape, POSE.size), info.reshape(*shape, SOLVED))


def _screwed(platform: Platform, lam: Array, home: Pose) -> ForwardKinematics:
    """Machines with legs that are no spheres; nothing is certified."""
    from gough.kinematics.screwed import screwed_forward

    rows, start, shape = _together(lam, flat_pose(home))
    _refuse(platform, lam, start)
    found = screwed_forward(platform, rows, start)
    _hint(platform, rows, found.info)
    return ForwardKinematics(
        found.flat.reshape(*shape, POSE.size), found.info.reshape(*shape, SOLVED)
    )


def _together(lam: Array, start: Array) -> tuple[Array, Array, tuple[int, ...]]:
    """Rows (N, 6), guesses (N, 12) or (1, 12), and the batch axes."""
    try:
        shape = np.broadcast_shapes(lam.shape[:-1], start.shape[:-1])
    except ValueError:
        raise InputError(
            "guess", f"batch shape {start.shape[:-1]}", f"must broadcast with {lam.shape[:-1]}"
        ) from None
    rows = np.array(np.broadcast_to(lam, (*shape, 6)), order="C").reshape(-1, 6)
    if start.ndim > 1:
        start = np.broadcast_to(start, (*shape, POSE.size))
    return rows, np.array(start, order="C").reshape(-1, POSE.size), shape


def track(
    platform: Platform,
    lengths: object,
    start: Pose | None = None,
    *,
    margin: float | None = None,
    time: ArrayLike | None = None,
    recover: bool = False,
    filters: str | Sequence[str] = ("branch",),
    accept: Callable[[int, Pose], ArrayLike] | None = None,
) -> Track:
    """Follow one branch through `lengths` (N, 6) from the pose `start`, each sample from the one before it.

    A step that cannot be certified as a whole is cut into certified pieces of the straight leg motion; where
    even that fails (a singularity on or near the way) the sample is flagged and the nearest pose, if there is
    one, is taken on: `connected` tells from which sample on the branch is no longer proved.  A sample with NaN
    spoils its own row only.  time (N,), s: with it, legs that have a speed limit are trusted to keep it.
    margin (m) is what the legs may do beyond that, and the largest error of the lengths.

    recover: after a loss find all poses (`assembly_modes`), follow each, and drop those that later samples, `filters`
    (as there) or extra sensors exclude; where one is left the track is certified again (recovery.py).
    accept(n, poses) says which of the candidates `poses` (m,) the extra sensors of sample n allow: (m,) of bool.
    """
    from gough.kinematics.forward_batch import track_batch

    lam = np.array(real("lengths", lengths, (6,)), order="C")
    if lam.ndim != 2:
        raise InputError("lengths", f"shape {lam.shape}", "must have shape (N, 6)")
    clock = np.arange(float(len(lam))) if time is None else array("time", time, (len(lam),))
    if (np.diff(clock) <= 0).any():
        raise InputError("time", "not increasing", "must increase from sample to sample")
    home = _guess(_platform(platform), start)
    lam = with_links(platform, "lengths", lam)
    refuse_screws(platform)
    if home.shape != ():
        raise InputError("start", f"shape {home.shape}", "must be a single pose")
    whole = np.asarray(np.isfinite(lam).all(axis=1))
    _refuse(platform, lam[whole], flat_pose(home))
    here, scale = centered(platform), platform.characteristic_length
    pose, info = np.full((len(lam), POSE.size), np.nan), np.zeros((len(lam), SOLVED))
    extra = DEFAULT_MARGIN * scale if margin is None else number("margin", margin, minimum=0.0)
    beyond = excursions(platform, lam, clock, time is not None)

    def go_on(first: int, last: int, begin: Array) -> None:
        """Samples first to last - 1 from the pose `begin`, in place."""
        rows = slice(first, last)
        track_batch(
            here.table, lam[rows], begin, scale, extra, beyond[rows], pose[rows], info[rows]
        )
        for proof in (
            INFO.at("certified"),
            INFO.at("straight"),
        ):  # from the start on, or not at all
            held = np.logical_and.accumulate(info[rows, proof][whole[rows]] == 1.0)
            info[np.flatnonzero(whole[rows]) + first, proof] = held
        info[rows, INFO.connected] = info[rows, INFO.certified] if first == 0 else 0.0
        info[rows, INFO.straight] *= first == 0

    go_on(0, len(lam), here.inward(flat_pose(home)))
    branches: tuple[Pose | None, ...] = ()
    if recover:
        from gough.kinematics.recovery import Recovery

        names = (filters,) if isinstance(filters, str) else tuple(filters)
        task = Recovery(platform, lam, beyond, extra, whole, names, accept)
        branches = task.run(pose, info, go_on)
    _hint(platform, lam, info)
    return Track(_outward(here, pose, info) if here.moved else pose, info, branches)


def _outward(here: Centered, flat: Array, info: Array) -> Array:
    """Poses in the machine's own, far frames, and what rounding them costs."""
    out = here.outward(flat)
    info[..., INFO.residual] += here.rounding(out)
    return out


def _hint(platform: Platform, lam: Array, info: Array) -> None:
    """Mark failures whose lengths look like millimeters."""
    failed = (info[:, INFO.status] > 0.0) & (info[:, INFO.status] < BAD)
    if failed.any():
        info[failed & in_millimeters(platform, lam), INFO.status] += HINTED


def in_millimeters(platform: Platform, lam: Array) -> NDArray[np.bool_]:
    """(N,) where the lengths of all struts are about a thousand times those at home."""
    kind = leg_table(platform)[:, LEG.kind]
    struts_only: Any = np.isin(kind, ALONG)
    home = struts(platform, platform.likely_home).coordinate
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = (lam / home)[:, struts_only]
    return ((ratio > 250.0) & (ratio < 4000.0)).all(axis=1) & struts_only.any()


def excursions(platform: Platform, lam: Array, clock: Array, timed: bool) -> Array:
    """(N, 6) how far, m, each leg is allowed to go past its samples within the step that ends at each row of `lam`.

    A leg with a speed limit v goes from one sample to the next, and past them by at most (v dt - |change|)/2: with
    time stamps this is what is taken, and it is exact.  Without, EXCURSION times the largest change of any leg within
    WINDOW steps before or after, in proportion to the steps' durations: an assumption, namely that the machine does
    not move faster between two samples than it is seen to move around them.
    """
    table = leg_table(platform)
    beyond = np.zeros(lam.shape)
    there = np.flatnonzero(np.isfinite(lam).all(axis=1))
    change, dt = np.diff(lam[there], axis=0), np.diff(clock[there])
    turn = 2 * np.pi
    change -= np.where(table[:, LEG.kind] == CRANK, turn * np.round(change / turn), 0.0)
    change = np.abs(change) * table[:, LEG.rho]
    rate = np.pad(change.max(axis=1, initial=0.0) / dt, WINDOW)
    if len(dt):
        fastest = np.lib.stride_tricks.sliding_window_view(rate, 2 * WINDOW + 1).max(axis=1)
        seen = np.broadcast_to((EXCURSION * fastest * dt)[:, None], change.shape)
        speed = [None if leg.limits is None else leg.limits.speed for leg in platform.legs]
        most = (
            np.array([np.nan if v is None or not timed else v for v in speed]) * table[:, LEG.rho]
        )
        exact = np.maximum(most * dt[:, None] - change, 0.0) / 2
        beyond[there[1:]] = np.where(np.isnan(exact), seen, exact)
    return beyond


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
        return platform.require_home()
    if not isinstance(guess, Pose):
        raise InputError("guess", guess, "must be a gough.Pose")
    return guess


def _refuse(platform: Platform, length: Array, start: Array) -> None:
    """Say which input the kernel would not take."""
    if not np.isfinite(start).all():
        raise InputError(
            "guess", "NaN", "must be finite; the pose of a failed forward kinematics is not"
        )
    lam = array("length", length, (6,))
    for i, kind in enumerate(platform.kinds):
        bad = lam[..., i][lam[..., i] <= 0]
        if kind not in CARRIED and bad.size:
            name = platform.leg_names[i]
            raise InputError(f"length[{i}]", float(bad.flat[0]), f"leg {name} must be positive, m")


def actuator_coordinates(platform: Platform, pose: Pose) -> Array:
    """Actuator coordinates (..., 6) of a pose on the legs' own branches; NaN where a leg cannot reach."""
    return struts(platform, pose).coordinate


def _struts(platform: Platform, pose: Pose, length: ArrayLike | None) -> Struts:
    if length is None:
        return struts(platform, pose)
    coordinate = fitting("length", array("length", length, (6,)), (*pose.shape, 6))
    return struts_at(platform, pose, coordinate)


def forward_rates(
    platform: Platform, pose: Pose, rate: ArrayLike, *, length: ArrayLike | None = None
) -> Array:
    """Twist (..., 6) = (v, w), world axes, of the platform whose actuators move with `rate` (..., 6).

    Each leg gives ``s.(v + w x q) = eta rate``.  A singular pose is an `InfeasibleError`.
    """
    g, ldot = _struts(platform, pose, length), array("rate", rate, (6,))
    refuse_moving_links(platform, "rate", ldot)
    batch_shape("rate", g.eta.shape, ldot.shape)
    return _solve(platform, pose, g.rows, g.eta * ldot)


def forward_accelerations(
    platform: Platform,
    pose: Pose,
    rate: ArrayLike,
    acceleration: ArrayLike,
    *,
    length: ArrayLike | None = None,
) -> tuple[Array, Array]:
    """Twist and its time derivative (a, alpha), each (..., 6), from actuator rates and accelerations.

    The derivative of ``s.pdot = eta ldot`` with ``|S| sd = pdot - ldot w`` is
    ``s.(a + alpha x q) = eta ldd + s.(d²c/dlam²) ldot^2 - |S| |sd|^2 - s.(w x (w x q))``; of a screw ``ldd - Jdot xd``.
    """
    ld, ldd = array("rate", rate, (6,)), array("acceleration", acceleration, (6,))
    refuse_moving_links(platform, "rate", ld)
    refuse_moving_links(platform, "acceleration", ldd)
    g = _struts(platform, pose, length)
    twist = _solve(platform, pose, g.rows, g.eta * ld)
    turn = twist[..., None, TWIST.angular]
    qd = cross(turn, g.arm)
    drive = drive_vectors(platform, g.coordinate, g.direction)
    across = twist[..., None, TWIST.linear] + qd - ld[..., None] * drive  # |S| sd
    right = (
        g.eta * ldd
        + (g.direction * drive_bends(platform, g.coordinate)).sum(-1) * ld * ld
        - (across * across).sum(-1) / np.linalg.norm(g.end - g.start, axis=-1)
        - (g.direction * cross(turn, qd)).sum(-1)
    )
    if g.pull is not None:
        rates = row_rates(platform, g, twist[..., TWIST.linear], twist[..., TWIST.angular])
        drift = ldd - (rates @ twist[..., None])[..., 0]
        right = np.where(np.isin(leg_table(platform)[:, LEG.kind], (SCREW, OFFSET)), drift, right)
    return twist, _solve(platform, pose, g.rows, right)


def twists(platform: Platform, pose: Pose, rate: Array) -> tuple[Array, NDArray[np.bool_]]:
    """`forward_rates` of many poses, NaN where a pose is singular, and where none is (...)."""
    g = struts(platform, pose)
    return _solution(g.rows, g.eta * rate)


def _solve(platform: Platform, pose: Pose, rows: Array, right: Array) -> Array:
    x, regular = _solution(rows, right)
    if not regular.all():
        where = [
            np.broadcast_to(a, (*regular.shape, *a.shape[len(pose.shape) :]))
            for a in (pose.position, pose.rotation)
        ]
        raise refuse(platform, Pose.trusted(*where), ~regular, DEPENDENT)
    return x


def _solution(rows: Array, right: Array) -> tuple[Array, NDArray[np.bool_]]:
    rows = np.broadcast_to(rows, (*right.shape[:-1], 6, 6))
    size = np.linalg.norm(rows, axis=-1, keepdims=True)
    J, r = rows / size, right[..., None] / size
    whole = np.isfinite(J).all(axis=(-1, -2)) & np.isfinite(r).all(axis=(-1, -2))
    J = np.where(whole[..., None, None], J, 0.0)
    largest = np.abs(J).max(axis=-2, keepdims=True)
    for part in (TWIST.linear, TWIST.angular):  # columns of one unit, whatever the machine's size
        largest[..., part] = np.maximum(largest[..., part].max(axis=-1, keepdims=True), 1e-300)
    values = np.linalg.svd(J / largest, compute_uv=False)
    regular = values[..., -1] > 1e-13 * values[..., 0]
    J = np.where(regular[..., None, None], J, np.eye(6))
    x = np.linalg.solve(J, np.broadcast_to(r, (*J.shape[:-1], 1)))[..., 0]
    return np.where(regular[..., None], x, np.nan), regular
