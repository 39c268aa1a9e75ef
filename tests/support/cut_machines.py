"""Random machines of every leg type whose limits, bodies included, cut through the positions about a pose of theirs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gough.checks import Array
from gough.clearances import leg_clearances
from gough.limits import check
from gough.model import Limits, Platform
from gough.spatial import Pose, rotation_exp
from gough.struts import pair_distances, shared_joints, struts
from oracles.machines import case
from oracles.offset_machines import offset_case
from support.bodies import random_plate

ROUNDING = 1e-9  # of a margin


class Cut(NamedTuple):
    """A machine, orientations and positions (N, 3) at which its limits are looked at, m."""

    platform: Platform
    rotations: tuple[Array, ...]
    positions: Array


def cut_machine(kind: str, seed: int, count: int, bodies: bool = True) -> Cut:
    """A machine of `oracles.machines` or `oracles.offset_machines` at home in a pose it reaches; quantiles of what the
    positions ask for are its limits."""
    made = (offset_case if kind.endswith("-offset") else case)(kind, seed=seed, states=1)
    at = Pose(made.motion.position.reshape(-1, 3)[0], made.motion.rotation.reshape(-1, 3, 3)[0])
    rng = np.random.default_rng([seed, 31])
    size = made.platform.characteristic_length
    around = at.position + 0.5 * size * rng.uniform(-1.0, 1.0, (count, 3))
    other = rotation_exp(rng.uniform(-0.15, 0.15, 3)) @ at.rotation
    bare = made.platform.replace(home=at)
    if bodies:
        bare = between_bodies(rng, bare, at, (None, "base_shape", "platform_shape")[seed % 3])
    return Cut(with_cutting_limits(bare, at, around[:1000]), (at.rotation, other), around)


def between_bodies(
    rng: np.random.Generator, platform: Platform, at: Pose, near: str | None
) -> Platform:
    """`platform` with bodies on the far sides of its joints, that named `near` close to them; a body that a strut
    touches in the pose `at` is left out."""
    size, s = platform.characteristic_length, struts(platform, at).direction.mean(axis=0)
    signs = -np.sign(s[2]), np.sign((at.rotation.T @ s)[2])
    joints = platform.base_joints, platform.platform_joints
    for name, sign, own in zip(("base_shape", "platform_shape"), signs, joints, strict=True):
        level = sign * float((sign * own[:, 2]).max())
        gap, spared = (0.003, 0.006) if name == near else (0.25, 0.3)
        ends = sorted((level + sign * gap * size, level + sign * (gap + 0.4) * size))
        wide = 1.5 * float(np.linalg.norm(own[:, :2], axis=1).max())
        plate = random_plate(rng, wide, *ends).replace(spared=spared * size)
        one = platform.replace(**{name: plate})
        found = leg_clearances(with_radius(one, 1e-3), struts(one, at), at)
        if min(float(d.min()) for d in found.values()) > 1e-3 * size:
            platform = one
    return platform


def with_radius(platform: Platform, radius: float) -> Platform:
    """`platform` with legs of one radius and no other limit."""
    return platform.replace(legs=[x.replace(limits=Limits(radius=radius)) for x in platform.legs])


def with_cutting_limits(platform: Platform, at: Pose, around: Array) -> Platform:
    """Strokes, cones and radii, each of which some of the positions break."""
    g, poses = struts(platform, Pose(around, at.rotation)), Pose(around, at.rotation)
    here = struts(platform, at)
    # a little less: two platform joints are often the nearest points, always as far from one another
    pairs = 0.49 * np.nanquantile(pair_distances(g)[:, ~shared_joints(platform)].min(axis=-1), 0.2)
    bodies = leg_clearances(with_radius(platform, 1e-3), g, poses).values()
    gaps = [float(pairs), *(float(np.nanquantile(d.min(axis=-1), 0.4)) for d in bodies)]
    radius = max(min(gaps), 1e-4)
    with np.errstate(invalid="ignore"):
        turned = np.arccos(np.clip((g.direction * here.direction).sum(axis=-1), -1.0, 1.0))
    legs = []
    for i, leg in enumerate(platform.legs):
        away = float(np.nanquantile(np.abs(g.coordinate[:, i] - here.coordinate[i]), 0.95))
        cone, middle = float(np.nanquantile(turned[:, i], 0.95)), float(here.coordinate[i])
        limits = Limits(
            stroke=(middle - away, middle + away) if i != 4 else None,
            base_cone=cone if i % 2 else None,
            platform_cone=None if i % 3 else cone,
            radius=radius if i != 5 else None,
        )
        legs.append(leg.replace(limits=limits))
    return platform.replace(legs=legs)


class Compared(NamedTuple):
    """Positions judged otherwise than by `gough.limits.check`: farther from every limit than rounding, and nearer;
    how many are inside; how many each kind of limit alone refuses."""

    wrong: int
    rounded: int
    inside: int
    alone: dict[str, int]


def compared(platform: Platform, positions: Array, R: Array, found: Array) -> Compared:
    """What `points_inside` found against the one judge."""
    judged = check(platform, Pose(positions, R))
    differ, near = found != judged.ok, np.abs(judged.worst) <= ROUNDING
    least = {
        kind: np.where(np.isnan(m), np.inf, m).min(axis=-1) for kind, m in judged.margin.items()
    }
    broken = np.sum([m < 0.0 for m in least.values()], axis=0)
    alone = {kind: int(((m < 0.0) & (broken == 1)).sum()) for kind, m in least.items()}
    return Compared(
        int((differ & ~near).sum()), int((differ & near).sum()), int(judged.ok.sum()), alone
    )
