"""Stiffness of cubic hexapods, strokes and mobility in the notes of a thesis project."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from gough.checks import Array
from gough.reproduce.codes.geometry import jacobian, legs, numbers, ring
from gough.spatial import rotation_x, rotation_y


def cube(height: float, above: float, size: float, center: float) -> Array:
    """Stiffness (6, 6) about B of struts of stiffness one along six edges of a cube that stands on a corner."""
    edge = np.sqrt(3) * size
    axes = np.array([[2, -1, -1], [0, 1, -1], [1, 1, 1]]) / np.sqrt([[6], [2], [3]])
    corners = edge * np.array([[0, 0, 1], [1, 0, 1], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 1, 1]])
    corners = corners @ axes.T - [0, 0, 1.5 * size]  # lower corners 1, 3, 5 and upper ones 2, 4, 6
    low, high = corners[[0, 2, 2, 4, 4, 0]], corners[[1, 1, 3, 3, 5, 5]]
    s = (high - low) / np.linalg.norm(high - low, axis=-1, keepdims=True)
    start = low + np.array([0, 0, center])
    end = start + ((height - center + size / 2) / s[:, 2])[:, None] * s
    J = jacobian(s, end - [0, 0, height + above])
    return J.T @ J


def digits_off(found: float, printed: float, figures: int = 2) -> float:
    """Difference in units of the last printed figure; below one half means met to rounding."""
    if printed == 0:
        return 0.0 if abs(found) < 1e-12 else np.inf
    unit = 10.0 ** (np.floor(np.log10(abs(printed))) + 1 - figures)
    return float(abs(found - printed) / unit)


def values() -> dict[str, Any]:
    """Everything its tables print."""
    d = numbers()["thesis"]
    stiff = []
    for height, above, size, center, *printed in d["cubes"]:
        K = cube(height, above, size, center)
        stiff += [digits_off(a, b) for a, b in zip([*np.diag(K), K[0, 4]], printed, strict=True)]
    fixed = ring(d["fixed"][0], d["fixed_angles"], d["fixed"][1])
    moving = ring(d["moving"][0], d["moving_angles"], -d["moving"][1])
    bottom, top = fixed - [0, 0, d["height"] + d["above"]], moving - [0, 0, d["above"]]
    length, s = legs(bottom, top, np.zeros(3), np.eye(3))
    reach = np.array([d["translation"]] * 3 + [d["rotation"]] * 2 + [0.0])
    pure = jacobian(s, top) * reach
    strokes = []
    for signs in product((-1, 1), repeat=5):
        x = np.array([*signs, 0]) * reach
        turned = rotation_y(x[4]) @ rotation_x(x[3])
        strokes.append(legs(bottom, top, x[:3], turned)[0] - length)
    listed = np.array(strokes[: d["combinations"]])
    bend = [
        np.arccos(
            np.clip(
                (legs(bottom, top, d["translation"] * np.array(t), np.eye(3))[1] * s).sum(-1), -1, 1
            )
        )
        for t in product((-1, 1), repeat=3)
    ]
    polar, around = np.meshgrid(
        np.linspace(0, np.pi, 50), np.linspace(0, 2 * np.pi, 50), indexing="ij"
    )
    u = np.stack(
        [np.sin(polar) * np.cos(around), np.sin(polar) * np.sin(around), np.cos(polar)], axis=-1
    )
    most = np.abs(u @ s.T).max(axis=-1)
    return {
        "stiffness_off": np.array(stiff),
        "stiffness_entries": len(stiff),
        "stroke_pure": 1e6 * np.ptp(pure),
        "stroke_combined": 1e6 * (listed.max() - listed.min()),
        "stroke_all": 1e6 * (np.max(strokes) - np.min(strokes)),
        "bending": 1e3 * np.max(bend),
        "radius_theirs": 1e6 * (most * d["stroke"]).min(),
        "radius_right": 1e6 * (d["stroke"] / most).min(),
        "radius_printed": 1e6 * d["radius"],
    }
