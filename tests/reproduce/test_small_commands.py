"""The small programs beside the papers: what they print and how they search, in miniature."""

from __future__ import annotations

import runpy
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from gough.report import paper_figures
from gough.reproduce import codes
from gough.reproduce.kane import search
from gough.reproduce.paper_text import read
from gough.reproduce.universal import timing


def test_the_public_codes_are_printed_all_or_chosen(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    claim = SimpleNamespace(verdict="right", statement="a claim", as_printed="1", exact="1.0")
    works = [SimpleNamespace(key=k, name=f"work {k}", source="s", claims=[claim] * 2) for k in "ab"]
    monkeypatch.setattr(codes, "check_codes", lambda: SimpleNamespace(works=works))
    for words, expected in (([], ["work a", "work b"]), (["b"], ["work b"])):
        monkeypatch.setattr(sys, "argv", ["codes", *words])
        runpy.run_module("gough.reproduce.codes.__main__", run_name="__main__")
        said = capsys.readouterr().out
        assert [name for name in ("work a", "work b") if name in said] == expected
        assert said.count("right: a claim") == 2 * len(expected)


def test_a_time_is_the_least_of_several_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[int] = []
    monkeypatch.setattr(timing, "REPEATS", 3)
    clock = iter([0.0, 5.0, 10.0, 12.0, 20.0, 29.0])
    monkeypatch.setattr(timing.time, "process_time", lambda: next(clock))
    assert timing.seconds(lambda: runs.append(1)) == 2.0
    assert len(runs) == 4  # the first is not counted


def test_a_short_search_never_gets_worse(monkeypatch: pytest.MonkeyPatch) -> None:
    text = read("kane")
    _, best = search.survey(text, 200, seed=5)
    margins = []
    for generations in (0, 2):
        monkeypatch.setattr(search, "GENERATIONS", generations)
        margins.append(search.refined(text, best, seed=5)[1])
    assert margins[1] >= 0.9 * margins[0] - 1e-12


def test_long_curves_keep_their_extremes_and_gaps() -> None:
    n = 4 * paper_figures.LONGEST
    y = np.sin(np.linspace(0, 60, n))
    y[n // 2] = 7.0
    y[: n // 4] = np.nan
    x, thin = paper_figures.thin(np.arange(n), y)
    assert len(x) <= paper_figures.LONGEST + 2
    assert np.nanmax(thin) == 7.0
    assert np.isnan(thin[:3]).all()
    assert x[0] == 0
    assert x[-1] == n - 1
