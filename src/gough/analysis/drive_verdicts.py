"""Verdicts on drives: one check, one combination of parts, all of them in order; in numbers and in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.analysis.proved import BROKEN, HOLDS, UNDECIDED
from gough.checks import Array
from gough.frozen import hinted
from gough.model import Drive, Platform

SAMPLED = "holds at samples"
ORDER = (HOLDS, SAMPLED, UNDECIDED, BROKEN)


@hinted
@dataclass(frozen=True, repr=False)
class DriveCheck:
    """One thing that a part must bear: at most `need`, `least` of it for sure, `have` is allowed, in `unit`.

    use, least_use  shares of what is allowed at most, and for sure
    """

    name: str
    need: float
    least: float
    have: float
    unit: str
    use: float
    least_use: float

    def status(self, proved: bool) -> str:
        """`HOLDS`, `SAMPLED`, `BROKEN` or `UNDECIDED`."""
        if self.use <= 1.0:
            return HOLDS if proved else SAMPLED
        return BROKEN if self.least_use > 1.0 else UNDECIDED

    def sentence(self, proved: bool) -> str:
        """In words."""
        how = self.status(proved)
        if how == UNDECIDED:
            how = f"{UNDECIDED}: between {100 * self.least_use:.4g} and {100 * self.use:.4g} %"
        elif self.have == 0.0:
            return f"{self.name}: {how}: there is none at this speed"
        elif how == BROKEN:
            how = (
                f"{BROKEN}{'' if proved else ' at samples'}: at least {100 * self.least_use:.4g} %"
            )
        return f"{self.name}: {how} of {self.have:.4g} {self.unit}"


@hinted
@dataclass(frozen=True, repr=False)
class DriveOption:
    """A motor with a gear and a screw (empty: none) on all of `legs`; `drive` is what the dynamics knows of it.

    life_h  basic rating life of the screw, hours of the hardest motion (a lower bound, where `proved`), or None
    """

    motor: str
    gear: str
    screw: str
    legs: tuple[str, ...]
    drive: Drive
    checks: tuple[DriveCheck, ...]
    not_judged: tuple[str, ...]
    life_h: float | None
    proved: bool

    @property
    def status(self) -> str:
        """The worst of its checks."""
        return max((c.status(self.proved) for c in self.checks), key=ORDER.index)

    @property
    def use(self) -> float:
        """The largest share of what is allowed."""
        return max(c.use for c in self.checks)

    def reasons(self) -> tuple[str, ...]:
        """What does not hold, in words."""
        return tuple(c.sentence(self.proved) for c in self.checks if c.use > 1.0)

    def on(self, platform: Platform) -> Platform:
        """The machine with this drive on its legs (their old ones are gone)."""
        named = zip(platform.leg_names, platform.legs, strict=True)
        return platform.replace(
            legs=[
                leg.replace(drive=self.drive) if name in self.legs else leg for name, leg in named
            ]
        )

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers for JSON."""
        checks = [
            {
                "name": c.name,
                "need": _number(c.need),
                "have": _number(c.have),
                "unit": c.unit,
                "use": _number(c.use),
            }
            | {"status": c.status(self.proved)}
            for c in self.checks
        ]
        return {
            "motor": self.motor,
            "gear": self.gear,
            "screw": self.screw,
            "legs": list(self.legs),
            "status": self.status,
            "use": _number(self.use),
            "reasons": list(self.reasons()),
            "not_judged": list(self.not_judged),
            "screw_life_h": _number(self.life_h),
            "drive": {
                "ratio": self.drive.ratio,
                "ratio_unit": "rad/m" if self.screw else "rad/rad",
                "rotor_inertia_kg_m2": self.drive.rotor_inertia,
                "efficiency": self.drive.efficiency,
                "back_efficiency": self.drive.back_efficiency,
            },
            "checks": checks,
        }


def _number(x: float | None) -> float | None:
    return None if x is None or not np.isfinite(x) else float(x)


@hinted
@dataclass(frozen=True, repr=False)
class DriveChoice:
    """All combinations, those that hold first, of these the one with most room first; what the words rest on."""

    options: tuple[DriveOption, ...]
    judged: tuple[str, ...]

    @property
    def holding(self) -> tuple[DriveOption, ...]:
        """Those that hold, by proof or at samples."""
        return tuple(o for o in self.options if o.status in (HOLDS, SAMPLED))

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers for JSON."""
        return {"options": [o.as_dict() for o in self.options], "judged": list(self.judged)}


def harder(a: DriveCheck, b: DriveCheck) -> DriveCheck:
    """The check of a motion that asks more; for sure what either asks for sure."""
    worse = a if a.use >= b.use else b
    return DriveCheck(
        *(worse.name, worse.need, worse.least, worse.have, worse.unit, worse.use),
        max(a.least_use, b.least_use),
    )


def compare(name: str, most: Array, least: Array, have: float, unit: str) -> DriveCheck:
    need, sure = float(np.max(most)), float(np.max(least))
    return DriveCheck(name, need, sure, have, unit, need / have, sure / have)
