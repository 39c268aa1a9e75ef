"""What removes a real pose: limits, crossing legs, another branch, another aspect."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.kinematics.assembly import assembly_modes
from gough.kinematics.forward import actuator_coordinates
from gough.spatial import Pose
from support.hexapods import hexapod, pairs


def test_filters_remove_what_the_machine_cannot_do() -> None:
    home = Pose([0.0, 0.0, 0.55])
    limits = gough.Limits(stroke=(0.3, 1.0), base_cone=0.6, platform_cone=0.6, radius=0.01)
    base, joint = pairs(0.5, 12.0, 0.0), np.roll(pairs(0.3, 15.0, 60.0), 1, axis=0)
    legs = [
        gough.UPS(base=b, joint=p, axis=[1, 0, 0], limits=limits)
        for b, p in zip(base, joint, strict=True)
    ]
    platform = gough.Platform(gough.Body(1.0), legs, home=home)
    length = actuator_coordinates(platform, Pose.from_rpy([0.05, 0.0, 0.55], [0.1, 0.1, 0.2]))
    everything = assembly_modes(platform, length)
    above = assembly_modes(platform, length, ["above"])
    assert 0 < len(above) < len(everything)
    assert (above.poses.position[:, 2] > 0).all()
    left = assembly_modes(platform, length, ["stroke", "cones", "above", "crossings"])
    assert 1 <= len(left) <= len(above)
    assert left.count == everything.count  # filters never touch the count
    short = [leg.replace(limits=limits.replace(stroke=(0.3, 0.31))) for leg in legs]
    assert (
        len(assembly_modes(gough.Platform(platform.body, short, home=home), length, ["stroke"]))
        == 0
    )


def test_the_aspect_of_home_is_told_as_far_as_it_is_proved() -> None:
    """Removed: proved separated (the determinant's other sign).  Kept: proved joined, or open, and said which."""
    from gough.analysis.singularity import singularity

    base, joint = pairs(0.5, 12.0, 0.0), np.roll(pairs(0.3, 15.0, 60.0), 1, axis=0)
    home, there = Pose([0.0, 0.0, 0.55]), Pose.from_rpy([0.05, 0.0, 0.55], [0.1, 0.1, 0.2])
    platform = hexapod(base, joint, home=home)
    length = actuator_coordinates(platform, there)
    everything, same = assembly_modes(platform, length), assembly_modes(platform, length, "aspect")
    sign = np.sign(singularity(platform, everything.poses).determinant)
    at_home = np.sign(singularity(platform, home).determinant)
    kept = everything.poses.position[sign == at_home]
    assert 0 < len(kept) < len(everything)
    np.testing.assert_array_equal(same.poses.position, kept)
    assert same.removed == {"aspect": len(everything) - len(kept)}
    assert same.joined.shape == (len(kept),)
    assert same.joined[np.abs(same.poses.position - there.position).max(axis=1).argmin()]
    assert repr(same).count("in the aspect of home") == same.joined.sum()
    assert len(everything.joined) == 0
    # planted: from a singular home nothing can be proved, neither joined nor separated
    bad = Pose.from_rpy([0.0, 0.0, 0.55], [0.0, 0.0, np.pi / 2])
    undecided = assembly_modes(hexapod(base, joint, home=bad), length, "aspect")
    assert len(undecided) == len(everything)
    assert not undecided.joined.any()
    assert repr(undecided).count("its aspect is open") == len(everything)
    with pytest.raises(gough.InputError, match="home"):
        assembly_modes(hexapod(base, joint), length, "aspect")


@pytest.mark.parametrize("kind", ["PUS", "RUS"])
def test_a_pose_on_another_branch_is_in_another_aspect(kind: str) -> None:
    from support.forward_machines import HOME, machine

    platform = machine(kind)
    modes = assembly_modes(platform, actuator_coordinates(platform, HOME), "aspect")
    assert modes.on_branch.all()
    assert modes.joined[np.abs(modes.poses.position - HOME.position).max(axis=1).argmin()]


def test_crossing_legs_are_seen() -> None:
    from gough.struts import segment_distance

    a0, a1 = np.array([0.0, 0, 0]), np.array([1.0, 0, 0])
    np.testing.assert_allclose(
        segment_distance(a0, a1, np.array([0.5, -1, 0.1]), np.array([0.5, 1, 0.1])), 0.1
    )
    np.testing.assert_allclose(
        segment_distance(a0, a1, np.array([2.0, -1, 0]), np.array([2.0, 1, 0])), 1.0
    )
    np.testing.assert_allclose(
        segment_distance(a0, a1, np.array([0.0, 0.3, 0]), np.array([1.0, 0.3, 0])), 0.3
    )
    np.testing.assert_allclose(
        segment_distance(a0, a1, np.array([1.3, 0.4, 0]), np.array([3.0, 4.0, 0])), 0.5
    )
