"""Travel ranges as a figure: one bar per axis, each end with what stops it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gough.report.figures import INK

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from gough.analysis.travels import TravelRanges

COLORS = {
    "stroke": "#1971c2",
    "base cone": "#ad5200",
    "platform cone": "#e08e0b",
    "distance": "#6741d9",
    "platform clearance": "#9c36b5",
    "base clearance": "#c2255c",
    "reach": "#d6303a",
    "link": "#0b7285",
    "determinant": "#222222",
}
OPEN, FREE = "#bbbbbb", "#237a37"
NAMES = {"determinant": "singular pose", "link": "fixed link", "distance": "legs touch"}
NAMES |= {
    "platform clearance": "a leg touches the platform",
    "base clearance": "a leg touches the base",
}


def travel_figure(ranges: TravelRanges, title: str = "") -> Figure:
    """Two panels, mm and degrees: how far each axis goes while the others stay, colored by what stops it.

    An end that is not proved is gray; one at which nothing was met, up to where was looked, green.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.6, 4.6), dpi=150, layout="constrained")
    panels: Any = figure.subplots(2, 1)
    seen: dict[str, str] = {}
    for axes, first, scale, unit in zip(
        panels, (0, 3), (1e3, 180.0 / np.pi), ("mm", "°"), strict=True
    ):
        _panel(axes, ranges, first, scale, seen)
        axes.set_xlabel(f"travel from the pose ({unit})", fontsize=9, color=INK)
    _legend(figure, seen)
    figure.suptitle(title or "travel", color=INK, fontsize=11)
    return figure


def _panel(axes: Any, ranges: TravelRanges, first: int, scale: float, seen: dict[str, str]) -> None:
    for row in range(3):
        k = first + row
        for up, value in ((False, ranges.low[k]), (True, ranges.high[k])):
            label, color = _ended(ranges.ends[k][up])
            seen.setdefault(label, color)
            far = scale * float(value)
            axes.barh(row, far, height=0.55, color=color, alpha=0.85, linewidth=0)
            side, room = ("left", 3) if up else ("right", -3)
            axes.annotate(
                f"{far + 0.0:.4g}",
                (far, row),
                textcoords="offset points",
                xytext=(room, 0),
                ha=side,
                va="center",
                fontsize=8,
                color=INK,
            )
    axes.axvline(0.0, color=INK, linewidth=0.8)
    axes.set_yticks(range(3), ranges.names[first : first + 3])
    axes.invert_yaxis()
    axes.margins(x=0.15)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=8, colors=INK)


def _ended(end: Any) -> tuple[str, str]:
    """What ends a way, and its color."""
    if not end.settled:
        return "not proved", OPEN
    if end.whole:
        return "nothing met", FREE
    kind = str(end.stops[0].kind)
    return NAMES.get(kind, kind), COLORS[kind]


def _legend(figure: Figure, seen: dict[str, str]) -> None:
    from matplotlib.patches import Patch

    handles = [Patch(facecolor=color, label=name) for name, color in seen.items()]
    figure.legend(
        handles=handles, loc="outside lower center", ncols=len(handles), frameon=False, fontsize=8.5
    )
