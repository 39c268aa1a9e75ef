"""UCU legs and screws in kinematics: twist, travel, rates, forward kinematics, singularities, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.analysis.singularity import singularity
from gough.analysis.state_space import joint_stiffness
from gough.kinematics.aspects import aspects
from gough.kinematics.forward import forward_accelerations, forward_kinematics, forward_rates, track
from gough.kinematics.jacobian import jacobian, jacobian_dot, wrench_matrix
from gough.kinematics.regular_paths import path_check
from gough.kinematics.uncertainty import pose_uncertainty
from gough.model.geometry import hexapod
from gough.spatial import Motion, Pose, rotation_exp
from gough.struts import crank_zeros, struts
from gough.twist import twist
from oracles.compare import answers
from oracles.machines import Case, case, cases
from oracles.projection import Answer
from oracles.source import friction_power

pytest.importorskip("pinocchio")
from campaigns.newton_campaign import APART, RESIDUAL, STEPS, apart, asked
from oracles.pinocchio_model import PinocchioEngine

ALL = ("UCU", "UCU-screw", "UCU-upper", "UCU-mixed")


def known(kind: str, seed: int, states: int = 2) -> tuple[Case, list[Answer]]:
    c = case(kind, seed=seed, states=states)
    return c, answers(PinocchioEngine(c.platform), c)


@pytest.mark.parametrize("kind", ALL)
def test_geometry_rates_and_their_derivatives_equal_pinocchio(kind: str) -> None:
    c, theirs = known(kind, 51)
    m = c.motion
    g, J, Jd = struts(c.platform, m), jacobian(c.platform, m), jacobian_dot(c.platform, m)
    rate = g.rate(m.velocity, m.angular_velocity)
    xd = np.concatenate([m.velocity, m.angular_velocity], axis=-1)
    xdd = np.concatenate([m.acceleration, m.angular_acceleration], axis=-1)
    for i, a in enumerate(theirs):
        turns = 2 * np.pi * np.round((g.coordinate[i] - a.coordinate) / (2 * np.pi))
        np.testing.assert_allclose(g.coordinate[i] - turns, a.coordinate, atol=1e-14)
        np.testing.assert_allclose(J[i], a.jacobian, atol=1e-13 * np.abs(a.jacobian).max())
        np.testing.assert_allclose(rate[i], a.rate, atol=1e-13 * np.abs(a.rate).max())
        size = np.abs(a.acceleration).max()
        np.testing.assert_allclose(J[i] @ xdd[i] + Jd[i] @ xd[i], a.acceleration, atol=1e-12 * size)
        twisted = forward_rates(c.platform, m.pose[i], a.rate)
        np.testing.assert_allclose(twisted, xd[i], atol=1e-12)
        _, found = forward_accelerations(c.platform, m.pose[i], a.rate, a.acceleration)
        np.testing.assert_allclose(found, xdd[i], rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("kind", ["UCU-screw", "UCU-upper"])
def test_jacobian_dot_is_the_derivative(kind: str) -> None:
    c = case(kind, seed=52, states=1)
    t, R, v, w = (
        a[0]
        for a in (
            c.motion.position,
            c.motion.rotation,
            c.motion.velocity,
            c.motion.angular_velocity,
        )
    )

    def at(s: float) -> np.ndarray:
        return jacobian(c.platform, Pose(t + s * v, rotation_exp(s * w) @ R))

    h = 1e-4
    slope = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)
    np.testing.assert_allclose(jacobian_dot(c.platform, c.motion)[0], slope, atol=1e-9)


def test_the_wrench_of_an_effort_is_the_row_of_its_rate() -> None:
    """Virtual work; planted: the leg's direction alone is another wrench."""
    c = case("UCU-screw", seed=53, states=3)
    H, J = wrench_matrix(c.platform, c.motion), jacobian(c.platform, c.motion)
    np.testing.assert_allclose(H, np.swapaxes(J, -1, -2), atol=1e-14)
    g = struts(c.platform, c.motion)
    assert np.abs(H[:, :3] - np.swapaxes(g.direction, -1, -2)).max() > 1e-5
    result = gough.inverse_dynamics(c.platform, c.motion, engine="python")
    np.testing.assert_array_equal(result.H, H)
    found = singularity(c.platform, c.motion.pose)
    scaled = H.copy()
    scaled[:, 3:] /= c.platform.characteristic_length
    np.testing.assert_allclose(found.condition, np.linalg.cond(scaled), rtol=1e-10)


@pytest.mark.parametrize("kind", ["UCU-screw", "UCU-upper"])
def test_forward_kinematics_with_screws(kind: str) -> None:
    """At most six Newton steps from 20 mm and 5 degrees away, to 1e-14; nothing is called certified."""
    for seed, c in enumerate(cases(kind, 6, states=1, seed=54)):
        fk, pose = asked(c, seed)
        assert fk.success
        assert fk.iterations <= STEPS
        assert fk.residual < RESIDUAL
        assert apart(c, fk, pose) < APART
        assert not fk.certified
        assert not fk.straight
        assert "screws" in fk.proof


def test_forward_kinematics_in_batches_and_where_there_is_no_pose() -> None:
    platform = gough.load("screw-hexapod")
    assert platform.home is not None
    rng = np.random.default_rng(3)
    t = platform.home.position + rng.uniform(-0.03, 0.03, (40, 3))
    R = rotation_exp(rng.uniform(-0.2, 0.2, (40, 3)))
    length = struts(platform, Pose(t, R)).coordinate
    fk = forward_kinematics(platform, length.reshape(8, 5, 6))
    assert fk.success.all()
    np.testing.assert_allclose(fk.pose.position.reshape(40, 3), t, atol=1e-13)
    length[7] = 0.9, 0.1, 0.9, 0.1, 0.9, 0.1
    fk = forward_kinematics(platform, length)
    assert not fk.success[7]
    assert np.isnan(fk.pose.position[7]).all()
    assert fk.success[np.arange(40) != 7].all()
    with pytest.raises(gough.InputError, match="positive"):
        forward_kinematics(platform, -length[0])
    millimeters = forward_kinematics(platform, 1e3 * length[0])
    assert "meters" in str(millimeters.status)


def test_without_a_screw_the_sphere_model_holds() -> None:
    """Certified, tracked, all modes: as the UPS machine with the same joints."""
    platform = gough.load("motion-base-ucu")
    assert platform.home is not None
    pose = Pose.from_rpy(platform.home.position + np.array([0.01, 0.02, 0.02]), (0.02, -0.01, 0.03))
    length = gough.inverse_kinematics(platform, pose, engine="python").length
    fk = forward_kinematics(platform, length)
    assert fk.certified
    np.testing.assert_allclose(fk.pose.position, pose.position, atol=1e-13)
    found = track(platform, np.linspace(struts(platform, platform.home).coordinate, length, 5))
    assert found.certified.all()
    assert path_check(platform, platform.home, pose).regular


def test_what_needs_spheres_is_refused_with_screws() -> None:
    platform = gough.load("screw-hexapod")
    home = platform.require_home()
    length = struts(platform, home).coordinate
    for ask in (
        lambda: gough.assembly_modes(platform, length),
        lambda: track(platform, length[None], home),
        lambda: path_check(platform, home, home),
        lambda: pose_uncertainty(platform, length, actuator=1e-5),
        lambda: aspects(platform, Pose(home.position[None], home.rotation[None])),
    ):
        with pytest.raises(gough.InputError, match="not on a sphere"):
            ask()


def test_strut_along_the_platform_axis_is_refused_by_name() -> None:
    platform = gough.load("motion-base-ucu")
    home = platform.require_home()
    g = struts(platform, home)
    axis = home.rotation.T @ g.direction[2]
    legs = list(platform.legs)
    legs[2] = legs[2].replace(platform_axis=axis)
    stuck = platform.replace(legs=tuple(legs))
    for ask in (gough.inverse_kinematics, gough.inverse_dynamics, gough.mass_matrix):
        with pytest.raises(gough.InfeasibleError, match=r"leg L3.*universal joint at the platform"):
            ask(stuck, home, engine="python")


def test_the_twist_is_continuous_within_half_a_turn_of_home() -> None:
    """Across the cut of atan2: a home at 170 degrees, a yaw of 40 more; the travel grows without a jump."""
    platform = hexapod(0.25, 0.15, 0.3, 1.0, 0.35, leg="UCU", screw=gough.Screw(0.005))
    home = platform.require_home()
    turned = rotation_exp(np.array([0.0, 0.0, np.deg2rad(170)]))
    legs = tuple(leg.replace(platform_axis=turned @ leg.axis) for leg in platform.legs)  # type: ignore[union-attr]
    platform = platform.replace(legs=legs)
    yaw = np.linspace(0, np.deg2rad(40), 81)
    path = Pose(
        np.broadcast_to(home.position, (81, 3)),
        rotation_exp(yaw[:, None] * np.array([0.0, 0.0, 1.0])),
    )
    g = struts(platform, path)
    extra = g.coordinate - np.linalg.norm(g.end - g.start, axis=-1)
    assert np.abs(np.diff(extra, axis=0)).max() < 0.005 / 81
    zero = np.array(crank_zeros(platform))
    assert (np.abs(zero) > 2.5).all()
    plain = twist(platform.legs[0].axis, path.rotation @ legs[0].platform_axis, g.direction[:, 0])  # type: ignore[union-attr]
    assert np.abs(np.diff(plain)).max() > 6.0  # planted: the principal value jumps on this path


def test_the_public_arcsine_is_right_only_for_antiparallel_axes() -> None:
    """``L + lead asin(nb3.na2)/(2 pi)`` of a well-known component, against the exact twist of a right-hand screw."""
    lead = 0.005
    base = hexapod(0.25, 0.15, 0.3, 1.0, 0.35, leg="UCU", screw=gough.Screw(lead))
    pose = Pose.from_rpy(base.require_home().position, (np.deg2rad(5), np.deg2rad(-4), 0.1))

    def errors(sign: float) -> np.ndarray:
        legs = tuple(leg.replace(platform_axis=sign * leg.platform_axis) for leg in base.legs)  # type: ignore[union-attr]
        platform = base.replace(legs=legs)
        start = [
            leg.screw.replace(zero=z) for leg, z in zip(legs, crank_zeros(platform), strict=True)
        ]  # type: ignore[union-attr]
        legs = tuple(leg.replace(screw=s) for leg, s in zip(legs, start, strict=True))
        g = struts(platform.replace(legs=legs), pose)
        home = struts(platform.replace(legs=legs), base.require_home())
        out = []
        for leg, now, then in zip(legs, range(6), range(6), strict=True):
            folded = []
            for s, R in ((g.direction[now], pose.rotation), (home.direction[then], np.eye(3))):
                nb3 = np.cross(s, np.cross(leg.axis, s))
                na2 = np.cross(R @ leg.platform_axis, s)
                folded.append(np.arcsin(nb3 @ na2 / np.linalg.norm(nb3) / np.linalg.norm(na2)))
            L = np.linalg.norm(g.end[now] - g.start[now])
            public = L + lead * (folded[0] - folded[1]) / (2 * np.pi)
            out.append(abs(public - g.coordinate[now]))
        return np.array(out)

    assert errors(-1.0).max() < 1e-16 * 8
    assert errors(1.0).max() > 5e-5


def test_constructors_and_their_refusals() -> None:
    platform = hexapod(0.25, 0.15, 0.3, 1.0, 0.35, leg="UCU")
    np.testing.assert_allclose(crank_zeros(platform), 0.0, atol=1e-15)
    with pytest.raises(gough.InputError, match="screw"):
        hexapod(0.25, 0.15, 0.3, 1.0, 0.35, leg="UPS", screw=gough.Screw(0.005))
    with pytest.raises(gough.InputError, match="UPS, SPS, UCU or UCS"):
        hexapod(0.25, 0.15, 0.3, 1.0, 0.35, leg="RUS")  # type: ignore[arg-type]
    for wrong in (
        {"lead": -0.005},
        {"lead": 0.005, "hand": "both"},
        {"lead": 0.005, "mount": "side"},
    ):
        with pytest.raises(gough.InputError):
            gough.Screw(**wrong)
    leg = platform.legs[0]
    with pytest.raises(gough.InputError, match="cylindrical"):
        gough.load("octahedral-33").legs[0].replace(friction=gough.Friction(cylindrical=1.0))
    assert leg.replace(friction=gough.Friction(cylindrical=1.0)).friction.cylindrical == 1.0


@pytest.mark.parametrize("formulation", ["newton-euler", "universal"])
def test_formulations_refuse(formulation: str) -> None:
    platform = gough.load("screw-hexapod")
    with pytest.raises(gough.InputError, match="use formulation 'exact'"):
        gough.inverse_dynamics(platform, platform.require_home(), formulation=formulation)


def test_written_and_read_again() -> None:
    from gough.model.files import dumps, loads

    for kind in ALL:
        platform = case(kind, seed=55, states=1).platform
        assert loads(dumps(platform)) == platform


def test_a_motion_is_followed_by_its_legs() -> None:
    """Rates and accelerations of the travel along a path, by differences of the travel itself."""
    platform = gough.load("screw-hexapod")
    home = platform.require_home()
    w, v = np.array([0.3, -0.2, 0.4]), np.array([0.02, 0.01, -0.03])

    def at(s: float) -> np.ndarray:
        return struts(platform, Pose(home.position + s * v, rotation_exp(s * w))).coordinate

    h = 1e-3
    legs = gough.inverse_kinematics(
        platform, Motion(home.position, np.eye(3), v, w, np.zeros(3), np.zeros(3)), engine="python"
    )
    np.testing.assert_allclose(legs.rate, (at(h) - at(-h)) / (2 * h), atol=1e-8)
    np.testing.assert_allclose(legs.acceleration, (at(h) - 2 * at(0) + at(-h)) / h**2, atol=1e-7)


def test_joint_springs_feel_the_upper_part_at_the_platform() -> None:
    """The platform joints' stiffness is what their friction loses per unit rate, with the same coefficient."""
    c = case("UCU-screw", seed=56, states=1)
    legs = tuple(leg.replace(friction=gough.Friction(spherical=1.0)) for leg in c.platform.legs)
    rubbing = Case(c.platform.replace(legs=legs), c.motion, c.external, c.spin_angle, c.spin_rate)
    found = {"rate": np.zeros((1, 6)), "angular_velocity": np.zeros((1, 6, 3))}
    lost = friction_power(rubbing, found).sum()
    K = joint_stiffness(c.platform, c.motion.pose, 0.0, 1.0)[0]
    x = np.concatenate([c.motion.velocity[0], c.motion.angular_velocity[0]])
    np.testing.assert_allclose(x @ K @ x, lost, rtol=1e-12)
