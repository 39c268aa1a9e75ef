"""How the parts of a machine look in a model file: rods between the joints, at the pose, in each part's axes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gough.checks import Array
from gough.export.linkage import Chain, Part
from gough.model import Platform

THICK = 0.015  # radius of a rod without one of its own, of the machine's size
SHORT = 1e-6  # of the machine's size: joints that coincide have no rod between them
SHARE = 0.6  # of the leg's length at the pose: each of two parts that slide


class Rod(NamedTuple):
    """From one point to another, m, with a radius."""

    start: Array
    end: Array
    radius: float


def part_rods(platform: Platform, chain: Chain, part: Part) -> list[Rod]:
    """What is seen of one part of a leg; sliders and cross pieces are not."""
    zero = np.zeros(3)
    word = part.name.removeprefix(f"{chain.name}-")
    ends = {part.name.removeprefix(f"{chain.name}-"): part.position for part in chain.parts}
    if word in ("lower", "upper"):
        length = float(np.linalg.norm(ends["upper"] - ends["lower"]))
        reach = (SHARE if word == "lower" else -SHARE) * length
        end = np.array([reach, 0.0, 0.0])
    elif word == "link":
        end = chain.tip
    elif word == "crank":
        end = chain.leg.arm  # type: ignore[union-attr]
    else:
        return []
    radius = chain.leg.limits.radius or THICK * platform.characteristic_length
    return _seen(platform, [(zero, end)], radius * (1.25 if word == "lower" else 1.0))


def ring_rods(platform: Platform, joints: Array) -> list[Rod]:
    """The base or the platform: rods from joint to joint (6, 3) in the order of the legs."""
    pairs = [(joints[i], joints[(i + 1) % len(joints)]) for i in range(len(joints))]
    return _seen(platform, pairs, THICK * platform.characteristic_length)


def _seen(platform: Platform, ends: list[tuple[Array, Array]], radius: float) -> list[Rod]:
    least = SHORT * platform.characteristic_length
    return [Rod(a, b, radius) for a, b in ends if np.linalg.norm(b - a) > least]
