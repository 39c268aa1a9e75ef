"""Forward kinematics of a machine-tool controller: angle steps, and what it makes of a length that is no number."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.checks import Array
from gough.reproduce.codes.geometry import jacobian, legs, numbers
from gough.spatial import rotation_exp, rotation_from_rpy


def search(d: dict[str, Any], wanted: Array, angles: bool) -> tuple[str, int, Array]:
    """How it ends, steps and position.  angles: the turn is subtracted from roll, pitch and yaw, as the code does."""
    base, joints = np.array(d["base"]), np.array(d["platform"])
    place, rpy = np.array(d["start"][:3]), np.radians(d["start"][3:])
    R, error, step = rotation_from_rpy(rpy), 1.0, 0
    while True:
        if error > d["largest"] or error < -d["largest"]:
            return "too far", step, place
        step += 1
        if step > d["limit"]:
            return "too long", step - 1, place
        R = rotation_from_rpy(rpy) if angles else R
        length, n = legs(base, joints, place, R)
        off = length - wanted
        move = np.linalg.inv(jacobian(n, joints @ R.T)) @ off
        place, rpy = place - move[:3], rpy - move[3:]
        R = rotation_exp(-move[3:]) @ R
        error = float(np.abs(off).sum())
        if not any(abs(x) > d["enough"] for x in off):  # a comparison with NaN is false
            return "converged", step, place


def values() -> dict[str, Any]:
    """Steps of its iteration and of Newton's method to the same poses; its answer to a length that is no number."""
    d = numbers()["machine_tool"]
    base, joints = np.array(d["base"]), np.array(d["platform"])
    theirs, ours, off, wanted = [], [], 0.0, np.zeros(6)
    for goal in d["goals"]:
        wanted, _ = legs(base, joints, goal[:3], rotation_from_rpy(np.radians(goal[3:])))
        end, steps, place = search(d, wanted, True)
        theirs.append(steps if end == "converged" else d["limit"])
        off = max(off, float(np.abs(place - goal[:3]).max()))
        ours.append(search(d, wanted, False)[1])
    with np.errstate(invalid="ignore"):
        broken, _, place = search(d, np.where(np.arange(6) == 2, np.nan, wanted), True)
    return {
        "tool_steps": theirs,
        "tool_newton": ours,
        "tool_off": off,
        **{f"tool_ratio_{i + 1}": a / b for i, (a, b) in enumerate(zip(theirs, ours, strict=True))},
        "tool_broken": broken,
        "tool_broken_pose": bool(np.isnan(place).all()),
    }
