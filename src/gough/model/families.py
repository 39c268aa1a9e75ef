"""The usual machines by name: their constructors, the dimensions these take, and the dimensions' kinds."""

from __future__ import annotations

from collections.abc import Callable

from gough.model import geometry
from gough.model.platform import Platform

_RADII = ("base_radius", "platform_radius")
_CIRCLES = (*_RADII, "base_pair_angle", "platform_pair_angle")
FAMILIES: dict[str, tuple[Callable[..., Platform], tuple[str, ...]]] = {
    "hexapod": (geometry.hexapod, (*_CIRCLES, "height")),
    "octahedral": (geometry.octahedral, (*_RADII, "height")),
    "six-three": (geometry.six_three, (*_RADII, "base_pair_angle", "height")),
    "cubic": (geometry.cubic, ("edge", "fraction")),
    "hexaglide": (geometry.hexaglide, (*_CIRCLES, "height", "link_length", "incline")),
    "servo-hexapod": (geometry.servo_hexapod, (*_CIRCLES, "crank_length", "rod_length")),
}
OPTIONAL = ("fraction",)  # dimensions that have a default
TURNING = ("servo-hexapod",)  # families with cranks
OPTIONS = ("platform_mass", "leg_mass")
_STRUTS = ("UPS", "SPS", "UCU", "UCS")
LEG_KINDS = {  # the first is the default
    **dict.fromkeys(("hexapod", "octahedral", "six-three", "cubic"), _STRUTS),
    "hexaglide": ("PUS", "PSU"),
    "servo-hexapod": ("RUS", "RSS"),
}
_BY_DIMENSION = {
    "length": (*_RADII, "height", "edge", "link_length", "crank_length", "rod_length"),
    "angle": ("base_pair_angle", "platform_pair_angle", "incline"),
    "mass": OPTIONS,
    "pure number": ("fraction",),
}
DIMENSIONS = {name: dimension for dimension, names in _BY_DIMENSION.items() for name in names}
