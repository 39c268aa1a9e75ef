"""Machines built anew with one number of their file changed, and slopes over that number by differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import gough
from gough.checks import Array
from gough.model.body import collected_warnings


def step_of(name: str, unit: str, value: float) -> float:
    """A change small against the machine, large against rounding."""
    if unit == "kg m^2" and name[-2:] not in ("xy", "xz", "yz"):
        return min(1e-2 * abs(value), 1e-3)  # a spin is not linear in the small inertia of its axis
    return 3e-4 if unit == "m" else max(1e-3 * abs(value), 1e-2 if unit == "kg" else 1e-3)


def changed(item: Any, path: list[str], change: float) -> Any:
    """The same object built anew with one number of its file changed."""
    name, *rest = path
    value = getattr(item, name)
    if not rest:
        return item.replace(**{name: value + change})
    if isinstance(value, np.ndarray):
        delta = np.zeros(value.shape)
        if rest[0] == "across":
            delta[1, 1] = delta[2, 2] = change
        elif value.ndim == 2:
            i, j = ("xyz".index(c) for c in rest[0])
            delta[i, j] = delta[j, i] = change
        else:
            delta["xyz".index(rest[0])] = change
        return item.replace(**{name: value + delta})
    return item.replace(**{name: changed(value, rest, change)})


def value_at(item: Any, path: list[str]) -> float:
    for k, name in enumerate(path):
        if isinstance(item, np.ndarray):
            places = [1, 1] if name == "across" else ["xyz".index(c) for c in path[k]]
            return float(item[tuple(places)])
        item = getattr(item, name)
    return float(item)


def rebuilt(platform: gough.Platform, name: str, change: float) -> gough.Platform:
    first, *path = name.split(".")
    with collected_warnings():
        if first in platform.leg_names:
            at = platform.leg_names.index(first)
            legs = list(platform.legs)
            legs[at] = changed(legs[at], path, change)
            return platform.replace(legs=legs)
        return changed(platform, [first, *path], change)


def differences(
    platform: gough.Platform, name: str, unit: str, answer: Callable[[gough.Platform], Array]
) -> Array:
    """``d answer/d parameter`` by two central differences, the error of second order taken out."""
    first, *path = name.split(".")
    owner = platform
    if first in platform.leg_names:
        owner = platform.legs[platform.leg_names.index(first)]  # type: ignore[assignment]
    else:
        path = [first, *path]
    h = step_of(name, unit, value_at(owner, path))
    one_sided = "friction" in name and value_at(owner, path) == 0.0  # below zero there is none

    def slope(h: float) -> Array:
        ahead, behind = (
            answer(rebuilt(platform, name, h * side)) for side in (1, not one_sided and -1)
        )
        return (ahead - behind) / (h if one_sided else 2 * h)

    order = 2.0 if one_sided else 4.0
    return (order * slope(0.5 * h) - slope(h)) / (order - 1.0)
