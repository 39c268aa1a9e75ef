"""Motor: what it makes of a command, at the actuator coordinate (``u = nu k_t i``), N (N m).

    |u| <= nu k_t I_max, the leg's force limit, and ``+-(nu k_t/R)(V_max -+ nu k_t v)``: back-EMF and resistance
With a current loop (`Drive.current_bandwidth` w) u is a state, ``u' = w (command - u)``.  With an inductance the
voltage bounds its rate instead, ``|L/R u' + (nu k_t)^2/R v + u| <= (nu k_t/R) V_max`` (``L i' = V - R i - nu k_t v``).
Windings that are shorted are the case ``V_max = 0``: the motor brakes by ``(nu k_t)^2/R v``; open ones give nothing.
Power ``u v`` enters the mechanics; what the winding stores and heats is on the electrical side.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.checks import Array
from gough.dynamics.laws import Laws
from gough.equations.scalar import larger, smaller
from gough.layout import LEG_LAW
from gough.model import Drive


def fill(law: Array, drive: Drive) -> None:
    """Rows of one leg."""
    nu, (volts, k, ohms) = abs(drive.ratio), electric(drive)
    law[LEG_LAW.limit] = min(law[LEG_LAW.limit], drive.max_force)
    if volts is not None and k is not None and ohms is not None:
        law[LEG_LAW.voltage_force] = nu * k * volts / ohms
        law[LEG_LAW.voltage_slope] = (nu * k) ** 2 / ohms
    law[LEG_LAW.current_rate] = drive.current_bandwidth or 0.0
    if drive.inductance is not None and ohms is not None:
        law[LEG_LAW.electric_rate] = ohms / drive.inductance


def electric(drive: Drive) -> tuple[float | None, float | None, float | None]:
    """Voltage, torque constant, resistance."""
    return drive.max_voltage, drive.torque_constant, drive.resistance


def cut(law: Array, drive: Drive | None, shorted: bool) -> None:
    """Take the power from the rows (LEG_LAW, runs) of one leg: windings open, or shorted."""
    law[LEG_LAW.limit] = np.inf if shorted else 0.0
    law[LEG_LAW.voltage_force] = 0.0 if shorted else np.inf
    law[LEG_LAW.voltage_slope] = 0.0
    if shorted and drive is not None:
        _, k, ohms = electric(drive)
        assert k is not None
        assert ohms is not None
        law[LEG_LAW.voltage_slope] = (drive.ratio * k) ** 2 / ohms


def clip(law: Any, command: Any, v: Any) -> Any:
    """The command clipped to what the drive can give steadily."""
    u = smaller(larger(command, -law[LEG_LAW.limit]), law[LEG_LAW.limit])
    ceiling, slope = law[LEG_LAW.voltage_force], law[LEG_LAW.voltage_slope] * v
    return larger(smaller(u, ceiling - slope), -ceiling - slope)


def effort(laws: Laws, law: Any, command: Any, v: Any, current: Any) -> Any:
    """What the motor gives now."""
    if "inductance" in laws:
        return smaller(larger(current, -law[LEG_LAW.limit]), law[LEG_LAW.limit])
    return clip(law, current if "current" in laws else command, v)


def current_rate(laws: Laws, law: Any, command: Any, v: Any, current: Any) -> Any:
    """Rate of the current's force, N/s (N m/s)."""
    if "inductance" not in laws:
        return law[LEG_LAW.current_rate] * (clip(law, command, v) - current)
    wanted = smaller(larger(command, -law[LEG_LAW.limit]), law[LEG_LAW.limit])
    rate, ceiling = law[LEG_LAW.current_rate] * (wanted - current), law[LEG_LAW.voltage_force]
    settled, fast = -law[LEG_LAW.voltage_slope] * v - current, law[LEG_LAW.electric_rate]
    return larger(smaller(rate, fast * (ceiling + settled)), fast * (settled - ceiling))
