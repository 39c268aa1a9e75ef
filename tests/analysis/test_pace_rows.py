"""Half planes of a pace: what keeps them keeps the limits at every place, friction included; passes over friction."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gough
from gough.analysis import pacing
from gough.analysis.pacing import PLACES, _Bounds, _last_zero
from gough.analysis.path_efforts import effort_parts
from gough.checks import Array
from gough.spatial import Motion

N, H = 3, 0.4
M = N * PLACES + 1
FREE = np.full(6, np.inf)


def bounds(**numbers: Any) -> Any:
    made: Any = _Bounds.__new__(_Bounds)
    made.n, made.h = N, H
    made.sigma = np.linspace(0.0, N * H, M)
    none = np.zeros((M, 6))
    made.d, made.e, made.c, made.b, made.P, made.Q = (none,) * 6
    made.V, made.A, made.F = FREE, FREE, FREE
    for name, value in numbers.items():
        setattr(made, name, value)
    return made


def kept(rows: Any, i: int, x: float, u: float) -> bool:
    p, q, r = (y[i] for y in rows)
    return bool((p * x + q * u <= r + 1e-12).all())


def exact(made: Any, i: int, x: float, u: float, share: float) -> bool:
    """The limits at the places of interval i with ``x(sigma) = x + 2 (sigma - sigma_i) u``, but for legs without."""
    at = slice(i * PLACES, (i + 1) * PLACES + 1)
    X = x + 2.0 * u * (made.sigma[at] - made.sigma[i * PLACES])
    if (X < 0.0).any():
        return False
    v, X = np.sqrt(X)[:, None], X[:, None]
    rates = np.abs(made.d[at]) * v <= share * made.V * (1 + 1e-9)
    pushes = np.abs(made.d[at] * u + made.e[at] * X) <= share * made.A * (1 + 1e-9)
    efforts = np.abs(made.c[at] + made.b[at] * v + made.P[at] * X + made.Q[at] * u)
    return bool((rates & pushes & (efforts <= share * made.F * (1 + 1e-9))).all())


def some_limited(rng: np.random.Generator, size: float) -> Array:
    """Limits of four legs, none of the others."""
    out = size * rng.uniform(0.8, 1.2, 6)
    out[[1, 4]] = np.inf
    return out


@pytest.mark.parametrize("share", [1.0, 0.8])
@pytest.mark.parametrize("seed", range(4))
def test_rows_of_rates_and_accelerations_are_the_limits(seed: int, share: float) -> None:
    rng = np.random.default_rng(seed)
    d, e = rng.normal(size=(2, M, 6))
    made = bounds(d=d, e=e, V=some_limited(rng, 2.0), A=some_limited(rng, 1.5))
    rows = made._plain_rows(share)
    assert all(len(y) == N for y in rows)
    seen = set()
    for i in range(N):
        for x, u in zip(rng.uniform(0.0, 2.0, 150), rng.normal(size=150) * 0.6, strict=True):
            if x + 2.0 * H * u >= 0.0:
                assert kept(rows, i, x, u) == exact(made, i, x, u, share)
                seen.add(kept(rows, i, x, u))
    assert seen == {True, False}
    unlimited = bounds(d=d, e=e, A=some_limited(rng, 1.5))
    assert kept(unlimited._plain_rows(1.0), 0, 0.0, 0.0)
    assert unlimited._plain_rows(1.0)[0].shape[1] == 2 * 4 * (PLACES + 1)


@pytest.mark.parametrize("seed", range(4))
def test_rows_of_efforts_without_friction_are_the_limits(seed: int) -> None:
    rng = np.random.default_rng(seed)
    c, P, Q = rng.normal(size=(3, M, 6)) * np.array([0.3, 1.0, 1.0])[:, None, None]
    made = bounds(c=c, P=P, Q=Q, F=some_limited(rng, 2.0))
    rows = pacing._joined(*made._effort_rows(0.9))
    seen = set()
    for i in range(N):
        for x, u in zip(rng.uniform(0.0, 2.0, 150), rng.normal(size=150) * 0.6, strict=True):
            if x + 2.0 * H * u >= 0.0:
                assert kept(rows, i, x, u) == exact(made, i, x, u, 0.9)
                seen.add(kept(rows, i, x, u))
    assert seen == {True, False}


@pytest.mark.parametrize("wide", [1.1, 3.0])
@pytest.mark.parametrize("seed", range(5))
def test_friction_is_on_the_safe_side_and_meets_the_limit_at_the_known_pace(
    seed: int, wide: float
) -> None:
    """Whatever keeps the rows keeps the limits; where friction hinders they touch at the known pace itself."""
    rng = np.random.default_rng([seed, int(10 * wide)])
    c, b, P, Q = rng.normal(size=(4, M, 6)) * np.array([0.2, 0.7, 0.5, 0.5])[:, None, None]
    about = rng.uniform(0.5, 1.5, N + 1)
    made = bounds(c=c, b=b, P=P, Q=Q, F=some_limited(rng, 2.5))
    rows = pacing._joined(*made._effort_rows(1.0, about, wide))
    seen = 0
    top = np.interp(made.sigma, made.sigma[::PLACES], about)
    for i in range(N):
        at = slice(i * PLACES, (i + 1) * PLACES + 1)
        for x, u in zip(rng.uniform(0.0, 4.0, 200), rng.normal(size=200) * 0.5, strict=True):
            X = x + 2.0 * u * (made.sigma[at] - made.sigma[i * PLACES])
            if (X < 0.0).any():
                continue
            if kept(rows, i, x, u):
                seen += 1
                assert exact(made, i, x, u, 1.0)
                assert (wide * top[at] * (1 + 1e-9) >= X).all()
    assert seen > 5
    hinders = bounds(c=0.0 * c, b=np.abs(b), P=0.0 * P, Q=0.0 * Q, F=FREE.copy())
    hinders.F = np.full(6, float((np.abs(b) * np.sqrt(top)[:, None]).max()))
    even = pacing._joined(*hinders._effort_rows(1.0, about, wide))
    for i in range(N):
        slope = (about[i + 1] - about[i]) / (2.0 * H)
        assert kept(even, i, float(about[i]), float(slope))
    hinders.F *= 0.999
    less = pacing._joined(*hinders._effort_rows(1.0, about, wide))
    push = np.diff(about) / (2.0 * H)
    assert not all(kept(less, i, float(about[i]), float(push[i])) for i in range(N))


def test_friction_is_not_taken_about_a_pace_near_rest() -> None:
    """The known pace counts as a millionth of its largest at least: no row is infinite."""
    about = np.array([0.0, 1.0, 1.0, 0.0])
    made = bounds(b=np.ones((M, 6)), F=np.ones(6))
    for p, q, r in made._effort_rows(1.0, about, 2.0):
        assert np.isfinite([p, q, r]).all()
        steepest = 1.0 / np.sqrt(2.0 * pacing.FLOOR)
        assert np.abs(p).max() <= steepest * (1 + 1e-9)


def passes(
    monkeypatch: pytest.MonkeyPatch, made: Any, paces: list[float]
) -> tuple[Array, list[float]]:
    """`fastest` with paces that are given one after another; the width of each pass."""
    given, asked = iter(paces), list[float]()
    monkeypatch.setattr(_Bounds, "_plain_rows", lambda self, share: "plain")
    monkeypatch.setattr(pacing, "_joined", lambda *rows: rows)
    monkeypatch.setattr(_Bounds, "_swept", lambda self, rows: np.array([0.0, next(given), 0.5]))

    def effort(self: Any, share: float, about: Any = None, wide: float = 1.0) -> list[Any]:
        if about is not None:
            asked.append(wide)
        return []

    monkeypatch.setattr(_Bounds, "_effort_rows", effort)
    return made.fastest(1.0), asked


def test_passes_over_friction_end_when_they_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    rubbing = bounds(b=np.ones((M, 6)), Q=np.ones((M, 6)), F=np.ones(6))
    x, asked = passes(monkeypatch, rubbing, [9.0, 4.0, 2.0, 2.0 * (1 + 1e-12), 7.0])
    assert x[1] == pytest.approx(2.0)
    assert asked == [pacing.WIDER[0], *pacing.WIDER[1:3]]
    many = [float(k) for k in range(len(pacing.WIDER) + 5, 0, -1)]
    x, asked = passes(monkeypatch, rubbing, many)
    assert asked == list(pacing.WIDER)
    assert x[1] == many[len(pacing.WIDER)]
    smooth = bounds(b=np.full((M, 6), 1e-13), Q=np.ones((M, 6)), F=np.ones(6))
    x, asked = passes(monkeypatch, smooth, [9.0, 4.0])
    assert (x[1], asked) == (9.0, [])
    one = bounds(b=np.zeros((M, 6)), Q=np.ones((M, 6)), F=np.array([1.0, *[np.inf] * 5]))
    one.b = one.b.copy()
    one.b[2, 3] = 1.0
    assert passes(monkeypatch, one, [9.0, 4.0, 4.0])[1] == list(pacing.WIDER[:2])
    free = bounds(b=np.ones((M, 6)), Q=np.ones((M, 6)))
    assert passes(monkeypatch, free, [3.0])[1] == []


@pytest.mark.parametrize("seed", range(30))
def test_the_last_zero_of_lines_that_close(seed: int) -> None:
    """Against a fine table: the least of the upper lines and the largest of the lower ones."""
    rng = np.random.default_rng(seed)
    apart = np.array([[1.5], [0.0]])
    high, low = rng.normal(size=(2, 3)) + apart, rng.normal(size=(2, 4)) - apart
    top = np.inf if seed % 2 else 3.0
    found = _last_zero((high[0], high[1]), (low[0], low[1]), top)
    x = np.linspace(-40.0, 40.0 if np.isinf(top) else top, 80_001)
    room = (high[0] - x[:, None] * high[1]).min(axis=1) - (low[0] - x[:, None] * low[1]).max(axis=1)
    good = x[room >= 0.0]
    if found == np.inf:
        assert good[-1] == x[-1]
    elif found == -np.inf:
        assert not len(good)
    elif found < x[-1] - 1e-3:
        assert good[-1] == pytest.approx(found, abs=2e-3)


def test_parts_of_the_efforts_make_them_at_every_pace() -> None:
    """``c + b s + P s^2 + Q u`` is the effort of the exact model at pace s and push u, with a wrench and friction."""
    machine = gough.load("motion-base-1500")
    path = gough.trajectory.harmonic(
        machine.require_home(), [0.02, 0.01, 0.03, 0.02, 0, 0.01], 1.0, duration=1.0
    )
    motion = path(np.array([0.1, 0.37]))
    wrench = np.array([10.0, -20.0, 30.0, 4.0, -5.0, 6.0])
    c, b, P, Q = effort_parts(machine, motion, wrench)
    assert np.abs(b).max() > 0.0
    for s, u in ((0.0, 0.0), (0.6, 0.3), (1.7, -0.8)):
        moved = Motion(
            motion.position, motion.rotation, motion.velocity * s, motion.angular_velocity * s,
            motion.acceleration * s**2 + motion.velocity * u,
            motion.angular_acceleration * s**2 + motion.angular_velocity * u,
        )  # fmt: skip
        due = gough.inverse_dynamics(machine, moved, wrench).force
        np.testing.assert_allclose(c + b * s + P * s**2 + Q * u, due, rtol=1e-9, atol=1e-6)
