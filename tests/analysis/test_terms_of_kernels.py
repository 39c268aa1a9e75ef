"""Single terms of the compiled judges, each beside what it is made from."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gough
from gough.analysis import cell_kernel, pacing, slice_kernel, workspace_kernel
from gough.analysis.arcs import Surfaces
from gough.analysis.linked import held_stiffness
from gough.analysis.proved import BROKEN, proved_limits
from gough.model import Limits


def test_rows_of_the_determinant_have_their_moments_about_the_middle() -> None:
    rng = np.random.default_rng(3)
    arms, middle, S = rng.normal(size=(6, 3)), rng.normal(size=3), rng.normal(size=(6, 3))
    S /= np.linalg.norm(S, axis=1, keepdims=True)
    M, A, keep, size = np.zeros((6, 6)), np.zeros((6, 6)), np.zeros((6, 6)), 1.7
    sign = cell_kernel.sign_in.py_func(arms, middle, size, S, np.full(6, 1e-9), M, A, keep)
    due = np.hstack([S, np.cross(arms - middle, S) / size]) / size
    np.testing.assert_allclose(A @ due, np.eye(6), atol=1e-12)
    assert sign == np.sign(np.linalg.det(due))


@pytest.mark.parametrize("by", [1e-5, 1.0, 1e4])
def test_struts_that_cross_are_as_far_apart_as_their_lines(by: float) -> None:
    """Whatever the unit: only struts that are parallel but for rounding are left to their ends."""
    rng = np.random.default_rng(5)
    for _ in range(20):
        a, b = rng.normal(size=(2, 3))
        n = np.cross(a, b)
        gap = rng.uniform(0.1, 1.0)
        start = np.zeros((6, 3))
        start[0], start[1] = -0.4 * a, -0.7 * b + gap * n / np.linalg.norm(n)
        q = np.zeros((6, 3))
        q[0], q[1] = start[0] + a, start[1] + b
        found = workspace_kernel.segments.py_func(by * start, 0, 1, by * q, 0.0, 0.0, 0.0)
        assert np.sqrt(found) == pytest.approx(by * gap, rel=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_the_inside_of_a_cone_lies_where_its_curve_says(seed: int) -> None:
    """A little to the left (or right) of the way along the curve, against the angle about the tip itself."""
    rng = np.random.default_rng(seed)
    axis = rng.normal(size=(1, 3))
    axis /= np.linalg.norm(axis)
    tip, half, z = rng.normal(size=(1, 3)), rng.uniform(0.2, 1.3, 1), 0.4
    cosine = np.cos(half)
    kinds, data = np.zeros(1, dtype=np.int64), np.zeros((1, 7))
    forms, quadrics = np.zeros((1, 3, 3)), np.zeros((1, 3, 3))
    none = np.zeros((0, 3))
    zero = np.zeros(0)
    u = Surfaces(none, zero, zero, tip, axis, half, 3.0).generators
    count = slice_kernel.curves.py_func(
        none, zero, zero, tip, axis, cosine, u, z, 3.0, kinds, data, forms, quadrics
    )
    assert count == 1
    pieces = np.zeros((slice_kernel.MOST, 2))
    many = slice_kernel.start.py_func(slice_kernel.CONE, data[0], forms[0], pieces)

    def inside(x: float, y: float) -> bool:
        d = np.array([x, y, z]) - tip[0]
        return bool(d @ axis[0] > cosine[0] * np.linalg.norm(d))

    seen = 0
    for low, high in pieces[:many]:
        for psi in np.linspace(low, high, 5)[1:-1]:
            x, y, w = slice_kernel.point.py_func(forms[0], psi)
            x2, y2, w2 = slice_kernel.point.py_func(forms[0], psi + 1e-6)
            along = np.array([x2 / w2 - x / w, y2 / w2 - y / w])
            left = 1e-5 * np.array([-along[1], along[0]]) / np.linalg.norm(along)
            at = np.array([x / w, y / w])
            if np.abs(at).max() > 20.0 or inside(*(at + left)) == inside(*(at - left)):
                continue
            seen += 1
            side = slice_kernel.side.py_func(slice_kernel.CONE, data[0], forms[0], psi)
            assert side == (1.0 if inside(*(at + left)) else -1.0)
    assert seen > 3


def test_rows_of_a_pace_hold_its_square_and_the_next_one() -> None:
    """``0 <= x`` and ``least <= x + 2 h u <= most``, nothing else."""
    made: Any = SimpleNamespace(h=0.3)
    none = [np.zeros((1, 0))] * 3
    p, q, r = pacing._Bounds._within(made, none, 0, np.array([0.5, 2.0]))  # type: ignore[arg-type]
    for x in (-0.1, 0.0, 0.4, 1.0, 3.0):
        for u in (-2.0, -0.2, 0.0, 0.3, 2.0):
            due = x >= 0.0 and 0.5 <= x + 2.0 * 0.3 * u <= 2.0
            assert bool((p * x + q * u <= r).all()) == due, (x, u)


@pytest.mark.parametrize("preload", [False, True])
def test_stiffness_that_is_held_is_symmetric_to_the_last_bit(preload: bool) -> None:
    machine = gough.load("motion-base-1500")
    home = machine.require_home()
    rng = np.random.default_rng(1)
    for _ in range(6):
        turn = gough.Pose.from_rpy(
            home.position + 0.05 * rng.normal(size=3), 0.1 * rng.normal(size=3)
        )
        K = held_stiffness(machine, turn, rng.uniform(1e6, 1e8, 6), (20.0, 30.0), preload)[0]
        np.testing.assert_array_equal(K, K.T)


def test_a_broken_limit_is_told_in_its_own_words() -> None:
    """The leg that leaves its stroke has a cone that is broken too: each verdict quotes its own."""
    machine = gough.load("motion-base-1500")
    home = machine.require_home()
    length = gough.inverse_kinematics(machine, home).length
    tight = [
        leg.replace(limits=Limits(stroke=(q - 0.01, q + 0.01), base_cone=1e-3))
        for leg, q in zip(machine.legs, length, strict=True)
    ]
    machine = machine.replace(legs=tight)
    away = gough.Pose(home.position + np.array([0.1, 0.05, 0.2]), home.rotation)
    path = gough.trajectory.quintic(home, away, duration=2.0)
    broken = [v for v in proved_limits(machine, path).verdicts if v.status == BROKEN]
    assert {v.kind for v in broken} == {"stroke", "base cone"}
    for v in broken:
        assert v.time is not None
        judged = gough.analysis.check(machine, path(v.time)).violations()
        own = [x.sentence for x in judged if (x.kind, x.leg) == (v.kind, v.legs[0])]
        assert f"({own[0]})" in v.sentence
