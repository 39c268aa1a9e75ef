"""What `gough size --catalogue` says: which drives of a catalogue carry a machine through its motions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from gough.checks import InfeasibleError, InputError
from gough.cli import console

if TYPE_CHECKING:
    from gough.analysis.drive_choice import DriveChoice
    from gough.model import Platform


def choices(
    platform: Platform,
    motions: dict[str, Any],
    payloads: dict[str, Any],
    catalogue: Path,
    life: float | None,
) -> dict[str, DriveChoice]:
    """Of each payload, all motions together."""
    from gough.analysis.catalogue import load_catalogue
    from gough.analysis.drive_choice import select_drives
    from gough.analysis.sizing import with_payload

    if life is not None and not life > 0.0:
        raise InputError("life", life, "must be positive, h")
    found = load_catalogue(catalogue)
    machines = {name: with_payload(platform, body) for name, body in payloads.items()} or {
        "": platform
    }
    return {
        case: select_drives(machine, motions, found, life=life)
        for case, machine in machines.items()
    }


_OPTION = {
    "motor": "{motor}",
    "gear": "{gear}",
    "screw": "{screw}",
    "legs": "{legs}",
    "verdict": "{status}",
    "most used": "{most}",
    "screw life (h)": "{life}",
    "why not": "{why}",
}


def show_choices(found: dict[str, DriveChoice]) -> None:
    """Tables on stdout, what they rest on on stderr."""
    for case, choice in found.items():
        if case:
            console.write_line(case)
        console.show_table(_OPTION, map(_row, choice.options))
        console.say(*choice.judged)
        console.say(*dict.fromkeys(said for o in choice.options for said in o.not_judged))


def _row(option: Any) -> dict[str, Any]:
    worst = max(option.checks, key=lambda c: c.use)
    return {
        **vars(option),
        "legs": " ".join(option.legs),
        "status": option.status,
        "most": f"{100 * worst.use:.4g} % {worst.name}",
        "life": "" if option.life_h is None else f"{option.life_h:.4g}",
        "why": "; ".join(option.reasons()),
    }


def need_one(found: dict[str, DriveChoice]) -> None:
    """Leave with 3 where no combination holds on some legs."""
    for case, choice in found.items():
        groups = dict.fromkeys(o.legs for o in choice.options)
        for legs in groups:
            if not any(o.legs == legs for o in choice.holding):
                where = f" ({case})" if case else ""
                raise InfeasibleError(
                    f"no combination of the catalogue holds on {' '.join(legs)}{where}"
                )
