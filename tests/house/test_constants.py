"""The recorded numbers are many, and changed ones are noticed: a constant, a default, one inside a table."""

from __future__ import annotations

import json

import pytest

from gough.analysis import pacing
from gough.simulation import demand
from support.constants import FILE, ROOMS, changed, constants, written


def test_the_record_is_no_empty_promise() -> None:
    recorded = json.loads(FILE.read_text())
    assert set(recorded) == set(ROOMS)
    assert all(sum(map(len, values.values())) > 80 for values in recorded.values())
    assert constants("simulation")["gough.simulation.demand"]["MOST_STEPS"] == "10000000000"
    assert written({"a": (1, 2.5)}) == "('a', (1, 2.5))"
    assert written((1, object())) is None


@pytest.mark.parametrize(
    ("module", "name", "value", "said"),
    [
        (demand, "TOLD", 161, "TOLD = 161, was 160"),
        (pacing, "RESERVES", (2e-6, 1e-5, 1e-4, 1e-3, 1e-2), "RESERVES = (2e-06,"),
    ],
)
def test_a_planted_constant_is_noticed(
    module: object, name: str, value: object, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, name, value)
    (found,) = changed(str(module.__name__).split(".")[1])  # type: ignore[attr-defined]
    assert said in found


def test_a_planted_default_of_a_private_function_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pacing._Bounds._effort_rows, "__defaults__", (None, 1.5))
    (found,) = changed("analysis")
    assert found == "gough.analysis.pacing: _Bounds._effort_rows(wide) = 1.5, was 1"
