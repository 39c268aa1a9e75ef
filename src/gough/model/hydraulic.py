"""A hydraulic cylinder with its servo valve, in place of a motor: `Drive(1.0, hydraulic=Hydraulic(...))`."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import Any, ClassVar

from gough.checks import Checked, InputError, not_negative, positive
from gough.frozen import hinted

AMBIENT = 101_325.0  # Pa, on the rod outside
COMMANDS = ("force", "valve")
_ABOVE_ZERO = ("bore", "dead_cap", "dead_rod", "supply_pressure", "rated_flow", "rated_drop")
_ABOVE_ZERO += ("valve_bandwidth", "bulk_modulus", "laminar_drop", "stribeck_rate")
_ABOVE_ZERO += ("force_bandwidth",)
_NOT_NEGATIVE = ("rod", "tank_pressure", "leakage", "drain", "viscous", "coulomb", "static")


def _command(field: str, value: Any) -> str:
    if not isinstance(value, str) or value not in COMMANDS:
        raise InputError(field, value, f"must be one of {', '.join(COMMANDS)}")
    return value


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Hydraulic(Checked):
    """Cylinder, servo valve and supply of one leg (dynamics/laws/hydraulic.py); pressures are absolute, Pa.

    bore, rod         diameters of piston and rod, m; pressure on the cap side pushes the leg apart
    dead_cap, dead_rod  oil left in each chamber at its end of the leg's stroke, hoses included, m^3
    supply_pressure   held at the valve by pump and accumulator;  tank_pressure  of the return
    rated_flow        through one metering edge of the open valve, m^3/s, at `rated_drop` across that edge
    valve_bandwidth   of the spool, first order, rad/s
    bulk_modulus      secant: oil at pressure p fills ``1 - p/bulk_modulus`` of its volume at none
    laminar_drop      pressure drop below which the flow becomes linear in it
    leakage           across the piston, m^3/(s Pa);  drain  from each chamber to the tank, m^3/(s Pa)
    viscous, coulomb, static, stribeck_rate   friction of the seals, N s/m, N, N, m/s, as of `Drive`
    command           "force": efforts in N, which a loop around the valve follows; "valve": spool from -1 to 1
    force_bandwidth   of that loop, rad/s
    """

    bore: float
    rod: float
    dead_cap: float
    dead_rod: float
    supply_pressure: float
    rated_flow: float
    rated_drop: float = 3.5e6
    valve_bandwidth: float = 2 * pi * 60.0
    tank_pressure: float = AMBIENT
    bulk_modulus: float = 1.4e9
    laminar_drop: float = 1e6
    leakage: float = 0.0
    drain: float = 0.0
    viscous: float = 0.0
    coulomb: float = 0.0
    static: float = 0.0
    stribeck_rate: float = 1e-2
    command: str = "force"
    force_bandwidth: float = 2 * pi * 15.0

    CHECKS: ClassVar = {
        **dict.fromkeys(_ABOVE_ZERO, positive),
        **dict.fromkeys(_NOT_NEGATIVE, not_negative),
        "command": _command,
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rod >= self.bore:
            raise InputError("rod", self.rod, f"must be less than the bore {self.bore:g}")
        if self.tank_pressure >= self.supply_pressure:
            allowed = f"must be less than the supply pressure {self.supply_pressure:g}"
            raise InputError("tank_pressure", self.tank_pressure, allowed)
        if self.supply_pressure >= 0.1 * self.bulk_modulus:
            allowed = f"must be less than a tenth of the bulk modulus {self.bulk_modulus:g}"
            raise InputError("supply_pressure", self.supply_pressure, allowed)

    @property
    def areas(self) -> tuple[float, float]:
        """Of the piston on the cap side and on the rod side, m^2."""
        return 0.25 * pi * self.bore**2, 0.25 * pi * (self.bore**2 - self.rod**2)

    @property
    def max_force(self) -> float:
        """What supply pressure on one side and none on the other give, the larger of push and pull, N."""
        (cap, ring), high = self.areas, self.supply_pressure - AMBIENT
        return max(cap * high + ring * AMBIENT, ring * high + cap * AMBIENT)
