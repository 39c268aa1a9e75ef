"""Runs of the compiled integrators: against Pinocchio, the DAE, the energy balance, and their own order."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import gough
from gough.checks import Array
from gough.simulation import Springs, State
from gough.spatial import rotation_exp
from support.recorded import rows

INTEGRATORS = {"rk4": 4, "lie": 4, "semi-implicit": 1}


def test_a_run_says_what_it_holds(machine: gough.Platform, lift: Array) -> None:
    run = gough.simulate(machine, machine.home, duration=0.02, force=lift, step=1e-3, output=2e-3)
    assert run.attrs["status"] == "ok"
    assert run.sizes["time"] == 11
    assert list(run.leg.values) == list(machine.leg_names)
    for name, variable in run.data_vars.items():
        assert variable.attrs["units"], name
        assert np.isfinite(variable.values).all(), name


def test_recorded_forces_and_reactions_belong_to_the_recorded_accelerations(
    machine: gough.Platform,
) -> None:
    """Inverse dynamics of the recorded motion must give the applied forces back."""
    force = (
        np.array([0.0, 0.05]),
        np.array([[300.0, -700, 900, -300, 0, 200], [350, -800, 1000, -350, 10, 250]]),
    )
    wrench = np.array([20.0, -10, 30, 1, 2, -3])
    run = gough.simulate(machine, machine.home, duration=0.05, force=force, external=wrench)
    motion = gough.Motion(
        run.position.values,
        gough.Pose.from_quaternion(run.position.values, run.quaternion.values).rotation,
        run.velocity.values,
        run.angular_velocity.values,
        run.acceleration.values,
        run.angular_acceleration.values,
    )
    answer = gough.inverse_dynamics(machine, motion, wrench)
    assert np.abs(answer.force - run.force.values).max() < 1e-8
    assert np.abs(answer.reactions.spherical_force - run.spherical_force.values).max() < 1e-8


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_measured_order_of_convergence(
    machine: gough.Platform, lift: Array, integrator: str
) -> None:
    """Against a reference of 1e-4 s steps, the error falls like step^order; forces vary in time."""

    def force(t: float) -> Array:
        return lift * (1.0 + 0.05 * np.sin(8.0 * t))

    def end(step: float, method: str = integrator) -> Array:
        run = gough.simulate(
            machine,
            machine.home,
            duration=0.2,
            force=force,
            step=step,
            output=0.2,
            integrator=method,
        )
        return rows(run)[-1]

    exact = end(1e-4, "rk4")
    coarse = 2e-4 if integrator == "semi-implicit" else 5e-3
    errors = np.array([np.abs(end(h) - exact).max() for h in (coarse, coarse / 2)])
    assert np.log2(errors[0] / errors[1]) == pytest.approx(INTEGRATORS[integrator], abs=0.15)


def test_the_rotation_stays_a_rotation(machine: gough.Platform) -> None:
    for integrator in INTEGRATORS:
        state = State(machine.home, angular_velocity=[0.4, -0.3, 0.5])
        spring = Springs(2e4, gough.inverse_kinematics(machine, machine.home).length)
        run = gough.simulate(
            machine, state, duration=0.5, springs=spring, integrator=integrator, output=0.5
        )
        assert run.attrs["status"] == "ok"
        R = raw_rotation(machine, integrator)
        assert np.abs(R @ R.T - np.eye(3)).max() < 1e-13


def raw_rotation(machine: gough.Platform, integrator: str) -> Array:
    """R as the kernel leaves it after 2000 steps, before any cleaning for the record."""
    from gough.engines.pack import kinds_of, parameters
    from gough.layout import STATE
    from gough.simulation import compiled

    X = np.zeros((STATE.size, 1))
    X[STATE.position, 0], X[STATE.rotation, 0] = (
        machine.home.position,
        machine.home.rotation.ravel(),
    )
    X[STATE.angular_velocity, 0] = (0.4, -0.3, 0.5)
    still = np.zeros((1, 6, 1))
    lift = gough.inverse_dynamics(machine, machine.home).force[None, :, None]
    compiled.advance(
        compiled.load(integrator, kinds_of(machine), ()),
        X,
        steps=2000,
        every=2000,
        step=1e-4,
        effort=lift,
        external=still,
        law=compiled.NO_LAW,
        par=parameters(machine),
    )
    return X[STATE.rotation, 0].reshape(3, 3)


def conservative(machine: gough.Platform) -> gough.Platform:
    """The machine without any friction."""
    return machine.replace(legs=[leg.replace(friction=gough.Friction()) for leg in machine.legs])


@pytest.fixture(scope="module")
def physical() -> gough.Platform:
    return conservative(gough.load("dasgupta-1998-physical"))


@pytest.mark.parametrize(
    ("name", "stiffness"), [("motion-base-1500", 1e6), ("dasgupta-1998-physical", 5e4)]
)
def test_a_conservative_motion_keeps_its_energy(name: str, stiffness: float) -> None:
    """Springs along the legs, gravity, no friction: 10 s at 1e-4 s, relative to the largest kinetic energy."""
    platform = conservative(gough.load(name))
    home = platform.home
    assert home is not None
    length = gough.inverse_kinematics(platform, home).length
    static = gough.inverse_dynamics(platform, home).force
    springs = Springs(stiffness, length + static / stiffness)
    state = State(home, velocity=[0.05, -0.05, 0.1], angular_velocity=[0.2, 0.1, -0.3])
    run = gough.simulate(
        platform,
        state,
        duration=10.0,
        step=1e-4,
        output=0.01,
        springs=springs,
        reactions=False,
        drives=False,
    )
    assert run.attrs["status"] == "ok"
    total = (run.kinetic + run.potential + run.spring_energy).values
    assert float(np.ptp(run.kinetic.values)) > 0.9 * run.kinetic.values.max() > 1.0
    assert np.abs(total - total[0]).max() / run.kinetic.values.max() < 1e-8


def test_a_planted_damper_is_seen_by_the_energy(physical: gough.Platform) -> None:
    length = gough.inverse_kinematics(physical, physical.home).length
    state = State(physical.home, velocity=[0.05, -0.05, 0.1])
    run = gough.simulate(
        physical, state, duration=0.2, springs=Springs(2e4, length, 1e-2), reactions=False
    )
    total = (run.kinetic + run.potential + run.spring_energy).values
    assert np.abs(total - total[0]).max() / run.kinetic.values.max() > 1e-6


def test_energy_balance_with_motors_friction_and_a_wrench(
    machine: gough.Platform, lift: Array
) -> None:
    """What the motors and the wrench put in is stored or lost in the joints."""
    wrench = np.array([30.0, 0, 50, 0, 5, 0])
    run = gough.simulate(
        machine, machine.home, duration=0.2, step=1e-4, force=lift, external=wrench
    )
    R = gough.Pose.from_quaternion(run.position.values, run.quaternion.values).rotation
    power = (np.einsum("tij,j->ti", R, wrench[:3]) * run.velocity.values).sum(-1)
    power += (np.einsum("tij,j->ti", R, wrench[3:]) * run.angular_velocity.values).sum(-1)
    from scipy.integrate import simpson

    given = simpson(power + run.power.values.sum(-1), x=run.time.values)
    stored = float((run.kinetic + run.potential)[-1] - (run.kinetic + run.potential)[0])
    legs = gough.inverse_kinematics(
        machine,
        gough.Motion(run.position.values, R, run.velocity.values, run.angular_velocity.values),
    )
    c = machine.legs[0].friction
    lost = (
        c.prismatic * legs.rate**2
        + c.universal * (legs.angular_velocity**2).sum(-1)
        + c.spherical
        * ((legs.angular_velocity - run.angular_velocity.values[:, None]) ** 2).sum(-1)
    ).sum(-1)
    assert given == pytest.approx(stored + simpson(lost, x=run.time.values), rel=1e-9)


def test_any_batch_split_and_thread_count_gives_the_same_bits(
    machine: gough.Platform, lift: Array, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(3)
    n = 150
    turn = rotation_exp(0.05 * rng.normal(size=(n, 3)))
    states = State(
        machine.home.position + 0.01 * rng.normal(size=(n, 3)),
        turn @ machine.home.rotation,
        0.1 * rng.normal(size=(n, 3)),
        0.2 * rng.normal(size=(n, 3)),
    )
    one = gough.simulate(machine, states, duration=0.03, force=lift, output=0.03)
    monkeypatch.setenv("GOUGH_THREADS", "3")
    many = gough.simulate(machine, states, duration=0.03, force=lift, output=0.03)
    assert np.array_equal(rows(one), rows(many))
    for i in (0, 77, 149):
        single = gough.simulate(machine, states.motion[i], duration=0.03, force=lift, output=0.03)
        assert np.array_equal(rows(single), rows(one)[i])


def test_functions_samples_and_feedback_say_the_same(machine: gough.Platform, lift: Array) -> None:
    """A force linear in time as function, as samples, as a table, and as a function that also gets the motion."""
    steps, h = 20, 2e-3

    def force(t: float) -> Array:
        return lift * (1.0 + t)

    grid = lift * (1.0 + h * np.arange(steps + 1))[:, None]
    table = (np.array([0.0, 1.0]), np.stack([lift, 2 * lift]))
    runs = [
        gough.simulate(machine, machine.home, duration=steps * h, step=h, force=f)
        for f in (force, grid, table, lambda t, motion: force(t))
    ]
    for other in runs[1:]:
        assert np.abs(rows(other) - rows(runs[0])).max() < 1e-12
    held = gough.simulate(machine, machine.home, duration=steps * h, step=h, force=grid[:-1])
    assert np.abs(rows(held) - rows(runs[0])).max() > 1e-6  # held values are another input


@pytest.mark.parametrize("integrator", ["rk4", "lie", "semi-implicit"])
def test_python_stages_are_the_same_method(
    machine: gough.Platform, lift: Array, integrator: str
) -> None:
    options = {
        "duration": 0.05,
        "step": 5e-3,
        "integrator": integrator,
        "springs": Springs(5e3, gough.inverse_kinematics(machine, machine.home).length, 10.0),
    }
    compiled = gough.simulate(machine, machine.home, force=lift, **options)
    stages = gough.simulate(machine, machine.home, force=lambda t, motion: lift, **options)
    assert np.abs(rows(compiled) - rows(stages)).max() < 1e-12


def test_ode_route_equals_dae_route(physical: gough.Platform) -> None:
    """The reduced equations and thirteen constrained bodies, same forces and wrench."""
    lift = 1.02 * gough.inverse_dynamics(physical, physical.home).force
    wrench = np.array([20.0, 0, 10, 0, 2, 0])
    ode = gough.simulate(physical, physical.home, duration=0.1, force=lift, external=wrench)
    dae = [
        gough.simulate(
            physical,
            physical.home,
            duration=0.1,
            step=h,
            output=5e-3,
            force=lift,
            external=wrench,
            integrator="generalized-alpha",
        )
        for h in (5e-4, 2.5e-4)
    ]
    assert [r.attrs["status"] for r in dae] == ["ok", "ok"]
    ode = ode.isel(time=slice(None, None, 5))
    coarse, fine = (np.abs(rows(ode) - rows(r)).max() for r in dae)
    assert np.log2(coarse / fine) == pytest.approx(2.0, abs=0.1)
    assert np.abs(ode.position.values - dae[1].position.values).max() < 1e-6
    assert np.abs(ode.quaternion.values - dae[1].quaternion.values).max() < 1e-6
    limit = (4 * rows(dae[1]) - rows(dae[0])) / 3  # the second-order error taken out
    assert np.abs(rows(ode) - limit).max() < 1e-6
    assert np.abs(ode.spherical_force.values - dae[1].spherical_force.values).max() < 1e-2


def test_adaptive_route_agrees(machine: gough.Platform, lift: Array) -> None:
    fixed = gough.simulate(machine, machine.home, duration=0.1, force=lift, step=2e-4, output=0.02)
    for method in ("DOP853", "LSODA"):
        other = gough.simulate(
            machine,
            machine.home,
            duration=0.1,
            force=lift,
            step=2e-3,
            output=0.02,
            integrator=method,
        )
        assert np.abs(rows(fixed) - rows(other)).max() < 2e-9


def test_files_come_back(machine: gough.Platform, lift: Array, tmp_path: Path) -> None:
    import xarray

    from gough.export.tables import write_netcdf

    run = gough.simulate(machine, machine.home, duration=0.01, force=lift)
    with xarray.open_dataset(write_netcdf(run, tmp_path / "run.nc"), engine="h5netcdf") as back:
        assert back.attrs["status"] == "ok"
        for name in run.data_vars:
            assert np.array_equal(back[name].values, run[name].values), name
            assert back[name].attrs["units"] == run[name].attrs["units"]
