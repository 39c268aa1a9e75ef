"""The defaults written down are many, and a changed one is noticed."""

from __future__ import annotations

import inspect
import json

import pytest

import gough
from support.defaults import FILE, ROOMS, broken, defaults


def test_the_table_is_no_empty_promise() -> None:
    promised = json.loads(FILE.read_text())
    assert set(promised) == set(ROOMS)
    assert all(len(given) > 10 for given in promised.values())
    assert defaults("simulation")["simulate"]["step"] == "0.001"


def test_a_planted_change_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    inside = inspect.unwrap(gough.analysis.grid_volume)
    monkeypatch.setitem(inside.__kwdefaults__, "points", 101)
    assert broken("analysis") == ["grid_volume(points=100)"]
