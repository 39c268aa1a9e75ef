"""Springs of the joints in exported models: MuJoCo accelerates as the equations say, the others say them or refuse."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

import gough
from gough.checks import Array
from gough.export.mjcf import mjcf
from gough.export.sdf import sdf
from gough.export.urdf import urdf, urdf_companion
from gough.spatial import rotation_exp
from oracles.machines import case


def sprung(kind: str, k: float = 400.0) -> tuple[gough.Platform, gough.Pose]:
    """Springs in universal joints only, half of them relaxed elsewhere; and a pose away from both."""
    machine = case(kind, seed=3, states=1).platform
    home, legs = machine.require_home(), []
    near = gough.Pose(home.position, rotation_exp([0.02, -0.03, 0.04]) @ home.rotation)
    for i, leg in enumerate(machine.legs):
        springs = gough.JointSprings(k * (1 + i), k * (2 + i), home=near if i % 2 else None)
        legs.append(leg.replace(springs=springs))
    away = gough.Pose(home.position + 0.03, rotation_exp([-0.1, 0.08, 0.12]) @ home.rotation)
    return machine.replace(legs=legs), away


def accelerations(machine: gough.Platform, pose: gough.Pose, force: Array) -> tuple[Array, Array]:
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string(mjcf(machine, pose))
    data = mujoco.MjData(model)
    data.ctrl[:] = force
    mujoco.mj_forward(model, data)
    found = data.joint("platform").qacc
    return found[:3].copy(), pose.rotation @ found[3:]


@pytest.mark.parametrize("kind", ["UPS", "PUS", "RUS"])
def test_mujoco_accelerates_as_the_equations_say(kind: str) -> None:
    machine, pose = sprung(kind)
    bare = machine.replace(legs=[leg.replace(springs=gough.JointSprings()) for leg in machine.legs])
    force = gough.inverse_dynamics(machine, pose, engine="python").force
    own, without = (
        gough.forward_dynamics(m, pose, force, engine="python") for m in (machine, bare)
    )
    found = np.concatenate(accelerations(machine, pose, force))
    wanted, wrong = (
        np.concatenate([a.acceleration, a.angular_acceleration]) for a in (own, without)
    )
    size = np.abs(wrong).max()
    assert size > 1.0
    assert np.abs(found - wanted).max() < 3e-3 * size + 1e-2  # its constraints are soft
    planted = np.concatenate(accelerations(bare, pose, force))  # the springs forgotten
    assert np.abs(planted - wanted).max() > 0.5 * size


def test_balls_are_refused_where_there_is_no_word_for_them() -> None:
    machine = gough.load("motion-base-1500")
    springs = gough.JointSprings(platform_ball=3.0)
    own = machine.replace(legs=[leg.replace(springs=springs) for leg in machine.legs])
    for write, name in ((mjcf, "MJCF"), (sdf, "SDF")):
        with pytest.raises(
            gough.InputError, match=rf"springs\.platform_ball.*{name} has no springs"
        ):
            write(own)
    told = urdf_companion(own)["springs"]["L1"]
    assert told["platform_ball"] == (3.0 * np.eye(3)).tolist()
    assert "stiffness" not in urdf(own)
    assert urdf_companion(machine)["springs"] == {}


@pytest.mark.parametrize(
    ("kind", "balls"),
    [
        ("SPS-general", ("base_ball", "platform_ball")),
        ("PSU", ("base_ball",)),
        ("UCS-general", ("platform_ball",)),
        ("RSS-general", ("base_ball", "platform_ball")),
    ],
)
def test_balls_of_every_leg_are_told_where_a_file_has_a_word_for_them(
    kind: str, balls: tuple[str, ...]
) -> None:
    """MJCF and SDF refuse them by their names; the companion of a URDF says stiffness and where they are relaxed."""
    machine = case(kind, seed=4, states=1).platform
    home, near = machine.require_home(), gough.Pose([0.0, 0.1, 1.2], rotation_exp([0.0, 0.1, 0.0]))
    for ball in balls:
        K = np.diag([3.0, 4.0, 5.0])
        legs = [
            leg.replace(springs=gough.JointSprings(**{ball: K}, home=near if i else None))
            for i, leg in enumerate(machine.legs)
        ]
        own = machine.replace(legs=legs)
        for write, name in ((mjcf, "MJCF"), (sdf, "SDF")):
            with pytest.raises(gough.InputError, match=rf"springs\.{ball}.*{name} has no springs"):
                write(own)
        told = urdf_companion(own)["springs"]
        for leg, rest in zip(own.leg_names, (home, *[near] * 5), strict=True):
            assert told[leg][ball] == K.tolist()
            assert told[leg]["home"] == [rest.position.tolist(), rest.rotation.tolist()]


@pytest.mark.parametrize("kind", ["UPS", "PUS", "RUS"])
def test_sdf_and_companion_say_what_mjcf_says(kind: str) -> None:
    machine, pose = sprung(kind)
    joints = {j.get("name"): j for j in ElementTree.fromstring(sdf(machine, pose)).iter("joint")}
    hinges = {j.get("name"): j for j in ElementTree.fromstring(mjcf(machine, pose)).iter("joint")}
    for name, leg in zip(machine.leg_names, machine.legs, strict=True):
        told = urdf_companion(machine, pose)["springs"][name]["universal"]
        axes = [joints[f"{name}-universal-base"].find(tag) for tag in ("axis", "axis2")]
        for letter, axis, k in zip(
            "ky", axes, (leg.springs.first, leg.springs.second), strict=True
        ):
            assert axis is not None
            stiffness, rest = (
                float(axis.findtext(f"dynamics/spring_{what}") or "nan")
                for what in ("stiffness", "reference")
            )
            hinge = hinges[f"{name}-{letter}"]
            assert stiffness == float(hinge.get("stiffness", "nan")) == k
            assert rest == float(hinge.get("springref", "nan")) != 0.0
            assert told[f"{name}-{letter}"] == {"stiffness": k, "rest": rest}
