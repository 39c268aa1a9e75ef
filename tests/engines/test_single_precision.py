"""Streams in single precision: every function, as accurate as said, refused where it would not be."""

from __future__ import annotations

import pytest

from campaigns.single_campaign import Tally, campaign
from gough import guard
from gough.equations.machine import FIXED

ROUNDING = 6e-8
ALLOWED = ROUNDING * guard.SINGLE_CONDITION  # of the largest number of a block
CANCELED = {"prismatic_moment": 10.0}  # differences of two moments


def broken(found: dict[str, Tally]) -> list[str]:
    return [
        f"{function} {block} {error:.1e}"
        for function, tally in found.items()
        for block, error in tally.worst.items()
        if error > ALLOWED * CANCELED.get(block, 1.0)
    ]


def test_every_function_is_as_accurate_as_said() -> None:
    """UPS machines beside and near their singularities; the others in `campaigns.single_campaign`."""
    found = campaign(1, 3, ("UPS",), FIXED)
    assert broken(found) == []
    for tally in found.values():
        assert tally.answered > 200
        assert tally.refused > 0
        assert max(tally.worst.values()) > ROUNDING  # not double precision in disguise


def test_without_the_limit_they_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: single precision believed as far as double is."""
    monkeypatch.setattr(guard, "SINGLE_CONDITION", guard.MAX_CONDITION)
    found = broken(campaign(1, 3, ("UPS",), ("forces", "kinematics")))
    assert any(line.startswith("forces effort") for line in found)
    assert any(line.startswith("kinematics angular") for line in found)
