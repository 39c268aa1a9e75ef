"""Static forces of the measured pose beside a PD of each leg."""

from __future__ import annotations

from gough.checks import Array
from gough.control.computed_force import efforts
from gough.control.leg_feedback import WithLegFeedback
from gough.control.signals import Measurement, Reference


class GravityCompensation(WithLegFeedback):
    """Static forces at the measured pose plus PD on each leg; no inertia is compensated."""

    def __call__(self, t: float, measurement: Measurement, reference: Reference) -> Array:
        """Actuator efforts (n, 6)."""
        static = efforts(self.model, measurement.motion.pose, measurement)
        return static + self.feedback(measurement, reference)
