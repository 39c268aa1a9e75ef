"""Parts of the search for aspects: the box of waypoints, ways through a graph, numbers of components."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.kinematics import aspects
from gough.kinematics.assembly import assembly_modes
from gough.kinematics.forward import actuator_coordinates
from gough.spatial import Pose
from support.forward_machines import machine


def test_the_box_of_waypoints_holds_the_modes_and_a_length_more() -> None:
    platform = machine("UPS")
    position = np.array([[0.0, 1.0, 5.0], [2.0, -1.0, 1.0], [1.0, 0.5, 3.0]])
    modes = Pose(position, np.stack([np.eye(3)] * 3))
    middle, half = aspects._box(platform, modes)
    assert middle == pytest.approx([1.0, 0.0, 3.0])
    assert half == pytest.approx(np.array([1.0, 1.0, 2.0]) + platform.characteristic_length)
    none = aspects._box(platform, Pose(np.zeros((0, 3)), np.zeros((0, 3, 3))))
    assert [x.tolist() for x in none] == [[0.0] * 3, [0.0] * 3]


def test_shortest_ways_and_components() -> None:
    """Modes 0 to 3, waypoints 4 to 6: 0-4-5-1 and 0-2; 3 alone with waypoint 6."""
    edge = np.zeros((7, 7), dtype=bool)
    for a, b in ((0, 4), (4, 5), (5, 1), (0, 2), (3, 6)):
        edge[a, b] = edge[b, a] = True
    label, via = aspects._ways(edge, 4)
    assert label[[0, 1, 2, 4, 5]].tolist() == [label[0]] * 5
    assert label[3] == label[6] != label[0]
    assert via == {(0, 1): (0, 1), (1, 2): (1, 0, -1)}
    assert aspects._ways(np.zeros((0, 0), dtype=bool), 0)[1] == {}


def test_components_are_numbered_by_their_first_mode() -> None:
    assert aspects._renumber(np.array([7, 2, 7, 5, 2])).tolist() == [0, 1, 0, 2, 1]


@pytest.mark.parametrize("leg", [0, 1])
def test_a_strut_without_length_is_named_by_its_place(leg: int) -> None:
    """Struts alone must be longer than nothing: coordinates of sliders and cranks may be anything."""
    platform = machine("mixed")
    length = np.tile(actuator_coordinates(platform, platform.require_home()), (2, 1))
    length[0, 2:] = -0.1
    length[1, leg] = 0.0
    with pytest.raises(
        gough.InputError, match=f"leg {platform.leg_names[leg]} must be positive"
    ) as e:
        assembly_modes(platform, length)
    assert e.value.field == f"length[1, {leg}]"
