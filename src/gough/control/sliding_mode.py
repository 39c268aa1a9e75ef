"""Sliding mode with a boundary layer.

    s = (xd_ref - xd) + w e                     J^T u = M (xdd_ref + w (xd_ref - xd) + eta sat(s/phi)) + b
    s' = -eta sat(s/phi) - M^-1 d               phi = eta/w: inside the layer computed force with two poles at w
As long as every component of ``M^-1 d`` (d: outside wrench and all that the model has wrong) stays below eta, each s
enters its layer and stays, and ``|e| <= phi/w = eta/w^2``: in continuous time, to second order in the rotation error,
for drives that give what is asked.  Sampled every T it holds nearly for ``w T`` well below one; at ``w T = 1.5`` it
does not (tests/control/test_law_edges.py).  Fails: beyond eta it leaves the layer.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from gough.checks import Array, Frozen, InputError
from gough.control.impedance import six_of
from gough.control.signals import Measurement, Reference
from gough.control.tracking import EquationsOfMotion, ahead, check, task_error
from gough.frozen import hinted
from gough.model import Platform


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class SlidingMode(Frozen):
    """Sliding mode in task space, world axes.

    bandwidth   w, rad/s
    robustness  (6,) eta: largest accelerations of the unknown that are withstood, m/s^2 and rad/s^2
    """

    model: Platform
    bandwidth: float
    robustness: Array = field(default_factory=lambda: np.ones(6))

    def __post_init__(self) -> None:
        check(self, "bandwidth")
        object.__setattr__(self, "robustness", six_of("robustness", self.robustness))
        if not (self.robustness > 0.0).all():
            raise InputError("robustness", self.robustness, "must be above zero")

    @property
    def layer(self) -> Array:
        """(6,) phi: half the width of the boundary layer, m/s and rad/s."""
        return self.robustness / self.bandwidth

    def surface(self, measurement: Measurement, reference: Reference) -> Array:
        """s (n, 6)."""
        position, velocity = task_error(measurement.motion, reference.motion)
        return velocity + self.bandwidth * position

    def __call__(self, t: float, measurement: Measurement, reference: Reference) -> Array:
        """Actuator efforts (n, 6)."""
        machine = EquationsOfMotion.at(self.model, measurement)
        s = self.surface(measurement, reference)
        velocity = task_error(measurement.motion, reference.motion)[1]
        pull = self.robustness * np.clip(s / self.layer, -1.0, 1.0)
        return machine.efforts(
            machine.wrench(ahead(reference.motion) + self.bandwidth * velocity + pull)
        )
