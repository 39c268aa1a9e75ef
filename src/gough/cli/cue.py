"""cue: a machine and a vehicle's telemetry in, the machine's motion out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gough.checks import InfeasibleError, InputError
from gough.cli import console
from gough.cli.app import command
from gough.cli.quantities import read_numbers

EXAMPLE = "example"  # in place of a file: the made-up drive


@command()
def cue(
    machine: str,
    telemetry: Path,
    out: Path,
    method: str = "classical",
    scale: str = "1",
    parameters: list[str] | None = None,
    as_json: bool = False,
) -> None:
    """Motion cueing: make the machine feel like a vehicle, within its strokes (exit code 3 where they do not hold)."""
    from gough.cueing.example import example_drive
    from gough.cueing.making import cue as make
    from gough.cueing.making import method_of
    from gough.cueing.recording import load_telemetry
    from gough.report.cues import cue_facts, write_cue

    platform = console.read_machine(machine)
    made_up = str(telemetry) == EXAMPLE and not telemetry.is_file()
    vehicle = example_drive() if made_up else load_telemetry(telemetry)
    factor = None if scale == "auto" else _factor(scale)
    law = method_of(method, dict(_parameter(text) for text in parameters or ()))
    found = make(platform, vehicle, law, scale=factor)
    files = write_cue(platform, found, out)
    facts = cue_facts(platform, found, method) | {"files": [str(f) for f in files]}
    console.write_json(facts, out / "summary.json")
    console.answer(facts, as_json, _show)
    if not found.within_limits:
        raise InfeasibleError(
            f"{found.limits.sentences()[0]} (at one of {found.looked} times looked at)"
        )


def _parameter(text: str) -> tuple[str, list[float]]:
    """A name and one number, or three."""
    name, _, numbers = text.partition("=")
    return name.strip(), read_numbers("set", numbers, (1, 3), "must be NAME=NUMBER, or NAME=X,Y,Z")


def _factor(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError("scale", text, 'must be a number, or "auto"') from None


def _show(facts: dict[str, Any]) -> None:
    from gough.cueing.verdicts import NONE
    from gough.cueing.vestibular import AXES

    plain = ("machine", "method", "duration", "scale", "within_limits", "looked_at", "proved")
    shown = {name: facts[name] for name in plain}
    if facts["verdict"].startswith(NONE):
        shown |= {"within_limits": NONE, "proved": NONE}
    console.show_facts(shown)
    for sentence in (facts["verdict"], *facts["broken"][1:], *facts["unchecked"]):
        console.write_line(sentence)
    rows = (
        (axis, *(f"{facts[f'{what}_{axis}']:.3g}" for what in ("missed", "noticed", "false_cue")))
        for axis in AXES
    )
    console.show_rows(rows, ("felt", "missed (m/s², rad/s)", "time noticed", "time false"))
    for file in facts["files"]:
        console.write_line(file)
