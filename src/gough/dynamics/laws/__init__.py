"""The laws of a leg: what acts along an actuator coordinate beside the equations of motion, one file each.

    springs   passive spring and damper            friction  Coulomb, Stribeck, viscous, with presliding
    gear      loss from the transmitted load       brake     a holding force on the friction element
    motor     limits, current loop, windings       stops     the ends of the stroke
    series    drive stiffness, damping, backlash   hydraulic servo valve and cylinder instead of a motor
    riding    (of series) rotors behind the stiffness that ride on their legs
    leg       all of them together
A law is written over numbers of any kind: NumPy runs it on (6, n) arrays, the compiled kernels trace it leg by leg.  It
has rows of parameters (`gough.layout.LEG_LAW`), states of its own where it needs some (`STATES`), stored energy and
dissipated power.  Kernels are traced with the laws `in_use` only: a law without parameters costs nothing.
"""

from __future__ import annotations

import numpy as np

from gough.checks import Array
from gough.layout import LEG_LAW

USED_BY = {
    "gear": ("loss", "back_loss"),
    "stops": ("stop_stiffness",),
    "series": ("series_stiffness",),
    "backlash": ("play",),
    "riding": ("riding",),
    "current": ("current_rate",),
    "inductance": ("electric_rate",),
    "hydraulic": ("bulk",),
    "force_loop": ("force_rate",),
}
"""Law -> rows of which one that is not zero puts it to use; the others are always part of a kernel with laws."""
ALWAYS = ("stiffness", "damping", "viscous", "coulomb", "excess")
STATES = {
    "gear": ("load",),
    "series": ("drive_coordinate", "drive_rate"),
    "current": ("current",),
    "hydraulic": ("valve", "cap_oil", "rod_oil"),
}
"""Law -> states per leg that an integrator advances beside pose and twist."""
Laws = tuple[str, ...]


def in_use(*laws: Array) -> Laws:
    """Laws that some of these parameters (rows of LEG_LAW, 6, ...) ask for; none: the bare kernel serves."""

    def some(names: tuple[str, ...]) -> bool:
        return any(law[getattr(LEG_LAW, name)].any() for law in laws for name in names)

    found = tuple(name for name, rows in USED_BY.items() if some(rows))
    limits = (law[row] for law in laws for row in (LEG_LAW.limit, LEG_LAW.voltage_force))
    if found or some(ALWAYS) or any(np.isfinite(limit).any() for limit in limits):
        return ("drive", *found)
    return ()


def states(laws: Laws) -> tuple[str, ...]:
    """State blocks of these laws, six rows each; the load on a gear behind a spring is that spring's force."""
    return tuple(
        state
        for law in laws
        if not (law == "gear" and "series" in laws)
        for state in STATES.get(law, ())
    )
