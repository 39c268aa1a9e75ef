"""The traced programs of the path trackers against plain complex numbers: series, steps, and the numbers of a proof."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gough.kinematics.assembly import lanes
from gough.kinematics.assembly.forms import leg_rows, psi
from gough.kinematics.assembly.generic import generic_start
from gough.kinematics.assembly.leg_equations import LEG, POINT
from gough.kinematics.assembly.proof_program import PROOF, QUESTION, ROUNDINGS, proof
from gough.kinematics.assembly.step_programs import (
    ADVANCE,
    ADVANCED,
    COEFFICIENTS,
    ORDER,
    SERIES,
    advance,
    series,
)
from support.study_points import complex_point


def start_lane() -> tuple[np.ndarray, np.ndarray, Any, np.ndarray]:
    """A root of the general machine in its chart: POINT rows, leg rows, legs, the root."""
    legs, X = generic_start()
    point, rows = np.zeros((POINT.size, 1)), np.zeros((6 * LEG.size, 1))
    chart = lanes.put_point(point, 0, X[5])
    lanes.put_legs(rows, 0, chart, legs.b, legs.p, legs.K)
    return point[:, 0], rows[:, 0], legs, X[5]


def conditions(point: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Six conditions at POINT rows (12,), as in leg_equations, by plain complex numbers."""
    v, w = point[0:6:2] + 1j * point[1:6:2], point[6:12:2] + 1j * point[7:12:2]
    sigma, h = v @ w, 1 + v @ v
    phi = []
    for leg in rows.reshape(6, LEG.size):
        d, m, K = leg[LEG.d], leg[LEG.m], leg[LEG.K] @ [1, 1j]
        c, n = d @ v, d + np.cross(m, v)
        phi.append(n @ (n / 2 - 2 * w) + c * (c / 2 - 2 * sigma) - K * h / 2)
    return np.array([*(x - phi[-1] for x in phi[:-1]), phi[-1] + 2 * (sigma**2 + w @ w)])


@pytest.mark.parametrize("moving", [True, False])
def test_the_series_of_a_path_solves_its_conditions(moving: bool) -> None:
    """The Taylor polynomial leaves a residual of order six in the step: halving it divides that by 64."""
    point, rows, _, _ = start_lane()
    rng = np.random.default_rng(2)
    slope = 0.3 * rng.normal(size=(6, LEG.size))
    if not moving:
        slope[:, : LEG.at("K")] = 0.0
    x = np.zeros(SERIES.size)
    x[: POINT.size], x[SERIES.legs], x[SERIES.slopes] = point, rows, slope.ravel()
    found = np.array(series(moving).run(list(x), []), dtype=float)
    terms = found[COEFFICIENTS.terms].reshape(ORDER, POINT.size)
    pole = found[COEFFICIENTS.pole] @ [1, 1j]
    last, before = (terms[k, ::2] + 1j * terms[k, 1::2] for k in (-1, -2))
    v, w = point[0:6:2] + 1j * point[1:6:2], point[6:12:2] + 1j * point[7:12:2]
    q = 1 + np.vdot(v, v).real
    scale = np.repeat([1 / q, 1 / (np.vdot(w, w).real + 0.01 * q)], 3)
    best = (before.conj() * last * scale).sum() / (np.abs(before) ** 2 * scale).sum()
    assert pole == pytest.approx(best, rel=1e-9)  # least squares of last = pole before
    rest = (np.abs(last - pole * before) ** 2 * scale).sum()
    assert found[COEFFICIENTS.rest] == pytest.approx(rest, rel=1e-6)
    step = 0.1 / abs(pole)
    gaps = []
    for s in (step, step / 2):
        there = point + sum(terms[k] * s ** (k + 1) for k in range(ORDER))
        gaps.append(np.abs(conditions(there, rows + s * slope.ravel())).max())
    assert 1e-11 < gaps[0] < 1e-3
    assert 40 < gaps[0] / gaps[1] < 100
    y = np.zeros(ADVANCE.size)
    y[ADVANCE.legs], y[ADVANCE.start] = rows + step * slope.ravel(), point
    y[ADVANCE.terms], y[ADVANCE.pole], y[ADVANCE.step] = (
        terms.ravel(),
        found[COEFFICIENTS.pole],
        step,
    )
    moved = np.array(advance().run(list(y), []), dtype=float)
    assert np.abs(conditions(moved[: POINT.size], y[ADVANCE.legs])).max() < 1e-9
    assert moved[ADVANCED.second] < 1e-6 * moved[ADVANCED.first] < 1e-10
    # the first correction is that of the rational extrapolation 1/(1 - pole s)
    b = np.array([point, *terms[:-1]])
    c = b[:, ::2] + 1j * b[:, 1::2]
    shifted = c - pole * np.vstack([np.zeros(6), c[:-1]])
    guess = sum(shifted[k] * step**k for k in range(ORDER)) / (1 - pole * step)
    gap = guess - (moved[: POINT.size : 2] + 1j * moved[1 : POINT.size : 2])
    assert moved[ADVANCED.first] == pytest.approx((np.abs(gap) ** 2 * scale).sum(), rel=0.1)


@pytest.mark.parametrize("grow", [1.0, 1e-3, 30.0])
@pytest.mark.parametrize("off", [0.0, 1e-5])
def test_the_numbers_of_a_proof_hold_and_are_not_idle(grow: float, off: float) -> None:
    """eta = |A F|, delta = |E - A J|, kappa >= |A F''| sampled; their rounding scales with the unit."""
    legs, _ = generic_start()
    rng = np.random.default_rng(4)
    X = complex_point(4)
    X[1:4] *= min(grow, 1.0)
    X[4:] *= grow
    X[4] = -(X[1:4] @ X[5:]) / X[0]
    K = (leg_rows(legs.b, legs.p, np.zeros(6)) @ psi(X)) / psi(X)[0]
    x = np.zeros(QUESTION.size)
    point, rows = np.zeros((POINT.size, 1)), np.zeros((6 * LEG.size, 1))
    chart = lanes.put_point(point, 0, X)
    lanes.put_legs(rows, 0, chart, legs.b, legs.p, K)
    point[:, 0] += off * rng.normal(size=POINT.size)
    x[: POINT.size], x[QUESTION.legs] = point[:, 0], rows[:, 0]
    run = proof().run
    sharp = np.array(run(list(x), []), dtype=float)
    x[QUESTION.unit] = 1e-6
    dull = np.array(run(list(x), []), dtype=float)
    v, w = point[0:6:2, 0] + 1j * point[1:6:2, 0], point[6:12:2, 0] + 1j * point[7:12:2, 0]
    wv = max(1.0, np.abs(v).max())
    wg = max(np.abs(v @ w), np.abs(w).max()) + 1e-8 * wv
    assert sharp[PROOF.wv] == pytest.approx(wv)
    assert sharp[PROOF.wg] == pytest.approx(wg)
    weights = np.repeat([wv, wg], 3)

    def F(z: np.ndarray) -> np.ndarray:
        flat = np.empty(POINT.size)
        flat[::2], flat[1::2] = z.real, z.imag
        return conditions(flat, rows[:, 0])

    z = np.r_[v, w]
    step = 1e-5 * weights
    J = np.stack([(F(z + s) - F(z - s)) for s in np.diag(step)], axis=1) / (2 * step)
    A = np.linalg.inv(J)
    shift = A @ F(z)
    g0 = abs(-(w @ shift[:3] + v @ shift[3:]))
    eta = max((np.abs(shift) / weights).max(), g0 / wg)
    assert sharp[PROOF.eta] == pytest.approx(eta, rel=1e-4, abs=1e-13)
    assert sharp[PROOF.delta] < 1e-9
    worst = 0.0
    for _ in range(300):
        d = np.exp(2j * np.pi * rng.random(6)) * weights * 1e-3
        bend = A @ (F(z + d) - 2 * F(z) + F(z - d)) / 1e-6
        worst = max(worst, (np.abs(bend) / weights).max())
    assert worst <= 1.05 * sharp[PROOF.kappa] * 9  # |dv| <= 3 wv in the sampled norm
    assert sharp[PROOF.kappa] < 30 * worst + 1e-9
    assert dull[PROOF.eta] - sharp[PROOF.eta] == pytest.approx(
        1e-6 * ROUNDINGS * sharp[PROOF.spread], rel=1e-6
    )
    terms = np.abs(A) @ (2 * _sizes(v, w, rows[:, 0]))
    spread = (terms / weights).max()
    assert 0.05 * spread < sharp[PROOF.spread] < 60 * spread
    assert 0 < dull[PROOF.delta] < 1e-6 * ROUNDINGS * 1e5 * max(1.0, spread)
    assert dull[PROOF.kappa] > sharp[PROOF.kappa]


def _sizes(v: np.ndarray, w: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """(6,) sizes of the terms of each condition."""
    found = []
    for leg in rows.reshape(6, LEG.size):
        d, m, K = leg[LEG.d], leg[LEG.m], abs(leg[LEG.K] @ [1, 1j])
        vn, wn = np.linalg.norm(v), np.linalg.norm(w)
        n = np.linalg.norm(d) + np.linalg.norm(m) * vn
        c = np.linalg.norm(d) * vn
        found.append(n * (n / 2 + 2 * wn) + c * (c / 2 + 2 * vn * wn) + K * (1 + vn * vn) / 2)
    last = found[-1] + 2 * (vn * vn * wn * wn + wn * wn)
    return np.array([*(x + found[-1] for x in found[:-1]), last])
