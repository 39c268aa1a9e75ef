"""The bookkeeping of a recovery: which samples have which candidates, and from where the track goes on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gough.checks import Array
from gough.kinematics import recovery
from gough.kinematics.mode_boxes import ModesWithin
from gough.kinematics.recovery import Candidates, Recovery
from gough.layout import FORWARD_SOLUTION as INFO
from gough.layout import POSE
from gough.spatial import Pose
from support.forward_machines import machine

RESIDUAL = 0.125


def flat(*places: float) -> Array:
    """Poses told by their x."""
    rows = np.tile(np.r_[np.zeros(3), np.eye(3).ravel()], (len(places), 1))
    rows[:, 0] = places
    return rows


class Story:
    """A track of samples certified, lost, or without numbers; what is open after each sample is told beforehand."""

    def __init__(
        self, m: pytest.MonkeyPatch, samples: str, opened: dict[int, list[float]], **more: Any
    ) -> None:
        n = len(samples)
        self.calls: list[tuple[str, int]] = []
        self.went_on: list[tuple[int, int, float]] = []
        self.pose, self.info = flat(*range(100, 100 + n)), np.full((n, INFO.size), 7.0)
        self.info[:, INFO.certified] = [s == "+" for s in samples]

        def found(task: Recovery, k: int) -> Candidates | None:
            self.calls.append(("found", k))
            return self.candidates(opened, k)

        def followed(task: Recovery, k: int, held: Candidates) -> Candidates | None:
            self.calls.append(("followed", k))
            return self.candidates(opened, k)

        def go_on(first: int, last: int, begin: Array) -> None:
            self.went_on.append((first, last, float(begin[0])))
            self.info[first:last, INFO.certified] = 1.0

        m.setattr(Recovery, "_found", found)
        m.setattr(Recovery, "_followed", followed)
        m.setattr(Recovery, "_pruned", lambda task, k, held: bool(held.open.any()))
        m.setattr(Recovery, "_residual", lambda task, k, one: RESIDUAL)
        whole = np.array([s != "?" for s in samples])
        given: dict[str, Any] = {"filters": (), "accept": None} | more
        task = Recovery(machine("UPS"), np.zeros((n, 6)), np.zeros((n, 6)), 0.0, whole, **given)
        self.branches = task.run(self.pose, self.info, go_on)

    def candidates(self, opened: dict[int, list[float]], k: int) -> Candidates | None:
        if k not in opened:
            return None
        rows = flat(-1.0, *opened[k], -2.0)  # closed ones stay in the list
        return Candidates(rows, rows[:, 0] >= 0.0)

    def seen(self) -> list[list[float] | None]:
        return [None if b is None else b.position[:, 0].tolist() for b in self.branches]


def test_a_track_that_holds_has_one_branch_at_each_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    story = Story(monkeypatch, "++?+", {})
    assert story.seen() == [[100.0], [101.0], None, [103.0]]
    assert story.calls == []
    assert story.went_on == []


def test_candidates_are_followed_until_one_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """Found at the first loss, followed past a gap; the last one left is the pose, and the track goes on from it."""
    story = Story(monkeypatch, "+-?---", {1: [1.0, 2.0, 3.0], 3: [4.0, 5.0], 4: [6.0]})
    assert story.calls == [("found", 1), ("followed", 3), ("followed", 4)]
    assert story.seen() == [[100.0], [1.0, 2.0, 3.0], None, [4.0, 5.0], [6.0], [105.0]]
    assert story.pose[4, 0] == 6.0
    assert story.pose[[1, 3], 0].tolist() == [101.0, 103.0]  # nothing is chosen among several
    row = story.info[4]
    assert row[INFO.certified] == row[INFO.pieces] == 1.0
    assert row[INFO.residual] == RESIDUAL
    rest = np.ones(INFO.size, dtype=bool)
    for name in (INFO.certified, INFO.pieces, INFO.residual):
        rest[name] = False
    assert (row[rest] == 0.0).all()  # converged, and not connected
    assert (story.info[3, rest] == 7.0)[: rest.sum()].any()
    assert story.went_on == [(5, 6, 6.0)]


def test_the_last_sample_has_nothing_behind_it(monkeypatch: pytest.MonkeyPatch) -> None:
    story = Story(monkeypatch, "+--", {1: [1.0, 2.0], 2: [3.0]})
    assert story.seen() == [[100.0], [1.0, 2.0], [3.0]]
    assert story.went_on == []
    one = Story(monkeypatch, "+-+", {1: [1.0]})
    assert one.went_on == [(2, 3, 1.0)]


def test_without_any_candidate_all_is_open_and_the_search_begins_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No list is proved, or all of it is excluded: nothing is known there."""
    story = Story(monkeypatch, "-----", {1: [1.0, 2.0], 2: [], 3: [4.0, 5.0]})
    assert story.calls == [
        ("found", 0),
        ("found", 1),
        ("followed", 2),
        ("found", 3),
        ("followed", 4),
    ]
    assert story.seen() == [None, [1.0, 2.0], None, [4.0, 5.0], None]
    assert (story.info[:, INFO.certified] == 0.0).all()


@pytest.mark.parametrize(
    ("complete", "possible", "sometimes"), [(True, 0, 0), (False, 0, 0), (True, 1, 0), (True, 0, 1)]
)
def test_candidates_are_all_modes_if_they_are_settled(
    complete: bool, possible: int, sometimes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For lengths within the margin; a crank's is an angle."""
    from gough.kinematics import mode_boxes

    platform = machine("mixed")
    asked: list[Any] = []

    def modes(given: Any, lam: Array, **named: Any) -> ModesWithin:
        asked.append((lam, named))
        some = Pose(flat(1.0, 2.0)[:, :3], np.tile(np.eye(3), (2, 1, 1)))
        return ModesWithin(some, some[:sometimes], possible, complete)

    monkeypatch.setattr(mode_boxes, "modes_within", modes)
    lam = np.arange(12.0).reshape(2, 6)
    task = Recovery(platform, lam, np.zeros((2, 6)), 1e-3, np.ones(2, bool), (), None)
    found = task._found(1)
    assert (found is not None) is (complete and not possible and not sometimes)
    if found is not None:
        assert found.flat[:, 0].tolist() == [1.0, 2.0]
        assert found.open.tolist() == [True, True]
    assert asked[0][0].tolist() == lam[1].tolist()
    arms = [np.linalg.norm(leg.arm) if kind == "RUS" else 1.0
            for leg, kind in zip(platform.legs, platform.kinds, strict=True)]  # fmt: skip
    assert asked[0][1]["actuator"] * arms == pytest.approx(np.full(6, 1e-3), rel=0.2)


def test_filters_and_sensors_close_candidates(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each filter is asked about all, the sensors about those still open; closed ones never open again."""
    from gough.kinematics.assembly import filters

    asked: list[Any] = []

    def admitted(name: str, platform: Any, poses: Pose, lam: Array) -> Array:
        asked.append((name, lam[0]))
        return poses.position[:, 0] != {"above": 2.0, "branch": 4.0}[name]

    def accept(n: int, poses: Pose) -> Array:
        asked.append((n, poses.position[:, 0].tolist()))
        return poses.position[:, 0] != 3.0

    monkeypatch.setattr(filters, "admitted", admitted)
    lam = np.array([[0.0] * 6, [9.0] * 6])
    given = machine("UPS"), lam, np.zeros((2, 6)), 0.0, np.ones(2, bool)
    held = Candidates(flat(1.0, 2.0, 3.0, 4.0, 5.0), np.array([True, True, True, True, False]))
    assert Recovery(*given, ("above", "branch"), accept)._pruned(1, held)
    assert asked == [("above", 9.0), ("branch", 9.0), (1, [1.0, 3.0])]
    assert held.open.tolist() == [True, False, False, False, False]
    none = Candidates(flat(3.0), np.ones(1, bool))
    assert not Recovery(*given, (), accept)._pruned(0, none)
    nobody = Candidates(np.zeros((0, POSE.size)), np.zeros(0, bool))
    asked.clear()
    assert not Recovery(*given, ("above",), accept)._pruned(0, nobody)
    assert asked == []  # there is nothing to ask about
    assert recovery.SAME < 1e-3
