"""Machines on hydraulic cylinders: SciPy's own model of all six, one definition for kernel and NumPy, power loss."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import cumulative_simpson, solve_ivp

import gough
from gough.checks import Array
from gough.model.hydraulic import AMBIENT
from gough.simulation import Evenly, PowerLoss, varied
from gough.simulation.gym import PlatformVectorEnv
from support.cylinders import SMALL, hydraulic_base
from support.rides import TIGHT

STEP = 2e-4
BULK = 1.4e9
A1 = np.pi / 4 * SMALL["bore"] ** 2
A2 = A1 - np.pi / 4 * SMALL["rod"] ** 2


def hold(machine: gough.Platform) -> Array:
    return gough.inverse_dynamics(machine, machine.require_home()).force


def run(machine: gough.Platform, duration: float, force: Any, **more: Any) -> Any:
    given = {"step": STEP, "force": force, "reactions": False} | more
    return gough.simulate(machine, machine.require_home(), duration=duration, **given)


def shaken(machine: gough.Platform) -> Any:
    rest = hold(machine)
    return lambda t: rest + 1500.0 * np.sin(60.0 * t + np.arange(6))


def rates(machine: gough.Platform, x: Array, command: Array) -> Array:
    """Position, rotation, twist, spools, pressures: chambers with pressures as states, the force loop written out."""
    U, _, V = np.linalg.svd(x[3:12].reshape(3, 3))
    motion = gough.Motion(x[:3], U @ V, x[12:15], x[15:18])
    legs = gough.inverse_kinematics(machine, motion)
    l, v, spool, p1, p2 = legs.length, legs.rate, x[18:24], x[24:30], x[30:36]
    V1, V2 = SMALL["dead_cap"] + A1 * (l - 1.2), SMALL["dead_rod"] + A2 * (1.75 - l)
    F = A1 * (p1 - AMBIENT) - A2 * (p2 - AMBIENT)
    k, ps, pt = (
        SMALL["rated_flow"] * (3.5e6**2 + 1e12) ** 0.25 / 3.5e6,
        SMALL["supply_pressure"],
        AMBIENT,
    )

    def f(drop: Array) -> Array:
        return drop / (drop**2 + 1e12) ** 0.25

    ahead = spool > 0
    q1 = k * spool * np.where(ahead, f(ps - p1), f(p1 - pt))
    q2 = -k * spool * np.where(ahead, f(p2 - pt), f(ps - p2))
    leak = SMALL["leakage"] * (p1 - p2)
    q1, q2 = q1 - leak - SMALL["drain"] * (p1 - pt), q2 + leak - SMALL["drain"] * (p2 - pt)
    rise1 = (BULK - p1) / V1 * (q1 * (1 - p1 / BULK) - A1 * v)
    rise2 = (BULK - p2) / V2 * (q2 * (1 - p2 / BULK) + A2 * v)
    y1, y2 = V1 / A1 / (1 - p1 / BULK), V2 / A2 / (1 - p2 / BULK)
    wanted = 2 * np.pi * 15.0 * (command - F) + BULK * (A1 / y1 + A2 / y2) * v
    gain = np.where(
        wanted > 0, f(ps - p1) / y1 + f(p2 - pt) / y2, f(p1 - pt) / y1 + f(ps - p2) / y2
    )
    opened = np.clip(wanted / (BULK * k * gain), -1, 1)
    a = gough.forward_dynamics(machine, motion, F)
    turn = np.cross(x[15:18], x[3:12].reshape(3, 3).T).T.ravel()
    moved = [x[12:15], turn, a.acceleration, a.angular_acceleration]
    return np.concatenate([*moved, 2 * np.pi * 60.0 * (opened - spool), rise1, rise2])


def test_six_cylinders_of_a_whole_machine_by_scipy() -> None:
    """To 1e-8 of their ranges, kernel and NumPy alike."""
    machine = hydraulic_base()
    force, home = shaken(machine), machine.require_home()
    found = run(machine, 0.05, force, step=2.5e-5, output=0.05)
    first = [found[name].values[0] for name in ("valve", "cap_pressure", "rod_pressure")]
    start = np.concatenate([home.position, home.rotation.ravel(), np.zeros(6), *first])
    exact = solve_ivp(lambda t, x: rates(machine, x, force(t)), (0.0, 0.05), start, **TIGHT).y[
        :, -1
    ]
    assert np.abs(found.position.values[-1] - exact[:3]).max() < 1e-10
    assert np.abs(found.velocity.values[-1] - exact[12:15]).max() < 1e-8
    assert found.cap_pressure.values[-1] == pytest.approx(exact[24:30], rel=1e-8)
    assert found.rod_pressure.values[-1] == pytest.approx(exact[30:36], rel=1e-8)
    assert found.valve.values[-1] == pytest.approx(exact[18:24], abs=1e-8)
    assert np.abs(exact[24:30] - start[24:30]).max() > 1e5
    kernel, numpy = (run(machine, 0.02, given) for given in (force, lambda t, motion: force(t)))
    assert np.abs(kernel.position.values - numpy.position.values).max() < 1e-14
    assert kernel.cap_pressure.values == pytest.approx(numpy.cap_pressure.values, rel=1e-11)
    adaptive = run(machine, 0.02, force, integrator="DOP853", output=0.02, rtol=1e-10, atol=1e-12)
    assert np.abs(kernel.position.values[-1] - adaptive.position.values[-1]).max() < 1e-9


def test_energy_of_a_run_on_cylinders() -> None:
    """Power of supply and tank = change of all energies + heat that never falls, and pistons do what `work` says."""
    machine = hydraulic_base()
    found = run(machine, 0.1, shaken(machine), step=5e-5, output=5e-5)
    t = found.time.values
    given = cumulative_simpson(found.supply_power.values.sum(axis=-1), x=t, initial=0.0)
    energy = (found.kinetic + found.potential + found.stored).values
    heat = given - (energy - energy[0])
    assert np.diff(heat).min() > -1e-6 * heat[-1]
    assert heat[-1] > 10.0
    mechanical = (found.kinetic + found.potential).values
    pistons = cumulative_simpson(found.power.values.sum(axis=-1), x=t, initial=0.0)
    assert np.abs(mechanical - mechanical[0] - pistons).max() < 1e-6 * np.abs(pistons).max()
    assert "motor_torque" not in found
    assert found.attrs["laws"] == "drive, stops, hydraulic, force_loop"


def test_power_loss_holds_on_trapped_oil_and_creeps_by_what_leaks() -> None:
    tight, leaking = hydraulic_base(leakage=0.0, drain=0.0), hydraulic_base()
    drops = {}
    for name, machine in (("tight", tight), ("leaking", leaking)):
        found = run(machine, 4.0, hold(machine), faults=[PowerLoss(0.1)], step=5e-4, output=0.05)
        z = found.position.values[:, 2]
        drops[name] = z[0] - z
        assert np.abs(found.valve.values[-1]).max() < 1e-9
    assert np.abs(drops["tight"]).max() < 1e-4
    late = np.diff(drops["leaking"])[-20:] / 0.05
    assert (late > 1e-3).all()  # m/s
    assert np.ptp(late) < 0.1 * late.mean()
    with pytest.raises(gough.InputError, match="torque_constant"):
        run(tight, 0.1, hold(tight), faults=[PowerLoss(0.05, winding="shorted")])


def test_a_step_too_long_for_the_oil_is_refused() -> None:
    machine = hydraulic_base()
    with pytest.raises(gough.InputError, match=r"step.*oil.*stable for steps up to"):
        run(machine, 0.1, None, step=1e-3)
    with pytest.raises(gough.InputError, match=r"step.*oil"):
        PlatformVectorEnv(machine, 2, drives=True)
    soft = hydraulic_base(dead_cap=2e-3, dead_rod=2e-3)
    assert run(soft, 0.1, hold(soft), step=1e-3).attrs["status"] == "ok"


def test_runs_on_cylinders_side_by_side_and_resumed(tmp_path: Path) -> None:
    """The same bits alone, in a batch, and killed and resumed; another cylinder is another run."""
    machine = hydraulic_base(coulomb=80.0, static=120.0)
    home, force = machine.require_home(), shaken(machine)
    alone = run(machine, 0.05, force, output=0.01)
    both = gough.Pose(np.stack([home.position, home.position]), np.stack([home.rotation] * 2))
    pair = gough.simulate(machine, both, duration=0.05, step=STEP, force=force, output=0.01)
    for name in ("position", "cap_pressure", "valve"):
        assert np.array_equal(pair[name].values[1], alone[name].values)
    kept = {"checkpoint": tmp_path, "version": "shaken", "output": 0.01}
    run(machine, 0.05, force, **kept)
    again = run(machine, 0.05, force, resume=True, **kept)
    assert np.array_equal(again.cap_pressure.values, alone.cap_pressure.values)
    with pytest.raises(gough.InputError):
        run(hydraulic_base(coulomb=80.0, static=120.0, drain=0.0), 0.05, force, resume=True, **kept)


def test_cylinders_that_differ_from_run_to_run() -> None:
    """Drawn by name; in the environment each has its own."""
    machine = hydraulic_base()
    spread = {"legs.*.drive.hydraulic.leakage": Evenly(0.5, 4.0, relative=True)}
    machines = varied(machine, spread, 3, seed=4)
    leaks = [m.legs[0].drive.hydraulic.leakage for m in machines]
    assert len(set(leaks)) == 3
    env = PlatformVectorEnv(machines, drives=True, step=5e-4)
    env.reset(seed=1)
    for _ in range(3):
        seen, *_ = env.step(np.zeros((3, 6)))
    assert np.isfinite(seen).all()
    rows = env.rows.layout
    assert (env.X[rows.cap_oil] > 0.1).all()
    assert np.ptp(env.X[rows.cap_oil], axis=1).min() > 0.0


def test_a_controller_moves_a_base_on_cylinders() -> None:
    """Commands are forces: computed force follows a path as it does with motors, behind the lag of valve and loop."""
    machine = hydraulic_base()
    home = machine.require_home()
    goal = gough.trajectory.quintic(
        home, gough.Pose(home.position + 0.05 * np.eye(3)[2], home.rotation), duration=0.5
    )
    controller = gough.control.ComputedForce(machine, bandwidth=12.0)
    found = gough.simulate(
        machine, home, duration=0.8, step=5e-4, output=0.01, controller=controller, reference=goal
    )
    assert found.attrs["status"] == "ok"
    assert abs(found.position.values[-1, 2] - home.position[2] - 0.05) < 2e-3
    assert found.cap_pressure.values.max() < SMALL["supply_pressure"] * 1.01
