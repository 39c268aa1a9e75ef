"""The paths of the five source papers, by name.

000-1                    [Pedrammehr2012] Path 1; its speed limit cannot be met (0.5 m in 6 s at 0.08
                         m/s), so the speed is constant, 0.5/6 m/s;  000-2 and 000-3 are 001-I and 001-II
001-I 001-II 001-III     [Dasgupta1998] lines with parabolic blends
002                      [Lopes] P1 - P2 - P1 by the trigonometric spline; chosen: 1 s each way
003                      [ElBadawy] leg lengths l + f_i sin t (t in s); l = 0.40004 m is that of Table 3's pose,
                         so that the motion starts there; chosen: 4 pi s
004-x ... 004-rz         [Syed] a sinusoidal acceleration of 10 m/s^2 or 8 rad/s^2 in 0.1 s; chosen: its
                         shape and the start at the center, 0.30 m high
"""

from __future__ import annotations

from math import cos, hypot, radians, sin

import numpy as np

from gough.checks import InputError
from gough.documents.source import did_you_mean
from gough.trajectory.base import Trajectory
from gough.trajectory.compose import there_and_back
from gough.trajectory.harmonic import COORDINATES, acceleration_profile
from gough.trajectory.legs import LegTrajectory, legs_harmonic
from gough.trajectory.point_to_point import line, uniform

_RISING = ((0.1, 0.0, 0.4), (0.0, 0.0, -0.2)), ((0.3, 0.0, 0.6), (0.0, 0.0, 0.2))
_SINGULAR = ((0.4, 1.4, 1.2), (0.1, 0.2, 0.0)), ((0.8, 1.8, 1.8), (0.3, 0.4, 0.0))
_LINES = {  # start and end, duration, largest speed and rate
    "001-I": (*_RISING, 6.0, 0.08, 0.08),
    "001-II": (*_RISING, 0.6, 0.8, 0.8),
    "001-III": (*_SINGULAR, 6.0, 0.2, 0.08),
}
_SAME = {"000-2": "001-I", "000-3": "001-II"}
_AMPLITUDES_003 = (0.02, -0.06, 0.02, -0.02, 0.08, -0.02)
# joints of a leg 39 deg apart on radii of 0.27 and 0.105 m (Table 1), 0.3466575 m high (Table 3)
_LENGTH_003 = hypot(0.27 - 0.105 * cos(radians(39.0)), 0.105 * sin(radians(39.0)), 0.3466575)

_ABOUT = {
    "000-1": "line of 0.5 m at constant speed, 6 s",
    "000-2": "the same as 001-I",
    "000-3": "the same as 001-II",
    "001-I": "line with parabolic blends, 6 s",
    "001-II": "the same line in 0.6 s",
    "001-III": "line through a singular pose, 6 s",
    "002": "P1 - P2 - P1, trigonometric spline, 1 s each way",
    "003": "harmonic leg lengths, two periods",
    **{f"004-{c}": f"sinusoidal acceleration on {c}, 0.1 s" for c in COORDINATES},
}
MACHINES = {
    "000": "pedrammehr-2012",
    "001": "dasgupta-1998",
    "002": "lopes-6pus",
    "003": "elbadawy-6sps",
    "004": "syed-6sps",
}


def papers() -> dict[str, str]:
    """Names of the papers' paths, each with a line about it."""
    return dict(_ABOUT)


def paper(name: str) -> Trajectory | LegTrajectory:
    """A path of a source paper; `papers` lists the names.

    003 prescribes leg lengths: ``paper("003").on(platform)`` gives the platform motion.
    """
    if name not in _ABOUT:
        hint = did_you_mean(name, _ABOUT)
        raise InputError("paper", name, f"{hint}must be one of {', '.join(_ABOUT)}")
    name = _SAME.get(name, name)
    if name in _LINES:
        start, end, duration, speed, rate = _LINES[name]
        return line(start, end, duration, max_speed=speed, max_rate=rate)
    if name == "000-1":
        return uniform(((0.1, 0.0, 0.5), (0.0, 0.0, 0.0)), ((0.6, 0.0, 0.5), (0.0, 0.0, 0.0)), 6.0)
    if name == "002":
        # the paper lists (z, y, x); 15, -15, 15 deg reads the same in our order (x, y, z)
        end = ((-0.1, -0.2, 2.5), np.radians([15.0, -15.0, 15.0]))
        return there_and_back(((0.0, 0.0, 2.0), (0.0, 0.0, 0.0)), end, 1.0, profile="trigonometric")
    if name == "003":
        center, frequency = np.full(6, _LENGTH_003), 0.5 / np.pi
        return legs_harmonic(center, _AMPLITUDES_003, frequency, duration=4 * np.pi)
    coordinate = name.removeprefix("004-")
    peak = 8.0 if coordinate.startswith("r") else 10.0
    return acceleration_profile(((0.0, 0.0, 0.3), (0.0, 0.0, 0.0)), coordinate, peak, 0.1)
