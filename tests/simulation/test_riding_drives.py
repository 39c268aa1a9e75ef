"""Runs of elastic drives whose rotors and screws ride on their legs: twelve degrees of freedom that couple."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import cumulative_simpson

import gough
from gough.checks import Array
from gough.dynamics.laws.machine import drive_laws
from gough.dynamics.laws.stiffness import REACH, elastic_masses, largest_step, leg_masses
from gough.engines import pack
from gough.layout import ELASTIC, LEG_LAW, LEG_RECORD
from gough.simulation.leg_law import in_use
from gough.simulation.programs import METHODS, moving_layout, named, stage_layout, steps_programs
from gough.spatial import rotation_from_rpy
from oracles.machines import Case, case
from oracles.source import motion_numbers, run, spin_numbers

STIFF = 2e7
LAWS = ("drive", "series", "riding")


def soft(machine: gough.Platform, k: float | None = STIFF, c: float = 0.0) -> gough.Platform:
    """The machine on drives without losses, ends or limits, elastic unless k is None."""
    clean = {"viscous": 0.0, "coulomb": 0.0, "max_current": None, "max_voltage": None}
    legs = []
    for leg in machine.legs:
        assert leg.drive is not None
        drive = leg.drive.replace(**clean, efficiency=1.0, stiffness=k, damping=c)
        limits = leg.limits.replace(force=None, stroke=None)
        legs.append(leg.replace(drive=drive, limits=limits, friction=gough.Friction()))
    return machine.replace(legs=legs)


@pytest.fixture(scope="module")
def screws() -> gough.Platform:
    return gough.load("screw-hexapod")


def ride(machine: gough.Platform, **options: Any) -> Any:
    """20 ms of a machine that is thrown and pushed a little too hard."""
    home = machine.require_home()
    force = 1.02 * gough.inverse_dynamics(machine, home, engine="python").force
    start = gough.Motion(home.position, home.rotation, [0.05, 0.02, 0.0], [0.2, -0.1, 0.3])
    given = {"duration": 0.02, "step": 2e-5, "output": 2e-3, "force": force} | options
    return gough.simulate(machine, start, **given), force


def test_energy_reactions_and_both_kinds_of_integrators(screws: gough.Platform) -> None:
    """Work of the motors along their own coordinates is what kinetic, potential and stored energy gain."""
    machine = soft(screws)
    runs = [ride(machine), ride(machine, integrator="DOP853", step=2e-3)]
    for found, force in runs:
        assert found.attrs["status"] == "ok"
        assert found.attrs["laws"] == "drive, series, riding"
        total = (found.kinetic + found.potential + found.stored).values
        travel = found.drive_coordinate.values - found.drive_coordinate.values[0]
        work = travel @ force
        assert np.abs(total - total[0] - work).max() < 1e-9 * np.abs(work).max()
        assert np.ptp(found.stored.values) > 1e-9 * np.ptp(work)
    fixed, adaptive = (found for found, _ in runs)
    for name in ("position", "velocity", "drive_coordinate"):
        a, b = fixed[name].values, adaptive[name].values
        assert np.abs(a - b).max() < 1e-9 * max(np.abs(a).max(), 1e-2), name
    wanted = reactions(machine, *runs[0])
    for name, value in wanted.items():
        assert np.abs(fixed[name].values[1:] - value[1:]).max() < 1e-7 * np.abs(value).max(), name


def test_implicit_integrators_end_where_the_explicit_one_does(screws: gough.Platform) -> None:
    """Radau and BDF on screws behind springs, 10 ms; planted: drives of a quarter of the stiffness end elsewhere."""
    machine, softer = soft(screws, STIFF, 4e3), soft(screws, 0.25 * STIFF, 4e3)
    given = {"duration": 0.01, "step": 1e-3, "output": 1e-3}
    wanted, _ = ride(machine, integrator="DOP853", **given)
    other, _ = ride(softer, integrator="DOP853", **given)
    bounds = {"position": 1e-9, "drive_coordinate": 1e-9, "velocity": 1e-6}
    for method in ("Radau", "BDF"):
        found, _ = ride(machine, integrator=method, **given)
        assert found.attrs["status"] == "ok"
        assert found.attrs["laws"] == "drive, series, riding"
        for name, bound in bounds.items():
            assert np.abs(found[name] - wanted[name]).max() < bound, (method, name)
    for name in ("position", "drive_coordinate"):
        assert np.abs(other[name] - wanted[name]).max() > 3 * bounds[name], name


def test_what_is_missing_is_lost_in_the_springs(screws: gough.Platform) -> None:
    """``int c (lamd - qd)^2`` by Simpson's rule over the records."""
    c = 4e3
    machine = soft(screws, STIFF, c)
    found, force = ride(machine, output=2e-5)
    total = (found.kinetic + found.potential + found.stored).values
    ratio = np.array([leg.drive.ratio for leg in machine.legs])  # type: ignore[union-attr]
    slip = found.motor_speed.values / ratio - found.rate.values
    lost = cumulative_simpson(c * (slip**2).sum(axis=-1), x=found.time.values, initial=0.0)
    work = (found.drive_coordinate.values - found.drive_coordinate.values[0]) @ force
    assert lost[-1] > 1e-6 * np.abs(work).max()
    assert np.abs(total - total[0] - work + lost).max() < 1e-4 * lost[-1]


def reactions(machine: gough.Platform, found: Any, force: Array) -> dict[str, Array]:
    """Of the records, by the equations themselves."""
    n = len(found.time)
    rest = np.zeros((n, 6))
    motion = gough.Motion(
        found.position.values,
        rotation_from_rpy(found.rpy.values),
        found.velocity.values,
        found.angular_velocity.values,
        found.acceleration.values,
        found.angular_acceleration.values,
    )
    at = Case(machine, motion, rest, rest, rest)
    ratio = np.array([leg.drive.ratio for leg in machine.legs])  # type: ignore[union-attr]
    rate = found.motor_speed.values / ratio
    effort = STIFF * (found.drive_coordinate.values - found.length.values)
    kinds, par = pack.kinds_of(machine), pack.pack(machine)
    state = [motion_numbers(at)[:, :18], effort, rest, rate, force - effort]
    own = run("elastic", kinds, np.hstack(state), spin_numbers(at), par)
    acceleration = own[:, ELASTIC.drive_acceleration]
    x = [motion_numbers(at), rest, rate, acceleration]
    out = run("elastic_record", kinds, np.hstack(x), spin_numbers(at), par)
    out = out.reshape(n, 6, LEG_RECORD.size)
    names = ("universal_moment", "platform_moment", "spherical_force", "prismatic_moment")
    return {name: out[:, :, getattr(LEG_RECORD, name)] for name in names}


def test_stiffer_drives_come_to_the_rigid_machine_as_one_over_k(screws: gough.Platform) -> None:
    options = {"output": 0.02, "step": 2e-6}
    rigid, _ = ride(soft(screws, None), **options)
    errors = [
        np.abs(ride(soft(screws, k), **options)[0].position.values[-1] - rigid.position.values[-1])
        for k in (4e7, 1.6e8)
    ]
    assert errors[0].max() < 1e-5
    assert 3.0 < errors[0].max() / errors[1].max() < 5.5


@pytest.mark.parametrize("kind", ["UPS-rotor", "SPS-rotor", "SPS-axial-rotor", "UCU-upper"])
def test_a_stage_of_a_run_is_the_twelve_equations(kind: str) -> None:
    """The traced program of a stage, not compiled, against the equations: accelerations of platform, spins, motors."""
    c = case(kind, seed=81, states=2)
    machine = soft(c.platform, 3e6, 200.0)
    law = drive_laws(machine)
    assert in_use(law[:, :, None]) == LAWS
    rng, kinds, par = np.random.default_rng(2), pack.kinds_of(machine, True), pack.pack(machine)
    spin, motion = spin_numbers(c), motion_numbers(c)
    length, rate = (run("kinematics", kinds, motion, spin, par)[:, at::12] for at in (0, 1))
    stretch, turning = rng.uniform(-1e-4, 1e-4, (2, 6)), rate + rng.uniform(-1, 1, (2, 6))
    effort = rng.uniform(-900, 900, (2, 6))
    y = 3e6 * stretch + 200.0 * (turning - rate)
    x = [motion[:, :18], y, c.external, turning, effort - y]
    wanted = run("elastic", kinds, np.hstack(x), spin, par)
    given = {
        **named(METHODS["rk4"].chart, list(motion[:, :12].T)),
        "velocity": motion[:, 12:15].T,
        "angular_velocity": motion[:, 15:18].T,
        "spin_cosine": np.cos(c.spin_angle).T,
        "spin_sine": np.sin(c.spin_angle).T,
        "spin_rate": c.spin_rate.T,
        "spin_angle": c.spin_angle.T,
        "drive_coordinate": (length + stretch).T,
        "drive_rate": turning.T,
        "effort": effort.T,
        "external": c.external.T,
        "anchor": (length + stretch).T,
        "step": [np.full(2, 1e-4)],
    }
    layout = stage_layout(METHODS["rk4"], kinds, LAWS)
    rows = [row for name in layout.names for row in given[name]]
    program = steps_programs("rk4", kinds, LAWS)[0].program
    found = program.run(rows, [*par, *law.reshape(-1)])
    moving = moving_layout(METHODS["rk4"], kinds, LAWS)
    out = {
        k: np.array([np.broadcast_to(r, 2) for r in v]).T for k, v in named(moving, found).items()
    }
    parts = {
        "velocity": wanted[:, ELASTIC.acceleration],
        "angular_velocity": wanted[:, ELASTIC.angular_acceleration],
        "drive_coordinate": turning,
        "drive_rate": wanted[:, ELASTIC.drive_acceleration],
    }
    if "SPS" in kind:
        parts["spin_rate"] = wanted[:, ELASTIC.spin_acceleration]
    for name, value in parts.items():
        assert np.abs(out[name] - value).max() < 1e-9 * np.abs(value).max(), name


def fastest(machine: gough.Platform, k: float) -> float:
    """Of the twelve undamped modes at home, rad/s."""
    found = gough.analysis.modes(machine, machine.require_home(), stiffness=k, motors="free")
    return float(2 * np.pi * found.frequency.max())


def weighed(machine: gough.Platform, weight: float) -> gough.Platform:
    """With rotors of so many times their inertia."""
    legs = []
    for leg in machine.legs:
        assert leg.drive is not None
        drive = leg.drive.replace(rotor_inertia=weight * leg.drive.rotor_inertia)
        legs.append(leg.replace(drive=drive))
    return machine.replace(legs=legs)


@pytest.mark.parametrize("kind", ["UPS", "UPS-rotor", "UCU-screw", "UCU-upper", "PUS"])
def test_steps_that_are_said_to_be_stable_are(kind: str) -> None:
    """No mode of the machine at home is faster than the bound of the step says."""
    for seed in range(3):
        for weight in (0.01, 1.0):
            machine = weighed(soft(case(kind, seed=90 + seed, states=1).platform, 3e6), weight)
            step = largest_step(drive_laws(machine), elastic_masses(machine))
            assert fastest(machine, 3e6) * step <= REACH * (1 + 1e-9)
            assert fastest(machine, 3e6) * step > 0.1 * REACH  # a bound, not a wide net


def test_heavy_rotors_do_not_lengthen_the_step() -> None:
    """Planted: masses with the rotors in them, as of rigid drives, say of a step that it is stable which is not."""
    k = 1e10
    machine = weighed(soft(gough.load("motion-base-1500"), k), 100.0)
    law, top = drive_laws(machine), fastest(machine, k)
    assert top * largest_step(law, leg_masses(machine)) > 2.0 * REACH
    assert top * largest_step(law, elastic_masses(machine)) <= REACH


def test_screws_turn_with_their_motors(screws: gough.Platform) -> None:
    """Their inertia is on the motor's side of the spring; rotors without a riding part stay where they were."""
    law = drive_laws(soft(screws))
    leg = screws.legs[0]
    m_r, gyro = pack.rotors(leg)
    assert law[LEG_LAW.reflected] == pytest.approx(np.full(6, m_r))
    assert m_r > leg.drive.reflected_inertia  # type: ignore[union-attr]
    assert gyro[0] != 0.0
    assert law[LEG_LAW.riding].all()
    assert not drive_laws(soft(gough.load("motion-base-1500")))[LEG_LAW.riding].any()


def test_a_moving_base_is_refused(screws: gough.Platform) -> None:
    still = gough.Motion.at_rest(gough.Pose(np.zeros(3)))
    for machine in (soft(screws), soft(gough.load("motion-base-1500"))):
        with pytest.raises(gough.InputError, match=r"base.*elastic drives"):
            gough.simulate(machine, machine.home, duration=1e-3, step=1e-5, base=still)
