"""show, presets, forces, cite: what a machine is and what a motion asks of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gough.checks import InputError
from gough.cli.app import app
from gough.cli.console import (
    Json,
    MachineName,
    Samples,
    TimeStep,
    Trajectory,
    answer,
    console,
    load_with_notes,
    make_table,
    numbers,
    progress,
    read_machine,
    read_motion,
    read_numbers,
    say,
    write_line,
)

if TYPE_CHECKING:
    from rich.table import Table


@app.command()
def presets(as_json: Json = False) -> None:
    """List the machines that ship with gough."""
    import gough

    def show(found: dict[str, str]) -> None:
        table = make_table("name", "machine")
        for name, text in found.items():
            table.add_row(name, text)
        console().print(table)

    answer({name: gough.preset_summary(name) for name in gough.presets()}, as_json, show)


@app.command()
def schema() -> None:
    """Print the JSON Schema of machine files, for editors."""
    from gough.model.files import json_schema

    typer.echo(json.dumps(json_schema(), indent=1))


@app.command()
def show(
    machine: MachineName,
    figure: Annotated[
        Path | None, typer.Option(help="Also draw the home pose: .png, .svg or .pdf")
    ] = None,
    as_json: Json = False,
) -> None:
    """Show a machine: legs, masses, home pose, source, warnings; and draw it."""
    from gough.export.facts import machine_facts

    platform, notes = load_with_notes(machine)
    if figure is not None:
        from gough.report.figures import machine_figure, save_figure

        say(f"wrote {save_figure(machine_figure(platform), figure)}")
    answer(machine_facts(platform, notes), as_json, _show)


@app.command()
def forces(
    machine: MachineName,
    trajectory: Trajectory,
    out: Annotated[Path, typer.Option(help="Folder for forces.nc, forces.csv and the plots")],
    formulation: Annotated[
        str, typer.Option(help="exact, newton-euler, universal, lagrange, kane, multibody")
    ] = "exact",
    published: Annotated[
        bool, typer.Option("--published", help="Keep the paper's printed errors")
    ] = False,
    dt: TimeStep = None,
    samples: Samples = None,
    wrench: Annotated[
        str | None,
        typer.Option(
            help="External force and moment on the platform, platform axes: six numbers, N and N m"
        ),
    ] = None,
    max_condition: Annotated[
        float | None,
        typer.Option(help="Refuse poses beyond this condition number (default 1e8, inf: none)"),
    ] = None,
    reactions: Annotated[
        bool | None,
        typer.Option(
            help="Joint reactions too (default: where the formulation gives them)",
            show_default=False,
        ),
    ] = None,
    figures: Annotated[bool, typer.Option(help="Plots too")] = True,
    as_json: Json = False,
) -> None:
    """Actuator forces along a trajectory: NetCDF, CSV, plots of lengths, forces, reactions, condition."""
    from gough.export.facts import forces_along, forces_facts
    from gough.report.forces import write_folder

    platform = read_machine(machine)
    motion = read_motion(platform, trajectory, samples, dt)
    external = (
        None
        if wrench is None
        else read_numbers(
            "wrench", wrench, (6,), "must be six numbers: force x y z, N, and moment x y z, N m"
        )
    )
    with progress() as bar:
        task = bar.add_task("forces", total=len(motion.position))
        table = forces_along(
            platform,
            motion,
            external,
            formulation=formulation,
            published=published,
            max_condition=max_condition,
            reactions=reactions,
            progress=lambda done: bar.update(task, completed=done),
            trajectory=Path(trajectory).name,
        )
        task = bar.add_task("files", total=None)
        files = write_folder(table, out, figures=figures)
        bar.update(task, total=1, completed=1)
    answer(forces_facts(table) | {"files": [str(f) for f in files]}, as_json, _show_forces)


@app.command()
def cite(
    machine: Annotated[str | None, typer.Argument(help="Also the source of this machine")] = None,
) -> None:
    """How to cite gough, and the source of a machine's numbers."""
    import gough

    typer.echo(
        "@software{gough,\n  title   = {gough: the toolkit for Gough-Stewart platforms},\n"
        f"  author  = {{{{The gough developers}}}},\n  version = {{{gough.__version__}}},\n"
        "  license = {MIT}\n}"
    )
    if machine is not None:
        source = load_with_notes(machine)[0].source
        if not source.title:
            raise InputError("machine", machine, "names no source")
        where = f", {source.page}" if source.page else ""
        doi = f", doi:{source.doi}" if source.doi else ""
        typer.echo(f"\nNumbers of {machine}: {source.title}{where}{doi}")


def _show(facts: dict[str, Any]) -> None:
    from rich.padding import Padding
    from rich.text import Text

    screen = console()
    write_line(facts["name"] or "platform", style="bold")
    where = f", {facts['page']}" if facts["page"] else ""
    table = make_table(None, None)
    if facts["source"]:
        table.add_row("source", facts["source"] + where)
    body = facts["platform"]
    table.add_row("platform", f"{body['mass']:g} kg, mass center {numbers(body['center'])} m")
    for i, row in enumerate(body["inertia"]):
        table.add_row(
            "inertia" if i == 0 else "", f"{numbers(row)} kg m²" if i == 0 else numbers(row)
        )
    table.add_row("gravity", f"{numbers(facts['gravity'])} m/s²")
    table.add_row("size", f"characteristic length {facts['characteristic_length']:.6g} m")
    if facts["home"]:
        home = facts["home"]
        table.add_row("home", f"{numbers(home['position'])} m, rpy {numbers(home['rpy'])} rad")
    screen.print(table)
    screen.print(_leg_table(facts["legs"]))
    for title, key in (
        ("chosen, not in the source", "chosen"),
        ("errata", "errata"),
        ("warnings", "warnings"),
    ):
        if facts[key]:
            write_line(f"\n{title}", style="bold")
            for sentence in facts[key]:
                screen.print(Padding(Text(f"- {sentence}"), (0, 0, 0, 2)))


def _leg_table(legs: list[dict[str, Any]]) -> Table:
    table = make_table(
        "leg",
        "type",
        "base joint (m)",
        "platform joint (m)",
        "mass (kg)",
        "at home",
        "stroke",
        "limits",
    )
    for leg in legs:
        unit, effort = leg["coordinate_unit"], leg["effort_unit"]
        home = "" if leg.get("home") is None else f"{leg['home']:.6g} {unit}"
        stroke = (
            "" if leg["stroke"] is None else f"{leg['stroke'][0]:g} to {leg['stroke'][1]:g} {unit}"
        )
        limits = [f"{leg['max_effort']:g} {effort}"] if leg["max_effort"] else []
        limits += [f"{leg['max_speed']:g} {unit}/s"] if leg["max_speed"] else []
        table.add_row(
            leg["name"],
            leg["type"],
            numbers(leg["base"]),
            numbers(leg["joint"]),
            f"{leg['mass']:g}",
            home,
            stroke,
            ", ".join(limits),
        )
    return table


def _show_forces(found: dict[str, Any]) -> None:
    table = make_table("leg", "coordinate", "largest rate", "peak effort", "at (s)", "rms effort")
    for leg in found["legs"]:
        unit, effort = leg["coordinate_unit"], leg["effort_unit"]
        table.add_row(
            leg["name"],
            f"{leg['min_coordinate']:.4f} to {leg['max_coordinate']:.4f} {unit}",
            f"{leg['max_rate']:.4f} {unit}/s",
            f"{leg['peak_effort']:.4f} {effort}",
            f"{leg['peak_time']:.4g}",
            f"{leg['rms_effort']:.4f} {effort}",
        )
    write_line(
        f"{found['machine']}, {found['trajectory']}: {found['samples']} samples, "
        f"formulation {found['formulation']}"
    )
    console().print(table)
    write_line(
        f"largest condition number {found['max_condition']:.4g} at {found['max_condition_time']:.4g} s"
    )
    for name in found["files"]:
        write_line(name)
