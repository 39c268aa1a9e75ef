"""Shapes in model files: in the same places in all three, without mass, touching nothing unless asked to."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import gough
from gough.checks import Array
from gough.export.mjcf import mjcf
from gough.export.sdf import sdf
from gough.export.urdf import urdf
from gough.spatial import rotation_from_rpy

mujoco = pytest.importorskip("mujoco", reason="NO MUJOCO: the shapes were not read by it")
PRESETS = {"UPS": "motion-base-1500", "PUS": "hexaglide", "RUS": "servo-hexapod"}
pytestmark = pytest.mark.filterwarnings("ignore::gough.ModelWarning")


def machine(kind: str) -> gough.Platform:
    return gough.load(PRESETS[kind])


def frame(numbers: str | None) -> tuple[Array, Array]:
    """Rotation and position of six numbers x, y, z, roll, pitch, yaw."""
    six = np.array((numbers or "0 0 0 0 0 0").split(), dtype=float)
    return rotation_from_rpy(six[3:]), six[:3]


def origin(element: Any) -> tuple[Array, Array]:
    at = element.find("origin")
    return frame(None if at is None else f"{at.get('xyz')} {at.get('rpy')}")


def behind(a: tuple[Array, Array], b: tuple[Array, Array]) -> tuple[Array, Array]:
    return a[0] @ b[0], a[1] + a[0] @ b[1]


def places_in_urdf(text: str) -> dict[str, Array]:
    """Centers of the visuals in the world, all joints at zero."""
    root = ElementTree.fromstring(text)
    joints = {j.find("child").get("link"): j for j in root.findall("joint")}  # type: ignore[union-attr]

    def of(link: str) -> tuple[Array, Array]:
        if link not in joints:
            return frame(None)
        joint = joints[link]
        return behind(of(joint.find("parent").get("link")), origin(joint))  # type: ignore[union-attr,arg-type]

    return {
        str(visual.get("name")).removesuffix("-look"): behind(
            of(str(link.get("name"))), origin(visual)
        )[1]
        for link in root.findall("link")
        for visual in link.findall("visual")
    }


def places_in_sdf(text: str) -> dict[str, Array]:
    found = {}
    for model in ElementTree.fromstring(text).iter("model"):
        for link in model.findall("link"):
            for visual in link.findall("visual"):
                at = behind(frame(link.findtext("pose")), frame(visual.findtext("pose")))
                found[str(visual.get("name")).removesuffix("-look")] = at[1]
    return found


@pytest.mark.parametrize("kind", PRESETS)
def test_the_three_files_show_one_machine(kind: str) -> None:
    platform = machine(kind)
    model = mujoco.MjModel.from_xml_string(mjcf(platform))
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    here = {model.geom(i).name: data.geom_xpos[i] for i in range(model.ngeom)}
    assert len(here) == model.ngeom  # names differ
    for other in (places_in_urdf(urdf(platform)), places_in_sdf(sdf(platform))):
        assert set(other) == set(here)
        off = max(np.abs(other[name] - here[name]).max() for name in here)
        assert off < 1e-9 * max(1.0, np.abs(data.geom_xpos).max())
    home = platform.require_home()
    for i, joint in enumerate(platform.platform_joints):
        ball = here[f"{platform.leg_names[i]}-platform-ball"]
        np.testing.assert_allclose(ball, home.position + home.rotation @ joint, atol=1e-12)


def stepped(text: str, force: Array) -> tuple[Any, Array]:
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.ctrl[:] = force
    for _ in range(10):
        mujoco.mj_step(model, data)
    return model, np.concatenate([data.qpos, data.qvel, data.qacc])


@pytest.mark.parametrize("kind", PRESETS)
def test_shapes_change_no_physics(kind: str) -> None:
    """The same masses, moments and motion to the last bit, with shapes for the eye and for contacts."""
    platform = machine(kind)
    force = 1.2 * gough.inverse_dynamics(platform, platform.require_home()).force
    bare, wanted = stepped(mjcf(platform, visuals=False), force)
    assert bare.ngeom == 0
    assert np.abs(wanted).max() > 0.0
    for collisions in (False, True):
        model, found = stepped(mjcf(platform, collisions=collisions), force)
        for name in ("body_mass", "body_inertia", "body_ipos", "body_iquat", "dof_armature"):
            assert np.array_equal(getattr(model, name), getattr(bare, name))
        assert np.array_equal(found, wanted)
        seen = [i for i in range(model.ngeom) if not model.geom(i).name.endswith("-touch")]
        assert not model.geom_contype[seen].any()
        assert not model.geom_conaffinity.any()


def test_contacts_are_with_others_and_only_where_asked_for() -> None:
    platform = machine("UPS")
    top = platform.require_home().position[2] + 0.05
    ball = f'<body pos="0 0 {top}"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
    ball += '<geom size="0.2"/></body>'
    touched = {}
    for collisions in (False, True):
        text = mjcf(platform, collisions=collisions)
        model = mujoco.MjModel.from_xml_string(text.replace("</worldbody>", ball + "</worldbody>"))
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        touched[collisions] = data.ncon
    assert touched[False] == 0 < touched[True]


@pytest.mark.parametrize("write", [mjcf, urdf, sdf])
def test_without_visuals_there_is_nothing_to_see(write: Any) -> None:
    text = write(machine("RUS"), visuals=False)
    assert not any(word in text for word in ("<visual", "<geom", "material", "<collision"))
    both = write(machine("RUS"), collisions=True)
    assert len(both) > len(write(machine("RUS"))) > len(text)


def test_plates_are_the_machines_own_where_it_has_them() -> None:
    corners: Any = [[0.8, 0.0], [-0.4, 0.7], [-0.4, -0.7]]
    platform = machine("UPS").replace(
        base_shape=gough.Plate(-0.3, -0.1, radius=1.9, center=np.array([0.1, 0.2])),
        platform_shape=gough.Plate(0.2, 0.24, outline=corners),
    )
    model = mujoco.MjModel.from_xml_string(mjcf(platform))
    base = model.geom("base-plate")
    np.testing.assert_allclose(base.size[:2], [1.9, 0.1])
    np.testing.assert_allclose(base.pos, [0.1, 0.2, -0.2], atol=1e-12)
    walls = [model.geom(f"platform-wall-{i + 1}") for i in range(3)]
    for wall, a, b in zip(walls, corners, corners[1:] + corners[:1], strict=True):
        np.testing.assert_allclose(wall.pos, [*np.mean([a, b], axis=0), 0.22], atol=1e-12)
        assert wall.size[0] == pytest.approx(0.5 * np.linalg.norm(np.subtract(a, b)))
        assert wall.size[2] == pytest.approx(0.02)
