"""Shared by the 6-UPS papers 000 and 001: panels per leg, drawings of the machine, numbers as text."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from gough.checks import Array
from gough.model import UPS, Body, ModelWarning, Platform
from gough.model.files import load
from gough.reproduce.page_types import Curve, Figure, Panel
from gough.spatial import Pose, rotation_x, rotation_z
from gough.trajectory import Trajectory, paper


def quiet_load(name: str) -> Platform:
    """A preset without its warnings: the page itself says what is not physical about it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return load(name)


def quiet_replace(platform: Platform, **changes: object) -> Platform:
    """A changed machine without warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return platform.replace(**changes)


def quiet_body(mass: float, center: Array, inertia: Array) -> Body:
    """A body whose tensor may be the papers' non-physical one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return Body(mass, center, inertia)


def as_motion(name: str) -> Trajectory:
    """A paper's path that prescribes the platform's motion."""
    path = paper(name)
    if not isinstance(path, Trajectory):
        raise TypeError(f"path {name} prescribes leg lengths")
    return path


def ups_legs(platform: Platform) -> tuple[UPS, ...]:
    """The legs, known to be UPS."""
    return tuple(leg for leg in platform.legs if isinstance(leg, UPS))


def leg_panels(time: Array, curves: Sequence[tuple[str, Array, str, int]], ylabel: str, word: str = "leg",
               bound: float | None = None) -> tuple[Panel, ...]:
    """Six panels over time; each curve is (label, values (n, 6), style, group).

    bound: where a leg's values exceed it, its axis is cut at -bound and bound.
    """
    largest = np.max([np.abs(values).max(axis=0) for _, values, _, _ in curves], axis=0)
    return tuple(
        Panel(f"{word} {i + 1}", "time (s)", ylabel,
              tuple(Curve(label, time, values[:, i], style, group) for label, values, style, group in curves),
              ylimits=(-bound, bound) if bound is not None and largest[i] > bound else None)
        for i in range(6)
    )


def worst(a: Array, b: Array) -> float:
    """Largest absolute difference over time and legs."""
    return float(np.abs(a - b).max())


def newtons(error: float, peak: float) -> str:
    """``"27.7 N (1.93 %)"``: an error and its share of the peak force."""
    digits = 1 if error >= 1 else 3
    return f"{error:.{digits}f} N ({100 * error / peak:.{2 if error / peak > 5e-4 else 3}f} %)"


def listing(values: Sequence[float] | Array, digits: int = 1) -> str:
    """Numbers in a row."""
    return ", ".join(f"{float(v):.{digits}f}" for v in values)


def view(points: Array, azimuth: float = 0.5, elevation: float = 0.35) -> Array:
    """Points (..., 3) seen from a direction (rad), (..., 2) in m."""
    turn = rotation_x(elevation) @ np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]]) @ rotation_z(azimuth)
    return (np.asarray(points) @ turn.T)[..., :2]


def machine_drawing(platform: Platform, pose: Pose, key: str, title: str, caption: str) -> Figure:
    """Base, platform and legs at a pose, seen from the side and from above."""
    b = platform.base_joints
    p = pose.position + platform.platform_joints @ pose.rotation.T
    panels = []
    for name, angles in (("view from the side", (0.5, 0.35)), ("view from above", (0.0, np.pi / 2))):
        B, P = view(b, *angles), view(p, *angles)
        ring = [*range(6), 0]
        curves = [Curve("base points", B[ring, 0], B[ring, 1], "aid", 1),
                  Curve("platform points", P[ring, 0], P[ring, 1], "exact", 0)]
        for i in range(6):
            leg = np.stack([B[i], P[i]])
            curves.append(Curve("legs" if i == 0 else "", leg[:, 0], leg[:, 1], "reference", 2))
        panels.append(Panel(name, "m", "m", tuple(curves), equal=True))
    return Figure(key, title, caption, tuple(panels), columns=2)
