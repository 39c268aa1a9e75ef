"""workspace, limits, size: what a machine can do and what it needs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gough.checks import InfeasibleError, InputError
from gough.cli import console
from gough.cli.app import command
from gough.cli.quantities import read_degrees, read_numbers
from gough.cli.warned import far_away


@command()
def workspace(
    machine: str,
    rpy: str = "",
    tilt: str = "",
    points: int = 100,
    out: Path | None = None,
    mesh: Path | None = None,
    quantity: str = "",
    stiffness: str = "",
    actuator: str = "",
    center: str = "",
    as_json: bool = False,
) -> None:
    """Volume and slices of the workspace within strokes, joint cones, leg-leg distance and clearance of bodies.

    How much of it can be moved to from home, and what of that is proved, is said on stderr.
    """
    import numpy as np

    from gough.analysis.workspace import has_limits
    from gough.export.facts import struts_only, workspace_facts
    from gough.export.reachable_facts import reachable_part
    from gough.spatial import rotation_from_rpy

    platform = console.read_machine(machine)
    if not has_limits(platform):
        raise InputError("limits", machine, "has no strokes or cones: its workspace has no bound")
    home = np.eye(3) if platform.home is None else platform.home.rotation
    rotation = rotation_from_rpy(read_degrees("rpy", rpy)) if rpy else home
    turns = read_degrees("tilt", tilt) if tilt else None
    facts = workspace_facts(platform, rotation, turns, points)
    if mesh is not None:
        facts["mesh"] = _write_mesh(platform, rotation, facts, points, mesh)
    if out is not None:
        facts["files"] = _write_workspace(platform, rotation, facts, out)
    if quantity:
        from gough.cli.workspace_map import mapped

        box = None if struts_only(platform) else np.array(facts["box"])
        given = {"stiffness": stiffness, "actuator": actuator, "center": center}
        part = reachable_part(platform, rotation, box, points)
        facts["map"] = mapped(platform, part, quantity, given, out)
    console.answer(facts, as_json, _show_workspace)
    console.say(*facts["judged"])


def _write_workspace(platform: Any, rotation: Any, facts: dict[str, Any], out: Path) -> list[str]:
    from gough.analysis.volume import slice_profile
    from gough.analysis.workspace import PLANES, workspace_slice
    from gough.export.facts import struts_only
    from gough.report import save_figure, workspace_figure

    out.mkdir(parents=True, exist_ok=True)
    slices = [workspace_slice(platform, rotation, plane=plane, points=161) for plane in PLANES]
    profile = slice_profile(platform, rotation) if struts_only(platform) else None
    figure = save_figure(workspace_figure(slices, profile, platform.name), out / "workspace.png")
    return [str(figure), console.write_json(facts, out / "workspace.json")]


def _write_mesh(
    platform: Any, rotation: Any, facts: dict[str, Any], points: int, path: Path
) -> dict[str, Any]:
    """The surface of what is proved reachable; of what is found so where nothing is proved."""
    import numpy as np

    from gough.export.facts import struts_only
    from gough.export.meshes import save_mesh
    from gough.export.reachable_facts import reachable_part

    box = None if struts_only(platform) else np.array(facts["box"])
    part = reachable_part(platform, rotation, box, points)
    if isinstance(part, str):
        raise InfeasibleError(part)
    proved = part.proved is None
    surface = part.surface(proved)
    save_mesh(surface, path)
    return {"file": str(path), "volume_m3": surface.volume, "proved": proved}


def _show_workspace(facts: dict[str, Any]) -> None:
    apart = ("files", "box", "judged", "mesh", "map")
    console.show_facts({name: value for name, value in facts.items() if name not in apart})
    console.say(*(f"wrote {name}" for name in facts.get("files", ())))
    if "mesh" in facts:
        word = "proved reachable" if facts["mesh"]["proved"] else "found reachable, not proved"
        console.say(f"wrote {facts['mesh']['file']}: the surface of what is {word}")
    if "map" in facts:
        console.say(facts["map"]["judged"], *(f"wrote {name}" for name in facts["map"]["files"]))


@command()
def limits(
    machine: str,
    trajectory: str,
    samples: int | None = None,
    dt: float | None = None,
    as_json: bool = False,
) -> None:
    """Compare a motion with the limits of every leg; exit code 3 when one is broken, with the reason.

    What is proved at every instant and what is only sampled is said on stderr.
    """
    from gough.analysis.envelope import limit_report
    from gough.analysis.proved import proved_limits

    platform = console.read_machine(machine)
    path = console.read_path(platform, trajectory)
    console.warn(*far_away(platform, path.sample(), f"the motion {Path(trajectory).name}"))
    if samples is None and dt is None:
        found = limit_report(platform, path)
    else:
        proof = proved_limits(platform, path)
        found = limit_report(platform, path.sample(samples, dt), proof=proof)
    console.answer(found, as_json, _show_limits)
    console.say(*found["unchecked"], *found["judged"])
    if not found["ok"]:
        console.say(*found["reasons"][1:])
        raise InfeasibleError(found["reasons"][0])


_LIMIT = {
    "leg": "{leg}",
    "quantity": "{kind}",
    "smallest": "{min:.5g}",
    "largest": "{max:.5g} {unit}",
    "allowed": "{allowed}",
    "margin": "{margin}",
    "at (s)": "{time}",
}


def _show_limits(found: dict[str, Any]) -> None:
    def row(given: dict[str, Any]) -> dict[str, Any]:
        low, high = ("-" if x is None else f"{x:.5g}" for x in given["allowed"])
        margin, time = given["margin"], given["time"]
        return given | {
            "allowed": "" if low == high == "-" else f"{low} to {high} {given['unit']}",
            "margin": "" if margin is None else f"{100 * margin:.1f} %",
            "time": "" if time is None else f"{time:.4g}",
        }

    console.show_table(_LIMIT, map(row, found["rows"]))


@command()
def size(
    machine: str,
    trajectories: list[str],
    payload: list[str] | None = None,
    samples: int | None = None,
    dt: float | None = None,
    catalogue: Path | None = None,
    life: float | None = None,
    as_json: bool = False,
) -> None:
    """Strokes, forces, speeds, powers, motors and joint loads that motions and payloads ask for.

    With a catalogue: which of its motors, gears and screws carry the machine through them, exit code 3 when none does.
    """
    from gough.analysis.sizing import size as size_up
    from gough.cli.drives import choices, need_one, show_choices
    from gough.export.tables import actuator_units
    from gough.links import links

    platform = console.read_machine(machine)
    short = {Path(t).name: t for t in trajectories}
    named = short if len(short) == len(trajectories) else {t: t for t in trajectories}
    paths = {name: console.read_path(platform, t) for name, t in named.items()}
    even = samples is not None or dt is not None
    motions = {name: p.sample(samples, dt) if even else p for name, p in paths.items()}
    for name, path in paths.items():
        console.warn_along(platform, path.sample(samples, dt), name)
    loads = {f"payload {p} kg": _payload(p) for p in payload or ()}
    found = size_up(platform, motions, loads)
    units = actuator_units(platform)
    facts = found.as_dict()
    for leg, i in zip(facts["legs"], links(platform).driven.tolist(), strict=True):
        leg["length_unit"], leg["force_unit"] = units[i]
    chosen = {} if catalogue is None else choices(platform, motions, loads, catalogue, life)
    if catalogue is not None:
        facts["drives"] = {case: choice.as_dict() for case, choice in chosen.items()}

    def show(_: Any) -> None:
        _show_size(platform, found)
        show_choices(chosen)

    console.answer(facts, as_json, show)
    console.say(*found.judged, *found.overload)
    need_one(chosen)


_SIZE = {
    "leg": "{name}",
    "stroke": "{min_length:.4f} to {max_length:.4f} {unit}",
    "peak effort": "{peak_force:.5g} {effort}",
    "rms effort": "{rms_force:.5g} {effort}",
    "peak speed": "{peak_speed:.4g} {unit}/s",
    "peak power": "{peak_power:.4g} W",
    "platform joint": "{joint_force:.5g} N",
    "base joint": "{base_joint_force:.5g} N",
    "EI against buckling": "{bending_stiffness:.4g} N m²",
}
_MOST = {
    "at most, proved": "{name}",
    "length": "{least_length:.4f} to {most_length:.4f} {unit}",
    "effort": "{force:.5g} {effort}",
    "speed": "{speed:.4g} {unit}/s",
    "acceleration": "{acceleration:.4g} {unit}/s²",
    "power": "{power:.4g} W",
    "braking": "{braking:.4g} W",
}
_MOTOR = {
    "motor": "{name}",
    "peak torque (N m)": "{peak_torque:.4g}",
    "rms torque (N m)": "{rms_torque:.4g}",
    "peak speed (rpm)": "{rpm:.5g}",
    "peak power (W)": "{peak_power:.4g}",
    "load/rotor inertia": "{inertia_ratio}",
    "peak current (A)": "{peak_current}",
    "rms current (A)": "{rms_current}",
    "peak voltage (V)": "{peak_voltage}",
}


def _show_size(platform: Any, found: Any) -> None:
    from gough.export.tables import actuator_units
    from gough.links import links

    console.write_line(f"{platform.name or 'platform'}: {', '.join(found.cases)}")
    units = actuator_units(platform)
    driven = [units[i] for i in links(platform).driven.tolist()]
    legs = zip(found.legs, driven, strict=True)
    console.show_table(_SIZE, (vars(leg) | {"unit": u, "effort": e} for leg, (u, e) in legs))
    if found.most:
        names = [
            {"name": leg.name, "unit": u, "effort": e}
            for leg, (u, e) in zip(found.legs, driven, strict=True)
        ]
        rows = zip(found.most, names, strict=True)
        console.show_table(_MOST, (vars(bounds) | name for bounds, name in rows))
    motors = [_motor_row(leg) for leg in found.legs if leg.drive is not None]
    if motors:
        console.show_table(_MOTOR, motors)


def _motor_row(leg: Any) -> dict[str, Any]:
    known = vars(leg.drive)
    optional = ("inertia_ratio", "peak_current", "rms_current", "peak_voltage")
    told = {k: "" if known[k] is None else f"{known[k]:.4g}" for k in optional}
    return known | told | {"name": leg.name, "rpm": leg.drive.peak_speed * 9.549297}


def _payload(text: str) -> Any:
    from gough.model import Body

    said = "must be MASS or MASS,X,Y,Z in kg and m"
    values = read_numbers("payload", text, (1, 4), said, ("mass", *("length",) * 3))
    return Body(values[0], values[1:] or (0.0, 0.0, 0.0))
