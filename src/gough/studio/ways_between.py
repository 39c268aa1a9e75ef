"""Ways between assembly modes: what the platform would pass on them, sampled, and what of it is proved.

straight  position and quaternion linear (kinematics/regular_paths.py judges the whole way where it can)
planned   corners of `gough.plan_path`, straight pieces between them: proved free of singular poses
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import gough
from gough.analysis.reachable import BEYOND, apart
from gough.analysis.singularity import singularity
from gough.checks import Array, InfeasibleError, InputError
from gough.kinematics.regular_paths import path_check
from gough.limits import KINDS, check
from gough.model import Platform
from gough.spatial import Pose, quaternion_from_rotation, rotation_from_quaternion
from gough.studio import view_messages as v
from gough.studio.messages import Gaps
from gough.studio.numbering import place

if TYPE_CHECKING:
    from gough.studio.session import Session

SAMPLES = 201
MOST_ROWS = 64
HALVINGS = 40
OF_A_POSE = tuple(kind for kind in KINDS if kind not in ("reach", "speed", "force"))
PASSES = (
    "on this way the machine passes a singular pose: there the actuators do not hold the platform"
)
UNSAFE = "so the actuators alone do not lead the platform along it"


def rate_poses(session: Session, message: v.RatePoses) -> v.PosesRated:
    """Condition, determinant and limits of poses."""
    if not 1 <= len(message.rows) <= MOST_ROWS or any(len(row) != 7 for row in message.rows):
        raise InputError(
            "rows", f"{len(message.rows)} given", f"must be 1 to {MOST_ROWS} rows of seven numbers"
        )
    poses = _poses(np.array(message.rows))
    limits = [check(session.platform, pose) for pose in poses]
    said = tuple(next(iter(found.sentences()), "") for found in limits)
    limited = any(np.isfinite(found.margin[kind]).any() for found in limits for kind in OF_A_POSE)
    figures = _figures(session.platform, poses)
    return v.PosesRated(
        message.id, session.count, *figures, said, bool(limited), limits[0].unchecked
    )


def find_way(session: Session, message: v.FindWay) -> v.WayShown:
    """The way from the pose to the other one with condition and determinant along it."""
    platform = session.platform
    start, end = place(platform, message.pose), _poses(np.array(message.to)[None])[0]
    corners = Pose(
        np.stack([start.position, end.position]), np.stack([start.rotation, end.rotation])
    )
    if message.planned:
        plan = gough.plan_path(platform, start, end)
        if plan.poses is None:
            raise InfeasibleError("no way was planned: " + "; ".join(plan.sentences[:2]))
        corners, verdict, text = plan.poses, "regular", plan.sentences
    else:
        verdict, text = _judged(platform, start, end)
    share = np.linspace(0.0, 1.0, SAMPLES)
    poses = _along(corners, share)
    condition, determinant, margin = _figures(platform, poses)
    crossings = _crossings(platform, corners, share, determinant)
    if crossings and verdict == "undecided":
        verdict, text = "sampled crossing", (f"sampled: {PASSES}", UNSAFE, *text)
    lost = sum(x is None for x in condition)
    if lost:
        text = (*text, f"{lost} of {SAMPLES} samples are out of reach of a leg")
    rows = np.hstack([poses.position, quaternion_from_rotation(poses.rotation)])
    return v.WayShown(
        message.id,
        session.count,
        tuple(share.tolist()),
        tuple(map(tuple, rows.tolist())),
        condition,
        determinant,
        margin,
        crossings,
        verdict,
        tuple(text),
    )


def _judged(platform: Platform, start: Pose, end: Pose) -> tuple[str, tuple[str, ...]]:
    """What is proved of the straight way."""
    try:
        found = path_check(platform, start, end)
    except InputError as error:
        return "undecided", (f"nothing is proved: {error}",)
    if found.regular:
        return "regular", ("proved: no pose on this straight way is singular",)
    if found.crossing:
        at = f"regular up to {100 * float(found.at):.4g} % of it"
        return "crossing", (f"proved: {PASSES} ({at})", UNSAFE)
    if apart(platform, start, end):
        return "crossing", (BEYOND, UNSAFE)
    return "undecided", ("neither proved regular nor proved to cross a singularity",)


def _along(corners: Pose, share: Array) -> Pose:
    """Poses at shares of the way, its pieces of equal share; position and quaternion linear in each."""
    quaternion = quaternion_from_rotation(corners.rotation)
    for k in range(1, len(quaternion)):
        if quaternion[k - 1] @ quaternion[k] < 0.0:
            quaternion[k] = -quaternion[k]
    at = share * (len(quaternion) - 1)
    piece = np.minimum(at.astype(int), len(quaternion) - 2)
    u = (at - piece)[:, None]
    mix = [(1 - u) * row[piece] + u * row[piece + 1] for row in (corners.position, quaternion)]
    q = mix[1] / np.linalg.norm(mix[1], axis=-1, keepdims=True)
    return Pose(mix[0], rotation_from_quaternion(q))


def _figures(platform: Platform, poses: Pose) -> tuple[Gaps, Gaps, Gaps]:
    """Condition, determinant and smallest margin; None where a leg does not reach or nothing is limited."""
    found = singularity(platform, poses)
    return (
        _gaps(found.condition),
        _gaps(found.determinant),
        _gaps(check(platform, poses).worst),
    )


def _gaps(values: Array) -> Gaps:
    return tuple(x if np.isfinite(x) else None for x in np.asarray(values).tolist())


def _crossings(
    platform: Platform, corners: Pose, share: Array, determinant: Gaps
) -> tuple[float, ...]:
    """Where the determinant changes its sign between two samples, by bisection."""
    found = []
    for k in range(len(share) - 1):
        a, b = determinant[k], determinant[k + 1]
        if a is None or b is None or a * b >= 0.0:
            continue
        low, high = float(share[k]), float(share[k + 1])
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            here = float(singularity(platform, _along(corners, np.array([middle]))).determinant[0])
            low, high = (middle, high) if here * a > 0.0 else (low, middle)
        found.append(0.5 * (low + high))
    return tuple(found)


def _poses(rows: Array) -> Pose:
    size = np.linalg.norm(rows[:, 3:], axis=-1, keepdims=True)
    if not (size > 1e-6).all():
        raise InputError("rows", rows[:, 3:].tolist(), "must have quaternions that are not zero")
    return Pose(rows[:, :3], rotation_from_quaternion(rows[:, 3:] / size))
