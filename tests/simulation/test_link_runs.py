"""Runs of machines with fixed links: they stay on them, keep their energy, and say what the links carry."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import gough
from gough.checks import Array
from gough.control import ComputedForce, FeedForward, Sampling
from gough.links import ACCELERATION, misfits
from gough.simulation import Springs, simulate_dae
from gough.spatial import Motion, Pose, rotation_from_quaternion


@cache
def machine() -> gough.Platform:
    """The telescope's legs without losses, a lump on the mirror so that nothing is symmetric."""
    given = gough.load("telescope-secondary")
    legs = [
        leg.replace(friction=gough.Friction(), drive=None, limits=gough.Limits())
        for leg in given.legs
    ]
    body = gough.Body(130.0, [0.03, -0.02, 0.06], np.diag([12.0, 13.0, 23.0]))
    return given.replace(legs=tuple(legs), body=body, gravity=(2.0, 1.0, -9.0))


def start() -> Motion:
    home = machine().require_home()
    v, w = np.array([0.1, -0.05, 0.08]), np.array([0.3, -0.2, 0.25])
    return gough.on_links(machine(), Motion(home.position, home.rotation, v, w)).motion


def state(run: object) -> Motion:
    R = rotation_from_quaternion(run.quaternion.values)  # type: ignore[attr-defined]
    names = ("velocity", "angular_velocity", "acceleration", "angular_acceleration")
    return Motion(run.position.values, R, *(run[n].values for n in names))  # type: ignore[attr-defined, index]


def swing(step: float, duration: float = 0.4, **options: object) -> object:
    """Nearly in balance, so that the mirror swings about its link for a while."""
    force = gough.inverse_dynamics(machine(), machine().require_home(), engine="python").force
    return gough.simulate(
        machine(),
        start(),
        duration=duration,
        step=step,
        force=np.append(force[:5], 1e6),
        **options,  # type: ignore[arg-type]
    )


def test_a_run_stays_on_its_links_and_keeps_its_energy() -> None:
    """The effort given for the link is not read; lengths, rates and accelerations of links hold to rounding."""
    run = swing(1e-3)
    assert run.attrs["status"] == "ok"  # type: ignore[attr-defined]
    motion = state(run)
    found, sizes = misfits(machine(), motion, ACCELERATION)
    for error, size in zip(found, sizes, strict=True):
        assert (np.abs(error) < 1e-13 * size).all()
    assert np.abs(run.length.values[:, 5] - 0.35).max() < 1e-15  # type: ignore[attr-defined]
    exact = gough.inverse_dynamics(machine(), motion, engine="python")
    assert np.abs(exact.force - run.force.values).max() < 1e-9 * np.abs(exact.force).max()  # type: ignore[attr-defined]
    assert np.abs(run.force.values[:, 5]).max() > 10.0  # type: ignore[attr-defined]
    assert not run.motor_force.values[:, 5].any()  # type: ignore[attr-defined]
    assert not run.power.values[:, 5].any()  # type: ignore[attr-defined]
    total = (run.kinetic + run.potential).values  # type: ignore[attr-defined]
    work = ((run.length - run.length[0]).values[:, :5]) @ run.force.values[0, :5]  # type: ignore[attr-defined]
    assert np.ptp(run.kinetic.values) > 0.1  # type: ignore[attr-defined]
    assert np.abs(total - total[0] - work).max() < 1e-9


def test_thirteen_bodies_are_driven_over_their_links_but_not_pushed() -> None:
    """Lengths of all legs may be given, a link's as it is held: forces, its own too, are those of the exact model.
    Given forces would leave the link's unknown, and are refused."""
    home, w = machine().require_home(), 20.0
    held = gough.inverse_kinematics(machine(), home, engine="python").length
    change = 1e-3 * np.array([1.0, -1.0, 0.5, -0.5, 1.0, 0.0])

    def lengths(t: float) -> tuple[Array, Array, Array]:
        c, s = np.cos(w * t), np.sin(w * t)
        return held + change * (1 - c), w * change * s, w * w * change * c

    run = simulate_dae(machine(), home, 0.05, 1e-3, lengths=lengths)
    assert run.ok
    exact = gough.inverse_dynamics(machine(), run.motion, engine="python").force
    assert np.abs(run.force - exact).max() < 1e-9 * np.abs(exact).max()
    assert np.abs(run.force[:, 5]).min() > 10.0
    for force in (None, run.force[0]):
        with pytest.raises(gough.InputError, match=r"legs\[5\].*a fixed link"):
            simulate_dae(machine(), home, 0.05, 1e-3, force=force)


def test_the_step_back_onto_the_links_keeps_the_order() -> None:
    ends = [swing(h, 0.2).position.values[-1] for h in (2e-2, 1e-2, 2e-3)]  # type: ignore[attr-defined]
    coarse, fine = (np.linalg.norm(end - ends[2]) for end in ends[:2])
    assert 10.0 < coarse / fine < 25.0


def test_forces_that_depend_on_the_motion_run_the_same() -> None:
    """Steps taken in Python: the same states as compiled ones."""
    force = gough.inverse_dynamics(machine(), machine().require_home(), engine="python").force
    compiled = swing(1e-3, 0.02)
    asked = gough.simulate(
        machine(),
        start(),
        duration=0.02,
        step=1e-3,
        force=lambda t, motion: np.append(force[:5], 0.0),
    )
    for name in ("position", "velocity", "angular_velocity", "quaternion"):
        apart = asked[name].values - compiled[name].values  # type: ignore[index]
        assert np.abs(apart).max() < 1e-13
    assert np.abs(asked.force.values - compiled.force.values).max() < 1e-8  # type: ignore[attr-defined]


@pytest.mark.slow
@pytest.mark.parametrize("integrator", ["lie", "semi-implicit"])
def test_other_methods_stay_on_the_links(integrator: str) -> None:
    run = swing(1e-3, 0.2, integrator=integrator)
    found, sizes = misfits(machine(), state(run), ACCELERATION)
    for error, size in zip(found, sizes, strict=True):
        assert (np.abs(error) < 1e-13 * size).all()


@pytest.mark.slow
def test_a_long_run_keeps_its_energy() -> None:
    """Half a minute on springs, thirty thousand steps and a few hundred swings."""
    home, k = machine().require_home(), 5e4
    force = gough.inverse_dynamics(machine(), home, engine="python").force
    length = gough.inverse_kinematics(machine(), home, engine="python").length
    stiffness = np.array([k] * 5 + [0.0])
    springs = Springs(stiffness, length + force / k)
    run = gough.simulate(machine(), start(), duration=30.0, step=1e-3, springs=springs, output=0.01)
    assert run.attrs["status"] == "ok"
    total = (run.kinetic + run.potential + run.spring_energy).values
    size = float(run.kinetic.max())
    assert size > 0.1
    assert np.abs(total - total[0]).max() < 2e-6 * size
    assert np.abs(run.length.values[:, 5] - 0.35).max() < 1e-14
    assert np.abs(run.rate.values[:, 5]).max() < 1e-13


@pytest.mark.slow
def test_on_a_base_that_moves() -> None:
    """Force in the link and reactions as inverse dynamics against the base says."""

    def base(t: float) -> gough.BaseMotion:
        return gough.BaseMotion.yaw_stage(0.25 * t**2, 0.5 * t, 0.5)

    force = gough.inverse_dynamics(machine(), machine().require_home(), engine="python").force
    run = gough.simulate(machine(), start(), duration=0.01, step=1e-3, force=force, base=base)
    t = run.time.values
    there = gough.BaseMotion.yaw_stage(0.25 * t**2, 0.5 * t, 0.5 + 0.0 * t)
    exact = gough.inverse_dynamics(machine(), state(run), engine="python", base=there)
    assert np.abs(exact.link_force[:, 0] - run.force.values[:, 5]).max() < 1e-8


@pytest.mark.slow
def test_a_controller_moves_the_driven_legs() -> None:
    given = gough.load("telescope-secondary")
    end = gough.on_links(given, Pose.from_rpy([5e-4, 3e-4, 0.4008], [1e-3, 5e-4, 0.0])).pose
    way = gough.trajectory.on_links(
        given, gough.trajectory.line(given.require_home(), end, duration=2.0)
    )
    law = FeedForward(given, 20 * 2 * np.pi)
    run = gough.simulate(
        given, given.require_home(), duration=1.0, controller=law, reference=way, step=1e-3
    )
    assert run.attrs["status"] == "ok"
    assert np.abs(run.error.values).max() < 1e-6
    assert np.abs(run.error.values[:, 5]).max() < 1e-15


def test_what_runs_do_not_serve() -> None:
    given = gough.load("telescope-secondary")
    home = given.require_home()
    away = Pose(home.position + np.array([1e-3, 0.0, 0.0]), home.rotation)
    with pytest.raises(gough.InfeasibleError, match="fixed link"):
        gough.simulate(given, away, duration=0.01)
    with pytest.raises(gough.InfeasibleError, match="m/s"):
        gough.simulate(
            given, Motion(home.position, home.rotation, [0.1, 0, 0], [0, 0, 0]), duration=0.01
        )
    for integrator in ("DOP853", "hht", "generalized-alpha"):
        with pytest.raises(gough.InputError, match=r"fixed links.*rk4, lie, semi-implicit do"):
            gough.simulate(given, home, duration=0.01, integrator=integrator, drives=False)
    with pytest.raises(gough.InputError, match="Decentralized and FeedForward"):
        gough.simulate(given, home, duration=0.01, controller=ComputedForce(given, 20.0))
    seen = Sampling(pose="forward-kinematics")
    with pytest.raises(gough.InputError, match=r"sampling\.pose"):
        gough.simulate(
            given, home, duration=0.01, controller=FeedForward(given, 20.0), sampling=seen
        )
