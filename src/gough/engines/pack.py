"""From a Platform to the flat parameter vector that every engine reads.

Bodies enter by mass, first moment ``m r`` and second moment ``int r r^T dm`` about their joint, so all equations
are linear in the inertial parameters.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from gough.checks import Array
from gough.equations.machine import offsets
from gough.model import PUS, RUS, SPS, UPS, Body, Drive, Leg, Platform

SIX = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))


def kind_of(leg: Leg, spinning: bool = False) -> str:
    """Name of the equations that serve this leg; SPS legs carry their spin only when they must or are told to."""
    if isinstance(leg, UPS):
        return "ups_rotor" if _gyro(leg.drive).any() else "ups"
    if isinstance(leg, SPS):
        return "sps_spin" if spinning or not leg.spin_free else "sps"
    return "pus" if isinstance(leg, PUS) else "rus"


def kinds_of(platform: Platform, spinning: bool = False) -> tuple[str, ...]:
    """Equation names of the six legs."""
    return tuple(kind_of(leg, spinning) for leg in platform.legs)


@lru_cache(maxsize=64)
def parameters(platform: Platform) -> Array:
    """The whole machine as one vector; layout in equations/machine.py.  Shared: copy before you change it."""
    numbers = _body(platform.body) + list(platform.gravity)
    for leg in platform.legs:
        numbers += list(leg.joint) + _row(leg)
    par = np.array(numbers, dtype=np.float64)
    if par.size != offsets(kinds_of(platform))[-1]:
        raise AssertionError("parameter layout and equations disagree")
    return par


def _moments(body: Body) -> tuple[Array, Array]:
    first = body.mass * body.center
    return first, body.second_moment() + np.outer(first, body.center)


def _six(S: Array) -> list[float]:
    return [float(S[i, j]) for i, j in SIX]


def _body(body: Body) -> list[float]:
    first, second = _moments(body)
    return [body.mass, *first, *_six(second)]


def _friction(leg: Leg) -> list[float]:
    return [leg.friction.universal, leg.friction.prismatic, leg.friction.spherical]


def _reflected(drive: Drive | None) -> float:
    return 0.0 if drive is None else drive.reflected_inertia


def _gyro(drive: Drive | None) -> Array:
    if drive is None or drive.rotor_axis is None:
        return np.zeros(3)
    return drive.ratio * drive.rotor_inertia * drive.rotor_axis


def _row(leg: Leg) -> list[float]:
    if isinstance(leg, (UPS, SPS)):
        d, lower = _moments(leg.lower)
        e, upper = _moments(leg.upper)
        k = leg.axis if isinstance(leg, UPS) else leg.reference
        return [*leg.base, *k, *d, *e, *_six(lower + upper), *_six(upper), leg.lower.mass, leg.upper.mass,
                *_friction(leg), _reflected(leg.drive), *_gyro(leg.drive)]
    if isinstance(leg, PUS):
        first, second = _moments(leg.link)
        return [*leg.base, *leg.rail, *leg.axis, leg.length, float(leg.assembly), leg.slider_mass,
                *leg.slider_center, leg.link.mass, *first, *_six(second), *_friction(leg), _reflected(leg.drive)]
    return _rus_row(leg)


def _turning(axis: Array, v: Array) -> list[float]:
    axial = axis * (axis @ v)
    return [*axial, *(v - axial), *np.cross(axis, v)]


def _rus_row(leg: RUS) -> list[float]:
    e = leg.shaft
    first, second = _moments(leg.link)
    crank = leg.crank
    shaft_inertia = float(e @ crank.inertia @ e + crank.mass * (np.cross(e, crank.center) ** 2).sum())
    reflected = _reflected(leg.drive)
    return [*leg.base, *e, *_turning(e, leg.arm), *_turning(e, leg.axis), leg.length, float(leg.elbow), crank.mass,
            *_turning(e, crank.mass * crank.center), *_turning(e, crank.inertia @ e), shaft_inertia + reflected,
            leg.link.mass, *first, *_six(second), *_friction(leg), reflected]
