"""How a machine looks in a model file: simple shapes on its bodies, at the pose, in each body's axes.

Plates are the machine's own shapes (`Platform.base_shape`, `platform_shape`) or discs through its joints, behind them
as seen from the other plate; joints that lie in no plane get rods from one to the next.  Legs are cylinders, sliders
boxes on rails, cranks bars on their shafts, joints balls.  Sizes come from the machine's: a leg's radius, or a share
of its characteristic length.  Shapes weigh nothing and change no physics.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gough.checks import Array
from gough.export.linkage import PLATFORM, WORLD, Chain, Part
from gough.model import Plate, Platform
from gough.spatial import Pose

THICK = 0.02  # radius of a rod without one of its own, of the machine's or its legs' size
SHORT = 1e-6  # of the machine's size: ends that coincide have no rod between them
SHARE = 0.6  # of the leg's length at the pose: each of two parts that slide
FLAT = 0.05  # of the machine's size: joints so near to a plane have a disc
BALL, SLEEVE, SHAFT = (
    1.45,
    1.2,
    2.5,
)  # radius of joints, of lower parts; half length of a shaft; in rods' radii

COLORS = {
    "base": (0.44, 0.46, 0.50, 1.0),
    "platform": (0.25, 0.50, 0.78, 1.0),
    "lower": (0.33, 0.36, 0.40, 1.0),
    "upper": (0.78, 0.80, 0.83, 1.0),
    "rail": (0.55, 0.57, 0.60, 1.0),
    "driven": (0.87, 0.52, 0.16, 1.0),
    "joint": (0.62, 0.16, 0.16, 1.0),
}
"""Red, green, blue and opacity of what parts are: sliders and cranks are `driven`, links and rods `upper`."""


@dataclass(frozen=True, eq=False)
class Shape:
    """A cylinder, box or sphere.

    name    unlike that of any other shape;  color  key of `COLORS`
    kind    "cylinder" (size: radius, half length along its z), "box" (three half sides), "sphere" (radius)
    center, rotation   in the axes of the body it belongs to, m
    """

    name: str
    kind: str
    color: str
    size: tuple[float, ...]
    center: Array
    rotation: Array = field(default_factory=lambda: np.eye(3))


def looks(platform: Platform, pose: Pose, legs: tuple[Chain, ...]) -> dict[str, list[Shape]]:
    """Shapes by the names of the bodies they belong to; `WORLD` has those of the base."""
    joints = pose.position + platform.platform_joints @ pose.rotation.T
    starts = np.stack([chain.parts[0].position for chain in legs])
    spans = np.linalg.norm(joints - starts, axis=-1)
    thick = THICK * max(platform.characteristic_length, float(spans.mean()))
    base = np.stack([leg.base for leg in platform.legs])
    top = platform.platform_joints
    seen = pose.rotation.T @ (base.mean(axis=0) - pose.position)  # of the base, from the platform
    found: dict[str, list[Shape]] = {
        WORLD: _plate("base", platform.base_shape, base, pose.position, thick, platform),
        PLATFORM: _plate("platform", platform.platform_shape, top, seen, thick, platform),
    }
    for i, chain in enumerate(legs):
        radius = chain.leg.limits.radius or thick
        ball = Shape(f"{chain.name}-platform-ball", "sphere", "joint", (BALL * radius,), top[i])
        found[PLATFORM].append(ball)
        found[WORLD] += _rail(platform, chain, radius)
        for part in chain.parts:
            found[part.name] = _part(platform, chain, part, radius)
    return found


def _plate(
    name: str, plate: Plate | None, joints: Array, other: Array, thick: float, platform: Platform
) -> list[Shape]:
    """The base or the platform: its own shape, a disc behind its joints (6, 3) as seen from `other`, or rods."""
    if plate is not None:
        return _own_plate(name, plate, thick)
    center = joints.mean(axis=0)
    _, _, axes = np.linalg.svd(joints - center)
    normal = axes[2] if axes[2] @ (other - center) < 0.0 else -axes[2]  # away from the other
    rails = all(hasattr(leg, "rail") for leg in platform.legs) and name == "base"
    flat = np.abs((joints - center) @ normal).max() < FLAT * platform.characteristic_length
    if flat and not rails:
        across = (joints - center) - np.outer((joints - center) @ normal, normal)
        own = max(leg.limits.radius or thick for leg in platform.legs)
        radius = float(np.linalg.norm(across, axis=-1).max()) + own
        start = center + 0.8 * BALL * own * normal
        return _rods(platform, name, name, [(start, start + thick * normal)], radius)
    pairs = [(joints[i], joints[(i + 1) % len(joints)]) for i in range(len(joints))]
    return _rods(platform, name, name, pairs, thick)


def _own_plate(name: str, plate: Plate, thick: float) -> list[Shape]:
    """A plate as the machine says it: a cylinder, or walls along the edges of its outline."""
    middle, half = 0.5 * (plate.top + plate.bottom), 0.5 * (plate.top - plate.bottom)
    if plate.outline is None:
        assert plate.radius is not None
        center = np.array([*plate.center, middle])
        return [Shape(f"{name}-plate", "cylinder", name, (plate.radius, half), center)]
    corners, found = np.asarray(plate.outline), []
    for i, a in enumerate(corners):
        along = corners[(i + 1) % len(corners)] - a
        long = float(np.linalg.norm(along))
        x, y = along / long
        turn = np.array([[x, -y, 0.0], [y, x, 0.0], [0.0, 0.0, 1.0]])
        center = np.array([*(a + 0.5 * along), middle])
        size = (0.5 * long, 0.5 * thick, half)
        found.append(Shape(f"{name}-wall-{i + 1}", "box", name, size, center, turn))
    return found


def _rail(platform: Platform, chain: Chain, radius: float) -> list[Shape]:
    """What a slider runs on: its stroke, or the machine's size about where it is."""
    leg: Any = chain.leg
    if not hasattr(leg, "rail"):
        return []
    ends = leg.limits.stroke
    if ends is None:
        ends = chain.coordinate + platform.characteristic_length * np.array([-0.5, 0.5])
    spare = 2 * SHAFT * radius
    low, high = (leg.base + leg.rail * q for q in (float(ends[0]) - spare, float(ends[1]) + spare))
    return _rods(platform, f"{chain.name}-rail", "rail", [(low, high)], 0.7 * radius)


def _part(platform: Platform, chain: Chain, part: Part, radius: float) -> list[Shape]:
    """What is seen of one part of a leg."""
    leg: Any = chain.leg
    word, zero = part.name.removeprefix(f"{chain.name}-"), np.zeros(3)
    ball = Shape(f"{part.name}-ball", "sphere", "joint", (BALL * radius,), zero)
    if word in ("lower", "upper"):
        ends = {p.name: p.position for p in chain.parts}
        length = float(np.linalg.norm(ends[f"{chain.name}-upper"] - ends[f"{chain.name}-lower"]))
        low = word == "lower"
        reach = np.array([SHARE * length * (1.0 if low else -1.0), 0.0, 0.0])
        wide = radius * (SLEEVE if low else 1.0)
        rod = _rods(platform, f"{part.name}-rod", word, [(zero, reach)], wide)
        return [*rod, ball] if low else rod
    if word == "link":
        return [*_rods(platform, f"{part.name}-rod", "upper", [(zero, chain.tip)], radius), ball]
    if word == "crank":
        out = SHAFT * radius * leg.shaft
        shaft = _rods(platform, f"{part.name}-shaft", "lower", [(-out, out)], BALL * radius)
        return [*_rods(platform, f"{part.name}-arm", "driven", [(zero, leg.arm)], radius), *shaft]
    if word == "slider":
        sides = (2.0 * radius, 2.0 * radius, SHAFT * radius)
        return [Shape(f"{part.name}-box", "box", "driven", sides, zero, _along(leg.rail))]
    return [ball]  # the cross piece of an offset joint


def _rods(
    platform: Platform, name: str, color: str, ends: list[tuple[Array, Array]], radius: float
) -> list[Shape]:
    """Cylinders from point to point; where the points coincide there is none."""
    least, found = SHORT * platform.characteristic_length, []
    for i, (a, b) in enumerate(ends):
        long = float(np.linalg.norm(b - a))
        if long > least:
            size = (float(radius), 0.5 * long)
            own = name if len(ends) == 1 else f"{name}-{i + 1}"
            found.append(Shape(own, "cylinder", color, size, 0.5 * (a + b), _along(b - a)))
    return found


def _along(direction: Array) -> Array:
    """A rotation whose z has this direction."""
    z = direction / np.linalg.norm(direction)
    x = np.cross(np.eye(3)[int(np.argmin(np.abs(z)))], z)
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(z, x), z], axis=1)
