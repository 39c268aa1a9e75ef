"""``gough reproduce``: the five papers on one page."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated

import typer

from gough.cli.app import app
from gough.cli.console import Json, answer, share_progress


@app.command()
def reproduce(
    papers: Annotated[
        list[str] | None,
        typer.Argument(
            help="000 .. 004 or universal, newton-euler, lagrange, multibody, kane; or all"
        ),
    ] = None,
    out: Annotated[Path, typer.Option(help="folder for the page, figures and data")] = Path(
        "out/reproduction"
    ),
    as_json: Json = False,
) -> None:
    """Reproduce every figure, table and statement of the papers, as printed and exact, into one HTML page."""
    from gough.model import ModelWarning
    from gough.report.reproduction import write_reproduction
    from gough.reproduce import chosen, reproduce_all

    keys = chosen(papers or [])
    with warnings.catch_warnings(), share_progress() as tell:
        warnings.simplefilter("ignore", ModelWarning)
        found = reproduce_all(keys, lambda text, done: tell(text, 0.8 * done))
        page = write_reproduction(found, out, lambda text, done: tell(text, 0.8 + 0.2 * done))
    answer(
        {"page": str(page), "papers": list(keys)},
        as_json,
        lambda _: typer.echo(f"The page is {page.resolve().as_uri()}"),
    )
