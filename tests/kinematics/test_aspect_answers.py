"""Joined, separated or open: what is asked for two modes, and what is said of many."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gough
from gough.kinematics import aspects
from gough.spatial import Pose
from support.forward_machines import HOME, machine, poses

UPS = machine("UPS")


@pytest.mark.parametrize(
    ("told", "answer", "tried"),
    [
        ([(True, False)], True, [0]),
        ([(False, True)], False, [0]),
        ([(False, False), (True, False)], True, [0, 33]),
        ([(False, False), (False, True)], False, [0, 33]),
        ([(False, False), (False, False)], None, [0, 33]),
    ],
)
def test_waypoints_are_drawn_where_the_direct_way_does_not_decide(
    told: list[tuple[bool, bool]], answer: bool | None, tried: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    asked: list[int] = []

    def some(platform: Any, both: Pose, samples: int, seed: int) -> Any:
        connected, separated = told[len(asked)]
        asked.append(samples)
        assert seed == 5
        np.testing.assert_array_equal(both.position, [HOME.position, HOME.position + 0.1])
        pair = np.array([[True, connected], [connected, True]])
        apart = np.array([[False, separated], [separated, False]])
        return SimpleNamespace(connected=pair, separated=apart)

    monkeypatch.setattr(aspects, "aspects", some)
    other = Pose(HOME.position + 0.1, HOME.rotation)
    assert aspects.same_aspect(UPS, HOME, other, samples=33, seed=5) is answer
    assert asked == tried


def test_many_modes_are_joined_separated_or_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """Joined by ways, separated by proved signs; a pose whose sign is not proved is neither."""
    modes = poses(4, seed=2)
    monkeypatch.setattr(
        aspects,
        "path_check",
        lambda platform, start, end: SimpleNamespace(
            regular=np.arange(len(start.position)) != 2  # of poses: the third is not proved
            if start is end
            else np.zeros(len(start.position), bool)
        ),
    )
    rows = np.tile(np.eye(6), (4, 1, 1))
    rows[1, 0, 0] = -1.0
    rows[2, 3, 4] = np.nan  # out of reach
    asked: list[float] = []
    legs = SimpleNamespace(rows_over=lambda length: asked.append(length) or rows)
    monkeypatch.setattr(aspects, "struts", lambda platform, pose: legs)
    monkeypatch.setattr(
        aspects, "_edges", lambda platform, t, R, sign, n: np.eye(4, k=3, dtype=bool) | np.eye(4, k=-3, dtype=bool)
    )  # fmt: skip
    found = aspects.aspects(UPS, modes, samples=0)
    assert asked == [UPS.characteristic_length]
    assert found.sign.tolist() == [1, -1, 0, 1]
    assert found.label.tolist() == [0, 1, 2, 0]
    assert found.connected[0].tolist() == [True, False, False, True]
    assert found.separated[0].tolist() == [False, True, False, False]
    assert found.separated[1].tolist() == [True, False, False, True]
    assert found.open[2].tolist() == [True, True, False, True]
    assert found.open[0].tolist() == [False, False, True, False]
    assert len(found.waypoints) == 0


def test_waypoints_lie_in_the_box_and_are_the_same_again() -> None:
    modes = poses(2, seed=3)
    one = aspects.aspects(UPS, modes, samples=6, seed=4)
    again = aspects.aspects(UPS, modes, samples=6, seed=4)
    other = aspects.aspects(UPS, modes, samples=6, seed=5)
    assert len(one.waypoints) == 6
    np.testing.assert_array_equal(one.waypoints.position, again.waypoints.position)
    assert not np.allclose(one.waypoints.position, other.waypoints.position)
    middle, reach = aspects._box(UPS, modes)
    assert (np.abs(one.waypoints.position - middle) <= reach).all()
    assert (np.abs(one.waypoints.position - middle) > 0.5 * reach).any()
    turns = one.waypoints.rotation
    np.testing.assert_allclose(turns @ np.swapaxes(turns, 1, 2), np.tile(np.eye(3), (6, 1, 1)), atol=1e-12)  # fmt: skip
    assert one.connected.shape == one.separated.shape == (2, 2)
    assert one.sign.shape == one.label.shape == (2,)
    with pytest.raises(gough.InputError, match=r"modes.*list of poses"):
        aspects.aspects(UPS, HOME)
