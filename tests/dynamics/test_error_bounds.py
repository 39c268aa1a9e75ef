"""Reactions, spin accelerations, mass matrices and biases carry bounds too, which wrong ones do not keep."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import fields, replace

import numpy as np
import pytest

import gough
from gough import guard
from gough.dynamics import (
    bias,
    bias_error,
    derivatives_error,
    forward_dynamics_derivatives,
    inverse_dynamics_derivatives,
    mass_matrix_error,
)
from gough.dynamics.inverse import _marked
from gough.engines.evaluate import evaluation
from gough.layout import FORWARD, LEG_RECORD
from gough.results import Reactions
from oracles.machines import KINDS, Case, case
from support.near_singular import UNIVERSAL, near


def asked(kind: str, states: int = 4) -> tuple[Case, gough.Spin | None]:
    c = case(kind, seed=21, states=states)
    return c, gough.Spin(c.spin_angle, c.spin_rate) if c.needs_spin else None


@pytest.mark.parametrize("kind", KINDS)
def test_every_number_has_its_digits(kind: str) -> None:
    """Away from singularities ten digits of every block are proven; those of the other formulations likewise."""
    c, spin = asked(kind)
    found = gough.inverse_dynamics(c.platform, c.motion, c.external, spin=spin, engine="python")
    size = np.abs(found.force).max()
    for f in fields(Reactions):
        error = getattr(found.reactions_error, f.name)
        assert error.shape == getattr(found.reactions, f.name).shape
        assert error.max() < 1e-8 * size, f.name
    driven = gough.forward_dynamics(
        c.platform, c.motion, found.force, c.external, spin=spin, engine="python"
    )
    assert driven.spin_error.max() <= 1e-10 * (1.0 + np.abs(driven.spin_acceleration).max())
    assert (driven.spin_error > 0).any() == c.needs_spin
    if spin is not None:
        assert found.spin_acceleration is not None
        apart = np.abs(driven.spin_acceleration - found.spin_acceleration)
        assert (apart <= found.spin_error + driven.spin_error + 1e-9 * apart.max()).all()
    M = gough.mass_matrix(c.platform, c.motion, spin=spin, engine="python")
    b = bias(c.platform, c.motion, spin=spin, engine="python")
    assert mass_matrix_error(c.platform, c.motion, M, spin=spin).max() < 1e-11 * M.max()
    assert bias_error(c.platform, c.motion, b, spin=spin).max() < 1e-10 * np.abs(b).max()


@pytest.mark.parametrize("name", ["newton-euler", "universal", "multibody"])
def test_reactions_of_formulations_are_marked(name: str) -> None:
    c, _ = asked("UPS")
    found = gough.inverse_dynamics(c.platform, c.motion, c.external, name)
    assert found.reactions_error.spherical_force.max() < 1e-8 * np.abs(found.force).max()


@pytest.mark.parametrize("kind", ["UPS", "SPS-axisymmetric"])
def test_slopes_have_their_digits_and_wrong_ones_are_seen(kind: str) -> None:
    c, spin = asked(kind)
    options = {"external": c.external, "spin": spin}
    force = gough.inverse_dynamics(c.platform, c.motion, **options).force
    inverse = inverse_dynamics_derivatives(c.platform, c.motion, **options)
    forward = forward_dynamics_derivatives(c.platform, c.motion, force, **options)
    for found, given in ((inverse, None), (forward, force)):
        error = derivatives_error(c.platform, c.motion, found, given, **options)
        size = np.abs(found.jacobian).max(axis=(0, 1))
        assert (error.max(axis=(0, 1)) <= 1e-8 * size + 1e-8).all()
        wrong = found.jacobian.copy()
        wrong[1, 2] *= 1 + 1e-6
        seen = derivatives_error(
            c.platform, c.motion, replace(found, jacobian=wrong), given, **options
        )
        large = np.abs(wrong[1, 2]) > 0.1 * size
        assert (seen[1, 2] >= 0.9e-6 * np.abs(wrong[1, 2]))[large].all()
    with pytest.raises(gough.InputError, match="derivatives"):
        derivatives_error(
            c.platform, c.motion, replace(inverse, jacobian=inverse.jacobian[1:]), spin=spin
        )


def test_wrong_numbers_are_seen() -> None:
    """Planted: each number off by a millionth lies outside what is proven."""
    c, spin = asked("SPS-general")
    M = gough.mass_matrix(c.platform, c.motion, spin=spin)
    b = bias(c.platform, c.motion, spin=spin)
    M[1, 2, 3] *= 1 + 1e-6
    assert mass_matrix_error(c.platform, c.motion, M, spin=spin)[1, 2, 3] > 0.9e-6 * abs(M[1, 2, 3])
    b = b * np.where(np.arange(6) == 4, 1 + 1e-6, 1.0)
    assert (bias_error(c.platform, c.motion, b, spin=spin)[:, 4] > 0.9e-6 * np.abs(b[:, 4])).all()
    e = evaluation("forces", c.platform, c.motion, spin, external=c.external)
    record = e.run("record")
    part = ("record", slice(0, record.shape[-1]))
    right = e.error(record, part)
    for leg in range(6):
        for k in range(LEG_RECORD.at("spin_acceleration"), LEG_RECORD.at("risk")):
            at = leg * LEG_RECORD.size + k
            wrong = record.copy()
            wrong[2, at] *= 1 + 1e-6
            assert right[2, at] < 0.5e-6 * abs(record[2, at]) < e.error(wrong, part)[2, at]


def test_a_bias_is_judged_by_its_own_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    c, _ = asked("UPS", states=1)
    with pytest.raises(gough.InfeasibleError, match="universal joint"):
        bias(near(c, 0, 2, UNIVERSAL, 1e-9), c.motion)
    with pytest.raises(gough.InfeasibleError, match=r"^state 0: fewer than 3 digits .* of a leg$"):
        bias(near(c, 0, 2, UNIVERSAL, 1.5e-6), c.motion)
    monkeypatch.setattr(guard, "risk_limit", lambda *_: 0.0)  # every state gets the closer look
    bias(c.platform, c.motion)
    e = evaluation("forward", c.platform, c.motion, force=None, external=None)
    with pytest.raises(gough.InfeasibleError, match="fewer than 3 digits"):
        e.judged(part=("forward", slice(FORWARD.risk, FORWARD.risk + 1)))  # a risk has no bound


def test_bounds_travel_with_a_copy() -> None:
    c, spin = asked("SPS-axisymmetric", states=2)
    found = gough.inverse_dynamics(c.platform, c.motion, c.external, spin=spin)
    same = copy.deepcopy(found)
    np.testing.assert_array_equal(same.leg_errors, found.leg_errors)
    driven = gough.forward_dynamics(c.platform, c.motion, found.force, spin=spin)
    np.testing.assert_array_equal(copy.deepcopy(driven).spin_error, driven.spin_error)


def test_shapes_are_checked() -> None:
    c, _ = asked("UPS")
    with pytest.raises(gough.InputError, match="matrix"):
        mass_matrix_error(c.platform, c.motion, np.zeros((3, 6, 6)))
    with pytest.raises(gough.InputError, match="bias"):
        bias_error(c.platform, c.motion, np.zeros((3, 6)))
    with pytest.raises(AttributeError, match="error bound"):
        _ = gough.inverse_dynamics(c.platform, c.motion, None, "lagrange").reactions_error


@pytest.mark.parametrize("wrong", [0.0, 3.0])
def test_a_spin_that_a_formulation_gets_wrong_is_within_its_error(wrong: float) -> None:
    """The bound of a formulation's spins is about its own numbers, not about those of the exact equations; one that
    does not know them has bounds of its reactions all the same."""
    c = case("SPS-general", seed=1, states=2)
    given = {"spin": gough.Spin(c.spin_angle, c.spin_rate), "external": c.external}
    true = gough.inverse_dynamics(c.platform, c.motion, **given)
    assert true.spin_acceleration is not None
    off = replace(true, spin_acceleration=true.spin_acceleration + wrong)
    found = _marked(off, c.platform, c.motion, given["spin"], c.external)
    assert (found.spin_error >= wrong).all()
    assert (found.spin_error <= wrong + 1e-6).all()
    unknown = replace(true, spin_acceleration=None)
    blind = _marked(unknown, c.platform, c.motion, given["spin"], c.external)
    assert np.isfinite(blind.reactions_error.spherical_force).all()


@pytest.mark.parametrize("kind", KINDS)
def test_two_answers_are_no_farther_apart_than_their_bounds_together(kind: str) -> None:
    """The truth lies within the bound of each; so also of two that lie on both sides of it, a few roundings apart."""
    c, spin = asked(kind)

    def together(value: np.ndarray, bound: Callable[[np.ndarray], np.ndarray]) -> None:
        for share in (1e-15, 1e-12, 1e-6):
            away = share * np.abs(value) + 1e-300
            above, below = value + away, value - away
            assert (bound(above) + bound(below) >= above - below).all()
        assert (bound(value) > 0.0)[value != 0.0].all()

    M = gough.mass_matrix(c.platform, c.motion, spin=spin, engine="python")
    together(M, lambda A: mass_matrix_error(c.platform, c.motion, A, spin=spin))
    b = bias(c.platform, c.motion, spin=spin, engine="python")
    together(b, lambda a: bias_error(c.platform, c.motion, a, spin=spin))
    if kind != "UPS":  # one is enough of what takes long to compile
        return
    D = inverse_dynamics_derivatives(c.platform, c.motion, c.external, spin=spin)
    together(
        D.jacobian,
        lambda J: derivatives_error(
            c.platform, c.motion, replace(D, jacobian=J), external=c.external, spin=spin
        ),
    )
