"""A front of designs as a figure: objectives against each other, pair by pair, and how the search went on."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.report.figures import INK

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from gough.design.fronts import Front

FOUND, TRIED = "#1971c2", "#c9ccd1"


def front_figure(front: Front, title: str = "") -> Figure:
    """One panel for each pair of objectives: the front found over the other feasible designs; the last one shows the
    share of the box between best and worst that the designs dominate, generation by generation."""
    from matplotlib.figure import Figure

    names = front.problem.objectives
    pairs = list(combinations(range(len(names)), 2))
    columns = min(len(pairs) + 1, 3)
    lines = -(-(len(pairs) + 1) // columns)
    figure = Figure(figsize=(0.6 + 4.0 * columns, 0.7 + 3.6 * lines), dpi=150, layout="constrained")
    panels: Any = figure.subplots(lines, columns, squeeze=False).ravel()
    tried, found = front.values(front.others), front.values(front.designs)
    for axes, (i, j) in zip(panels, pairs, strict=False):
        axes.plot(tried[:, i], tried[:, j], ".", color=TRIED, ms=3, label="tried, bettered")
        axes.plot(found[:, i], found[:, j], "o", color=FOUND, ms=3.5, label="front found")
        axes.set_xlabel(_label(front, names[i]), fontsize=9, color=INK)
        axes.set_ylabel(_label(front, names[j]), fontsize=9, color=INK)
    panels[0].legend(fontsize=8, frameon=False)
    last = panels[len(pairs)]
    grown = np.array(front.hypervolume)
    last.plot(np.arange(1, len(grown) + 1), grown, color=FOUND, lw=1.4)
    last.set_xlabel("generation", fontsize=9, color=INK)
    last.set_ylabel("dominated share of the box", fontsize=9, color=INK)
    for axes in panels[: len(pairs) + 1]:
        axes.tick_params(labelsize=8, colors=INK)
        axes.grid(color="#eeeeee", lw=0.6)
        axes.set_axisbelow(True)
    for axes in panels[len(pairs) + 1 :]:
        axes.set_axis_off()
    said = f"front found in {front.evaluations} designs"
    figure.suptitle(title or said, color=INK, fontsize=11)
    return figure


def _label(front: Front, name: str) -> str:
    """Name and unit, and the direction that is wanted."""
    from gough.design.metrics import METRICS

    unit = front.problem.units[name]
    shown = name.replace("_", " ") + ("" if unit == "1" else f" ({unit})")
    return f"{shown}, {METRICS[name].wish} wanted"
