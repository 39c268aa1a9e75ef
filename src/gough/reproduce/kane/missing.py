"""What [Syed] (004) does not say about its machine: ranges for it, samples, and the machine that given data make.

The paper gives the mass of a leg half, the largest accelerations and the duration; geometry, platform, mass centers,
drives and the shape of the trajectories are missing.  A machine here is symmetric: three times the same pair of legs,
mirror images of each other, equal legs of two uniform rods, a disc as platform, started at the center.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any

import numpy as np

from gough.checks import Array
from gough.documents.source import parse_toml
from gough.engines.pack import SIX
from gough.formulations.kane.errata import PINION_RADIUS
from gough.layout import BODY, STRUT
from gough.model import SPS, Body, Drive, Platform
from gough.spatial import Pose

HALF_MASS = 0.065  # kg, given by the paper
ROD_RADIUS = 0.005  # m
GRAVITY = 9.81  # m/s^2
GEAR, PINION = 20.0, PINION_RADIUS  # of the drive only the reflected mass matters
LOGARITHMIC = {
    "base_radius": (0.05, 0.5),  # m
    "platform_ratio": (0.2, 1.5),  # radius of the platform joints over the base radius
    "height_ratio": (0.2, 3.0),  # height at the start over the base radius
    "platform_mass": (0.2, 20.0),  # kg
    "reflected_mass": (0.1, 1000.0),  # kg, of each drive
}
UNIFORM = {
    "base_angle": (2.0, 58.0),  # deg, from the mirror plane of a pair to its joints
    "platform_angle": (2.0, 58.0),
    "disc": (0.8, 1.2),  # radius of the platform's disc over that of its joints
    "lower_length": (0.2, 0.95),  # of the lower half, over the leg's length at the start
    "upper_length": (0.2, 0.95),
}
RANGES = LOGARITHMIC | UNIFORM
DIRECTIONS = {"x_direction": 12, "first_leg": 2}
"""Which of twelve directions 30 deg apart is x, and whether leg 1 is the first or the second of its pair."""

Data = Mapping[str, Array]
"""Missing data by name, (n,) each, or one number each."""


@lru_cache(maxsize=1)
def stored() -> dict[str, Any]:
    """What `search` found, as shipped: shares, quantiles, and the data of a machine that meets all statements."""
    path = files("gough.reproduce.kane").joinpath("search.toml")
    return parse_toml(path.read_text(encoding="utf-8"), path.name)


def sample(count: int, rng: np.random.Generator) -> dict[str, Array]:
    """Missing data of `count` machines."""
    found = {
        name: np.exp(rng.uniform(np.log(low), np.log(high), count))
        for name, (low, high) in LOGARITHMIC.items()
    }
    found |= {name: rng.uniform(*ends, count) for name, ends in UNIFORM.items()}
    return found | {name: rng.integers(0, n, count).astype(float) for name, n in DIRECTIONS.items()}


def heights(data: Data) -> Array:
    """Height of the platform at the start, m."""
    return np.asarray(data["base_radius"] * data["height_ratio"])


def joints(data: Data) -> tuple[Array, Array]:
    """Base and platform joints (..., 6, 3), m; legs numbered counter-clockwise."""
    leg = (np.arange(6) + np.asarray(data["first_leg"])[..., None]) % 6
    side = np.where(leg % 2 == 0, -1.0, 1.0)
    center = 120.0 * (leg // 2) + 30.0 * np.asarray(data["x_direction"])[..., None]
    base, platform = np.asarray(data["base_radius"]), data["base_radius"] * data["platform_ratio"]

    def ring(radius: Array, angle: Array) -> Array:
        turn = np.radians(center + side * np.asarray(angle)[..., None])
        points = np.stack([np.cos(turn), np.sin(turn), np.zeros_like(turn)], axis=-1)
        return np.asarray(radius)[..., None, None] * points

    return ring(base, data["base_angle"]), ring(platform, data["platform_angle"])


def _lengths(data: Data) -> Array:
    """(...,) length of a leg at the start, m."""
    b, p = joints(data)
    p[..., 2] += heights(data)[..., None]
    return np.linalg.norm(p - b, axis=-1)[..., 0]


def _turning(data: Data) -> Array:
    """Moment of inertia of the platform's disc about a diameter, kg m^2."""
    radius = data["disc"] * data["base_radius"] * data["platform_ratio"]
    return np.asarray(data["platform_mass"] * radius**2 / 4)


def machine(data: Data) -> Platform:
    """The machine; GEAR, PINION and a rotor that makes the reflected mass are its drives."""
    b, p = joints(data)
    rods = [float(data[f"{part}_length"] * _lengths(data)) for part in ("lower", "upper")]
    across = [HALF_MASS * (3 * ROD_RADIUS**2 + rod**2) / 12 for rod in rods]
    lower, upper = (
        Body(HALF_MASS, (sign * rod / 2, 0, 0), (HALF_MASS * ROD_RADIUS**2 / 2, turn, turn))
        for sign, rod, turn in zip((1, -1), rods, across, strict=True)
    )
    rotor = float(data["reflected_mass"]) * (PINION / GEAR) ** 2
    drive = Drive.rack_and_pinion(gear=GEAR, pinion_radius=PINION, rotor_inertia=rotor)
    legs = [SPS(base=b[i], joint=p[i], lower=lower, upper=upper, drive=drive) for i in range(6)]
    turning = float(_turning(data))
    body = Body(float(data["platform_mass"]), inertia=(turning, turning, 2 * turning))
    home = Pose(np.array([0.0, 0.0, float(heights(data))]))
    return Platform(body=body, legs=legs, gravity=(0, 0, -GRAVITY), home=home)


def parameters(data: Data, lower: bool, upper: bool) -> Array:
    """(n, parameters) what the compiled engine reads for n machines without drives; halves may be massless."""
    b, p = joints(data)
    n = len(b)
    body, legs = np.zeros((n, BODY.size)), np.zeros((n, 6, STRUT.size))
    body[:, BODY.mass] = data["platform_mass"]
    body[:, BODY.second] = _six(_turning(data), _turning(data), np.zeros(n))
    body[:, BODY.gravity] = (0, 0, -GRAVITY)
    legs[..., STRUT.base], legs[..., STRUT.joint], legs[..., STRUT.axis] = b, p, np.eye(3)[0]
    for part, sign, counts in (("lower", 1, lower), ("upper", -1, upper)):
        if not counts:
            continue
        rod = (data[f"{part}_length"] * _lengths(data))[:, None]
        across = np.full_like(rod, HALF_MASS * ROD_RADIUS**2 / 4)
        second = _six(HALF_MASS * rod**2 / 3, across, across)  # about the rod's joint
        legs[..., getattr(STRUT, f"{part}_mass")] = HALF_MASS
        legs[..., getattr(STRUT, f"{part}_first")] = (
            sign * HALF_MASS * rod[..., None] / 2 * np.eye(3)[0]
        )
        legs[..., STRUT.second] += second
        if part == "upper":
            legs[..., STRUT.upper_second] = second
    return np.hstack([body, legs.reshape(n, -1)])


def _six(xx: Array, yy: Array, zz: Array) -> Array:
    """(..., 6) numbers of diagonal second moments, in the order of the engine."""
    moments = np.stack([xx, yy, zz], axis=-1)
    return np.stack([moments[..., i] * (i == j) for i, j in SIX], axis=-1)
