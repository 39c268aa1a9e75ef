"""What the five papers' pages are built from: forces along a path, panels, drawings, tables, numbers as text."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gough.checks import Array
from gough.model import UPS, Body, Friction, ModelWarning, Platform
from gough.model.files import load
from gough.reproduce.page import Curve, Mark, Panel, mark
from gough.spatial import Motion, Pose, rotation_x, rotation_z
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


def without_friction(platform: Platform) -> Platform:
    """The same machine with frictionless joints."""
    return quiet_replace(platform, legs=[leg.replace(friction=Friction()) for leg in platform.legs])


def faster(motion: Motion, factor: float) -> Motion:
    """The same path, run `factor` times as fast."""
    k = factor
    return replace(
        motion,
        velocity=k * motion.velocity,
        angular_velocity=k * motion.angular_velocity,
        acceleration=k**2 * motion.acceleration,
        angular_acceleration=k**2 * motion.angular_acceleration,
        time=None if motion.time is None else motion.time / k,
    )


def errors_by_speed(
    motion: Motion, factors: Iterable[float], forces: Callable[[Motion], Forces]
) -> tuple[tuple[float, float], ...]:
    """Error as printed (percent of the peak) on a path run faster, by the platform's largest speed (m/s)."""
    found = [forces(faster(motion, factor)) for factor in factors]
    return tuple((f.speed, f.percent(f.printed)) for f in found)


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


@dataclass(frozen=True, eq=False)
class Forces:
    """Actuator forces (n, 6) of several models along one motion, measured against the exact ones."""

    motion: Motion
    exact: Array
    printed: Array

    @property
    def time(self) -> Array:
        """(n,) s."""
        assert self.motion.time is not None
        return self.motion.time

    @property
    def speed(self) -> float:
        """Largest speed of the platform's reference point, m/s."""
        return float(np.linalg.norm(self.motion.velocity, axis=-1).max())

    @property
    def peak(self) -> float:
        """Largest exact force, N."""
        return float(np.abs(self.exact).max())

    def off(self, other: Array) -> float:
        """Largest error of another model's forces, N."""
        return worst(other, self.exact)

    def percent(self, other: Array) -> float:
        """The same in percent of the peak."""
        return 100 * self.off(other) / self.peak

    def cost(self, other: Array) -> Newtons:
        """The same as a number that writes itself with its share of the peak."""
        return Newtons(self.off(other), self.peak)


class Newtons(float):
    """A force error that knows the peak force it is compared with: written as ``27.7 N (1.93 %)``."""

    peak: float

    def __new__(cls, error: float, peak: float) -> Newtons:
        self = super().__new__(cls, error)
        self.peak = peak
        return self

    def __format__(self, spec: str) -> str:
        if spec:
            return float(self).__format__(spec)
        digits, share = (1 if self >= 1 else 3), float(self) / self.peak
        return f"{float(self):.{digits}f} N ({100 * share:.{2 if share > 5e-4 else 3}f} %)"


Row = tuple[str, Array, str, int]
"""A curve of every leg: label, values (n, 6), style, group."""


def over_time(title: str, ylabel: str, curves: Iterable[Curve], **more: Any) -> Panel:
    """A panel over time."""
    return Panel(title, "time (s)", ylabel, tuple(curves), **more)


def six(label: str, time: Array, values: Array, style: str = "") -> tuple[Curve, ...]:
    """A curve for each leg: ``label`` with its number, a color each."""
    return tuple(Curve(f"{label}{i + 1}", time, values[:, i], style, i) for i in range(6))


def leg_panels(
    time: Array, rows: Sequence[Row], ylabel: str, word: str = "leg", bound: float | None = None
) -> tuple[Panel, ...]:
    """Six panels over time, one for each leg.

    bound: where a leg's values exceed it, its axis is cut at -bound and bound.
    """
    largest = np.max([np.abs(values).max(axis=0) for _, values, _, _ in rows], axis=0)
    return tuple(
        over_time(
            f"{word} {i + 1}",
            ylabel,
            [
                Curve(label, time, values[:, i], style, group)
                for label, values, style, group in rows
            ],
            ylimits=(-bound, bound) if bound is not None and largest[i] > bound else None,
        )
        for i in range(6)
    )


def error_curves(path: Forces, models: Mapping[str, Array]) -> list[Curve]:
    """Largest error of the six forces over time, a curve for each model."""
    return [
        Curve(label, path.time, np.abs(force - path.exact).max(axis=1), "", group)
        for group, (label, force) in enumerate(models.items())
    ]


def cost_panels(
    paths: Mapping[str, Forces],
    models: Callable[[Forces], Mapping[str, Array]],
    last: Callable[[Forces], tuple[str, Array, str]],
    ylimits: tuple[float, float],
) -> list[Panel]:
    """Not in the papers: the error of each erratum along some paths, and of one more model drawn in its own style."""
    panels = []
    for name, path in paths.items():
        label, force, style = last(path)
        error = Curve(label, path.time, np.abs(force - path.exact).max(axis=1), style, 9)
        curves = [*error_curves(path, models(path)), error]
        ylabel = "largest error of the six forces (N)"
        panels.append(over_time(f"Path {name}", ylabel, curves, yscale="log", ylimits=ylimits))
    return panels


def joint_rows(platform: Platform, names: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Vectors of every leg, by the names of its fields."""
    return [
        (str(i + 1), *(", ".join(f"{x:.4g}" for x in getattr(leg, name)) for name in names))
        for i, leg in enumerate(platform.legs)
    ]


def line(label: str, a: Any, b: Any, style: str, group: int) -> Curve:
    """A straight line from a to b, the first two components drawn."""
    ends = np.array([a[:2], b[:2]], dtype=float)
    return Curve(label, ends[:, 0], ends[:, 1], style, group)


def worst(a: Array, b: Array) -> float:
    """Largest absolute difference over time and legs."""
    return float(np.abs(a - b).max())


def view(points: Array, azimuth: float = 0.5, elevation: float = 0.35) -> Array:
    """Points (..., 3) seen from a direction (rad), (..., 2) in m."""
    turn = (
        rotation_x(elevation) @ np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]]) @ rotation_z(azimuth)
    )
    return (np.asarray(points) @ turn.T)[..., :2]


def machine_panels(
    platform: Platform,
    pose: Pose,
    sliders: Array | None = None,
    letters: tuple[str, str] = ("b", "p"),
) -> list[Panel]:
    """Base, platform, legs and both frames at a pose, from the side and from above, joints labelled by `letters`.

    sliders: (6, 3) ends of PUS actuators.
    """
    b = platform.base_joints
    p = pose.position + platform.platform_joints @ pose.rotation.T
    size = 0.3 * float(np.ptp(np.vstack([b, p]), axis=0).max())
    frames = {"W": (np.zeros(3), np.eye(3)), "P": (pose.position, pose.rotation)}
    panels = []
    views = {"view from the side": (0.5, 0.35), "view from above": (0.0, np.pi / 2)}
    for name, angles in views.items():
        B, P = view(b, *angles), view(p, *angles)
        E = B if sliders is None else view(sliders, *angles)
        ring = [*range(6), 0]
        curves = [
            Curve("base joints", B[ring, 0], B[ring, 1], "aid", 1),
            Curve("platform joints", P[ring, 0], P[ring, 1], "exact", 0),
        ]
        for i in range(6):
            legs = "" if i else ("legs" if sliders is None else "links")
            if sliders is not None:
                curves.append(line("" if i else "actuators", B[i], E[i], "difference", 3))
            curves.append(line(legs, E[i], P[i], "reference", 2))
        marks = [*_joint_marks(letters[0], B), *_joint_marks(letters[1], P)]
        marks += [mark(str(i + 1), (E[i] + P[i]) / 2) for i in range(6)]
        for frame, (origin, axes) in frames.items():
            tips = view(origin + size * axes.T, *angles)
            start = view(origin, *angles)
            marks.append(mark(frame, start))
            for axis, tip in zip("xyz", tips, strict=True):
                if np.linalg.norm(tip - start) > 0.1 * size:  # an axis seen end on has no length
                    x, y = np.stack([start, tip]).T
                    curves.append(Curve("", x, y, "difference", 4, "force"))
                    marks.append(mark(axis, tip))
        panels.append(Panel(name, "m", "m", tuple(curves), equal=True, marks=tuple(marks)))
    return panels


def _joint_marks(letter: str, points: Array) -> list[Mark]:
    """A letter and number at every joint; joints drawn at one place share their mark."""
    places: dict[tuple[float, ...], list[str]] = {}
    for i, point in enumerate(points):
        places.setdefault(tuple(np.round(point, 6)), []).append(f"{letter}{i + 1}")
    return [mark(", ".join(names), place) for place, names in places.items()]
