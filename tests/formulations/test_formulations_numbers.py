"""Constants and defaults of the formulations: one that changes is a decision."""

from __future__ import annotations

from support.constants import changed


def test_numbers_are_as_recorded() -> None:
    assert changed("formulations") == []
