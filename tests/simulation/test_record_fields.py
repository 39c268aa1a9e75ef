"""Every number of a recorded run is that of its state: computed anew from positions and efforts, leg by leg, run by
run."""

from __future__ import annotations

import json

import numpy as np
import pytest
import xarray

import gough
from gough.simulation import Events
from gough.spatial import Motion, rotation_from_rpy

MACHINE = gough.load("motion-base-1500")
HOME = MACHINE.require_home()
PUSH = np.array([3e2, -2e2, 1e2, 50.0, -30.0, 20.0])


@pytest.fixture(scope="module")
def run() -> xarray.Dataset:
    """Two runs from different starts, the drives' losses, a wrench and growing efforts."""
    position = HOME.position + np.array([[0.0, 0.0, 0.0], [0.03, -0.02, 0.04]])
    rotation = rotation_from_rpy(np.array([[0.0, 0.0, 0.0], [0.05, -0.03, 0.04]]))
    velocity = np.array([[0.1, 0.0, 0.2], [0.0, -0.1, 0.3]])
    start = Motion(position, rotation, velocity, np.array([[0.1, 0.2, 0.0], [0.0, 0.1, -0.2]]))
    hold = gough.inverse_dynamics(MACHINE, start.pose).force
    return gough.simulate(
        MACHINE,
        start,
        duration=0.03,
        output=0.01,
        force=lambda t: hold * (1.0 + 3.0 * t),
        external=PUSH,
        events=Events(condition=1.5),
    )


def motion(run: xarray.Dataset) -> Motion:
    """(run, time)."""
    R = rotation_from_rpy(run.rpy.values)
    a, al = run.acceleration.values, run.angular_acceleration.values
    v, w = run.velocity.values, run.angular_velocity.values
    return Motion(run.position.values, R, v, w, a, al)


def test_turns_in_both_ways(run: xarray.Dataset) -> None:
    R = rotation_from_rpy(run.rpy.values)
    q = run.quaternion.values
    np.testing.assert_allclose(np.linalg.norm(q, axis=-1), 1.0, atol=1e-14)
    np.testing.assert_allclose(gough.Pose.from_quaternion(np.zeros(3), q).rotation, R, atol=1e-12)


def test_legs(run: xarray.Dataset) -> None:
    found = gough.inverse_kinematics(MACHINE, motion(run))
    np.testing.assert_allclose(run.length.values, found.length, atol=1e-12)
    np.testing.assert_allclose(run.rate.values, found.rate, atol=1e-11)
    low, high = np.array([leg.limits.stroke for leg in MACHINE.legs]).T
    margin = np.minimum(found.length - low, high - found.length)
    np.testing.assert_allclose(run.stroke_margin.values, margin, atol=1e-12)
    ratio = np.array([leg.drive.ratio for leg in MACHINE.legs if leg.drive is not None])
    np.testing.assert_allclose(run.motor_speed.values, found.rate * ratio, rtol=1e-9)
    np.testing.assert_allclose(run.motor_torque.values, run.motor_force.values / ratio, rtol=1e-12)
    condition = gough.inverse_dynamics(MACHINE, motion(run)).condition_scaled
    np.testing.assert_allclose(run.condition.values, condition, rtol=1e-9)


def test_accelerations_are_those_of_the_efforts(run: xarray.Dataset) -> None:
    """Forward dynamics of the recorded efforts and wrench; and the recorded wrench is the one that was given."""
    np.testing.assert_array_equal(run.external.values, np.broadcast_to(PUSH, (2, 4, 6)))
    found = gough.forward_dynamics(MACHINE, motion(run), run.force.values, external=PUSH)
    np.testing.assert_allclose(run.acceleration.values, found.acceleration, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(
        run.angular_acceleration.values, found.angular_acceleration, rtol=1e-8, atol=1e-9
    )
    wanted = run.command.values[:, :1] * (1.0 + 3.0 * run.time.values[:, None])
    np.testing.assert_allclose(run.command.values, wanted, rtol=1e-12)


def test_reactions_are_those_of_the_motion(run: xarray.Dataset) -> None:
    found = gough.inverse_dynamics(MACHINE, motion(run), external=PUSH)
    for name in ("spherical_force", "universal_force"):
        if name in run:
            wanted = getattr(found.reactions, name)
            np.testing.assert_allclose(run[name].values, wanted, rtol=1e-7, atol=1e-5)


def test_energies_power_and_work(run: xarray.Dataset) -> None:
    found = gough.energy(MACHINE, motion(run))
    np.testing.assert_allclose(run.kinetic.values, found.kinetic, rtol=1e-9)
    np.testing.assert_allclose(run.potential.values, found.potential, rtol=1e-9)
    power = run.motor_force.values * run.rate.values
    np.testing.assert_allclose(run.power.values, power, rtol=1e-9, atol=1e-9)
    work = np.zeros_like(power)
    for k in range(1, 4):
        work[:, k] = work[:, k - 1] + 0.01 * (power[:, k] + power[:, k - 1]) / 2
    np.testing.assert_allclose(run.work.values, work, rtol=1e-9, atol=1e-9)


def test_what_is_said_of_the_whole(run: xarray.Dataset) -> None:
    np.testing.assert_allclose(run.time.values, [0.0, 0.01, 0.02, 0.03])
    np.testing.assert_array_equal(run.leg.values, list(MACHINE.leg_names))
    np.testing.assert_array_equal(run.run.values, [0, 1])
    assert run.attrs["record_interval"] == pytest.approx(0.01)
    assert run.attrs["machine"] == MACHINE.name
    np.testing.assert_allclose(run.end_time.values, 0.03)
    told = json.loads(run.attrs["events"])
    passed = [e for e in told if e["name"] == "singularity"]
    beyond = (run.condition.values > 1.5).any(axis=1)
    assert {e["run"] for e in passed} == set(np.flatnonzero(beyond).tolist())
    assert told == sorted(told, key=lambda e: (e["time"], e["run"]))
    units = {"position": "m", "velocity": "m/s", "length": "m", "rate": "m/s", "force": "N"}
    units |= {"kinetic": "J", "power": "W", "motor_torque": "N m", "rpy": "rad"}
    assert {name: run[name].attrs["units"] for name in units} == units
