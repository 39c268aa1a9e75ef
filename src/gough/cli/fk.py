"""fk, modes: from actuator coordinates to the pose nearby, and to every possible pose."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gough.checks import InfeasibleError
from gough.cli.app import app
from gough.cli.console import (
    Json,
    MachineName,
    answer,
    console,
    make_table,
    numbers,
    read_machine,
    read_numbers,
    say,
    show_facts,
    write_line,
)

if TYPE_CHECKING:
    from gough.checks import Array
    from gough.kinematics.assembly import AssemblyModes
    from gough.model import Platform
    from gough.spatial import Pose

SIX = "six numbers in one argument, m (rad for cranks)"


@app.command()
def fk(
    machine: MachineName,
    lengths: Annotated[str, typer.Argument(help=f"Actuator coordinates: {SIX}")],
    guess: Annotated[
        str | None,
        typer.Option(
            help="Pose nearby, x y z (m) and roll pitch yaw (rad); default: the machine's home"
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Forward kinematics: the pose near a guess with the given actuator coordinates."""
    from gough.kinematics.forward import forward_kinematics, track

    platform, _ = _machine(machine)
    values, start = _six("lengths", lengths), None if guess is None else _pose("guess", guess)
    result = forward_kinematics(platform, values, start)
    if not result.success:
        raise InfeasibleError(_why(platform, values, result.status))
    straight = track(platform, [values], start)
    same = bool(straight.straight[0] and abs(straight.flat[0] - result.flat).max() < 1e-6)
    facts = {
        "machine": platform.name,
        "status": result.status.value,
        "iterations": int(result.iterations),
        "residual": float(result.residual),
        "certified": bool(result.certified),
        "straight": same,
        **_describe(result.pose),
    }
    answer(facts, as_json, _show_pose)


def _show_pose(facts: dict[str, Any]) -> None:
    show_facts(
        {
            "position": f"{numbers(facts['position'])} m",
            "roll pitch yaw": f"{numbers(facts['rpy'])} rad",
            "residual": f"{facts['residual']:.1e} m after {facts['iterations']} iterations",
            "branch": _branch(facts),
        }
    )


def _why(platform: Platform, values: list[float], status: Any) -> str:
    from gough.kinematics.assembly import explain
    from gough.status import UNREACHABLE

    if status == UNREACHABLE:
        return status.value
    return f"{status.value} ({explain(platform, values)})"


def _branch(facts: dict[str, Any]) -> str:
    if facts["certified"]:
        return "proved: the one pose connected to the guess, whatever the legs do in between"
    if facts["straight"]:
        return "proved for a straight motion of the legs from the guess: connected, no singularity on the way"
    return "not proved: a straight motion of the legs from the guess meets a singularity, or nearly"


@app.command()
def modes(
    machine: Annotated[str, typer.Argument(help="Preset, machine file (.toml), or dietmaier-1998")],
    lengths: Annotated[
        str | None, typer.Argument(help=f"Actuator coordinates: {SIX}; default: at home")
    ] = None,
    pose: Annotated[
        str | None,
        typer.Option(help="Take the coordinates of this pose: x y z (m), roll pitch yaw (rad)"),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--filter", help="Keep what the machine can do: stroke, cones, above, crossings, branch"
        ),
    ] = None,
    aspects: Annotated[
        bool, typer.Option("--aspects", help="Which modes connect without a singularity")
    ] = False,
    figure: Annotated[Path | None, typer.Option(help="Draw every mode: .png, .svg or .pdf")] = None,
    gallery: Annotated[
        Path | None, typer.Option(help="A page with every mode to turn by hand: .html")
    ] = None,
    as_json: Json = False,
) -> None:
    """Assembly modes: every pose with the given actuator coordinates."""
    from gough.kinematics.assembly import assembly_modes

    platform, known = _machine(machine)
    length = _coordinates(platform, known, lengths, pose)
    found = assembly_modes(platform, length, only or ())
    group = None
    if aspects and len(found):
        from gough.analysis.aspects import aspects as connect

        group = connect(platform, found.poses)
    labels = None if group is None else group.label
    _draw(platform, found, labels, figure, gallery)
    facts = _facts(platform, length, found)
    if group is not None:
        for entry, label, sign in zip(facts["modes"], group.label, group.sign, strict=True):
            entry["aspect"], entry["determinant_sign"] = int(label), int(sign)
        facts["open_pairs"] = int(group.open.sum() // 2)
    answer(facts, as_json, _show)
    if not len(found):
        raise InfeasibleError(f"no real pose has these coordinates: {found.reason}")


def _machine(name: str) -> tuple[Platform, Array | None]:
    """The machine, and the lengths an example is known for."""
    from gough.kinematics.assembly.examples import EXAMPLES, example

    return example(name) if name in EXAMPLES else (read_machine(name), None)


def _coordinates(
    platform: Platform, known: Array | None, lengths: str | None, pose: str | None
) -> Any:
    from gough.kinematics.forward import actuator_coordinates

    if lengths is not None:
        return _six("lengths", lengths)
    if pose is None and known is not None:
        return known
    there = platform.require_home() if pose is None else _pose("pose", pose)
    values = actuator_coordinates(platform, there)
    if (values != values).any():  # NaN: out of reach
        raise InfeasibleError("a leg cannot reach this pose")
    return values


def _six(field: str, text: str) -> list[float]:
    return read_numbers(
        field, text, (6,), 'must be six numbers in one argument, as "0.6 0.6 0.6 0.6 0.6 0.6"'
    )


def _pose(field: str, text: str) -> Pose:
    from gough.spatial import Pose

    values = _six(field, text)
    return Pose.from_rpy(values[:3], values[3:])


def _describe(pose: Pose) -> dict[str, list[float]]:
    return {
        "position": pose.position.tolist(),
        "rpy": pose.rpy.tolist(),
        "quaternion": pose.quaternion.tolist(),
    }


def _draw(
    platform: Platform, found: AssemblyModes, labels: Any, figure: Path | None, gallery: Path | None
) -> None:
    from gough import report

    if figure is not None:
        say(f"wrote {report.save_figure(report.modes_figure(platform, found, labels), figure)}")
    if gallery is not None:
        say(f"wrote {report.write_gallery(gallery, platform, found, labels)}")


def _facts(platform: Platform, length: Any, found: AssemblyModes) -> dict[str, Any]:
    return {
        "machine": platform.name,
        "coordinates": [float(x) for x in length],
        "real": len(found),
        "count": found.count,
        "expected": found.expected,
        "complete": found.complete,
        "certified": found.certified,
        "reason": found.reason,
        "removed": found.removed,
        "at_infinity": found.at_infinity,
        "clusters": [
            {
                "multiplicity": c.multiplicity,
                "spread": c.spread,
                "pose": None if c.pose is None else _describe(c.pose),
            }
            for c in found.clusters
        ],
        "modes": [
            {
                **_describe(found.poses[k]),
                "residual": float(found.residual[k]),
                "on_branch": bool(found.on_branch[k]),
            }
            for k in range(len(found))
        ],
    }


def _show(facts: dict[str, Any]) -> None:
    grouped = any("aspect" in mode for mode in facts["modes"])
    table = make_table(
        "mode",
        "position (m)",
        "roll pitch yaw (rad)",
        "residual (m)",
        *(["aspect"] if grouped else []),
    )
    for k, mode in enumerate(facts["modes"], 1):
        more = (
            [f"{mode['aspect'] + 1} ({'+' if mode['determinant_sign'] > 0 else '-'})"]
            if grouped
            else []
        )
        table.add_row(
            str(k),
            numbers(mode["position"]),
            numbers(mode["rpy"]),
            f"{mode['residual']:.1e}",
            *more,
        )
    console().print(table)
    poses = "1 real pose" if facts["real"] == 1 else f"{facts['real']} real poses"
    write_line(f"{poses}; {facts['reason']}")
    write_line(
        "complete: no pose is missing"
        if facts["complete"]
        else "not complete: poses may be missing"
    )
    for name, n in facts["removed"].items():
        write_line(f"{n} removed by {name}")
    for cluster in facts["clusters"]:
        write_line(f"singular: {cluster['multiplicity']} solutions merge")
