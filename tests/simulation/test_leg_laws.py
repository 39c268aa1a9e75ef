"""Whole machines under the laws of their legs: power loss, stops, elastic drives, against models of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import cumulative_simpson, solve_ivp

import gough
from gough.checks import Array
from gough.dynamics.laws import gear
from gough.dynamics.laws import machine as law_rows
from gough.dynamics.laws.stiffness import largest_step, leg_masses
from gough.layout import LEG_LAW
from gough.simulation import Events, PowerLoss, State

TIGHT = {"method": "DOP853", "rtol": 1e-11, "atol": 1e-13}
CLEAN = {"coulomb": 0.0, "static": 0.0, "viscous": 0.0}


def base(**changes: object) -> gough.Platform:
    """The motion base with other drives, without friction in its joints."""
    machine = gough.load("motion-base-1500")
    legs = [
        leg.replace(drive=leg.drive.replace(**changes), friction=gough.Friction())
        for leg in machine.legs
    ]
    return machine.replace(legs=legs)


def fall(machine: gough.Platform, duration: float, **options: object) -> object:
    """Without power from the start, held until then."""
    hold = gough.inverse_dynamics(machine, machine.home).force
    given = {"step": 2e-4, "output": 2e-3, "faults": [PowerLoss(0.0)], "reactions": False}
    return gough.simulate(machine, machine.home, duration=duration, force=hold, **given | options)


def drop(run: object) -> float:
    z = run.position.values[:, 2]  # type: ignore[attr-defined]
    return float(z[0] - z[-1])


def test_power_loss_against_efficiency() -> None:
    """No friction but the gear's: from one half on it falls, the faster the better the gear; below it holds."""
    found = {eta: fall(base(efficiency=eta, **CLEAN), 0.4) for eta in (0.9, 0.7, 0.5, 0.49, 0.3)}
    falls = [drop(found[eta]) for eta in (0.9, 0.7, 0.5)]
    assert falls[0] > 0.3
    assert falls[0] > falls[1] > 0.2
    assert falls[1] > falls[2] > 2e-3  # one half: what it gained while the load came up, no more
    speed = np.abs(found[0.5].rate.values).max(axis=1)
    assert speed[-1] == pytest.approx(speed[len(speed) // 2], rel=0.05)
    for eta in (0.49, 0.3):
        assert drop(found[eta]) < 3e-4
        assert np.abs(found[eta].rate.values[-1]).max() < 1e-9
    given = fall(base(efficiency=0.9, back_efficiency=-0.1, **CLEAN), 0.4)
    assert drop(given) < 3e-4  # the way back is its own number


def test_a_loss_from_the_motors_force_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: the load on the gear is what the motor gives; at power loss nothing holds."""
    monkeypatch.setattr(gear, "LOAD_TIME", 1e9)  # never follows
    monkeypatch.setattr(
        "gough.simulation.state.static_load", lambda p, m, s: np.zeros((*m.shape, 6))
    )
    assert drop(fall(base(efficiency=0.3, **CLEAN), 0.4)) > 0.2


def moved(machine: gough.Platform, x: Array, force: Array) -> Array:
    """Rates of position, rotation by rows and twist of a machine under efforts, for SciPy."""
    R = np.asarray(x[3:12]).reshape(3, 3)
    U, _, V = np.linalg.svd(R)
    motion = gough.Motion(x[:3], U @ V, x[12:15], x[15:18])
    a = gough.forward_dynamics(machine, motion, force)
    w = x[15:18]
    turn = np.cross(w, R.T).T.ravel()
    return np.concatenate([x[12:15], turn, w * 0 + a.acceleration, a.angular_acceleration])


def start_of(machine: gough.Platform, twist: Array | None = None) -> Array:
    home = machine.require_home()
    return np.concatenate(
        [home.position, home.rotation.ravel(), np.zeros(6) if twist is None else twist]
    )


@pytest.mark.parametrize("efficiency", [0.9, 0.7])
def test_a_fall_with_gears_is_that_of_heavier_rotors(
    efficiency: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Driven gears make rotors count as ``I_r/eta_b``: a machine of its own, by SciPy; what is left is the lag of the
    load, and goes with it."""
    machine = base(efficiency=efficiency, presliding=5e-7, **CLEAN)
    inertia = machine.legs[0].drive.rotor_inertia / (2 - 1 / efficiency)
    heavier = base(rotor_inertia=inertia)
    exact = solve_ivp(
        lambda t, x: moved(heavier, x, np.zeros(6)), (0.0, 0.2), start_of(heavier), **TIGHT
    ).y[:3, -1]
    errors = []
    for time in (1e-3, 2.5e-4):
        monkeypatch.setattr(gear, "LOAD_TIME", time)
        run = fall(machine, 0.2, step=5e-5, output=0.2)
        errors.append(np.abs(run.position.values[-1] - exact).max())
    fallen = float(machine.require_home().position[2] - exact[2])
    assert fallen > 0.05
    assert errors[0] < 0.02 * fallen
    assert errors[1] < 0.4 * errors[0]


def test_a_fall_ends_at_the_stops_with_its_energy_accounted_for() -> None:
    """Through the first impacts efforts' work is the mechanical energy's change to 1e-6 (steps as small as the sum of
    the records needs where a stop begins to push), and what the laws took is stored or heat, never given back."""
    machine = base()
    run = fall(machine, 1.6)
    assert run.attrs["status"].startswith(
        "limits passed: "
    )  # it fell faster than its drives may turn
    assert run.attrs["end_time"] == 1.6
    assert run.attrs["laws"] == "drive, gear, stops"
    assert run.attrs["stops"] == "stiff by default (250 rad/s)"
    length, low = run.length.values, machine.legs[0].limits.stroke[0]
    assert length[-1] == pytest.approx(low, abs=1e-3)
    assert (length > low - 0.02).all()
    assert (run.stop_force.values >= 0.0).all()
    assert (run.stop_force.values[-1] > 1e3).sum() >= 4  # friction in the drives bears the rest
    assert np.abs(run.velocity.values[-1]).max() < 1e-6
    run = fall(machine, 0.56, step=4e-6, output=4e-6)
    assert (np.diff((run.stop_force.values > 0.0).any(axis=1).astype(int)) == -1).any()  # rebounds
    t = run.time.values
    mechanical = run.kinetic.values + run.potential.values
    effort = (run.force.values * run.rate.values).sum(axis=-1)
    work = cumulative_simpson(effort, x=t, initial=0.0)
    fallen = run.potential.values[0] - run.potential.values[-1]
    assert np.abs(mechanical - mechanical[0] - work).max() < 1e-6 * fallen
    into = cumulative_simpson(run.power.values.sum(axis=-1) - effort, x=t, initial=0.0)
    heat = into - (run.stored.values - run.stored.values[0])
    assert np.diff(heat).min() > -1e-7 * fallen
    assert heat[-1] > 0.9 * fallen


def test_thirty_seconds_of_rest_on_a_stop() -> None:
    """No creep, no gain, at the default step."""
    machine = gough.load("motion-base-1500")
    run = fall(machine, 32.0, step=1e-3, output=0.05)
    rest = run.time.values >= 2.0
    length, energy = (
        run.length.values[rest],
        (run.kinetic + run.potential + run.stored).values[rest],
    )
    assert np.abs(length - length[0]).max() < 1e-9
    assert run.kinetic.values[rest].max() < 1e-12
    assert np.diff(energy).max() < 1e-9
    assert (run.stop_force.values[rest] > 1e3).all()
    assert run.attrs["status"].startswith("limits passed: ")


def test_without_stops_it_falls_through_and_says_so() -> None:
    legs = [
        leg.replace(limits=leg.limits.replace(stop_stiffness=0.0)) for leg in base(**CLEAN).legs
    ]
    run = fall(base().replace(legs=legs), 0.8)
    assert run.length.values.min() < 1.1
    assert "stop_force" not in run
    assert run.attrs["laws"] == "drive, gear"
    assert "stops" not in run.attrs
    held = fall(base(**CLEAN), 0.8, events=Events(stroke="stop"))
    assert "stroke" in held.attrs["status"]


def test_stops_of_a_whole_machine_by_scipy() -> None:
    """The formula written out once more, gough's forward dynamics under SciPy."""
    machine = base(efficiency=1.0, **CLEAN)
    k, beta, gap = 2e6, 1.5, 5e-3
    limits = [
        leg.limits.replace(stop_stiffness=k, stop_loss=beta, stop_gap=gap, stroke=(1.47, 1.7))
        for leg in machine.legs
    ]
    legs = [leg.replace(limits=l) for leg, l in zip(machine.legs, limits, strict=True)]
    machine = machine.replace(legs=legs)

    def rhs(t: float, x: Array) -> Array:
        U, _, V = np.linalg.svd(x[3:12].reshape(3, 3))
        motion = gough.Motion(x[:3], U @ V, x[12:15], x[15:18])
        legs = gough.inverse_kinematics(machine, motion)
        depth = np.maximum(1.47 - gap - legs.length, 0.0)
        push = np.maximum(k * depth * (1.0 - beta * legs.rate), 0.0)
        return moved(machine, x, push)

    exact = solve_ivp(rhs, (0.0, 0.2), start_of(machine), max_step=2e-3, **TIGHT).y[:, -1]
    run = fall(machine, 0.2, step=2e-5, output=0.2)
    assert np.abs(run.position.values[-1] - exact[:3]).max() < 1e-7
    assert np.abs(run.velocity.values[-1] - exact[12:15]).max() < 1e-5
    free = gough.simulate(machine, machine.home, duration=0.2, step=1e-3, drives=False)
    assert np.abs(free.position.values[-1] - exact[:3]).max() > 1e-2


def elastic(k: float = 4e6, c: float = 3e3, **more: object) -> gough.Platform:
    return base(efficiency=1.0, stiffness=k, damping=c, **{**CLEAN, "backlash": 0.0, **more})


def test_elastic_drives_of_a_whole_machine_by_scipy() -> None:
    """Twelve degrees of freedom: the rotors' equations written out beside a machine without rotors."""
    k, c = 4e6, 3e3
    machine = elastic(k, c)
    bare = base(rotor_inertia=0.0)
    hold = gough.inverse_dynamics(machine, machine.home).force
    force = hold + np.array([300.0, -200.0, 100.0, 0.0, -100.0, 200.0])
    m_r = machine.legs[0].drive.reflected_inertia

    def rhs(t: float, x: Array) -> Array:
        U, _, V = np.linalg.svd(x[3:12].reshape(3, 3))
        motion = gough.Motion(x[:3], U @ V, x[12:15], x[15:18])
        legs = gough.inverse_kinematics(bare, motion)
        y = k * (x[18:24] - legs.length) + c * (x[24:30] - legs.rate)
        return np.concatenate([moved(bare, x[:18], y), x[24:30], (force - y) / m_r])

    length = gough.inverse_kinematics(bare, machine.home).length
    start = np.concatenate([start_of(machine), length + hold / k, np.zeros(6)])
    exact = solve_ivp(rhs, (0.0, 0.1), start, **TIGHT).y[:, -1]
    options = {"duration": 0.1, "force": force, "reactions": False, "output": 0.1}
    run = gough.simulate(machine, machine.home, step=1e-4, **options)
    assert np.abs(run.position.values[-1] - exact[:3]).max() < 1e-9
    assert np.abs(run.velocity.values[-1] - exact[12:15]).max() < 1e-6
    assert np.abs(run.drive_coordinate.values[-1] - exact[18:24]).max() < 1e-9
    ratio = machine.legs[0].drive.ratio
    assert np.abs(run.motor_speed.values[-1] - ratio * exact[24:30]).max() < 1e-3
    assert run.power.values[-1] == pytest.approx(force * exact[24:30], rel=1e-4)
    adaptive = gough.simulate(machine, machine.home, integrator="DOP853", step=0.01, **options)
    assert np.abs(adaptive.position.values[-1] - exact[:3]).max() < 1e-9
    rigid = gough.simulate(base(efficiency=1.0, **CLEAN), machine.home, step=1e-4, **options)
    assert np.abs(rigid.position.values[-1] - exact[:3]).max() > 1e-6


def test_stiffer_drives_come_to_the_rigid_machine() -> None:
    state = State(gough.load("motion-base-1500").home, velocity=[0.1, 0.05, 0.1])
    options = {"duration": 0.1, "step": 2e-5, "output": 0.1, "reactions": False}
    hold = gough.inverse_dynamics(base(), base().home).force
    rigid = gough.simulate(base(efficiency=1.0, **CLEAN), state, force=hold, **options)
    errors = [
        np.abs(
            gough.simulate(elastic(k, 1e-3 * k), state, force=hold, **options).position.values[-1]
            - rigid.position.values[-1]
        ).max()
        for k in (1e7, 4e7)
    ]
    assert errors[0] < 1e-3
    assert errors[1] < 0.4 * errors[0]


def test_energy_of_a_machine_with_elastic_drives() -> None:
    """Rotors at their own coordinates count; without damping nothing is lost."""
    machine = elastic(c=0.0)
    state = State(machine.home, velocity=[0.0, 0.0, 0.2])
    hold = np.zeros(6)
    run = gough.simulate(
        machine, state, duration=0.1, step=2e-5, output=2e-5, force=hold, reactions=False
    )
    total = (run.kinetic + run.potential + run.stored).values
    assert np.abs(total - total[0]).max() < 1e-8 * np.ptp(run.potential.values)


def test_shorted_windings_brake_a_fall() -> None:
    machine = base(efficiency=1.0, **CLEAN)
    free, braked = (
        fall(machine, 0.3, faults=[PowerLoss(0.0, winding=w)]) for w in ("open", "shorted")
    )
    assert drop(braked) < 0.05 * drop(free)
    drive = machine.legs[0].drive
    slope = (drive.ratio * drive.torque_constant) ** 2 / drive.resistance
    load = gough.inverse_dynamics(machine, machine.home).force
    steady = braked.rate.values[len(braked.time) // 4]
    assert steady == pytest.approx(-load / slope, rel=0.05)  # back-EMF carries the weight
    assert braked.motor_force.values[10:] == pytest.approx(-slope * braked.rate.values[10:])
    poor = base(resistance=None, max_voltage=None)
    with pytest.raises(gough.InputError, match=r"winding.*torque_constant and resistance"):
        fall(poor, 0.1, faults=[PowerLoss(0.0, winding="shorted")])
    with pytest.raises(gough.InputError, match=r"winding.*open, shorted"):
        PowerLoss(0.0, winding="loose")


def test_a_machine_file_holds_every_parameter_of_the_laws() -> None:
    drive = {"back_efficiency": 0.7, "current_bandwidth": 900.0, "inductance": 2e-3}
    drive |= {"presliding": 3e-5, "stiffness": 5e7, "damping": 100.0}
    stop = {"stop_stiffness": 1e6, "stop_loss": 2.0, "stop_gap": 1e-3}
    machine = base(**drive)
    legs = [leg.replace(limits=leg.limits.replace(**stop)) for leg in machine.legs]
    machine = machine.replace(legs=legs)
    text = gough.model.files.dumps(machine)
    assert all(f"{name} = " in text for name in (*drive, *stop))
    assert gough.model.files.loads(text) == machine
    units = text.replace("stop_gap = 0.001", 'stop_gap = "1 mm"')
    units = units.replace("inductance = 0.002", 'inductance = "2 mH"')
    units = units.replace("stop_stiffness = 1000000.0", 'stop_stiffness = "1 kN/mm"')
    units = units.replace("stop_loss = 2.0", 'stop_loss = "2 ms/mm"')
    with pytest.raises(gough.InputError, match="kN/mm"):
        gough.model.files.loads(units)
    assert gough.model.files.loads(units.replace("1 kN/mm", "1 N/um")) == machine
    law = law_rows.drive_laws(machine)
    assert law[LEG_LAW.stop_low] == pytest.approx(1.2 - 1e-3)
    assert law[LEG_LAW.play] == pytest.approx(1e-5)


@pytest.mark.parametrize("name", ["hexaglide", "positioner-300", "servo-hexapod", "octahedral-33"])
def test_every_machine_without_power_comes_to_rest_within_its_stops(name: str) -> None:
    """At the default step, whatever its legs: no energy gained, no creep."""
    machine = gough.load(name)
    run = fall(machine, 3.0, step=1e-3, output=0.01)
    stroke = np.array([leg.limits.stroke for leg in machine.legs]).T
    span = stroke[1] - stroke[0]
    length = run.length.values
    assert (length > stroke[0] - 0.05 * span).all()
    assert (length < stroke[1] + 0.05 * span).all()
    assert np.diff((run.kinetic + run.potential + run.stored).values).max() < 1e-9
    assert np.abs(length[-50:] - length[-1]).max() < 1e-9


@pytest.mark.parametrize("name", ["octahedral-33", "hexaglide"])
def test_the_largest_step_is_stable_and_not_idle(name: str) -> None:
    """Nine tenths of it: no energy gained on the way to rest; two and a half times: the run diverges."""
    machine = gough.load(name)
    bound = largest_step(law_rows.drive_laws(machine), leg_masses(machine))

    def run(share: float) -> Any:
        steps = int(np.ceil(2.0 / (share * bound)))
        return fall(machine, 2.0, step=2.0 / steps, output=2.0 / steps)

    calm = run(0.9)
    assert calm.attrs["status"].startswith("limits passed: ")
    assert np.diff((calm.kinetic + calm.potential + calm.stored).values).max() < 1e-9
    with pytest.raises(gough.InputError, match="step"):
        run(2.5)
