"""Brake: a holding force added to the drive's dry friction, with the stiffness of its shoe."""

from __future__ import annotations

from gough.checks import Array
from gough.dynamics.laws.friction import set_grip, unit_of
from gough.layout import LEG_LAW
from gough.model import Leg

TRAVEL = {"m": 1e-4, "rad": 2e-3}  # at which it holds fully


def close(law: Array, leg: Leg, share: float, force: float) -> None:
    """Add a brake of `force` (N, N m) to the rows (LEG_LAW, runs) of one leg."""
    law[LEG_LAW.coulomb] += force
    for run in range(law.shape[1]):
        grip = max(float(law[LEG_LAW.grip, run]), force / TRAVEL[unit_of(leg)])
        set_grip(law[:, run], grip, leg, share)
