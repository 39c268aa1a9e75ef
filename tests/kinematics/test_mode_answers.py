"""Answers of many problems side by side: each has its own poses and words, with the axes that were asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gough import status
from gough.kinematics.assembly.answers import NOWHERE, Answers, AssemblyModes, AssemblyModesBatch
from gough.kinematics.forward import bare_pose
from gough.layout import POSE

NUMBER = np.array([2, 0, 1, 3, 1, 2])
FIRST = np.array([4, 0, 9, 0, 8, 6])  # in any order


def rows() -> np.ndarray:
    """Poses told by their places."""
    flat = np.tile(np.r_[np.zeros(3), np.eye(3).ravel()], (10, 1))
    flat[:, POSE.position] = np.arange(10.0)[:, None]
    return flat


def unsettled(poses: int) -> AssemblyModes:
    found = bare_pose(rows()[:poses])
    return AssemblyModes(found, 5, 7, False, False, reason=status.Status("incomplete", "open"))


def answers() -> Answers:
    others = {1: unsettled(0), 4: unsettled(3)}
    return Answers(4, NUMBER, FIRST, rows(), 0.1 * np.arange(10.0), others)


def test_an_answer_without_poses_has_nothing_for_each_of_them() -> None:
    none = AssemblyModes(NOWHERE, 0, 0, True, True)
    assert len(none) == 0
    for each in (none.residual, none.on_branch, none.joined, none.clusters, none.removed):
        assert len(each) == 0
    assert none.on_branch.dtype == none.joined.dtype == bool
    assert (none.at_infinity, none.undecided, none.dimension) == (0, 0, 0)
    assert none.continuum.shape == (0,)
    assert none.reason.ok
    assert repr(none).startswith("<AssemblyModes: 0 real poses, certified")


@pytest.mark.parametrize("i", [0, 2, 3, 5])
def test_a_settled_answer_is_its_share_of_the_rows(i: int) -> None:
    one = answers().one(i)
    place = FIRST[i] + np.arange(NUMBER[i])
    assert len(one) == NUMBER[i]
    np.testing.assert_array_equal(one.poses.position[:, 0], place)
    np.testing.assert_allclose(one.residual, 0.1 * place)
    assert one.on_branch.tolist() == [True] * NUMBER[i]
    assert (one.count, one.expected, one.complete, one.certified) == (4, 4, True, True)
    assert one.reason.ok
    assert one.reason == "4 of 4 finite solutions proved and distinct"


def test_a_batch_has_the_axes_of_its_lengths() -> None:
    found = answers()
    batch = AssemblyModesBatch(found, np.arange(6).reshape(2, 3))
    assert len(batch) == 2
    assert repr(batch) == "<AssemblyModesBatch (2, 3): 4 of 6 complete>"
    assert batch.number.tolist() == [[2, 0, 1], [3, 3, 2]]
    assert batch.count.tolist() == [[4, 5, 4], [4, 5, 4]]
    assert batch.expected.tolist() == [[4, 7, 4], [4, 7, 4]]
    for each in (batch.complete, batch.certified):
        assert each.tolist() == [[True, False, True], [True, False, True]]
    one: Any = batch[1, 1]
    assert one is found.others[4]
    row: Any = batch[1]
    assert row.number.tolist() == [3, 3, 2]
    assert batch.answers.shape == (2, 3)
    assert batch.answers[0, 1] is found.others[1]
    assert len(batch.answers[1, 0]) == 3
    assert answers().number.tolist() == NUMBER.tolist()  # nothing was changed on the way


def test_answers_that_are_there_already_need_no_rows() -> None:
    each = [unsettled(2), unsettled(0)]
    found = Answers.of(each)
    assert [found.one(i) for i in range(2)] == each
    assert found.rows.shape == (0, POSE.size)
    assert found.residual.shape == (0,)
    batch = AssemblyModesBatch(found, np.arange(2))
    assert batch.number.tolist() == [2, 0]
    assert batch.expected.tolist() == [7, 7]
    assert not batch.complete.any()


def test_aspects_are_told_pose_by_pose() -> None:
    """Numbers without noise in their last digits, and never a negative zero."""
    flat = rows()[:2]
    flat[0, POSE.position] = [-1e-14, 0.1234567, 2.0]
    told = AssemblyModes(bare_pose(flat), 2, 2, True, False, joined=np.array([True, False]))
    head, one, two = repr(told).splitlines()
    assert head.startswith("<AssemblyModes: 2 real poses, complete; ")
    assert "position (0, 0.123457, 2) m, quaternion (1, 0, 0, 0)" in one
    assert one.endswith(", in the aspect of home")
    assert two.endswith(", its aspect is open>")
