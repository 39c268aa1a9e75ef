"""Limits and angles in exported C, traced: margins of stroke and joint cones, a rotation from three angles.

    stroke  min(l - low, high - l)/(high - low);    cone  (half - angle)/half,  angle = 2 atan2(|a - s|, |a + s|)
s: direction of the strut, a: axis of the cone, at the base in world axes, at the platform in platform axes and from the
other end; as gough/limits.py.  Angles: gough/orientations.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.checks import Array, InputError
from gough.engines.plain import NO_SPIN, machine
from gough.engines.tracer import Program, record
from gough.equations.machine import offsets
from gough.equations.scalar import angle, smaller
from gough.equations.vec import Vec, dot, norm
from gough.export.c_compact import LegPlaces
from gough.layout import LEG_MOTION, MOTION, POSE, Layout
from gough.limits import check, cone_axes
from gough.model import Platform
from gough.orientations import OTHERS, axes_of, check_convention
from gough.simulation.programs import named
from gough.spatial import Pose

UNLIMITED = 1e30  # margin of a limit that a leg does not have
LIMITED = Layout(low=1, high=1, base_cone=1, base_axis=3, platform_cone=1, platform_axis=3)
CONES = ("base_cone", "platform_cone")


def limit_numbers(platform: Platform) -> Array:
    """(rows of LIMITED, 6); NaN where a leg has no such limit."""
    out, axes = np.full((LIMITED.size, 6), np.nan), cone_axes(platform)
    for i, leg in enumerate(platform.legs):
        if leg.limits.stroke is not None:
            out[LIMITED.low, i], out[LIMITED.high, i] = leg.limits.stroke
        for side, name in enumerate(CONES):
            half = getattr(leg.limits, name)
            if half is not None and np.isfinite(axes[side, i]).all():
                out[getattr(LIMITED, name), i] = half
                out[LIMITED.at(name) + 1 : LIMITED.at(name) + 4, i] = axes[side, i]
    return out


def margins_program(kinds: tuple[str, ...], numbers: Array) -> Program:
    """x: motion at rest;  par: machine, then the rows of `numbers`  ->  margins of strokes, base and platform cones."""
    functions, first = machine(kinds), offsets(kinds)[-1]
    has = np.isfinite(numbers)

    def f(x: Any, par: Any) -> list[Any]:
        flat = functions.kinematics(x, NO_SPIN, functions.unpack(par[:first]))
        R = x[POSE.rotation]
        strokes, cones = [], ([], [])
        for i in range(6):
            leg = named(LEG_MOTION, flat[LEG_MOTION.size * i :])
            law = par[first + i :: 6]
            low, high = law[LIMITED.low], law[LIMITED.high]
            l, s = leg["coordinate"][0], Vec(*leg["direction"])
            inside = smaller(l - low, high - l) / (high - low)
            strokes.append(inside if has[LIMITED.low, i] else UNLIMITED)
            back = Vec(*(-(s.x * R[k] + s.y * R[3 + k] + s.z * R[6 + k]) for k in range(3)))
            for name, strut, margins in zip(CONES, (s, back), cones, strict=True):
                at = LIMITED.at(name)
                cone = _cone(law[at], Vec(*law[at + 1 : at + 4]), strut)
                margins.append(cone if has[at, i] else UNLIMITED)
        return [*strokes, *cones[0], *cones[1]]

    return record(f, {"x": MOTION.size, "par": first + numbers.size})


def _cone(half: Any, axis: Vec, strut: Vec) -> Any:
    less, more = axis - strut, axis + strut
    return (half - 2.0 * angle(norm(less), norm(more))) / half


def margins_places(kinds: tuple[str, ...]) -> LegPlaces:
    """Where it finds the numbers of a leg."""
    at = offsets(kinds)
    return LegPlaces((), at[0], at[1] - at[0], LIMITED.size)


def reference_margins(platform: Platform, pose: Pose) -> Array:
    """(18,) what `gough.limits.check` says, `UNLIMITED` where there is no limit."""
    found = check(platform, pose).margin
    rows = np.concatenate([found[kind] for kind in ("stroke", "base cone", "platform cone")])
    return np.where(np.isnan(rows), UNLIMITED, rows)


def turned_program(convention: str) -> Program:
    """x: cosines 3, sines 3 of the angles  ->  R by rows."""
    check_convention("angles", convention)
    if OTHERS.get(convention, 3) != 3 or convention == "vector":
        raise InputError("angles", convention, "must be rpy or a sequence of three angles")
    axes, moving = axes_of("XYZ extrinsic" if convention == "rpy" else convention)

    def f(x: Any) -> list[Any]:
        turns = [_turn(axis, x[i], x[3 + i]) for i, axis in enumerate(axes)]
        first, second, third = turns if moving else turns[::-1]
        return [value for row in _product(_product(first, second), third) for value in row]

    return record(f, {"x": 6})


def _turn(axis: int, c: Any, s: Any) -> list[list[Any]]:
    """The rotation about a coordinate axis."""
    j, k = (axis + 1) % 3, (axis + 2) % 3
    R: list[list[Any]] = [[1.0 if a == b else 0.0 for b in range(3)] for a in range(3)]
    R[j][j], R[j][k], R[k][j], R[k][k] = c, -s, s, c
    return R


def _product(A: list[list[Any]], B: list[list[Any]]) -> list[list[Any]]:
    columns = [Vec(*(B[k][j] for k in range(3))) for j in range(3)]
    return [[dot(Vec(*row), column) for column in columns] for row in A]
