"""A hundred single changes of a run, each refused where it would be spliced onto the pieces of the first."""

from __future__ import annotations

from pathlib import Path

import pytest

import gough
from support import changed_runs
from support.changed_runs import all_changes, base, play

NORMAL = 20


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("changed") / "run"
    play(base(), checkpoint=where)
    return where


def refused(folder: Path, every: int) -> tuple[int, list[str]]:
    """How many changes were tried, and those that were taken for the same run."""
    changes = all_changes(base())[::every]
    taken = []
    for name, change in changes:
        run = base()
        change(run)
        try:
            play(run, checkpoint=folder, resume=True)
        except gough.InputError as error:
            if "another run" in str(error):
                continue
            raise AssertionError(f"{name}: {error}") from error
        taken.append(name)
    return len(changes), taken


def test_the_same_run_is_the_same(folder: Path) -> None:
    assert play(base(), checkpoint=folder, resume=True).identical(play(base()))


def test_changes_are_refused(folder: Path) -> None:
    count = len(all_changes(base()))
    assert count >= 100, "too few changes"
    tried, taken = refused(folder, count // NORMAL)
    assert tried >= NORMAL
    assert taken == []


@pytest.mark.slow
def test_all_changes_are_refused(folder: Path) -> None:
    tried, taken = refused(folder, 1)
    assert tried >= 100
    assert taken == []


def test_a_global_behind_a_cache_is_seen(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`functools.lru_cache` hands only a name to pickle; what it wraps counts."""
    monkeypatch.setattr(changed_runs, "GAIN", 1.0 + 1e-12)
    with pytest.raises(gough.InputError, match="another run"):
        play(base(), checkpoint=folder, resume=True)
    monkeypatch.undo()
    monkeypatch.setattr(changed_runs.Law, "update", changed_runs.Law.init)
    with pytest.raises(gough.InputError, match="another run"):
        play(base(), checkpoint=folder, resume=True)
