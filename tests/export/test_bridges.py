"""Bridges to MuJoCo and Pinocchio: every index, the way there and back, masses and efforts as the machine's own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import mujoco
import numpy as np
import pinocchio
import pytest

import gough
from gough.checks import Array
from gough.export.engine_bridge import Bridge
from gough.export.linkage import PLATFORM
from gough.spatial import Motion, Pose, rotation_exp
from oracles.links import linked
from oracles.machines import case
from oracles.written_machines import machine

KINDS = ("UPS", "SPS-free", "PUS", "RUS", "UCU", "PSU", "UCS-free", "RSS-free", "UPS-offset")
BRIDGES = {"mujoco": gough.mujoco, "pinocchio": gough.pinocchio}
AXES = np.eye(3)


def some(kind: str, seed: int = 3) -> tuple[gough.Platform, Motion]:
    return machine(kind, seed, "mjcf")


def moved(motion: Motion, dt: float) -> Pose:
    """Where the motion is a moment later, by its rates and accelerations."""
    turn = dt * motion.angular_velocity + 0.5 * dt**2 * motion.angular_acceleration
    t = motion.position + dt * motion.velocity + 0.5 * dt**2 * motion.acceleration
    return Pose(t, rotation_exp(turn) @ motion.rotation)


def masses(bridge: Bridge, q: Array, v: Array) -> tuple[Array, Array]:
    """Mass matrix of the tree and what its joints need beside it: weight, velocities, damping."""
    model: Any = bridge.model
    if isinstance(model, mujoco.MjModel):
        data = mujoco.MjData(model)
        data.qpos[:], data.qvel[:] = q, v
        mujoco.mj_forward(model, data)
        M = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, M, data.qM) if mujoco.__version__ < "4" else mujoco.mj_fullM(
            model, data, M
        )
        return M, data.qfrc_bias - data.qfrc_passive
    data = model.createData()
    M = np.array(pinocchio.crba(model, data, q))
    M = np.triu(M) + np.triu(M, 1).T
    return M, pinocchio.nonLinearEffects(model, data, q, v) + model.damping * v


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("engine", BRIDGES)
def test_the_machine_is_the_same(engine: str, kind: str) -> None:
    """Loops close; masses and efforts of the tree, on the motions the loops allow, are the machine's.

    Balls at the base: from rest only, as the slope of P between two placements is no slope along a leg without spin.
    """
    platform, motion = some(kind)
    if kind in ("SPS-free", "RSS-free"):
        rates = motion.acceleration, motion.angular_acceleration
        motion = Motion(motion.position, motion.rotation, np.zeros(3), np.zeros(3), *rates)
    bridge = BRIDGES[engine](platform)
    assert bridge.closure(motion.pose) < 1e-11
    P, q = bridge.projection(motion.pose), bridge.q(motion.pose)
    assert np.abs(bridge.loop_jacobian(q) @ P).max() < 1e-9
    M, _ = masses(bridge, q, np.zeros(bridge.model.nv))
    wanted = gough.mass_matrix(platform, motion.pose)
    tolerance = 1e-8 if engine == "mujoco" else 1e-10  # MuJoCo gives a slider the tensor of a grain
    np.testing.assert_allclose(P.T @ M @ P, wanted, atol=tolerance * np.abs(wanted).max())
    dt = 1e-5
    slope = (bridge.projection(moved(motion, dt)) - bridge.projection(moved(motion, -dt))) / (
        2 * dt
    )
    twist = np.concatenate([motion.velocity, motion.angular_velocity])
    rate = np.concatenate([motion.acceleration, motion.angular_acceleration])
    _, rest = masses(bridge, q, P @ twist)
    load = P.T @ (M @ (P @ rate + slope @ twist) + rest)
    force = np.linalg.solve(P.T @ bridge.effort_matrix, load)
    exact = gough.inverse_dynamics(platform, motion).force
    np.testing.assert_allclose(force, exact, atol=1e-6 * np.abs(exact).max())


@pytest.mark.parametrize("kind", ["UPS", "RUS", "UCU", "SPS-free"])
@pytest.mark.parametrize("engine", BRIDGES)
def test_there_and_back(engine: str, kind: str) -> None:
    platform, motion = some(kind)
    bridge = BRIDGES[engine](platform)
    q, v = bridge.q(motion.pose), bridge.v(motion)
    back = bridge.motion_of(q, v)
    for name in ("position", "rotation", "velocity", "angular_velocity"):
        np.testing.assert_allclose(getattr(back, name), getattr(motion, name), atol=1e-12)
    legs = gough.inverse_kinematics(platform, motion)
    drives = [bridge.joints[leg.drive] for leg in bridge.legs.values() if leg.drive]
    np.testing.assert_allclose([q[d.q][0] for d in drives], legs.length, atol=1e-12)
    np.testing.assert_allclose([v[d.v][0] for d in drives], legs.rate, atol=1e-9)


@pytest.mark.parametrize("engine", BRIDGES)
def test_rates_are_slopes_of_configurations(engine: str) -> None:
    """v is what carries q from one pose to the next, in the engine's own way of adding."""
    platform, motion = some("SPS-free", 4)
    bridge = BRIDGES[engine](platform)
    dt, model, v = 1e-6, bridge.model, bridge.v(motion)
    before, after = (bridge.q(moved(motion, x)) for x in (-dt, dt))
    if engine == "mujoco":
        found = np.zeros(model.nv)
        mujoco.mj_differentiatePos(model, found, 2 * dt, before, after)
    else:
        found = pinocchio.difference(model, before, after) / (2 * dt)
    spinning = ~np.isin(np.arange(model.nv), _balls(bridge))
    np.testing.assert_allclose(found[spinning], v[spinning], atol=1e-5)


def _balls(bridge: Bridge) -> list[int]:
    """Rates of balls at the base: q is placed without spin angle, v without spin rate, which differ."""
    wide = [j.v for n, j in bridge.joints.items() if n != PLATFORM and j.v.stop - j.v.start == 3]
    return [i for part in wide for i in range(part.start, part.stop)]


@pytest.mark.parametrize("engine", BRIDGES)
def test_joints_and_bodies_are_where_the_machine_has_them(engine: str) -> None:
    platform, motion = some("UPS")
    bridge = BRIDGES[engine](platform)
    q, model = bridge.q(motion.pose), bridge.model
    for i, leg in enumerate(bridge.legs.values()):
        lower, upper = leg.bodies.values()
        if engine == "mujoco":
            data = mujoco.MjData(model)
            data.qpos[:] = q
            mujoco.mj_kinematics(model, data)
            low, high = data.xpos[lower], data.xpos[upper]
            assert model.actuator_trnid[leg.actuator, 0] == bridge.joints[str(leg.drive)].index
            assert model.eq(leg.constraint).name == f"{platform.leg_names[i]}-ball"
        else:
            data = model.createData()
            pinocchio.forwardKinematics(model, data, q)
            low, high = data.oMi[lower].translation, data.oMi[upper].translation
            assert model.names[bridge.joints[str(leg.drive)].index] == leg.drive
            assert bridge.constraints[leg.constraint].joint1_id == upper
        b, p = platform.legs[i].base, platform.legs[i].joint
        np.testing.assert_allclose(low, b, atol=1e-12)
        np.testing.assert_allclose(high, motion.position + motion.rotation @ p, atol=1e-11)


@pytest.mark.parametrize("engine", BRIDGES)
def test_a_swapped_index_is_noticed(engine: str) -> None:
    platform, motion = some("UPS")
    bridge = BRIDGES[engine](platform)
    one, two = bridge.joints["L1-drive"], bridge.joints["L2-drive"]
    bridge.joints["L1-drive"] = replace(one, q=two.q)
    bridge.joints["L2-drive"] = replace(two, q=one.q)
    assert bridge.closure(motion.pose) > 1e-4
    bridge.joints["L1-drive"], bridge.joints["L2-drive"] = one, two
    right = bridge.effort_matrix
    bridge.joints["L1-drive"] = replace(one, v=two.v)
    assert not np.array_equal(bridge.effort_matrix, right)


def test_constraint_dynamics_of_pinocchio_is_ours() -> None:
    """Its own solver, on the model and the loops of the bridge, from our efforts to our accelerations."""
    platform, motion = some("UCU")
    bridge = gough.pinocchio(platform)
    q, v = bridge.q(motion.pose), bridge.v(motion)
    force = gough.inverse_dynamics(platform, motion).force
    model, data = bridge.model, bridge.data
    loops = bridge.constraints, bridge.constraint_data
    begin = loops if pinocchio.__version__ >= "4" else loops[:1]
    pinocchio.initConstraintDynamics(model, data, *begin)
    settings = pinocchio.ProximalSettings(1e-12, 1e-12, 20)
    tau = bridge.effort_matrix @ force - model.damping * v
    a = pinocchio.constraintDynamics(model, data, q, v, tau, *loops, settings)
    own = bridge.joints[PLATFORM].v
    spatial = pinocchio.Motion(a[own])
    twist = pinocchio.Motion(v[own])
    linear = motion.rotation @ (spatial.linear + np.cross(twist.angular, twist.linear))
    np.testing.assert_allclose(linear, motion.acceleration, atol=1e-5)
    turning = motion.rotation @ spatial.angular
    np.testing.assert_allclose(turning, motion.angular_acceleration, atol=1e-5)


def test_links_and_screws() -> None:
    held = linked("UPS", seed=3, count=2, states=1)
    assert held is not None
    for make in BRIDGES.values():
        bridge = make(held.platform)
        fixed = [name for name, leg in bridge.legs.items() if leg.drive is None]
        assert len(fixed) == 2
        assert (np.abs(bridge.effort_matrix).sum(axis=0) == 0.0).sum() == 2
        assert bridge.closure(held.motion[0].pose) < 1e-11
    screw = case("UCU-screw", seed=3, states=1).platform
    told = gough.mujoco(screw).effort_matrix
    assert ((told != 0.0).sum(axis=0) == 2).all()
    with pytest.raises(gough.InputError, match=r"no rotor|length and twist"):
        gough.pinocchio(screw)
    with pytest.raises(gough.InputError, match="no springs"):
        gough.pinocchio(case("UCU", seed=3, states=1, springs=True).platform)


def test_wrong_arguments_are_refused() -> None:
    platform, motion = some("UPS")
    bridge = gough.pinocchio(platform)
    for call in (
        lambda: bridge.q(motion),
        lambda: bridge.v(motion.pose),
        lambda: bridge.pose_of(np.zeros(3)),
        lambda: bridge.motion_of(bridge.q(motion.pose), np.full(bridge.model.nv, np.nan)),
    ):
        with pytest.raises(gough.InputError):
            call()
    assert len(repr(bridge)) < 120
