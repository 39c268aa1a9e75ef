"""What a machine can do, as numbers that observations and actions are measured in; first axis: machines (1 or n).

position   `reach`, m: how far start poses and goals lie from home along each axis
rotation   `tilt` = reach over the characteristic length, rad, about each axis
coordinate half the stroke, else the largest change of the coordinate over the reach; m, of cranks rad
rate       the leg's speed limit, else the coordinate's range once to and fro in a second (2 pi 1/s)
"""

from __future__ import annotations

from itertools import product
from math import pi

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array, InputError, positive
from gough.kinematics.inverse import inverse_kinematics
from gough.layout import LEG_MOTION, TWIST
from gough.limits import check, cone_axes
from gough.model import Leg, Platform
from gough.simulation.state import Rows
from gough.spatial import Pose, rotation_exp
from gough.struts import struts

USUAL_REACH = 0.05  # of the characteristic length
CORNERS = np.array(list(product((-1.0, 0.0, 1.0), repeat=6)))
FINE, REACH, STROKE, CONE, DIVERGED = range(5)
SENTENCES = {
    REACH: "leg {} cannot reach its platform joint",
    STROKE: "leg {} left its stroke",
    CONE: "leg {} left the cone of a joint",
    DIVERGED: "the state grew beyond any bound",
}


class Ranges:
    """Scales and limits of machines, (1 or n, 6) each."""

    def __init__(self, rows: Rows, reach: float | None) -> None:
        machines = rows.machines
        usual = USUAL_REACH * machines[0].characteristic_length
        self.reach = positive("reach", usual if reach is None else reach)
        self.tilt = self.reach / machines[0].characteristic_length
        for machine in machines:
            found = check(machine, machine.require_home())
            if not found.ok:
                raise InputError("platform.home", machine.name, found.sentences()[0])
        none = (-np.inf, np.inf)
        stroke = rows.of_legs(lambda leg: none if leg.limits.stroke is None else leg.limits.stroke)
        self.low, self.high = np.moveaxis(stroke, -1, 0)
        self.span = np.array([self._span(machine) for machine in machines])
        half = 0.5 * (self.high - self.low)
        self.coordinate = np.where(np.isfinite(half), half, self.span)
        speed = rows.of_legs(lambda leg: leg.limits.speed or np.nan)
        self.rate = np.where(np.isnan(speed), 2.0 * pi * self.coordinate, speed)
        self._cones = rows.of_legs(_cones)  # cosines of the half angles
        self._axes = np.nan_to_num(np.array([cone_axes(m) for m in machines]))

    def poses(self, center: Pose, u: Array) -> Pose:
        """Poses about `center` (one, or as many) by numbers in -1..1, (n, 6)."""
        turn = rotation_exp(self.tilt * u[:, TWIST.angular])
        return Pose.trusted(
            center.position + self.reach * u[:, TWIST.linear], turn @ center.rotation
        )

    def _span(self, machine: Platform) -> Array:
        """(6,) largest change of the coordinates over the reach."""
        home = machine.require_home()
        found = struts(machine, self.poses(home, CORNERS)).coordinate
        change = np.abs(found - inverse_kinematics(machine, home).length)
        return np.nanmax(change, axis=0, initial=0.0)

    def outside(
        self, legs: Array, rotation: Array, runs: NDArray[np.intp] | None = None
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """(n,) what is wrong with states of `runs` (None: all) and the first leg of which it is: reach, stroke, cones.

        legs (n, 6, LEG_MOTION), rotation (n, 3, 3).  Whether legs collide is not looked at.
        """
        pick = slice(None) if runs is None or len(self.low) == 1 else runs
        x, s = legs[..., LEG_MOTION.coordinate], legs[..., LEG_MOTION.direction]
        code = np.zeros(x.shape, dtype=np.intp)
        if (self._cones > -1.0).any():
            base, plate = np.moveaxis(self._axes[pick], 1, 0)
            lean = [(s * base).sum(axis=-1), -((s @ rotation) * plate).sum(axis=-1)]
            code[(np.stack(lean, axis=-1) < self._cones[pick]).any(axis=-1)] = CONE
        code[(x < self.low[pick]) | (x > self.high[pick])] = STROKE
        code[~np.isfinite(legs).all(axis=-1)] = REACH
        leg = (code > 0).argmax(axis=1)
        return code[np.arange(len(leg)), leg], leg


def _cones(leg: Leg) -> list[float]:
    given = leg.limits.base_cone, leg.limits.platform_cone
    return [-np.inf if half is None else float(np.cos(half)) for half in given]
