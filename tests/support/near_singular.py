"""Random machines of every kind, and states at a chosen distance from a chosen kind of singularity.

The state is random (`oracles.machines`); then one thing of one leg is moved so that the state lies `distance` away from
the singularity: nothing else about machine or state is special.  Distances are sines of angles, lever arms, or the
smallest singular value left (platform singularity: a joint of the platform moved so that its leg becomes dependent).
"""

from __future__ import annotations

import numpy as np

from gough.checks import Array
from gough.model import PUS, RUS, SPS, UPS, Leg, Platform
from gough.spatial import Motion
from gough.struts import struts
from oracles.machines import Case

UNIVERSAL, REFERENCE, RAIL, DEAD_POINT, PLATFORM, SHORT = (
    "universal",
    "reference",
    "rail",
    "dead point",
    "platform",
    "short strut",
)
APPLIES = {
    UNIVERSAL: (UPS, PUS, RUS),
    REFERENCE: (SPS,),
    RAIL: (PUS,),
    DEAD_POINT: (RUS,),
    SHORT: (UPS, SPS),
    PLATFORM: (UPS, SPS),
}


def applies(machine: Platform, leg: int, singularity: str) -> bool:
    """The leg can have this singularity."""
    own = machine.legs[leg]
    if singularity == REFERENCE and isinstance(own, SPS) and own.spin_free:
        return False
    return isinstance(own, APPLIES[singularity])


def near(c: Case, state: int, leg: int, singularity: str, distance: float) -> Platform:
    """The case's machine with one leg changed: at that state it is `distance` from the singularity."""
    motion, machine = c.motion[state], c.platform
    own, g = machine.legs[leg], struts(c.platform, c.motion[state])
    s, end, start = g.direction[leg], g.end[leg], g.start[leg]
    across = np.cross(s, [0.3, -0.5, 0.81])
    across /= np.linalg.norm(across)
    tilted = np.sqrt(1.0 - distance**2) * s + distance * across
    if singularity == UNIVERSAL:
        new = own.replace(axis=_back(own, g.coordinate[leg], tilted))
    elif singularity == REFERENCE:
        new = own.replace(reference=tilted)
    elif singularity == RAIL:
        rail = np.sqrt(1.0 - distance**2) * across + distance * s
        new = own.replace(rail=rail, base=start, assembly=1)
    elif singularity == DEAD_POINT:
        new = _dead_point(own, start, s, across, distance)
    elif singularity == SHORT:
        new = own.replace(base=end - distance * s)
    else:
        new = _dependent(machine, motion, leg, distance)
    return machine.replace(legs=[new if i == leg else o for i, o in enumerate(machine.legs)])


def _back(leg: Leg, coordinate: float, axis: Array) -> Array:
    """A crank's axis is given at zero crank angle."""
    if not isinstance(leg, RUS):
        return axis
    e, c, s = leg.shaft, np.cos(coordinate), np.sin(coordinate)
    return e * (e @ axis) * (1 - c) + c * axis - s * np.cross(e, axis)


def _dead_point(leg: Leg, tip: Array, s: Array, across: Array, distance: float) -> RUS:
    """Shaft across the rod; the arm along the rod but for `distance`, at zero crank angle."""
    assert isinstance(leg, RUS)
    u = np.sqrt(1.0 - distance**2) * s + distance * np.cross(across, s)
    arm = 0.35 * u
    lever = float(s @ np.cross(across, arm))
    crank = leg.crank.replace(center=arm / 2)
    return leg.replace(
        base=tip - arm, shaft=across, arm=arm, crank=crank, elbow=-1 if lever > 0 else 1
    )


def _dependent(machine: Platform, motion: Motion, leg: int, distance: float) -> Leg:
    """The base joint moved so that the leg's wrench lies in the span of the other five but for `distance`."""
    own, g = machine.legs[leg], struts(machine, motion)
    others = np.delete(g.rows, leg, axis=0)
    n = np.linalg.svd(others)[2][-1]  # reciprocal to the five: n.(s, q x s) = s.(n_f + n_m x q)
    normal = n[:3] + np.cross(n[3:], g.arm[leg])
    normal /= np.linalg.norm(normal)
    s = g.direction[leg]
    flat = s - (s @ normal) * normal
    flat /= np.linalg.norm(flat)
    new = np.sqrt(1.0 - distance**2) * flat + distance * normal
    return own.replace(base=g.end[leg] - g.coordinate[leg] * new)
