"""Springs: passive spring and damper along a leg, ``-k (l - l0) - c ldot``, N (N m)."""

from __future__ import annotations

from typing import Any

from gough.layout import LEG_LAW


def force(law: Any, length: Any, rate: Any) -> Any:
    """Against the coordinate."""
    return law[LEG_LAW.stiffness] * (length - law[LEG_LAW.rest]) + law[LEG_LAW.damping] * rate


def stored(law: Any, length: Any) -> Any:
    """``k (l - l0)^2/2``, J."""
    s = length - law[LEG_LAW.rest]
    return 0.5 * law[LEG_LAW.stiffness] * s * s


def dissipated(law: Any, rate: Any) -> Any:
    """``c ldot^2``, W."""
    return law[LEG_LAW.damping] * rate * rate
