"""Joint coordinates of exported trees: MuJoCo and Pinocchio close every loop with them; they lead back to motions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import gough
from gough.export import joint_table, write_csv
from gough.export.joint_readings import JointColumn, joint_columns
from gough.export.mjcf import mjcf
from gough.export.urdf import urdf, urdf_companion
from gough.importing import joint_motion, read_mjcf
from gough.spatial import rotation_exp
from oracles.written_machines import LINKS, PLAIN, ROTORS, SPRINGS, machine

pytest.importorskip("mujoco", reason="the MJCF is read by MuJoCo")
pytest.importorskip("pinocchio", reason="the URDF is read by Pinocchio")

import mujoco

from oracles.model_files import Written

FREE = ("x", "y", "z", "qw", "qx", "qy", "qz")
KINDS = [kind for kind in (*PLAIN, *ROTORS) if SPRINGS not in kind]


def poses_near(home: gough.Pose, count: int, still: bool) -> gough.Pose:
    """A way from home; of machines with links home alone."""
    t = np.zeros(1) if still else np.linspace(0.0, 1.0, count)
    shift = 0.03 * np.stack([np.sin(3 * t), np.sin(2 * t), np.sin(t)], axis=-1)
    turn = rotation_exp(0.08 * np.stack([np.sin(t), np.sin(3 * t), np.sin(2 * t)], axis=-1))
    return gough.Pose(home.position + shift, turn @ home.rotation)


def mujoco_gap(text: str, columns: list[JointColumn], row: int) -> float:
    """What is left of the constraints with every joint set by its name."""
    m = mujoco.MjModel.from_xml_string(text)
    d, told = mujoco.MjData(m), {c.name: c.values[row] for c in columns}
    for j in range(m.njnt):
        joint = m.joint(j)
        at, kind = int(joint.qposadr[0]), int(joint.type[0])
        names = {0: [f"{joint.name}_{x}" for x in FREE], 1: [f"{joint.name}_{x}" for x in FREE[3:]]}
        for i, name in enumerate(names.get(kind, [joint.name])):
            d.qpos[at + i] = told.pop(name)
    assert not told
    mujoco.mj_forward(m, d)
    return float(np.abs(d.efc_pos[d.efc_type == int(mujoco.mjtConstraint.mjCNSTR_EQUALITY)]).max())


@pytest.mark.parametrize("kind", KINDS)
def test_mujoco_closes_every_loop(kind: str) -> None:
    platform, motion = machine(kind, 3, "mjcf")
    poses = poses_near(motion.pose, 3, LINKS in kind)
    text, columns = mjcf(platform, motion.pose), joint_columns(platform, poses, "mjcf", motion.pose)
    assert mujoco_gap(text, columns, -1) < 1e-11
    wrong = [c._replace(values=c.values + 1e-4) if c.name == "L2-drive" else c for c in columns]
    assert any(c.name == "L2-drive" for c in columns) == (mujoco_gap(text, wrong, -1) > 1e-5)


@pytest.mark.parametrize("attach", [None, "L2"])
@pytest.mark.parametrize("kind", KINDS)
def test_pinocchio_closes_every_loop(kind: str, attach: str | None) -> None:
    platform, motion = machine(kind, 3, "urdf")
    poses = poses_near(motion.pose, 3, LINKS in kind)
    companion = urdf_companion(platform, motion.pose, attach=attach)
    file = Written(urdf(platform, motion.pose, attach=attach), np.zeros(3))
    told = {
        c.name: c.values[-1] for c in joint_columns(platform, poses, "urdf", motion.pose, attach)
    }
    free = [told.pop(f"platform-floating_{x}") for x in FREE] if attach is None else []
    file.turn(told)  # type: ignore[arg-type]
    if free:
        at = file.model.idx_qs[file.model.getJointId("platform-floating")]
        file.q[at : at + 7] = [*free[:3], *free[4:], free[3]]
    assert file.gap(companion["loops"]) < 1e-12
    R, p = file.link("platform")
    assert np.abs(p - poses.position[-1]).max() < 1e-12
    assert np.abs(R - poses.rotation[-1]).max() < 1e-12


def written(kind: str, form: str, folder: Path) -> tuple[gough.Platform, gough.Motion, Path]:
    platform, state = machine(kind, 3, form)
    poses = poses_near(state.pose, 25, False)
    motion = gough.Motion(poses.position, poses.rotation, time=np.linspace(0.0, 2.0, 25))
    table = joint_table(platform, motion, form=form, pose=state.pose)
    return platform.replace(home=state.pose), motion, write_csv(table, folder / f"{kind}.csv")


@pytest.mark.parametrize("form", ["mjcf", "urdf"])
@pytest.mark.parametrize("kind", ["UPS", "SPS-general", "PUS", "RUS", "UCU-screw"])
def test_a_table_leads_back_to_its_motion(kind: str, form: str, tmp_path: Path) -> None:
    platform, motion, path = written(kind, form, tmp_path)
    found = joint_motion(platform, path, form=form)(np.linspace(0.0, 2.0, 25))
    assert np.abs(found.position - motion.position).max() < 1e-9
    assert np.abs(found.rotation - motion.rotation).max() < 1e-9


@pytest.mark.parametrize(
    ("kind", "form", "column", "sentence"),
    [
        ("PUS", "urdf", "L3-y [rad]", r"the loop of leg L3 is open by 0\.00\d+ m"),
        ("PUS", "mjcf", "platform_z [m]", r"the platform is elsewhere by 0\.001 m"),
        ("SPS-general", "mjcf", "L2-ball-base_qy [1]", r"the loop of leg L2 is open by 0\.00\d+ m"),
        ("SPS-general", "urdf", "L2-y [rad]", r"the loop of leg L2 is open by 0\.00\d+ m"),
        ("UCU-screw", "mjcf", "L4-kp [rad]", r"leg L4 turns the platform by 0\.001 rad"),
    ],
)
def test_what_does_not_fit_is_refused(
    kind: str, form: str, column: str, sentence: str, tmp_path: Path
) -> None:
    """One reading is off by a thousandth; without its column the drives alone are followed."""
    platform, motion, path = written(kind, form, tmp_path)
    rows = [line.split(",") for line in path.read_text().splitlines()]
    at = rows[0].index(column)
    rows[8][at] = repr(float(rows[8][at]) + 0.001)
    path.write_text("\n".join(map(",".join, rows)))
    with pytest.raises(gough.InputError, match=rf"t = 0\.583333 s.*{sentence}"):
        joint_motion(platform, path, form=form)
    path.write_text("\n".join(",".join(row[:at] + row[at + 1 :]) for row in rows))
    found = joint_motion(platform, path, form=form)(2.0)
    assert np.abs(found.position - motion.position[-1]).max() < 1e-9


def test_tables_that_are_none(tmp_path: Path) -> None:
    platform, _, path = written("PUS", "urdf", tmp_path)
    text = path.read_text()
    for old, new, why in (
        ("time", "clock", "needs its time"),
        ("L4-drive", "other", "L4-drive: got 'missing'"),
    ):
        path.write_text(text.replace(old, new))
        with pytest.raises(gough.InputError, match=why):
            joint_motion(platform, path)
    with pytest.raises(gough.InputError, match="must be a CSV file"):
        joint_motion(platform, tmp_path / "none.csv")
    for given in ({"form": "sdf"}, {"form": "mjcf", "attach": "L1"}, {"attach": "L9"}):
        with pytest.raises(gough.InputError, match="must be"):
            joint_motion(platform, path, **given)  # type: ignore[arg-type]


def test_a_keyframe_is_where_the_machine_is_read(tmp_path: Path) -> None:
    """Written from the table of joint coordinates; the legs are those of the file's own configuration."""
    platform, state = machine("PUS", 3, "mjcf")
    poses = poses_near(state.pose, 2, False)
    told = {c.name: c.values[1] for c in joint_columns(platform, poses, "mjcf", state.pose)}
    text = mjcf(platform, state.pose)
    m = mujoco.MjModel.from_xml_string(text)
    names = [m.joint(j).name for j in range(m.njnt)]
    values = [told.get(n) for n in names if n != "platform"]
    free = [told[f"platform_{x}"] for x in FREE]
    assert names[0] == "platform"
    qpos = " ".join(map(repr, map(float, [*free, *values])))  # type: ignore[arg-type]
    path = tmp_path / "keyed.xml"
    path.write_text(
        text.replace("</mujoco>", f'<keyframe><key name="up" qpos="{qpos}"/></keyframe></mujoco>')
    )
    one, other = read_mjcf(path), read_mjcf(path, keyframe="up")
    assert np.allclose(other.require_home().position, poses.position[1], rtol=0, atol=1e-12)
    motion = gough.Motion(poses.position, poses.rotation)
    a, b = (gough.inverse_dynamics(p, motion, engine="python").force for p in (one, other))
    assert np.abs(a - b).max() < 1e-10 * np.abs(a).max()
