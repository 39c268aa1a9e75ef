"""Springs in the joints of a machine whose base moves in Pinocchio's world: as `oracles.springs` tells them of one that
stands, everything seen from the base."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pinocchio as pin

from gough.checks import Array
from oracles.springs import Rest, rests


class BaseSprings:
    """The springs of an `oracles.pinocchio_base.PinocchioOnBase`, and that engine as they ask for it: base axes."""

    def __init__(self, engine: Any) -> None:
        self.engine, self.tree = engine, engine.tree
        self.nv, self.dofs = engine.model.nv, engine.dofs
        self.rests: dict[int, Rest] = {}
        if any(leg.springs.any for leg in engine.machine.legs):
            self.rests = rests(self, engine.machine)

    @property
    def base(self) -> Array:
        """Axes of the base, as they are now."""
        return self.engine.data.oMi[self.engine.root].rotation

    def place(self, coordinates: Sequence[Any], t: Array, R: Array) -> None:
        """The tree in a pose, its base at the origin."""
        q = self.engine.numbers(coordinates, (np.zeros(3), np.eye(3)), (t, R))
        pin.forwardKinematics(self.engine.model, self.engine.data, q)

    def rotation(self, node: int) -> Array:
        """Axes of a body against the base."""
        return self.base.T @ self.engine.data.oMi[self.engine.joint[node]].rotation

    def jacobian(self, node: int, point: Array) -> Array:
        """(6, nv): velocity of a body-fixed point over angular velocity, base axes."""
        J = np.kron(np.eye(2), self.base.T) @ self.engine.jacobian(node, point)
        J[:, self.engine.base_dofs] = 0.0
        return J

    def efforts(self, i: int, coordinates: Sequence[Any]) -> Array:
        """(nv,) of the hinges and of a ball at the base side of one leg."""
        rest = self.rests.get(i)
        if rest is None:
            return np.zeros(self.nv)
        return rest.universal_efforts(self, coordinates) + rest.base_efforts(self)

    def on_platform(self, i: int) -> Array:
        """Moment of the flexure at the platform, of the leg on the platform, world axes."""
        rest = self.rests.get(i)
        return np.zeros(3) if rest is None else self.base @ rest.platform_moment(self)

    def energy(self, coordinates: Sequence[Any]) -> float:
        """J."""
        return sum(rest.energy(self, coordinates) for rest in self.rests.values())
