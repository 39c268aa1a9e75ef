"""The controller of [Syed] (004) in closed loop: six loops, each for one drive that moves a constant load."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.checks import Array
from gough.control import ComputedForce, Controller, Decentralized
from gough.control.signals import Sampling
from gough.kinematics.inverse import inverse_kinematics
from gough.model import Platform
from gough.reproduce.kane.forces import path_of
from gough.reproduce.kane.statements import DURATION, NAMES
from gough.simulation.run import simulate

BANDWIDTH, DAMPING = 100.0, 1.0  # rad/s; chosen, the paper gives neither
RATE = 1000.0  # samples per second
TIMES = np.arange(int(DURATION * RATE) + 1) / RATE


def constant_loads(machine: Platform) -> Decentralized:
    """Six loops, each with the mass that its drive moves at the start and the force that holds it there."""
    return Decentralized.from_bandwidth(machine, bandwidth=BANDWIDTH, damping=DAMPING)


def full_model(machine: Platform) -> ComputedForce:
    """The same loops closed around the whole machine's equations."""
    return ComputedForce(machine, BANDWIDTH, DAMPING, "leg")


def tracking(machine: Platform, name: str, controller: Controller) -> Array:
    """Error of the legs (times, 6) along the trajectory `name`, m: the machine simulated by its exact equations."""
    path = path_of(machine, name)
    run = simulate(
        machine,
        path(0.0),
        duration=DURATION,
        step=0.5 / RATE,
        controller=controller,
        reference=path,
        sampling=Sampling(rate=RATE),
        output=1 / RATE,
        reactions=False,
    )
    return run.length.values - inverse_kinematics(machine, path(TIMES)).length


def on_constant_loads(machine: Platform, name: str) -> Array:
    """The same if each drive did move a constant load: ``m ldd = u - g``, the command held between samples."""
    loop, path = constant_loads(machine), path_of(machine, name)
    legs, h = inverse_kinematics(machine, path(TIMES)), 1 / RATE
    length, rate = legs.length[0], legs.rate[0]
    error = [0 * length]
    for k in range(len(TIMES) - 1):
        wanted = (
            np.diff(legs.rate[k : k + 2], axis=0)[0] / h
        )  # mean acceleration, as the loop has it
        pull = loop.kp * (legs.length[k] - length) + loop.kd * (legs.rate[k] - rate)
        acceleration = wanted + pull / loop.mass
        length, rate = length + h * rate + h**2 / 2 * acceleration, rate + h * acceleration
        error.append(length - legs.length[k + 1])
    return np.array(error)


@dataclass(frozen=True, eq=False)
class ClosedLoop:
    """Errors of the legs (times, 6) along one trajectory, m.

    drives, without   six constant-load loops on the whole machine, with and without its drives
    model             loops around the whole machine's equations, with drives
    constant          six constant-load loops if the loads were constant
    stroke            largest way of a leg, m
    """

    drives: Array
    without: Array
    model: Array
    constant: Array
    stroke: float

    def percent(self, which: str) -> float:
        """Largest error of one of the loops, percent of the stroke."""
        return percent(getattr(self, which), self.stroke)


def percent(error: Array, stroke: float) -> float:
    """Largest error, percent of the stroke; 100 where the platform was lost."""
    largest = float(np.abs(error).max()) / stroke
    return 100 * min(largest, 1.0) if np.isfinite(largest) else 100.0


def stroke(machine: Platform, name: str) -> float:
    """Largest way of a leg along the trajectory, m."""
    length = inverse_kinematics(machine, path_of(machine, name)(TIMES)).length
    return float(np.ptp(length, axis=0).max())


def close(machine: Platform, driven: Platform) -> dict[str, ClosedLoop]:
    """All loops along the six trajectories; `machine` is `driven` without its drives."""
    six, six_without, model = constant_loads(driven), constant_loads(machine), full_model(driven)
    return {
        name: ClosedLoop(
            drives=tracking(driven, name, six),
            without=tracking(machine, name, six_without),
            model=tracking(driven, name, model),
            constant=on_constant_loads(driven, name),
            stroke=stroke(machine, name),
        )
        for name in NAMES
    }


def tracking_error(machine: Platform) -> float:
    """Largest error of the paper's controller over the six trajectories, percent of the stroke."""
    loops = constant_loads(machine)
    return max(percent(tracking(machine, n, loops), stroke(machine, n)) for n in NAMES)
