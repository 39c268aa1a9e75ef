"""The numbers of the laws of a machine: which are in use, how stiff they are, what is refused."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

import gough
from gough.dynamics import laws
from gough.dynamics.laws.machine import drive_laws, ideal_laws
from gough.dynamics.laws.stiffness import elastic_masses, largest_step, leg_masses
from gough.dynamics.rotors import rotor_inertia, without_rotors
from gough.kinematics.jacobian import jacobian
from gough.layout import LEG_LAW
from support.rides import one_leg


def test_laws_without_parameters_are_not_in_use() -> None:
    assert laws.in_use(ideal_laws()) == ()
    assert laws.in_use(one_leg(coulomb=1.0)[:, None]) == ("drive",)
    assert laws.in_use(one_leg(limit=1.0)[:, None]) == ("drive",)
    assert laws.in_use(one_leg(loss=0.1)[:, None]) == ("drive", "gear")
    assert laws.states(("drive", "gear")) == ("load",)
    assert laws.states(("drive", "gear", "series")) == ("drive_coordinate", "drive_rate")


def test_masses_bound_every_mode_and_the_step_is_stable() -> None:
    """No mode of springs along the legs is faster than ``max sqrt(k/m)``, and the bound is met by equal ratios."""
    rng = np.random.default_rng(5)
    for name in ("motion-base-1500", "hexaglide", "servo-hexapod"):
        machine = gough.load(name)
        masses = leg_masses(machine)
        J = jacobian(machine, machine.home)
        M = gough.mass_matrix(machine, machine.home)
        for k in (masses, masses * rng.uniform(0.0, 1.0, 6)):
            fastest = np.linalg.eigvals(np.linalg.solve(M, J.T @ (k[:, None] * J))).real.max()
            assert fastest <= (k / masses).max() * (1 + 1e-12)
        top = np.linalg.eigvals(np.linalg.solve(M, J.T @ (masses[:, None] * J))).real.max()
        assert top == pytest.approx(1.0, rel=1e-9)
        step = largest_step(drive_laws(machine), masses)
        assert 1e-3 < step < 1e-2  # the default step is stable
    assert largest_step(ideal_laws(), np.ones(6)) == np.inf
    stiff = ideal_laws()
    stiff[LEG_LAW.stiffness] = 1e6
    assert largest_step(stiff, np.full(6, 4.0)) == pytest.approx(2.5 / 500.0)
    stiff[LEG_LAW.damping] = 1e5
    assert largest_step(stiff, np.full(6, 4.0)) < 2.5 / 20_000


def with_drives(**changes: object) -> gough.Platform:
    machine = gough.load("motion-base-1500")
    legs = [leg.replace(drive=leg.drive.replace(**changes)) for leg in machine.legs]
    return machine.replace(legs=legs)


def test_what_cannot_be_is_refused() -> None:
    machine = gough.load("motion-base-1500")
    leg = machine.legs[0]
    for name, value in (("stiffness", 1e7), ("current_bandwidth", 1e3)):
        mixed = [leg.replace(drive=leg.drive.replace(**{name: value})), *machine.legs[1:]]
        with pytest.raises(gough.InputError, match=f"drive.{name}.*all or none"):
            drive_laws(machine.replace(legs=mixed))
    with pytest.raises(gough.InputError, match=r"rotor_inertia.*above zero"):
        drive_laws(with_drives(stiffness=1e7, rotor_inertia=0.0))
    riding = drive_laws(with_drives(stiffness=1e7, rotor_axis=[1, 0, 0]))
    assert riding[LEG_LAW.riding].all()
    with pytest.raises(gough.InputError, match=r"current_bandwidth.*inductance"):
        gough.Drive(1.0, inductance=1e-3, resistance=1.0, torque_constant=1.0)
    with pytest.raises(gough.InputError, match=r"damping.*needs a stiffness"):
        gough.Drive(1.0, damping=1.0)
    elastic = with_drives(stiffness=1e7)
    with pytest.raises(gough.InputError, match="elastic drives"):
        gough.inverse_dynamics(elastic, elastic.home, drives=True)
    gough.inverse_dynamics(elastic, elastic.home)


def test_presliding_travel_is_the_drives() -> None:
    usual, given = (drive_laws(with_drives(presliding=p)) for p in (None, 5e-5))
    assert given[LEG_LAW.grip] == pytest.approx(usual[LEG_LAW.grip] * 2e-5 / 5e-5)
    assert (given[LEG_LAW.grip_damping] < usual[LEG_LAW.grip_damping]).all()


@pytest.mark.parametrize("riding", [(), (1, 4), range(6)])
@pytest.mark.parametrize("axis", [[1.0, 0.0, 0.0], [0.3, 0.8, 0.5]])
def test_elastic_masses_bound_every_mode_of_legs_and_motors(
    axis: list[float], riding: Sequence[int]
) -> None:
    """Twelve coordinates, motors that ride on their legs coupled to them: met by equal ratios, never passed."""
    machine = with_drives(stiffness=1e7, rotor_inertia=5e-3)
    legs = list(machine.legs)
    for i in riding:
        legs[i] = legs[i].replace(drive=legs[i].drive.replace(rotor_axis=axis))
    machine = machine.replace(legs=legs)
    home, masses = machine.require_home(), elastic_masses(machine)
    B, J = rotor_inertia(machine, home)
    assert set(np.flatnonzero(B.any(axis=0))) == set(riding)
    still = gough.mass_matrix(without_rotors(machine), home, engine="python")
    M = np.block([[still, B], [B.T, np.diag(J)]])
    C = np.block([[jacobian(machine, home), np.zeros((6, 6))], [np.zeros((6, 6)), np.eye(6)]])
    top = np.linalg.eigvals(np.linalg.solve(M, C.T @ (masses[:, None] * C))).real.max()
    assert top == pytest.approx(1.0, rel=1e-9)
    k = masses * np.random.default_rng(6).uniform(0.0, 1.0, 12)
    fastest = np.linalg.eigvals(np.linalg.solve(M, C.T @ (k[:, None] * C))).real.max()
    assert fastest <= (k / masses).max() * (1 + 1e-12)
