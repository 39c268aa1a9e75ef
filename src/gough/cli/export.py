"""export: a machine for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from gough.checks import InputError
from gough.cli.app import app
from gough.cli.console import Json, MachineName, answer, read_machine, say

export = typer.Typer(no_args_is_help=True, help="Write a machine for other programs.")
app.add_typer(export, name="export")


@export.command("c")
def export_c(
    machine: MachineName,
    out: Annotated[
        Path, typer.Option(help="Folder for header, source, test program and CMake file")
    ],
    name: Annotated[
        str | None, typer.Option(help="Prefix of all C names; the machine's name by default")
    ] = None,
    precision: Annotated[str, typer.Option(help="double or float")] = "double",
    parameters: Annotated[
        str, typer.Option(help="baked (constants) or struct (an argument)")
    ] = "baked",
    iterations: Annotated[int, typer.Option(help="Newton steps of forward kinematics")] = 8,
    as_json: Json = False,
) -> None:
    """Write dependency-free C99 for controllers: inverse dynamics, inverse and forward kinematics."""
    from gough.export.c_code import c_project

    if parameters not in ("baked", "struct"):
        raise InputError("parameters", parameters, "must be baked or struct")
    project = c_project(
        read_machine(machine),
        name=name,
        precision=precision,
        baked=parameters == "baked",
        iterations=iterations,
    )
    files = [str(path) for path in project.write(out)]
    answer({"name": project.name, "files": files}, as_json, lambda found: _wrote(*found["files"]))


@export.command("mjcf")
def export_mjcf(
    machine: MachineName, out: Annotated[Path, typer.Option(help="The .xml file to write")]
) -> None:
    """Write a MuJoCo model: loops closed by constraints, motors on the drives, at the machine's home pose."""
    from gough.export.mjcf import save_mjcf

    _wrote(save_mjcf(read_machine(machine), out))


@export.command("urdf")
def export_urdf(
    machine: MachineName,
    out: Annotated[
        Path, typer.Option(help="The .urdf file to write; the loops go to a .loops.json beside it")
    ],
    attach: Annotated[
        str | None, typer.Option(help="Leg that carries the platform; floating by default")
    ] = None,
    cross_mass: Annotated[
        float, typer.Option(help="Mass of each link inside a universal or ball joint, kg")
    ] = 0.0,
) -> None:
    """Write a URDF tree: legs as open chains from the base, and the loops to close in a file beside it."""
    from gough.export.urdf import save_urdf

    _wrote(*save_urdf(read_machine(machine), out, attach=attach, cross_mass=cross_mass))


@export.command("sdf")
def export_sdf(
    machine: MachineName, out: Annotated[Path, typer.Option(help="The .sdf file to write")]
) -> None:
    """Write an SDF world: the closed machine with its gravity, at the home pose."""
    from gough.export.sdf import save_sdf

    _wrote(save_sdf(read_machine(machine), out))


def _wrote(*paths: Any) -> None:
    say(*(f"wrote {path}" for path in paths))
