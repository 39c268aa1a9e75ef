"""What every command shares: its arguments, how it reads a machine and a motion, and how it answers.

JSON or tables go to stdout; notes, progress and errors go to stderr.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gough.checks import InputError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from gough.model import Platform
    from gough.spatial import Motion

MachineName = Annotated[str, typer.Argument(help="Preset name or path of a machine file (.toml)")]
Trajectory = Annotated[
    str, typer.Argument(help="A paper's path as 001-I, or a .toml, .csv, .nc file")
]
Samples = Annotated[int | None, typer.Option(help="Number of samples (default 601)")]
TimeStep = Annotated[float | None, typer.Option(help="Time step, s")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON on stdout")]
Out = Annotated[Path, typer.Option(help="Folder for the results")]


def read_machine(name: str) -> Platform:
    """The machine; what is remarkable about it is said on stderr."""
    platform, notes = load_with_notes(name)
    say(*notes)
    return platform


def load_with_notes(name: str) -> tuple[Platform, list[str]]:
    """The machine and its warnings as sentences."""
    import gough

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        platform = gough.load(name)
    return platform, [str(w.message) for w in caught if issubclass(w.category, gough.ModelWarning)]


def read_motion(
    platform: Platform, trajectory: str, samples: int | None = None, dt: float | None = None
) -> Motion:
    """A trajectory by name or file, sampled; leg lengths are followed by forward kinematics."""
    from gough.trajectory import LegTrajectory, load_trajectory

    path = load_trajectory(trajectory)
    if isinstance(path, LegTrajectory):
        path = path.on(platform)
    return path.sample(samples, dt)


def read_numbers(field: str, text: str, count: tuple[int, ...], allowed: str) -> list[float]:
    """Numbers in one argument, apart by spaces or commas; as many as one of `count`."""
    try:
        values = [float(x) for x in text.replace(",", " ").split()]
    except ValueError:
        values = []
    if len(values) not in count:
        raise InputError(field, text, allowed)
    if not all(map(isfinite, values)):
        raise InputError(field, text, "must be finite")
    return values


def answer(facts: Any, as_json: bool, show: Callable[[Any], None] | None = None) -> None:
    """`facts` on stdout: as JSON, or as `show` (by default a table of names and values) prints them."""
    if as_json:
        typer.echo(json.dumps(facts, indent=2, ensure_ascii=False))
    else:
        (show or show_facts)(facts)


def write_json(facts: Any, path: Path) -> str:
    """`facts` in a file that appears whole or not at all; its name."""
    from gough.storage import write_whole

    return str(write_whole(path, json.dumps(facts, indent=2) + "\n"))


def show_facts(facts: dict[str, Any]) -> None:
    """A table of names and values."""
    table = make_table(None, None)
    for name, value in facts.items():
        table.add_row(name.replace("_", " "), _text(value))
    console().print(table)


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return " ".join(f"{x + 0.0:.6g}" for x in value) if isinstance(value, list) else str(value)


def numbers(values: Iterable[float]) -> str:
    """Numbers in a row, five digits."""
    return " ".join(f"{x + 0.0:.5g}" for x in values)


def make_table(*columns: str | None) -> Table:
    """A table with these headings; None: without."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(
        box=SIMPLE_HEAD if columns[0] else None, show_header=columns[0] is not None, pad_edge=False
    )
    for name in columns:
        table.add_column(name or "", overflow="fold")
    return table


def console(stderr: bool = False) -> Console:
    """The terminal, or a file or pipe that gets whole lines."""
    from rich.console import Console

    made = Console(stderr=stderr)
    return made if made.is_terminal else Console(stderr=stderr, width=160)


def write_line(text: str, style: str | None = None) -> None:
    """A line on stdout, as it is."""
    console().print(text, style=style, highlight=False, markup=False, soft_wrap=True)


def say(*sentences: str) -> None:
    """Sentences on stderr."""
    for sentence in sentences:
        console(stderr=True).print(sentence, highlight=False, markup=False, soft_wrap=True)


def progress() -> Any:
    """A progress bar on stderr, if that is a terminal."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    screen = console(stderr=True)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=screen,
        transient=True,
        disable=not screen.is_terminal,
    )


@contextmanager
def share_progress() -> Iterator[Callable[[str, float], None]]:
    """A progress bar for long work: call it with a sentence and the share done, 0..1."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description:<40}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console(stderr=True)) as bar:
        task = bar.add_task("starting", total=1.0)
        yield lambda text, done: bar.update(task, description=text[:40], completed=done)
