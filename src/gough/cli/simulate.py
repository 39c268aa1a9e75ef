"""simulate: a machine and a scenario in, a run as NetCDF out."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Annotated, Any

import typer

from gough.checks import InfeasibleError
from gough.cli.app import app


@app.command()
def simulate(
    machine: Annotated[str, typer.Argument(help="Preset name or path of a machine file (.toml)")],
    scenario: Annotated[Path, typer.Argument(help="Scenario file (.toml)")],
    out: Annotated[Path, typer.Option(help="Folder for run.nc and summary.json")],
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a killed run in the same folder")] = False,
    checkpoint: Annotated[bool, typer.Option(help="Keep finished pieces until the run ends")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON on stdout")] = False,
) -> None:
    """Simulate a machine: trajectory, controller, disturbances and faults from a scenario file."""
    import shutil

    from rich.console import Console
    from rich.progress import Progress

    import gough
    from gough.export.tables import write_netcdf
    from gough.simulation.scenario import load_scenario
    from gough.storage import write_whole

    console = Console(stderr=True)
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always")
        platform = gough.load(machine)
    for note in notes:
        console.print(f"note: {note.message}", style="dim", highlight=False)
    plan = load_scenario(scenario)
    pieces = out / "checkpoint"
    if pieces.exists() and not resume:
        shutil.rmtree(pieces)
    keep: dict[str, Any] = {}
    served = plan.table.get("integrator", "rk4") in ("rk4", "lie", "semi-implicit")
    if checkpoint and served:
        keep = {"checkpoint": pieces, "resume": resume}
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task(plan.title, total=1.0)
        run = plan.play(platform, progress=lambda share: bar.update(task, completed=share), **keep)
    out.mkdir(parents=True, exist_ok=True)
    found = summary(run) | {"machine": platform.name, "scenario": plan.title, "file": str(out / "run.nc")}
    write_netcdf(run, out / "run.nc")
    write_whole(out / "summary.json", json.dumps(found, indent=2) + "\n")
    if pieces.exists():
        shutil.rmtree(pieces)
    if as_json:
        typer.echo(json.dumps(found, indent=2))
    else:
        _show(found)
    if found["status"] != "ok" and not found["status"].startswith("stopped by"):
        raise InfeasibleError(found["status"])


def summary(run: Any) -> dict[str, Any]:
    """The figures of a run that one looks at first."""
    import numpy as np

    events = json.loads(run.attrs["events"])
    end = run.attrs["end_time"]
    return {
        "status": run.attrs["status"], "end_time": end, "integrator": run.attrs["integrator"],
        "step": run.attrs["step"], "samples": int(run.sizes["time"]),
        "peak_force": [float(x) for x in np.nanmax(np.abs(run.motor_force.values), axis=0)],
        "peak_rate": [float(x) for x in np.nanmax(np.abs(run.rate.values), axis=0)],
        "peak_condition": float(np.nanmax(run.condition.values)),
        "motor_work": float(np.nansum(np.where(run.time.values[:, None] == np.nanmax(
            run.time.values[np.isfinite(run.kinetic.values)]), run.work.values, 0.0))),
        "events": events[:20], "event_count": len(events),
    }


def _show(found: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(show_header=False, box=None)
    for key, value in found.items():
        if key == "events":
            continue
        if isinstance(value, list):
            value = ", ".join(f"{x:.6g}" for x in value)
        elif isinstance(value, float):
            value = f"{value:.6g}"
        table.add_row(key.replace("_", " "), str(value))
    for event in found["events"]:
        table.add_row("event", f"t = {event['time']:.6g} s: {event['text']}")
    Console().print(table)
