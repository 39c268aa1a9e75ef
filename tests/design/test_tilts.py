"""A tilt means the same orientations in every verb: all combinations of -1, 0, +1 of roll, pitch and yaw."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import gough
from gough.analysis import orientation_set
from gough.design import Task, evaluate
from gough.export import facts
from gough.spatial import Pose, rotation_from_rpy

TILT = (0.1, 0.15, 0.2)
TURNED = rotation_from_rpy((0.02, -0.03, 0.3))
SIGNS = np.array(list(product((-1, 0, 1), repeat=3)))


def same(found: np.ndarray, wanted: np.ndarray) -> bool:
    """The same rotations, in any order, none twice."""
    gaps = np.abs(found[:, None] - wanted).max(axis=(-2, -1)) < 1e-14
    return bool((gaps.sum(axis=0) == 1).all() and (gaps.sum(axis=1) == 1).all())


def of_a_task(_: pytest.MonkeyPatch) -> np.ndarray:
    return Task(tilt=np.array(TILT)).poses(Pose((0, 0, 1.0), TURNED)).rotation


def of_a_workspace(patch: pytest.MonkeyPatch) -> np.ndarray:
    asked: list[np.ndarray] = []
    real = facts.orientation_volume

    def noted(platform: gough.Platform, rotations: np.ndarray, **how: Any) -> Any:
        asked.append(rotations)
        return real(platform, rotations[:1], **how)

    patch.setattr(facts, "orientation_volume", noted)
    found = facts.workspace_facts(gough.load("motion-base-1500"), TURNED, TILT, points=8)
    assert found["orientations"] == len(asked[0])
    return asked[0]


@pytest.mark.parametrize("verb", [of_a_task, of_a_workspace])
def test_a_tilt_is_27_orientations(verb: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    found = verb(monkeypatch)
    assert same(found, rotation_from_rpy(SIGNS * TILT) @ TURNED)
    seven = SIGNS[np.abs(SIGNS).sum(axis=1) <= 1]
    assert not same(found, rotation_from_rpy(seven * TILT) @ TURNED)  # planted: one angle at a time
    assert not same(found, TURNED @ rotation_from_rpy(SIGNS * TILT))  # planted: about the platform


@pytest.mark.parametrize(("tilt", "count"), [((0.1, 0, 0.2), 9), ((0, 0.1, 0), 3), ((0, 0, 0), 1)])
def test_an_angle_of_zero_is_no_direction(tilt: tuple[float, float, float], count: int) -> None:
    R = orientation_set(*tilt)
    assert len(R) == len(Task(tilt=np.array(tilt)).poses(Pose((0, 0, 1.0))).rotation) == count
    assert (np.abs(R - np.eye(3)).max(axis=(-2, -1)) == 0).sum() == 1


def test_the_worst_orientation_is_a_combination() -> None:
    """What single angles miss: the longest leg of a tilted platform."""
    platform = gough.load("motion-base-1500")
    home = platform.require_home()
    tilt = np.full(3, 0.2)
    found = evaluate(platform, Task(tilt=tilt), ["longest"])["longest"]
    single = [
        evaluate(platform, Task(tilt=tilt * axis), ["longest"])["longest"] for axis in np.eye(3)
    ]
    turned = Pose(home.position, orientation_set(*tilt) @ home.rotation)
    assert found == gough.inverse_kinematics(platform, turned).length.max()
    assert found > max(single) + 0.01
