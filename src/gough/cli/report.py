"""``gough report``: a self-contained HTML report on a machine and a motion."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Annotated

import typer

from gough.cli.app import app


@app.command()
def report(
    machine: Annotated[str, typer.Argument(help="Preset name or path of a machine file (.toml)")],
    motion: Annotated[str, typer.Argument(help="A paper's path as 001-I, a trajectory (.toml, .csv, .nc) or a "
                                               "simulated run (.nc); left out: the machine alone")] = "",
    out: Annotated[Path, typer.Option(help="HTML file to write")] = Path("report.html"),
    samples: Annotated[int, typer.Option(help="Samples along the motion")] = 501,
    compare: Annotated[str, typer.Option(help="Formulations to compare the forces with, by comma; "
                                              "kane/published: as printed")] = "",
    title: Annotated[str, typer.Option(help="Title of the report")] = "",
) -> None:
    """Write one HTML file with the machine sheet, the motion, forces, reactions, actuators and a 3D replay."""
    import gough
    from gough.report.html import write_report

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", gough.ModelWarning)
        platform = gough.load(machine)
    along = None
    if motion:
        trajectory = gough.trajectory.load_trajectory(motion)
        if isinstance(trajectory, gough.trajectory.LegTrajectory):
            trajectory = trajectory.on(platform)
        along = trajectory.sample(samples)
    names = ("exact", *(name for name in compare.replace(" ", "").split(",") if name))
    path = write_report(out, platform, along, formulations=names, title=title, label=Path(motion).name,
                        warnings=tuple(str(w.message) for w in caught))
    sys.stderr.write(f"wrote {path} ({path.stat().st_size / 1e6:.2f} MB)\n")
