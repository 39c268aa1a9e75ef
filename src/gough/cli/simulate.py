"""simulate: a machine and a scenario in, a run as NetCDF out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gough.checks import InfeasibleError
from gough.cli import console
from gough.cli.app import command


@command()
def simulate(
    machine: str,
    scenario: Path,
    out: Path,
    resume: bool = False,
    checkpoint: bool = True,
    as_json: bool = False,
) -> None:
    """Simulate a machine: trajectory, controller, disturbances and faults from a scenario file."""
    import shutil

    from gough.export.facts import run_facts
    from gough.export.tables import write_netcdf
    from gough.simulation.scenario import load_scenario

    platform = console.read_machine(machine)
    plan = load_scenario(scenario)
    pieces = out / "checkpoint"
    if pieces.exists() and not resume:
        shutil.rmtree(pieces)
    keep: dict[str, Any] = {}
    served = plan.table.get("integrator", "rk4") in ("rk4", "lie", "semi-implicit")
    if checkpoint and served:
        keep = {"checkpoint": pieces, "resume": resume}
    with console.progress() as bar:
        task = bar.add_task(plan.title, total=1.0)
        run = plan.play(platform, progress=lambda share: bar.update(task, completed=share), **keep)
    out.mkdir(parents=True, exist_ok=True)
    found = run_facts(run) | {
        "machine": platform.name,
        "scenario": plan.title,
        "file": str(out / "run.nc"),
    }
    write_netcdf(run, out / "run.nc")
    console.write_json(found, out / "summary.json")
    if pieces.exists():
        shutil.rmtree(pieces)
    console.answer(found, as_json, _show)
    if found["status"] != "ok" and not found["status"].startswith("stopped by"):
        raise InfeasibleError(found["status"])


def _show(found: dict[str, Any]) -> None:
    console.show_facts({name: value for name, value in found.items() if name != "events"})
    for event in found["events"]:
        console.write_line(f"t = {event['time']:.6g} s: {event['text']}")
