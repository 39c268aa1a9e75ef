"""Bounds of intervals where numbers have five digits: what rounding may do is in them, and little more.

The kernels run as Python with a coarse unit of rounding, so that its share of every bound can be seen and sampled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gough
from gough.checks import Array
from gough.kinematics import path_intervals
from gough.kinematics.path_intervals import sign_on, strut_at
from gough.layout import LEG_GEOMETRY as LEG
from gough.struts import leg_table
from kinematics.test_interval_kernels import spans, sphere, strut_of, way
from support.forward_machines import machine

COARSE = 1e-6


def plain(kernel: Any) -> Any:
    return getattr(kernel, "py_func", kernel)


@pytest.fixture
def coarse(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(path_intervals, "EPS", COARSE)
    monkeypatch.setattr(path_intervals, "strut_at", plain(strut_at))


@pytest.mark.usefixtures("coarse")
@pytest.mark.parametrize("kind", ["UPS", "PUS", "RUS"])
@pytest.mark.parametrize("leg", range(6))
def test_a_strut_moves_with_a_joint_that_is_rounded(kind: str, leg: int) -> None:
    """By sixteen roundings of the numbers it is made of, in any direction; and with an interval both add up."""
    platform, rng = machine(kind), np.random.default_rng(leg)
    row, P, S = leg_table(platform)[leg], spans(platform, leg)[leg], np.empty(3)
    middle = strut_of(row, P)[0]
    for far in (2.0, 20.0):
        slip = 16.0 * COARSE * far
        for reach in (0.0, 2e-3):
            off = plain(strut_at)(row, P, reach / 0.7, 0.7, far, S)
            np.testing.assert_allclose(S, middle, atol=1e-9)
            moved = strut_of(row, P + (slip + reach) * sphere(rng, 2000))[0] - middle
            most = np.linalg.norm(moved, axis=1).max()
            assert most <= off * (1.0 + 1e-9)
            assert off < (50.0 if kind == "RUS" else 3.0) * most


def edge_of(row: Array, P: Array, along: Array) -> tuple[Array, Array]:
    """Where the leg's reach ends in a direction, and the unit vector that leads back into it."""
    low, high = 0.0, 1.0
    while strut_of(row, P + high * along)[1] > 0:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if strut_of(row, P + middle * along)[1] < 0 else (middle, high)
    edge = P + low * along
    slope = [
        strut_of(row, edge + 1e-5 * e)[1] - strut_of(row, edge - 1e-5 * e)[1] for e in np.eye(3)
    ]
    return edge, np.array(slope) / np.linalg.norm(slope)


@pytest.mark.usefixtures("coarse")
@pytest.mark.parametrize("kind", ["PUS", "RUS"])
@pytest.mark.parametrize("leg", range(6))
def test_a_joint_that_may_be_out_of_reach_by_rounding_is_refused(kind: str, leg: int) -> None:
    platform = machine(kind)
    row, P, S = leg_table(platform)[leg], spans(platform)[leg], np.empty(3)
    edge, inward = edge_of(row, P, P / np.linalg.norm(P))
    depth = 1e-2
    inside = edge + depth * inward
    for share, reaches in ((1.05, False), (2.0, False), (0.01, True)):
        far = share * depth / (16.0 * COARSE)
        off = plain(strut_at)(row, inside, 0.0, 1.0, far, S)
        assert bool(off > 0.0) is reaches


def rows(
    legs: Array, middle: Array, unit: float = 1.0, shift: Array | float = 0.0
) -> tuple[Array, Array]:
    """Rows of a still machine and how far they may be off, at a place of a path whose start is shifted."""
    t0, dt, q0, dq, turn = way(1)
    M, A, W = np.zeros((6, 6)), np.empty((6, 6)), np.empty((6, 2))
    kept: list[Array] = []

    def keep(M: Array, A: Array, W: Array) -> int:
        kept.append(M.copy())
        return 1

    places = (middle, unit * t0 * (1.0 + shift), unit * dt, q0, dq, turn)
    with pytest.MonkeyPatch.context() as m:
        m.setattr(path_intervals, "proved_sign", keep)
        plain(sign_on)(legs, *places, 0.3, 0.0, 0.7 * unit, M, A, W, *np.empty((3, 3)))
    return kept[0], W


@pytest.mark.usefixtures("coarse")
@pytest.mark.parametrize("kind", ["UPS", "PUS", "RUS"])
def test_rows_hold_machines_whose_numbers_are_rounded(kind: str) -> None:
    """Position, base points and joints each wrong in their sixth digit: the rows stay within what is said."""
    platform = machine(kind)
    table, middle = leg_table(platform), platform.platform_joints.mean(axis=0)
    here, W = rows(table, middle)
    rng, most = np.random.default_rng(3), np.zeros((6, 2))
    for _ in range(300):
        legs = table.copy()
        for part in (LEG.base, LEG.joint):
            legs[:, part] *= 1.0 + COARSE * rng.choice([-1.0, 1.0], (6, 3))
        off = rows(legs, middle, shift=COARSE * rng.choice([-1.0, 1.0], 3))[0] - here
        for k in range(2):
            most[:, k] = np.maximum(most[:, k], np.linalg.norm(off[:, 3 * k : 3 * k + 3], axis=1))
    assert (most < W).all()
    assert (1e3 * most > W).all()


@pytest.mark.usefixtures("coarse")
@pytest.mark.parametrize("unit", [1e-3, 40.0, 1e3])
def test_rows_and_what_rounding_does_to_them_have_no_unit(unit: float) -> None:
    platform = machine("UPS")
    table, middle = leg_table(platform), platform.platform_joints.mean(axis=0)
    scaled = table.copy()
    for part in (LEG.base, LEG.joint):
        scaled[:, part] *= unit
    for due, found in zip(rows(table, middle), rows(scaled, unit * middle, unit), strict=True):
        np.testing.assert_allclose(found, due, rtol=1e-9, atol=1e-15)


def test_machines_are_known_to_their_last_digit_otherwise() -> None:
    """The same with the real unit: bounds of a still machine are a hundred million times smaller."""
    platform: gough.Platform = machine("PUS")
    row, P, S = leg_table(platform)[0], spans(platform)[0], np.empty(3)
    assert 0.0 < plain(strut_at)(row, P, 0.0, 1.0, 2.0, S) < 1e-12
