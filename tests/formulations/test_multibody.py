"""The multibody formulation (003): golden numbers, engines, constraints, power, errata, planted errors."""

from __future__ import annotations

import functools
from dataclasses import replace

import numpy as np
import pytest

import gough
from gough.checks import InfeasibleError, InputError
from gough.formulations import multibody
from gough.formulations.multibody import balance, constraints
from gough.formulations.multibody.assembly import assemble
from gough.formulations.multibody.balance import energies, forces, mass
from gough.formulations.multibody.euler import EulerSystem
from gough.formulations.multibody.kinematics import body_motion, configuration
from gough.formulations.multibody.published import (
    published_bias,
    published_dynamics,
    published_mass_matrix,
)
from gough.simulation.dae import MachineSystem
from gough.spatial import Motion, Pose, rotation_exp
from gough.trajectory import legs_harmonic, paper
from oracles.machines import CYLINDERS, KINDS, case
from oracles.projection import Closed

pytestmark = pytest.mark.filterwarnings("ignore::gough.ModelWarning")
REACTIONS = (
    "spherical_force",
    "universal_force",
    "universal_moment",
    "prismatic_force",
    "prismatic_moment",
    "platform_moment",
)


def spin_of(c):
    return (c.spin_angle, c.spin_rate) if c.needs_spin else None


def off(got, want):
    return float(np.abs(got - want).max() / max(np.abs(want).max(), 1e-300))


@functools.cache
def home_length():
    platform = gough.load("elbadawy-6sps")
    return configuration(platform, platform.home)[1]


def drivers(t):
    """003 Table 2 on the leg length of Table 3's pose."""
    amplitude = np.array([0.02, -0.06, 0.02, -0.02, 0.08, -0.02])
    length = home_length()
    return length + amplitude * np.sin(t), amplitude * np.cos(t), -amplitude * np.sin(t)


# ---- golden numbers

GOLDEN_001 = {
    ("001-I", 0.0): (411.5293, -1146.6681, 1434.0676, -616.9372, -68.9928, 370.5364),
    ("001-I", 3.0): (372.0930, -745.9985, 918.7608, -336.7961, -1.2524, 216.2021),
    ("001-I", 6.0): (569.7233, -516.9033, 459.2288, -69.4837, 151.0829, -154.1439),
    ("001-II", 0.0): (304.8870, -1580.0764, 2133.4065, -901.6936, -354.5777, 899.3712),
    ("001-II", 0.6): (809.0963, -401.6700, 74.7153, 129.9521, 314.4939, -611.3334),
}


@pytest.mark.parametrize(("path", "time"), GOLDEN_001)
def test_paths_of_001(path, time):
    """Independently computed forces of the exact model on 001's paths, N."""
    force = multibody.inverse_dynamics(gough.load("dasgupta-1998"), paper(path)(time)).force
    np.testing.assert_allclose(force, GOLDEN_001[path, time], atol=6e-5)


def test_start_of_003():
    """Joint force of leg 1 and actuator forces at t = 0 with the drivers' own speeds, N; Y_paper is our z."""
    platform = gough.load("elbadawy-6sps")
    rest = multibody.inverse_dynamics(platform, Motion.at_rest(platform.home))
    np.testing.assert_allclose(rest.force, 4.76457, atol=6e-6)
    np.testing.assert_allclose(rest.reactions.spherical_force[:, 2], 1.79 * 9.81 / 6, rtol=1e-12)
    system = MachineSystem(platform, lengths=drivers)
    from gough.simulation.alpha_family import accelerations, consistent

    q, v = consistent(
        system, system.configuration(configuration(platform, platform.home)[0]), None, 0.0
    )
    _, multiplier = accelerations(system, q, v, 0.0)
    np.testing.assert_allclose(-multiplier[:3], (-2.34018, 0.36806, 2.91848), atol=6e-6)
    np.testing.assert_allclose(
        -multiplier[system.assembly.driver_rows],
        (4.75092, 4.75409, 4.74696, 4.75732, 4.75999, 4.70485),
        atol=6e-6,
    )
    np.testing.assert_allclose(
        v[:6], (0.0148, 0.0262, 0.00385, -0.26989, -0.06707, 0.82215), atol=6e-5
    )


# ---- outside engine


@pytest.mark.parametrize("kind", [*KINDS, *CYLINDERS])
def test_pinocchio(kind):
    """Efforts, mass matrix, bias, every reaction and spin acceleration: 1e-10 relative (measured 2e-13)."""
    pytest.importorskip("pinocchio")
    from oracles.pinocchio_model import PinocchioEngine

    c = case(kind, seed=71, states=3)
    engine, spin = PinocchioEngine(c.platform), spin_of(c)
    found = multibody.inverse_dynamics(c.platform, c.motion, c.external, spin=spin)
    M = multibody.mass_matrix(c.platform, c.motion.pose, spin=spin)
    b = multibody.bias(c.platform, c.motion, spin=spin)
    for i in range(3):
        want = Closed(
            engine, c.platform, c.motion[i], c.external[i], c.spin_angle[i], c.spin_rate[i]
        ).answer()
        assert off(found.force[i], want.force) < 1e-10
        assert off(M[i], want.mass_matrix) < 1e-10
        assert off(b[i], want.bias) < 1e-10
        for name in REACTIONS:
            scale = np.abs(want.reactions.prismatic_moment).max() if "moment" in name else 0.0
            theirs = getattr(want.reactions, name)
            error = np.abs(getattr(found.reactions, name)[i] - theirs).max()
            assert error < 1e-10 * max(np.abs(theirs).max(), scale), name
        if c.needs_spin:
            assert off(found.spin_acceleration[i], want.spin_acceleration) < 1e-10


@pytest.mark.parametrize("kind", [*KINDS, *CYLINDERS])
def test_forward_undoes_inverse(kind):
    c = case(kind, seed=72, states=4)
    found = multibody.inverse_dynamics(c.platform, c.motion, c.external, spin=spin_of(c))
    back = multibody.forward_dynamics(
        c.platform, c.motion, found.force, c.external, spin=spin_of(c)
    )
    assert off(back.acceleration, c.motion.acceleration) < 1e-10
    assert off(back.angular_acceleration, c.motion.angular_acceleration) < 1e-10
    np.testing.assert_allclose(
        back.spin_acceleration, found.spin_acceleration, rtol=1e-8, atol=1e-7
    )


# ---- constraints


def test_counts():
    """Rows and remaining freedoms by leg type: six free spins for SPS, none for the others."""
    assert multibody.counts(gough.load("elbadawy-6sps")) == {
        "bodies": 13,
        "coordinates": 78,
        "kinematic": 66,
        "driving": 6,
        "free": 6,
    }
    for name in ("dasgupta-1998", "lopes-6pus"):
        assert multibody.counts(gough.load(name))["kinematic"] == 72
        assert multibody.counts(gough.load(name))["free"] == 0
    for kind in ("RUS", "UCU", "UCU-screw"):
        assert multibody.counts(case(kind, seed=1).platform)["kinematic"] == 72


@pytest.mark.parametrize(
    "kind", ["UPS", "SPS-general", "PUS", "RUS", "mixed", "UCU", "UCU-screw", "UCU-mixed"]
)
def test_rank(kind):
    """All rows are independent: 72 for SPS, 78 for the others."""
    c = case(kind, seed=73, states=1)
    assembly = assemble(c.platform)
    state, _ = body_motion(c.platform, c.motion[0], (c.spin_angle[0], c.spin_rate[0]))
    assert np.linalg.matrix_rank(assembly.jacobian(state)) == assembly.size


def disturbed(c, rng):
    """A configuration that violates every joint, with arbitrary speeds: derivatives must hold there too."""
    system = MachineSystem(c.platform, lengths=lambda t: (np.zeros(6),) * 3)
    state, _ = body_motion(c.platform, c.motion[0], (c.spin_angle[0], c.spin_rate[0]))
    q = system.retract(system.configuration(state), rng.normal(scale=0.05, size=78))
    return system, q, rng.normal(size=78)


@pytest.mark.parametrize("kind", ["UPS", "PUS", "RUS", "UCU", "UCU-screw"])
def test_constraint_derivatives(kind):
    """Jacobian and acceleration side against central differences along random speeds, off the constraints."""
    system, q, u = disturbed(case(kind, seed=74, states=1), np.random.default_rng(5))
    assembly, e = system.assembly, 1e-5

    def at(x):
        return system.state(system.retract(q, x * u))

    rate = (assembly.value(at(e)) - assembly.value(at(-e))) / (2 * e)
    np.testing.assert_allclose(assembly.jacobian(at(0.0)) @ u, rate, atol=1e-8)
    second = (assembly.jacobian(at(e)) @ u - assembly.jacobian(at(-e)) @ u) / (2 * e)
    np.testing.assert_allclose(assembly.gamma(at(0.0).with_speeds(u)), -second, atol=1e-7)


def test_constraint_derivatives_euler():
    """The same in the Euler coordinates of 003."""
    platform = gough.load("elbadawy-6sps")
    system = EulerSystem(platform, drivers)
    rng = np.random.default_rng(6)
    pose = Pose.from_rpy((0.01, -0.02, 0.34), (0.2, 0.1, 0.3))
    q = system.coordinates(configuration(platform, pose)[0]) + rng.normal(scale=0.01, size=78)
    qd, e = rng.normal(size=78), 1e-6
    rate = (system.constraint(q + e * qd, 0.0) - system.constraint(q - e * qd, 0.0)) / (2 * e)
    np.testing.assert_allclose(system.jacobian(q, 0.0) @ qd, rate, atol=1e-7)
    second = (system.jacobian(q + e * qd, 0.0) - system.jacobian(q - e * qd, 0.0)) @ qd / (2 * e)
    np.testing.assert_allclose(system.gamma(q, qd, 0.0), -second, atol=1e-6)  # Phi_tt = 0 at t = 0
    state = system.state(q, qd)
    np.testing.assert_allclose(system.rates(q, state.speeds), qd, rtol=1e-10)


@pytest.mark.parametrize("kind", ["UPS-rotor", "SPS-general", "mixed", "UCU-mixed"])
def test_structured_solution_is_the_full_one(kind):
    """Leg-by-leg elimination = the dense bordered system with drivers (003 eq 12), and every body balances."""
    c = case(kind, seed=75, states=1)
    assembly, spin = assemble(c.platform), (c.spin_angle[0], c.spin_rate[0])
    motion, external = c.motion[0], c.external[0]
    found = multibody.inverse_dynamics(c.platform, motion, external, spin=spin)
    state, _ = body_motion(c.platform, motion, spin)
    Phi, gamma = assembly.jacobian(state), assembly.gamma(state)
    M, f = mass(assembly, state), forces(assembly, state, Phi, gamma, external)
    ud, multiplier = found.extra["acceleration"], found.extra["multiplier"]
    assert np.abs(M @ ud + Phi.T @ multiplier - f).max() < 1e-10 * np.abs(f).max()
    gamma[assembly.driver_rows] = Phi[assembly.driver_rows] @ ud
    K = np.block([[M, Phi.T], [Phi, np.zeros((len(Phi), len(Phi)))]])
    x = np.linalg.solve(K, np.concatenate([f, gamma]))
    assert off(x[:78], ud) < 1e-9
    assert off(x[78:], multiplier) < 1e-9


# ---- power


def moved(motion: Motion, e: float) -> Motion:
    """The motion a time e later, to second order."""
    turn = rotation_exp(e * motion.angular_velocity + e * e / 2 * motion.angular_acceleration)
    return Motion(
        motion.position + e * motion.velocity + e * e / 2 * motion.acceleration,
        turn @ motion.rotation,
        motion.velocity + e * motion.acceleration,
        motion.angular_velocity + e * motion.angular_acceleration,
    )


@pytest.mark.parametrize(
    "kind", ["UPS", "UPS-rotor", "SPS-free", "PUS", "RUS", "UCU", "UCU-rotor", "UCU-upper"]
)
def test_power_balance(kind):
    """d(T + V)/dt = actuators + load - friction: 1e-6 of the largest term by central differences."""
    c = case(kind, seed=76, states=1)
    assembly, motion, load = assemble(c.platform), c.motion[0], c.external[0]
    force = multibody.inverse_dynamics(c.platform, motion, load).force
    e = 1e-6

    def energy(x):
        return sum(energies(assembly, body_motion(c.platform, moved(motion, x))[0]))

    change = (energy(e) - energy(-e)) / (2 * e)
    state, _ = body_motion(c.platform, motion)
    rate = assembly.jacobian(state)[assembly.driver_rows] @ state.speeds
    R, f = motion.rotation, assembly.friction
    ball = state.w[1:7] - state.w[0]
    hinge = state.w[assembly.strut] - state.w[assembly.support]
    legs = c.platform.legs
    C_p = np.array([leg.friction.prismatic for leg in legs])
    C_c = np.array([leg.friction.cylindrical for leg in legs])
    slide, turn = rate, np.zeros(6)
    if kind.startswith(
        "UCU"
    ):  # how the upper parts slide and turn in the lower ones, from the bodies' speeds
        s, R_up = state.A[7:13, :, 0], state.A[1:7]
        tips = np.array([-(A @ leg.upper.center) for A, leg in zip(R_up, legs, strict=True)])
        slide = (s * (state.v[1:7] + np.cross(state.w[1:7], tips))).sum(-1)
        turn = (s * (state.w[1:7] - state.w[7:13])).sum(-1)
    terms = np.array(
        [
            force @ rate,
            (R @ load[:3]) @ motion.velocity,
            (R @ load[3:]) @ motion.angular_velocity,
            -(C_p * slide**2).sum(),
            -(C_c * turn**2).sum(),
            -(f[:, 0] * (hinge**2).sum(-1)).sum(),
            -(f[:, 2] * (ball**2).sum(-1)).sum(),
        ]
    )
    assert abs(change - terms.sum()) < 1e-6 * np.abs(terms).max()


# ---- as printed


def path_of_003(count=41):
    """003's motion over one period, by the trajectory room's own inversion of the leg lengths."""
    platform = gough.load("elbadawy-6sps")
    path = legs_harmonic(
        configuration(platform, platform.home)[1],
        (0.02, -0.06, 0.02, -0.02, 0.08, -0.02),
        0.5 / np.pi,
        duration=4 * np.pi,
    )
    return platform, path.on(platform)(np.linspace(0.0, 2 * np.pi, count))


def test_printed_mass_matrix():
    """E003-1: 0.59 N of 16.95 N on the actuators, 0.05 N on leg 1's joint; nothing without it."""
    platform, motion = path_of_003()
    exact = multibody.inverse_dynamics(platform, motion)
    right = published_dynamics(platform, motion, errata=())
    assert off(right.force, exact.force) < 1e-11
    for name in REACTIONS:
        np.testing.assert_allclose(
            getattr(right.reactions, name), getattr(exact.reactions, name), atol=1e-10
        )
    printed = multibody.inverse_dynamics(platform, motion, published=True)
    assert printed.published
    assert np.abs(exact.force).max() == pytest.approx(16.95, abs=0.01)
    assert np.abs(printed.force - exact.force).max() == pytest.approx(0.59, abs=0.01)
    joint = printed.reactions.spherical_force[:, 0] - exact.reactions.spherical_force[:, 0]
    assert np.abs(joint).max() == pytest.approx(0.052, abs=0.002)
    M = published_mass_matrix(platform, motion[3].pose, errata=())
    assert off(M, multibody.mass_matrix(platform, motion[3].pose)) < 1e-12
    b = published_bias(platform, motion[3], errata=())
    assert off(b, multibody.bias(platform, motion[3])) < 1e-11
    assert off(multibody.mass_matrix(platform, motion[3].pose, published=True), M) > 1e-3
    assert off(multibody.bias(platform, motion[3], published=True), b) > 1e-4


def test_printed_eq_4():
    """E003-6: the third row of eq 4 is empty: rank 66 instead of 72, and no solution."""
    platform, motion = path_of_003(2)
    for errata, rank in (((), 72), (("E003-6",), 66)):
        system = EulerSystem(platform, drivers, errata)
        q = system.coordinates(configuration(platform, platform.home)[0])
        assert np.linalg.matrix_rank(system.jacobian(q, 0.0)) == rank
    with pytest.raises(InfeasibleError, match="rank 66"):
        multibody.inverse_dynamics(platform, motion, errata=("E003-6",))


def test_printed_limits():
    with pytest.raises(InputError, match="6-SPS"):
        multibody.inverse_dynamics(gough.load("dasgupta-1998"), paper("001-I")(0.0), published=True)
    with pytest.raises(InputError, match="errata"):
        multibody.inverse_dynamics(
            gough.load("elbadawy-6sps"), path_of_003(2)[1], errata=("E003-9",)
        )
    with pytest.raises(InputError, match="published"):
        multibody.inverse_dynamics(
            gough.load("elbadawy-6sps"), path_of_003(2)[1], published=("E003-1",)
        )
    lying = Pose.from_rpy((0.0, 0.0, 0.35), (0.0, 0.0, 0.0))
    # the paper's beta of the platform is a turn about our z: 90 deg is gimbal lock
    locked = Motion(lying.position, gough.spatial.rotation_z(np.pi / 2))
    with pytest.raises(InfeasibleError, match="gimbal"):
        multibody.inverse_dynamics(gough.load("elbadawy-6sps"), locked, published=True)


# ---- input and limits


def test_spin_must_be_given():
    c = case("SPS-general", seed=77, states=1)
    with pytest.raises(InputError, match="spin"):
        multibody.inverse_dynamics(c.platform, c.motion, c.external)


def test_out_of_reach():
    platform = gough.load("lopes-6pus")
    far = Motion.at_rest(Pose(platform.home.position + np.array([30.0, 0.0, 0.0])))
    with pytest.raises(InfeasibleError, match="out of reach"):
        multibody.inverse_dynamics(platform, far)


def test_leg_along_its_axis():
    leg = gough.load("dasgupta-1998").legs[0]
    platform = gough.load("dasgupta-1998")
    pose = paper("001-I")(0.0).pose
    s = pose.position + pose.rotation @ leg.joint - leg.base
    bad = gough.Platform(platform.body, (leg.replace(axis=s), *platform.legs[1:]))
    with pytest.raises(InfeasibleError, match="universal joint axis"):
        multibody.inverse_dynamics(bad, Motion.at_rest(pose))


def test_massless_legs():
    """3.37733 N per leg at rest in 003 without leg masses; SPS legs without axial inertia stay solvable."""
    platform = gough.load("elbadawy-6sps")
    light = [gough.SPS(leg.base, leg.joint) for leg in platform.legs]
    bare = gough.Platform(platform.body, light, home=platform.home)
    force = multibody.inverse_dynamics(bare, Motion.at_rest(platform.home)).force
    np.testing.assert_allclose(force, 3.37733, atol=6e-6)


def test_batches():
    """Leading axes and chunks change nothing."""
    platform, path = gough.load("dasgupta-1998"), paper("001-II")
    many = path(np.linspace(0.0, 0.6, 600))
    flat = multibody.inverse_dynamics(platform, many)
    one = multibody.inverse_dynamics(platform, many[577])
    np.testing.assert_allclose(flat.force[577], one.force, rtol=1e-12)
    np.testing.assert_allclose(
        flat.reactions.universal_moment[577], one.reactions.universal_moment, atol=1e-9
    )
    grid = Motion(
        *(
            getattr(many, n)[:12].reshape(3, 4, *getattr(many, n).shape[1:])
            for n in (
                "position",
                "rotation",
                "velocity",
                "angular_velocity",
                "acceleration",
                "angular_acceleration",
            )
        )
    )
    force = multibody.inverse_dynamics(platform, grid).force
    np.testing.assert_allclose(force.reshape(12, 6), flat.force[:12], rtol=1e-12)


# ---- planted errors


def no_coriolis(monkeypatch):
    original = constraints.Slide.gamma

    def wrong(self, state):
        still = constraints.BodyState(state.r, state.A, np.zeros_like(state.v), state.w)
        return original(self, still)

    monkeypatch.setattr(constraints.Slide, "gamma", wrong)


def no_gyroscopic(monkeypatch):
    monkeypatch.setattr(balance, "cross", lambda a, b: np.zeros_like(b))


def weightless_friction(monkeypatch):
    monkeypatch.setattr(balance, "_joint_friction", lambda *a: None)


def free_universal(monkeypatch):
    original = constraints.Perpendicular.gamma
    monkeypatch.setattr(
        constraints.Perpendicular, "gamma", lambda self, state: 0 * original(self, state)
    )


def local_inertia(monkeypatch):
    def wrong(assembly, state):
        return np.broadcast_to(assembly.inertia, (*state.shape, 13, 3, 3))

    monkeypatch.setattr(balance, "world_inertia", wrong)


def no_centripetal(monkeypatch):
    original = constraints.Coincide.gamma
    monkeypatch.setattr(
        constraints.Coincide, "gamma", lambda self, state: 0 * original(self, state)
    )


@pytest.mark.parametrize(
    "plant",
    [
        None,
        no_coriolis,
        no_gyroscopic,
        weightless_friction,
        free_universal,
        local_inertia,
        no_centripetal,
    ],
)
def test_planted_errors_are_seen(plant, monkeypatch):
    """The comparison with the exact model at fast random states notices each of these, and nothing else."""
    c = case("UPS", seed=78, states=3)
    exact = gough.inverse_dynamics(c.platform, c.motion, c.external)
    if plant is not None:
        plant(monkeypatch)
    error = off(multibody.inverse_dynamics(c.platform, c.motion, c.external).force, exact.force)
    assert error < 1e-10 if plant is None else error > 1e-6


@pytest.mark.parametrize(
    "kind", ["UPS", "SPS-general", "PUS", "RUS", "mixed", "UCU", "UCU-screw", "UCU-mixed"]
)
def test_damping_matrix_is_the_derivative_of_friction(kind):
    """``f(u) with friction - f(u) without = -D u``, D symmetric and dissipative, zero without friction."""
    c = case(kind, seed=31, states=2)
    legs = [  # coefficients below, at and above one: their size decides nothing
        replace(
            leg,
            friction=gough.Friction(
                0.5 + 0.5 * i,
                2.0 + i,
                2.0 - 0.5 * min(i, 3),
                0.4 + i if isinstance(leg, gough.UCU) else 0.0,
            ),
        )
        for i, leg in enumerate(c.platform.legs)
    ]
    rough, smooth = (
        replace(c.platform, legs=[replace(leg, friction=f or leg.friction) for leg in legs])
        for f in (None, gough.Friction(0.0, 0.0, 0.0))
    )
    state, _ = multibody.body_motion(rough, c.motion, (c.spin_angle, c.spin_rate))
    with_it, without = (multibody.assemble(platform) for platform in (rough, smooth))
    Phi = with_it.jacobian(state)
    lost = balance.forces(with_it, state, Phi) - balance.forces(without, state, Phi)
    D = balance.damping(with_it, state, Phi)
    np.testing.assert_allclose((D @ state.speeds[..., None])[..., 0], -lost, rtol=1e-12, atol=1e-10)
    np.testing.assert_allclose(D, np.swapaxes(D, -1, -2), atol=1e-12)
    assert np.linalg.eigvalsh(D).min() > -1e-10
    assert not balance.damping(without, state, Phi).any()
