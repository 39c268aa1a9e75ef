"""DAE integration: order, drift, energy, consistent start, forward kinematics by drivers, 003's oscillation."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import gough
from gough.checks import InputError
from gough.formulations import multibody
from gough.formulations.multibody.euler import PAPER, EulerSystem
from gough.formulations.multibody.kinematics import configuration
from gough.reproduce.multibody.tables import initial_coordinates
from gough.simulation.alpha_family import arrow_solve
from gough.simulation.dae import (
    MachineSystem,
    consistent,
    generalized_alpha,
    hht,
    integrate,
    simulate_dae,
)
from gough.spatial import Motion, rotation_from_quaternion, rotation_log
from oracles.machines import case

pytestmark = pytest.mark.filterwarnings("ignore::gough.ModelWarning")
AMPLITUDE = np.array([0.02, -0.06, 0.02, -0.02, 0.08, -0.02])


class Pendulum:
    """A point mass on a rod of length 1 in Cartesian coordinates: n = 2, m = 1, g = 9.81, some friction."""

    size = (2, 1)
    friction = 0.3

    def mass(self, q):
        return np.diag([2.0, 2.0])

    def force(self, q, v, t):
        return np.array([0.0, -2.0 * 9.81]) - self.friction * v

    def damping(self, q, v, t):
        return self.friction * np.eye(2)

    def constraint(self, q, t):
        return np.array([(q @ q - 1.0) / 2])

    def jacobian(self, q, t):
        return q[None, :]

    def constraint_rate(self, t):
        return np.zeros(1)

    def gamma(self, q, v, t):
        return np.array([-v @ v])

    def retract(self, q, dx):
        return q + dx

    def blocks(self):
        return None


def angle_of(time):
    """The same pendulum by its angle from the vertical, integrated to 1e-12."""

    def right(t, y):
        return [y[1], -9.81 * np.sin(y[0]) - 0.15 * y[1]]

    return solve_ivp(right, (0, time), [1.0, 0.0], rtol=1e-12, atol=1e-12).y[0, -1]


def slope(steps, errors):
    return np.polyfit(np.log(steps), np.log(errors), 1)[0]


METHODS = [hht(-0.05), hht(-0.3), generalized_alpha(0.9), generalized_alpha(0.5)]


@pytest.mark.parametrize("method", METHODS, ids=lambda m: f"{m.name}-{m.alpha_f:.2f}")
@pytest.mark.parametrize("project", [False, True])
def test_order_on_a_pendulum(method, project):
    """Position and rod force converge with order 2 (regression over five steps)."""
    steps, position, rod = np.array([0.02, 0.01, 0.005, 0.0025, 0.00125]), [], []
    angle = angle_of(1.0)
    want = np.array([np.sin(angle), -np.cos(angle)])
    reference = None
    for h in (*steps, steps[-1] / 4):
        run = integrate(
            Pendulum(),
            np.array([np.sin(1.0), -np.cos(1.0)]),
            np.zeros(2),
            duration=1.0,
            step=h,
            method=method,
            project=project,
        )
        assert run.ok
        assert run.residual.max() < 1e-12
        if project:
            assert run.velocity_residual.max() < 1e-12
        if h == steps[-1] / 4:
            reference = run.multiplier[-1, 0]
        else:
            position.append(np.abs(run.q[-1] - want).max())
            rod.append(run.multiplier[-1, 0])
    assert slope(steps, position) == pytest.approx(2.0, abs=0.1)
    assert slope(steps, np.abs(np.array(rod) - reference)) == pytest.approx(2.0, abs=0.2)


def test_numerical_damping():
    """Frictionless pendulum, 5 s: energy never grows, is lost faster with smaller spectral radius, order >= 2."""
    system = Pendulum()
    system.friction = 0.0

    def loss(radius, h):
        run = integrate(
            system,
            np.array([np.sin(1.0), -np.cos(1.0)]),
            np.zeros(2),
            duration=5.0,
            step=h,
            method=generalized_alpha(radius),
        )
        energy = (run.v**2).sum(axis=1) + 2 * 9.81 * run.q[:, 1]
        assert energy.max() <= energy[0] + 1e-9
        return energy[0] - energy.min()

    losses = [loss(r, 0.01) for r in (0.9, 0.5, 0.0)]
    assert losses == sorted(losses)
    for coarse, radius in zip(losses, (0.9, 0.5, 0.0), strict=True):
        assert coarse / loss(radius, 0.005) > 3.9


# ---- forced machine


def start():
    platform = gough.load("dasgupta-1998")
    motion = Motion([0.2, 0.0, 0.5], np.eye(3), [0.1, 0.2, -0.1], [0.3, -0.2, 0.4])
    hold = gough.inverse_dynamics(platform, Motion.at_rest(motion.pose)).force
    return platform, motion, hold


def by_ode(platform, motion, force, duration, tolerance=1e-11):
    """The reduced equations (exact model) integrated adaptively: position, rotation, velocity at the end."""

    def right(t, y):
        q, v, w = y[3:7], y[7:10], y[10:]
        state = Motion(y[:3], rotation_from_quaternion(q), v, w)
        acc = gough.forward_dynamics(platform, state, force)
        qd = 0.5 * np.array([-w @ q[1:], *(q[0] * w + np.cross(w, q[1:]))])
        return np.concatenate([v, qd, acc.acceleration, acc.angular_acceleration])

    y = np.concatenate(
        [motion.position, motion.pose.quaternion, motion.velocity, motion.angular_velocity]
    )
    y = solve_ivp(right, (0, duration), y, rtol=tolerance, atol=tolerance, method="DOP853").y[:, -1]
    return y[:3], rotation_from_quaternion(y[3:7]), y[7:10]


@pytest.mark.parametrize("method", ["hht", "generalized-alpha"])
def test_order_on_the_machine(method):
    """Thirteen bodies on the rotation group against the reduced equations: order 2; friction on."""
    platform, motion, hold = start()
    t, R, _ = by_ode(platform, motion, hold, 0.08)
    steps, errors = np.array([0.02, 0.01, 0.005, 0.0025]), []
    for h in steps:
        run = simulate_dae(platform, motion, 0.08, h, force=hold, method=method)
        assert run.ok
        assert run.run.residual.max() < 1e-11
        errors.append(
            [
                np.abs(run.motion.position[-1] - t).max(),
                np.abs(rotation_log(run.motion.rotation[-1] @ R.T)).max(),
            ]
        )
    errors = np.array(errors)
    assert slope(steps, errors[:, 0]) == pytest.approx(2.0, abs=0.15)
    assert slope(steps, errors[:, 1]) == pytest.approx(2.0, abs=0.15)


@pytest.mark.parametrize(
    "kind",
    [
        *("UPS-rotor", "SPS-general", "SPS-axisymmetric", "PUS", "RUS", "mixed"),
        *("UCU", "UCU-rotor", "UCU-upper", "UCU-mixed"),
    ],
)
def test_order_on_every_leg_type(kind):
    """Steps h, h/2, h/4 with drives, friction and spinning legs: differences of order 2 stand as 15 : 3."""
    c = case(kind, seed=11, states=1)
    spin, fast = (c.spin_angle[0], c.spin_rate[0]), c.motion[0]
    motion = Motion(fast.position, fast.rotation, 0.1 * fast.velocity, 0.1 * fast.angular_velocity)
    force = multibody.inverse_dynamics(
        c.platform, Motion.at_rest(motion.pose), spin=(spin[0], np.zeros(6))
    ).force
    runs = [
        simulate_dae(c.platform, motion, 0.02, h, force=force, spin=spin)
        for h in (0.002, 0.001, 0.0005)
    ]
    assert all(run.ok for run in runs)
    ends = [run.motion.position[-1] for run in runs]
    assert np.abs(ends[0] - ends[2]).max() / np.abs(ends[1] - ends[2]).max() == pytest.approx(
        5.0, abs=0.15
    )


def test_dae_route_is_the_ode_route():
    """Extrapolated from two steps the DAE route meets the ODE route to 1e-6 m, 1e-6 rad."""
    platform, motion, hold = start()
    t, R, _ = by_ode(platform, motion, hold, 0.08)
    coarse, fine = (simulate_dae(platform, motion, 0.08, h, force=hold) for h in (0.002, 0.001))
    position = (4 * fine.motion.position[-1] - coarse.motion.position[-1]) / 3
    gap = rotation_log(coarse.motion.rotation[-1] @ fine.motion.rotation[-1].T)
    error = rotation_log(fine.motion.rotation[-1] @ R.T) - gap / 3
    assert np.abs(position - t).max() < 1e-6
    assert np.abs(error).max() < 1e-6


def test_energy_of_springs():
    """Legs as springs, no friction: total energy drifts by the numerical damping only, second order in h."""
    platform = gough.load("elbadawy-6sps")
    length = configuration(platform, platform.home)[1]

    def springs(t, motion):
        return 2000.0 * (length - configuration(platform, motion)[1])

    moving = Motion(
        platform.home.position, velocity=[0.1, 0.0, 0.1], angular_velocity=[0.0, 0.5, 0.5]
    )
    drift = []
    for h in (0.004, 0.002):
        run = simulate_dae(
            platform, moving, 0.2, h, force=springs, method="generalized-alpha", damping=1.0
        )
        assert run.ok
        total = run.kinetic + run.potential + 1000.0 * ((run.length - length) ** 2).sum(axis=1)
        drift.append(np.abs(total - total[0]).max() / run.kinetic.max())
    assert drift[0] < 0.02
    assert drift[0] / drift[1] > 3.0


def test_reactions_of_a_run():
    """Multipliers along a forced run equal the reactions of inverse dynamics for the motion it made."""
    platform, motion, hold = start()
    run = simulate_dae(
        platform, motion, 0.02, 0.002, force=hold, external=np.array([5.0, -3, 8, 1, 2, -1])
    )
    want = gough.inverse_dynamics(platform, run.motion, np.array([5.0, -3, 8, 1, 2, -1])).reactions
    for name in ("spherical_force", "universal_force", "prismatic_force"):
        got = getattr(run.reactions, name)
        assert np.abs(got - getattr(want, name)).max() < 1e-9 * np.abs(got).max()


def test_spinning_legs():
    """General SPS legs: the spins are integrated too; the first accelerations are those of the formulation."""
    c = case("SPS-general", seed=3, states=1)
    spin = (c.spin_angle[0], c.spin_rate[0])
    force = multibody.inverse_dynamics(c.platform, c.motion[0], spin=spin).force
    run = simulate_dae(c.platform, c.motion[0], 1e-3, 5e-4, force=force, spin=spin)
    assert run.ok
    np.testing.assert_allclose(
        run.motion.acceleration[0], c.motion.acceleration[0], rtol=1e-8, atol=1e-7
    )


# ---- driven machine: forward kinematics


@functools.cache
def home_length():
    platform = gough.load("elbadawy-6sps")
    return configuration(platform, platform.home)[1]


def drivers(t):
    length = home_length()
    return length + AMPLITUDE * np.sin(t), AMPLITUDE * np.cos(t), -AMPLITUDE * np.sin(t)


def test_driven_motion_is_forward_kinematics():
    """003's drivers: the DAE's poses are the poses of the leg lengths (003 must meet 1e-6 m; here 1e-11)."""
    platform = gough.load("elbadawy-6sps")
    run = simulate_dae(platform, platform.home, 1.6, 0.05, lengths=drivers)
    assert run.ok
    np.testing.assert_allclose(run.length, np.array([drivers(t)[0] for t in run.time]), atol=1e-11)
    pose = platform.home
    for k in range(0, len(run.time), 4):
        found = gough.forward_kinematics(platform, drivers(run.time[k])[0], guess=pose)
        pose = found.pose
        assert np.abs(run.motion.position[k] - pose.position).max() < 1e-9
        assert np.abs(run.motion.rotation[k] - pose.rotation).max() < 1e-8
    assert run.motion.position[:, 0].max() == pytest.approx(0.0236, abs=1e-4)
    assert run.reactions.spherical_force[0, 0, 2] == pytest.approx(2.91848, abs=1e-5)


def test_consistent_start():
    """Table 4 leaves a gap of 0.020 mm in every lower joint (E003-4); the projection closes it."""
    platform = gough.load("elbadawy-6sps")
    system = EulerSystem(platform, drivers)
    q = initial_coordinates(platform)
    gap = np.linalg.norm(system.constraint(q, 0.0)[18:36].reshape(6, 3), axis=1)
    np.testing.assert_allclose(gap, 2.015e-5, rtol=1e-3)
    q, v = consistent(system, q, None, 0.0)
    assert np.abs(system.constraint(q, 0.0)).max() < 1e-12
    assert np.abs(system.jacobian(q, 0.0) @ v + system.constraint_rate(0.0)).max() < 1e-12
    assert v[:6] @ v[:6] > 0.01
    with pytest.raises(InputError, match="closes every joint"):
        consistent(
            EulerSystem(platform, lambda t: (np.full(6, 9.0), np.zeros(6), np.zeros(6))),
            q,
            None,
            0.0,
        )


def test_oscillation_of_003():
    """E003-3: HHT, h = 0.01 s, alpha = -0.05.  From rest the joint force errs by 268 / 25 / 0.4 N in the first
    half second, the second and later; with consistent velocities never by more than 0.06 N (E003-1)."""
    platform = gough.load("elbadawy-6sps")
    right = simulate_dae(platform, platform.home, 1.2, 0.01, lengths=drivers)
    exact = right.reactions.spherical_force[:, 0, 2]
    system = EulerSystem(platform, drivers)
    q, v = consistent(system, initial_coordinates(platform), None, 0.0)
    time = right.time[1:]
    parts = [time < 0.499, (time > 0.499) & (time < 0.999), time > 0.999]
    worst = {}
    for name, speeds in (("rest", np.zeros(78)), ("consistent", v)):
        run = integrate(system, q, speeds, duration=1.2, step=0.01, method=hht(-0.05))
        assert run.ok
        error = np.abs(-run.multiplier[:, 2] - exact)[1:]
        worst[name] = [error[part].max() for part in parts]
    assert worst["rest"][0] == pytest.approx(268.5, rel=0.01)
    assert worst["rest"][1] == pytest.approx(25.2, rel=0.02)
    assert worst["rest"][2] == pytest.approx(0.39, rel=0.05)
    assert max(worst["consistent"]) < 0.06


def test_right_mass_matrix_in_euler_coordinates():
    """The same DAE in the paper's coordinates with the right mass matrix gives the right forces; printed, not."""
    platform = gough.load("elbadawy-6sps")
    right = simulate_dae(platform, platform.home, 0.2, 0.02, lengths=drivers)
    for errata, low, high in (((), 0.0, 1e-5), (("E003-1",), 5e-3, 0.1)):
        system = EulerSystem(platform, drivers, errata)
        q, v = consistent(system, initial_coordinates(platform), None, 0.0)
        run = integrate(system, q, v, duration=0.2, step=0.02, project=True)
        error = np.abs(-run.multiplier[:, :3] - right.reactions.spherical_force[:, 0]).max()
        assert low <= error < high


# ---- linear algebra, input, failures


def test_arrow_solve():
    rng = np.random.default_rng(1)
    blocks = [np.array([0, 1, 7]), np.array([2, 3]), np.array([4, 9, 5])]
    K = rng.normal(size=(11, 11)) + 5 * np.eye(11)
    for a in blocks:
        for b in blocks:
            if a is not b:
                K[np.ix_(a, b)] = 0.0
    right = rng.normal(size=11)
    np.testing.assert_allclose(arrow_solve(K, right, blocks), np.linalg.solve(K, right), rtol=1e-10)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"step": 0.0}, "step"),
        ({"step": 0.03}, "step"),
        ({"duration": -1.0}, "duration"),
        ({"method": "euler"}, "method"),
        ({"damping": 0.2}, "alpha"),
        ({"force": np.zeros(5)}, "force"),
        ({"force": lambda t, motion: np.full(6, np.nan)}, "force"),
        ({"initial_speeds": "fast"}, "initial_speeds"),
        ({"lengths": drivers}, "force"),
        ({"method": "generalized-alpha", "damping": 2.0}, "radius"),
    ],
)
def test_bad_input(change, field):
    platform, motion, hold = start()
    given = {"duration": 0.1, "step": 0.02, "force": hold, **change}
    with pytest.raises(InputError) as caught:
        simulate_dae(platform, motion, **given)
    assert caught.value.field == field


def test_failure_has_a_status():
    """Drivers that ask for the impossible end the run with a sentence and what was computed until then."""
    platform = gough.load("elbadawy-6sps")
    length = configuration(platform, platform.home)[1]
    run = simulate_dae(
        platform,
        platform.home,
        1.0,
        0.05,
        lengths=lambda t: (length - 0.5 * t, np.full(6, -0.5), np.zeros(6)),
    )
    assert not run.ok
    assert run.status.startswith("stopped at t = ")
    assert 1 <= len(run.time) < 21
    assert np.isfinite(run.motion.position).all()


@pytest.mark.parametrize("name", ["mass", "force", "gamma"])
def test_planted_errors_are_seen(name, monkeypatch):
    """A wrong mass, force or acceleration side spoils the agreement with the reduced equations."""
    platform, motion, hold = start()
    _, _, v = by_ode(platform, motion, hold, 0.02, 1e-9)

    def error():
        run = simulate_dae(platform, motion, 0.02, 0.0025, force=hold)
        acc = gough.forward_dynamics(platform, motion, hold).acceleration
        return max(
            np.abs(run.motion.velocity[-1] - v).max(),
            np.abs(run.motion.acceleration[0] - acc).max(),
        )

    good = error()
    original = getattr(MachineSystem, name)
    factor = {"mass": 1.01, "force": 1.01, "gamma": 0.5}[name]
    monkeypatch.setattr(MachineSystem, name, lambda self, *a: factor * original(self, *a))
    assert error() > 20 * good


def test_paper_axes():
    """Y of the paper is our z, and Q is a rotation."""
    np.testing.assert_allclose(PAPER @ [0, 0, 1], [0, 1, 0])
    assert np.linalg.det(PAPER) == pytest.approx(1.0)
