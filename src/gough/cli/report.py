"""``gough report``: a self-contained HTML report on a machine and a motion."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gough.cli.app import app
from gough.cli.console import MachineName, load_with_notes, read_motion, say


@app.command()
def report(
    machine: MachineName,
    motion: Annotated[
        str,
        typer.Argument(
            help="A paper's path as 001-I, a trajectory (.toml, .csv, .nc) or a "
            "simulated run (.nc); left out: the machine alone"
        ),
    ] = "",
    out: Annotated[Path, typer.Option(help="HTML file to write")] = Path("report.html"),
    samples: Annotated[int, typer.Option(help="Samples along the motion")] = 501,
    compare: Annotated[
        str,
        typer.Option(
            help="Formulations to compare the forces with, by comma; kane/published: as printed"
        ),
    ] = "",
    title: Annotated[str, typer.Option(help="Title of the report")] = "",
) -> None:
    """Write one HTML file with the machine sheet, the motion, forces, reactions, actuators and a 3D replay."""
    from gough.report.html import write_report

    platform, notes = load_with_notes(machine)
    along = read_motion(platform, motion, samples) if motion else None
    names = ("exact", *(name for name in compare.replace(" ", "").split(",") if name))
    path = write_report(
        out,
        platform,
        along,
        formulations=names,
        title=title,
        label=Path(motion).name,
        warnings=tuple(notes),
    )
    say(f"wrote {path} ({path.stat().st_size / 1e6:.2f} MB)")
