"""`gough bench` without the benchmarks themselves: what is asked of them, what is written, and where they are not."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import gough
from gough.cli import bench

RESULT = {"states": 10, "cases": {"forces": 1.5}}


class Bench:
    """Stands for benchmarks/__main__.py."""

    def __init__(self) -> None:
        self.CASES = [SimpleNamespace(key="forces"), SimpleNamespace(key="mass")]
        self.asked: list[Any] = []

    def measure(self, states: int, wanted: set[str] | None, rounds: int) -> dict[str, Any]:
        self.asked.append((states, wanted, rounds))
        return RESULT

    def figure(self, result: dict[str, Any], path: Path) -> None:
        assert result is RESULT
        path.write_text("drawn")

    def table(self, result: dict[str, Any]) -> str:
        return f"{len(result['cases'])} case"


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> Bench:
    found = Bench()
    monkeypatch.setattr(bench.importlib, "import_module", lambda name: found)
    return found


def test_what_is_measured_is_shown_and_written(
    stand_in: Bench, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bench.bench(states=10, only="mass,", rounds=2)
    assert capsys.readouterr().out.strip() == "1 case"
    bench.bench(states=7, out=tmp_path / "new", as_json=True)
    assert json.loads(capsys.readouterr().out)["cases"] == RESULT["cases"]
    assert stand_in.asked == [(10, {"mass"}, 2), (7, None, 3)]
    assert json.loads((tmp_path / "new" / "bench.json").read_text())["states"] == 10
    assert (tmp_path / "new" / "bench.png").read_text() == "drawn"


def test_a_case_that_there_is_not(stand_in: Bench) -> None:
    with pytest.raises(gough.InputError, match="must be of forces, mass"):
        bench.bench(only="forces,wishes")
    assert stand_in.asked == []


def test_an_installed_package_has_no_benchmarks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gough, "__file__", str(tmp_path / "lib" / "gough" / "__init__.py"))
    with pytest.raises(gough.InputError, match="come with the repository"):
        bench.bench()
