"""What is no machine is refused with the reason, what is another machine is read as that: planted errors in files."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pytest

import gough
from gough.export import save_mjcf, save_urdf
from gough.importing import read_mjcf, read_urdf
from oracles.written_machines import machine

pytest.importorskip("mujoco", reason="MJCF is read by MuJoCo's compiler")

FILES = Path(__file__).parents[1] / "data" / "foreign"
pytestmark = pytest.mark.filterwarnings("ignore::gough.ModelWarning")
DECK = '<body name="deck2" pos="0 0 1.5"><freejoint/><geom size="0.1"/></body>'
FEET = "".join(f'<connect body1="rod_{i}" body2="deck2" anchor="0 0 0.1"/>' for i in (1, 2, 3))
LAST = r'<connect body1="rod_6"[^>]*/>'
CARDAN = '<joint class="cardan" axis="1 0 0"/>'


def changed(folder: Path, name: str, *changes: tuple[str, str]) -> Path:
    """A copy of a file in which each pattern's first place reads otherwise."""
    text = (FILES / name).read_text()
    for old, new in changes:
        text, count = re.subn(old, new, text, count=1)
        assert count == 1, old
    path = folder / name
    path.write_text(text)
    return path


PLANTED: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "five legs": (r"'top'.*5 legs lead from the ground", [(LAST, "")]),
    "two platforms": (
        r"one body alone.*'top' \(6 joints\), 'deck2' \(3 joints\)|'rod_1' \(3",
        [("</worldbody>", DECK + "</worldbody>"), ("</equality>", FEET + "</equality>")],
    ),
    "a chain that closes on itself": (
        r"one body alone, the platform, may carry more than two joints; these do: .*'rod_2'",
        [("</equality>", '<connect body1="rod_1" body2="rod_2" anchor="0 0 0"/></equality>')],
    ),
    "a hanging payload": (
        "hangs on the platform by a joint",
        [
            (
                r"<freejoint/>",
                '<freejoint/><body name="bell"><joint type="ball"/><geom size="0.1"/></body>',
            )
        ],
    ),
    "a leg that cannot be one": (
        r"joint\d+ \(hinge\), joint\d+ \(hinge\), ext_1 \(slide\), twist \(slide\), .*are those of no leg",
        [
            (
                r'(<joint name="ext_1"[^>]*/>)',
                r'\1<joint name="twist" type="slide" axis="1 0 0" damping="0"/>',
            )
        ],
    ),
    "a leaning cardan": (
        r"the second axis '\w+' is at 84.29 deg to the first",
        [('axis="0 1 0"', 'axis="0.1 1 0"')],
    ),
    "a motor on a cardan": (
        "acts on 'tilt', where a UPS leg is driven at 'ext_1'",
        [(CARDAN, CARDAN.replace("class", 'name="tilt" class')), ('joint="ext_1"', 'joint="tilt"')],
    ),
    "two motors": (
        "'act_1', 'more' act on it|'more', 'act_1' act on it",
        [("</actuator>", '<motor name="more" joint="ext_1"/></actuator>')],
    ),
    "a spring along the drive": (
        "a spring of 50 along the drive 'ext_1'",
        [('name="ext_1"', 'name="ext_1" stiffness="50"')],
    ),
    "another constraint": (
        "is no closing of a loop and turns no rotor",
        [("</equality>", '<joint joint1="ext_1" polycoef="0 0 0 0 0"/></equality>')],
    ),
    "joints that are coupled": (
        "couples joints that are not a rotor's",
        [("</equality>", '<joint joint1="ext_1" joint2="ext_2"/></equality>')],
    ),
    "a medium": ("the medium", [("<option ", '<option density="1.2" ')]),
    "dampings that differ": (
        r"dampings \(3.0, 0.8\)",
        [(CARDAN, CARDAN.replace("axis", 'damping="3" axis'))],
    ),
    "no constraints at all": (
        "switches equality constraints off",
        [(r'timestep="0.001"/>', 'timestep="0.001"><flag equality="disable"/></option>')],
    ),
}


@pytest.mark.parametrize("error", PLANTED)
def test_a_planted_error_has_its_sentence(error: str, tmp_path: Path) -> None:
    sentence, changes = PLANTED[error]
    with pytest.raises(gough.InputError, match=sentence):
        read_mjcf(changed(tmp_path, "degrees.xml", *changes))


def test_axes_that_pass_each_other_are_an_offset_joint(tmp_path: Path) -> None:
    """Of a UPS leg they are known; of a PUS leg they are refused; within a tolerance they are said to meet."""
    aside = (CARDAN, CARDAN.replace("axis", 'pos="0 0 -0.004" axis'))
    path = changed(tmp_path, "degrees.xml", aside)
    (offset,) = [o for leg in read_mjcf(path).legs if (o := getattr(leg, "base_offset", None))]
    assert offset.e == pytest.approx(0.004, abs=1e-12)
    assert (offset.d, offset.f) == (0.0, 0.0)
    with pytest.warns(
        gough.ModelWarning, match=r"pass each other at 0\.004 m: within the tolerance"
    ):
        near = read_mjcf(path, tolerance=0.005)
    assert not any(getattr(leg, "base_offset", None) for leg in near.legs)
    platform, motion = machine("PUS", 3, "mjcf")
    save_mjcf(platform, tmp_path / "pus.xml", motion.pose)
    text = (tmp_path / "pus.xml").read_text().replace('name="L3-y"', 'name="L3-y" pos="0 0 0.02"')
    (tmp_path / "pus.xml").write_text(text)
    with pytest.raises(gough.InputError, match=r"pass each other at 0\.0\d+ m: only UPS and UCU"):
        read_mjcf(tmp_path / "pus.xml")


def test_a_slide_beside_its_joint(tmp_path: Path) -> None:
    """A leg with two balls must slide from one to the other; one with a universal joint has an offset there."""
    foot = (r'(name="foot1" body1="lower1" anchor=")0 0', r"\g<1>0.003 0")
    with pytest.raises(gough.InputError, match=r"passes the joint at the platform at 0\.003"):
        read_mjcf(changed(tmp_path, "hanging.xml", foot))
    tip = (r'(body1="rod_1" body2="top" anchor=")0 0', r"\g<1>0.003 0")
    found = [leg.base_offset for leg in read_mjcf(changed(tmp_path, "degrees.xml", tip)).legs]  # type: ignore[union-attr]
    (own,) = [offset for offset in found if offset is not None]
    assert np.hypot(own.d, own.f) == pytest.approx(0.003, abs=1e-9)


def test_open_loops_are_refused_with_the_gap(tmp_path: Path) -> None:
    """An anchor that is not where it should be; a keyframe or a tolerance are the ways out."""
    site = '<site name="tip" pos="0 0 0.7"/>'
    deck = '<site name="deck" pos="0.3 0 0"/>'
    rod = (r'(<body name="rod_1"[^>]*>)', rf"\1{site}")
    top = ("<freejoint/>", f"<freejoint/>{deck}")
    tie = (r'<connect body1="rod_1"[^>]*/>', '<connect name="tie" site1="tip" site2="deck"/>')
    path = changed(tmp_path, "degrees.xml", rod, top, tie)
    with pytest.raises(gough.InputError, match=r"'tie'.*is open by 0\.\d+ m.*give a keyframe"):
        read_mjcf(path)
    with pytest.raises(gough.InputError, match=r"keyframe 'up'.*is not in the file"):
        read_mjcf(path, keyframe="up")


def test_what_is_changed_is_said_when_asked_for(tmp_path: Path) -> None:
    path = changed(tmp_path, "degrees.xml", ('axis="0 1 0"', 'axis="0.1 1 0"'))
    with pytest.warns(gough.ModelWarning, match="with right angles the leg spins otherwise"):
        assert read_mjcf(path, approximate=True).kinds == ("UPS",) * 6


def test_the_frame_of_the_platform_can_be_chosen(tmp_path: Path) -> None:
    """A tool that is fixed to the platform; a body that is no platform is refused."""
    tool = '<freejoint/><body name="tool" pos="0 0 0.3"><geom size="0.01"/></body>'
    path = changed(tmp_path, "degrees.xml", ("<freejoint/>", tool))
    one, other = read_mjcf(path), read_mjcf(path, platform="tool")
    assert np.allclose(other.require_home().position - one.require_home().position, [0, 0, 0.3])
    still = [
        gough.Motion(p.require_home().position, p.require_home().rotation) for p in (one, other)
    ]
    a, b = (
        gough.inverse_dynamics(p, m, engine="python").force
        for p, m in zip((one, other), still, strict=True)
    )
    assert np.allclose(a, b, rtol=1e-12)
    for name, why in (
        ("rod_1", "these do: 'top'"),
        ("world", "is fixed to the ground"),
        ("x", "is no body"),
    ):
        with pytest.raises(gough.InputError, match=why):
            read_mjcf(path, platform=name)


def test_files_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "x.xml").write_text("<mujoco><worldbody><body></worldbody></mujoco>")
    with pytest.raises(gough.InputError, match="MuJoCo does not read it"):
        read_mjcf(tmp_path / "x.xml")
    for text, why in (
        ("<robot", "is no XML"),
        ("<sdf/>", "is no URDF"),
        ('<robot name="r"><link name="a"/><link name="b"/></robot>', "a tree has one root"),
        ('<robot name="r"><link name="a"/></robot>', "nothing closes a loop"),
        ('<robot name="r"><link name="a"/><joint name="j" type="fixed"/></robot>', "is missing"),
    ):
        (tmp_path / "x.urdf").write_text(text)
        with pytest.raises(gough.InputError, match=why):
            read_urdf(tmp_path / "x.urdf")
    with pytest.raises(gough.InputError, match="must be a file"):
        read_urdf(tmp_path / "nothing.urdf")


def test_companions_with_errors(tmp_path: Path) -> None:
    platform, motion = machine("UPS", 3, "urdf")
    path, beside = save_urdf(platform, tmp_path / "m.urdf", motion.pose)
    text = beside.read_text()
    for old, new, why in (
        ('"gravity"', '"gravty"', "unknown key 'gravty'"),
        ('"L1-upper"', '"L1-uper"', "'L1-uper' is no link"),
        ('"ball",', '"bal",', "'bal' is none of ball, universal"),
        ('"loops": [', '"loops": {', "is not JSON"),
        ('"L1-drive": 1.0', '"L1-drve": 1.0', "'L1-drve' is no joint"),
    ):
        assert old in text
        beside.write_text(text.replace(old, new, 1))
        with pytest.raises(gough.InputError, match=why):
            read_urdf(path)
    joint = platform.legs[0].joint.tolist()
    far = text.replace(repr(joint[0]), repr(joint[0] + 0.01), 1)
    beside.write_text(far)
    with pytest.raises(gough.InputError, match=r"loop 'L1'.*is open by 0\.01 m"):
        read_urdf(path)
    with pytest.warns(
        gough.ModelWarning, match=r"is open by 0\.01 m in this configuration: within"
    ):
        read_urdf(path, tolerance=0.02)
    beside.unlink()
    with pytest.raises(gough.InputError, match="nothing closes a loop"):
        read_urdf(path)


def test_a_missing_mujoco_is_one_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(gough.MissingPackageError, match=r'pip install "gough\[mujoco\]"'):
        read_mjcf(FILES / "degrees.xml")


def test_a_joint_that_a_weld_holds_is_held(tmp_path: Path) -> None:
    """A slide of one leg welded: that leg is a fixed link; its motor then acts on nothing that moves."""
    weld = ("</equality>", '<weld body1="cyl_1" body2="rod_1"/></equality>')
    with pytest.warns(gough.ModelWarning, match="'act_1': acts on no joint of a leg"):
        found = read_mjcf(changed(tmp_path, "degrees.xml", weld))
    held = [leg.fixed for leg in found.legs]  # type: ignore[union-attr]
    assert sum(length is not None for length in held) == 1
