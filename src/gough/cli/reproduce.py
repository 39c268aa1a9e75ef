"""``gough reproduce``: the five papers on one page."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Annotated

import typer

from gough.cli.app import app


@app.command()
def reproduce(
    papers: Annotated[list[str] | None, typer.Argument(help="000 .. 004, or all")] = None,
    out: Annotated[Path, typer.Option(help="folder for the page, figures and data")] = Path("out/reproduction"),
    as_json: Annotated[bool, typer.Option("--json", help="print where things are as JSON")] = False,
) -> None:
    """Reproduce every figure, table and statement of the papers, as printed and exact, into one HTML page."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from gough.model import ModelWarning
    from gough.report.reproduction import write_reproduction
    from gough.reproduce import chosen

    keys = chosen(papers or [])
    console = Console(stderr=True)
    columns = (TextColumn("{task.description:<40}"), BarColumn(), TimeElapsedColumn())
    with warnings.catch_warnings(), Progress(*columns, console=console) as bar:
        warnings.simplefilter("ignore", ModelWarning)
        task = bar.add_task("starting", total=1.0)
        page = write_reproduction(
            keys, out, lambda text, done: bar.update(task, description=text[:40], completed=done))
    if as_json:
        typer.echo(json.dumps({"page": str(page), "papers": list(keys)}))
    else:
        typer.echo(f"The page is {page.resolve().as_uri()}")
