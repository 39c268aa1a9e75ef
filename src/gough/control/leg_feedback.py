"""PD on each leg, for laws that add what a model knows."""

from __future__ import annotations

from dataclasses import dataclass

from gough.checks import Array, Frozen, kept
from gough.control.decentralized import home, leg_loads
from gough.control.signals import Measurement, Reference
from gough.control.tracking import check
from gough.frozen import hinted
from gough.model import Platform
from gough.spatial import Pose


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class WithLegFeedback(Frozen):
    """PD on each leg, ``m_i (w^2 e + 2 z w edot)`` with the loads m_i at `pose` (default: home)."""

    model: Platform
    bandwidth: float
    damping: float = 0.7
    pose: Pose | None = None

    def __post_init__(self) -> None:
        check(self, "bandwidth", "damping")
        object.__setattr__(self, "pose", home(self.model, self.pose))

    @property
    def load(self) -> Array:
        """(6,) m_i, kg (kg m^2)."""
        return _load(self)

    def feedback(self, measurement: Measurement, reference: Reference) -> Array:
        """(n, 6)"""
        w, z = self.bandwidth, self.damping
        error = reference.length - measurement.length
        return self.load * (w**2 * error + 2 * z * w * (reference.rate - measurement.rate))


@kept
def _load(law: WithLegFeedback) -> Array:
    return leg_loads(law.model, home(law.model, law.pose))
