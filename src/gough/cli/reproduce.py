"""``gough reproduce``: the five papers on one page."""

from __future__ import annotations

import warnings
from pathlib import Path

import typer

from gough.cli.app import command
from gough.cli.console import answer, share_progress


@command()
def reproduce(
    papers: list[str] | None = None,
    out: Path = Path("out/reproduction"),
    as_json: bool = False,
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
