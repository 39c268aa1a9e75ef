"""show, presets, forces, cite: what a machine is and what a motion asks of it."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gough.checks import InputError
from gough.cli.app import app

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from gough.model import Platform
    from gough.spatial import Motion

Machine = Annotated[str, typer.Argument(help="Preset name or path of a machine file (.toml)")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON on stdout")]


@app.command()
def presets(as_json: Json = False) -> None:
    """List the machines that ship with gough."""
    import gough
    from gough.model.files import preset_summary

    found = {name: preset_summary(name) for name in gough.presets()}
    if as_json:
        typer.echo(json.dumps(found, indent=2, ensure_ascii=False))
        return
    table = _table("name", "machine")
    for name, text in found.items():
        table.add_row(name, text)
    _console().print(table)


@app.command()
def schema() -> None:
    """Print the JSON Schema of machine files, for editors."""
    from gough.model.files import json_schema

    typer.echo(json.dumps(json_schema(), indent=1))


@app.command()
def show(
    machine: Machine,
    figure: Annotated[Path | None, typer.Option(help="Also draw the home pose: .png, .svg or .pdf")] = None,
    as_json: Json = False,
) -> None:
    """Show a machine: legs, masses, home pose, source, warnings; and draw it."""
    platform, notes = _load(machine)
    if figure is not None:
        from gough.report.figures import machine_figure, save_figure

        save_figure(machine_figure(platform), figure)
        _say(f"wrote {figure}")
    facts = _facts(platform, notes)
    if as_json:
        typer.echo(json.dumps(facts, indent=2, ensure_ascii=False))
    else:
        _show(facts)


@app.command()
def forces(
    machine: Machine,
    trajectory: Annotated[str, typer.Argument(help="A paper's path as 001-I, or a .toml, .csv, .nc file")],
    out: Annotated[Path, typer.Option(help="Folder for forces.nc, forces.csv and the plots")],
    formulation: Annotated[str, typer.Option(
        help="exact, newton-euler, universal, lagrange, kane, multibody")] = "exact",
    published: Annotated[bool, typer.Option("--published", help="Keep the paper's printed errors")] = False,
    dt: Annotated[float | None, typer.Option(help="Time step, s")] = None,
    samples: Annotated[int | None, typer.Option(help="Number of samples (default 601)")] = None,
    wrench: Annotated[str | None, typer.Option(
        help="External force and moment on the platform, platform axes: six numbers, N and N m")] = None,
    max_condition: Annotated[float | None, typer.Option(
        help="Refuse poses beyond this condition number (default 1e8, inf: none)")] = None,
    reactions: Annotated[bool | None, typer.Option(
        help="Joint reactions too (default: where the formulation gives them)", show_default=False)] = None,
    figures: Annotated[bool, typer.Option(help="Plots too")] = True,
    as_json: Json = False,
) -> None:
    """Actuator forces along a trajectory: NetCDF, CSV, plots of lengths, forces, reactions, condition."""
    from gough.report.forces import compute, summary, write_folder

    platform, notes = _load(machine)
    for note in notes:
        _say(note)
    motion = _motion(platform, trajectory, samples, dt)
    external = None if wrench is None else _six(wrench)
    with _progress() as bar:
        task = bar.add_task("forces", total=len(motion.position))
        table = compute(platform, motion, external, formulation=formulation, published=published,
                        max_condition=max_condition, reactions=reactions,
                        progress=lambda done: bar.update(task, completed=done),
                        trajectory=Path(trajectory).name)
        task = bar.add_task("files", total=None)
        files = write_folder(table, out, figures=figures)
        bar.update(task, total=1, completed=1)
    found = summary(table) | {"files": [str(f) for f in files]}
    if as_json:
        typer.echo(json.dumps(found, indent=2))
    else:
        _show_forces(found)


@app.command()
def cite(
    machine: Annotated[str | None, typer.Argument(help="Also the source of this machine")] = None,
) -> None:
    """How to cite gough, and the source of a machine's numbers."""
    import gough

    typer.echo("@software{gough,\n  title   = {gough: the toolkit for Gough-Stewart platforms},\n"
               f"  author  = {{{{The gough developers}}}},\n  version = {{{gough.__version__}}},\n"
               "  license = {MIT}\n}")
    if machine is not None:
        source = _load(machine)[0].source
        if not source.title:
            raise InputError("machine", machine, "names no source")
        where = f", {source.page}" if source.page else ""
        doi = f", doi:{source.doi}" if source.doi else ""
        typer.echo(f"\nNumbers of {machine}: {source.title}{where}{doi}")


def _load(machine: str) -> tuple[Platform, list[str]]:
    """The machine and its warnings as sentences."""
    import gough

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        platform = gough.load(machine)
    return platform, [str(w.message) for w in caught if issubclass(w.category, gough.ModelWarning)]


def _motion(platform: Platform, trajectory: str, samples: int | None, dt: float | None) -> Motion:
    from gough.trajectory import LegTrajectory, load_trajectory

    path = load_trajectory(trajectory)
    if isinstance(path, LegTrajectory):
        path = path.on(platform)
    return path.sample(samples, dt)


def _six(text: str) -> list[float]:
    try:
        values = [float(x) for x in text.replace(",", " ").split()]
    except ValueError:
        values = []
    if len(values) != 6:
        raise InputError("wrench", text, "must be six numbers: force x y z, N, and moment x y z, N m")
    return values


def _facts(platform: Platform, notes: list[str]) -> dict[str, Any]:
    """Everything `show` says, as plain numbers."""
    from gough.export.tables import actuator_units
    from gough.struts import struts

    body, home = platform.body, platform.home
    legs = [{"name": name, "type": kind, "base": leg.base.tolist(), "joint": leg.joint.tolist(), "mass": mass,
             "coordinate_unit": unit, "effort_unit": effort,
             "stroke": None if leg.limits.stroke is None else leg.limits.stroke.tolist(),
             "max_effort": leg.limits.force, "max_speed": leg.limits.speed}
            for name, kind, leg, mass, (unit, effort) in zip(
                platform.leg_names, platform.kinds, platform.legs, map(_leg_mass, platform.legs),
                actuator_units(platform), strict=True)]
    facts: dict[str, Any] = {
        "name": platform.name, "source": platform.source.title, "page": platform.source.page,
        "doi": platform.source.doi, "errata": list(platform.source.errata),
        "chosen": list(platform.source.chosen), "warnings": notes, "gravity": platform.gravity.tolist(),
        "characteristic_length": platform.characteristic_length,
        "platform": {"mass": body.mass, "center": body.center.tolist(), "inertia": body.inertia.tolist()},
        "home": None, "legs": legs}
    if home is not None:
        where = struts(platform, home)
        facts["home"] = {"position": home.position.tolist(), "rpy": home.rpy.tolist(),
                         "reachable": bool(where.reachable.all())}
        for leg, value, ok in zip(legs, where.coordinate, where.reachable, strict=True):
            leg["home"] = float(value) if ok else None
    return facts


def _leg_mass(leg: Any) -> float:
    bodies = [getattr(leg, part).mass for part in ("lower", "upper", "link", "crank") if hasattr(leg, part)]
    return float(sum(bodies) + getattr(leg, "slider_mass", 0.0))


def _show(facts: dict[str, Any]) -> None:
    from rich.padding import Padding
    from rich.text import Text

    console = _console()
    console.print(facts["name"] or "platform", style="bold", highlight=False)
    where = f", {facts['page']}" if facts["page"] else ""
    table = _table(None, None)
    if facts["source"]:
        table.add_row("source", facts["source"] + where)
    body = facts["platform"]
    table.add_row("platform", f"{body['mass']:g} kg, mass center {_numbers(body['center'])} m")
    for i, row in enumerate(body["inertia"]):
        table.add_row("inertia" if i == 0 else "", f"{_numbers(row)} kg m²" if i == 0 else _numbers(row))
    table.add_row("gravity", f"{_numbers(facts['gravity'])} m/s²")
    table.add_row("size", f"characteristic length {facts['characteristic_length']:.6g} m")
    if facts["home"]:
        home = facts["home"]
        table.add_row("home", f"{_numbers(home['position'])} m, rpy {_numbers(home['rpy'])} rad")
    console.print(table)
    console.print(_leg_table(facts["legs"]))
    for title, key in (("chosen, not in the source", "chosen"), ("errata", "errata"),
                       ("warnings", "warnings")):
        if facts[key]:
            console.print(f"\n{title}", style="bold", highlight=False)
            for sentence in facts[key]:
                console.print(Padding(Text(f"- {sentence}"), (0, 0, 0, 2)))


def _leg_table(legs: list[dict[str, Any]]) -> Table:
    table = _table("leg", "type", "base joint (m)", "platform joint (m)", "mass (kg)", "at home", "stroke",
                   "limits")
    for leg in legs:
        unit, effort = leg["coordinate_unit"], leg["effort_unit"]
        home = "" if leg.get("home") is None else f"{leg['home']:.6g} {unit}"
        stroke = "" if leg["stroke"] is None else f"{leg['stroke'][0]:g} to {leg['stroke'][1]:g} {unit}"
        limits = [f"{leg['max_effort']:g} {effort}"] if leg["max_effort"] else []
        limits += [f"{leg['max_speed']:g} {unit}/s"] if leg["max_speed"] else []
        table.add_row(leg["name"], leg["type"], _numbers(leg["base"]), _numbers(leg["joint"]),
                      f"{leg['mass']:g}", home, stroke, ", ".join(limits))
    return table


def _show_forces(found: dict[str, Any]) -> None:
    console = _console()
    table = _table("leg", "coordinate", "largest rate", "peak effort", "at (s)", "rms effort")
    for leg in found["legs"]:
        unit, effort = leg["coordinate_unit"], leg["effort_unit"]
        table.add_row(leg["name"], f"{leg['min_coordinate']:.4f} to {leg['max_coordinate']:.4f} {unit}",
                      f"{leg['max_rate']:.4f} {unit}/s", f"{leg['peak_effort']:.4f} {effort}",
                      f"{leg['peak_time']:.4g}", f"{leg['rms_effort']:.4f} {effort}")
    console.print(f"{found['machine']}, {found['trajectory']}: {found['samples']} samples, "
                  f"formulation {found['formulation']}", highlight=False, markup=False)
    console.print(table)
    console.print(f"largest condition number {found['max_condition']:.4g} at "
                  f"{found['max_condition_time']:.4g} s", highlight=False)
    for name in found["files"]:
        console.print(name, highlight=False, markup=False, soft_wrap=True)


def _numbers(values: list[float]) -> str:
    return " ".join(f"{x + 0.0:.5g}" for x in values)


def _table(*columns: str | None) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD if columns[0] else None, show_header=columns[0] is not None, pad_edge=False)
    for name in columns:
        table.add_column(name or "", overflow="fold")
    return table


def _console(stderr: bool = False) -> Console:
    from rich.console import Console

    console = Console(stderr=stderr)
    if not console.is_terminal:  # files and pipes get whole lines
        console = Console(stderr=stderr, width=160)
    return console


def _say(message: str) -> None:
    _console(stderr=True).print(message, highlight=False, markup=False, soft_wrap=True)


def _progress() -> Any:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = _console(stderr=True)
    return Progress(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
                    console=console, transient=True, disable=not console.is_terminal)
