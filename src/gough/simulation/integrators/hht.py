"""hht: Hilber-Hughes-Taylor on the index-3 equations of thirteen bodies, order 2 with numerical damping.

The member ``alpha_m = 0, alpha_f = -alpha`` of the family in alpha_family.py; source [Negrut2007].  One run under
forces and wrenches: no controller, springs, drives, faults or checkpoint.
"""

from __future__ import annotations

from gough.checks import InputError, number
from gough.simulation.alpha_family import Method

NAME = "hht"
SERVES = frozenset({"progress", "spin", "stop"})


def hht(alpha: float = -0.05) -> Method:
    """``-1/3 <= alpha <= 0``, more negative damps more."""
    a = number("alpha", alpha)
    if not -1 / 3 <= a <= 0:
        raise InputError("alpha", alpha, "must lie between -1/3 and 0")
    return Method(NAME, 0.0, -a, (1 - a) ** 2 / 4, 0.5 - a)
