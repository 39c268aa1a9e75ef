"""What an argument of kinematics means that nobody gives."""

from __future__ import annotations

from support.constants import changed
from support.defaults import broken


def test_defaults_are_as_promised() -> None:
    assert broken("kinematics") == []


def test_numbers_are_as_recorded() -> None:
    assert changed("kinematics") == []
