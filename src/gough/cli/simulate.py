"""simulate: a machine and a scenario in; a run as NetCDF, a drawing and a report out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from gough.checks import InfeasibleError
from gough.cli import console
from gough.cli.app import command

if TYPE_CHECKING:
    from gough.export.tracking import Tracking
    from gough.model import Platform


@command()
def simulate(
    machine: str,
    scenario: Path,
    out: Path,
    resume: bool = False,
    checkpoint: bool = True,
    plot: bool = True,
    report: bool = True,
    as_json: bool = False,
) -> None:
    """Simulate a machine: trajectory, controller, disturbances and faults from a scenario file."""
    import shutil

    from gough.export.facts import run_facts
    from gough.export.tables import write_netcdf
    from gough.simulation.scenario import load_scenario

    platform = console.read_machine(machine)
    plan = load_scenario(scenario)
    _warn(platform, plan)
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
    error = _tracking(run, plan, platform)
    if error is not None:
        found["tracking"] = error.figures()
    console.write_json(found, out / "summary.json")
    if plot:
        from gough.report import run_figure, save_figure

        save_figure(run_figure(run, platform, error), out / "run.png")
    if report:
        from gough.report import write_run_report

        write_run_report(out / "report.html", run, platform, error, scenario.read_text("utf-8"))
    if pieces.exists():
        shutil.rmtree(pieces)
    console.answer(found, as_json, _show)
    if found["status"] != "ok" and not found["status"].startswith("stopped by"):
        raise InfeasibleError(found["status"])


def _warn(platform: Platform, plan: Any) -> None:
    """Where the scenario's trajectory or the pose that it starts from is outside the limits."""
    from gough.cli.warned import outside
    from gough.trajectory import LegTrajectory

    path = plan.table.get("trajectory")
    if path is not None:
        path = path.on(platform) if isinstance(path, LegTrajectory) else path
        console.warn_along(platform, path.sample(), plan.title)
    elif "start" in plan.table:
        state = plan.arguments(platform)["state"]
        console.warn(*outside(platform, state.motion.pose, "the start"))


def _tracking(run: Any, plan: Any, platform: Platform) -> Tracking | None:
    """The error to the scenario's trajectory, or to the start pose; None without a controller."""
    from gough.export.tracking import first_pose, tracking
    from gough.trajectory import LegTrajectory

    if "controller" not in plan.table:
        return None
    path = plan.table.get("trajectory")
    if isinstance(path, LegTrajectory):
        path = path.on(platform)
    return tracking(run, first_pose(run) if path is None else path)


def _show(found: dict[str, Any]) -> None:
    console.show_facts(
        {name: value for name, value in found.items() if name not in ("events", "tracking")}
    )
    console.show_facts(found.get("tracking", {}))
    for event in found["events"]:
        console.write_line(f"t = {event['time']:.6g} s: {event['text']}")
