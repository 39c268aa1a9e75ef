"""How an integration of bodies and constraints ends early: each reason by itself, with what was computed before."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gough
from gough.checks import Array
from gough.simulation.alpha_family import Newton, consistent, integrate

WHEN = 0.25


class Bead:
    """A mass of 2 kg on the level wire y = 0, pushed along it; `wrong` changes one answer after WHEN."""

    size = (2, 1)

    def __init__(self, **wrong: Any) -> None:
        self.wrong = wrong

    def _told(self, name: str, t: float, right: Array) -> Array:
        return (
            right if t < WHEN or name not in self.wrong else np.full(right.shape, self.wrong[name])
        )

    def mass(self, q: Array) -> Array:
        return np.diag([2.0, 2.0])

    def force(self, q: Array, v: Array, t: float) -> Array:
        return self._told("force", t, np.array([1.0, -20.0]))

    def damping(self, q: Array, v: Array, t: float) -> None:
        return None

    def constraint(self, q: Array, t: float) -> Array:
        return self._told("constraint", t, q[1:])

    def jacobian(self, q: Array, t: float) -> Array:
        return self._told("jacobian", t, np.array([[0.0, 1.0]]))

    def constraint_rate(self, t: float) -> Array:
        return np.zeros(1)

    def gamma(self, q: Array, v: Array, t: float) -> Array:
        return np.zeros(1)

    def retract(self, q: Array, dx: Array) -> Array:
        return q + dx

    def blocks(self) -> None:
        return None


def ride(bead: Bead, **more: Any) -> Any:
    return integrate(bead, np.zeros(2), np.zeros(2), duration=0.5, step=0.05, **more)


def test_a_bead_that_nothing_stops() -> None:
    run = ride(Bead())
    assert run.ok
    assert run.q[-1] == pytest.approx([0.5 * 0.5 * 0.5**2, 0.0], abs=1e-12)
    assert run.multiplier == pytest.approx(np.full((11, 1), -20.0))


@pytest.mark.parametrize("name", ["force", "constraint"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_has_diverged(name: str, value: float) -> None:
    """The force alone, or the constraint alone."""
    run = ride(Bead(**{name: value}))
    assert run.status.code == "diverged"
    assert run.status.startswith("stopped at t = 0.2 s")
    assert run.time == pytest.approx(0.05 * np.arange(5))
    assert np.isfinite(run.q).all()


def test_dependent_constraints_are_singular() -> None:
    """Constraints without a direction cannot carry the weight."""
    assert ride(Bead(jacobian=0.0)).status.code == "singular"


def test_too_few_iterations_do_not_converge() -> None:
    run = ride(Bead(force=3.0), newton=Newton(iterations=1))
    assert run.status.code == "no-convergence"
    assert run.status.startswith("stopped at t = 0.2 s")
    assert "balance" in run.status


def test_steps_must_divide_the_duration() -> None:
    for duration in (0.5 + 1e-8, 0.52, 0.01):
        with pytest.raises(gough.InputError, match="must divide"):
            integrate(Bead(), np.zeros(2), np.zeros(2), duration=duration, step=0.05)


def test_a_start_comes_onto_the_wire_or_is_refused() -> None:
    q, v = consistent(Bead(), np.array([0.3, 0.2]), np.array([1.0, 0.5]), 0.0)
    assert q == pytest.approx([0.3, 0.0], abs=1e-13)
    assert v == pytest.approx([1.0, 0.0], abs=1e-13)
    assert consistent(Bead(), q, None, 0.0)[1] == pytest.approx([0.0, 0.0])
    for wrong in (np.nan, 0.1):
        with pytest.raises(gough.InputError, match="closes every joint"):
            consistent(Bead(constraint=wrong), q, v, 1.0)


class Trembling(Bead):
    """The same with a force that is never twice the same, as rounding makes it."""

    def __init__(self, share: float) -> None:
        super().__init__()
        self.share, self.sign = share, 1.0

    def force(self, q: Array, v: Array, t: float) -> Array:
        self.sign = -self.sign
        return super().force(q, v, t) * (1.0 + self.share * self.sign)


@pytest.mark.parametrize(("share", "iterations"), [(1e-12, 1), (1e-8, 9)])
def test_a_balance_that_rounding_keeps_from_closing_is_taken(share: float, iterations: int) -> None:
    run = ride(Trembling(share))
    assert run.ok
    assert run.iterations.max() == iterations
    assert run.q[-1] == pytest.approx([0.5 * 0.5 * 0.5**2, 0.0], rel=1e-6, abs=1e-9)


def test_a_balance_that_stays_open_is_not() -> None:
    assert ride(Trembling(1e-6)).status.code == "no-convergence"
