"""Maps of `gough workspace --map`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from gough.checks import InfeasibleError, InputError
from gough.cli.quantities import actuator_dimensions, read_numbers, read_point

if TYPE_CHECKING:
    from gough.analysis.connected import ReachableVolume
    from gough.model import Platform

USED_BY = {"stiffness": "stiffness", "actuator": "accuracy", "center": "payload"}


def mapped(
    platform: Platform,
    part: ReachableVolume | str,
    quantity: str,
    given: dict[str, str],
    out: Path | None,
) -> dict[str, Any]:
    """A map of `quantity` as plain numbers; with `out` also as figure and tables there."""
    from gough.analysis import workspace_map

    if isinstance(part, str):
        raise InfeasibleError(part)
    values = {
        name: _numbers(platform, name, text, quantity) for name, text in given.items() if text
    }
    found = workspace_map(platform, part, quantity, **values)
    facts = {
        "quantity": found.quantity,
        "unit": found.unit,
        **{name: getattr(found, name) for name in ("worst", "best")},
        **{name: getattr(found, name).tolist() for name in ("worst_at", "best_at", "spacing")},
        "judged": found.sentence(),
        "files": [],
    }
    if out is not None:
        from gough.export import save_map
        from gough.report import map_figure, save_figure

        figure = map_figure(found, f"{platform.name}: {quantity} over what is reachable")
        files = [save_figure(figure, out / f"{quantity}.png")]
        files += [save_map(found, out / f"{quantity}{kind}") for kind in (".nc", ".csv")]
        facts["files"] = [str(file) for file in files]
    return facts


def _numbers(platform: Platform, name: str, text: str, quantity: str) -> Any:
    if USED_BY[name] != quantity:
        raise InputError(name, text, f"belongs to a map of {USED_BY[name]}")
    if name == "center":
        return read_point(name, text)
    kinds = ("linear stiffness", "rotary stiffness") if name == "stiffness" else ("length", "angle")
    dimensions = actuator_dimensions(platform, *kinds)
    found = read_numbers(name, text, (1, 6), "must be one number or six", dimensions)
    return found[0] if len(found) == 1 else found
