"""Forward kinematics of machines whose screws turn with the platform, or whose universal joints have offsets: Newton
with the full rows of the rates.

The platform joint of such a leg is on no sphere about its base joint (the twist enters its coordinate; the axes of its
joints do not meet), so nothing here is certified: a pose is answered only where the legs of that pose have the
coordinates asked for, to rounding.
    lam(x) = L + h (phi - phi_s),   rows (s + h j_s, q x (s + h j_s) + h j_w)       docs/derivations/ucu.md, offset.md
Newton starts from the guess; where it fails, from the pose of the ideal machine without screws and offsets.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.checks import Array, kept
from gough.kinematics.forward_results import ForwardKinematics, bare_pose, flat_pose
from gough.layout import FORWARD_SOLUTION as INFO
from gough.layout import LEG_GEOMETRY as LEG
from gough.layout import POSE, TWIST
from gough.model import Platform
from gough.spatial import Pose, rotation_exp
from gough.struts import CRANK, leg_table, struts

MOST_STEPS = 20
ROUNDING = 64 * np.finfo(float).eps  # of the legs' coordinates, relative to the machine's size
BEST = ROUNDING / 16  # what is not as near takes one more step
CONVERGED, NO_CONVERGENCE = 0.0, 1.0


@kept
def ideal(platform: Platform) -> Platform:
    """The same machine without its screws, the axes of its joints meeting: coordinates are lengths."""
    real = ("screw", "base_offset", "platform_offset")
    legs = [
        leg.replace(**{name: None for name in real if getattr(leg, name, None) is not None})
        for leg in platform.legs
    ]
    return platform.replace(legs=tuple(legs))


def screwed_forward(platform: Platform, lam: Array, start: Array) -> ForwardKinematics:
    """Poses with coordinates lam (N, 6) near start (N, 12) or (1, 12)."""
    from gough.kinematics.forward import forward_kinematics

    start = np.broadcast_to(start, (len(lam), POSE.size))
    flat, info = newton(platform, lam, start)
    lost = info[:, INFO.status] != CONVERGED
    if lost.any():
        g = struts(platform, bare_pose(start[lost]))
        bare = struts(ideal(platform), bare_pose(start[lost])).coordinate
        length = lam[lost] - (g.coordinate - bare)
        near = np.isfinite(length).all(axis=1) & (length > 0.0).all(axis=1)
        again = np.flatnonzero(lost)[near]
        if len(again):
            fk = forward_kinematics(
                ideal(platform), length[near], bare_pose(start[again]), certify=False
            )
            flat[again], info[again] = newton(platform, lam[again], flat_pose(fk.pose))
    flat[info[:, INFO.status] != CONVERGED] = np.nan
    return ForwardKinematics(flat, info)


def newton(platform: Platform, lam: Array, start: Array) -> tuple[Array, Array]:
    """(N, 12) poses and (N, INFO.size) what became of them."""
    flat, info = np.array(start), np.zeros((len(lam), INFO.size))
    info[:, INFO.status], info[:, INFO.residual] = NO_CONVERGENCE, np.nan
    turns = leg_table(platform)[:, LEG.kind] == CRANK
    size = platform.characteristic_length + np.abs(lam).max(axis=1, initial=0.0)
    open_: Any = np.isfinite(flat).all(axis=1)
    near = np.zeros(len(lam), dtype=bool)
    for step in range(MOST_STEPS + 1):
        at = np.flatnonzero(open_)
        if not len(at):
            break
        pose = bare_pose(flat[at])
        g = struts(platform, pose)
        error = lam[at] - g.coordinate
        error = np.where(turns, error - 2 * np.pi * np.round(error / (2 * np.pi)), error)
        left = np.abs(error * g.rho).max(axis=1)
        rows = g.rows
        good = np.isfinite(left) & np.isfinite(rows).all(axis=(1, 2))
        fine = good & (left <= np.where(near[at], ROUNDING, BEST) * size[at])
        near[at] = good & (left <= ROUNDING * size[at])
        info[at, INFO.residual], info[at, INFO.iterations] = left, step
        info[at[fine], INFO.status] = CONVERGED
        change, regular = _step(rows, np.where(good[:, None], g.eta * error, 0.0), good)
        open_[at] = regular & ~fine
        flat[at] = np.where(open_[at][:, None], _moved(pose, change), flat[at])
    return flat, info


def _step(rows: Array, right: Array, good: Any) -> tuple[Any, Any]:
    """Newton's step, and where there is one."""
    rows = np.where(good[:, None, None], rows, np.eye(6))
    regular = good & (np.abs(np.linalg.det(rows)) > 0.0)
    rows = np.where(regular[:, None, None], rows, np.eye(6))
    return np.linalg.solve(rows, right[..., None])[..., 0], regular


def _moved(pose: Pose, change: Array) -> Array:
    """The pose a small displacement away, its rotation made orthogonal again."""
    R = rotation_exp(change[:, TWIST.angular]) @ pose.rotation
    u, _, v = np.linalg.svd(np.where(np.isfinite(R), R, 0.0))
    return flat_pose(Pose.trusted(pose.position + change[:, TWIST.linear], u @ v))
