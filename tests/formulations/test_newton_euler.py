"""[Dasgupta1998] against its golden numbers, the power balance, and its own mass matrix."""

import warnings

import numpy as np
import pytest

from gough.checks import InfeasibleError, InputError
from gough.formulations import newton_euler
from gough.model import SPS, Body, ModelWarning, Platform
from gough.model.files import load
from gough.spatial import Motion, Pose
from gough.trajectory import line
from ups_energy import energy, power_terms, random_machine, random_motion

NORMAL = (
    Pose.from_rpy((0.1, 0.0, 0.4), (0.0, 0.0, -0.2)),
    Pose.from_rpy((0.3, 0.0, 0.6), (0.0, 0.0, 0.2)),
)
PATH_I = line(*NORMAL, duration=6.0, max_speed=0.08, max_rate=0.08)
PATH_II = line(*NORMAL, duration=0.6, max_speed=0.8, max_rate=0.8)
SINGULAR = (
    Pose.from_rpy((0.4, 1.4, 1.2), (0.1, 0.2, 0.0)),
    Pose.from_rpy((0.8, 1.8, 1.8), (0.3, 0.4, 0.0)),
)
PATH_III = line(*SINGULAR, duration=6.0, max_speed=0.2, max_rate=0.08)
GOLDEN = {  # exact forces, N, computed by an independent program
    ("I", 0): (411.5293, -1146.6681, 1434.0676, -616.9372, -68.9928, 370.5364),
    ("I", 30): (372.0930, -745.9985, 918.7608, -336.7961, -1.2524, 216.2021),
    ("I", 60): (569.7233, -516.9033, 459.2288, -69.4837, 151.0829, -154.1439),
    ("II", 0): (304.8870, -1580.0764, 2133.4065, -901.6936, -354.5777, 899.3712),
    ("II", 60): (809.0963, -401.6700, 74.7153, 129.9521, 314.4939, -611.3334),
}


@pytest.fixture(scope="module")
def machine():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return load("dasgupta-1998")


@pytest.fixture(scope="module")
def paths():
    return {"I": PATH_I.sample(61), "II": PATH_II.sample(61), "III": PATH_III.sample(61)}


@pytest.mark.parametrize(("path", "index"), list(GOLDEN))
def test_golden_forces(machine, paths, path, index):
    force = newton_euler.inverse_dynamics(machine, paths[path]).force[index]
    np.testing.assert_allclose(force, GOLDEN[path, index], atol=6e-5)


def test_golden_forces_as_printed(machine, paths):
    result = newton_euler.inverse_dynamics(machine, paths["I"][0], published=True)
    np.testing.assert_allclose(
        result.force, (388.2024, -1118.9854, 1419.3606, -618.5325, -75.5482, 386.9663), atol=6e-5
    )
    np.testing.assert_allclose(
        result.extra["massless"],
        (298.7222, -892.4810, 1158.1218, -516.4248, -47.2519, 319.7960),
        atol=6e-5,
    )
    assert result.published


@pytest.mark.parametrize(
    ("errata", "slow", "fast"),
    [
        (newton_euler.PRINTED, 27.7, 103.9),
        (newton_euler.PRINTED | {"E001-4"}, 349.6, 678.5),
        ({"E001-1"}, 0.16, 16.1),
        ({"E001-2"}, 28.3, 43.1),
        ({"E001-3"}, 1.04, 103.7),
        ({"E001-4"}, 347.0, 635.0),
    ],
)
def test_cost_of_each_erratum(machine, paths, errata, slow, fast):
    for path, expected in (("I", slow), ("II", fast)):
        exact = newton_euler.inverse_dynamics(machine, paths[path]).force
        printed = newton_euler.inverse_dynamics(machine, paths[path], errata=errata).force
        rounding = 0.5 if expected > 600 and "E001-1" not in errata else 0.06
        assert abs(np.abs(printed - exact).max() - expected) < rounding


def test_dynamic_fraction_and_condition(machine, paths):
    printed = np.abs(newton_euler.dynamic_fraction(machine, paths["I"], published=True))
    assert printed[:, 3].max() == pytest.approx(0.405, abs=5e-4)
    assert printed[:, :4].max() == printed[:, 3].max()
    assert printed[:, :4].mean() == pytest.approx(0.182, abs=5e-4)
    exact = np.abs(newton_euler.dynamic_fraction(machine, paths["I"]))
    assert exact[:, :4].max() == pytest.approx(0.525, abs=5e-4)
    cond = newton_euler.condition(machine, paths["I"].pose)
    np.testing.assert_allclose((cond[0], cond.min(), cond[-1]), (38.08, 34.69, 47.19), atol=6e-3)


def test_singular_path(machine, paths):
    result = newton_euler.inverse_dynamics(machine, paths["III"], published=True)
    assert result.condition.argmax() == np.abs(result.force).max(axis=-1).argmax() == 37
    assert 1e5 < np.abs(result.force).max() < 1e7
    det = np.linalg.det(result.wrench_matrix)
    assert det[36] * det[37] < 0


@pytest.mark.parametrize("drive", [None, "fixed", "riding"])
@pytest.mark.parametrize("seed", range(4))
def test_power_balance(seed, drive):
    machine, x = random_machine(seed, drive=drive), random_motion(seed)
    external = np.random.default_rng(seed).normal(size=6) * 30
    force = newton_euler.inverse_dynamics(machine, x, external).force
    residual, _, scale = power_terms(machine, x, force, external)
    assert abs(residual) < 1e-12 * scale


def test_power_balance_finds_every_erratum(machine):
    """Each printed slip breaks the balance on Path II (peak dE/dt 381.9 W at these samples)."""
    path = PATH_II.sample(121)

    def worst(errata):
        force = newton_euler.inverse_dynamics(machine, path, errata=errata).force
        return max(abs(power_terms(machine, path[i], force[i])[0]) for i in range(121))

    assert worst(()) < 1e-11
    assert worst(newton_euler.PRINTED) == pytest.approx(13.37, abs=0.01)
    assert worst(newton_euler.PRINTED | {"E001-4"}) == pytest.approx(64.51, abs=0.01)
    assert worst({"E001-4"}) == pytest.approx(59.88, abs=0.01)
    for key in newton_euler.ERRATA:
        assert worst({key}) > 0.5


@pytest.mark.parametrize("drive", [None, "riding"])
def test_mass_matrix_and_bias(drive):
    machine, x = random_machine(5, drive=drive), random_motion(6, (7,))
    M, b = newton_euler.mass_matrix(machine, x.pose), newton_euler.bias(machine, x)
    assert np.abs(M - np.swapaxes(M, -1, -2)).max() < 1e-12 * np.abs(M).max()
    assert np.linalg.eigvalsh(M).min() > 0
    result = newton_euler.inverse_dynamics(machine, x)
    xdd = np.concatenate([x.acceleration, x.angular_acceleration], axis=-1)
    wrench = np.einsum("...ij,...j->...i", result.wrench_matrix, result.force)
    np.testing.assert_allclose(
        np.einsum("...ij,...j->...i", M, xdd) + b, wrench, rtol=1e-11, atol=1e-10
    )
    twist = np.concatenate([x.velocity, x.angular_velocity], axis=-1)[0]
    still = machine.replace(gravity=np.zeros(3))
    kinetic = energy(still, x.position[0], x.rotation[0], x.velocity[0], x.angular_velocity[0]).real
    assert twist @ M[0] @ twist / 2 == pytest.approx(kinetic, rel=1e-12)


def test_printed_mass_matrix(machine):
    """E001-1 and E001-2 alone break the symmetry of M; together they are symmetric but wrong."""
    exact = newton_euler.mass_matrix(machine, NORMAL[0])
    for key in ("E001-1", "E001-2"):
        M = newton_euler.mass_matrix(machine, NORMAL[0], errata={key})
        assert np.abs(M - M.T).max() > 0.05
    M = newton_euler.mass_matrix(machine, NORMAL[0], published=True)
    assert np.abs(M - M.T).max() < 1e-13
    assert np.abs(M - exact).max() > 0.5


def test_reactions_hold_every_body(machine):
    """Forces and moments of each part and of the platform sum to its inertia; the U-joint carries only c."""
    machine, x = random_machine(8), random_motion(9)
    external = np.arange(6.0)
    result = newton_euler.inverse_dynamics(machine, x, external)
    r = result.reactions
    body, R, w, al, g = (
        machine.body,
        x.rotation,
        x.angular_velocity,
        x.angular_acceleration,
        machine.gravity,
    )
    arm = R @ body.center
    a = x.acceleration + np.cross(al, arm) + np.cross(w, np.cross(w, arm))
    total = r.spherical_force.sum(axis=0) + R @ external[:3] + body.mass * g
    np.testing.assert_allclose(total, body.mass * a, atol=1e-9)
    motion = newton_euler.leg_motion(machine, x)
    s, W = motion.direction, motion.angular_velocity
    np.testing.assert_allclose((r.prismatic_force * s).sum(axis=-1), result.force, atol=1e-9)
    constraint = (
        r.universal_moment + np.array([leg.friction.universal for leg in machine.legs])[:, None] * W
    )
    k = np.array([leg.axis for leg in machine.legs])
    y = np.cross(k, s)
    assert np.abs((constraint * k).sum(-1)).max() < 1e-9
    assert np.abs((constraint * y).sum(-1)).max() < 1e-9
    assert np.abs(constraint).max() > 1.0
    lower = r.universal_force - r.prismatic_force  # the prismatic friction acts between the parts
    slide = np.array([leg.friction.prismatic for leg in machine.legs]) * motion.rate
    for i, leg in enumerate(machine.legs):
        T = np.stack(
            [s[i], y[i] / np.linalg.norm(y[i]), np.cross(s[i], y[i]) / np.linalg.norm(y[i])], axis=1
        )
        r_d = T @ leg.lower.center
        A = motion.angular_acceleration[i]
        a_d = np.cross(A, r_d) + np.cross(W[i], np.cross(W[i], r_d))
        np.testing.assert_allclose(
            lower[i] + slide[i] * s[i], leg.lower.mass * (a_d - g), atol=1e-9
        )


def test_moment_along_leg_of_printed_model(machine):
    """E001-2: leg 3 carries 8.35 N m along c at rest in the start pose, the paper's eq 29 gives 4.43."""
    x = Motion.at_rest(NORMAL[0])
    exact = newton_euler.reactions(machine, x).universal_moment[2]
    printed = newton_euler.reactions(machine, x, errata={"E001-2"}).universal_moment[2]
    assert np.linalg.norm(exact) == pytest.approx(8.35, abs=0.005)
    assert np.linalg.norm(printed) == pytest.approx(4.43, abs=0.005)


def test_angular_motion_matches_the_leg_frame(machine):
    """W and A are the motion of the frame T: checked by central differences of the directions."""
    h, t = 1e-5, 3.0
    legs = newton_euler.leg_motion(machine, PATH_I([t - h, t, t + h]))
    slope = (legs.direction[2] - legs.direction[0]) / (2 * h)
    np.testing.assert_allclose(
        np.cross(legs.angular_velocity[1], legs.direction[1]), slope, atol=1e-9
    )
    np.testing.assert_allclose(
        (legs.angular_velocity[2] - legs.angular_velocity[0]) / (2 * h),
        legs.angular_acceleration[1],
        atol=1e-9,
    )
    np.testing.assert_allclose((legs.length[2] - legs.length[0]) / (2 * h), legs.rate[1], atol=1e-9)
    np.testing.assert_allclose(
        (legs.rate[2] - legs.rate[0]) / (2 * h), legs.acceleration[1], atol=1e-9
    )


def test_batches_and_static_weight(machine):
    x = random_motion(3, (2, 3))
    m = random_machine(3)
    batch = newton_euler.inverse_dynamics(m, x)
    one = newton_euler.inverse_dynamics(m, x[1, 2])
    np.testing.assert_allclose(batch.force[1, 2], one.force, rtol=1e-12)
    moment = batch.reactions.prismatic_moment[1, 2]
    np.testing.assert_allclose(moment, one.reactions.prismatic_moment, rtol=1e-10)
    M = newton_euler.mass_matrix(m, x.pose)
    np.testing.assert_allclose(
        M[1, 2], newton_euler.mass_matrix(m, x[1, 2].pose), rtol=1e-11, atol=1e-12
    )
    rest = newton_euler.reactions(machine, Motion.at_rest(NORMAL[0]))
    weight = -(40.0 + 6 * 4.0) * machine.gravity
    np.testing.assert_allclose(rest.universal_force.sum(axis=0), weight, atol=1e-10)


def test_bad_input(machine):
    x = PATH_I(0.0)
    with pytest.raises(InputError, match="E001-9"):
        newton_euler.inverse_dynamics(machine, x, errata={"E001-9"})
    with pytest.raises(InputError, match="external"):
        newton_euler.inverse_dynamics(machine, x, (1, 2, 3))
    leg = machine.legs[0]
    mixed = Platform(
        machine.body, [SPS(leg.base, leg.joint, Body(1.0), Body(1.0)), *machine.legs[1:]]
    )
    with pytest.raises(InputError, match=r"legs\[0\].*SPS.*multibody"):
        newton_euler.mass_matrix(mixed, x.pose)
    along = machine.legs[0].replace(axis=PATH_I(0.0).position + x.rotation @ leg.joint - leg.base)
    with pytest.raises(InfeasibleError, match="leg 1"):
        newton_euler.inverse_dynamics(machine.replace(legs=[along, *machine.legs[1:]]), x)
