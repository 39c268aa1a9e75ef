"""URDF against Pinocchio trees built from the Platform, SDF against the Platform; files, refusals, planted errors."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import gough
from gough.cli import main
from gough.export.sdf import save_sdf, sdf
from gough.export.urdf import save_urdf, urdf, urdf_companion
from gough.model import PUS, RUS, SPS, UPS, Body, Platform
from gough.spatial import Pose, rotation_exp, rotation_from_rpy, rpy_from_rotation
from oracles.closure import closure
from oracles.machines import case
from oracles.tree import leg_coordinates

pin = pytest.importorskip("pinocchio")

from oracles.model_files import Scene, Written, total_mass  # noqa: E402  (need pinocchio)
from oracles.pinocchio_model import PinocchioEngine  # noqa: E402

KINDS = ("UPS", "SPS-general", "PUS", "RUS", "mixed")
SWIVEL = {
    UPS: ("k", "y", "drive"),
    SPS: ("xyz", "drive"),
    PUS: ("drive", "k", "y"),
    RUS: ("drive", "k", "y"),
}


def joints(platform: Platform) -> list[str]:
    """Names of the URDF's joints in the order of the oracle's coordinates; a ball is three."""
    names = [
        f"{name}-{letter}"
        for leg, name in zip(platform.legs, platform.leg_names, strict=True)
        for word in SWIVEL[type(leg)]
        for letter in (word if word == "xyz" else [word])
    ]
    return [*names, "platform-floating"]


def oracle_state(engine: PinocchioEngine, platform: Platform, pose: Pose) -> list:
    """Coordinates of the oracle's leg nodes at a pose, zero spin."""
    values: list = []
    for leg, nodes in zip(platform.legs, engine.tree.legs, strict=True):
        values += leg_coordinates(leg, nodes, pose.position + pose.rotation @ leg.joint, 0.0)[0]
    return values


def order(written: Written, platform: Platform) -> list[int]:
    """Indices of the URDF's velocities in the oracle's order."""
    return [
        written.index(name) + i
        for name in joints(platform)
        for i in range(6 if name == "platform-floating" else 1)
    ]


def against_oracle(text: str, platform: Platform, seed: int = 0) -> float:
    """Largest relative difference of mass matrix, gravity and efforts at random joint states of the open tree."""
    engine, written = PinocchioEngine(platform), Written(text, platform.gravity)
    rng = np.random.default_rng(seed)
    home = oracle_state(engine, platform, platform.home)
    worst = 0.0
    for _ in range(3):
        shift = {i: float(rng.uniform(-0.4, 0.4)) for i, x in enumerate(home) if np.ndim(x) == 0}
        names = iter(joints(platform))
        labels = [[next(names) for _ in range(3 if np.ndim(x) else 1)] for x in home]
        written.turn(
            {labels[i][0]: s for i, s in shift.items()}
            | {"platform-floating": rng.uniform(-0.4, 0.4, 6)}
        )
        R, p = written.link("platform")
        engine.place([x if np.ndim(x) else x + shift[i] for i, x in enumerate(home)], p, R)
        to = order(written, platform)
        ball = np.concatenate(
            [np.full(len(label), len(label) == 3) for label in labels] + [np.zeros(6, bool)]
        )
        rate = np.where(
            ball, 0.0, rng.uniform(-2, 2, len(to))
        )  # three hinges and a ball have other second derivatives
        push = rng.uniform(-5, 5, len(to))
        qd, qdd = np.zeros(len(to)), np.zeros(len(to))
        qd[to], qdd[to] = rate, push
        engine.move(rate)
        M = engine.mass_matrix()
        worst = max(
            worst, np.abs(written.mass_matrix()[np.ix_(to, to)] - M).max() / np.abs(M).max()
        )
        for mine, his in (
            (
                written.effort(0 * qd, 0 * qd),
                pin.computeGeneralizedGravity(engine.model, engine.data, engine.q),
            ),
            (written.effort(qd, qdd), engine.inverse(push)),
        ):
            worst = max(worst, np.abs(mine[to] - his).max() / np.abs(his).max())
    return worst


@pytest.mark.parametrize("kind", KINDS)
def test_urdf_is_the_open_tree(kind: str) -> None:
    """Pinocchio reads the file and finds the inertia, gravity and efforts of the tree built from the Platform."""
    platform = case(kind, seed=4, states=1, drive=False).platform
    assert against_oracle(urdf(platform), platform) < 1e-12


@pytest.mark.parametrize("part", ["platform", "lower", "upper"])
def test_urdf_planted_shift_is_found(part: str) -> None:
    """A mass center off by a tenth of a millimeter in the file is seen by the comparison above."""
    platform = case("UPS", seed=4, states=1, drive=False).platform
    assert against_oracle(urdf(shifted(platform, part, 1e-4)), platform) > 1e-8


def shifted(platform: Platform, part: str, by: float) -> Platform:
    """The machine with one mass center moved."""
    leg = platform.legs[2]
    body = platform.body if part == "platform" else getattr(leg, part)
    moved = Body(body.mass, body.center + np.array([0.0, by, 0.0]), body.inertia)
    if part == "platform":
        return platform.replace(body=moved)
    return platform.replace(
        legs=(*platform.legs[:2], leg.replace(**{part: moved}), *platform.legs[3:])
    )


@pytest.mark.parametrize("attach", [None, "L3"])
@pytest.mark.parametrize("kind", KINDS)
def test_urdf_loops_close_at_home(kind: str, attach: str | None) -> None:
    """All joints at zero: the loops are closed, the platform is home; mass is that of all bodies."""
    platform = case(kind, seed=4, states=1).platform
    written = Written(urdf(platform, attach=attach), platform.gravity)
    facts = urdf_companion(platform, attach=attach)
    assert len(facts["loops"]) == (6 if attach is None else 5)
    assert written.gap(facts["loops"]) < 1e-12
    R, p = written.link("platform")
    np.testing.assert_allclose(p, platform.home.position, atol=1e-12)
    np.testing.assert_allclose(R, platform.home.rotation, atol=1e-12)
    np.testing.assert_allclose(
        pin.computeTotalMass(written.model), total_mass(platform), rtol=1e-14
    )
    lengths = [actuator["coordinate"] for actuator in facts["actuators"]]
    np.testing.assert_allclose(
        lengths, gough.inverse_kinematics(platform, platform.home).length, atol=1e-13
    )
    for actuator, leg in zip(facts["actuators"], platform.legs, strict=True):
        assert actuator["reflected_inertia"] == leg.drive.reflected_inertia > 0


@pytest.mark.parametrize("kind", KINDS)
def test_urdf_loops_close_elsewhere(kind: str) -> None:
    """Joint readings of another pose close the same loops there: axes and zeros of all joints are right."""
    c = case(kind, seed=4, states=1, drive=False)
    platform, pose = c.platform, c.motion.pose[0]
    engine, written = PinocchioEngine(platform), Written(urdf(platform), platform.gravity)
    names, readings = iter(joints(platform)), {}
    for a, b in zip(
        oracle_state(engine, platform, platform.home),
        oracle_state(engine, platform, pose),
        strict=True,
    ):
        turned = (
            -rpy_from_rotation((np.asarray(a).T @ b).T) if np.ndim(a) else [b - a]
        )  # R = Rx Ry Rz of three hinges
        readings |= {next(names): float(x) for x in turned}
    home = pin.SE3(platform.home.rotation, platform.home.position)
    readings["platform-floating"] = pin.log6(
        home.inverse() * pin.SE3(pose.rotation, pose.position)
    ).vector
    loops = urdf_companion(platform)["loops"]
    written.turn(readings)
    assert written.gap(loops) < 1e-12
    readings["L1-drive"] += 1e-6
    written.turn(readings)
    assert written.gap(loops) > 1e-7


@pytest.mark.parametrize("kind", ["UPS", "RUS"])
def test_urdf_attached_tree_is_the_floating_tree_with_one_loop_closed(kind: str) -> None:
    """``M_attached = S^T M_floating S`` with S from the platform's Jacobian in the attached tree."""
    platform = case(kind, seed=4, states=1, drive=False).platform
    free, tied = (Written(urdf(platform, attach=a), platform.gravity) for a in (None, "L3"))
    J = pin.computeFrameJacobian(
        tied.model, tied.data, tied.q, tied.model.getFrameId("platform", pin.BODY), pin.LOCAL
    )
    S = np.zeros((free.model.nv, tied.model.nv))
    S[free.index("platform-floating") :][:6] = J
    for name in joints(platform)[:-1]:
        S[free.index(name), tied.index(name)] = 1.0
    expected = S.T @ free.mass_matrix() @ S
    np.testing.assert_allclose(tied.mass_matrix(), expected, atol=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize(("kind", "crosses"), [("UPS", 8), ("SPS-general", 14), ("RUS", 8)])
def test_urdf_in_mujoco(kind: str, crosses: int) -> None:
    """A second reader, which moves no link without mass, finds the same mass matrix; the crosses weigh as said."""
    mujoco = pytest.importorskip("mujoco")
    platform = case(kind, seed=4, states=1, drive=False).platform
    text = urdf(platform, attach="L3", cross_mass=1e-3)
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    M, written = np.zeros((model.nv, model.nv)), Written(text, platform.gravity)
    mujoco.mj_fullM(model, data, M)
    to = [written.index(model.joint(i).name) for i in range(model.njnt)]
    assert len(to) == written.model.nv == model.nv
    np.testing.assert_allclose(
        M, written.mass_matrix()[np.ix_(to, to)], atol=1e-12 * np.abs(M).max()
    )
    assert model.body_mass.sum() == pytest.approx(total_mass(platform) + crosses * 1e-3, rel=1e-13)


def test_urdf_limits_and_damping_are_the_legs() -> None:
    platform = gough.load("motion-base-1500")
    root = ElementTree.fromstring(urdf(platform))
    lengths = gough.inverse_kinematics(platform, platform.home).length
    for leg, name, length in zip(platform.legs, platform.leg_names, lengths, strict=True):
        joint = root.find(f"joint[@name='{name}-drive']")
        limit = {k: float(v) for k, v in joint.find("limit").attrib.items()}
        assert np.allclose(
            [limit["lower"] + length, limit["upper"] + length], leg.limits.stroke, atol=1e-14
        )
        assert (limit["effort"], limit["velocity"]) == (leg.limits.force, leg.limits.speed)
        assert float(joint.find("dynamics").get("damping")) == leg.friction.prismatic > 0
        assert (
            float(root.find(f"joint[@name='{name}-k']/dynamics").get("damping"))
            == leg.friction.universal
            > 0
        )


def expected_joints(platform: Platform) -> dict[str, tuple]:
    """Every joint from the Platform and the oracle's closure: type, parent, child, anchor, axes."""
    pose, out = platform.home, {}
    for leg, n in zip(platform.legs, platform.leg_names, strict=True):
        P = pose.position + pose.rotation @ leg.joint
        c = closure(leg, P)
        y = np.cross(c.k, c.s)
        y /= np.linalg.norm(y)
        if isinstance(leg, (UPS, SPS)):
            low, end = f"{n}-lower", f"{n}-upper"
            swivel = ("universal", [c.k, y]) if isinstance(leg, UPS) else ("ball", [])
            out[f"{n}-{swivel[0]}-base"] = (swivel[0], "world", low, leg.base, swivel[1])
            out[f"{n}-drive"] = ("prismatic", low, end, P, [c.s])
        else:
            slides = isinstance(leg, PUS)
            low, end = f"{n}-slider" if slides else f"{n}-crank", f"{n}-link"
            foot = P - leg.length * c.s
            out[f"{n}-drive"] = (
                ("prismatic", "world", low, foot, [leg.rail])
                if slides
                else ("revolute", "world", low, leg.base, [leg.shaft])
            )
            out[f"{n}-universal-base"] = ("universal", low, end, foot, [c.k, y])
        out[f"{n}-ball"] = ("ball", end, "platform", P, [])
    return out


def expected_bodies(platform: Platform) -> dict[str, tuple]:
    """Every body from the Platform, with the axes its data are given in (columns, world axes at home)."""
    pose = platform.home
    out = {"platform": (platform.body, pose.rotation)}
    for leg, n in zip(platform.legs, platform.leg_names, strict=True):
        c = closure(leg, pose.position + pose.rotation @ leg.joint)
        y = np.cross(c.k, c.s)
        y /= np.linalg.norm(y)
        T = np.stack([c.s, y, np.cross(c.s, y)], axis=1)
        for part in ("lower", "upper", "link"):
            if hasattr(leg, part):
                out[f"{n}-{part}"] = (getattr(leg, part), T)
        if isinstance(leg, RUS):
            out[f"{n}-crank"] = (leg.crank, rotation_exp(c.coordinate * leg.shaft))
        if isinstance(leg, PUS):
            grain = 1e-9 * leg.slider_mass * np.ones(3)
            out[f"{n}-slider"] = (Body(leg.slider_mass, leg.slider_center, grain), np.eye(3))
    return out


def sdf_difference(text: str, platform: Platform) -> float:
    """Largest difference of masses, centers, tensors, frames, joint anchors and axes between file and the Platform."""
    scene, wanted, bodies = Scene(text), expected_joints(platform), expected_bodies(platform)
    assert scene.joints.keys() == wanted.keys()
    assert scene.bodies.keys() == bodies.keys()
    worst = 0.0
    for name, (kind, parent, child, anchor, axes) in wanted.items():
        found = scene.joint(name)
        assert found[:3] == (kind, parent, child)
        assert len(found[4]) == len(axes)
        worst = max(
            worst,
            *(
                np.abs(a - b).max()
                for a, b in zip([found[3], *found[4]], [anchor, *axes], strict=True)
            ),
        )
    for name, (body, axes) in bodies.items():
        b = scene.bodies[name]
        worst = max(
            worst,
            np.abs(scene.links[name][0] - axes).max(),
            abs(b.mass - body.mass),
            np.abs(b.center - body.center).max(),
            np.abs(b.inertia - body.inertia).max(),
        )
    return worst


@pytest.mark.parametrize("kind", KINDS)
def test_sdf_is_the_platform(kind: str) -> None:
    platform = case(kind, seed=4, states=1).platform
    text = sdf(platform)
    assert sdf_difference(text, platform) < 1e-12
    scene = Scene(text)
    assert sum(b.mass for b in scene.bodies.values()) == pytest.approx(
        total_mass(platform), rel=1e-14
    )
    gravity = np.array(scene.root.find("world/gravity").text.split(), dtype=float)
    assert (gravity == platform.gravity).all()
    space = "{urn:gough}"
    for leg, name, length in zip(
        platform.legs,
        platform.leg_names,
        gough.inverse_kinematics(platform, platform.home, engine="python").length,
        strict=True,
    ):
        joint = scene.joints[f"{name}-drive"]
        assert float(joint.find(f"{space}coordinate").text) == length
        assert (
            float(joint.find(f"{space}reflected_inertia").text) == leg.drive.reflected_inertia > 0
        )
        assert float(joint.find("axis/dynamics/damping").text) == leg.friction.prismatic > 0


@pytest.mark.parametrize("kind", KINDS)
def test_sdf_joints_close_at_home(kind: str) -> None:
    """The anchor of a joint is the same point seen from its parent's data as from its child's."""
    platform = case(kind, seed=4, states=1).platform
    scene = Scene(sdf(platform))
    scene.links["world"] = (np.eye(3), np.zeros(3))
    for leg, n in zip(platform.legs, platform.leg_names, strict=True):
        carried = isinstance(leg, (PUS, RUS))
        on_parent = {f"{n}-ball": np.array([leg.length if carried else 0.0, 0.0, 0.0])}
        if isinstance(leg, (UPS, SPS, RUS)):
            on_parent["base"] = leg.base
        if carried:
            on_parent[f"{n}-universal-base"] = leg.arm if isinstance(leg, RUS) else np.zeros(3)
        first = (
            f"{n}-drive"
            if carried
            else f"{n}-{'ball' if isinstance(leg, SPS) else 'universal'}-base"
        )
        for name, point in on_parent.items():
            _, parent, _, anchor, _ = scene.joint(first if name == "base" else name)
            R, p = scene.links[parent]
            np.testing.assert_allclose(p + R @ point, anchor, atol=1e-12)
        if not isinstance(leg, RUS):  # a slide has moved by its coordinate along its axis
            _, parent, _, anchor, (axis,) = scene.joint(f"{n}-drive")
            start = leg.base if parent == "world" else scene.links[parent][1]
            length = float(scene.joints[f"{n}-drive"].find("{urn:gough}coordinate").text)
            np.testing.assert_allclose(start + length * axis, anchor, atol=1e-12)


@pytest.mark.parametrize("part", ["platform", "lower", "upper"])
def test_sdf_planted_shift_is_found(part: str) -> None:
    platform = case("UPS", seed=4, states=1).platform
    assert sdf_difference(sdf(shifted(platform, part, 1e-4)), platform) > 0.9e-4


@pytest.mark.parametrize("tilt", [0.0, 1e-13, 1e-9, 1e-6, 0.3])
def test_angles_keep_all_digits_at_gimbal_lock(tilt: float) -> None:
    """A leg that stands upright, or nearly, has a pitch of 90 degrees."""
    rng = np.random.default_rng(5)
    for sign in (1.0, -1.0):
        for _ in range(20):
            a, b = rng.uniform(-3, 3, 2)
            Q = rotation_exp(rng.normal(size=3))
            R = Q.T @ (
                Q @ rotation_from_rpy([a, sign * (np.pi / 2 - tilt), b])
            )  # with the rounding of a product
            np.testing.assert_allclose(rotation_from_rpy(rpy_from_rotation(R)), R, atol=1e-14)


def test_another_pose_and_names_that_need_care() -> None:
    c = case("UPS", seed=4, states=1)
    pose = c.motion.pose[0]
    names = ["a--b", "<&>", 'say "x"', "é", "5", "-"]
    legs = [leg.replace(name=name) for leg, name in zip(c.platform.legs, names, strict=True)]
    platform = c.platform.replace(legs=legs, name="a--b <1>")
    written = Written(urdf(platform, pose), platform.gravity)
    np.testing.assert_allclose(written.link("platform")[1], pose.position, atol=1e-12)
    assert written.gap(urdf_companion(platform, pose)["loops"]) < 1e-12
    assert sdf_difference(sdf(platform, pose), platform.replace(home=pose)) < 1e-12


def test_refusals() -> None:
    machine = case("UPS", seed=4, states=1).platform
    bare = machine.replace(legs=[leg.replace(lower=Body(0.0)) for leg in machine.legs])
    with pytest.warns(gough.ModelWarning):
        odd = gough.load("dasgupta-1998")
    both = [
        (machine.replace(home=None), None, "pose"),
        (machine, Pose(np.zeros((2, 3))), "pose"),
        (machine.replace(legs=[leg.replace(name="same") for leg in machine.legs]), None, "same"),
        (machine.replace(name="a\x00b"), None, "name"),
    ]
    along = machine.replace(
        legs=[
            leg.replace(axis=machine.home.position + machine.home.rotation @ leg.joint - leg.base)
            for leg in machine.legs
        ]
    )
    for export in (urdf, sdf):
        with pytest.raises(gough.InfeasibleError, match="axis"):
            export(along)
    for platform, pose, word in both:
        for export in (urdf, sdf):
            with pytest.raises(gough.InputError, match=word):
                export(platform, pose)
    with pytest.raises(gough.InputError, match="attach"):
        urdf(machine, attach="L7")
    with pytest.raises(gough.InputError, match="cross_mass"):
        urdf(machine, cross_mass=-1.0)
    with pytest.warns(gough.ModelWarning, match="lower.inertia: no body that SDF takes"):
        sdf(odd)
    for platform, word in ((bare, "mass"), (machine.replace(name="a::b"), "name")):
        with pytest.raises(gough.InputError, match=word):
            sdf(platform)
    model = pin.buildModelFromXML(urdf(bare))  # a tree may have links without mass
    assert pin.computeTotalMass(model) == pytest.approx(total_mass(bare), rel=1e-14)


def test_files_appear_complete_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    platform = case("UPS", seed=4, states=1).platform
    model, beside = save_urdf(platform, tmp_path / "m.urdf", attach="L2")
    assert (model.read_text(), beside.name) == (urdf(platform, attach="L2"), "m.loops.json")
    assert json.loads(beside.read_text()) == urdf_companion(platform, attach="L2")
    scene = save_sdf(platform, tmp_path / "m.sdf")
    assert scene.read_text() == sdf(platform)
    for save in (save_urdf, save_sdf):
        for wrong in (tmp_path, tmp_path / "missing" / "m.x", ""):
            with pytest.raises(gough.InputError, match="path"):
                save(platform, wrong)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def full(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("os.fsync", full)
    for save, path in ((save_urdf, model), (save_sdf, scene)):
        with pytest.raises(OSError, match="disk full"):
            save(shifted(platform, "platform", 1.0), path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def command(monkeypatch: pytest.MonkeyPatch, *words: object) -> int:
    monkeypatch.setattr("sys.argv", ["gough", "export", *map(str, words)])
    with pytest.raises(SystemExit) as left:
        main()
    return int(left.value.code or 0)


def test_commands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "motion-base-1500"
    platform = gough.load(name)
    assert command(monkeypatch, "urdf", name, "--out", tmp_path / "m.urdf", "--attach", "L1") == 0
    assert command(monkeypatch, "sdf", name, "--out", tmp_path / "m.sdf") == 0
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("wrote") == 3
    assert (tmp_path / "m.urdf").read_text() == urdf(platform, attach="L1")
    assert (tmp_path / "m.sdf").read_text() == sdf(platform)
    assert len(json.loads((tmp_path / "m.loops.json").read_text())["loops"]) == 5
    assert command(monkeypatch, "urdf", name, "--out", tmp_path / "n.urdf", "--attach", "no") == 2
    assert "attach" in capsys.readouterr().err
    assert not (tmp_path / "n.urdf").exists()
