"""Drives: transmission, electrical side, friction that sticks, limits, brakes and the loss of power."""

from __future__ import annotations

import json

import numpy as np
import pytest

import gough
from gough.checks import Array
from gough.dynamics.laws.leg import act, rates
from gough.simulation import Brake, PowerLoss, leg_law


@pytest.fixture(scope="module")
def machine() -> gough.Platform:
    return gough.load("motion-base-1500")


def static(machine: gough.Platform) -> Array:
    return gough.inverse_dynamics(machine, machine.home).force


def test_motor_side_quantities() -> None:
    drive = gough.Drive.ball_screw(
        lead=0.01, rotor_inertia=1e-4, torque_constant=0.5, resistance=0.8, max_current=10.0
    )
    assert drive.ratio == pytest.approx(200 * np.pi)
    assert drive.motor_torque(1000.0) == pytest.approx(1000.0 * 0.01 / (2 * np.pi))
    assert drive.max_force == pytest.approx(0.5 * 10 * 200 * np.pi)
    force, rate = 800.0, 0.2
    mechanical = force * rate
    copper = 0.8 * drive.current(force) ** 2
    assert drive.electric_power(force, rate) == pytest.approx(mechanical + copper, rel=1e-12)
    with pytest.raises(gough.InputError, match="resistance"):
        gough.Drive(100.0, torque_constant=1.0).voltage(1.0, 1.0)
    assert gough.Drive(100.0).max_force == np.inf


def test_motor_side_quantities_hold_friction_and_gear_loss() -> None:
    """Both power directions; standing still no loss is counted."""
    drive = gough.Drive(
        -50.0, efficiency=0.8, coulomb=0.2, viscous=0.01, torque_constant=0.5, resistance=2.0
    )
    loss = drive.friction(0.1)
    assert loss == pytest.approx(50 * (0.2 + 0.01 * 5.0))
    assert drive.motor_force(100.0, 0.1) == pytest.approx(100 / 0.8 + loss)  # driving
    assert drive.motor_force(-100.0, 0.1) == pytest.approx(-75.0 + loss)  # driven: 2 - 1/0.8
    assert drive.motor_force(-100.0, -0.1) == pytest.approx(-100 / 0.8 - loss)
    rotor = drive.replace(rotor_inertia=4e-3)  # 10 kg: not in the load that the gear transmits
    assert rotor.motor_force(100.0, 0.1, 2.0) == pytest.approx(80 / 0.8 + 20 + loss)
    for force, rate in ((100.0, 0.1), (-100.0, 0.1), (30.0, -0.2)):
        torque = drive.motor_force(force, rate) / -50.0
        assert drive.motor_torque(force, rate) == pytest.approx(torque)
        current = torque / 0.5
        assert drive.current(force, rate) == pytest.approx(current)
        volts = 2.0 * current - 0.5 * 50.0 * rate
        assert drive.voltage(force, rate) == pytest.approx(volts)
        assert drive.electric_power(force, rate) == pytest.approx(volts * current)
    assert drive.motor_torque(100.0) == pytest.approx(-2.0)
    assert drive.current(100.0) == pytest.approx(-4.0)


def test_stribeck_curve() -> None:
    drive = gough.Drive(100.0, coulomb=1.0, static=1.5, stribeck_rate=2.0, viscous=0.01)
    assert drive.friction(1e-9) == pytest.approx(150.0, rel=1e-6)
    assert drive.friction(2.0 / 100.0) == pytest.approx(100 * (1.25 + 0.01 * 2.0))
    assert drive.friction(-10.0) == pytest.approx(-100 * (1.0 + 0.01 * 1000), rel=1e-3)


def test_a_stuck_leg_does_not_creep(machine: gough.Platform) -> None:
    """Two per cent less than the static force: gear and dry friction hold the machine where it is."""
    run = gough.simulate(
        machine, machine.home, duration=1.0, force=0.98 * static(machine), output=0.05
    )
    late = run.length.values[run.time.values > 0.5]
    assert np.abs(late - late[-1]).max() < 1e-7
    assert np.abs(run.length.values[-1] - run.length.values[0]).max() < 5e-5
    ideal = gough.simulate(
        machine, machine.home, duration=1.0, force=0.98 * static(machine), output=0.05, drives=False
    )
    assert np.abs(ideal.length.values[-1] - ideal.length.values[0]).max() > 1e-3


def test_efficiency_when_driving(machine: gough.Platform) -> None:
    """Sliding out steadily, the leg gets the efficiency's share of what friction leaves of the command."""
    leg = machine.legs[0]
    drive = leg.drive
    assert drive is not None
    law = leg_law.leg_laws(machine, None, True, 1)
    u, rate = 5000.0, 0.3
    expected = drive.efficiency * (u - drive.friction(rate))
    now = {"effort": u, "coordinate": 1.4, "rate": rate, "anchor": 0.0, "load": expected}
    six = {name: np.full((6, 1), value) for name, value in now.items()}
    acted = act(leg_law.in_use(law), law, six)
    assert acted.motor == pytest.approx(u)
    assert acted.effort[0, 0] == pytest.approx(expected, rel=1e-12)
    own = rates(leg_law.in_use(law), law, six, acted, np.zeros((6, 1)))
    assert np.abs(own["load"]).max() < 1e-6  # the load is the one transmitted


def test_current_and_voltage_limits(machine: gough.Platform) -> None:
    law = leg_law.leg_laws(machine, None, True, 1)
    drive = machine.legs[0].drive
    assert drive is not None
    assert drive.max_voltage is not None
    assert drive.resistance is not None
    top = min(drive.max_force, machine.legs[0].limits.force or np.inf)
    assert leg_law.motor_force(law, np.full((6, 1), 1e9), np.zeros((6, 1)))[0, 0] == pytest.approx(
        top
    )
    fast = 1.46  # m/s
    given = leg_law.motor_force(law, np.full((6, 1), 1e9), np.full((6, 1), fast))[0, 0]
    assert given < top
    left = drive.efficiency * (given - drive.friction(fast))  # behind the losses, at the actuator
    assert drive.voltage(left, fast) == pytest.approx(drive.max_voltage, rel=1e-12)


def test_saturation_is_an_event(machine: gough.Platform) -> None:
    run = gough.simulate(machine, machine.home, duration=0.01, force=np.full(6, 1e5))
    events = json.loads(run.attrs["events"])
    assert {e["name"] for e in events} == {"force"}
    assert {e["leg"] for e in events} == set(machine.leg_names)
    assert run.motor_force.values.max() <= machine.legs[0].limits.force


def test_compiled_law_equals_the_written_one(machine: gough.Platform) -> None:
    """One step of the kernel against the Python stages, with every term of the law at work."""
    state = gough.simulation.State(
        machine.home, velocity=[0.05, 0.02, -0.1], angular_velocity=[0.1, -0.05, 0.2]
    )
    springs = gough.simulation.Springs(1e4, 1.4, 100.0)
    force = 0.9 * static(machine)
    options = {"duration": 0.02, "springs": springs, "faults": [Brake(0.01, 2e3, legs=(1, 3))]}
    compiled = gough.simulate(machine, state, force=force, **options)
    written = gough.simulate(machine, state, force=lambda t, motion: force, **options)
    for name in ("position", "velocity", "length", "force"):
        assert np.abs(compiled[name].values - written[name].values).max() < 1e-9 * (
            1 + np.abs(compiled[name].values).max()
        ), name


def test_power_loss_drops_and_brakes_catch(machine: gough.Platform) -> None:
    """All motors dead at 0.1 s: the machine falls; brakes 60 ms later stop it and hold it."""
    hold = static(machine)
    fall = gough.simulate(
        machine,
        machine.home,
        duration=0.4,
        force=hold,
        step=2e-4,
        output=2e-3,
        faults=[PowerLoss(0.1)],
    )
    caught = gough.simulate(
        machine,
        machine.home,
        duration=1.0,
        force=hold,
        step=2e-4,
        output=2e-3,
        faults=[PowerLoss(0.1), Brake(0.16, 12e3)],
    )
    assert np.abs(fall.motor_force.values[fall.time.values > 0.1]).max() == 0.0
    z = fall.position.values[:, 2]
    assert z[0] - z[-1] > 0.02
    assert caught.attrs["status"] == "ok"
    end = caught.length.values[caught.time.values > 0.9]
    assert np.abs(end - end[-1]).max() < 1e-6
    assert np.abs(caught.velocity.values[-1]).max() < 1e-5
    before = caught.time.values < 0.16
    assert np.allclose(
        caught.position.values[before], fall.position.values[: before.sum()], rtol=0, atol=1e-12
    )


def test_a_dead_leg_alone(machine: gough.Platform) -> None:
    run = gough.simulate(
        machine,
        machine.home,
        duration=0.2,
        force=static(machine),
        faults=[PowerLoss(0.1, legs=(2,))],
    )
    late = run.time.values > 0.1
    assert np.abs(run.motor_force.values[late, 2]).max() == 0.0
    assert np.abs(run.motor_force.values[late][:, [0, 1, 3, 4, 5]]).min() > 100.0


@pytest.mark.parametrize(
    "make",
    [
        lambda: Brake(-1.0, 1.0),
        lambda: Brake(0.0, 0.0),
        lambda: PowerLoss(0.0, (7,)),
        lambda: PowerLoss(0.0, "all"),
        lambda: Brake(0.0, 1.0, ()),
    ],
)
def test_bad_faults_are_refused(make) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(gough.InputError):
        make()
