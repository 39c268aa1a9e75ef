"""Sentences about assembly modes: each fact where it holds, none where it does not, with its own numbers."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from gough import status
from gough.kinematics.assembly import modes as verbs
from gough.kinematics.assembly.answers import AssemblyModes, Cluster
from gough.kinematics.assembly.spheres import DIGITS, sentence
from gough.kinematics.forward import bare_pose
from gough.layout import POSE
from support.forward_machines import machine


def said(rounding: float = 0.0, **more: Any) -> status.Status:
    """Of five solutions among forty; nothing else is known unless given."""
    given: dict[str, Any] = {
        "X": np.zeros((5, 8)),
        "real": np.array([1, 0, 0, 1, 0]),
        "clusters": (),
        "trusted": True,
        "expected": 40,
        "at_infinity": 0,
        "continuum": SimpleNamespace(dimension=0),
        "singular": 0,
        "lost": 0,
        "complete": False,
    }
    return sentence(SimpleNamespace(**(given | more)), rounding)  # type: ignore[arg-type]


PLAIN = "5 of 40 finite solutions proved and distinct"


def test_a_count_alone_is_one_sentence() -> None:
    assert said() == PLAIN
    assert said().code == "incomplete"
    assert said(complete=True) == PLAIN
    assert said(complete=True).ok


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (
            {"clusters": (np.zeros((2, 8)), np.zeros((3, 8)))},
            "5 more merge in 2 clusters near a singularity",
        ),
        (
            {"real": np.array([1, -1, 0, -1, 0])},
            "2 of them are neither proved real nor proved complex",
        ),
        ({"at_infinity": 3}, "3 lie at infinity for these lengths"),
        (
            {"continuum": SimpleNamespace(dimension=2)},
            "a continuum of poses of dimension 2 has these lengths: no list is complete",
        ),
        (
            {"singular": 4},
            "4 paths end at singular solutions that do not merge: a continuum of poses is possible",
        ),
        ({"lost": 6}, "6 paths are unaccounted for"),
    ],
)
def test_each_fact_adds_its_own_words(given: dict[str, Any], words: str) -> None:
    assert said(**given) == f"{PLAIN}; {words}"


def test_a_count_that_is_not_established_is_at_most_that() -> None:
    """How well the numbers given tell the joints matters only then, and only if they are worse than rounding."""
    most = PLAIN.replace("of 40", "of at most 40")
    open_ = "the number of solutions of this geometry is not established"
    assert said(trusted=False) == f"{most}; {open_}"
    assert said(rounding=2 * DIGITS) == PLAIN
    assert said(rounding=0.5 * DIGITS, trusted=False) == f"{most}; {open_}"
    assert said(rounding=3e-9, trusted=False).endswith(
        "the numbers given tell the smaller of base and platform only to 3e-09 of its size"
    )
    singular = said(expected=0, trusted=False)
    assert singular.startswith("singular in every pose, to the rounding of the joints")
    assert "singular in every pose" not in said(expected=1)


def explained(monkeypatch: pytest.MonkeyPatch, poses: int, count: int, **more: Any) -> str:
    flat = np.tile(np.r_[np.zeros(3), np.eye(3).ravel()], (poses, 1)).reshape(-1, POSE.size)
    reason = status.Status("incomplete", "for a reason")
    given: dict[str, Any] = {"complete": True, "certified": True, "reason": reason} | more
    found = AssemblyModes(bare_pose(flat), count, 40, **given)
    monkeypatch.setattr(verbs, "assembly_modes", lambda *_: found)
    return verbs.explain(machine("UPS"), np.ones(6))


def test_why_nothing_was_found_is_told_by_how_many_poses_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    away = "these coordinates, none near the guess on a connected branch"
    assert explained(monkeypatch, 1, 40) == f"one pose has {away}"
    assert explained(monkeypatch, 2, 40) == f"2 poses have {away}"
    assert (
        explained(monkeypatch, 2, 30, complete=False)
        == f"at least 2 poses have {away}; there may be more: for a reason"
    )
    assert explained(monkeypatch, 0, 0) == "for a reason"
    assert (
        explained(monkeypatch, 0, 40)
        == "no real assembly exists: all 40 solutions are complex, proved"
    )
    open_ = "no real pose was found: for a reason"
    assert explained(monkeypatch, 0, 40, clusters=(Cluster(None, 2, 1e-6),)) == open_
    assert explained(monkeypatch, 0, 0, complete=False) == open_
    assert explained(monkeypatch, 0, 40, complete=False) == open_
    assert explained(monkeypatch, 3, 40, dimension=1) == "the pose is not determined: for a reason"
