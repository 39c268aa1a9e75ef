"""What a proof in doubled precision makes of its numbers: rounding of the data counts, infinity is kept away from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gough.engines.plain_modules import plain_module
from gough.kinematics.assembly import doubled_tracker
from gough.kinematics.assembly.generic import generic_start

ASKED: dict[str, float] = {
    "ETA": 1e-3,
    "KAPPA": 5.0,
    "DELTA": 0.1,
    "WV": 2.0,
    "WG": 3.0,
    "SPREAD": 1e9,
}
RADIUS, UNIQUE = 1e-6, 1e-2


class Proof:
    """One root proved with numbers that are told; keeps what `ball` and `realness` were asked."""

    def __init__(self, m: pytest.MonkeyPatch, radius: float, high: float, chart: int = -1) -> None:
        t: Any = doubled_tracker
        if hasattr(t.doubled_proof, "py_func"):
            t = plain_module(doubled_tracker.__name__)
        self.ball: tuple[float, ...] = ()
        self.real: tuple[float, ...] = ()
        self.first: list[float] = []

        def walk(program: Any, Q: Any, v: Any, A: Any) -> None:
            self.first = Q[: t.POINTS, 0].tolist()
            for name, value in ASKED.items():
                A[getattr(t, name), 0] = value
            A[t.TOTAL, 0], A[t.TOTAL, 1] = 7.0, 0.25
            self.unit = float(Q[t.UNIT, 0])

        def ball(*given: float) -> tuple[float, float]:
            self.ball = given
            return (radius, UNIQUE) if radius >= 0.0 else (-1.0, 0.0)

        def realness(Q: Any, lane: int, *given: float) -> int:
            self.real = given
            return 1

        m.setattr(t, "walk", walk)
        m.setattr(t, "polish", lambda *_: None)
        m.setattr(t, "ball", ball)
        m.setattr(t, "realness", realness)
        m.setattr(t, "height", lambda Q: high)
        legs, X = generic_start()
        self.X = X[3].copy()
        point = np.arange(2.0 * t.POINTS).reshape(t.POINTS, 2)
        self.found = t.doubled_proof(*legs, self.X, point, chart, t.TAKE_STEP, t.EXAMINE)
        self.eps, self.data, self.unit_due = t.EPS, t.DATA, t.ROUNDING


def test_a_root_is_real_with_the_rounding_of_its_data(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its ball is that of the numbers given, and wider by what their rounding spreads before it is called real."""
    proof = Proof(monkeypatch, RADIUS, 1.0)
    assert proof.ball == (1e-3, 5.0, 0.1, 7.25, 2.0)
    wv, wg, wide, unique = proof.real
    assert (wv, wg, unique) == (2.0, 3.0, UNIQUE)
    assert wide == pytest.approx(RADIUS + 2.0 * proof.data * ASKED["SPREAD"])
    assert wide > 2.0 * RADIUS
    assert proof.unit == proof.unit_due
    radius, narrow, real, chart, finite = proof.found
    assert radius == RADIUS + 2.0 * proof.eps
    assert narrow == UNIQUE - 2.0 * proof.eps
    assert (real, finite) == (1, True)
    assert chart in range(4)
    assert proof.X[chart] == 1.0


@pytest.mark.parametrize("radius", [RADIUS, 0.0])
def test_a_ball_that_may_reach_infinity_is_not_finite(
    radius: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``h`` changes by less than ten times the ball's radius in units of q: below that nothing is said."""
    for share, finite in ((1.01, True), (0.99, False), (0.0, False)):
        high = share * 10.0 * ASKED["WV"] ** 2 * (radius + doubled_tracker.EPS**2)
        assert Proof(monkeypatch, radius, high).found[4] == finite


def test_without_a_ball_nothing_is_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    proof = Proof(monkeypatch, -1.0, 1.0)
    assert proof.found[:3] == (-1.0, 0.0, -1)
    assert not proof.found[4]
    assert proof.real == ()
    np.testing.assert_array_equal(proof.X, generic_start()[1][3])  # as it was


def test_a_point_that_is_known_with_all_digits_is_taken_as_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    proof = Proof(monkeypatch, RADIUS, 1.0, chart=2)
    assert proof.first == [2.0 * k for k in range(12)]
    assert proof.found[3] == 2
