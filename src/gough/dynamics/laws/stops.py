"""Stops at the ends of the stroke: springs that lose energy and never pull (Hunt and Crossley 1975, linear spring).

    N = max(0, k d (1 + beta ddot))     d: how far past the stop;  k N/m, beta s/m (cranks: N m/rad, s/rad)
Stored ``k d^2/2``; dissipated ``k beta d ddot^2`` while it pushes and ``-k d ddot`` (leaving faster than it follows)
where it does not: never negative, so no energy is gained.  The rebound speed follows from ``beta v_in`` alone
(`restitution`).  A stroke without data for its stops gets stiff ones (`default_stiffness`): 4 ms of contact, which
suits steps of 1 ms.
"""

from __future__ import annotations

from math import expm1, factorial, log1p, sqrt
from typing import Any

from gough.checks import Array
from gough.equations.scalar import larger
from gough.layout import LEG_LAW
from gough.model import CRANKS, Leg, Platform

CONTACT_RATE = 250.0  # rad/s of the default stop on the lightest motion of the machine at home
TINY = 1e-150  # beta v whose square is nothing
IMPACT = 3.0  # beta v of the default stop at the leg's largest speed: a third of it comes back


def fill(law: Array, leg: Leg, mass: float) -> None:
    """Rows of one leg with a stroke; `mass`: of the lightest motion it can meet (stiffness.leg_masses)."""
    limits = leg.limits
    if limits.stroke is None or limits.stop_stiffness == 0.0:
        return
    low, high = limits.stroke
    speed = limits.speed
    if speed is None:  # falling through the stroke
        radius = sqrt(float(leg.arm @ leg.arm)) if isinstance(leg, CRANKS) else 1.0
        speed = sqrt(2 * 9.81 * float(high - low) / radius)
    law[LEG_LAW.stop_low], law[LEG_LAW.stop_high] = low - limits.stop_gap, high + limits.stop_gap
    given = limits.stop_stiffness
    law[LEG_LAW.stop_stiffness] = default_stiffness(mass) if given is None else given
    law[LEG_LAW.stop_loss] = IMPACT / speed if limits.stop_loss is None else limits.stop_loss


def default_stiffness(mass: float) -> float:
    """``m w^2`` with w = CONTACT_RATE, N/m (N m/rad)."""
    return mass * CONTACT_RATE**2


def words(platform: Platform) -> str:
    """Which stops a machine has, for the attributes of a run."""
    ends = {
        name: "none" if leg.limits.stroke is None else _kind(leg.limits.stop_stiffness)
        for name, leg in zip(platform.leg_names, platform.legs, strict=True)
    }
    kinds = sorted(set(ends.values()))
    return (
        kinds[0] if len(kinds) == 1 else ", ".join(f"{leg}: {kind}" for leg, kind in ends.items())
    )


def _kind(stiffness: float | None) -> str:
    if stiffness is None:
        return f"stiff by default ({CONTACT_RATE:g} rad/s)"
    return "none" if stiffness == 0.0 else "given"


def _depths(law: Any, length: Any) -> tuple[Any, Any]:
    """How far the coordinate is past the lower and the upper stop."""
    low, high = law[LEG_LAW.stop_low] - length, length - law[LEG_LAW.stop_high]
    return larger(low, 0.0), larger(high, 0.0)


def force(law: Any, length: Any, rate: Any) -> Any:
    """On the coordinate, N (N m): positive from the lower stop."""
    low, high = _depths(law, length)
    give = law[LEG_LAW.stop_loss] * rate
    push = low * larger(1.0 - give, 0.0) - high * larger(1.0 + give, 0.0)
    return law[LEG_LAW.stop_stiffness] * push


def stored(law: Any, length: Any) -> Any:
    """``k d^2/2``, J."""
    low, high = _depths(law, length)
    return 0.5 * law[LEG_LAW.stop_stiffness] * (low * low + high * high)


def dissipated(law: Any, length: Any, rate: Any) -> Any:
    """W."""
    low, high = _depths(law, length)
    return -force(law, length, rate) * rate - law[LEG_LAW.stop_stiffness] * (high - low) * rate


def restitution(loss: float, speed: float) -> float:
    """Speed back over speed in of a mass on a stop: ``b - ln(1 + b) = -e b - ln(1 - e b)``, b = beta v_in.

    From ``m v dv/dd = -k d (1 + beta v)``: mass and stiffness drop out.  Solved for w = -ln(1 - e b), which has no end:
    leaving, a stop follows no faster than 1/beta.
    """
    b = loss * speed
    if b < TINY:
        return 1.0
    into = _bent(-log1p(b))
    low, high = 0.0, b + 1.0
    while low < (middle := 0.5 * (low + high)) < high:
        low, high = (middle, high) if _bent(middle) < into else (low, middle)
    return -expm1(-high) / b


def _bent(w: float) -> float:
    """``exp(-w) - 1 + w``; by its series where that would cancel."""
    if abs(w) > 0.5:
        return expm1(-w) + w
    return sum((-w) ** n / factorial(n) for n in range(18, 1, -1))
