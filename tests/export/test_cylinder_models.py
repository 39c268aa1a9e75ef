"""Legs whose two parts turn, in exported files: readings, loops, frames, what is refused."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

import gough
from gough.export.mjcf import mjcf
from gough.export.sdf import sdf
from gough.export.urdf import urdf, urdf_companion
from gough.model import Body
from oracles.machines import case
from oracles.tree import build, twist_of

pin = pytest.importorskip("pinocchio")
pytest.importorskip("mujoco")

from oracles.model_files import Scene, total_mass  # noqa: E402  (need pinocchio, mujoco)
from oracles.mujoco_file import HardFile  # noqa: E402
from oracles.urdf_file import ClosedFile  # noqa: E402

SCREWS = ("UCU", "UCU-screw", "UCU-upper")


@pytest.mark.parametrize("kind", SCREWS)
def test_mujoco_reads_travel_and_twist(kind: str) -> None:
    """At home and elsewhere, with loops closed; in MuJoCo the whole machine weighs what it weighs."""
    c = case(kind, seed=3, states=1)
    platform, tree = c.platform, build(c.platform, real_rotors=True)
    for pose in (platform.require_home(), c.motion[0].pose):
        file = HardFile(mjcf(platform, pose))
        assert file.gap < 1e-12
        assert file.model.body_mass.sum() == pytest.approx(total_mass(platform), rel=1e-13)
        coordinates = gough.inverse_kinematics(platform, pose, engine="python").length
        for i, name in enumerate(platform.leg_names):
            leg = platform.legs[i]
            assert isinstance(leg, gough.UCU)
            read, start = file.data.joint(f"{name}-drive").qpos[0], 0.0
            if leg.screw is not None:
                read, start = file.data.tendon(f"{name}-travel").length[0], leg.screw.zero
            assert abs(read - coordinates[i]) < 1e-13
            turned = file.data.joint(f"{name}-twist").qpos[0] + start
            assert abs(turned - twist_of(platform, tree, i, pose)) < 1e-13


@pytest.mark.parametrize("kind", SCREWS)
def test_urdf_loops_close_with_their_axes(kind: str) -> None:
    """Readings of another pose, found by Newton on the file's own loops, are that pose's lengths and twists."""
    c = case(kind, seed=3, states=1)
    platform, pose = c.platform, c.motion[0].pose
    facts = urdf_companion(platform)
    file, home = ClosedFile(urdf(platform), facts), platform.require_home()
    at, free = file.index("platform-floating"), np.ones(file.model.nv, bool)
    free[at : at + 6] = False
    there = pin.SE3(home.rotation, home.position).inverse() * pin.SE3(pose.rotation, pose.position)
    assert np.abs(file.constraints()[0]).max() < 1e-12
    legs = len(file.mimics)
    v = np.zeros(file.model.nv)
    v[~free] = pin.log6(there).vector
    file.turn({"platform-floating": v[~free]})
    for _ in range(20):
        left, J = file.constraints()
        step = np.zeros(file.model.nv)
        step[free] = np.linalg.lstsq(J[legs:][:, free], -left, rcond=None)[0]
        file.q = pin.integrate(file.model, file.q, step)
        v += step
    assert np.abs(file.constraints()[0]).max() < 1e-12
    tree = build(platform, real_rotors=True)
    reached = gough.inverse_kinematics(platform, pose, engine="python").length
    for i, actuator in enumerate(facts["actuators"]):
        read = sum(share * v[file.index(joint)] for joint, share in actuator["acts_on"].items())
        assert abs(actuator["coordinate"] + read - reached[i]) < 1e-12
        twists = [twist_of(platform, tree, i, place) for place in (pose, home)]
        turned = np.exp(1j * (v[file.index(f"L{i + 1}-twist")] - twists[0] + twists[1]))
        assert abs(turned - 1.0) < 1e-11


def test_urdf_attached_tree_is_the_floating_tree_with_one_loop_closed() -> None:
    """``M_attached = S^T M_floating S`` with S from the platform's Jacobian in the attached tree."""
    platform = case("UCU-screw", seed=4, states=1).platform
    free, tied = (
        ClosedFile(urdf(platform, attach=a), urdf_companion(platform, attach=a))
        for a in (None, "L3")
    )
    assert len(tied.companion["loops"]) == 5
    place = tied.model.getFrameId("platform", pin.BODY)
    J = pin.computeFrameJacobian(tied.model, tied.data, tied.q, place, pin.LOCAL)
    S = np.zeros((free.model.nv, tied.model.nv))
    S[free.index("platform-floating") :][:6] = J
    for name in free.model.names[1:]:
        if name != "platform-floating":
            S[free.index(name), tied.index(name)] = 1.0
    expected = S.T @ free.mass_matrix() @ S
    np.testing.assert_allclose(tied.mass_matrix(), expected, atol=1e-12 * np.abs(expected).max())
    assert np.abs(tied.link("platform")[1] - platform.require_home().position).max() < 1e-12


def test_urdf_says_no_limit_of_a_screw_on_one_joint_alone() -> None:
    """Stroke and speed are of the travel, the force is the slide's own."""
    for name, lone in (("screw-hexapod", True), ("motion-base-ucu", False)):
        platform = gough.load(name)
        root = ElementTree.fromstring(urdf(platform))
        limits = platform.legs[0].limits
        found = root.find("joint[@name='L1-drive']/limit")
        assert found is not None
        assert float(found.get("effort", "0")) == limits.force
        assert (float(found.get("upper", "0")) == 1e9) is lone
        assert (float(found.get("velocity", "0")) == 1e9) is lone


def test_sdf_frames_are_the_machines() -> None:
    """Sleeve and upper part together weigh as the upper part does, about the same center; the sleeve is on its axis."""
    platform = case("UCU", seed=4, states=1).platform
    scene = Scene(sdf(platform))
    total = sum(body.mass for body in scene.bodies.values())
    assert total == pytest.approx(total_mass(platform), rel=1e-13)
    for name, leg in zip(platform.leg_names, platform.legs, strict=True):
        assert isinstance(leg, gough.UCU)
        upper, grain = (scene.bodies[f"{name}-{part}"] for part in ("upper", "sleeve"))
        np.testing.assert_allclose(upper.mass * upper.center, leg.upper.mass * leg.upper.center)
        assert upper.mass + grain.mass == pytest.approx(leg.upper.mass, rel=1e-15)
        for part in ("sleeve", "upper"):
            R, p = scene.links[f"{name}-{part}"]
            home = platform.require_home()
            end = home.position + home.rotation @ leg.joint
            np.testing.assert_allclose(p, end, atol=1e-12)
            s = (end - leg.base) / np.linalg.norm(end - leg.base)
            np.testing.assert_allclose(R[:, 0], s, atol=1e-12)
            y = np.cross(home.rotation @ leg.platform_axis, s)
            np.testing.assert_allclose(R[:, 1], y / np.linalg.norm(y), atol=1e-12)


def test_what_a_format_cannot_say_is_refused() -> None:
    screwed = case("UCU-screw", seed=3, states=1).platform
    with pytest.raises(gough.InputError, match=r"legs\.L1\.screw.*length and twist"):
        sdf(screwed)
    for kind in ("UCU-rotor", "UPS-rotor"):
        with pytest.raises(gough.InputError, match=r"legs\.L1\.drive\.rotor_axis.*riding"):
            sdf(case(kind, seed=3, states=1).platform)
    legs = [
        leg.replace(drive=leg.drive.replace(rotor_inertia=1.0))  # type: ignore[union-attr]
        for leg in screwed.legs
    ]
    with pytest.raises(gough.InputError, match=r"legs\.L1-lower\.inertia.*rotors"):
        mjcf(screwed.replace(legs=legs))
    plain = case("UCU", seed=3, states=1).platform
    for upper, word in ((Body(0.0), r"L1-upper\.mass"), (Body(2.0, [-0.3, 0, 0]), "leaves none")):
        thin = plain.replace(legs=[leg.replace(upper=upper) for leg in plain.legs])
        with pytest.raises(gough.InputError, match=word):
            sdf(thin)


@pytest.mark.parametrize("name", ["motion-base-ucu", "screw-hexapod"])
def test_presets_are_written(name: str) -> None:
    platform = gough.load(name)
    assert HardFile(mjcf(platform)).gap < 1e-12
    loops = ClosedFile(urdf(platform), urdf_companion(platform)).constraints()[0]
    assert np.abs(loops).max() < 1e-12


def test_urdf_says_springs_where_the_joint_is() -> None:
    """In the loop while it is open, by the names of the joints where the platform hangs on the leg."""
    platform = case("UCU", seed=3, states=1, springs=True).platform
    own = platform.legs[2].springs
    for attach in (None, "L3"):
        told = urdf_companion(platform, attach=attach)
        springs = [loop["springs"] for loop in told["loops"] if loop["leg"] == "L3"]
        joints = told["springs"]["L3"]["universal"]
        assert (len(springs), "L3-kp" in joints) == ((1, False) if attach is None else (0, True))
        first, second = (
            [s["stiffness"] for s in springs[0][::-1]]
            if springs
            else [joints[f"L3-{axis}p"]["stiffness"] for axis in "ky"]
        )
        assert (first, second) == (own.platform_first, own.platform_second)
        assert joints["L3-k"]["stiffness"] == own.first
