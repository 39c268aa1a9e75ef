"""A law for a machine whose base moves (a ship, a shaking table, a yaw stage), where that motion is known.

    u = law + ID(motion, base) - ID(motion)         ID: inverse dynamics of the model at the measured motion
The mass matrix does not depend on the base's motion, so what is added is the same for every acceleration that the law
may want: computed force stays exact.  No law knows the base otherwise: its motion is a disturbance to them.  Fails: a
base known late (by `ahead` it can be early) or wrongly; tuner and margins take the base at rest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.checks import Array, Frozen, InputError, number
from gough.control.signals import Controller, Measurement, Memory, Reference
from gough.dynamics import inverse_dynamics
from gough.frozen import hinted
from gough.model import Platform
from gough.spatial import Motion


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class OnMovingBase(Frozen):
    """`controller` with what the base's motion asks of the legs added to its command.

    base   motion of the base in the world, a function of time: what `gough.simulate` takes
    model  machine whose inverse dynamics are taken; default: the controller's
    ahead  s: the base is taken that much later than the sample; half a period, and the delay, make up for the hold
    """

    controller: Controller
    base: Callable[[float], Motion]
    model: Platform | None = None
    ahead: float = 0.0

    def __post_init__(self) -> None:
        known = getattr(self.controller, "model", None) if self.model is None else self.model
        if not isinstance(known, Platform):
            raise InputError("model", known, "must be given: the controller has none")
        if not callable(self.base):
            raise InputError("base", self.base, "must be a function of time that answers a Motion")
        object.__setattr__(self, "model", known)
        object.__setattr__(self, "ahead", number("ahead", self.ahead, minimum=0.0))

    def init(self, runs: int) -> Memory:
        """That of the controller."""
        inner: Any = self.controller
        return inner.init(runs) if hasattr(inner, "init") else {}

    def update(
        self, t: float, measurement: Measurement, reference: Reference, memory: Memory
    ) -> tuple[Array, Memory]:
        """Actuator efforts (n, 6)."""
        inner: Any = self.controller
        if hasattr(inner, "update"):
            command, memory = inner.update(t, measurement, reference, memory)
        else:
            command = inner(t, measurement, reference)
        return command + self.carried(t, measurement), memory

    def carried(self, t: float, measurement: Measurement) -> Array:
        """Efforts (n, 6) that the base's motion asks for."""
        model, now = self.model, measurement.motion
        assert model is not None
        given: dict[str, Any] = {"spin": measurement.spin, "max_condition": np.inf}
        moving = inverse_dynamics(model, now, base=self.base(t + self.ahead), **given).force
        return moving - inverse_dynamics(model, now, **given).force
