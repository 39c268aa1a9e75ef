"""Positions of machines with sliders and cranks: the compiled route judges as `limits.check`, limit by limit."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.analysis import points as points_room
from gough.analysis.points import points_inside
from gough.checks import Array
from gough.layout import LEG_GEOMETRY as LEG
from gough.spatial import Pose
from gough.struts import leg_table, pair_distances, struts
from oracles.machines import case

KINDS = ("PUS", "RUS", "PSU", "RSS-free", "mixed")


def limited(kind: str, seed: int) -> tuple[gough.Platform, Pose, Array]:
    """A random machine whose limits cut through the positions about a pose that it reaches, and these positions."""
    made = case(kind, seed=seed, states=1)
    platform, rng = made.platform, np.random.default_rng(seed)
    at = Pose(made.motion.position.reshape(-1, 3)[0], made.motion.rotation.reshape(-1, 3, 3)[0])
    size = 0.5 * platform.characteristic_length
    around = at.position + size * rng.uniform(-1.0, 1.0, (4000, 3))
    platform = platform.replace(home=at)
    g = struts(platform, Pose(around, at.rotation))
    here, s0 = struts(platform, at), struts(platform, at).direction
    with np.errstate(invalid="ignore"):
        turned = np.arccos(np.clip((g.direction * s0).sum(axis=-1), -1.0, 1.0))
    # a little less: two platform joints are often the nearest points, always as far from one another
    beside = 1.0 + 1e-6  # no limit is met exactly by one of the positions: rounding would decide
    near = 0.98 * float(np.nanquantile(pair_distances(g).min(axis=-1), 0.2))
    legs = []
    for i, leg in enumerate(platform.legs):
        away = beside * np.nanquantile(np.abs(g.coordinate[:, i] - here.coordinate[i]), 0.9)
        cone = beside * float(np.nanquantile(turned[:, i], 0.9))
        middle = float(here.coordinate[i])
        limits = gough.Limits(
            stroke=(middle - away, middle + away),
            base_cone=cone if i % 2 else None,
            platform_cone=None if i % 3 else cone,
            radius=near / 2.0,
        )
        legs.append(leg.replace(limits=limits))
    return platform.replace(legs=legs), at, around


@pytest.mark.parametrize("kind", KINDS)
def test_every_position_is_judged_as_by_the_one_judge(kind: str) -> None:
    reasons, some = set[str](), 0
    for seed in range(4):
        platform, at, around = limited(kind, seed)
        found = points_inside(platform, around, at.rotation)
        wanted = points_inside(platform, around, at.rotation, route="vectorized")
        np.testing.assert_array_equal(found, wanted)
        some += int(found.sum())
        checked = gough.limits.check(platform, Pose(around, at.rotation))
        reasons |= {v.kind for v in checked.violations()}
    assert some > 100
    assert {"reach", "stroke", "base cone", "platform cone", "distance"} <= reasons


@pytest.mark.parametrize("column", ["length", "sign", "zero", "e"])
def test_a_wrong_number_of_a_leg_is_seen(monkeypatch: pytest.MonkeyPatch, column: str) -> None:
    platform, at, around = limited("RUS", 1)
    wanted = points_inside(platform, around, at.rotation, route="vectorized")
    table = leg_table(platform).copy()
    table[2, getattr(LEG, column)] *= -1.0 if column in ("sign", "e") else 1.3
    table[2, LEG.zero] += 2.0 * np.pi if column == "zero" else 0.0
    monkeypatch.setattr(points_room, "leg_table", lambda _: table)
    assert (points_inside(platform, around, at.rotation) != wanted).any()
