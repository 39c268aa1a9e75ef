"""workspace, limits, size: what a machine can do and what it needs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from gough.checks import InfeasibleError, InputError
from gough.cli.app import app
from gough.cli.console import (
    Json,
    MachineName,
    Samples,
    TimeStep,
    Trajectory,
    answer,
    console,
    make_table,
    read_machine,
    read_motion,
    read_numbers,
    say,
    show_facts,
    write_json,
    write_line,
)


@app.command()
def workspace(
    machine: MachineName,
    rpy: Annotated[str, typer.Option(help="Orientation: roll pitch yaw, deg (default: home)")] = "",
    tilt: Annotated[
        str, typer.Option(help="Also where all of +/- roll pitch yaw can be taken, deg")
    ] = "",
    points: Annotated[int, typer.Option(help="Cells along a side of the grid")] = 100,
    out: Annotated[
        Path | None, typer.Option(help="Folder for workspace.png and workspace.json")
    ] = None,
    as_json: Json = False,
) -> None:
    """Volume and slices of the workspace within strokes, joint cones and leg-leg distance."""
    import numpy as np

    from gough.analysis.workspace import has_limits
    from gough.export.facts import workspace_facts
    from gough.spatial import rotation_from_rpy

    platform = read_machine(machine)
    if not has_limits(platform):
        raise InputError("limits", machine, "has no strokes or cones: its workspace has no bound")
    home = np.eye(3) if platform.home is None else platform.home.rotation
    rotation = rotation_from_rpy(_angles("rpy", rpy)) if rpy else home
    facts = workspace_facts(platform, rotation, _angles("tilt", tilt) if tilt else None, points)
    if out is not None:
        facts["files"] = _write_workspace(platform, rotation, facts, out)
    answer(facts, as_json, _show_workspace)


def _angles(field: str, text: str) -> tuple[float, float, float]:
    from math import radians

    roll, pitch, yaw = read_numbers(field, text, (3,), "must be three angles: roll pitch yaw, deg")
    return radians(roll), radians(pitch), radians(yaw)


def _write_workspace(platform: Any, rotation: Any, facts: dict[str, Any], out: Path) -> list[str]:
    from gough.analysis.volume import slice_profile
    from gough.analysis.workspace import PLANES, workspace_slice
    from gough.export.facts import struts_only
    from gough.report import save_figure, workspace_figure

    out.mkdir(parents=True, exist_ok=True)
    slices = [workspace_slice(platform, rotation, plane=plane, points=161) for plane in PLANES]
    profile = slice_profile(platform, rotation) if struts_only(platform) else None
    figure = save_figure(workspace_figure(slices, profile, platform.name), out / "workspace.png")
    return [str(figure), write_json(facts, out / "workspace.json")]


def _show_workspace(facts: dict[str, Any]) -> None:
    show_facts({name: value for name, value in facts.items() if name not in ("files", "box")})
    say(*(f"wrote {name}" for name in facts.get("files", ())))


@app.command()
def limits(
    machine: MachineName,
    trajectory: Trajectory,
    samples: Samples = None,
    dt: TimeStep = None,
    as_json: Json = False,
) -> None:
    """Compare a motion with the limits of every leg; exit code 3 when one is broken, with the reason."""
    from gough.analysis.envelope import limit_report

    platform = read_machine(machine)
    found = limit_report(platform, read_motion(platform, trajectory, samples, dt))
    answer(found, as_json, _show_limits)
    say(*found["unchecked"])
    if not found["ok"]:
        say(*found["reasons"][1:])
        raise InfeasibleError(found["reasons"][0])


def _show_limits(found: dict[str, Any]) -> None:
    def side(value: float | None) -> str:
        return "-" if value is None else f"{value:.5g}"

    table = make_table("leg", "quantity", "smallest", "largest", "allowed", "margin", "at (s)")
    for row in found["rows"]:
        low, high = row["allowed"]
        allowed = (
            "" if low is None and high is None else f"{side(low)} to {side(high)} {row['unit']}"
        )
        table.add_row(
            row["leg"],
            row["kind"],
            f"{row['min']:.5g}",
            f"{row['max']:.5g} {row['unit']}",
            allowed,
            "" if row["margin"] is None else f"{100 * row['margin']:.1f} %",
            "" if row["time"] is None else f"{row['time']:.4g}",
        )
    console().print(table)


@app.command()
def size(
    machine: MachineName,
    trajectories: Annotated[
        list[str], typer.Argument(help="Motions: papers' paths or .toml, .csv, .nc files")
    ],
    payload: Annotated[
        list[str] | None,
        typer.Option(
            help="MASS or MASS,X,Y,Z (kg, m from the reference point); may be repeated, each one is a case"
        ),
    ] = None,
    samples: Samples = None,
    dt: TimeStep = None,
    as_json: Json = False,
) -> None:
    """Strokes, forces, speeds, powers, motors and joint loads that motions and payloads ask for."""
    from gough.analysis.sizing import size as size_up

    platform = read_machine(machine)
    short = {Path(t).name: t for t in trajectories}
    named = short if len(short) == len(trajectories) else {t: t for t in trajectories}
    motions = {name: read_motion(platform, t, samples, dt) for name, t in named.items()}
    found = size_up(platform, motions, {f"payload {p} kg": _payload(p) for p in payload or ()})
    answer(found.as_dict(), as_json, lambda _: _show_size(platform, found))
    say(*found.overload)


def _show_size(platform: Any, found: Any) -> None:
    from gough.export.tables import actuator_units

    write_line(f"{platform.name or 'platform'}: {', '.join(found.cases)}")
    table = make_table(
        "leg",
        "stroke",
        "peak effort",
        "rms effort",
        "peak speed",
        "peak power",
        "platform joint",
        "base joint",
        "EI against buckling",
    )
    for leg, (unit, effort) in zip(found.legs, actuator_units(platform), strict=True):
        table.add_row(
            leg.name,
            f"{leg.min_length:.4f} to {leg.max_length:.4f} {unit}",
            f"{leg.peak_force:.5g} {effort}",
            f"{leg.rms_force:.5g} {effort}",
            f"{leg.peak_speed:.4g} {unit}/s",
            f"{leg.peak_power:.4g} W",
            f"{leg.joint_force:.5g} N",
            f"{leg.base_joint_force:.5g} N",
            f"{leg.bending_stiffness:.4g} N m²",
        )
    console().print(table)
    if all(leg.drive is None for leg in found.legs):
        return
    table = make_table(
        "motor",
        "peak torque (N m)",
        "rms torque (N m)",
        "peak speed (rpm)",
        "peak power (W)",
        "load/rotor inertia",
        "peak current (A)",
        "rms current (A)",
        "peak voltage (V)",
    )
    for leg in found.legs:
        d = leg.drive
        if d is not None:
            rest = (d.inertia_ratio, d.peak_current, d.rms_current, d.peak_voltage)
            table.add_row(
                leg.name,
                f"{d.peak_torque:.4g}",
                f"{d.rms_torque:.4g}",
                f"{d.peak_speed * 9.549297:.5g}",
                f"{d.peak_power:.4g}",
                *("" if x is None else f"{x:.4g}" for x in rest),
            )
    console().print(table)


def _payload(text: str) -> Any:
    from gough.model import Body

    values = read_numbers("payload", text, (1, 4), "must be MASS or MASS,X,Y,Z in kg and m")
    return Body(values[0], values[1:] or (0.0, 0.0, 0.0))
