"""Rotors that ride on their legs load their gears by the legs' turning too: against the joints' reactions, in runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gough
from gough.checks import Array
from gough.dynamics.laws import gear
from gough.dynamics.laws.inverse import _felt
from gough.dynamics.laws.machine import drive_laws
from gough.results import Spin
from gough.spatial import rotation_exp

CLEAN = {"coulomb": 0.0, "static": 0.0, "viscous": 0.0}


def riding(axis: list[float], efficiency: float, ratio: float = 40.0) -> gough.Platform:
    """Racks with motors on the legs: their spin weighs ten times what a screw's does."""
    machine = gough.load("motion-base-1500")
    heavy = machine.legs[0].drive.reflected_inertia / ratio**2
    more = {"rotor_axis": axis, "ratio": ratio, "rotor_inertia": heavy, "efficiency": efficiency}
    legs = [
        leg.replace(drive=leg.drive.replace(**more, **CLEAN), friction=gough.Friction())
        for leg in machine.legs
    ]
    return machine.replace(legs=legs)


def on_balls(machine: gough.Platform, axis: list[float]) -> gough.Platform:
    keep = ("base", "joint", "lower", "upper", "limits")
    legs = [
        gough.SPS(
            reference=[1, 0, 0],
            drive=leg.drive.replace(rotor_axis=axis),
            **{name: getattr(leg, name) for name in keep},
        )
        for leg in machine.legs
    ]
    return machine.replace(legs=legs)


def in_pairs(machine: gough.Platform) -> gough.Platform:
    """Rods that turn in their barrels, motors on these."""
    keep = ("base", "joint", "axis", "lower", "upper", "limits", "drive")
    legs = [gough.UCS(**{name: getattr(leg, name) for name in keep}) for leg in machine.legs]
    return machine.replace(legs=legs)


def some_motion() -> gough.Motion:
    rng = np.random.default_rng(8)
    t, w, a, al = (rng.normal(size=3) for _ in range(4))
    R = rotation_exp(np.array([0.1, 0.05, 0.2]))
    return gough.Motion([0.02, 0.01, 1.15], R, t, w, 5 * a, 20 * al)


@pytest.mark.parametrize("kind", ["along", "across", "balls", "pairs"])
def test_the_load_on_a_gear_is_the_force_through_the_screw(kind: str) -> None:
    """``u - m_r lddot - gam d.A`` is the sliding joint's reaction along the strut, which the equations give by another
    way; without the rotor's turning it is tens of newtons off."""
    axis = [0.3, 0.8, 0.5] if kind in ("across", "pairs") else [1.0, 0.0, 0.0]
    machine, motion, spin = riding(axis, 1.0), some_motion(), None
    if kind == "balls":
        machine, spin = on_balls(machine, axis), Spin(np.zeros(6), np.arange(6) - 2.0)
    engine = "native"
    if kind == "pairs":
        machine, engine = in_pairs(machine), "python"
    found, legs = (
        gough.inverse_dynamics(machine, motion, spin=spin, engine=engine),
        gough.inverse_kinematics(machine, motion, engine=engine),
    )
    through = (found.reactions.prismatic_force * legs.direction).sum(axis=-1)
    inertia = machine.legs[0].drive.reflected_inertia
    load = found.force - inertia * _felt(machine, legs, found.spin_acceleration)
    assert np.abs(load - through).max() < 1e-8
    assert np.abs(found.force - inertia * legs.acceleration - through).max() > 10.0


def loads_in_a_run(machine: gough.Platform, monkeypatch: pytest.MonkeyPatch, python: bool) -> Array:
    """Largest distance, over the run, of what friction takes from the level at the force through the screw."""
    monkeypatch.setattr(gear, "LOAD_TIME", 2e-4)
    hold = gough.inverse_dynamics(machine, machine.require_home()).force
    start = gough.simulation.State(
        machine.home, velocity=[0, 0, 0.1], angular_velocity=[1.0, -0.5, 1]
    )
    push = hold + np.array([4000.0, -3000.0, 3500.0, -4000.0, 3000.0, -3500.0])
    force: Any = (lambda t, motion: push) if python else push
    run = gough.simulate(machine, start, duration=0.04, step=1e-4, force=force, output=2e-3)
    friction = run.motor_force.values - run.force.values
    through = run.prismatic_force.values
    direction = through / np.linalg.norm(through, axis=-1)[..., None]
    along, against = machine.legs[0].drive.losses
    state = gough.Motion(run.position.values, _matrix(run.quaternion.values))
    legs = gough.inverse_kinematics(machine, state)
    F = (through * legs.direction).sum(axis=-1)
    sliding = (
        np.where(F * run.rate.values > 0, along, against) * np.abs(F) * np.sign(run.rate.values)
    )
    fast = np.abs(run.rate.values) > 0.02
    fast[:10] = False  # the load comes up
    assert fast.sum() > 20
    assert direction.shape == legs.direction.shape
    return np.abs(friction - sliding)[fast] / along


def _matrix(q: Array) -> Array:
    return np.stack([gough.Pose.from_quaternion(np.zeros(3), one).rotation for one in q])


@pytest.mark.parametrize("python", [False, True])
def test_runs_count_the_turning_of_rotors(python: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the gears take belongs to the force through the screw, up to the lag of the load; planted: without the
    legs' turning it is tens of newtons off."""
    machine = riding([1.0, 0.0, 0.0], 0.8)
    right = loads_in_a_run(machine, monkeypatch, python)
    assert right.max() < 1.0
    if python:
        bare = lambda kinds, par, legs: [leg["acceleration"] for leg in legs]  # noqa: E731
        monkeypatch.setattr(gear, "felt", bare)
        assert loads_in_a_run(machine, monkeypatch, python).max() > 3 * right.max()


def test_where_the_turning_is_not_known_a_loss_is_refused() -> None:
    across = on_balls(riding([1.0, 0.0, 0.0], 0.9), [0.0, 1.0, 0.0])
    with pytest.raises(gough.InputError, match=r"rotor_axis.*along the strut"):
        drive_laws(across)
    drive_laws(on_balls(riding([1.0, 0.0, 0.0], 1.0), [0.0, 1.0, 0.0]))
    drive_laws(on_balls(riding([1.0, 0.0, 0.0], 0.9), [1.0, 0.0, 0.0]))


@pytest.mark.parametrize("axis", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.3, 0.8, 0.5]])
def test_a_rotor_that_rides_on_an_elastic_leg_is_refused_where_it_is_not_known(
    axis: list[float],
) -> None:
    """Whatever its axis; the same machine without springs in its drives is served."""
    machine = in_pairs(riding(axis, 1.0))
    drive_laws(machine)
    legs = [leg.replace(drive=leg.drive.replace(stiffness=1e7)) for leg in machine.legs]
    with pytest.raises(gough.InputError, match=r"rotor_axis.*elastic leg"):
        drive_laws(machine.replace(legs=legs))
    fixed = [leg.replace(drive=leg.drive.replace(rotor_axis=None)) for leg in legs]
    drive_laws(machine.replace(legs=fixed))
