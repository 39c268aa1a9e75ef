"""Machines of every kind that model files can say, and states of them."""

from __future__ import annotations

import gough
from oracles.links import linked
from oracles.machines import case
from oracles.offset_machines import KINDS as OFFSETS
from oracles.offset_machines import offset_case

LINKS, SPRINGS = "+links", "+springs"  # two of the legs are fixed links; springs in all joints
PLAIN = ("UPS", "SPS-free", "SPS-general", "PUS", "RUS", "mixed", "UCU", "PSU", "UCS-general")
PLAIN += (
    "UPS-offset",
    "UCU-offset",
    "RSS-general",
    "mixed" + LINKS,
    "UCU" + LINKS,
    "UCU" + SPRINGS,
    "UCU-offset" + SPRINGS,
)
ROTORS = ("UPS-rotor", "SPS-rotor", "UCU-rotor", "UCU-screw", "UCU-upper", "UCU-mixed")
ROTORS += ("UCS-rotor", "rods-mixed", "UCU-mixed" + LINKS, "UCU-upper" + SPRINGS, "mixed-offset")


def machine(kind: str, seed: int, form: str) -> tuple[gough.Platform, gough.Motion]:
    """A machine without the friction for which the file has no word, and a state of it."""
    name, _, more = kind.partition("+")
    held, sprung = more == LINKS[1:], more == SPRINGS[1:]
    c = linked(name, seed=seed, count=2, states=1) if held else None
    if name in OFFSETS:
        c = offset_case(name, seed=seed, states=1, springs=sprung)
    c = c or case(name, seed=seed, states=1, springs=sprung)
    assert sprung == any(leg.springs.any for leg in c.platform.legs)
    assert held == any(getattr(leg, "fixed", None) is not None for leg in c.platform.legs)
    legs = []
    for leg in c.platform.legs:
        kept = leg.friction
        if not hasattr(leg, "platform_axis") and form != "urdf":
            kept = kept.replace(spherical=0.0)
        if not hasattr(leg, "axis") and form == "sdf":
            kept = kept.replace(universal=0.0)
        legs.append(leg.replace(friction=kept))
    return c.platform.replace(legs=legs), c.motion[0]
