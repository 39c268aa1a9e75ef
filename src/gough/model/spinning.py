"""Legs with a part that nothing holds about its own axis: their spin is a state, or does not matter."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from gough.checks import Array, Checked
from gough.model.body import Body, Friction
from gough.model.springs import JointSprings


class Spinning(Checked):
    """A leg that spins freely (SPS, UCS, RSS); `reference` is the direction from which its angle counts.

    SPUN   its bodies that spin together;  RUBBED  the frictions that act on their spin
    """

    SPUN: ClassVar[tuple[str, ...]]
    RUBBED: ClassVar[tuple[str, ...]] = ("universal", "spherical")
    friction: Friction
    reference: Array
    springs: JointSprings

    @property
    def spun(self) -> tuple[Body, ...]:
        """The bodies that spin."""
        return tuple(getattr(self, name) for name in self.SPUN)

    @property
    def spinning_rotor(self) -> Array:
        """(3,) inertia of a motor that spins with them, times its axis; zero where it rides on something else."""
        return np.zeros(3)

    @property
    def axial_inertia(self) -> float:
        """About the leg's axis of what spins, kg m^2."""
        total = 0.0
        for b in self.spun:
            total += b.inertia[0, 0] + b.mass * float(b.center[1] ** 2 + b.center[2] ** 2)
        return float(total)

    @property
    def axisymmetric(self) -> bool:
        """Mass centers of what spins on the leg axis and tensors ``diag(a, b, b)``: its angle does not matter."""
        for body in self.spun:
            I = body.inertia
            size = max(float(np.abs(I).max()), 1e-300)
            arm = max(float(np.abs(body.center).max()), 1e-300)
            off = max(abs(I[0, 1]), abs(I[0, 2]), abs(I[1, 2]), abs(I[1, 1] - I[2, 2]))
            if off > 1e-12 * size or np.abs(body.center[1:]).max() > 1e-12 * arm:
                return False
        return True

    @property
    def reads_reference(self) -> bool:
        """The spin angle matters: springs, parts that are not axisymmetric, or a rotor on them across the axis."""
        return not self.axisymmetric or bool(self.spinning_rotor[1:].any()) or self.springs.any

    @property
    def spin_free(self) -> bool:
        """Zero spin is a consistent motion: axisymmetric, no friction or springs about the axis, no rotor on it."""
        rubbed = any(getattr(self.friction, name) for name in self.RUBBED)
        still = not rubbed and not self.springs.any
        return self.axisymmetric and not self.spinning_rotor.any() and still
