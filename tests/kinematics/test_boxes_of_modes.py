"""Which poses hold for a whole box: what is said of each solution by its ball, its realness and the count of all."""

from __future__ import annotations

from importlib import import_module
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from gough.kinematics import mode_boxes
from gough.kinematics.assembly.forms import from_pose
from gough.kinematics.assembly.geometry import normalize
from gough.kinematics.forward import actuator_coordinates
from gough.kinematics.mode_boxes import ModesWithin, modes_within
from gough.spatial import Pose, rotation_exp
from support.forward_machines import HOME, machine

REAL, COMPLEX, OPEN = 1, 0, -1
#        found, ball,  in the box
CASES = (
    (REAL, True, REAL),  # 0: always
    (REAL, True, OPEN),  # 1: sometimes
    (REAL, False, OPEN),  # 2: sometimes
    (COMPLEX, True, COMPLEX),  # 3: nothing
    (COMPLEX, True, OPEN),  # 4: possible
    (OPEN, True, REAL),  # 5: possible
    (REAL, True, REAL),  # 6: always
    (OPEN, False, OPEN),  # 7: possible
)


def asked(monkeypatch: pytest.MonkeyPatch, *cases: int, **more: Any) -> ModesWithin:
    """`modes_within` of these solutions, told by the first coordinates of their poses."""
    given = {"complete": True, "clusters": (), "expected": 40, "joint": 0.0, "base": 0.0} | more
    X = np.zeros((len(cases), 8))
    X[:, 0] = cases
    real = np.array([CASES[k][0] for k in cases], dtype=int)
    radius = np.array([1e-9 if CASES[k][1] else -1.0 for k in cases])
    within = np.array([CASES[k][2] for k in cases], dtype=int)
    found = SimpleNamespace(
        X=X, real=real, **{k: given[k] for k in ("complete", "clusters", "expected")}
    )
    monkeypatch.setattr(import_module("gough.kinematics.assembly.solve"), "solve", lambda *_: found)
    monkeypatch.setattr(mode_boxes, "balls", lambda *_: (radius, within))

    def poses(platform: object, lam: object, geometry: object, some: np.ndarray) -> Pose:
        return Pose.trusted(some[:, :3], np.tile(np.eye(3), (len(some), 1, 1)))

    monkeypatch.setattr(mode_boxes, "_poses", poses)
    platform = machine("UPS")
    length = actuator_coordinates(platform, HOME)
    return modes_within(platform, length, actuator=1e-6, base=given["base"], joint=given["joint"])


def told(found: ModesWithin) -> tuple[list[float], list[float], int]:
    return (
        found.always.position[:, 0].tolist(),
        found.sometimes.position[:, 0].tolist(),
        found.possible,
    )


def test_each_solution_is_always_sometimes_possible_or_never(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert told(asked(monkeypatch, *range(8))) == ([0.0, 6.0], [1.0, 2.0], 3)
    for k, due in enumerate(("always", "sometimes", "sometimes", "", "possible", "possible")):
        always, sometimes, possible = told(asked(monkeypatch, k))
        assert (always == [k]) is (due == "always")
        assert (sometimes == [k]) is (due == "sometimes")
        assert possible == (due == "possible")


def test_nothing_else_exists_only_if_all_have_balls_and_all_are_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Joints that may move leave the number of solutions only where it is forty, the most there are."""
    assert asked(monkeypatch, 0, 3, 6).complete
    assert asked(monkeypatch, 0, 3, 6).settled
    assert not asked(monkeypatch, 0, 3, 6, complete=False).complete
    assert not asked(monkeypatch, 0, 2, 6).complete
    assert asked(monkeypatch, 0, 1).complete
    assert not asked(monkeypatch, 0, 1).settled
    assert not asked(monkeypatch, 0, 4).settled
    cluster = np.zeros((2, 8))
    merged = asked(monkeypatch, 0, 4, clusters=(cluster, np.zeros((3, 8))))
    assert not merged.complete
    assert merged.possible == 1 + 5
    for moved in ({}, {"joint": 1e-9}, {"base": 1e-9}):
        assert asked(monkeypatch, 0, **moved).complete
        assert asked(monkeypatch, 0, expected=28, **moved).complete is not bool(moved)


def test_settled_needs_all_three() -> None:
    one = Pose(np.zeros((1, 3)), np.eye(3)[None])
    for complete in (True, False):
        for possible in (0, 1):
            for sometimes in (one[:0], one):
                found = ModesWithin(one, sometimes, possible, complete)
                assert found.settled is (complete and possible == 0 and len(sometimes) == 0)


def test_a_pose_is_polished_where_the_legs_lead_to_the_same_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One that fails, or lands beside by more than a millionth of a radian, stays as it was found."""
    turns = np.array([0.0, 0.4e-6, 1e-3, 2e-6, 0.0])
    success = np.array([True, True, True, True, False])
    forward = import_module("gough.kinematics.forward")

    def fake(platform: object, lam: object, rough: Pose, **named: Any) -> Any:
        assert named == {"certify": False}
        R = rotation_exp(turns[:, None] * [0.0, 0.0, 1.0]) @ rough.rotation
        return SimpleNamespace(pose=Pose.trusted(rough.position + 5.0, R), success=success)

    monkeypatch.setattr(forward, "forward_kinematics", fake)
    platform = machine("UPS")
    lam = actuator_coordinates(platform, HOME)
    g = normalize(platform.base_joints, platform.platform_joints)
    X = from_pose(np.arange(15.0).reshape(5, 3), np.tile([1.0, 0.0, 0.0, 0.0], (5, 1)))
    rough = g.world(np.arange(15.0).reshape(5, 3), np.tile(np.eye(3), (5, 1, 1)))
    found = mode_boxes._poses(platform, lam, g, X + 0j)
    moved = np.array([True, True, False, False, False])
    np.testing.assert_allclose(found.position, rough[0] + 5.0 * moved[:, None], atol=1e-12)
    turned = rotation_exp(np.where(moved, turns, 0.0)[:, None] * [0.0, 0.0, 1.0])
    np.testing.assert_allclose(found.rotation, turned @ rough[1], atol=1e-12)
    assert len(mode_boxes._poses(platform, lam, g, X[:0] + 0j)) == 0
