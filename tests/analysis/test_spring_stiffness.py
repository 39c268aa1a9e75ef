"""Stiffness and natural frequencies of machines with springs in their joints, against Pinocchio and closed forms."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("pinocchio")

import gough
from gough.analysis import modes, stiffness_matrix
from gough.analysis.joint_stiffness import joint_stiffness, spring_stiffness
from gough.analysis.state_space import linearize
from gough.checks import Array, InputError
from gough.model.springs import HINGES
from gough.spatial import rotation_exp
from oracles.machines import case
from oracles.offset_machines import offset_case
from oracles.pinocchio_model import PinocchioEngine
from oracles.projection import Closed

LEG = 3e6  # N/m, or N m/rad for cranks


def outside(machine: gough.Platform, pose: gough.Pose) -> tuple[Array, Array]:
    """Stiffness (4th-order differences) and mass by Pinocchio, actuators held by springs of LEG where they stand."""
    engine = PinocchioEngine(machine)

    def at(z: Array) -> tuple[Array, Array, Array, Array]:
        here = gough.Pose(pose.position + z[:3], rotation_exp(z[3:]) @ pose.rotation)
        answer = Closed(
            engine, machine, gough.Motion.at_rest(here), np.zeros(6), np.zeros(6), np.zeros(6)
        ).answer()
        return answer.bias, answer.jacobian, answer.coordinate, answer.mass_matrix

    bias, J, rest, M = at(np.zeros(6))
    static = np.linalg.solve(J.T, bias)

    def residual(z: Array) -> Array:
        b, J, coordinate, _ = at(z)
        return b - J.T @ (static - LEG * (coordinate - rest))

    h = 1e-3
    columns = [
        (8 * (residual(h * e) - residual(-h * e)) - residual(2 * h * e) + residual(-2 * h * e))
        / (12 * h)
        for e in np.eye(6)
    ]
    return np.stack(columns, axis=1), M


@pytest.mark.parametrize("kind", ["UPS", "PUS", "RUS", "UCU", "UCU-screw", "PSU"])
def test_stiffness_and_frequencies_are_pinocchios(kind: str) -> None:
    c = case(kind, seed=51, states=1, springs=True, friction=False, drive=False)
    legs = []
    for leg in c.platform.legs:  # stiff joints: their share is seen beside that of the legs
        s = leg.springs
        more = {name: 500.0 * getattr(s, name) for name in (*HINGES, "base_ball", "platform_ball")}
        legs.append(leg.replace(springs=s.replace(**more)))
    machine = c.platform.replace(legs=legs)
    pose = c.motion.pose[0]
    K, M = outside(machine, pose)
    found = stiffness_matrix(machine, pose, stiffness=LEG)
    size = np.abs(K).max()
    assert np.abs(K - K.T).max() < 1e-7 * size
    assert np.abs(found - K).max() < 1e-7 * size
    bare = machine.replace(legs=[leg.replace(springs=gough.JointSprings()) for leg in legs])
    assert np.abs(found - stiffness_matrix(bare, pose, stiffness=LEG)).max() > 1e-3 * size
    squares = np.sort(np.linalg.eigvals(np.linalg.solve(M, K)).real)
    frequency = modes(machine, pose, stiffness=LEG, motors="rigid").frequency
    assert frequency == pytest.approx(np.sqrt(np.abs(squares)) / (2 * np.pi), rel=1e-7)


@pytest.mark.parametrize("kind", ["UPS-offset", "UCU-screw-offset"])
def test_stiffness_of_springs_in_offset_joints_is_pinocchios(kind: str) -> None:
    """Slopes (4th-order differences) of what the springs of the weightless machine at rest ask of the platform."""
    c = offset_case(kind, seed=52, states=1, springs=True)
    legs = [leg.replace(torsion=0.0) if hasattr(leg, "torsion") else leg for leg in c.platform.legs]
    machine, pose = c.platform.replace(legs=legs, gravity=np.zeros(3)), c.motion.pose[0]
    engine, none = PinocchioEngine(machine), np.zeros(6)

    def bias(z: Array) -> Array:
        here = gough.Pose(pose.position + z[:3], rotation_exp(z[3:]) @ pose.rotation)
        return Closed(engine, machine, gough.Motion.at_rest(here), none, none, none).answer().bias

    h = 1e-3
    K = np.stack(
        [
            (8 * (bias(h * e) - bias(-h * e)) - bias(2 * h * e) + bias(-2 * h * e)) / (12 * h)
            for e in np.eye(6)
        ],
        axis=1,
    )
    found = spring_stiffness(machine, pose)
    assert np.abs(found - 0.5 * (K + K.T)).max() < 1e-7 * np.abs(K).max()
    straight = [leg.replace(base_offset=None) for leg in legs]
    straight = [
        leg.replace(platform_offset=None) if hasattr(leg, "platform_offset") else leg
        for leg in straight
    ]
    ideal = spring_stiffness(machine.replace(legs=straight), pose)
    assert np.abs(ideal - found).max() > 1e-3 * np.abs(K).max()


def test_the_flexure_hexapod_stands_on_its_flexures() -> None:
    """The preset, legs held by LEG: stiffness and frequencies are Pinocchio's; unheld, its flexures alone carry it."""
    machine = gough.load("flexure-hexapod")
    home = machine.require_home()
    K, M = outside(machine, home)
    found = stiffness_matrix(machine, home, stiffness=LEG)
    assert np.abs(found - K).max() < 1e-8 * np.abs(K).max()
    squares = np.sort(np.linalg.eigvals(np.linalg.solve(M, K)).real)
    frequency = modes(machine, home, stiffness=LEG, motors="rigid").frequency
    assert frequency == pytest.approx(np.sqrt(squares) / (2 * np.pi), rel=1e-8)
    assert np.linalg.eigvalsh(spring_stiffness(machine, home)).min() > 1.0
    assert machine.body.mass == 12.0
    relaxed = gough.inverse_dynamics(machine, home, engine="python").reactions
    assert np.abs(relaxed.platform_moment).max() < 1e-12


@pytest.mark.parametrize(
    ("name", "top"),
    [
        ("servo-hexapod", {"platform_ball": 7.0}),
        ("screw-hexapod", {"platform_first": 7.0, "platform_second": 7.0}),
    ],
)
def test_springs_relaxed_at_the_pose_are_the_joint_stiffness_of_linear_models(
    name: str, top: dict[str, float]
) -> None:
    """One source: the arguments of `linearize` and springs of the machine's own give the same model."""
    machine = gough.load(name)
    home = machine.require_home()
    springs = gough.JointSprings(4.0, 4.0, **top)
    own = machine.replace(legs=[leg.replace(springs=springs) for leg in machine.legs])
    K = joint_stiffness(machine, home, 4.0, 7.0)
    assert spring_stiffness(own, home) == pytest.approx(K, abs=1e-12 * np.abs(K).max())
    given = linearize(machine, home, universal=4.0, spherical=7.0)
    np.testing.assert_allclose(linearize(own, home).A, given.A, rtol=1e-9, atol=1e-8)
    for preload in (True, False):
        by_machine = stiffness_matrix(own, home, stiffness=1e4, preload=preload)
        by_argument = stiffness_matrix(
            machine, home, stiffness=1e4, universal=4.0, spherical=7.0, preload=preload
        )
        assert by_machine == pytest.approx(by_argument, abs=1e-9 * np.abs(by_machine).max())


def test_the_joint_of_a_crank_turns_against_the_crank() -> None:
    """``W - Omega`` in the joint on the crank: the rate of the crank itself loads no spring of it."""
    machine = gough.load("servo-hexapod")
    home = machine.require_home()
    twists = np.eye(6)
    unit = gough.Motion(
        np.tile(home.position, (6, 1)),
        np.tile(home.rotation, (6, 1, 1)),
        twists[:, :3],
        twists[:, 3:],
    )
    legs = gough.inverse_kinematics(machine, unit)
    shafts = np.array([leg.shaft for leg in machine.legs])  # type: ignore[union-attr]
    turning = legs.angular_velocity - legs.rate[..., None] * shafts
    wanted = 5.0 * np.einsum("alk,blk->ab", turning, turning)
    found = joint_stiffness(machine, home, 5.0, 0.0)
    assert np.abs(found - wanted).max() < 1e-12 * np.abs(wanted).max()


def test_the_spin_of_a_leg_between_balls_shares_the_turning() -> None:
    """``w_s = k_s w.s/(k_u + k_s)`` makes the energy least; without a spring at the base the leg just spins."""
    machine = gough.load("syed-6sps")
    home = machine.require_home()
    twists = np.eye(6)
    unit = gough.Motion(
        np.tile(home.position, (6, 1)),
        np.tile(home.rotation, (6, 1, 1)),
        twists[:, :3],
        twists[:, 3:],
    )
    legs, w = gough.inverse_kinematics(machine, unit), twists[:, None, 3:]
    s = legs.direction
    swing = legs.angular_velocity - (legs.angular_velocity * s).sum(-1, keepdims=True) * s
    for k_u, k_s in ((300.0, 700.0), (0.0, 700.0), (300.0, 0.0)):
        W = swing + k_s / (k_u + k_s) * (w * s).sum(-1, keepdims=True) * s
        wanted = k_u * np.einsum("alk,blk->ab", W, W)
        wanted += k_s * np.einsum("alk,blk->ab", W - w, W - w)
        found = joint_stiffness(machine, home, k_u, k_s)
        assert found == pytest.approx(wanted, rel=1e-12, abs=1e-12 * np.abs(wanted).max())


def test_what_has_no_stiffness_alone_says_so() -> None:
    for kind in ("UCS-general", "RSS-general"):
        spun = case(kind, seed=52, states=1, springs=True).platform
        with pytest.raises(InputError, match="spin is part of the state"):
            spring_stiffness(spun, spun.require_home())
    machine = gough.load("syed-6sps")
    springs = gough.JointSprings(base_ball=3.0)
    own = machine.replace(legs=[leg.replace(springs=springs) for leg in machine.legs])
    with pytest.raises(InputError, match="spin is part of the state"):
        spring_stiffness(own, own.require_home())
    with pytest.raises(InputError, match="universal"):
        joint_stiffness(machine, machine.require_home(), -1.0, 0.0)
    assert not spring_stiffness(machine, machine.require_home()).any()


def test_batches_of_poses_are_the_poses_alone() -> None:
    """Symmetric in every pose, whatever the shape of the batch, though moments turn with the platform."""
    c = case("UPS", seed=52, states=6, springs=True, friction=False, drive=False)
    pose = c.motion.pose
    alone = np.stack([spring_stiffness(c.platform, pose[k]) for k in range(6)])
    assert np.abs(alone - np.swapaxes(alone, 1, 2)).max() == 0.0
    size = np.abs(alone).max()
    assert np.abs(spring_stiffness(c.platform, pose) - alone).max() < 1e-12 * size
    square = gough.Pose(pose.position.reshape(2, 3, 3), pose.rotation.reshape(2, 3, 3, 3))
    found = spring_stiffness(c.platform, square)
    assert np.abs(found.reshape(6, 6, 6) - alone).max() < 1e-12 * size
