"""The table of a hydraulic cylinder in a machine document, ``drive.hydraulic``: its keys are the class's fields."""

from __future__ import annotations

from functools import partial

from gough.documents import kinds as k
from gough.documents.reader import Keyed, each, need
from gough.model.hydraulic import COMMANDS, Hydraulic

_positive = partial(k.scalar, above=0)
HYDRAULIC = Keyed(
    "Hydraulic",
    {
        "bore": need(_positive("length")),
        "rod": need(k.scalar("length", minimum=0)),
        **each(need(_positive("volume")), "dead_cap", "dead_rod"),
        "supply_pressure": need(_positive("pressure")),
        "rated_flow": need(_positive("volume flow")),
        **each(_positive("pressure"), "rated_drop", "bulk_modulus", "laminar_drop"),
        "tank_pressure": k.scalar("pressure", minimum=0),
        **each(k.bandwidth(above=0), "valve_bandwidth", "force_bandwidth"),
        **each(k.scalar("leakage", minimum=0), "leakage", "drain"),
        "viscous": k.scalar("linear friction", minimum=0),
        **each(k.scalar("force", minimum=0), "coulomb", "static"),
        "stribeck_rate": _positive("speed"),
        "command": k.choice(COMMANDS),
    },
    Hydraulic,
)
