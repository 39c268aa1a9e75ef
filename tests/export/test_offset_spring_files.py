"""Files of machines whose base joints have offsets and springs: UPS, whose platform joint is a ball."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.export.mjcf import mjcf
from gough.export.sdf import sdf
from gough.export.urdf import urdf_companion

pytest.importorskip("mujoco")
pytest.importorskip("pinocchio")

from export.test_files_are_machines import ANY, NUMBER, difference, machine, times

FIRST, SECOND = 300.0, 500.0


def sprung(form: str, **more: object) -> tuple[gough.Platform, gough.Motion]:
    """Springs about both axes of every base joint, every other leg's relaxed away from home; a state."""
    bare, motion = machine("UPS-offset", 3, form)
    home = bare.require_home()
    turned = gough.Pose.from_rpy(home.position + np.array([0.01, -0.02, 0.015]), (0.05, -0.08, 0.1))
    legs = [
        leg.replace(
            springs=gough.JointSprings(
                FIRST + i, SECOND - i, home=turned if i % 2 else home, **more
            )
        )
        for i, leg in enumerate(bare.legs)
    ]
    return bare.replace(legs=legs), motion


@pytest.mark.parametrize("form", ["mjcf", "urdf", "sdf"])
def test_the_file_is_the_machine(form: str) -> None:
    own, motion = sprung(form)
    assert difference(form, own, motion, moving=False) < 1e-11
    assert difference(form, own, motion, moving=True) < 1e-7


@pytest.mark.parametrize("letter", ["k", "y"])
@pytest.mark.parametrize(
    ("form", "said"),
    [("mjcf", rf"[^>]*?stiffness{NUMBER}"), ("sdf", rf"{ANY}<spring_stiffness>([-.e0-9]+)")],
)
def test_a_planted_stiffness_is_seen(form: str, said: str, letter: str) -> None:
    own, motion = sprung(form)
    wrong = times(rf'"L1-{letter}"{said}', 1.01)
    assert difference(form, own, motion, moving=False, change=wrong) > 1e-6


def test_a_companion_says_where_the_springs_of_an_offset_joint_are_relaxed() -> None:
    """The angles from rest that the equations count, about both axes."""
    own, motion = sprung("urdf")
    told = urdf_companion(own, motion.pose)["springs"]
    ideal = own.replace(legs=[leg.replace(base_offset=None) for leg in own.legs])
    other = urdf_companion(ideal, motion.pose)["springs"]
    for i, name in enumerate(own.leg_names):
        k, y = (told[name]["universal"][f"{name}-{letter}"] for letter in "ky")
        assert (k["stiffness"], y["stiffness"]) == (FIRST + i, SECOND - i)
        assert y["rest"] != pytest.approx(other[name]["universal"][f"{name}-y"]["rest"], rel=1e-6)


def test_the_flexure_at_the_platform_is_refused_or_told() -> None:
    own, motion = sprung("urdf", platform_ball=40.0)
    for write, language in ((mjcf, "MJCF"), (sdf, "SDF")):
        with pytest.raises(
            gough.InputError, match=rf"legs\.L1\.springs\.platform_ball.*{language} has no springs"
        ):
            write(own, motion.pose)
    told = urdf_companion(own, motion.pose)["springs"]["L1"]
    assert told["platform_ball"] == (40.0 * np.eye(3)).tolist()
