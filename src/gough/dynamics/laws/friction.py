"""Friction of a drive: viscous, and dry friction as an elastic-slip element that sticks without creeping.

    f = clip(grip z + damping v, -down, up),   z = clip(x - anchor, -down/grip, up/grip),   anchor <- x - z
x, v: coordinate the drive turns at (actuator units);  up, down: levels against sliding forward and backward, from
Stribeck's curve ``coulomb + (static - coulomb)/(1 + (v/v_s)^2)``, what the gear adds (gear.py) and brakes (brake.py).
The presliding travel is ``level/grip``.  Passive for levels that change as they like: ``f v`` is what z stores plus
something that is never negative (z only shrinks by slipping or by a falling level; the damping part is clipped with
the sum, so it cannot push).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.checks import Array
from gough.equations.scalar import larger, smaller
from gough.layout import LEG_LAW
from gough.model import CRANKS, Drive, Leg
from gough.model.drive import dry_friction

PRESLIDING = {"m": 2e-5, "rad": 1e-3}  # travel at which dry friction is fully up, unless given
GRIP_DAMPING = 0.5  # damping ratio of the sticking element on the leg's own share of mass
MOST_LOSS = 0.25  # of the largest load that counts for the stiffness of the element: a lossy gear is not stiffer


def unit_of(leg: Leg) -> str:
    """Unit of a leg's actuator coordinate."""
    return "rad" if isinstance(leg, CRANKS) else "m"


def fill(law: Array, leg: Leg, drive: Drive, share: float) -> None:
    """Rows of one leg; the element's stiffness suits the level at the largest load that is known."""
    nu = abs(drive.ratio)
    rubbing = drive.hydraulic or drive
    law[LEG_LAW.viscous] = nu**2 * rubbing.viscous
    law[LEG_LAW.coulomb] = nu * rubbing.coulomb
    law[LEG_LAW.excess] = nu * max(rubbing.static - rubbing.coulomb, 0.0)
    law[LEG_LAW.stribeck] = rubbing.stribeck_rate / nu
    limit = min(leg.limits.force or np.inf, drive.max_force)
    load = limit if np.isfinite(limit) else share * 9.81
    loss = max(drive.losses)
    level = nu * max(rubbing.static, rubbing.coulomb) + min(loss, MOST_LOSS) * load
    travel = drive.presliding or PRESLIDING[unit_of(leg)]
    if level > 0.0:
        set_grip(law, float(level / travel), leg, share)


def set_grip(law: Array, grip: float, leg: Leg, share: float) -> None:
    """Stiffness (N/m, N m/rad) of the sticking element and the damping that suits the mass it holds."""
    if isinstance(leg, CRANKS):
        share *= float(leg.arm @ leg.arm)
    mass = max(share, leg.drive.reflected_inertia if leg.drive is not None else 0.0)
    law[LEG_LAW.grip] = grip
    law[LEG_LAW.grip_damping] = 2 * GRIP_DAMPING * np.sqrt(grip * mass)


def dry(law: Any, v: Any) -> Any:
    """Level of dry friction at a rate."""
    return dry_friction(law[LEG_LAW.coulomb], law[LEG_LAW.excess], law[LEG_LAW.stribeck], v)


def element(law: Any, x: Any, v: Any, anchor: Any, up: Any, down: Any) -> tuple[Any, Any]:
    """Dry friction (against the coordinate) and the anchor after slipping."""
    grip = law[LEG_LAW.grip]
    z = smaller(larger(x - anchor, -down / grip), up / grip)
    f = smaller(larger(grip * z + law[LEG_LAW.grip_damping] * v, -down), up)
    return f, x - z


def dissipated(law: Any, z: Any, v: Any, f: Any, slip: Any) -> Any:
    """``(f - grip z) v + grip z slip``, W: damping while it sticks, and what its anchor slides (`slip`, m/s)."""
    return (f - law[LEG_LAW.grip] * z) * v + law[LEG_LAW.grip] * z * slip


def stored(law: Any, x: Any, anchor: Any) -> Any:
    """``grip z^2/2`` with the anchor after slipping, J."""
    z = x - anchor
    return 0.5 * law[LEG_LAW.grip] * z * z
