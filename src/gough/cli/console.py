"""What every command shares: its arguments, how it reads a machine and a motion, and how it answers.

JSON or tables go to stdout; notes, progress and errors go to stderr.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from gough.cli.quantities import read_numbers as read_numbers

if TYPE_CHECKING:
    from rich.console import Console

    from gough.checks import Array
    from gough.model import Platform
    from gough.spatial import Motion
    from gough.trajectory import Trajectory

_told: list[str] = []  # warnings of the command that runs


def read_machine(name: str) -> Platform:
    """The machine; what is remarkable about it is said on stderr."""
    platform, notes = load_with_notes(name)
    say(*notes)
    return platform


def load_with_notes(name: str) -> tuple[Platform, list[str]]:
    """The machine and its warnings as sentences, those on a home pose that breaks a limit too."""
    import gough
    from gough.limits import home_warnings

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        platform = gough.load(name)
    told = [str(w.message) for w in caught if issubclass(w.category, gough.ModelWarning)]
    return platform, [*told, *home_warnings(platform)]


def read_motion(
    platform: Platform, trajectory: str, samples: int | None = None, dt: float | None = None
) -> Motion:
    """A trajectory by name or file, sampled; what is outside the machine's limits is warned of."""
    motion = read_path(platform, trajectory).sample(samples, dt)
    warn_along(platform, motion, trajectory)
    return motion


def warn_along(
    platform: Platform, motion: Motion, trajectory: str, force: Array | None = None
) -> None:
    """Warn where a motion, or the efforts (..., 6) that it asks for, is outside the machine's limits."""
    from gough.cli.warned import outside

    warn(*outside(platform, motion, f"the motion {Path(trajectory).name}", force))


def read_path(platform: Platform, trajectory: str) -> Trajectory:
    """A trajectory by name or file; leg lengths are followed by forward kinematics."""
    from gough.trajectory import LegTrajectory, load_trajectory

    path = load_trajectory(trajectory)
    return path.on(platform) if isinstance(path, LegTrajectory) else path


def answer(facts: Any, as_json: bool, show: Callable[[Any], None] | None = None) -> None:
    """`facts` on stdout: as JSON, or as `show` (by default a table of names and values) prints them.

    What was warned of (`warn`) is in the JSON too, under `warnings`.
    """
    if as_json:
        if _told and isinstance(facts, dict):
            facts = facts | {"warnings": [*facts.get("warnings", ()), *_told]}
        typer.echo(json.dumps(facts, indent=2, ensure_ascii=False))
    else:
        (show or show_facts)(facts)


def write_json(facts: Any, path: Path) -> str:
    """`facts` in a file that appears whole or not at all; its name."""
    from gough.storage import write_whole

    return str(write_whole(path, json.dumps(facts, indent=2) + "\n"))


def show_facts(facts: dict[str, Any]) -> None:
    """A table of names and values."""
    show_rows((name.replace("_", " "), _text(value)) for name, value in facts.items())


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    if not isinstance(value, list):
        return str(value)
    return " ".join(x if isinstance(x, str) else f"{x + 0.0:.6g}" for x in value)


def numbers(values: Iterable[float]) -> str:
    """Numbers in a row, five digits."""
    return " ".join(f"{x + 0.0:.5g}" for x in values)


def show_rows(rows: Iterable[Iterable[str]], headings: Sequence[str] = ()) -> None:
    """A table on stdout; with headings, or two columns without."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    box = SIMPLE_HEAD if headings else None
    table = Table(box=box, show_header=bool(headings), pad_edge=False)
    for name in headings or ("", ""):
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*row)
    screen().print(table)


def show_table(columns: dict[str, str], rows: Iterable[dict[str, Any]]) -> None:
    """A table on stdout: each column's heading, and the text of its cells with the row's values for ``{names}``."""
    cells = ([text.format_map(row) for text in columns.values()] for row in rows)
    show_rows(cells, tuple(columns))


def screen(stderr: bool = False) -> Console:
    """The terminal, or a file or pipe that gets whole lines."""
    from rich.console import Console

    made = Console(stderr=stderr)
    return made if made.is_terminal else Console(stderr=stderr, width=160)


def write_line(text: str, style: str | None = None) -> None:
    """A line on stdout, as it is."""
    screen().print(text, style=style, highlight=False, markup=False, soft_wrap=True)


def say(*sentences: str) -> None:
    """Sentences on stderr."""
    for sentence in sentences:
        screen(stderr=True).print(sentence, highlight=False, markup=False, soft_wrap=True)


def warn(*sentences: str) -> None:
    """Warnings on stderr, each once, kept for the JSON of this command's answer."""
    new = [said for said in dict.fromkeys(sentences) if said not in _told]
    _told.extend(new)
    say(*(f"warning: {said}" for said in new))


def forget_warnings() -> None:
    """Before a command: nothing was warned of yet."""
    _told.clear()


def progress() -> Any:
    """A progress bar on stderr, if that is a terminal."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    terminal = screen(stderr=True)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=terminal,
        transient=True,
        disable=not terminal.is_terminal,
    )


@contextmanager
def share_progress() -> Iterator[Callable[[str, float], None]]:
    """A progress bar for long work: call it with a sentence and the share done, 0..1."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description:<40}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=screen(stderr=True)) as bar:
        task = bar.add_task("starting", total=1.0)
        yield lambda text, done: bar.update(task, description=text[:40], completed=done)
