"""What a page draws of flexures: the direction in which the springs of a joint are relaxed."""

from __future__ import annotations

import numpy as np

import gough
from gough.analysis.drawing import drawing, rest_directions
from gough.spatial import rotation_exp, rotation_from_rpy
from gough.struts import struts


def test_only_legs_with_springs_have_a_direction_at_rest() -> None:
    assert drawing(gough.load("motion-base-1500"))["rest"] == [None] * 6
    machine = gough.load("flexure-hexapod")
    legs = [machine.legs[0].replace(springs=gough.JointSprings()), *machine.legs[1:]]
    rest = drawing(machine.replace(legs=legs))["rest"]
    assert [one is None for one in rest] == [True, False, False, False, False, False]


def test_directions_are_those_of_the_pose_at_rest_as_the_carriers_see_them() -> None:
    """A crank's own axes turn with it; the springs' own pose goes before the machine's home."""
    machine = gough.load("servo-hexapod")
    home = machine.require_home()
    turned = gough.Pose(home.position, rotation_from_rpy((0.05, -0.03, 0.1)))
    for given, pose in ((None, home), (turned, turned)):
        springs = gough.JointSprings(first=0.1, home=given)
        made = machine.replace(legs=[leg.replace(springs=springs) for leg in machine.legs])
        g = struts(made, pose)
        for i, leg in enumerate(made.legs):
            assert isinstance(leg, gough.RUS)
            rest = rest_directions(made, i)
            assert rest is not None
            base, top = rest
            crank = rotation_exp(g.coordinate[i] * leg.shaft)
            np.testing.assert_allclose(crank @ base, g.direction[i], atol=1e-12)
            np.testing.assert_allclose(pose.rotation @ top, g.direction[i], atol=1e-12)
