"""SciPy's integrators with error control (RK45, RK23, DOP853, Radau, BDF, LSODA): `rtol`, `atol` instead of an order.

They choose their own steps on the rows of `rk4`, no longer than the interval of the records.  One run, smooth forces:
no controller, no dry friction, no faults, no checkpoint.
"""

from __future__ import annotations

from dataclasses import dataclass

from gough.checks import InputError, number

NAMES = ("RK45", "RK23", "DOP853", "Radau", "BDF", "LSODA")
SERVES = frozenset({"springs", "drives", "progress", "rtol", "atol", "spin", "stop", "base"})


@dataclass(frozen=True)
class Adaptive:
    """One of SciPy's integrators and its tolerances, for ``simulate(integrator=...)``."""

    name: str = "DOP853"
    rtol: float = 1e-10
    atol: float = 1e-12

    def __post_init__(self) -> None:
        if self.name not in NAMES:
            raise InputError("integrator", self.name, f"must be one of {', '.join(NAMES)}")
        for field in ("rtol", "atol"):
            object.__setattr__(self, field, number(field, getattr(self, field), above=0.0))
