"""A base that moves in the world: a ship, a yaw stage, a vehicle, a shaking floor."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array, InputError, array
from gough.frozen import hinted
from gough.spatial import Motion, rotation_exp


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class BaseMotion(Motion):
    """Motion of the base frame in the world, **world axes**; (...) batch axes, together with those of the platform's.

    The platform's pose, twist and acceleration stay those against the base, in base axes, and so do answers; gravity is
    the machine's, fixed in the world: in base axes it is ``R^T g``.  Any `Motion` of the base serves as well (that of a
    trajectory: ``ship(t)``); `position` counts for the potential energy alone.
    """

    position: Array = field(default_factory=lambda: np.zeros(3))

    @classmethod
    def yaw_stage(
        cls,
        angle: ArrayLike,
        rate: ArrayLike = 0.0,
        acceleration: ArrayLike = 0.0,
        axis: ArrayLike = (0.0, 0.0, 1.0),
    ) -> BaseMotion:
        """A base turned about an axis through its origin: `angle` (...) rad, `rate` rad/s, `acceleration` rad/s^2."""
        e = array("axis", axis, (3,))
        size = float(np.linalg.norm(e))
        if e.ndim != 1 or size == 0.0:
            raise InputError("axis", axis, "must be one vector that is not zero")
        e = e / size
        turn, speed, change = (
            array(name, value)[..., None] * e
            for name, value in (("angle", angle), ("rate", rate), ("acceleration", acceleration))
        )
        still = np.zeros(3)
        return cls(still, rotation_exp(turn), still, speed, still, change)


def base_twist(base: Motion) -> Array:
    """(..., 6) velocity of the base's origin and its angular velocity in **base axes**, m/s and rad/s."""
    back = np.swapaxes(base.rotation, -1, -2)
    each = (back @ v[..., None] for v in (base.velocity, base.angular_velocity))
    return np.concatenate([v[..., 0] for v in each], axis=-1)
