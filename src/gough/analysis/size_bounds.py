"""What peaks of a sizing are certainly at most: bounds over every instant of the motions, not of samples.

From ranges over intervals of time (analysis/duty.py) of the machine with its drives: efforts, rates, accelerations and
coordinates are enclosed, powers by the product of the ranges of effort and rate in one interval.  Forces of joints and
what motors see are not bounded here.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from gough.analysis.duty import Duty, proved_duty
from gough.checks import Array, six
from gough.frozen import hinted
from gough.links import links
from gough.model import Platform
from gough.trajectory.base import Trajectory


@hinted
@dataclass(frozen=True, repr=False)
class LegBounds:
    """No instant of any case has more, proved; SI (m, N, m/s, W; rad and N m for a crank).

    least_length, most_length  of the coordinate
    force, speed, acceleration  largest size;  power: largest F ldot;  braking: smallest, zero or negative
    """

    least_length: float
    most_length: float
    force: float
    speed: float
    acceleration: float
    power: float
    braking: float


def leg_bounds(
    platform: Platform, path: Trajectory, external: Array | None
) -> tuple[tuple[LegBounds, ...], str]:
    """Of the driven legs; none, and why, where a motion or its legs give no bounds."""
    wrench = np.zeros(6) if external is None else six("external", external)
    found, why = proved_duty(platform, path, wrench)
    if found is None:
        return (), why
    return tuple(_leg(found, i) for i in links(platform).driven.tolist()), ""


def _leg(found: Duty, i: int) -> LegBounds:
    F, v = found.effort, found.rate
    ends = [f[:, i] * x[:, i] for f in (F.low, F.high) for x in (v.low, v.high)]
    return LegBounds(
        least_length=float(found.coordinate.low[:, i].min()),
        most_length=float(found.coordinate.high[:, i].max()),
        force=float(F.size[:, i].max()),
        speed=float(v.size[:, i].max()),
        acceleration=float(found.acceleration.size[:, i].max()),
        power=float(np.max(ends)),
        braking=min(float(np.min(ends)), 0.0),
    )


def joined(cases: list[LegBounds]) -> LegBounds:
    """Of one leg in several cases."""
    least = ("least_length", "braking")
    return LegBounds(
        **{
            f.name: (min if f.name in least else max)(getattr(case, f.name) for case in cases)
            for f in fields(LegBounds)
        }
    )
