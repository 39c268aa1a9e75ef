"""ik, travel: can the platform go there, what do the legs do there, and how far does each axis go."""

from __future__ import annotations

from math import degrees, pi
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gough.checks import InfeasibleError, InputError
from gough.cli import console
from gough.cli.app import command
from gough.cli.quantities import MILLIMETERS, PLAIN, read_numbers, read_point
from gough.cli.warned import far_away, many_turns, outside

if TYPE_CHECKING:
    from gough.model import Frames, Platform
    from gough.spatial import Pose


@command()
def ik(
    machine: str,
    pose: str,
    start: str | None = None,
    convention: str | None = None,
    pivot: str | None = None,
    work: str | None = None,
    tool: str | None = None,
    mm: bool = False,
    as_json: bool = False,
) -> None:
    """Inverse kinematics: actuator coordinates of a pose, and can it be moved to; exit code 3 when it cannot."""
    import gough

    platform = console.read_machine(machine)
    frames = asked_frames(platform, convention, pivot, work, tool, mm)
    begin = None if start is None else entered_pose("start", start, frames, mm)
    wanted = entered_pose("pose", pose, frames, mm)
    console.warn(*far_away(platform, wanted))
    found = gough.reach(platform, wanted, start=begin)
    console.answer(_ik_facts(platform, frames, found), as_json, _show_ik)
    if found.reachable is False:
        raise InfeasibleError(found.sentences[0])


def _ik_facts(platform: Platform, frames: Frames, found: Any) -> dict[str, Any]:
    from gough.export.tables import actuator_units
    from gough.kinematics.encoders import reading_units

    units = [unit for unit, _ in actuator_units(platform)]
    columns = found.coordinate, found.reading, found.margin, units, reading_units(platform)
    legs = [
        {
            "name": name,
            "coordinate": _number(x),
            "unit": unit,
            "reading": _number(shown),
            "reading_unit": shown_unit,
            "margin": _number(margin),
        }
        for name, x, shown, margin, unit, shown_unit in zip(
            platform.leg_names, *columns, strict=True
        )
    ]
    return {
        "machine": platform.name,
        "reachable": found.reachable,
        "within_limits": found.within,
        "sentences": list(found.sentences),
        "position": found.pose.position.tolist(),
        "rpy": found.pose.rpy.tolist(),
        "quaternion": found.pose.quaternion.tolist(),
        **entered(frames, found.pose),
        "way": None if found.way is None else {"free": found.way.free, "whole": found.way.whole},
        "legs": legs,
    }


def _number(x: float) -> float | None:
    """None where there is none: JSON has no NaN."""
    return float(x) if x == x else None


def entered(frames: Frames, pose: Pose) -> dict[str, Any]:
    """The numbers of a pose in these frames, and their convention."""
    position, angles = frames.numbers(pose)
    return {
        "entered": [*position.tolist(), *angles.tolist()],
        "convention": frames.convention,
    }


_VERDICT = {
    True: "reachable, proved",
    False: "not reachable",
    None: "within its limits; not proved that it can be moved to",
}
_LEG = {
    "leg": "{name}",
    "coordinate": "{coordinate} {unit}",
    "reading": "{reading} {reading_unit}",
    "margin": "{margin}",
}


def _show_ik(facts: dict[str, Any]) -> None:
    def row(leg: dict[str, Any]) -> dict[str, Any]:
        told = {
            name: "-" if leg[name] is None else f"{leg[name]:.9g}"
            for name in ("coordinate", "reading")
        }
        margin = leg["margin"]
        return leg | told | {"margin": "" if margin is None else f"{100 * margin:.1f} %"}

    console.show_facts(
        {
            "position": f"{console.numbers(facts['position'])} m",
            "roll pitch yaw": f"{console.numbers(facts['rpy'])} rad",
            "as entered": f"{console.numbers(facts['entered'])} ({facts['convention']})",
        }
    )
    console.show_table(_LEG, map(row, facts["legs"]))
    console.write_line(_VERDICT[facts["reachable"]])
    for sentence in facts["sentences"]:
        console.write_line(f"- {sentence}")


@command()
def travel(
    machine: str,
    pose: str | None = None,
    convention: str | None = None,
    pivot: str | None = None,
    work: str | None = None,
    tool: str | None = None,
    mm: bool = False,
    figure: Path | None = None,
    as_json: bool = False,
) -> None:
    """How far each of the six axes goes while the others stay, and what stops it."""
    import gough

    platform = console.read_machine(machine)
    frames = asked_frames(platform, convention, pivot, work, tool, mm)
    at = None if pose is None else entered_pose("pose", pose, frames, mm)
    if at is not None:
        console.warn(*outside(platform, at))
    found = gough.travel(platform, at, frames=frames)
    if figure is not None:
        from gough.report import save_figure, travel_figure

        drawn = travel_figure(found, platform.name)
        console.say(f"wrote {save_figure(drawn, figure)}")
    console.answer(_travel_facts(platform, found), as_json, _show_travel)
    console.say(*found.unchecked)


def _travel_facts(platform: Platform, found: Any) -> dict[str, Any]:
    axes = [
        {
            "name": name,
            "unit": "m" if k < 3 else "rad",
            **{
                side: {
                    "travel": float(values[k]),
                    "stopped_by": found.reason(k, up),
                    "kinds": [stop.kind for stop in found.ends[k][up].stops],
                    "within": _number(found.within[k, int(up)]),
                    "proved": found.ends[k][up].settled,
                }
                for side, values, up in (("down", found.low, False), ("up", found.high, True))
            },
        }
        for k, name in enumerate(found.names)
    ]
    return {
        "machine": platform.name,
        "position": found.pose.position.tolist(),
        "rpy": found.pose.rpy.tolist(),
        "entered": found.entered.tolist(),
        "convention": found.frames.convention,
        "pivot": found.frames.turning_point(found.pose).tolist(),
        "proved": found.proved,
        "unchecked": list(found.unchecked),
        "axes": axes,
    }


_AXIS = {
    "axis": "{name}",
    "down": "{down}",
    "stopped by": "{why_down}",
    "up": "{up}",
    "stopped by ": "{why_up}",
}


def _show_travel(facts: dict[str, Any]) -> None:
    def far(value: float, unit: str) -> str:
        return f"{1e3 * value + 0.0:.4f} mm" if unit == "m" else f"{degrees(value) + 0.0:.4f}°"

    def row(axis: dict[str, Any]) -> dict[str, Any]:
        return {
            "name": axis["name"],
            **{side: far(axis[side]["travel"], axis["unit"]) for side in ("down", "up")},
            **{f"why_{side}": axis[side]["stopped_by"] for side in ("down", "up")},
        }

    console.show_table(_AXIS, map(row, facts["axes"]))
    turns = f"turns about {console.numbers(facts['pivot'])} m (world)"
    console.write_line(f"from {console.numbers(facts['entered'])} ({facts['convention']}); {turns}")
    open_ = [a["name"] for a in facts["axes"] if not all(a[s]["proved"] for s in ("down", "up"))]
    if facts["unchecked"]:
        console.write_line("proved only for the limits that could be checked")
    elif facts["proved"]:
        console.write_line("every end is proved")
    if open_:
        console.write_line(f"not proved: {', '.join(open_)}")


def asked_frames(
    platform: Platform,
    convention: str | None,
    pivot: str | None,
    work: str | None,
    tool: str | None,
    mm: bool,
) -> Frames:
    """The machine's frames with what the options change; angles of work and tool in the convention."""
    from gough.model import Frames

    own = platform.frames if convention is None else platform.frames.replace(convention=convention)
    plain, changes = Frames(convention=own.convention), {}
    for name, text in (("work", work), ("tool", tool)):
        if text is not None:
            changes[name] = entered_pose(name, text, plain, mm)
    if pivot is not None:
        changes["pivot"] = read_point("pivot", pivot, mm)
    return own.replace(**changes)


def entered_pose(field: str, text: str, frames: Frames, mm: bool) -> Pose:
    """A pose as entered: x y z and the numbers of the convention."""
    four = frames.convention == "quaternion"
    kinds = ("length",) * 3 + (("pure number",) * 4 if four else ("angle",) * 3)
    count = len(kinds)
    allowed = f'must be {count} numbers in one argument: x y z, then {frames.convention}, as "0 0 0.6 0 0 0.1"'
    values = read_numbers(field, text, (count,), allowed, kinds, MILLIMETERS if mm else PLAIN)
    if max(map(abs, values[3:])) > 100 * pi:
        raise InputError(field, text, "angles are rad (with --mm: degrees)")
    if not four:
        console.warn(*many_turns(field, values[3:]))
    return frames.pose(values[:3], values[3:])
