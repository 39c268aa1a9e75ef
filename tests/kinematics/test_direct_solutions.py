"""Linear systems of legs, closest points and units by themselves: what they answer and from where on they refuse."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.checks import Array
from gough.kinematics.forward import _solution, _together, in_millimeters
from gough.kinematics.leg_models import _closest
from gough.struts import struts
from oracles.machines import platform as platform_of
from support.forward_machines import HOME, machine


def rows(seed: int, size: float = 1.0) -> Array:
    """(6, 6) unit forces and their moments, of a machine this large."""
    rng = np.random.default_rng(seed)
    s = rng.normal(size=(6, 3))
    s /= np.linalg.norm(s, axis=1, keepdims=True)
    return np.concatenate([s, size * np.cross(rng.normal(size=(6, 3)), s)], axis=1)


@pytest.mark.parametrize("size", [1e-9, 1.0, 1e9])
def test_systems_are_solved_in_every_unit(size: float) -> None:
    """Machines of any size, rows of any length; each system of a batch by itself."""
    J = np.stack([rows(k, size) for k in range(4)])
    J[2] *= np.array([1e-6, 1.0, 1e6, 1.0, 1.0, 1.0])[:, None]
    x = np.random.default_rng(9).normal(size=(4, 6)) / np.repeat([1.0, size], 3)
    found, regular = _solution(J, (J @ x[..., None])[..., 0])
    assert regular.all()
    np.testing.assert_allclose(found * np.repeat([1.0, size], 3), x * np.repeat([1.0, size], 3),
                               rtol=1e-7, atol=1e-7)  # fmt: skip
    one, _ = _solution(J[1], np.ones(6))
    np.testing.assert_allclose(J[1] @ one, np.ones(6), rtol=1e-7)
    many, fine = _solution(J[1], np.stack([np.ones(6), 2.0 * np.ones(6)]))
    np.testing.assert_allclose(many[1], 2.0 * one, rtol=1e-12)
    assert fine.shape == (2,)


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_rows_that_depend_on_each_other_have_no_answer(size: float) -> None:
    """A row within 1e-14 of two others, or not a number: its own system is none, the next one is solved."""
    for off, answered in ((1e-10, True), (1e-15, False)):
        J = np.stack([rows(1, size), rows(2, size)])
        J[0, 5] = J[0, 0] + J[0, 3] + off * J[0, 5]
        found, regular = _solution(J, np.ones((2, 6)))
        assert regular.tolist() == [answered, True]
        assert np.isfinite(found[0]).all() == answered
        assert np.isfinite(found[1]).all()
    J = np.stack([rows(1), rows(2)])
    J[1, 3, 2] = np.nan
    found, regular = _solution(J, np.ones((2, 6)))
    assert regular.tolist() == [True, False]
    assert np.isnan(found[1]).all()
    for spoiled in (np.nan, np.inf):
        right = np.ones((2, 6))
        right[0, 4] = spoiled
        found, regular = _solution(np.stack([rows(1), rows(2)]), right)
        assert regular.tolist() == [False, True]
        np.testing.assert_allclose(rows(2) @ found[1], np.ones(6), rtol=1e-8)


def test_guesses_and_lengths_of_a_batch_meet() -> None:
    lam, start = np.arange(12.0).reshape(2, 6), np.arange(36.0).reshape(3, 1, 12)
    both, flat, shape = _together(lam, start)
    assert shape == (3, 2)
    assert both.shape == (6, 6)
    np.testing.assert_array_equal(both.reshape(3, 2, 6)[1], lam)
    np.testing.assert_array_equal(flat.reshape(3, 2, 12)[:, 1], start[:, 0])
    alone = _together(lam, start[0, 0])
    assert alone[1].shape == (1, 12)
    assert alone[2] == (2,)
    with pytest.raises(gough.InputError, match=r"guess.*\(3,\).*broadcast with \(2,\)"):
        _together(lam, np.zeros((3, 12)))


def test_lengths_in_millimeters_are_a_thousand_times_those_at_home() -> None:
    """All six between a quarter and four times that; cranks have angles, which tell nothing."""
    platform = machine("UPS")
    home = struts(platform, platform.likely_home).coordinate
    for factor, told in (
        (240.0, False),
        (260.0, True),
        (1e3, True),
        (3900.0, True),
        (4100.0, False),
    ):
        assert in_millimeters(platform, factor * home[None]).tolist() == [told]
    mixed = np.stack([1e3 * home, home, 1e3 * home])
    mixed[2, 4] = home[4]
    assert in_millimeters(platform, mixed).tolist() == [True, False, False]
    cranks = machine("RUS")
    angles = struts(cranks, cranks.likely_home).coordinate
    assert in_millimeters(cranks, 1e3 * angles[None]).tolist() == [False]


def nearest(u: Array, v: Array, w: Array) -> float:
    """Distance of two segments by a fine table, refined about its best place."""
    x = y = np.linspace(0.0, 1.0, 41)
    for _ in range(12):
        gap = w + x[:, None, None] * u - y[None, :, None] * v
        i, j = np.unravel_index(int((gap**2).sum(axis=-1).argmin()), (41, 41))
        dx, dy = x[1] - x[0], y[1] - y[0]
        x = np.clip(np.linspace(x[i] - 2 * dx, x[i] + 2 * dx, 41), 0.0, 1.0)
        y = np.clip(np.linspace(y[j] - 2 * dy, y[j] + 2 * dy, 41), 0.0, 1.0)
    gap = w + x[:, None, None] * u - y[None, :, None] * v
    return float(np.sqrt((gap**2).sum(axis=-1).min()))


@pytest.mark.parametrize("seed", range(25))
def test_places_of_the_closest_points_of_two_segments(seed: int) -> None:
    """Inside both, at an end of one, at ends of both."""
    rng = np.random.default_rng(seed)
    u, v, w = rng.normal(size=(3, 3)) * rng.choice([0.3, 1.0, 3.0], size=(3, 1))
    x, y, skew = (a[0] for a in _closest(u[None], v[None], w[None]))
    assert skew
    assert 0.0 <= x <= 1.0
    assert 0.0 <= y <= 1.0
    assert np.linalg.norm(w + x * u - y * v) <= nearest(u, v, w) * (1.0 + 1e-9)


def test_parallel_segments_are_said_to_be_parallel() -> None:
    u, w = np.array([[1.0, 2.0, 0.5]]), np.array([[0.3, -0.2, 0.9]])
    for other in (2.0 * u, -0.7 * u, u + np.array([[0.0, 0.0, 1e-6]])):
        x, y, skew = _closest(u, other, w)
        assert not skew[0]
        gap = np.linalg.norm(w + x[0] * u - y[0] * other)
        assert gap <= nearest(u[0], other[0], w[0]) * (1.0 + 1e-4)
    assert _closest(u, u + np.array([[0.0, 0.0, 1e-2]]), w)[2][0]


def test_a_leg_turns_about_itself_as_its_spin_says_and_else_not() -> None:
    """Angular velocity along the strut: the given rate, zero where none is given."""
    platform = platform_of("SPS-general", seed=1)
    motion = gough.Motion(HOME.position, HOME.rotation, [0.1, -0.2, 0.3], [0.3, 0.2, -0.4])
    rate = np.array([1.0, -2.0, 3.0, 0.5, -0.25, 4.0])
    for spin, due in ((None, np.zeros(6)), (gough.Spin(np.zeros(6), rate), rate)):
        legs = gough.inverse_kinematics(platform, motion, spin=spin, engine="python", check=False)
        along = (legs.angular_velocity * legs.direction).sum(axis=-1)
        np.testing.assert_allclose(along, due, atol=1e-9)


def test_a_spin_counted_from_a_reference_along_the_strut_is_refused() -> None:
    """Of a lopsided leg; without a spin nobody reads the reference."""
    platform = platform_of("SPS-general", seed=1)
    rest = gough.Motion(HOME.position, HOME.rotation)
    along = gough.inverse_kinematics(platform, rest, engine="python").direction[0]
    legs = [platform.legs[0].replace(reference=along), *platform.legs[1:]]
    turned = platform.replace(legs=legs)
    spin = gough.Spin(np.zeros(6), np.ones(6))
    assert np.isfinite(
        gough.inverse_kinematics(platform, rest, spin=spin, engine="python").rate
    ).all()
    assert np.isfinite(gough.inverse_kinematics(turned, rest, engine="python").rate).all()
    with pytest.raises(gough.InfeasibleError):
        gough.inverse_kinematics(turned, rest, spin=spin, engine="python")
