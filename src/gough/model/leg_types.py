"""All leg types, and by what drives them."""

from __future__ import annotations

from gough.model.legs import PUS, RUS, SPS, UCU, UPS
from gough.model.rods import PSU, RSS, UCS

Leg = UPS | SPS | PUS | RUS | UCU | UCS | PSU | RSS
LEG_TYPES = (UPS, SPS, PUS, RUS, UCU, UCS, PSU, RSS)
SLIDERS = (PUS, PSU)
CRANKS = (RUS, RSS)
