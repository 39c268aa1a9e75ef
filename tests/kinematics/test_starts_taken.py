"""Where paths start: a geometry's own start, the general machine, or nowhere; and which of their ends are gone."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from gough.kinematics.assembly import spheres, start
from gough.kinematics.assembly.geometry import normalize
from gough.kinematics.assembly.infinity import BESIDE
from gough.kinematics.forward import actuator_coordinates
from support.forward_machines import HOME, machine

UPS = machine("UPS")
GEOMETRY = normalize(UPS.base_joints, UPS.platform_joints)
LENGTH = actuator_coordinates(UPS, HOME)


def taken(
    monkeypatch: pytest.MonkeyPatch, problems: int, *, kept: bool, seen: bool, trusted: bool = True,
    engine: str = "native",
) -> str:  # fmt: skip
    """Which start is used for this many problems."""
    own = SimpleNamespace(length_squared=np.full(6, 2.0), X="own", halved=True, trusted=trusted)
    monkeypatch.setattr(spheres, "lookup", lambda geometry, disk: own if kept else None)
    monkeypatch.setattr(spheres, "obtain", lambda geometry, disk: own)
    monkeypatch.setattr(spheres, "seen_before", lambda key: seen)
    monkeypatch.setattr(spheres, "generic_start", lambda: ("legs", "general"))
    l = np.tile(LENGTH, (problems, 1))
    c = np.broadcast_to(UPS.base_joints, (problems, 6, 3))
    found: Any = spheres.Spheres(UPS, c, l, GEOMETRY, False, engine)._start()
    if found is None:
        return "nothing"
    if found[1] == "own":
        np.testing.assert_array_equal(found[0].b, GEOMETRY.b)
        np.testing.assert_array_equal(found[0].p, GEOMETRY.p)
        np.testing.assert_array_equal(found[0].K, np.full(6, 2.0))
    assert found[2] is (found[1] == "own")
    return found[1]


def test_one_question_about_a_new_machine_is_asked_of_the_general_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its own start is made for many problems, for the second question, and on the card always."""
    assert taken(monkeypatch, 1, kept=False, seen=False) == "general"
    assert taken(monkeypatch, 1, kept=False, seen=True) == "own"
    assert taken(monkeypatch, 1, kept=True, seen=False) == "own"
    assert taken(monkeypatch, 2, kept=False, seen=False) == "own"
    assert taken(monkeypatch, 1, kept=False, seen=False, engine="cuda") == "own"


def test_a_start_that_is_not_trusted_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for kept in (True, False):
        assert taken(monkeypatch, 3, kept=kept, seen=True, trusted=False) == "nothing"


def test_every_problem_is_answered_thoroughly_where_there_is_no_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(spheres.Spheres, "_start", lambda self: None)
    monkeypatch.setattr(spheres.Spheres, "_thorough", lambda self, i: f"answer {i}")
    l = np.tile(LENGTH, (3, 1))
    c = np.broadcast_to(UPS.base_joints, (3, 6, 3))
    found = spheres.Spheres(UPS, c, l, GEOMETRY, False).answers(1)
    assert [found.one(i) for i in range(3)] == ["answer 0", "answer 1", "answer 2"]


@pytest.mark.parametrize("halved", [True, False])
@pytest.mark.parametrize("engine", ["native", "cuda"])
def test_what_is_not_settled_is_answered_thoroughly(
    halved: bool, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As many solutions as the start has, twice as many where it has one of each pair: those are settled."""
    due = 6 if halved else 3
    count = np.array([due, due - 1, -due, due])
    told = SimpleNamespace(count=count, number=np.ones(4, int), first=np.arange(4),
                           rows=np.zeros((4, 12)), residual=np.zeros(4))  # fmt: skip
    given: list[Any] = []

    def find(*asked: Any) -> Any:
        given.append(asked)
        return told

    monkeypatch.setattr(spheres, "find_on_card" if engine == "cuda" else "find", find)
    begin = ("legs", np.zeros((3, 8)), halved)
    monkeypatch.setattr(spheres.Spheres, "_start", lambda self: begin)
    monkeypatch.setattr(spheres.Spheres, "_thorough", lambda self, i: f"answer {i}")
    l = np.tile(LENGTH, (4, 1))
    c = np.broadcast_to(UPS.base_joints, (4, 6, 3))
    found = spheres.Spheres(UPS, c, l, GEOMETRY, False, engine).answers(1)
    assert found.expected == due
    assert found.others == {1: "answer 1", 2: "answer 2"}
    assert given[0][0] is GEOMETRY if engine == "cuda" else given[0][0] == [GEOMETRY]
    np.testing.assert_array_equal(given[0][1], c[0] if engine == "cuda" else c)
    assert given[0][4] is begin


def test_machines_whose_centers_move_have_a_geometry_for_each_problem(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told = SimpleNamespace(count=np.array([3, 3]), number=np.ones(2, int), first=np.arange(2),
                           rows=np.zeros((2, 12)), residual=np.zeros(2))  # fmt: skip
    given: list[Any] = []
    monkeypatch.setattr(spheres, "find", lambda *asked: given.append(asked) or told)
    monkeypatch.setattr(spheres, "family_start", lambda platform: ("legs", np.zeros((3, 8)), False))
    c = np.stack([UPS.base_joints, 1.3 * UPS.base_joints])
    found = spheres.Spheres(UPS, c, np.tile(LENGTH, (2, 1)), None, False).answers(1)
    assert found.others == {}
    made = given[0][0]
    for g, centers in zip(made, c, strict=True):
        due = normalize(centers, UPS.platform_joints, turn=False)
        assert g.size == due.size
        np.testing.assert_array_equal(g.b, due.b)
        np.testing.assert_array_equal(g.base_axes, np.eye(3))


@pytest.mark.parametrize("open_", [None, "radius", "left", "h", "congruent", "checked"])
def test_a_path_is_gone_where_everything_says_so(
    open_: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not proved finite, nearly at its end, nearly at infinity, no congruent machine, and a solution there."""
    n, k = 4, 2
    ends: Any = SimpleNamespace(
        radius=np.full(n, -1.0),
        left=np.full(n, 0.5 * BESIDE),
        h=np.full(n, 0.5 * BESIDE),
        X=np.arange(8.0 * n).reshape(n, 8),
    )
    if open_ in ("radius", "left", "h"):
        getattr(ends, open_)[k] = 1e-9 if open_ == "radius" else 1.5 * BESIDE
    asked: list[np.ndarray] = []

    def at_infinity(b: object, p: object, X: np.ndarray) -> np.ndarray:
        assert b is GEOMETRY.own_b
        assert p is GEOMETRY.own_p
        asked.append(X)
        return X[:, 0] != 8.0 * k if open_ == "checked" else np.ones(len(X), bool)

    monkeypatch.setattr(start, "at_infinity", at_infinity)
    monkeypatch.setattr(start, "_nearly_congruent", lambda geometry: open_ == "congruent")
    found = start._gone(GEOMETRY, ends)
    if open_ == "congruent":
        assert not found.any()
        assert not asked
    else:
        assert found.tolist() == [open_ is None or i != k for i in range(n)]


def test_paths_that_are_all_proved_finite_ask_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start, "at_infinity", lambda *_: pytest.fail("nothing to ask"))
    ends: Any = SimpleNamespace(
        radius=np.full(3, 1e-9), left=np.zeros(3), h=np.zeros(3), X=np.zeros((3, 8))
    )
    assert start._gone(GEOMETRY, ends).tolist() == [False] * 3
