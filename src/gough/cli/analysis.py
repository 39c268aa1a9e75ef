"""workspace, limits, size, optimize, sweep: what a machine can do, what it needs, and which one to build."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from gough.checks import InfeasibleError, InputError
from gough.cli.app import app, fail
from gough.cli.machine import Json, Machine, _console, _load, _motion, _progress, _say, _table

Out = Annotated[Path, typer.Option(help="Folder for the results")]


@app.command()
def workspace(
    machine: Machine,
    rpy: Annotated[str, typer.Option(help="Orientation: roll pitch yaw, deg (default: home)")] = "",
    tilt: Annotated[str, typer.Option(help="Also where all of +/- roll pitch yaw can be taken, deg")] = "",
    points: Annotated[int, typer.Option(help="Cells along a side of the grid")] = 100,
    out: Annotated[Path | None, typer.Option(help="Folder for workspace.png and workspace.json")] = None,
    as_json: Json = False,
) -> None:
    """Volume and slices of the workspace within strokes, joint cones and leg-leg distance."""
    import numpy as np

    from gough.analysis.workspace import has_limits
    from gough.spatial import rotation_from_rpy

    platform, notes = _load(machine)
    for note in notes:
        _say(note)
    if not has_limits(platform):
        raise InputError("limits", machine, "has no strokes or cones: its workspace has no bound")
    home = platform.home
    rotation = (np.eye(3) if home is None else home.rotation) if not rpy else rotation_from_rpy(_degrees("rpy", rpy))
    facts, profile = _workspace_facts(platform, rotation, tilt, points)
    if out is not None:
        facts["files"] = _write_workspace(platform, rotation, facts, profile, out)
    if as_json:
        typer.echo(json.dumps(facts, indent=2))
        return
    table = _table(None, None)
    for key, value in facts.items():
        if key not in ("files", "box"):
            shown = f"{value:.6g}" if isinstance(value, float) else str(value)
            if isinstance(value, list):
                shown = " ".join(f"{x + 0.0:.6g}" for x in value)
            table.add_row(key.replace("_", " "), shown)
    _console().print(table)
    for name in facts.get("files", ()):
        _say(f"wrote {name}")


def _workspace_facts(platform: Any, rotation: Any, tilt: str, points: int) -> tuple[dict[str, Any], Any]:
    import numpy as np

    from gough.analysis.volume import exact_volume, grid_volume, orientation_set, orientation_volume, slice_profile
    from gough.analysis.workspace import default_width
    from gough.spatial import rpy_from_rotation

    struts_only = all(kind in ("UPS", "SPS") for kind in platform.kinds)
    facts: dict[str, Any] = {"machine": platform.name, "rpy_deg": np.degrees(rpy_from_rotation(rotation)).tolist()}
    box, profile = None, None
    if struts_only:
        exact = exact_volume(platform, rotation)
        facts |= {"volume_m3": exact.value, "volume_error_m3": (exact.high - exact.low) / 2, "box": exact.box.tolist()}
        profile = slice_profile(platform, rotation)
    else:
        if platform.home is None:
            raise InputError("home", None, "the machine needs a home pose: the grid is placed there")
        half = default_width(platform) / 2
        box = np.stack([platform.home.position - half, platform.home.position + half])
    grid = grid_volume(platform, rotation, box=box, points=points)
    while grid.clipped and box is not None and np.ptp(box) < 16 * default_width(platform):
        box = box.mean(axis=0) + 1.5 * (box - box.mean(axis=0))
        grid = grid_volume(platform, rotation, box=box, points=points)
    facts |= {"grid_volume_m3": grid.value, "grid_points": grid.evaluations, "box": grid.box.tolist()}
    if grid.clipped:
        facts["clipped"] = "the workspace reaches beyond the box: this is the part inside it"
    if tilt:
        roll, pitch, yaw = _radians("tilt", tilt)
        rotations = orientation_set(roll, pitch, yaw) @ rotation
        found = orientation_volume(platform, rotations, box=box, points=min(points, 60))
        facts |= {"orientations": len(rotations), "every_orientation_m3": found.every,
                  "some_orientation_m3": found.some}
    return facts, profile


def _write_workspace(platform: Any, rotation: Any, facts: dict[str, Any], profile: Any, out: Path) -> list[str]:
    from gough.report.figures import save_figure
    from gough.report.workspace import workspace_figure
    from gough.storage import write_whole

    out.mkdir(parents=True, exist_ok=True)
    figure = save_figure(workspace_figure(platform, rotation, profile=profile), out / "workspace.png")
    write_whole(out / "workspace.json", json.dumps(facts, indent=2) + "\n")
    return [str(figure), str(out / "workspace.json")]


@app.command()
def limits(
    machine: Machine,
    trajectory: Annotated[str, typer.Argument(help="A paper's path as 001-I, or a .toml, .csv, .nc file")],
    samples: Annotated[int | None, typer.Option(help="Number of samples (default 601)")] = None,
    dt: Annotated[float | None, typer.Option(help="Time step, s")] = None,
    as_json: Json = False,
) -> None:
    """Compare a motion with the limits of every leg; exit code 3 when one is broken, with the reason."""
    from gough.analysis.envelope import limit_report

    platform, notes = _load(machine)
    for note in notes:
        _say(note)
    found = limit_report(platform, _motion(platform, trajectory, samples, dt))
    if as_json:
        typer.echo(json.dumps(found, indent=2))
    else:
        table = _table("leg", "quantity", "smallest", "largest", "allowed", "margin", "at (s)")
        for row in found["rows"]:
            low, high = row["allowed"]
            allowed = "" if low is None and high is None else f"{_side(low)} to {_side(high)} {row['unit']}"
            table.add_row(row["leg"], row["kind"], f"{row['min']:.5g}", f"{row['max']:.5g} {row['unit']}", allowed,
                          "" if row["margin"] is None else f"{100 * row['margin']:.1f} %",
                          "" if row["time"] is None else f"{row['time']:.4g}")
        _console().print(table)
    for sentence in found["unchecked"]:
        _say(sentence)
    if not found["ok"]:
        for sentence in found["reasons"][1:]:
            _say(sentence)
        raise InfeasibleError(found["reasons"][0])


@app.command()
def size(
    machine: Machine,
    trajectories: Annotated[list[str], typer.Argument(help="Motions: papers' paths or .toml, .csv, .nc files")],
    payload: Annotated[list[str] | None, typer.Option(
        help="MASS or MASS,X,Y,Z (kg, m from the reference point); may be repeated, each one is a case")] = None,
    samples: Annotated[int | None, typer.Option(help="Number of samples (default 601)")] = None,
    dt: Annotated[float | None, typer.Option(help="Time step, s")] = None,
    as_json: Json = False,
) -> None:
    """Strokes, forces, speeds, powers, motors and joint loads that motions and payloads ask for."""
    from gough.analysis.sizing import size as size_up

    platform, notes = _load(machine)
    for note in notes:
        _say(note)
    motions = {Path(t).name: _motion(platform, t, samples, dt) for t in trajectories}
    if len(motions) < len(trajectories):
        motions = {t: _motion(platform, t, samples, dt) for t in trajectories}
    found = size_up(platform, motions, {f"payload {p} kg": _payload(p) for p in payload or ()})
    if as_json:
        typer.echo(json.dumps(found.as_dict(), indent=2))
    else:
        _show_size(platform, found)
    for sentence in found.overload:
        _say(sentence)


def _show_size(platform: Any, found: Any) -> None:
    from gough.export.tables import actuator_units

    console = _console()
    console.print(f"{platform.name or 'platform'}: {', '.join(found.cases)}", highlight=False, markup=False)
    table = _table("leg", "stroke", "peak effort", "rms effort", "peak speed", "peak power", "platform joint",
                   "base joint", "EI against buckling")
    for leg, (unit, effort) in zip(found.legs, actuator_units(platform), strict=True):
        table.add_row(leg.name, f"{leg.min_coordinate:.4f} to {leg.max_coordinate:.4f} {unit}",
                      f"{leg.peak_force:.5g} {effort}", f"{leg.rms_force:.5g} {effort}",
                      f"{leg.peak_speed:.4g} {unit}/s", f"{leg.peak_power:.4g} W", f"{leg.joint_force:.5g} N",
                      f"{leg.base_joint_force:.5g} N", f"{leg.bending_stiffness:.4g} N m²")
    console.print(table)
    if all(leg.drive is None for leg in found.legs):
        return
    table = _table("motor", "peak torque (N m)", "rms torque (N m)", "peak speed (rpm)", "peak power (W)",
                   "load/rotor inertia", "peak current (A)", "rms current (A)", "peak voltage (V)")
    for leg in found.legs:
        d = leg.drive
        if d is not None:
            rest = (d.inertia_ratio, d.peak_current, d.rms_current, d.peak_voltage)
            table.add_row(leg.name, f"{d.peak_torque:.4g}", f"{d.rms_torque:.4g}", f"{d.peak_speed * 9.549297:.5g}",
                          f"{d.peak_power:.4g}", *("" if x is None else f"{x:.4g}" for x in rest))
    console.print(table)


@app.command()
def optimize(
    spec: Annotated[Path, typer.Argument(help="Design file (.toml): machine, parameters, task, objective")],
    out: Out,
    as_json: Json = False,
) -> None:
    """Find the dimensions of a platform family that do a task best; exit code 3 when nothing is feasible."""
    import gough
    from gough.design import optimize, read_problem
    from gough.storage import write_whole

    problem = read_problem(spec)
    with _progress() as bar:
        task = bar.add_task("generations", total=problem.generations)
        found = optimize(problem, lambda done, total, cost: bar.update(
            task, completed=min(done, total), description=f"best {cost:.6g}" if cost < 1e5 else "nothing feasible yet"))
    out.mkdir(parents=True, exist_ok=True)
    facts = found.as_dict()
    if found.platform is not None and found.feasible:
        facts["machine"] = str(gough.save(found.platform, out / "machine.toml"))
    write_whole(out / "result.json", json.dumps(facts, indent=2) + "\n")
    if as_json:
        typer.echo(json.dumps(facts, indent=2))
    else:
        _show_optimum(facts)
    if not found.feasible:
        raise InfeasibleError(f"no feasible design in {found.evaluations} tried: " + "; ".join(found.reasons))


def _show_optimum(facts: dict[str, Any]) -> None:
    from gough.design.metrics import METRICS
    from gough.design.spec import DIMENSIONS, SI

    table = _table("parameter or metric", "value")
    for name, value in facts["parameters"].items():
        table.add_row(name, f"{value:.6g} {SI[DIMENSIONS[name]]}".removesuffix(" 1"))
    for name, value in facts["metrics"].items():
        table.add_row(name, f"{value:.6g} {METRICS[name].unit}".removesuffix(" 1"))
    _console().print(table)
    _console().print(f"cost {facts['cost']:.6g} after {facts['evaluations']} designs", highlight=False)


@app.command()
def sweep(
    spec: Annotated[Path, typer.Argument(help="Sweep file (.toml): machines, motions, axes, metrics")],
    out: Out,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the sweep in this folder")] = False,
    workers: Annotated[int, typer.Option(help="Local processes; 0: this process")] = 0,
    dask: Annotated[str, typer.Option(help="Address of a Dask scheduler, or 'local'")] = "",
    formats: Annotated[str, typer.Option("--format", help="csv, nc, parquet, by comma")] = "csv,nc",
    as_json: Json = False,
) -> None:
    """Metrics over machines, motions and parameters; a killed sweep resumes to the same bytes."""
    from gough.design import SweepStoppedError, read_sweep
    from gough.design import sweep as run_sweep

    plan = read_sweep(spec)
    how: dict[str, Any] = {"executor": "processes", "workers": workers} if workers else {}
    if dask:
        how = {"executor": "dask", "client": None if dask == "local" else dask, "workers": workers or None}
    try:
        with _progress() as bar:
            task = bar.add_task("chunks", total=plan.chunks)
            files = run_sweep(plan, out, resume=resume, formats=tuple(f.strip() for f in formats.split(",")),
                              progress=lambda done, total: bar.update(task, completed=done, total=total), **how)
    except SweepStoppedError as error:
        fail(str(error), 1)
        return
    except KeyboardInterrupt:
        fail(f"stopped; finished chunks are kept in {out}: resume with --resume", 1)
        return
    if as_json:
        typer.echo(json.dumps({"cases": plan.cases, "chunks": plan.chunks, "files": [str(f) for f in files]}, indent=2))
    else:
        _say(f"{plan.cases} cases")
        for name in files:
            typer.echo(str(name))


def _numbers(field: str, text: str, count: tuple[int, ...], allowed: str) -> list[float]:
    try:
        values = [float(x) for x in text.replace(",", " ").split()]
    except ValueError:
        values = []
    if len(values) not in count or not all(abs(x) < 1e300 for x in values):
        raise InputError(field, text, allowed)
    return values


def _degrees(field: str, text: str) -> Any:
    import numpy as np

    return np.radians(_numbers(field, text, (3,), "must be three angles: roll pitch yaw, deg"))


def _radians(field: str, text: str) -> list[float]:
    return [float(x) for x in _degrees(field, text)]


def _payload(text: str) -> Any:
    from gough.model import Body

    values = _numbers("payload", text, (1, 4), "must be MASS or MASS,X,Y,Z in kg and m")
    return Body(values[0], values[1:] or (0.0, 0.0, 0.0))


def _side(value: float | None) -> str:
    return "-" if value is None else f"{value:.5g}"
