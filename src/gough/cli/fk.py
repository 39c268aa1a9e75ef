"""fk, modes: from actuator coordinates to the pose nearby, and to every possible pose."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from gough.checks import InfeasibleError
from gough.cli import console
from gough.cli.app import command
from gough.cli.quantities import actuator_dimensions, read_numbers
from gough.cli.warned import many_turns, outside

if TYPE_CHECKING:
    from gough.checks import Array
    from gough.kinematics.assembly import AssemblyModes
    from gough.model import Platform
    from gough.spatial import Pose


@command()
def fk(
    machine: str,
    lengths: str,
    guess: str | None = None,
    readings: bool = False,
    as_json: bool = False,
) -> None:
    """Forward kinematics: the pose near a guess with the given actuator coordinates."""
    from gough.kinematics.forward import forward_kinematics

    platform, _ = _machine(machine)
    values = _six(platform, lengths, readings)
    start = None if guess is None else _pose(platform, "guess", guess)
    if readings:
        from gough.kinematics.encoders import from_readings

        values = from_readings(platform, values).tolist()
    result = forward_kinematics(platform, values, start, engine="auto")
    if not result.success:
        raise InfeasibleError(_why(platform, values, result.status))
    facts = {
        "machine": platform.name,
        "status": result.status.value,
        "iterations": int(result.iterations),
        "residual": float(result.residual),
        "certified": bool(result.certified),
        "straight": bool(result.straight),
        **_describe(result.pose),
    }
    console.warn(*outside(platform, result.pose, "the pose found"))
    position, angles = platform.frames.numbers(result.pose)
    facts["entered"] = [*position.tolist(), *angles.tolist()]
    facts["convention"] = platform.frames.convention
    console.answer(facts, as_json, _show_pose)


def _show_pose(facts: dict[str, Any]) -> None:
    console.show_facts(
        {
            "position": f"{console.numbers(facts['position'])} m",
            "roll pitch yaw": f"{console.numbers(facts['rpy'])} rad",
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


@command()
def modes(
    machine: str,
    lengths: str | None = None,
    pose: str | None = None,
    only: list[str] | None = None,
    aspects: bool = False,
    figure: Path | None = None,
    gallery: Path | None = None,
    as_json: bool = False,
) -> None:
    """Assembly modes: every pose with the given actuator coordinates."""
    from gough.kinematics.assembly import assembly_modes

    platform, known = _machine(machine)
    length = _coordinates(platform, known, lengths, pose)
    found = assembly_modes(platform, length, only or ())
    group = None
    if aspects and len(found):
        from gough.kinematics.aspects import aspects as connect

        group = connect(platform, found.poses)
    labels = None if group is None else group.label
    _draw(platform, found, labels, figure, gallery)
    facts = _facts(platform, length, found)
    if group is not None:
        for entry, label, sign in zip(facts["modes"], group.label, group.sign, strict=True):
            entry["aspect"], entry["determinant_sign"] = int(label), int(sign)
        facts["open_pairs"] = int(group.open.sum() // 2)
    console.answer(facts, as_json, _show)
    if not len(found):
        raise InfeasibleError(f"no real pose has these coordinates: {found.reason}")


def _machine(name: str) -> tuple[Platform, Array | None]:
    """The machine, and the lengths an example is known for."""
    from gough.kinematics.assembly.examples import EXAMPLES, example

    return example(name) if name in EXAMPLES else (console.read_machine(name), None)


def _coordinates(
    platform: Platform, known: Array | None, lengths: str | None, pose: str | None
) -> Any:
    from gough.kinematics.forward import actuator_coordinates

    if lengths is not None:
        return _six(platform, lengths)
    if pose is None and known is not None:
        return known
    there = platform.require_home() if pose is None else _pose(platform, "pose", pose)
    values = actuator_coordinates(platform, there)
    if (values != values).any():  # NaN: out of reach
        raise InfeasibleError("a leg cannot reach this pose")
    return values


def _six(platform: Platform, text: str, readings: bool = False) -> list[float]:
    """Coordinates of the actuators; what encoders show has units of its own, and comes bare."""
    said = 'must be six numbers in one argument, as "0.6 0.6 0.6 0.6 0.6 0.6"'
    kinds = () if readings else actuator_dimensions(platform, "length", "angle")
    return read_numbers("lengths", text, (6,), said, kinds)


def _pose(platform: Platform, field: str, text: str) -> Pose:
    from gough.spatial import Pose

    said = 'must be six numbers in one argument: x y z roll pitch yaw, as "0 0 0.6 0 0 0.1"'
    values = read_numbers(field, text, (6,), said, ("length",) * 3 + ("angle",) * 3)
    console.warn(*many_turns(field, values[3:]))
    pose = Pose.from_rpy(values[:3], values[3:])
    console.warn(*outside(platform, pose, f"the {field}" if field != "pose" else "the pose"))
    return pose


def _describe(pose: Pose | None) -> Any:
    names = ("position", "rpy", "quaternion")
    return None if pose is None else {name: getattr(pose, name).tolist() for name in names}


def _draw(
    platform: Platform, found: AssemblyModes, labels: Any, figure: Path | None, gallery: Path | None
) -> None:
    from gough import report

    if figure is not None:
        console.say(
            f"wrote {report.save_figure(report.modes_figure(platform, found, labels), figure)}"
        )
    if gallery is not None:
        console.say(f"wrote {report.write_gallery(gallery, platform, found, labels)}")


def _facts(platform: Platform, length: Any, found: AssemblyModes) -> dict[str, Any]:
    told = ("count", "expected", "complete", "certified", "reason", "removed", "at_infinity")
    return {
        "machine": platform.name,
        "coordinates": [float(x) for x in length],
        "real": len(found),
        **{name: getattr(found, name) for name in told},
        "clusters": [
            {"multiplicity": c.multiplicity, "spread": c.spread, "pose": _describe(c.pose)}
            for c in found.clusters
        ],
        "modes": [
            {**_describe(found.poses[k]), "residual": float(r), "on_branch": bool(right)}
            for k, (r, right) in enumerate(zip(found.residual, found.on_branch, strict=True))
        ],
    }


_MODE = {
    "mode": "{number}",
    "position (m)": "{position}",
    "roll pitch yaw (rad)": "{rpy}",
    "residual (m)": "{residual:.1e}",
}


def _show(facts: dict[str, Any]) -> None:
    rows = [
        mode
        | {
            "number": k,
            "position": console.numbers(mode["position"]),
            "rpy": console.numbers(mode["rpy"]),
        }
        for k, mode in enumerate(facts["modes"], 1)
    ]
    grouped = any("aspect" in row for row in rows)
    for row in rows if grouped else ():
        row["group"] = f"{row['aspect'] + 1} ({'?+-'[row['determinant_sign']]})"
    console.show_table(_MODE | ({"aspect": "{group}"} if grouped else {}), rows)
    poses = "1 real pose" if facts["real"] == 1 else f"{facts['real']} real poses"
    console.write_line(f"{poses}; {facts['reason']}")
    missing = "complete: no pose is missing", "not complete: poses may be missing"
    console.write_line(missing[not facts["complete"]])
    for name, n in facts["removed"].items():
        console.write_line(f"{n} removed by {name}")
    for cluster in facts["clusters"]:
        console.write_line(f"singular: {cluster['multiplicity']} solutions merge")
