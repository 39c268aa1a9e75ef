"""A robot's head on six cranks: its Newton step has the rod vector where its direction belongs."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.checks import Array
from gough.reproduce.codes.geometry import jacobian, numbers
from gough.spatial import rotation_exp


def _motors(d: dict[str, Any]) -> list[tuple[Array, Array]]:
    """Rotation and origin of every motor in the world (published the other way round)."""
    found = []
    for row in d["motors"]:
        M = np.array(row)
        found.append((M[:, :3].T, -M[:, :3].T @ M[:, 3]))
    return found


def _crank_tips(d: dict[str, Any], R: Array, place: Array) -> Array:
    """(6, 3) ends of the cranks that put the head at a pose: where rod and crank circle meet."""
    tips = []
    for (turn, origin), joint, sign in zip(_motors(d), d["joints"], d["solutions"], strict=True):
        x, y, z = turn.T @ (place + R @ np.array(joint) - origin)
        reach, middle = np.hypot(x, y), np.arctan2(y, x)
        cosine = (reach**2 + z**2 + d["arm"] ** 2 - d["rod"] ** 2) / (2 * d["arm"] * reach)
        angle = middle + sign * np.arccos(cosine)
        tips.append(origin + turn @ (d["arm"] * np.array([np.cos(angle), np.sin(angle), 0.0])))
    return np.array(tips)


def _step(
    d: dict[str, Any], tips: Array, R: Array, place: Array, right: bool
) -> tuple[Array, Array]:
    """Rod length errors and the step (platform axes) that its Jacobian, or the right one, asks for."""
    joints = np.array(d["joints"])
    rods = joints - (tips - place) @ R
    length = np.linalg.norm(rods, axis=-1)
    rows = rods / length[:, None] if right else rods
    error = d["rod"] - length
    return error, np.linalg.solve(jacobian(rows, joints), error)


def _search(d: dict[str, Any], tips: Array, right: bool) -> tuple[int, int, Array]:
    """Steps and halvings from the middle pose to rod errors below `enough`, halving where the error would grow."""
    R, place = np.eye(3), np.array([0.0, 0.0, d["height"]])
    steps = halvings = 0
    error, move = _step(d, tips, R, place, right)
    while np.linalg.norm(error) > d["enough"] and steps < 200:
        for _ in range(d["halvings"]):
            to, turned = place + R @ move[:3], R @ rotation_exp(move[3:])
            if np.linalg.norm(_step(d, tips, turned, to, right)[0]) < np.linalg.norm(error):
                place, R = to, turned
                break
            move, halvings = move / 2, halvings + 1
        steps += 1
        error, move = _step(d, tips, R, place, right)
    return steps, halvings, place


def values() -> dict[str, Any]:
    """How much too long its steps are, and what its line search makes of them."""
    d = numbers()["head"]
    ratios, ours, theirs, halvings, off = [], [], [], [], 0.0
    for turn, move in zip(d["turns"], d["moves"], strict=True):
        goal = np.array([0.0, 0.0, d["height"]]) + np.array(move)
        tips = _crank_tips(d, rotation_exp(np.array(turn)), goal)
        start = np.eye(3), np.array([0.0, 0.0, d["height"]])
        long, right = (np.linalg.norm(_step(d, tips, *start, r)[1]) for r in (False, True))
        ratios.append(float(long / right))
        steps, _, place = _search(d, tips, True)
        ours.append(steps)
        off = max(off, float(np.abs(place - goal).max()))
        steps, halved, _ = _search(d, tips, False)
        theirs.append(steps)
        halvings.append(halved)
    return {
        "head_ratio": ratios,
        "head_inverse_rod": 1 / d["rod"],
        "head_steps": theirs,
        "head_halvings": halvings,
        "head_newton": ours,
        "head_off": off,
    }
