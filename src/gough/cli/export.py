"""export: a machine for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from gough.checks import InputError
from gough.cli.app import app, command
from gough.cli.console import answer, read_machine, read_motion, say

export = typer.Typer(no_args_is_help=True, help="Write a machine for other programs.")
app.add_typer(export, name="export")


@command("c", export)
def export_c(
    machine: str,
    out: Path,
    name: str | None = None,
    precision: str = "double",
    parameters: str = "baked",
    iterations: int = 40,
    functions: str = "id,ik,fk",
    compact: bool = False,
    angles: str = "rpy",
    drives: bool = True,
    integrator: str = "rk4",
    as_json: bool = False,
) -> None:
    """Write dependency-free C99: kinematics and dynamics both ways, the machine as a plant, limits, servos."""
    from gough.export.c_code import c_project

    if parameters not in ("baked", "struct"):
        raise InputError("parameters", parameters, "must be baked or struct")
    project = c_project(
        read_machine(machine),
        name=name,
        precision=precision,
        baked=parameters == "baked",
        iterations=iterations,
        functions=[word.strip() for word in functions.split(",") if word.strip()],
        compact=compact,
        angles=angles,
        drives=drives,
        integrator=integrator,
    )
    files = [str(path) for path in project.write(out)]
    answer({"name": project.name, "files": files}, as_json, lambda found: _wrote(*found["files"]))


@command("host", export)
def export_host(
    machine: str,
    host: str,
    out: Path,
    name: str | None = None,
    drives: bool = True,
    integrator: str = "rk4",
) -> None:
    """Write C and the program around it: simulink (S-function), arduino (sketch) or linuxcnc (kinematics module)."""
    from gough.export.c_hosts import host_project

    options = {"drives": drives, "integrator": integrator}
    _wrote(*host_project(read_machine(machine), host, name=name, **options).write(out))


@command("fmu", export)
def export_fmu(
    machine: str,
    out: Path,
    block: str = "plant",
    fmi: str = "2.0",
    name: str | None = None,
    step: float = 1e-3,
    drives: bool = True,
    integrator: str = "rk4",
) -> None:
    """Write an FMU, model exchange and co-simulation: plant, inverse dynamics, inverse kinematics, linear."""
    from gough.export.fmu import write_fmu

    options = {"step": step, "drives": drives, "integrator": integrator}
    _wrote(write_fmu(read_machine(machine), out, block=block, version=fmi, name=name, **options))


@command("mjcf", export)
def export_mjcf(
    machine: str,
    out: Path,
    friction: str = "joints",
    visuals: bool = True,
    collisions: bool = False,
) -> None:
    """Write a MuJoCo model: loops closed by constraints, motors on the drives, at the machine's home pose."""
    from gough.export.mjcf import save_mjcf

    shown: dict[str, Any] = {"visuals": visuals, "collisions": collisions}
    _wrote(save_mjcf(read_machine(machine), out, friction=friction, **shown))


@command("urdf", export)
def export_urdf(
    machine: str,
    out: Path,
    attach: str | None = None,
    cross_mass: float = 0.0,
    visuals: bool = True,
    collisions: bool = False,
    ros2_control: bool = False,
) -> None:
    """Write a URDF tree: legs as open chains from the base, and the loops to close in a file beside it."""
    from gough.export.urdf import save_urdf

    shown: dict[str, Any] = {"visuals": visuals, "collisions": collisions}
    more: dict[str, Any] = {"cross_mass": cross_mass, "ros2_control": ros2_control, **shown}
    _wrote(*save_urdf(read_machine(machine), out, attach=attach, **more))


@command("sdf", export)
def export_sdf(machine: str, out: Path, visuals: bool = True, collisions: bool = False) -> None:
    """Write an SDF world: the closed machine with its gravity, at the home pose."""
    from gough.export.sdf import save_sdf

    shown: dict[str, Any] = {"visuals": visuals, "collisions": collisions}
    _wrote(save_sdf(read_machine(machine), out, **shown))


@command("mesh", export)
def export_mesh(machine: str, out: Path, pose: str | None = None, mm: bool = False) -> None:
    """Write a drawing of the machine in triangles, at home or at a pose: .glb (parts, joints) or .stl."""
    from gough.cli.places import entered_pose
    from gough.export.machine_meshes import save_machine

    platform = read_machine(machine)
    at = None if pose is None else entered_pose("pose", pose, platform.frames, mm)
    _wrote(save_machine(platform, out, at))


@command("joints", export)
def export_joints(
    machine: str,
    trajectory: str,
    out: Path,
    form: str = "urdf",
    attach: str | None = None,
    dt: float | None = None,
    samples: int | None = None,
) -> None:
    """Write what the joints of the exported tree read along a trajectory, as CSV under the joints' names."""
    from gough.export.joint_readings import joint_table
    from gough.export.tables import write_csv

    platform = read_machine(machine)
    motion = read_motion(platform, trajectory, samples, dt)
    _wrote(write_csv(joint_table(platform, motion, form=form, attach=attach), out))


def _wrote(*paths: Any) -> None:
    say(*(f"wrote {path}" for path in paths))
