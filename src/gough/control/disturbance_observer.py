"""Computed force that estimates what pushes the platform, and pushes back.

    d' = d + (1 - exp(-w_o T)) (M (dv/T - a) - d)       dv, T  change of the twist since the last sample, and its time
    a = M^-1 (J^T u - b)                                what the model expected of the command sent then
    J^T u = M (xdd_ref + 2 z w edot + w^2 e) + b - d
A constant wrench is estimated exactly, whatever the model, where the loop comes to rest: there ``d = b_model - J^T u``.
Fails: where commands arrive late or velocities are noisy, the estimate takes that for a wrench (delay and observer
narrow the stable range: ask `gough.control.margins`); while drives are saturated it sums up the acceleration that is
missing, and forgets that within a few 1/w_o when they no longer are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.checks import Array, Frozen
from gough.control.signals import Measurement, Memory, Reference
from gough.control.tracking import EquationsOfMotion, ahead, along, check, task_error, twist
from gough.frozen import hinted
from gough.model import Platform


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class DisturbanceObserver(Frozen):
    """Computed force in task space with an observer of the outside wrench (world axes), its memory's ``wrench``.

    bandwidth, damping  w (rad/s) and z of the error, as in `ComputedForce`
    observer            w_o of the estimate, rad/s; default: twice the bandwidth
    """

    model: Platform
    bandwidth: float
    damping: float = 1.0
    observer: float | None = None

    def __post_init__(self) -> None:
        check(self, "bandwidth", "damping")
        if self.observer is None:
            object.__setattr__(self, "observer", 2.0 * self.bandwidth)
        check(self, "observer")

    def init(self, runs: int) -> Memory:
        """No wrench, nothing expected."""
        return nothing_observed(runs)

    def update(
        self, t: float, measurement: Measurement, reference: Reference, memory: Memory
    ) -> tuple[Array, Memory]:
        """Actuator efforts (n, 6)."""
        machine = EquationsOfMotion.at(self.model, measurement)
        wrench = observed(machine, self.observer, t, measurement, memory)
        position, velocity = task_error(measurement.motion, reference.motion)
        w, z = self.bandwidth, self.damping
        wanted = ahead(reference.motion) + 2 * z * w * velocity + w**2 * position
        command = machine.efforts(machine.wrench(wanted) - wrench)
        return command, remembered(machine, t, measurement, command, wrench)


def nothing_observed(runs: int) -> Memory:
    """The observer before its first sample; ``time`` is NaN until then."""
    six = {name: np.zeros((runs, 6)) for name in ("wrench", "twist", "expected")}
    return {**six, "time": np.full((runs, 1), np.nan)}


def observed(
    machine: EquationsOfMotion,
    bandwidth: float | None,
    t: float,
    measurement: Measurement,
    memory: Memory,
) -> Array:
    """The wrench (n, 6) after this sample's measurement."""
    assert bandwidth is not None
    since, started = t - memory["time"], np.isfinite(memory["time"])
    T = np.where(started, since, 1.0)
    change = (twist(measurement.motion) - memory["twist"]) / T - memory["expected"]
    share = np.where(started, 1.0 - np.exp(-bandwidth * T), 0.0)
    return memory["wrench"] + share * (along(machine.M, change) - memory["wrench"])


def remembered(
    machine: EquationsOfMotion, t: float, measurement: Measurement, command: Array, wrench: Array
) -> Memory:
    """What the next sample needs to know."""
    expected, moving = machine.acceleration(command), twist(measurement.motion)
    return {
        "wrench": wrench,
        "twist": moving,
        "expected": expected,
        "time": np.full((len(wrench), 1), t),
    }
