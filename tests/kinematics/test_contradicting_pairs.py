"""Two legs that close no quadrilateral exclude every pose: few problems and many, fixed centers and moving ones."""

from __future__ import annotations

import numpy as np
import pytest

from gough.checks import Array
from gough.kinematics.assembly.modes import MANY, _broken, contradiction
from gough.kinematics.forward import actuator_coordinates
from gough.kinematics.forward_kernel import impossible
from gough.layout import LEG_GEOMETRY as LEG
from gough.struts import anchors, leg_table
from support.forward_machines import machine, poses


def one_by_one(p: Array, c: Array, l: Array) -> list[bool]:
    """Four sides i, j, d, D: no quadrilateral where one is longer than the other three together."""
    out = []
    for k in range(len(l)):
        broken = False
        centers = c if c.ndim == 2 else c[k]
        for i in range(6):
            for j in range(i):
                d = float(np.linalg.norm(p[i] - p[j]))
                D = float(np.linalg.norm(centers[i] - centers[j]))
                sides = [float(l[k, i]), float(l[k, j]), d, D]
                broken |= 2.0 * max(sides) > sum(sides) * (1.0 + 1e-12)
        out.append(broken)
    return out


@pytest.mark.parametrize("kind", ["UPS", "PUS"])
@pytest.mark.parametrize("n", [40, MANY - 1, MANY, MANY + 40])
def test_both_roads_say_what_each_pair_says(kind: str, n: int) -> None:
    """One leg of every other problem is too long or too short for a random partner, by little or by much."""
    platform, rng = machine(kind), np.random.default_rng(n)
    lam = actuator_coordinates(platform, poses(n, seed=4))
    c, l = anchors(platform, lam)
    l = np.array(np.broadcast_to(l, (n, 6)))
    for k in range(0, n, 2):
        l[k, rng.integers(6)] *= rng.choice([0.02, 0.3, 1.6, 3.0, 5.0])
    c = platform.base_joints if kind == "UPS" else c
    found = contradiction(platform, c, l)
    assert found.shape == (n,)
    assert found.tolist() == one_by_one(platform.platform_joints, c, l)
    assert 0.05 * n < found.sum() < 0.5 * n + 1
    assert not found[1::2].any()  # lengths of poses
    alone = [
        bool(contradiction(platform, c if c.ndim == 2 else c[k], l[k])) for k in range(min(n, 8))
    ]
    assert alone == found[: len(alone)].tolist()


@pytest.mark.parametrize("swapped", [False, True])
def test_sides_may_just_lie_in_one_line(swapped: bool) -> None:
    """A flat quadrilateral is one; beyond it by a part in 1e11 there is none, within rounding nobody knows."""
    for one, other, d, D in ((4.0, 1.0, 2.0, 1.0), (1.0, 0.5, 0.5, 2.0), (0.5, 1.0, 3.0, 1.5)):
        sides = np.array([one, other, d, D])
        long = int(sides.argmax())
        for grown, broken in ((0.0, False), (1e-13, False), (1e-10, True), (0.1, True)):
            x = sides.copy()
            x[long] *= 1.0 + grown
            if swapped:
                x = x[[1, 0, 3, 2]]
            assert bool(_broken(*x)) is broken
        x = sides.copy()
        x[long] *= 0.9
        assert not _broken(*x)


@pytest.mark.parametrize("kind", ["UPS", "PUS"])
@pytest.mark.parametrize("seed", range(3))
def test_newton_asks_the_same_of_every_pair(kind: str, seed: int) -> None:
    """Of joints that lie anywhere, one of the lengths grown or shrunk until it just fits, or just does not."""
    platform, rng = machine(kind), np.random.default_rng(seed)
    table = leg_table(platform).copy()
    table[:, LEG.joint] += 0.5 * rng.normal(size=(6, 3)) + rng.normal(size=3)
    told = [0, 0]
    for _ in range(60):
        c = platform.base_joints + 0.5 * rng.normal(size=(6, 3))
        l = rng.uniform(0.5, 2.5, 6)
        found = bool(impossible(table, c, l))
        assert [found] == one_by_one(table[:, LEG.joint], c, l[None])
        told[found] += 1
    assert min(told) > 5
