"""Legs with screws between two places of a way: Taylor models (gough/taylor.py) of their travel and of their wrench.

The formulas are those of gough/twist.py: k, k_p first axes of both joints, a = k x s, b = k_p x s, h travel per twist,

    phi = atan2(s.(a x b), a.b)        lam = L + h (phi - phi_s)         in the turn nearest to home
    j_s = (tan_p y_p - tan_d y_d)/L,   j_w = s - tan_p s x y_p           tan y = (k.s)/(a.a) a
    wrench of a unit effort            s' = s + h j_s,   q x s' + h j_w
World axes, m, rad.  Where a strut may lie along a first axis, or a twist may pass half a turn from home, nothing is
known (infinite remainders).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gough.checks import Array
from gough.kinematics.leg_models import LegModel, turned_from
from gough.model import Platform
from gough.taylor import Model, cross, dot, power, reciprocal, turned
from gough.trajectory.bounds import MotionModel
from gough.twist import Cylinders, cylinders


class WrenchModel(NamedTuple):
    """(N, 6, 3) force and moment about the reference point of unit efforts, N and N m."""

    force: Model
    moment: Model


def with_screws(
    platform: Platform, motion: MotionModel, legs: LegModel
) -> tuple[LegModel, WrenchModel]:
    """The legs with the travel of their screws as coordinates, and what unit efforts do."""
    force, moment = legs.direction, cross(legs.arm, legs.direction)
    found = cylinders(platform)
    if found is None or not found.screw.any():
        return legs, WrenchModel(force, moment)
    i = found.legs
    s, length = legs.direction[:, i], power(_square(legs.end[:, i] - legs.start[:, i]), 0.5)
    kp = turned(motion.rotation, found.platform_axis)
    travel = length + (_twist(found, kp, s) - found.screw_zero) * found.screw
    lean, lean_p = _lean(found.axis, s), _lean(kp, s)
    h = found.screw[:, None]
    pull = s + (lean_p - lean) * reciprocal(length)[..., None] * h
    turn = (s - cross(s, lean_p)) * h
    about = cross(legs.arm[:, i], pull) + turn
    legs = legs._replace(coordinate=_put(legs.coordinate, i, travel))
    return legs, WrenchModel(_put(force, i, pull), _put(moment, i, about))


def _square(v: Model) -> Model:
    return dot(v, v)


def _lean(k: Model | Array, s: Model) -> Model:
    """``tan y`` of a joint with first axis k."""
    a = _across(k, s)
    return a * (dot(s, k) * reciprocal(dot(a, a)))[..., None]


def _across(k: Model | Array, s: Model) -> Model:
    """``k x s``; an axis that stands still is an array."""
    if isinstance(k, Model):
        return cross(k, s)
    i, j = [1, 2, 0], [2, 0, 1]
    return s[..., j] * k[..., i] - s[..., i] * k[..., j]


def _twist(legs: Cylinders, kp: Model, s: Model) -> Model:
    """phi (N, n), counted within half a turn of home."""
    a, b = _across(legs.axis, s), cross(kp, s)
    sine, cosine = dot(s, cross(a, b)), dot(a, b)
    over = power(sine * sine + cosine * cosine, -0.5)
    return turned_from(legs.zero, cosine * over, sine * over)


def _put(whole: Model, legs: list[int], part: Model) -> Model:
    """`whole` with other values for some legs."""
    c, r = np.array(whole.c), np.array(whole.r)
    c[:, :, legs], r[:, legs] = part.c, part.r
    return Model(c, r)
