"""What MJCF says beyond bodies and joints: visuals, ranges, largest forces, possible tensors."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.export.mjcf import mjcf
from gough.export.xml_files import physical, solid
from oracles.machines import case

mujoco = pytest.importorskip("mujoco")


def limited(kind: str) -> gough.Platform:
    platform = case(kind, seed=3, states=1).platform
    lengths = gough.inverse_kinematics(platform, platform.require_home(), engine="python").length
    legs = []
    for i, leg in enumerate(platform.legs):
        stroke = (lengths[i] - 0.1, lengths[i] + 0.01 * (i + 1))
        limits = leg.limits.replace(stroke=stroke, force=100.0 * (i + 1))
        legs.append(leg.replace(limits=limits))
    return platform.replace(legs=legs)


def read(platform: gough.Platform):  # type: ignore[no-untyped-def]
    model = mujoco.MjModel.from_xml_string(mjcf(platform))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


@pytest.mark.parametrize("kind", ["UPS", "RUS", "UCU-screw"])
def test_ranges_and_forces_are_the_limits(kind: str) -> None:
    platform = limited(kind)
    model, data = read(platform)
    data.ctrl[:] = 1e6
    mujoco.mj_forward(model, data)
    for i, name in enumerate(platform.leg_names):
        limits = platform.legs[i].limits
        assert limits.force is not None
        screw = kind == "UCU-screw"
        at = (model.tendon(f"{name}-travel") if screw else model.joint(f"{name}-drive")).id
        told = (model.tendon_range if screw else model.jnt_range)[at]
        assert told == pytest.approx(limits.stroke, rel=1e-15)
        assert (model.tendon_limited if screw else model.jnt_limited)[at]
        assert model.actuator(name).forcerange == pytest.approx((-limits.force, limits.force))
        assert data.actuator_force[i] == pytest.approx(limits.force)


def test_a_machine_without_limits_has_none() -> None:
    platform = case("UPS", seed=3, states=1).platform
    bare = [leg.replace(limits=gough.Limits()) for leg in platform.legs]
    model, _ = read(platform.replace(legs=bare))
    assert not model.jnt_limited.any()
    assert not model.actuator_forcelimited.any()


@pytest.mark.parametrize("kind", ["UPS", "PUS", "RUS", "UCU"])
def test_rods_are_seen_where_the_machine_is(kind: str) -> None:
    """Ends of the rods are joints; they touch nothing and weigh nothing."""
    platform = case(kind, seed=3, states=1).platform
    model, data = read(platform)
    assert model.ngeom >= 12
    assert data.ncon == 0
    assert not model.geom_contype.any()
    bare = sum(b.mass for leg in platform.legs for b in parts_of(leg)) + platform.body.mass
    assert model.body_mass.sum() == pytest.approx(bare, rel=1e-12)
    half = model.geom_size[:, 1:2] * data.geom_xmat.reshape(-1, 3, 3)[:, :, 2]
    ends = np.concatenate([data.geom_xpos + half, data.geom_xpos - half])
    pose = platform.require_home()
    for joint in pose.position + platform.platform_joints @ pose.rotation.T:
        assert np.linalg.norm(ends - joint, axis=1).min() < 1e-9
    for joint in platform.base_joints:
        assert np.linalg.norm(ends - joint, axis=1).min() < 1e-9


def parts_of(leg):  # type: ignore[no-untyped-def]
    parts = [
        getattr(leg, name) for name in ("lower", "upper", "link", "crank") if hasattr(leg, name)
    ]
    return [*parts, *([gough.Body(leg.slider_mass)] if hasattr(leg, "rail") else [])]


def test_an_impossible_tensor_becomes_the_nearest_with_a_warning() -> None:
    with pytest.warns(gough.ModelWarning):
        odd = gough.load("dasgupta-1998")
    with pytest.warns(gough.ModelWarning, match="nearest one that can"):
        text = mjcf(odd)
    mujoco.MjModel.from_xml_string(text)
    with pytest.warns(gough.ModelWarning):
        body = gough.Body(2.0, inertia=[1.0, 1.0, 3.0])
    with pytest.warns(gough.ModelWarning, match="body.inertia"):
        near = solid(body, "body", "MuJoCo")
    assert physical(near)
    # no possible tensor is nearer, by second moments
    target = body.second_moment()
    best = np.linalg.norm(np.trace(near) / 2 * np.eye(3) - near - target)
    rng = np.random.default_rng(5)
    for _ in range(200):
        A = rng.normal(size=(3, 3))
        other = np.trace(near) / 2 * np.eye(3) - near + 0.05 * (A + A.T)
        w = np.linalg.eigvalsh(other)
        if w[0] >= 0.0:
            assert np.linalg.norm(other - target) > best - 1e-5


def test_a_possible_tensor_is_not_touched() -> None:
    body = gough.Body(2.0, inertia=[1.0, 1.5, 2.0])
    assert (solid(body, "body", "MuJoCo") == body.inertia).all()
