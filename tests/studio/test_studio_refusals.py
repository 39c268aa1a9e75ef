"""What the studio's folder, its simulations and the figures cannot be asked, in one sentence each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gough
from gough.report.figures import leg_lines
from gough.studio import messages as m
from gough.studio import simulation, workfolder
from gough.studio.workfolder import WorkFolder

MACHINE = gough.load("motion-base-1500")
TIME, SIX = np.arange(3.0), [f"L{i}" for i in range(6)]


def asked(**options: Any) -> m.Simulate:
    return m.Simulate(1, motion=m.MakeMotion(1, "demo"), **options)


REFUSED: list[tuple[Callable[[], Any], str]] = [
    (lambda: simulation.grid(1.0, 0.2), "from 1e-6 to 0.1"),
    (lambda: simulation.grid(1.0, 1e-7), "from 1e-6 to 0.1"),
    (lambda: simulation.grid(3600.0, 1e-6), "the studio runs at most"),
    (lambda: simulation.controller(MACHINE, asked(controller="pray")), "must be one of"),
    (lambda: simulation.controller(MACHINE, asked(controller="feed-forward", bandwidth=0.0)), "above 0"),
    (lambda: leg_lines(TIME, [], SIX), "at least one panel"),
    (lambda: leg_lines(TIME, [("force", np.zeros((2, 6)))], SIX), "must have shape"),
    (lambda: leg_lines(TIME, [("force", np.zeros((3, 7)))], [*SIX, "L6"]), "six at most"),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_refusals(number: int) -> None:
    ask, words = REFUSED[number]
    with pytest.raises(gough.InputError, match=words):
        ask()


@pytest.mark.parametrize(("duration", "step"), [(1.0, 0.1), (10.0, 1e-3), (7.3, 0.013)])
def test_a_grid_has_whole_steps_no_longer_than_asked(duration: float, step: float) -> None:
    steps, found = simulation.grid(duration, step)
    assert steps % simulation.RECORDS == 0
    assert found <= step * (1 + 1e-9)
    assert steps * found == pytest.approx(duration, rel=1e-14)
    assert (steps - simulation.RECORDS) * step < duration


def test_a_run_that_ends_at_once_is_no_timeline() -> None:
    nothing = np.full((3, 3), np.nan)
    column = SimpleNamespace(values=nothing)

    class Run(dict[str, Any]):
        """Columns by name, and what a run says of itself."""

        @property
        def attrs(self) -> dict[str, str]:
            return {"status": "diverged at t = 0 s"}

    with pytest.raises(gough.InfeasibleError, match="diverged"):
        simulation._motion(Run(position=column, acceleration=column))


def test_notes_stand_over_the_panels() -> None:
    figure = leg_lines(TIME, [("force", np.ones((3, 6)))], SIX, notes=("slow", "loud"))
    assert figure.axes[0].get_title() == "slow; loud"


def test_a_folder_shows_two_levels_and_no_more_than_it_may(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = tmp_path / "a" / "b" / "c"
    deep.mkdir(parents=True)
    for at, folder in enumerate((tmp_path, tmp_path / "a", tmp_path / "a" / "b", deep)):
        (folder / f"way{at}.csv").write_text("time,x\n0,1\n")
        (folder / ".hidden.csv").write_text("")
        (folder / "picture.png").write_text("")
    (tmp_path / "link.csv").symlink_to(tmp_path / "way0.csv")
    shown = [entry["name"] for entry in WorkFolder(tmp_path).files()]
    assert sorted(shown) == ["a/b/way2.csv", "a/way1.csv", "way0.csv"]
    monkeypatch.setattr(workfolder, "MOST_FILES", 2)
    assert len(WorkFolder(tmp_path).files()) == 2


def test_what_the_folder_does_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = WorkFolder(tmp_path)
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "m.toml").write_text("x = 1")
    (tmp_path / "door").symlink_to(tmp_path / "real")
    for name, words in (("none.toml", "no such file"), ("door/m.toml", "links are not followed"),
                        ("m.exe", "must end with"), ("", "plain file name")):  # fmt: skip
        with pytest.raises(gough.InputError, match=words):
            folder.read(name)
    assert folder.read("real/m.toml") == "x = 1"
    monkeypatch.setattr(workfolder, "LARGEST", 3)
    with pytest.raises(gough.InputError, match="larger than"):
        folder.read("real/m.toml")
