"""Masses that legs move, where a home tells them and where none does; and the mass that bounds every mode."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.dynamics.laws import stiffness
from gough.dynamics.laws.stiffness import _bound, _root, elastic_masses, leg_masses
from gough.engines.pack import rotors
from oracles.machines import case


def refused(*_: object) -> None:
    raise gough.InfeasibleError("no home")


@pytest.mark.parametrize("name", ["motion-base-1500", "servo-hexapod"])
def test_a_machine_that_cannot_take_its_home_is_a_sixth_of_its_platform(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of cranks as an inertia about their axis, with the arm as lever; the motors as they are."""
    machine = gough.load(name)
    sixth = machine.body.mass / 6
    due = [
        sixth * float(leg.arm @ leg.arm) if hasattr(leg, "arm") else sixth for leg in machine.legs
    ]
    monkeypatch.setattr(stiffness, "_mass", refused)
    one = machine.replace(name="other")
    np.testing.assert_allclose(leg_masses(one), due, rtol=1e-12)
    both = elastic_masses(machine.replace(name="another"))
    np.testing.assert_allclose(both[:6], due, rtol=1e-12)
    np.testing.assert_allclose(both[6:], [rotors(leg)[0] for leg in machine.legs])


def test_a_platform_without_mass_still_has_some(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = gough.load("motion-base-1500")
    light = machine.replace(body=machine.body.replace(mass=1e-12))
    monkeypatch.setattr(stiffness, "_mass", refused)
    np.testing.assert_allclose(leg_masses(light), np.full(6, 1e-9))


@pytest.mark.parametrize("kind", ["UPS", "SPS-general"])
def test_masses_are_those_at_home_also_of_legs_that_carry_their_spin(kind: str) -> None:
    """Turned as they stand at home, none of them spinning: by the mass matrix there, not by a guess."""
    machine = case(kind, seed=3).platform
    home = machine.require_home()
    spin = gough.Spin(np.zeros(6), np.zeros(6)) if kind != "UPS" else None
    M = gough.mass_matrix(machine, home, spin=spin, engine="python")
    J = gough.jacobian(machine, home)
    found = leg_masses(machine)
    np.testing.assert_allclose(found, _bound(J @ np.linalg.solve(M, J.T)), rtol=1e-9)
    assert np.abs(found - stiffness._guess(machine)).min() > 1e-3


@pytest.mark.parametrize("seed", range(5))
def test_no_stiffness_makes_a_faster_mode_and_one_reaches_it(seed: int) -> None:
    """``sqrt(K) A sqrt(K)`` for any diagonal K is within max(k m^-1); the masses share one largest factor."""
    rng = np.random.default_rng(seed)
    J = rng.normal(size=(6, 6))
    A = J @ J.T
    m = _bound(A)
    np.testing.assert_allclose(m * np.diag(A), (m * np.diag(A))[0], rtol=1e-9)
    assert np.linalg.eigvalsh(np.sqrt(m)[:, None] * A * np.sqrt(m))[-1] == pytest.approx(1.0)
    for _ in range(20):
        k = 10.0 ** rng.uniform(-3, 3, size=6)
        fastest = np.linalg.eigvalsh(np.sqrt(k)[:, None] * A * np.sqrt(k))[-1]
        assert fastest <= (k / m).max() * (1 + 1e-9)


@pytest.mark.parametrize(("m", "k", "c"), [(2.0, 8.0, 0.0), (2.0, 8.0, 3.0), (1.0, 1.0, 9.0)])
def test_the_largest_root_of_a_mode(m: float, k: float, c: float) -> None:
    found = _root(np.array(m), np.array(k), np.array(c))
    assert float(found) == pytest.approx(np.abs(np.roots([m, c, k])).max())
