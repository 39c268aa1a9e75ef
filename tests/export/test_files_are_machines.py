"""An exported file is the machine: what another program reads in it, its constraints held hard, accelerates as
`forward_dynamics` says, at rest to round-off, in motion as well as a difference quotient can see.

MJCF is read by MuJoCo, URDF with its companion by Pinocchio, SDF by `oracles.sdf_file`.  Left out of a file, and then
of the machine here: friction of balls at the platform in MJCF, of all balls in SDF.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gough
from gough.export.mjcf import mjcf
from gough.export.sdf import sdf
from gough.export.urdf import urdf, urdf_companion
from oracles.sdf_file import FreeLinks
from oracles.written_machines import LINKS, PLAIN, ROTORS, SPRINGS, machine

pytest.importorskip("mujoco")
pytest.importorskip("pinocchio")

from oracles.mujoco_file import HardFile
from oracles.urdf_file import ClosedFile

KINDS = {"mjcf": (*PLAIN, *ROTORS), "urdf": (*PLAIN, *ROTORS), "sdf": PLAIN}
CASES = [(form, kind) for form, kinds in KINDS.items() for kind in kinds]
EFFORT = np.array([600.0, -400.0, 200.0, 100.0, -300.0, 500.0])
Change = Callable[[str], str]


def read(form: str, platform: gough.Platform, pose: gough.Pose, change: Change) -> Any:
    """The file as its reader sees it, no leg spinning about itself."""
    spun = [
        f"{name}-{'upper' if hasattr(leg, 'upper') else 'link'}"
        for name, leg in zip(platform.leg_names, platform.legs, strict=True)
        if hasattr(leg, "reference")
    ]
    if form == "urdf":
        return ClosedFile(change(urdf(platform, pose)), urdf_companion(platform, pose), spun)
    write, reader = {"mjcf": (mjcf, HardFile), "sdf": (sdf, FreeLinks)}[form]
    return reader(change(write(platform, pose)), spun)


def difference(
    form: str, platform: gough.Platform, motion: gough.Motion, moving: bool, change: Change = str
) -> float:
    """Largest relative difference of the platform's acceleration between the file and the equations."""
    speed = (motion.velocity, motion.angular_velocity) if moving else (np.zeros(3), np.zeros(3))
    state = gough.Motion(motion.position, motion.rotation, *speed)
    spins = any(hasattr(leg, "reference") for leg in platform.legs)
    spin = gough.Spin(np.zeros(6), np.zeros(6)) if spins else None
    own = gough.forward_dynamics(platform, state, EFFORT, spin=spin, engine="python")
    wanted = np.concatenate([own.acceleration, own.angular_acceleration])
    file = read(form, platform, motion.pose, change)
    driven = [getattr(leg, "fixed", None) is None for leg in platform.legs]
    found = file.acceleration(*speed, motion.rotation, EFFORT[driven])
    return float(np.abs(found - wanted).max() / np.abs(wanted).max())


@pytest.mark.parametrize(("form", "kind"), CASES)
def test_the_file_is_the_machine(form: str, kind: str) -> None:
    platform, motion = machine(kind, 3, form)
    assert difference(form, platform, motion, moving=False) < 1e-11
    assert difference(form, platform, motion, moving=True) < 1e-7


@pytest.mark.slow
@pytest.mark.parametrize(("form", "kind"), CASES)
def test_many_files_are_their_machines(form: str, kind: str) -> None:
    for seed in range(10, 16):
        platform, motion = machine(kind, seed, form)
        assert difference(form, platform, motion, moving=False) < 1e-11
        assert difference(form, platform, motion, moving=True) < 1e-7


def times(pattern: str, factor: float) -> Change:
    """The number that the pattern's group finds, times a factor."""

    def change(text: str) -> str:
        found = re.search(pattern, text)
        assert found is not None, pattern
        value = repr(factor * float(found[1]))
        return text[: found.start(1)] + value + text[found.end(1) :]

    return change


NUMBER, ANY = r'="([-+.e0-9]+)', r"(?:.|\n)*?"
HAND = times(f'<fixed name="L1-travel"{ANY}L1-twist" coef{NUMBER}', -1.0)
PLANTED = {
    "the hand of a screw": ("mjcf", "UCU-screw", HAND),
    "a screw that does not turn back": (
        "mjcf",
        "UCU-upper",
        times(f'<fixed name="L1-screw-gear"{ANY}L1-twist" coef{NUMBER}', 0.0),
    ),
    "a motor that turns the other way": (
        "mjcf",
        "UPS-rotor",
        times(f'<fixed name="L1-rotor-gear"{ANY}L1-drive" coef{NUMBER}', -1.0),
    ),
    "friction of the pair": ("mjcf", "UCU", times(f'"L1-twist"[^>]*?damping{NUMBER}', 1.01)),
    "friction at the platform": ("mjcf", "UCU", times(f'"L1-kp"[^>]*?damping{NUMBER}', 1.01)),
    "the spring of the twist": ("mjcf", "UCU-rotor", times(f'"L1-twist"[^>]*?ref{NUMBER}', 0.99)),
    "drive inertia": ("mjcf", "UCU", times(f'"L1-drive"[^>]*?armature{NUMBER}', 1.001)),
    "a plate": ("mjcf", "UCU", times(f'"L1-plate"{ANY}mass{NUMBER}', 1.001)),
    "the upper part": ("mjcf", "UCU", times(f'"L1-upper"{ANY}fullinertia{NUMBER}', 1.001)),
    "a rotor's gear": ("urdf", "UCU-upper", times(f'"L1-rotor"{ANY}multiplier{NUMBER}', 1.01)),
    "a screw's gear": ("urdf", "UCU-screw", times(f'"L1-screw"{ANY}multiplier{NUMBER}', -1.0)),
    "friction of a twist": ("urdf", "UCU", times(f'"L1-twist"{ANY}damping{NUMBER}', 1.01)),
    "a carrier": ("urdf", "UCU-screw", times(f'link name="L1-lower"{ANY}ixx{NUMBER}', 1.1)),
    "friction of a ball that carries": (
        "mjcf",
        "RSS-general",
        times(f'"L1-ball-base"[^>]*?damping{NUMBER}', 1.01),
    ),
    "friction of a free twist": (
        "urdf",
        "UCS-general",
        times(f'"L1-twist"{ANY}damping{NUMBER}', 1.01),
    ),
    "a slider's rod": ("sdf", "PSU", times(rf'"L1-link"{ANY}<ixx>([.0-9]+)', 1.01)),
    "a spring at the platform": (
        "mjcf",
        "UCU" + SPRINGS,
        times(f'"L1-yp"[^>]*?springref{NUMBER}', -1.0),
    ),
    "a spring of a cross piece": (
        "mjcf",
        "UCU-offset" + SPRINGS,
        times(f'"L1-k"[^>]*?springref{NUMBER}', 1.1),
    ),
    "a spring at the base": (
        "sdf",
        "UCU" + SPRINGS,
        times(rf'"L1-universal-base"{ANY}<spring_reference>([-.e0-9]+)', 1.1),
    ),
    "an axis beside the joint": (
        "mjcf",
        "UPS-offset",
        times(r'name="L1-y"[^>]*?pos="\S+ \S+ ([-+.e0-9]+)', 1.01),
    ),
    "a cross piece": (
        "urdf",
        "UCU-offset",
        times(f'link name="L2-cross-base"{ANY}izz{NUMBER}', 1.1),
    ),
    "where a cross piece turns": (
        "sdf",
        "UCU-offset",
        times(rf'joint name="L2-yp"{ANY}<pose[^>]*>([-.e0-9]+)', 1.01),
    ),
    "a sleeve": ("sdf", "UCU", times(rf'"L1-sleeve"{ANY}<mass>([.0-9]+)', 2.0)),
    "friction beyond the joint": (
        "sdf",
        "UCU",
        times(f'"L1-universal-platform"{ANY}axis2{ANY}<damping>([.0-9]+)', 1.01),
    ),
}


@pytest.mark.parametrize("error", PLANTED)
def test_planted_errors_are_seen(error: str) -> None:
    form, kind, change = PLANTED[error]
    platform, motion = machine(kind, 3, form)
    assert difference(form, platform, motion, moving=True, change=change) > 1e-6


@pytest.mark.parametrize("form", ["mjcf", "urdf"])
def test_a_motor_that_does_not_ride_is_inertia_of_the_travel(form: str) -> None:
    platform, motion = machine("UCU-screw", 3, form)
    legs = [
        leg.replace(drive=leg.drive.replace(rotor_axis=None))  # type: ignore[union-attr]
        for leg in platform.legs
    ]
    fixed = platform.replace(legs=legs)
    assert difference(form, fixed, motion, moving=False) < 1e-11
    assert difference(form, fixed, motion, moving=True) < 1e-7
    if form == "mjcf":
        wrong = times(f'name="L1-travel" armature{NUMBER}', 1.01)
        assert difference(form, fixed, motion, moving=False, change=wrong) > 1e-6


@pytest.mark.parametrize("form", ["mjcf", "urdf"])
def test_a_cross_piece_may_weigh_nothing(form: str) -> None:
    """Its joints are those of the next body; SDF, which has one joint per body, refuses it by its name."""
    platform, motion = machine("UCU-offset", 3, form)
    legs = []
    for leg in platform.legs:
        sides = {side: getattr(leg, side) for side in ("base_offset", "platform_offset")}
        light = {s: own.replace(cross=gough.Body(0.0)) for s, own in sides.items() if own}
        legs.append(leg.replace(**light))
    light = platform.replace(legs=legs)
    assert difference(form, light, motion, moving=False) < 1e-11
    assert difference(form, light, motion, moving=True) < 1e-7
    with pytest.raises(gough.InputError, match=r"cross-\w+\.mass"):
        sdf(light)


def test_a_fixed_link_has_no_actuator() -> None:
    """Five motors for five drives; what is held stands still in the files."""
    platform, motion = machine("UPS" + LINKS, 3, "urdf")
    held = [getattr(leg, "fixed", None) is not None for leg in platform.legs]
    names = [name for name, still in zip(platform.leg_names, held, strict=True) if still]
    assert len(names) == 2
    model = read("mjcf", platform, motion.pose, str).model
    assert model.nu == 4
    told = urdf_companion(platform, motion.pose)["actuators"]
    text, scene = urdf(platform, motion.pose), FreeLinks(sdf(platform, motion.pose))
    for name in names:
        assert name not in [actuator["leg"] for actuator in told]
        assert f'name="{name}-drive"' not in text
        assert scene.joint(f"{name}-fixed")[:3] == ("fixed", f"{name}-lower", f"{name}-upper")


def test_a_spring_in_the_twist_is_in_every_file() -> None:
    """Also where the format has no screws."""
    for form in KINDS:
        platform, motion = machine("UCU", 3, form)
        legs = [leg.replace(torsion=200.0, torsion_rest=0.3) for leg in platform.legs]
        sprung = platform.replace(legs=legs)
        assert difference(form, sprung, motion, moving=False) < 1e-11
    wrong = times(rf'"L1-twist"{ANY}<spring_reference>([-.0-9]+)', 1.01)
    assert difference("sdf", sprung, motion, moving=False, change=wrong) > 1e-6


@pytest.mark.parametrize(
    ("kind", "joint"),
    [("PSU", ("platform_first", "platform_second")), ("UCS-general", ("first", "second"))],
)
@pytest.mark.parametrize("form", ["mjcf", "urdf", "sdf"])
def test_springs_in_the_universal_joint_of_legs_with_a_ball(
    form: str, kind: str, joint: tuple[str, str]
) -> None:
    bare, motion = machine(kind, 3, form)
    springs = gough.JointSprings(**{joint[0]: 300.0, joint[1]: 500.0})
    own = bare.replace(legs=[leg.replace(springs=springs) for leg in bare.legs])
    assert difference(form, own, motion, moving=False) < 1e-11
    near = springs.replace(**{joint[1]: 501.0})
    other = bare.replace(legs=[leg.replace(springs=near) for leg in bare.legs])
    file = read(form, other, motion.pose, str)
    wrong = file.acceleration(np.zeros(3), np.zeros(3), motion.rotation, EFFORT)
    right = read(form, own, motion.pose, str)
    found = right.acceleration(np.zeros(3), np.zeros(3), motion.rotation, EFFORT)
    assert np.abs(wrong - found).max() > 1e-6 * np.abs(found).max()
