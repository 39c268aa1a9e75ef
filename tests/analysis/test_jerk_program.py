"""The linear programs behind a pace with a limit on jerks: operators, rows nowhere wider, times, the first pace."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gough
from gough.analysis import jerk_pacing
from gough.analysis.jerk_pacing import EasedPace, slowed
from gough.checks import Array, InfeasibleError
from gough.trajectory.optimal import eased

N = 6
FREE = np.full(6, np.inf)


def pace(**numbers: Any) -> Any:
    """Operators of N intervals without a machine; rates, accelerations, efforts and jerks as given."""
    made: Any = EasedPace.__new__(EasedPace)
    made.n = N
    tau = np.linspace(0.0, 1.0, 2 * N + 1)
    made.y, made.u, made.w = made._operators(np.minimum(np.arange(2 * N + 1) // 2, N - 1), tau)
    made.at_y, made.at_u, made.at_w = made.y, made.u, made.w
    none = np.zeros((2 * N + 1, 6))
    made.d, made.e, made.c, made.b, made.P, made.Q = (none,) * 6
    made.jd, made.je, made.jg = none, none, none
    made.V, made.A, made.F, made.J = FREE, FREE, FREE, FREE
    for name, value in numbers.items():
        setattr(made, name, value)
    return made


def smooth(rng: np.random.Generator) -> tuple[Array, Array]:
    """y > 0 and u at the places, with ``dy/dtau = 2 u`` and u straight between them."""
    u = rng.uniform(-0.4, 0.4, N + 1)
    steps = (u[:-1] + u[1:]) / N
    return 2.0 + np.concatenate([[0.0], np.cumsum(steps)]), u


def test_operators_follow_a_straight_push() -> None:
    """At every place: u by interpolation, w its slope, y by the exact integral of 2 u."""
    y, u = smooth(np.random.default_rng(0))
    made = pace()
    whole = np.concatenate([y, u])
    rng = np.random.default_rng(1)
    interval = rng.integers(0, N, 30)
    tau = (interval + rng.uniform(0.0, 1.0, 30)) / N
    at_y, at_u, at_w = made._operators(interval, tau)
    grid = np.arange(N + 1) / N
    np.testing.assert_allclose(at_u @ whole, np.interp(tau, grid, u), atol=1e-12)
    np.testing.assert_allclose(at_w @ whole, np.diff(u)[interval] * N, atol=1e-12)
    for k in range(30):
        fine = np.linspace(grid[interval[k]], tau[k], 4001)
        due = y[interval[k]] + np.trapezoid(2.0 * np.interp(fine, grid, u), fine)
        assert (at_y @ whole)[k] == pytest.approx(due, abs=1e-9)
    assert at_y.shape == (30, 2 * N + 2)
    np.testing.assert_allclose(made._joints() @ whole, 0.0, atol=1e-12)
    broken = whole.copy()
    broken[2] += 0.1
    np.testing.assert_allclose(made._joints() @ broken, [0.0, -0.1, 0.1, 0.0, 0.0, 0.0], atol=1e-12)


def test_times_are_those_of_the_pace() -> None:
    """Even: tau over its speed; constant push: ``2 tau/(v0 + v1)``; and any other by fine sums."""
    made = pace()
    grid, push = np.arange(N + 1) / N, 0.7
    np.testing.assert_allclose(made.times(np.full(N + 1, 4.0), np.zeros(N + 1)), grid / 2.0)
    y = 0.5 + 2.0 * push * grid
    speed = np.sqrt(y)
    due = np.concatenate([[0.0], np.cumsum(2.0 / N / (speed[1:] + speed[:-1]))])
    np.testing.assert_allclose(made.times(y, np.full(N + 1, push)), due, rtol=1e-12)
    y, u = smooth(np.random.default_rng(3))
    tau = np.linspace(0.0, 1.0, N * 2000 + 1)
    interval = np.minimum((tau * N + 1e-12).astype(int), N - 1)
    fine = made._operators(interval, tau)[0] @ np.concatenate([y, u])
    whole = np.trapezoid(1.0 / np.sqrt(fine), tau)
    assert made.times(y, u)[-1] == pytest.approx(float(whole), rel=1e-8)
    assert made.times(y, u)[0] == 0.0


def test_in_time_the_pace_is_the_quintic_step_at_its_own_speed() -> None:
    """An even pace in tau: progress is ``10 t^3 - 15 t^4 + 6 t^5`` of the share of the time, from rest to rest."""
    made = pace()
    found = made._in_time(np.full(N + 1, 0.25), np.zeros(N + 1))
    assert found.knots[-1] == pytest.approx(2.0)
    t = np.linspace(0.0, 2.0, 41)
    x = t / 2.0
    place, speed, push = found(t)
    np.testing.assert_allclose(place, 10 * x**3 - 15 * x**4 + 6 * x**5, atol=3e-5)
    np.testing.assert_allclose(speed, 30 * x**2 * (1 - x) ** 2 / 2.0, atol=2e-4)
    np.testing.assert_allclose(push, 60 * x * (1 - x) * (1 - 2 * x) / 4.0, atol=5e-3)
    x = found.knots / 2.0
    np.testing.assert_allclose(found.speed, 15 * x**2 * (1 - x) ** 2, atol=1e-4)
    assert found.progress[-1] == pytest.approx(1.0, abs=1e-14)
    y, u = smooth(np.random.default_rng(5))
    bent = made._in_time(y, u)
    h = 1e-5
    at = 0.5 * (bent.knots[1:] + bent.knots[:-1])
    ahead, here, back = (bent(at + s * h) for s in (1.0, 0.0, -1.0))
    np.testing.assert_allclose((ahead[0] - back[0]) / (2 * h), here[1], rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose((ahead[1] - back[1]) / (2 * h), here[2], rtol=1e-5, atol=1e-6)
    tau = np.linspace(0.0, 1.0, 2 * N + 1)
    rise, bend = 30 * tau**2 * (1 - tau) ** 2, 60 * tau * (1 - tau) * (1 - 2 * tau)
    whole = np.concatenate([y, u])
    np.testing.assert_allclose(bent.speed, rise * np.sqrt(made.y @ whole), rtol=1e-3, atol=1e-12)
    np.testing.assert_allclose(
        bent.acceleration, bend * (made.y @ whole) + rise * (made.u @ whole), rtol=1e-3, atol=1e-9
    )


def test_a_slower_pace_takes_longer_by_its_share() -> None:
    home = gough.load("motion-base-1500").require_home()
    path = gough.trajectory.hold(home, 1.0)
    knots = np.array([0.0, 1.0, 2.0])
    found = slowed(path, eased(knots, np.array([0.0, 1.0, 0.0]), np.zeros(3)), 0.25).pace
    np.testing.assert_allclose(found.knots, [0.0, 1.25, 2.5])
    np.testing.assert_allclose(found.speed, [0.0, 0.8, 0.0])
    hurried = eased(knots, np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.5, 0.0]))
    slow: Any = slowed(path, hurried, 0.25).pace
    np.testing.assert_allclose(slow.acceleration, [0.0, 0.32, 0.0])
    np.testing.assert_allclose(slow.progress, hurried.progress)


def one_leg(value: float, leg: int = 2) -> Array:
    out = np.zeros((2 * N + 1, 6))
    out[:, leg] = value
    return out


@pytest.mark.parametrize(
    ("numbers", "due"),
    [
        ({"d": one_leg(3.0), "V": np.full(6, 6.0)}, 4.0),
        ({"e": one_leg(-3.0), "A": np.full(6, 6.0)}, 2.0),
        ({"jg": one_leg(-2.0), "J": np.full(6, 54.0)}, 9.0),
        ({"d": one_leg(3.0), "V": np.full(6, 6.0), "e": one_leg(-4.0), "A": np.full(6, 6.0)}, 1.5),
    ],
)
def test_the_first_pace_is_the_fastest_even_one(numbers: dict[str, Any], due: float) -> None:
    """``|d| sqrt(y) <= V``, ``|e| y <= A``, ``|g| y^(3/2) <= J``: the tightest of them."""
    assert pace(**numbers)._even() == pytest.approx(due, rel=1e-12)


@pytest.mark.parametrize(
    ("c", "b", "P"), [(1.0, 0.0, 2.0), (-1.0, 0.0, -2.0), (1.0, 0.5, 2.0), (0.0, 0.0, 4.0)]
)
def test_efforts_bound_the_first_pace(c: float, b: float, P: float) -> None:
    given = {"c": one_leg(c), "b": one_leg(b), "P": one_leg(P)}
    given |= {"e": one_leg(1.0, 0), "A": np.full(6, 50.0)}
    made = pace(F=np.full(6, 5.0), **given)
    y = made._even()
    assert abs(c + b * np.sqrt(y) + P * y) == pytest.approx(5.0, rel=1e-9)
    assert pace(F=np.full(6, 1e9), **given)._even() == pytest.approx(50.0)


def test_a_weight_that_is_never_held_has_no_even_pace() -> None:
    made = pace(c=one_leg(6.0), F=np.full(6, 5.0), e=one_leg(1.0), A=np.full(6, 5.0))
    with pytest.raises(InfeasibleError, match="no even pace"):
        made._even()


def kept(made: Any, y: Array, u: Array, about: Array, push: Array) -> bool:
    rows, most = made._rows(about, push)
    return bool((rows @ np.concatenate([y, u]) <= most + 1e-12).all())


def exact(made: Any, y: Array, u: Array) -> float:
    """Largest share of the true limits at the places, roots and all."""
    whole = np.concatenate([y, u])
    Y, U, W = made.y @ whole, made.u @ whole, made.w @ whole
    v = np.sqrt(Y)[:, None]
    Y, U, W = Y[:, None], U[:, None], W[:, None]
    with np.errstate(invalid="ignore"):
        shares = [
            np.abs(made.d) * v / made.V,
            np.abs(made.d * U + made.e * Y) / made.A,
            np.abs(made.c + made.b * v + made.P * Y + made.Q * U) / made.F,
            v * np.abs(made.jd * W + 3.0 * made.je * U + made.jg * Y) / made.J,
        ]
    return float(max(np.nanmax(s, initial=0.0) for s in shares))


KINDS = {
    "rates": {"d": 1.0, "V": 2.0},
    "accelerations": {"d": 0.5, "e": 0.7, "A": 2.0},
    "friction that hinders and helps": {"c": 0.3, "b": 0.8, "P": 0.6, "Q": 0.4, "F": 3.0},
    "jerks": {"jd": 0.2, "je": 0.3, "jg": 0.5, "J": 4.0},
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(6))
def test_linear_rows_are_nowhere_wider_than_the_limits_and_meet_them_at_the_pace(
    kind: str, seed: int
) -> None:
    """Whatever keeps the rows within the trust keeps the limits; at the pace itself, scaled so that it just keeps the
    limits, the rows are kept too, and a little beyond they are not."""
    rng = np.random.default_rng([seed, len(kind)])
    given = {}
    for name, size in KINDS[kind].items():
        scale = rng.uniform(0.6, 1.0, 6) if name in "VAFJ" else rng.normal(size=(2 * N + 1, 6))
        given[name] = size * scale
    made = pace(**given)
    about, push = smooth(rng)
    limits = next(name for name in "VAFJ" if name in given)
    share = exact(made, about, push)
    setattr(made, limits, getattr(made, limits) * share)  # now it just keeps them
    assert exact(made, about, push) == pytest.approx(1.0)
    tight = kept(made, about, push, about, push)
    if kind == "friction that hinders and helps":
        # a chord lies below the root: what helps is taken as less than it is
        setattr(made, limits, getattr(made, limits) * 1.5)
        assert kept(made, about, push, about, push)
        setattr(made, limits, getattr(made, limits) / 1.5)
    else:
        assert tight
    setattr(made, limits, getattr(made, limits) * 0.999)
    assert not kept(made, about, push, about, push)
    setattr(made, limits, getattr(made, limits) * 1.3)
    seen, (rows, most) = 0, made._rows(about, push)
    for _ in range(400):
        y, u = smooth(rng)
        y = y * rng.uniform(0.4, 2.5)
        low, high = about / jerk_pacing.TRUST, about * jerk_pacing.TRUST
        if (y < low).any() or (y > high).any() or (made.y @ np.concatenate([y, u]) <= 0).any():
            continue
        if (rows @ np.concatenate([y, u]) <= most + 1e-12).all():
            seen += 1
            assert exact(made, y, u) <= 1.0 + 1e-9
    assert seen > 0


def test_a_program_is_faster_until_a_limit_stops_it() -> None:
    """Accelerations of one coordinate along tau: from an even pace to a faster one that keeps them."""
    made = pace(d=one_leg(1.0), A=np.full(6, 1.0), V=np.full(6, 3.0))
    Y = np.full(N + 1, 1.0)
    faster = made._program(Y, np.zeros(N + 1))
    assert faster is not None
    y, u = faster
    assert exact(made, y, u) <= 1.0 + 1e-7
    assert (y <= jerk_pacing.TRUST * (1 + 1e-9)).all()
    assert made.times(y, u)[-1] < made.times(Y, np.zeros(N + 1))[-1]
    again = made._program(y, u)
    assert again is not None
    assert made.times(*again)[-1] < 0.9 * made.times(y, u)[-1]
    np.testing.assert_allclose(made._joints() @ np.concatenate(again), 0.0, atol=1e-7)
    closed = pace(d=one_leg(1.0), A=np.full(6, 1e-9), V=np.full(6, 1e-9))
    assert closed._program(Y, np.zeros(N + 1)) is None


def test_programs_follow_one_another_until_they_gain_little(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made, asked = pace(), list[float]()
    monkeypatch.setattr(EasedPace, "_even", lambda self: 1.0)
    monkeypatch.setattr(EasedPace, "_in_time", lambda self, y, u: (float(y[0]), float(u[0])))
    gains = iter([4.0, 9.0, 9.0 * (1.0 + 1e-4), 16.0])

    def program(self: Any, Y: Array, u: Array) -> tuple[Array, Array] | None:
        asked.append(float(Y[0]))
        return np.full(N + 1, next(gains)), np.zeros(N + 1)

    monkeypatch.setattr(EasedPace, "_program", program)
    assert made.found() == (pytest.approx(9.0009), 0.0)
    assert asked == [1.0, 4.0, 9.0]
    monkeypatch.setattr(EasedPace, "_program", lambda *_: None)
    assert made.found() == (1.0, 0.0)
    monkeypatch.setattr(EasedPace, "_program", program)
    monkeypatch.setattr(jerk_pacing, "ROUNDS", 2)
    gains, asked[:] = iter([4.0, 9.0, 16.0]), []
    assert made.found() == (9.0, 0.0)


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("about", [0.01, 1.0, 40.0])
def test_friction_is_met_where_its_line_meets_the_root(side: float, about: float) -> None:
    """What hinders by its tangent, met at the known pace; what helps by its chord, met at both ends of the trust, below
    the root between them: what is left of the limit there is what truly is, at slow and fast paces alike."""
    T, push = jerk_pacing.TRUST, np.zeros(N + 1)
    c, P, F = 2.0, 0.3 / about, 5.0
    for b, meets in ((0.8, [1.0]), (-0.8, [1.0 / T, T])):
        b /= np.sqrt(about)
        parts = {"c": side * c, "b": side * b, "P": side * P}
        made = pace(**{name: one_leg(x) for name, x in parts.items()}, F=np.full(6, F))
        rows, most = made._rows(np.full(N + 1, about), push)
        for share in (1.0 / T, 0.5, 1.0, 2.0, T):
            y = about * share
            left = (most - rows @ np.concatenate([np.full(N + 1, y), push])).min()
            true = 1.0 - (c + b * np.sqrt(y) + P * y) / F
            assert 0.0 < true < 0.9  # the leg's other side and other legs have more left
            if share in meets:
                assert left == pytest.approx(true, abs=1e-12)
            else:
                assert true - 0.3 < left < true - 1e-4
