"""The tables of UCS, PSU and RSS legs in a machine document, made of the same keys as their siblings."""

from __future__ import annotations

from typing import Any

from gough.documents import kinds as k
from gough.documents.reader import Keyed, each, need
from gough.model.rods import PSU, RSS, UCS

Keys = dict[str, Any]


def rod_legs(ends: Keys, strut: Keys, slider: Keys, crank: Keys) -> dict[str, Keyed[Any]]:
    """By type: keys of every leg's ends, then of a two-part strut, a slider with its link, a crank with its rod."""
    spun = {"reference": k.direction}
    turned = each(need(k.direction), "rail", "platform_axis")
    return {
        "UCS": Keyed("UCS", {**ends, "axis": need(k.direction), **spun, **strut}, UCS),
        "PSU": Keyed("PSU", {**ends, **turned, **slider}, PSU),
        "RSS": Keyed("RSS", {**ends, **spun, **crank}, RSS),
    }
