"""Parts of machines with links and screws by themselves: distances, condition numbers, steps, what is refused where."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.kinematics import links
from gough.kinematics.forward import actuator_coordinates
from gough.kinematics.screwed import _moved, _step, ideal
from gough.spatial import Pose, rotation_exp
from gough.struts import struts
from support.forward_machines import HOME, machine


def test_a_lost_state_is_named_by_its_place() -> None:
    lost = np.zeros((2, 3), dtype=bool)
    links._refuse(HOME, lost)  # none is lost
    lost[1, 2] = True
    with pytest.raises(gough.InfeasibleError, match=r"^state 1, 2: no pose near the given one"):
        links._refuse(HOME, lost)
    lost[0, 1] = True  # the first of them
    with pytest.raises(gough.InfeasibleError, match=r"^state 0, 1: no pose"):
        links._refuse(HOME, lost)
    with pytest.raises(gough.InfeasibleError, match=r"^no pose near the given one"):
        links._refuse(HOME, np.array(True))


def test_condition_numbers_are_infinite_where_the_smallest_value_is_rounding() -> None:
    values = np.array([[4.0, 2.0, 1.0], [4.0, 4.0, 4.0], [1.0, 0.5, 0.0], [0.0, 0.0, 0.0]])
    assert links._condition(values).tolist() == [4.0, 1.0, np.inf, np.inf]
    assert links._condition(values[0]) == 4.0
    for low, finite in ((3e-15, True), (0.3e-15, False)):
        assert bool(np.isfinite(links._condition(np.array([2.0, 2.0 * low])))) is finite


@pytest.mark.parametrize("angle", [0.0, 0.3, 2.0])
def test_distances_of_poses_are_shifts_and_turns_of_the_machines_size(angle: float) -> None:
    platform = machine("UPS")
    axis, shift = np.array([0.6, 0.0, -0.8]), np.array([0.1, -0.2, 0.2])
    turn = rotation_exp(angle * axis)
    start = Pose(
        np.tile(HOME.position, (2, 1)), np.stack([np.eye(3), rotation_exp([0.2, 0.1, 0.0])])
    )
    end = Pose(start.position + np.stack([shift, 0.0 * shift]), turn @ start.rotation)
    c = platform.characteristic_length
    due = [np.sqrt(0.09 + (c * angle) ** 2), c * angle]
    np.testing.assert_allclose(links._distance(platform, start, end), due, atol=1e-12)
    np.testing.assert_allclose(links._distance(platform, end, start), due, atol=1e-12)


def test_steps_are_taken_where_there_is_one() -> None:
    """Regular rows; where rows are singular or no numbers the others are solved all the same."""
    rng = np.random.default_rng(3)
    rows, right = rng.normal(size=(4, 6, 6)), rng.normal(size=(4, 6))
    rows[1, 3] = 0.0
    rows[2, 0, 0] = np.nan
    good = np.array([True, True, False, True])
    change, regular = _step(rows, right, good)
    assert regular.tolist() == [True, False, False, True]
    for k in (0, 3):
        np.testing.assert_allclose(rows[k] @ change[k], right[k], rtol=1e-9)
    assert np.isfinite(change).all()


def test_a_small_displacement_moves_and_turns_the_pose() -> None:
    pose = Pose(np.array([[0.1, 0.2, 0.3]]), rotation_exp(np.array([[0.3, -0.1, 0.2]])))
    change = np.array([[1.0, 2.0, 3.0, 0.2, 0.1, -0.3]])
    bent = Pose.trusted(pose.position, pose.rotation + 1e-9)  # rounding that has piled up
    found = _moved(bent, change)[0]
    np.testing.assert_allclose(found[:3], [1.1, 2.2, 3.3])
    R = found[3:].reshape(3, 3)
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-14)
    np.testing.assert_allclose(R, rotation_exp(change[0, 3:]) @ pose.rotation[0], atol=1e-8)
    lost = _moved(Pose.trusted(pose.position, np.full((1, 3, 3), np.nan)), change)
    assert lost.shape == (1, 12)


def test_the_ideal_machine_has_lengths_for_coordinates() -> None:
    """Without screws and offsets; its joints stay where they are, and a machine without them is as it was."""
    screwed = gough.load("screw-hexapod")
    bare = ideal(screwed)
    home = screwed.require_home()
    tilted = Pose(home.position, rotation_exp([0.1, 0.2, 0.3]) @ home.rotation)
    S = tilted.position + screwed.platform_joints @ tilted.rotation.T - screwed.base_joints
    np.testing.assert_allclose(
        actuator_coordinates(bare, tilted), np.linalg.norm(S, axis=1), rtol=1e-12
    )
    assert (np.abs(actuator_coordinates(screwed, tilted) - np.linalg.norm(S, axis=1)) > 1e-6).all()
    assert struts(bare, tilted).pull is None
    plain = machine("UPS")
    assert ideal(plain).legs == plain.legs


@pytest.mark.filterwarnings("ignore::gough.ModelWarning")
def test_links_that_contradict_each_other_are_never_met() -> None:
    """Two of different lengths between the same joints: a third link holds, no step is left, two do not."""
    platform = machine("UPS")
    length = gough.inverse_kinematics(platform, HOME).length
    legs = list(platform.legs)
    legs[2] = legs[2].replace(base=legs[1].base, joint=legs[1].joint)
    for leg, off in ((0, 0.0), (1, -1e-3), (2, 1e-3)):
        legs[leg] = legs[leg].replace(fixed=float(length[min(leg, 1)]) + off)
    with pytest.raises(gough.InfeasibleError, match="no pose near the given one"):
        links._nearest(platform.replace(legs=legs, home=None), HOME)
    same = [leg.replace(fixed=float(length[1])) if i == 2 else leg for i, leg in enumerate(legs)]
    same[1] = same[1].replace(fixed=float(length[1]))
    found = links._nearest(platform.replace(legs=same, home=None), HOME)
    assert found.distance == pytest.approx(0.0, abs=1e-12)
