"""What an argument of dynamics means that nobody gives."""

from __future__ import annotations

from support.defaults import broken


def test_defaults_are_as_promised() -> None:
    assert broken("dynamics") == []
