"""Two telescope hexapods: tables of their inverse kinematics, and a forward kinematics that searches."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import minimize

from gough.checks import Array
from gough.reproduce.codes.geometry import legs, newton, numbers, ring
from gough.spatial import rotation_x, rotation_y, rotation_z


def changes(x: Array, pivot: Array, moving: Array, fixed: Array) -> Array:
    """(6,) change of length when the moving ends shift by x[:3] and turn by Rx Ry Rz about the pivot, m and rad."""
    R = rotation_x(x[3]) @ rotation_y(x[4]) @ rotation_z(x[5])
    now, _ = legs(fixed, moving - pivot, x[:3] + pivot, R)
    return now - np.linalg.norm(moving - fixed, axis=-1)


def values() -> dict[str, Any]:
    """Tables, the search beside Newton's method, and what the text says of the M2 hexapod's struts."""
    d = numbers()["telescope"]
    pivot, fixed, moving = (
        np.array(d[k]) for k in ("pivot", "mirror", "base")
    )  # its base is what moves
    pose, printed = np.array(d["pose"]), np.array(d["lengths"])
    found = changes(pose, pivot, moving, fixed)
    search: Any = minimize(
        lambda x: np.sum((changes(x, pivot, moving, fixed) - found) ** 2),
        np.zeros(6),
        method="Nelder-Mead",
        tol=1e-6,
    )
    lengths = found + np.linalg.norm(moving - fixed, axis=-1)
    place, steps = newton(fixed, moving - pivot, lengths, pivot, np.eye(3), 1e-12)
    return {
        "camera_off": float(np.abs(found - printed).max()),
        "zigzag_off": _zigzag(d),
        "search_evaluations": int(search.nfev),
        "search_off": 1e6 * float(np.abs(search.x[:3] - pose[:3]).max()),
        "search_newton": steps,
        "search_newton_off": 1e6 * float(np.abs(place - pivot - pose[:3]).max()),
        **_m2(d),
    }


def _zigzag(d: dict[str, Any]) -> float:
    """Largest difference from the printed changes of a shifted zigzag hexapod, micrometers."""
    inner, outer, height, first = d["zigzag"]
    base = ring(inner, [first + a for a in (0, 120, 120, 240, 240, 0)])
    mirror = ring(outer, [first + a for a in (60, 60, 180, 180, 300, 300)], height)
    shift = np.array([*(1e-6 * np.array(d["zigzag_move"])), 0.0, 0.0, 0.0])
    found = changes(shift, np.array(d["zigzag_pivot"]), base, mirror)
    return float(np.abs(1e6 * found - d["zigzag_lengths"]).max())


def _m2(d: dict[str, Any]) -> dict[str, Any]:
    """Rates of the M2 struts for a unit shift along x, y and z."""
    fixed, moving = np.array(d["m2_mirror"]), np.array(d["m2_base"])
    _, n = legs(fixed, moving, np.zeros(3), np.eye(3))
    x, y, z = np.abs(n.T)
    return {
        "m2_z_idle": float(z[3:].max()),
        "m2_z_used": float(z[:3].min()),
        "m2_x_idle": float(x[:3].max()),
        "m2_x_most": int(x.argmax()) + 1,
        "m2_y_idle": float(np.delete(y, [4, 5]).max()),
        "m2_y_used": float(y[4:].min()),
    }
