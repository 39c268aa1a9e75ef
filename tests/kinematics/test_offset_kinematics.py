"""Offset universal joints in kinematics: geometry, rates, forward kinematics, contraction, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.analysis.singularity import singularity
from gough.analysis.state_space import joint_stiffness
from gough.analysis.stiffness import stiffness_matrix
from gough.kinematics.aspects import aspects
from gough.kinematics.estimation import estimate_pose
from gough.kinematics.forward import forward_accelerations, forward_kinematics, forward_rates, track
from gough.kinematics.jacobian import jacobian, jacobian_dot, wrench_matrix
from gough.kinematics.mode_boxes import modes_within
from gough.kinematics.offset import offset_contraction
from gough.kinematics.regular_paths import path_check
from gough.kinematics.uncertainty import pose_uncertainty
from gough.limits import check
from gough.model.geometry import hexapod
from gough.spatial import Pose, rotation_exp
from gough.struts import lengths_only, struts

pytest.importorskip("pinocchio")
from campaigns.newton_campaign import APART, RESIDUAL, STEPS, apart, asked
from oracles.compare import answers
from oracles.machines import Case
from oracles.offset_machines import KINDS, offset_case, offset_cases
from oracles.pinocchio_model import PinocchioEngine
from oracles.source import friction_power


def desktop(**joint: float) -> gough.Platform:
    """A desktop hexapod of UCU legs; every joint has the same offsets, mirrored at the platform."""
    machine = hexapod(0.25, 0.15, 0.3, 1.0, 0.35, leg="UCU")
    below = gough.JointOffset(**joint)
    above = gough.JointOffset(**{name: -value for name, value in joint.items()})
    legs = [leg.replace(base_offset=below, platform_offset=above) for leg in machine.legs]
    return machine.replace(legs=tuple(legs))


@pytest.mark.parametrize("kind", KINDS)
def test_geometry_rates_and_their_derivatives_equal_pinocchio(kind: str) -> None:
    c = offset_case(kind, seed=51)
    theirs, m = answers(PinocchioEngine(c.platform), c), c.motion
    g, J, Jd = struts(c.platform, m), jacobian(c.platform, m), jacobian_dot(c.platform, m)
    rate = g.rate(m.velocity, m.angular_velocity)
    xd = np.concatenate([m.velocity, m.angular_velocity], axis=-1)
    xdd = np.concatenate([m.acceleration, m.angular_acceleration], axis=-1)
    for i, a in enumerate(theirs):
        turns = 2 * np.pi * np.round((g.coordinate[i] - a.coordinate) / (2 * np.pi))
        np.testing.assert_allclose(g.coordinate[i] - turns, a.coordinate, atol=1e-14)
        np.testing.assert_allclose(g.direction[i], a.direction, atol=1e-14)
        np.testing.assert_allclose(J[i], a.jacobian, atol=1e-13 * np.abs(a.jacobian).max())
        np.testing.assert_allclose(rate[i], a.rate, atol=1e-13 * np.abs(a.rate).max())
        size = np.abs(a.acceleration).max()
        np.testing.assert_allclose(J[i] @ xdd[i] + Jd[i] @ xd[i], a.acceleration, atol=1e-12 * size)
        np.testing.assert_allclose(forward_rates(c.platform, m.pose[i], a.rate), xd[i], atol=1e-12)
        _, found = forward_accelerations(c.platform, m.pose[i], a.rate, a.acceleration)
        np.testing.assert_allclose(found, xdd[i], rtol=1e-10, atol=1e-10)


def test_the_wrench_of_an_effort_is_the_row_of_its_rate() -> None:
    """Virtual work; planted: the leg's direction alone is another wrench."""
    for kind in ("UPS-offset", "UCU-offset"):
        c = offset_case(kind, seed=53, states=3)
        H, J = wrench_matrix(c.platform, c.motion), jacobian(c.platform, c.motion)
        np.testing.assert_allclose(H, np.swapaxes(J, -1, -2), atol=1e-14)
        s = np.swapaxes(struts(c.platform, c.motion).direction, -1, -2)
        assert np.abs(H[:, :3] - s).max() > 1e-3
        result = gough.inverse_dynamics(c.platform, c.motion, engine="python")
        np.testing.assert_array_equal(result.H, H)
        scaled = H.copy()
        scaled[:, 3:] /= c.platform.characteristic_length
        found = singularity(c.platform, c.motion.pose).condition
        np.testing.assert_allclose(found, np.linalg.cond(scaled), rtol=1e-10)


@pytest.mark.parametrize("kind", ["UPS-offset", "UCU-offset", "UCU-screw-offset"])
def test_forward_kinematics(kind: str) -> None:
    """At most six Newton steps from 20 mm and 5 degrees away, to 1e-14; nothing is called certified."""
    for seed, c in enumerate(offset_cases(kind, 4, states=1, seed=54)):
        fk, pose = asked(c, seed)
        assert fk.success
        assert fk.iterations <= STEPS
        assert fk.residual < RESIDUAL
        assert apart(c, fk, pose) < APART
        assert not fk.certified
        assert not fk.straight
        assert "offset joints" in fk.proof


def test_forward_kinematics_in_batches_and_where_there_is_no_pose() -> None:
    platform = desktop(e=0.02, f=0.01)
    home, rng = platform.require_home(), np.random.default_rng(3)
    t = home.position + rng.uniform(-0.03, 0.03, (20, 3))
    R = rotation_exp(rng.uniform(-0.2, 0.2, (20, 3)))
    length = struts(platform, Pose(t, R)).coordinate
    fk = forward_kinematics(platform, length.reshape(4, 5, 6))
    assert fk.success.all()
    np.testing.assert_allclose(fk.pose.position.reshape(20, 3), t, atol=1e-13)
    length[7] = 0.9, 0.1, 0.9, 0.1, 0.9, 0.1
    fk = forward_kinematics(platform, length)
    assert not fk.success[7]
    assert np.isnan(fk.pose.position[7]).all()
    assert fk.success[np.arange(20) != 7].all()
    assert "meters" in str(forward_kinematics(platform, 1e3 * length[0]).status)


def test_ignoring_offsets_costs_millimeters() -> None:
    """e = 20 mm at both joints of the desktop machine: lengths differ by up to millimeters, home's constant removed."""
    platform, ideal = desktop(e=0.02), hexapod(0.25, 0.15, 0.3, 1.0, 0.35, leg="UCU")
    home, rng = platform.require_home(), np.random.default_rng(5)
    t = home.position + rng.uniform(-0.05, 0.05, (50, 3))
    poses = Pose(t, rotation_exp(rng.uniform(-0.3, 0.3, (50, 3))))
    apart = struts(platform, poses).coordinate - struts(ideal, poses).coordinate
    apart -= struts(platform, home).coordinate - struts(ideal, home).coordinate
    assert 2e-4 < np.abs(apart).max() < 2e-2


def test_ball_at_the_platform_moves_on_a_torus() -> None:
    """``(P.P + e^2 - L^2 - d^2)^2 = 4 e^2 (P.P - P_k^2)`` for f = 0; closed form and iteration agree."""
    from gough.offset_legs import _ball, _closed, offset_legs

    c = offset_case("UPS-offset", seed=57, states=3)
    legs = [leg.replace(base_offset=leg.base_offset.replace(f=0.0)) for leg in c.platform.legs]
    machine = c.platform.replace(legs=tuple(legs))
    L = struts(machine, c.motion).coordinate
    P = c.motion.position[:, None] + machine.platform_joints @ np.swapaxes(c.motion.rotation, 1, 2)
    P = P - machine.base_joints
    e, d = (np.array([getattr(leg.base_offset, name) for leg in legs]) for name in "ed")
    square, along = (P * P).sum(-1), (P * np.array([leg.axis for leg in legs])).sum(-1)
    torus = (square + e**2 - L**2 - d**2) ** 2 - 4 * e**2 * (square - along**2)
    assert np.abs(torus).max() < 1e-14
    found = offset_legs(c.platform)
    assert found is not None
    s, closed = _closed(found, P, found.platform_axes(c.motion.rotation))
    assert closed.all()
    np.testing.assert_allclose(s, _ball(found, P), atol=1e-15)


def test_the_contraction_number() -> None:
    platform = desktop(e=0.01)
    q = offset_contraction(platform, platform.require_home())
    assert q.shape == (6,)
    assert ((q > 0.0) & (q < 1.0)).all()
    np.testing.assert_allclose(
        offset_contraction(desktop(e=0.001), platform.require_home()), q / 10, rtol=0.2
    )
    assert (offset_contraction(desktop(e=0.2), platform.require_home()) == np.inf).all()
    ups = offset_case("UPS-offset", seed=1)
    assert not offset_contraction(ups.platform, ups.motion).any()
    assert not gough.kinematics.offset_contraction(gough.load("octahedral-33"), ups.motion).any()


def test_what_needs_spheres_is_refused() -> None:
    for platform in (desktop(e=0.01), offset_case("UPS-offset", seed=2).platform):
        home = platform.require_home()
        length = struts(platform, home).coordinate
        assert not lengths_only(platform)
        for ask in (
            lambda: gough.assembly_modes(platform, length),  # noqa: B023
            lambda: track(platform, length[None], home),  # noqa: B023
            lambda: path_check(platform, home, home),  # noqa: B023
            lambda: pose_uncertainty(platform, length, actuator=1e-5),  # noqa: B023
            lambda: modes_within(platform, length, actuator=1e-5),  # noqa: B023
            lambda: aspects(platform, Pose(home.position[None], home.rotation[None])),  # noqa: B023
        ):
            with pytest.raises(gough.InputError, match="not on a sphere"):
                ask()


def test_estimates_and_limits_read_the_true_geometry() -> None:
    """Least squares on the true rows; strokes, cones and distances of the leg's own axis."""
    platform = desktop(e=0.02, d=0.005)
    home = platform.require_home()
    pose = Pose.from_rpy(home.position + np.array([0.01, -0.01, 0.02]), (0.05, -0.03, 0.04))
    g = struts(platform, pose)
    found = estimate_pose(platform, g.coordinate, actuator=1e-5)
    np.testing.assert_allclose(found.pose.position, pose.position, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(g.end - g.start, axis=-1), g.coordinate, rtol=1e-14)
    joints = pose.position + platform.platform_joints @ pose.rotation.T
    apart = np.linalg.norm(g.start - platform.base_joints, axis=-1)
    assert (np.abs(apart - 0.02) < 0.005).all()  # e n + d z: n and z are not at right angles
    assert np.linalg.norm(g.end - joints, axis=-1).min() > 0.015
    narrow = gough.Limits(stroke=(0.0, float(g.coordinate.max()) - 1e-6))
    tight = platform.replace(legs=tuple(leg.replace(limits=narrow) for leg in platform.legs))
    judged = check(tight, pose)
    assert not judged.ok
    assert judged.violations()[0].leg == int(np.argmax(g.coordinate))


@pytest.mark.parametrize("kind", ["UPS-offset", "UCU-screw-offset"])
def test_joint_stiffness_is_what_friction_loses_per_rate(kind: str) -> None:
    c = offset_case(kind, seed=56, states=1)
    for universal, spherical in ((1.0, 0.0), (0.0, 1.0)):
        rub = gough.Friction(universal=universal, spherical=spherical)
        legs = tuple(leg.replace(friction=rub) for leg in c.platform.legs)
        rubbing = Case(
            c.platform.replace(legs=legs), c.motion, c.external, c.spin_angle, c.spin_rate
        )
        motion = gough.inverse_kinematics(rubbing.platform, c.motion, engine="python")
        found = {"rate": 0.0 * motion.rate, "angular_velocity": motion.angular_velocity}
        lost = friction_power(rubbing, found).sum()
        K = joint_stiffness(c.platform, c.motion.pose, universal, spherical)[0]
        x = np.concatenate([c.motion.velocity[0], c.motion.angular_velocity[0]])
        np.testing.assert_allclose(x @ K @ x, lost, rtol=1e-11)


def test_stiffness_of_locked_actuators_is_along_the_true_rows() -> None:
    platform = desktop(e=0.02, f=0.01)
    home = platform.require_home()
    K = stiffness_matrix(platform, home, stiffness=1e7, preload=False)
    J = jacobian(platform, home)
    np.testing.assert_allclose(K, 1e7 * J.T @ J, atol=1e-13 * np.abs(K).max())
    ideal = hexapod(0.25, 0.15, 0.3, 1.0, 0.35, leg="UCU")
    other = stiffness_matrix(ideal, home, stiffness=1e7, preload=False)
    assert (
        np.abs(K - other).max() > 1e-3 * np.abs(K).max()
    )  # planted: rows of joints whose axes meet


def test_a_leg_that_cannot_close_is_refused_by_name() -> None:
    platform = desktop(e=0.02)
    home = platform.require_home()
    joint = home.position + home.rotation @ platform.legs[2].joint
    along = joint - platform.legs[2].base
    crooked = gough.JointOffset(e=0.02, f=0.05)
    legs = list(platform.legs)
    legs[2] = legs[2].replace(axis=along / np.linalg.norm(along), base_offset=crooked)
    stuck = platform.replace(legs=tuple(legs))
    assert not struts(stuck, home).reachable[2]
    for ask in (gough.inverse_kinematics, gough.inverse_dynamics, gough.mass_matrix):
        with pytest.raises(gough.InfeasibleError, match=r"leg L3.*do not meet, cannot close"):
            ask(stuck, home, engine="python")
    legs = gough.inverse_kinematics(stuck, home, engine="python", check=False)
    assert np.isnan(legs.length[2])
    assert np.isnan(legs.direction[2]).all()
    assert np.isfinite(legs.length[[0, 1, 3, 4, 5]]).all()
    with pytest.raises(gough.InfeasibleError, match="cannot close"):
        jacobian(stuck, home)


def test_beyond_its_first_axis_a_ups_leg_is_another_assembly() -> None:
    """The strut swings past its first axis while the joint goes on: refused, never the other side's numbers."""
    c = offset_case("UPS-offset", seed=3, states=1)
    leg = c.platform.legs[0].replace(base_offset=gough.JointOffset(e=0.05))
    machine = c.platform.replace(legs=(leg, *c.platform.legs[1:]))
    R = c.motion.rotation[0]
    for across, fine in ((0.08, True), (0.02, False)):
        out = np.cross(leg.axis, [0.3, 0.4, 0.5])
        joint = leg.base + leg.axis + across * out / np.linalg.norm(out)
        g = struts(machine, Pose(joint - R @ leg.joint, R))
        assert bool(np.isfinite(g.coordinate[0])) is fine


@pytest.mark.parametrize(
    "formulation", ["newton-euler", "universal", "lagrange", "kane", "multibody"]
)
def test_formulations_refuse(formulation: str) -> None:
    platform = offset_case("UPS-offset", seed=4).platform
    with pytest.raises(gough.InputError, match="use formulation 'exact'"):
        gough.inverse_dynamics(platform, platform.require_home(), formulation=formulation)
