"""Where the joints of each leg are for a platform joint at P (world axes): plain trigonometry, test code.

Deliberately not the library's route: crank angles come from arccos and arctan2, not from its root formulas.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.checks import Array
from gough.model import CRANKS, RSS, RUS, SLIDERS, Leg, Platform
from gough.spatial import rotation_exp


def cross(a: Array, b: Array) -> Array:
    """``a x b`` of two 3-vectors; numpy's own takes ten times as long on so few numbers."""
    return np.array(
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    )


@dataclass(frozen=True)
class Closure:
    """One leg closed on its platform joint.

    coordinate   actuator coordinate;  foot  (3,) universal joint center
    s            (3,) strut direction;  k  (3,) first universal axis now, world axes
    axis_margin  ``1 - (k.s)^2``;  lever  |s.rail| (sliders), |s.n|/radius (cranks), 1 otherwise
    """

    coordinate: float
    foot: Array
    s: Array
    k: Array
    axis_margin: float
    lever: float


def closure(leg: Leg, P: Array) -> Closure | None:
    """The leg reaching P on its own branch, or None if it does not reach."""
    lever = 1.0
    k = getattr(leg, "axis", None)
    if isinstance(leg, SLIDERS):
        along = float((P - leg.base) @ leg.rail)
        across = P - leg.base - along * leg.rail
        square = leg.length**2 - float(across @ across)
        if square <= 0:
            return None
        coordinate = along - leg.assembly * float(np.sqrt(square))
        foot = leg.base + coordinate * leg.rail
        lever = abs(float((P - foot) @ leg.rail)) / leg.length
    elif isinstance(leg, CRANKS):
        angle = _crank(leg, P)
        if angle is None:
            return None
        turn = rotation_exp(angle * leg.shaft)
        coordinate, foot = angle, leg.base + turn @ leg.arm
        k = turn @ leg.axis if isinstance(leg, RUS) else leg.reference
        n = cross(leg.shaft, foot - leg.base)
        lever = abs(float((P - foot) @ n)) / leg.length / float(np.linalg.norm(n))
    else:
        foot, coordinate = leg.base, float(np.linalg.norm(P - leg.base))
        if k is None:
            k = leg.reference / np.linalg.norm(leg.reference)  # type: ignore[union-attr]
    s = (P - foot) / np.linalg.norm(P - foot)
    if k is None:  # a slider whose universal joint is at the platform
        k = np.zeros(3)
    return Closure(coordinate, foot, s, k, 1.0 - float(k @ s) ** 2, lever)


def _crank(leg: RUS | RSS, P: Array) -> float | None:
    """Crank angle by the law of cosines across the shaft; the elbow fixes sign(e.(u x s)) = -elbow."""
    e = leg.shaft
    h = float(e @ leg.arm)
    x = leg.arm - h * e
    radius = float(np.linalg.norm(x))
    x = x / radius
    y = cross(e, x)
    D = P - leg.base
    rod = leg.length**2 - (float(e @ D) - h) ** 2  # squared projection of the rod
    far = float(np.hypot(D @ x, D @ y))
    cosine = (far**2 + radius**2 - rod) / (2 * far * radius)
    if rod < 0 or abs(cosine) >= 1:
        return None
    center, half = float(np.arctan2(D @ y, D @ x)), float(np.arccos(cosine))
    for angle in (center + half, center - half):
        u = rotation_exp(angle * e) @ leg.arm
        if np.sign(e @ cross(u, D - u)) == -leg.elbow:
            return float((angle + np.pi) % (2 * np.pi) - np.pi)
    raise AssertionError("one of the two angles must have the wanted elbow")


def wrench_matrix(machine: Platform, t: Array, R: Array) -> Array:
    """``H``, columns (s_i, q_i x s_i)."""
    columns = []
    for leg in machine.legs:
        q = R @ leg.joint
        c = closure(leg, t + q)
        assert c is not None
        columns.append(np.concatenate([c.s, cross(q, c.s)]))
    return np.stack(columns, axis=1)
