"""export: a machine for other programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from gough.cli.app import app

export = typer.Typer(no_args_is_help=True, help="Write a machine for other programs.")
app.add_typer(export, name="export")

Machine = Annotated[str, typer.Argument(help="Preset name or path of a machine file (.toml)")]


@export.command("c")
def export_c(
    machine: Machine,
    out: Annotated[Path, typer.Option(help="Folder for header, source, test program and CMake file")],
    name: Annotated[str | None, typer.Option(help="Prefix of all C names; the machine's name by default")] = None,
    precision: Annotated[str, typer.Option(help="double or float")] = "double",
    parameters: Annotated[str, typer.Option(help="baked (constants) or struct (an argument)")] = "baked",
    iterations: Annotated[int, typer.Option(help="Newton steps of forward kinematics")] = 8,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON on stdout")] = False,
) -> None:
    """Write dependency-free C99 for controllers: inverse dynamics, inverse and forward kinematics."""
    import gough
    from gough.export.c_code import c_project

    if parameters not in ("baked", "struct"):
        raise gough.InputError("parameters", parameters, "must be baked or struct")
    project = c_project(gough.load(machine), name=name, precision=precision, baked=parameters == "baked",
                        iterations=iterations)
    paths = project.write(out)
    if as_json:
        typer.echo(json.dumps({"name": project.name, "files": [str(path) for path in paths]}, indent=2))
    else:
        for path in paths:
            typer.echo(f"wrote {path}", err=True)


@export.command("mjcf")
def export_mjcf(machine: Machine, out: Annotated[Path, typer.Option(help="The .xml file to write")]) -> None:
    """Write a MuJoCo model: loops closed by constraints, motors on the drives, at the machine's home pose."""
    import gough
    from gough.export.mjcf import save_mjcf

    typer.echo(f"wrote {save_mjcf(gough.load(machine), out)}", err=True)


@export.command("urdf")
def export_urdf(
    machine: Machine,
    out: Annotated[Path, typer.Option(help="The .urdf file to write; the loops go to a .loops.json beside it")],
    attach: Annotated[str | None, typer.Option(help="Leg that carries the platform; floating by default")] = None,
    cross_mass: Annotated[float, typer.Option(help="Mass of each link inside a universal or ball joint, kg")] = 0.0,
) -> None:
    """Write a URDF tree: legs as open chains from the base, and the loops to close in a file beside it."""
    import gough
    from gough.export.urdf import save_urdf

    for path in save_urdf(gough.load(machine), out, attach=attach, cross_mass=cross_mass):
        typer.echo(f"wrote {path}", err=True)


@export.command("sdf")
def export_sdf(machine: Machine, out: Annotated[Path, typer.Option(help="The .sdf file to write")]) -> None:
    """Write an SDF world: the closed machine with its gravity, at the home pose."""
    import gough
    from gough.export.sdf import save_sdf

    typer.echo(f"wrote {save_sdf(gough.load(machine), out)}", err=True)
