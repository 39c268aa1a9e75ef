"""Inverse dynamics of the reference beside a PD of each leg."""

from __future__ import annotations

from gough.checks import Array
from gough.control.computed_force import efforts
from gough.control.leg_feedback import WithLegFeedback
from gough.control.signals import Measurement, Reference


class FeedForward(WithLegFeedback):
    """Inverse dynamics of the reference, computed ahead, plus PD on each leg:
    ``u = ID(reference) + m_i (w^2 e + 2 z w edot)``."""

    def __call__(self, t: float, measurement: Measurement, reference: Reference) -> Array:
        """Actuator efforts (n, 6)."""
        return efforts(self.model, reference.motion, measurement) + self.feedback(
            measurement, reference
        )
