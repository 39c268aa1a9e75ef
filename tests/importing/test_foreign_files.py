"""Files in other people's styles: what is read accelerates as MuJoCo or Pinocchio find, constraints held hard.

degrees.xml   angles in degrees, classes inside classes, masses from geoms, geared motors in another order than the legs
hanging.xml   the tree starts at the platform; slides that shorten the leg; feet tied to the world
servos.xml    cranks, balls, position servos; the platform sits on the first rod
ros.urdf      frames begin anywhere, tensors in turned frames, transmissions; loops in TOML, or as loop_joint elements
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from gough.checks import Array
from gough.documents.source import parse_toml
from gough.importing import read_mjcf, read_urdf

pytest.importorskip("mujoco", reason="MJCF is read by MuJoCo's compiler")

from oracles.foreign_file import ForeignFile

FILES = Path(__file__).parents[1] / "data" / "foreign"
ROW = range(1, 7)
MJCF: dict[
    str, tuple[str, list[str], Array, float]
] = {  # platform, what must not spin, signs, size of the efforts
    "degrees": ("top", [], np.ones(6), 300.0),
    "hanging": ("plate", [f"upper{i}" for i in ROW], np.array([-1.0, 1.0] * 3), 100.0),
    "servos": ("deck", [f"arm{i}" for i in ROW], np.ones(6), 0.2),
}
pytestmark = pytest.mark.filterwarnings("ignore::gough.ModelWarning")


def accelerations(platform: gough.Platform, twist: Array, effort: Array) -> Array:
    spins = any(hasattr(leg, "reference") for leg in platform.legs)
    spin = gough.Spin(np.zeros(6), np.zeros(6)) if spins else None
    home = platform.require_home()
    motion = gough.Motion(home.position, home.rotation, twist[:3], twist[3:])
    found = gough.forward_dynamics(platform, motion, effort, spin=spin, engine="python")
    return np.concatenate([found.acceleration, found.angular_acceleration])


def off(path: Path, name: str) -> float:
    """Largest relative difference from MuJoCo, at rest and moving."""
    body, spun, signs, size = MJCF[name]
    platform, file = read_mjcf(path), ForeignFile(str(FILES / f"{name}.xml"), body, spun)
    assert np.array_equal(platform.require_home().position, file.position)
    rng, worst = np.random.default_rng(1), 0.0
    scale = np.repeat([platform.characteristic_length, 1.0], 3)
    for twist in (np.zeros(6), scale * rng.normal(size=6)):
        effort = size * rng.normal(size=6)
        own, theirs = (
            accelerations(platform, twist, effort),
            file.acceleration(twist, signs * effort),
        )
        worst = max(worst, float(np.abs(own - theirs).max() / np.abs(theirs).max()))
    return worst


@pytest.mark.parametrize("name", MJCF)
def test_mujoco_agrees(name: str) -> None:
    assert off(FILES / f"{name}.xml", name) < 1e-9


CHANGES = {
    "a gear is no mass, but a damper is felt": ("degrees", r'damping="450"', 'damping="460"'),
    "a cardan's friction": ("degrees", r'damping="0.8"', 'damping="0.9"'),
    "a leg's mass": ("degrees", r'density="7850"', 'density="7900"'),
    "where a foot is": ("hanging", r'anchor="0 0 0\.\d', 'anchor="0 0 0.7'),
    "drive inertia": ("servos", r'armature="2e-4"', 'armature="2.1e-4"'),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_planted_is_seen(change: str, tmp_path: Path) -> None:
    """The changed file against the reading of the old one."""
    name, old, new = CHANGES[change]
    text, count = re.subn(old, new, (FILES / f"{name}.xml").read_text(), count=1)
    assert count == 1
    (tmp_path / "x.xml").write_text(text)
    assert off(tmp_path / "x.xml", name) > 1e-6


def test_what_is_said_about_the_legs() -> None:
    rig = read_mjcf(FILES / "degrees.xml")
    assert rig.kinds == ("UPS",) * 6
    first = rig.legs[0]  # motors stand in the file from the last leg to the first
    assert first.limits.force == 2500.0
    assert first.limits.stroke is not None
    length = gough.inverse_kinematics(rig, rig.require_home(), engine="python").length
    assert np.allclose(first.limits.stroke, length[0] + np.array([-0.3, 0.25]))
    assert first.drive is not None
    assert first.drive.reflected_inertia == 3.5
    assert np.allclose([leg.joint[2] for leg in rig.legs], rig.legs[0].joint[2], atol=0.05)
    deck = read_mjcf(FILES / "servos.xml")
    assert deck.kinds == ("RSS",) * 6
    limits = deck.legs[3].limits
    assert limits.stroke is not None
    assert np.allclose(np.degrees(limits.stroke), [-80, 80])
    assert limits.force == 3.0
    assert deck.legs[3].drive is not None
    assert deck.legs[3].drive.coulomb == 0.05


def test_what_is_no_part_of_a_machine_is_said() -> None:
    with pytest.warns(gough.ModelWarning, match=r"'actuator0'.*'actuator5': its law, a servo's"):
        read_mjcf(FILES / "servos.xml")
    with pytest.warns(gough.ModelWarning, match="'leg_6_u2': the range of a passive joint"):
        read_urdf(FILES / "ros.urdf")


def test_pinocchio_agrees() -> None:
    pytest.importorskip("pinocchio", reason="the URDF is read by Pinocchio")
    from oracles.urdf_file import ClosedFile

    rig = read_urdf(FILES / "ros.urdf")
    told: dict[str, Any] = parse_toml((FILES / "ros.loops.toml").read_text(), "ros")
    slides = [{"acts_on": {f"leg_{i}_slide": 1.0}, "reflected_inertia": 0.0} for i in ROW]
    rubs = {"ball_friction": {f"leg_{i}": 0.0 for i in ROW}, "loop_friction": {}, "springs": {}}
    text = (FILES / "ros.urdf").read_text()
    file = ClosedFile(text, told | rubs | {"actuators": slides}, floating="float")
    home, rng = rig.require_home(), np.random.default_rng(2)
    for twist in (np.zeros(6), rng.normal(size=6)):
        effort = 500.0 * rng.normal(size=6)
        own = accelerations(rig, twist, effort)
        theirs = file.acceleration(twist[:3], twist[3:], home.rotation, effort)
        assert np.abs(own - theirs).max() < 1e-7 * np.abs(theirs).max()
    assert rig.leg_names == tuple(f"leg_{i}" for i in ROW)
    limits = rig.legs[2].limits
    assert (limits.force, limits.speed) == (4000.0, 0.5)
    assert rig.legs[2].drive is not None
    assert rig.legs[2].drive.coulomb == 15.0


def test_loops_of_a_companion_and_of_loop_joints_are_the_same_machine() -> None:
    one, other = read_urdf(FILES / "ros.urdf"), read_urdf(FILES / "ros_loop_joints.urdf")
    effort = np.array([300.0, -200.0, 100.0, 50.0, 400.0, -100.0])
    still = np.zeros(6)
    a, b = (accelerations(machine, still, effort) for machine in (one, other))
    assert np.abs(a - b).max() < 1e-9 * np.abs(a).max()


def test_a_universal_joint_at_the_platform_of_a_leg_with_a_ball_below(tmp_path: Path) -> None:
    """S-P-U is the same as UCU where the lower part is round; else it is refused."""
    text = (FILES / "hanging.xml").read_text()
    hinges = r'<joint type="hinge" axis="1 0 0" damping="0.2"/><joint type="hinge" axis="0 1 0" damping="0.2"/>'
    turned = re.sub(r'<joint name="shoulder\d" type="ball"/>', hinges, text)
    (tmp_path / "spu.xml").write_text(turned)
    platform = read_mjcf(tmp_path / "spu.xml")
    assert platform.kinds == ("UCU",) * 6
    file, rng = ForeignFile(str(tmp_path / "spu.xml"), "plate"), np.random.default_rng(3)
    for twist in (np.zeros(6), 0.5 * rng.normal(size=6)):
        effort = 100.0 * rng.normal(size=6)
        own = accelerations(platform, twist, effort)
        theirs = file.acceleration(twist, np.array([-1.0, 1.0] * 3) * effort)
        assert np.abs(own - theirs).max() < 1e-9 * np.abs(theirs).max()
    beside = '<body name="lower1" pos="0 0 0.4"><geom type="sphere" size="0.02" pos="0.05 0 0.2"/>'
    (tmp_path / "spu.xml").write_text(turned.replace('<body name="lower1" pos="0 0 0.4">', beside))
    with pytest.raises(gough.InputError, match="a lower part not round"):
        read_mjcf(tmp_path / "spu.xml")


def test_a_slide_that_shortens_its_leg_is_the_same_leg(tmp_path: Path) -> None:
    """Efforts here are along the leg, whatever a file's slide reads."""
    text = (FILES / "hanging.xml").read_text()
    assert text.count('axis="0 0 -1"') == 3
    (tmp_path / "x.xml").write_text(text.replace('axis="0 0 -1"', 'axis="0 0 1"'))
    assert off(tmp_path / "x.xml", "hanging") < 1e-9
