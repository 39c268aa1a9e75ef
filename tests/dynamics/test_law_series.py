"""Elastic drives and play against closed forms."""

from __future__ import annotations

import numpy as np
from scipy.linalg import expm

from gough.dynamics import laws
from gough.dynamics.laws import series
from support.rides import SAMPLES, Ride, one_leg


def test_an_elastic_drive_is_the_matrix_exponential() -> None:
    """Two masses, spring, dampers: exact."""
    m, r, k, c, b = 5.0, 3.0, 1e5, 40.0, 7.0
    rows = {"reflected": r, "series_stiffness": k, "series_damping": c, "viscous": b}
    ride = Ride(one_leg(**rows), m, lambda t: 25.0)
    start = [0.01, 0.4, 0.012, -0.1]
    found = ride.run(start, 0.3)[-1, :4]
    A = np.array([[0, 1, 0, 0], [-k / m, -c / m, k / m, c / m], [0, 0, 0, 1], [0] * 4], dtype=float)
    A[3] = np.array([k, c, -k, -c - b]) / r
    whole = np.zeros((5, 5))
    whole[:4, :4], whole[3, 4] = A, 25.0 / r
    exact = (expm(0.3 * whole) @ np.array([*start, 1.0]))[:4]
    assert np.abs(found - exact).max() < 1e-9


def test_backlash_is_free_flight_and_contact() -> None:
    """A leg thrown through its play against the locked drive: piecewise motion known in closed form."""
    m, r, k, half, v = 2.0, 1e9, 1e5, 2e-3, 0.3
    law = one_leg(reflected=r, series_stiffness=k, play=half)
    path = Ride(law, m, lambda t: 0.0).run([half, -v, 0.0, 0.0], 0.04)
    t, w = np.linspace(0, 0.04, SAMPLES + 1), np.sqrt(k / m)
    flight = 2 * half / v
    after = np.clip(t - flight, 0.0, np.pi / w)
    rest = np.maximum(t - flight - np.pi / w, 0.0)
    exact = np.where(t < flight, half - v * t, -half - v / w * np.sin(w * after) + v * rest)
    assert np.abs(path[:, 0] - exact).max() < 1e-8
    assert (t > flight + np.pi / w).any()


def test_play_does_not_pull_and_has_no_force_inside() -> None:
    law = one_leg(reflected=1.0, series_stiffness=1e5, series_damping=2e3, play=1e-3)
    used = laws.in_use(law[:, None])
    s, v = np.random.default_rng(1).normal(size=(2, 10_000)) * np.array([[2e-3], [0.3]])
    y = series.force(used, law, s, v)
    assert (y[np.abs(s) < 1e-3] == 0.0).all()
    assert (y * s >= 0.0).all()
    assert (series.dissipated(used, law, s, v) >= 0.0).all()


def test_where_a_drive_starts_its_spring_carries_the_load() -> None:
    """Loads of every size and both signs, across the play; without a load the drive stands in its middle."""
    law = one_leg(reflected=1.0, series_stiffness=1e5, play=1e-3)
    used = laws.in_use(law[:, None])
    load = np.array([-5e4, -3.0, -0.5, -1e-6, 0.0, 1e-6, 0.5, 3.0, 5e4])
    stretch = series.start(law, 0.7, load) - 0.7
    held = series.force(used, law, stretch, np.zeros(len(load)))
    assert np.abs(held - load).max() < 1e-9 * 5e4
    assert np.abs(held[3:6] - load[3:6]).max() < 1e-10
    assert (np.abs(stretch[load != 0.0]) >= 1e-3 * (1 - 1e-12)).all()
    assert stretch[4] == 0.0
