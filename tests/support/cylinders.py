"""Legs and machines on hydraulic cylinders; the numbers are illustrative."""

from __future__ import annotations

import gough
from gough.checks import Array
from gough.dynamics.laws import hydraulic
from gough.dynamics.laws.machine import drive_laws

SMALL = {
    "bore": 0.05,
    "rod": 0.036,
    "dead_cap": 2e-4,
    "dead_rod": 2e-4,
    "supply_pressure": 140e5,
    "rated_flow": 40 / 60e3,
    "leakage": 1e-12,
    "drain": 5e-13,
}


def hydraulic_base(**changes: object) -> gough.Platform:
    """`motion-base-1500` on six small cylinders, without friction in its joints."""
    machine = gough.load("motion-base-1500")
    drive = gough.Drive(1.0, hydraulic=gough.Hydraulic(**{**SMALL, **changes}))
    legs = [leg.replace(drive=drive, friction=gough.Friction()) for leg in machine.legs]
    return machine.replace(legs=legs)


def cylinder_law(**changes: object) -> Array:
    """Rows of LEG_LAW of one leg."""
    return drive_laws(hydraulic_base(**changes))[:, 0].copy()


def oil_at_rest(law: Array, length: float, load: float) -> tuple[float, float]:
    cap, rod = hydraulic.start(law, length, load)
    return float(cap), float(rod)
