"""Simulations on a base that moves, held against motions known in the world."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.checks import Array, InputError
from gough.model import Body, Platform
from gough.spatial import Motion, rotation_exp
from oracles.machines import Case, cases
from oracles.moving import mounted

STEP = 1e-3


def shaken(t: float) -> gough.BaseMotion:
    """A base that yaws ever faster while it heaves and sways."""
    rate, up = 1.5 + 2.0 * t, 9.0
    return gough.BaseMotion(
        [0.2 * np.sin(3 * t), 0.0, 0.05 * np.sin(up * t)],
        rotation_exp(np.array([0.0, 0.0, 1.5 * t + t * t])),
        [0.6 * np.cos(3 * t), 0.0, 0.05 * up * np.cos(up * t)],
        [0.0, 0.0, rate],
        [-1.8 * np.sin(3 * t), 0.0, -0.05 * up * up * np.sin(up * t)],
        [0.0, 0.0, 2.0],
    )


def start_of(case: Case) -> Motion:
    """A slow start where the case is."""
    m = case.motion[0]
    return Motion(m.position, m.rotation, 0.1 * m.velocity, 0.1 * m.angular_velocity)


def in_the_world(run, bodies: Body) -> tuple[Array, Array, Array]:
    """Position of the mass center, its velocity and the angular momentum about it over the records, world axes."""
    centers, speeds, spins = [], [], []
    for i, t in enumerate(run.time.values):
        b = shaken(float(t))
        R0, w0 = b.rotation, b.angular_velocity
        R = gough.Pose.from_quaternion(np.zeros(3), run.quaternion.values[i]).rotation
        r = run.position.values[i] + R @ bodies.center
        w = run.angular_velocity.values[i]
        v = run.velocity.values[i] + np.cross(w, R @ bodies.center)
        centers.append(b.position + R0 @ r)
        speeds.append(b.velocity + np.cross(w0, R0 @ r) + R0 @ v)
        W, Q = R0 @ w + w0, R0 @ R
        spins.append(Q @ bodies.inertia @ Q.T @ W)
    return np.array(centers), np.array(speeds), np.array(spins)


@pytest.mark.parametrize("integrator", ["rk4", "DOP853"])
def test_a_platform_on_legs_without_mass_flies_freely_in_the_world(integrator: str) -> None:
    """No force: in the world its center follows a parabola and its angular momentum stays, whatever the base does."""
    case = cases("UPS", 1, states=1, seed=31, friction=False, drive=False)[0]
    legs = [leg.replace(lower=Body(0.0), upper=Body(0.0)) for leg in case.platform.legs]
    platform = Platform(case.platform.body, legs, case.platform.gravity)
    given = {"duration": 0.2, "base": shaken, "step": STEP, "integrator": integrator}
    run = gough.simulate(platform, start_of(case), output=0.02, **given)
    assert run.status == "ok"
    center, speed, spin = in_the_world(run, platform.body)
    t = run.time.values[:, None]
    parabola = center[0] + speed[0] * t + 0.5 * platform.gravity * t**2
    assert np.abs(center - parabola).max() < 1e-9
    assert np.abs(speed - speed[0] - platform.gravity * t).max() < 1e-8
    assert np.abs(spin - spin[0]).max() < 1e-8 * np.abs(spin).max()
    wrong = gough.simulate(platform, start_of(case), output=0.02, duration=0.2, step=STEP)
    assert np.abs(in_the_world(wrong, platform.body)[0] - parabola).max() > 1e-2


def test_energy_comes_through_drives_and_base() -> None:
    """Energies in the world against the work of efforts and base at the recorded states (Simpson)."""
    case = mounted(cases("UPS", 1, states=1, seed=32, friction=False)[0], np.random.default_rng(1))
    p, efforts = case.platform, np.array([120.0, 80.0, 150.0, 90.0, 100.0, 60.0])
    given = {"duration": 0.1, "base": shaken, "step": STEP, "drives": False, "reactions": True}
    run = gough.simulate(p, start_of(case), force=efforts, **given)
    assert run.status == "ok"
    assert "moves" in run.attrs["base"]
    t = run.time.values
    poses = gough.Pose.from_quaternion(run.position.values, run.quaternion.values)
    names = ("velocity", "angular_velocity", "acceleration", "angular_acceleration")
    motion = Motion(poses.position, poses.rotation, *(run[name].values for name in names))
    each = [shaken(float(time)) for time in t]
    base = gough.BaseMotion(
        *(np.stack([getattr(b, n) for b in each]) for n in ("position", "rotation", *names))
    )
    found = gough.inverse_dynamics(p, motion, base=base)
    assert np.abs(found.force - efforts).max() < 1e-8 * np.abs(efforts).max()
    universal = run.universal_force.values
    assert (
        np.abs(found.reactions.universal_force - universal).max() < 1e-9 * np.abs(universal).max()
    )
    power = (efforts * run.rate.values).sum(axis=1) + found.base_power
    h = t[1] - t[0]
    work = h / 3 * (power[0:-2:2] + 4 * power[1:-1:2] + power[2::2]).cumsum()
    total = (run.kinetic + run.potential).values
    assert np.abs(total[2::2] - total[0] - work).max() < 1e-7 * np.abs(work).max()
    assert np.abs(found.base_power).max() > 10.0


def test_a_lift_is_another_gravity() -> None:
    case = cases("UPS", 1, states=1, seed=33)[0]
    p, up = case.platform, np.array([0.3, -0.4, 2.5])
    given = {"duration": 0.05, "step": STEP, "drives": False, "force": np.full(6, 150.0)}

    def lift(t: float) -> gough.BaseMotion:
        return gough.BaseMotion(0.5 * up * t * t, velocity=up * t, acceleration=up)

    found = gough.simulate(p, start_of(case), base=lift, **given)
    heavier = p.replace(gravity=p.gravity - up)
    expected = gough.simulate(heavier, start_of(case), **given)
    for name in ("position", "velocity", "acceleration", "universal_force", "length"):
        assert np.abs(found[name] - expected[name]).max() < 1e-11 * np.abs(expected[name]).max()


def test_runs_side_by_side_each_on_its_own_base_and_controllers() -> None:
    case = cases("UPS", 1, states=1, seed=34)[0]
    one = start_of(case)
    start = one.broadcast((2,))
    given = {"duration": 0.02, "step": STEP, "drives": False}

    def bases(t: float) -> Motion:
        return gough.BaseMotion.yaw_stage(np.array([0.0, 2.0]) * t, np.array([0.0, 2.0]))

    both = gough.simulate(case.platform, start, force=np.full(6, 100.0), base=bases, **given)
    still = gough.simulate(case.platform, one, force=np.full(6, 100.0), **given)
    assert np.abs(both.position[0] - still.position).max() < 1e-12
    assert np.abs(both.position[1] - still.position).max() > 1e-5
    held = gough.simulate(
        case.platform, start, controller=lambda t, m, r: np.full((2, 6), 100.0), base=bases, **given
    )
    assert np.array_equal(held.position, both.position)


@pytest.mark.slow
def test_spinning_legs_and_every_integrator_agree() -> None:
    case = cases("SPS-general", 1, states=1, seed=35)[0]
    spin = gough.Spin(case.spin_angle[0], 0.2 * case.spin_rate[0])
    given = {"duration": 0.05, "base": shaken, "spin": spin, "drives": False, "output": 0.01}
    runs = [
        gough.simulate(case.platform, start_of(case), step=2.5e-4, integrator=name, **given)
        for name in ("rk4", "lie", "DOP853")
    ]
    for name in ("position", "spin_rate", "kinetic", "acceleration"):
        values = [run[name].values for run in runs]
        assert max(np.abs(v - values[-1]).max() for v in values) < 1e-7 * np.abs(values[-1]).max()


def test_what_is_no_motion_of_a_base_is_refused() -> None:
    case = cases("UPS", 1, states=1, seed=34)[0]
    platform, start, given = case.platform, start_of(case), {"duration": 0.01, "step": STEP}
    for wrong, why in (
        (gough.BaseMotion(velocity=[1.0, 0.0, 0.0]), "function of time"),
        (np.zeros(6), "function of time"),
        (lambda t: (t, 0.0), "function of time"),
        (lambda t: gough.BaseMotion(np.zeros((3, 3))), "one motion"),
    ):
        with pytest.raises(InputError, match=why):
            gough.simulate(platform, start, base=wrong, **given)
    with pytest.raises(InputError, match="not served"):
        gough.simulate(platform, start, base=shaken, integrator="hht", **given)
    leaning = gough.BaseMotion(rotation=rotation_exp(np.array([0.3, 0.0, 0.0])))
    assert gough.simulate(platform, start, base=leaning, drives=False, **given).status == "ok"
