"""Runs of machines with springs in their joints: energy, records, and the end of a flexure's validity."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.guard import OVERTURNED
from oracles.machines import case


@pytest.fixture(scope="module")
def machine() -> gough.Platform:
    """Random UPS legs without friction or drives, springs in every joint."""
    return case("UPS", seed=41, states=1, springs=True, friction=False, drive=False).platform


def test_energy_stays_and_the_springs_take_part(machine: gough.Platform) -> None:
    home = machine.require_home()
    force = gough.inverse_dynamics(machine, home).force
    start = gough.Motion(
        home.position, home.rotation, np.array([0.1, -0.08, 0.05]), np.array([0.3, 0.2, -0.4])
    )
    run = gough.simulate(
        machine, start, duration=0.5, force=force, step=1e-4, output=5e-3, drives=False
    )
    assert run.attrs["status"] == "ok"
    work = ((run.length.values - run.length.values[0]) * force).sum(axis=-1)
    energy = (run.kinetic + run.potential).values
    assert np.abs(energy - energy[0] - work).max() < 1e-9 * run.kinetic.values.max()
    motion = gough.Motion(
        run.position.values,
        gough.Pose.from_quaternion(run.position.values, run.quaternion.values).rotation,
        run.velocity.values,
        run.angular_velocity.values,
        run.acceleration.values,
        run.angular_acceleration.values,
    )
    told = gough.inverse_dynamics(machine, motion, engine="python")
    assert np.abs(told.force - force).max() < 1e-8 * np.abs(force).max()
    moment = run.platform_moment.values
    assert np.abs(moment - told.reactions.platform_moment).max() < 1e-8
    assert np.abs(moment).max() > 0.1
    bare = machine.replace(legs=[leg.replace(springs=gough.JointSprings()) for leg in machine.legs])
    without = gough.energy(bare, motion, engine="python").potential
    assert np.ptp(run.potential.values - without) > 0.1 * np.ptp(run.kinetic.values)


def test_a_run_ends_where_a_flexure_has_turned_too_far(machine: gough.Platform) -> None:
    """Spun without forces: no word about what springs do beyond 150 degrees, and the status says that it ended."""
    home = machine.require_home()
    start = gough.Motion(home.position, home.rotation, np.zeros(3), np.array([0.0, 0.0, 40.0]))
    force = gough.inverse_dynamics(machine, home).force
    run = gough.simulate(
        machine, start, duration=0.2, force=force, step=1e-4, output=1e-3, drives=False
    )
    assert run.attrs["status"].startswith(
        f"diverged: the state grew beyond any bound, or {OVERTURNED}"
    )
    stands = run.time.values <= float(run.attrs["status"].split("= ")[1].split()[0]) + 1e-9
    assert 20 < stands.sum() < len(stands)
    states = np.concatenate([run[name].values for name in ("position", "quaternion")], axis=-1)
    assert (np.isfinite(states).all(axis=-1) == stands).all()


@pytest.mark.slow
def test_energy_stays_in_a_run_of_rods_with_springs() -> None:
    """RSS, PSU, UCS, UPS and UCU legs with springs in every joint: they share what efforts give."""
    c = case("rods-mixed", seed=62, states=1, springs=True, friction=False, drive=False)
    machine, home = c.platform, c.platform.require_home()
    spin = gough.Spin(c.spin_angle[0], c.spin_rate[0])
    force = gough.inverse_dynamics(machine, home, spin=spin, engine="python").force
    start = gough.Motion(
        home.position, home.rotation, np.array([0.1, -0.08, 0.05]), np.array([0.3, 0.2, -0.4])
    )
    run = gough.simulate(
        machine, start, duration=0.05, force=force, step=1e-4, output=1e-3, drives=False, spin=spin
    )
    assert run.attrs["status"] == "ok"
    work = ((run.length.values - run.length.values[0]) * force).sum(axis=-1)
    energy = (run.kinetic + run.potential).values
    assert np.abs(energy - energy[0] - work).max() < 1e-9 * run.kinetic.values.max()
    bare = machine.replace(legs=[leg.replace(springs=gough.JointSprings()) for leg in machine.legs])
    pose = gough.Pose.from_quaternion(run.position.values, run.quaternion.values)
    told = gough.Spin(run.spin_angle.values, run.spin_rate.values)
    without = gough.energy(bare, gough.Motion.at_rest(pose), spin=told, engine="python").potential
    assert np.ptp(run.potential.values - without) > 1e-3 * np.ptp(run.kinetic.values)
