"""A notebook whose Jacobian takes the platform's joints in the world frame for those in the platform's own."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.checks import Array
from gough.reproduce.codes.geometry import jacobian, legs, newton, numbers, percent
from gough.spatial import rotation_exp, rotation_from_rpy, rotation_x, rotation_y, rotation_z


def _pairs(radius: float, spread: float) -> Array:
    """Joints half the angle `spread` (deg) to either side of 0, 120 and 240 deg, in the notebook's order."""
    middle = np.array([0, 120, 120, 240, 240, 0])
    a = np.radians(middle + np.array([1, -1] * 3) * spread / 2)
    return np.stack([radius * np.cos(a), radius * np.sin(a), np.zeros(6)], axis=-1)


def values() -> dict[str, Any]:
    """Jacobian, forces and forward kinematics, as it has them and right."""
    d = numbers()["notebook"]
    base, joints = _pairs(*d["base"]), _pairs(*d["platform"])
    place, R = np.array(d["pose"][:3]), rotation_from_rpy(np.radians(d["pose"][3:]))
    length, n = legs(base, joints, place, R)
    right = jacobian(n, joints @ R.T)
    theirs = jacobian(
        n, (place + joints @ R.T) @ R.T
    )  # rotated once more, and from the world's origin
    step = 1e-6
    moved = [
        [
            legs(base, joints, place + s * h[:3], rotation_exp(s * h[3:]) @ R)[0]
            for s in (step, -step)
        ]
        for h in np.eye(6)
    ]
    slope = np.stack([(a - b) / (2 * step) for a, b in moved], axis=-1)
    load = np.array(d["load"])
    found, left, steps = _forward(base, joints, length, d)
    start = d["start"][:3], rotation_from_rpy(np.radians(d["start"][3:]))
    exact, newton_steps = newton(base, joints, length, *start, d["tolerance"])
    return {
        "notebook_jacobian": percent(theirs, slope),
        "notebook_right": percent(right, slope),
        "notebook_forces": percent(np.linalg.solve(theirs.T, load), np.linalg.solve(right.T, load)),
        "notebook_conditions": [np.linalg.cond(theirs), np.linalg.cond(right)],
        "notebook_left": left,
        "notebook_steps": steps,
        "notebook_tolerance": d["tolerance"],
        "notebook_off": float(np.linalg.norm(found - place)),
        "newton_steps": newton_steps,
        "newton_off": float(np.linalg.norm(exact - place)),
    }


def _forward(
    base: Array, joints: Array, wanted: Array, d: dict[str, Any]
) -> tuple[Array, float, int]:
    """Its iteration: damped steps with its Jacobian, angles handed over in another order than they are read."""
    place, angles = np.array(d["start"][:3]), np.radians(d["start"][3:])
    frame, left, count = rotation_from_rpy(angles), np.inf, 0
    while left > d["tolerance"] and count < d["steps"]:
        R = rotation_from_rpy(angles)
        length, n = legs(base, joints, place, R)
        J = jacobian(n, (place + joints @ R.T) @ R.T)
        move = np.linalg.solve(J.T @ J + d["damping"] * np.eye(6), J.T @ (wanted - length))
        first, second, third = d["shares"][1] * move[3:]
        turn = rotation_z(first) @ rotation_y(second) @ rotation_x(third)
        place, frame = turn @ place + move[:3], turn @ frame
        angles = _zyx(frame)  # yaw, pitch, roll, read as roll, pitch, yaw in the next step
        left, count = float(np.linalg.norm(wanted - length)), count + 1
    return place, left, count


def _zyx(R: Array) -> Array:
    """Yaw, pitch, roll of ``Rz Ry Rx``."""
    pitch = np.arcsin(np.clip(-R[2, 0], -1, 1))
    return np.array([np.arctan2(R[1, 0], R[0, 0]), pitch, np.arctan2(R[2, 1], R[2, 2])])
