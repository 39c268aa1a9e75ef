"""Fixed links: legs without a drive, whose length is held.  docs/derivations/links.md

A platform with m of them has 6 - m degrees of freedom.
"""

from __future__ import annotations

from typing import Any

from gough.checks import Checked, InputError
from gough.model.encoder import Encoder
from gough.model.limits import Limits

CANNOT = "a leg whose length is fixed has no drive, and nothing that belongs to one"
OFFSET = (
    "the joints of a fixed link have axes that meet: how far apart the joints are is its length"
)
OF_A_DRIVE = (  # limits
    *("stroke", "force", "speed", "stop_stiffness", "stop_loss", "stop_gap", "about_home"),
)


class Holdable(Checked):
    """A leg that may be a fixed link: its field ``fixed`` is the length that is held, m; None: it is driven."""

    fixed: float | None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.fixed is not None:
            _check(self)


def _check(leg: Any) -> None:
    """Refuse what a leg without a drive cannot have."""
    for name in ("drive", "screw"):
        if getattr(leg, name, None) is not None:
            raise InputError(name, "given", CANNOT)
    if leg.friction.prismatic:
        raise InputError("friction.prismatic", leg.friction.prismatic, CANNOT)
    if leg.encoder != Encoder():
        raise InputError("encoder", "given", CANNOT)
    for name in OF_A_DRIVE:
        value, default = getattr(leg.limits, name), getattr(Limits, name)
        if value is not None and (default is None or value != default):
            raise InputError(f"limits.{name}", value, CANNOT)


def inherited(defaults: dict[str, Any], leg: dict[str, Any]) -> dict[str, Any]:
    """Of a file's ``leg_defaults`` what a leg takes: a fixed link leaves those of a drive."""
    if "fixed" not in leg:
        return defaults
    without = {"limits": OF_A_DRIVE, "friction": ("prismatic",)}
    return {
        key: {k: v for k, v in value.items() if k not in without[key]}
        if key in without and isinstance(value, dict)
        else value
        for key, value in defaults.items()
        if key not in ("drive", "screw", "encoder")
    }
