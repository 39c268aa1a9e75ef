"""Draws the figures of a reproduced paper from plain data, as SVG for the page and PNG for slides."""

from __future__ import annotations

import io
from collections.abc import Iterable
from math import ceil
from typing import Any

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Canvas

from gough.reproduce.page import Curve, Figure, Panel

SHADES = {
    "exact": ("#1c7ed6", "#0b3d75", "#74b8f2"),
    "printed": ("#d9480f", "#8c2f0a", "#f59a6a"),
    "reference": ("#2b8a3e", "#145223", "#82c991"),
    "difference": ("#495057", "#868e96", "#212529"),
    "aid": ("#868e96",),
}
"""The same color means the same in every figure: blue exact, orange as printed, green another model."""
COLORS = ("#9c36b5", "#0b7285", "#c2255c", "#e67700", "#5c940d", "#343a40", "#a98467", "#3b5bdb")
"""Of curves without such a meaning: legs, errata, papers."""
DASHES: dict[str, Any] = {
    "exact": "-",
    "printed": (0, (5, 2)),
    "reference": (0, (6, 2, 1, 2)),
    "difference": "-",
    "aid": (0, (1, 2)),
    "": "-",
}
WIDTHS = {"exact": 1.6, "printed": 1.4, "reference": 1.4, "difference": 0.9, "aid": 0.9, "": 1.4}
LONGEST = 800  # points of a drawn curve; more cannot be seen
STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 8.5,
    "axes.titlesize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e9ecef",
    "axes.edgecolor": "#868e96",
    "svg.fonttype": "none",
    "svg.hashsalt": "gough",
    "axes.axisbelow": True,
    "legend.frameon": False,
}


def draw(figure: Figure) -> Canvas:
    """One canvas with all panels; a legend they share stands below them, once."""
    with matplotlib.rc_context(STYLE):
        columns = max(1, min(figure.columns, len(figure.panels)))
        rows = ceil(len(figure.panels) / columns)
        width, height = (
            (10.0, 2.5) if columns >= 3 else ((9.0, 2.8) if columns == 2 else (7.5, 3.6))
        )
        if any(curve.arrow for panel in figure.panels for curve in panel.curves):
            height = 3.9  # drawings with arrows need room for their letters
        canvas = Canvas(figsize=(width, height * rows + 0.5), layout="constrained")
        FigureCanvasAgg(canvas)
        axes = canvas.subplots(rows, columns, squeeze=False)
        for axis in axes.flat[len(figure.panels) :]:
            axis.set_axis_off()
        shared = _shared_legend(figure.panels)
        for panel, axis in zip(figure.panels, axes.flat, strict=False):
            _draw_panel(axis, panel, legend=not shared, columns=columns)
        if shared:
            handles, labels = axes.flat[0].get_legend_handles_labels()
            canvas.legend(
                handles, labels, loc="outside lower center", ncols=_legend_columns(labels, width)
            )
        return canvas


def _legend_columns(labels: list[str], width: float) -> int:
    """As many columns as fit `width` inches; 11 characters an inch and room for the line samples."""
    return max(1, min(len(labels), 6, int(11 * width / (max(len(label) for label in labels) + 7))))


def _shared_legend(panels: tuple[Panel, ...]) -> bool:
    first = [(c.label, c.style, c.group) for c in panels[0].curves if c.label]
    return len(first) > 0 and all(
        [(c.label, c.style, c.group) for c in p.curves if c.label] == first for p in panels
    )


def _color(curve: Curve, index: int, panel: Panel) -> str:
    """By meaning; by leg where every leg has its curve."""
    if curve.style != "aid" and len({c.group for c in panel.curves}) >= 6:
        return COLORS[curve.group % len(COLORS)]
    if not curve.style:
        return COLORS[(curve.group or index) % len(COLORS)]
    shades = SHADES[curve.style]
    alike = sorted({c.group for c in panel.curves if c.style == curve.style})
    return shades[alike.index(curve.group) % len(shades)]


def _draw_panel(axis: Any, panel: Panel, *, legend: bool, columns: int) -> None:
    for index, curve in enumerate(panel.curves):
        if curve.arrow:
            _draw_arrow(axis, curve, _color(curve, index, panel))
            continue
        x, y = thin(curve.x, curve.y)
        axis.plot(
            x,
            y,
            label=curve.label or "_",
            color=_color(curve, index, panel),
            linestyle=DASHES[curve.style],
            linewidth=WIDTHS[curve.style],
            marker="o" if len(x) < 9 and not panel.equal else "",
            markersize=3.5,
        )
    for word, x, y in panel.marks:
        axis.annotate(word, (x, y), xytext=(3, 3), textcoords="offset points", fontsize=7.5)
    axis.set_title(panel.title)
    axis.set_xlabel(panel.xlabel)
    axis.set_ylabel(panel.ylabel)
    axis.set_xscale(panel.xscale)
    axis.set_yscale(panel.yscale)
    if panel.ylimits:
        axis.set_ylim(*panel.ylimits)
    elif panel.yscale == "linear" and not panel.equal:
        _widen_flat(axis, panel.curves)
    if panel.equal:
        axis.set_aspect("equal", adjustable="datalim")
    labeled = [c for c in panel.curves if c.label]
    if legend and labeled:
        wide = _legend_columns([c.label for c in labeled], axis.figure.get_figwidth() / columns)
        axis.legend(
            loc="upper center", bbox_to_anchor=(0.5, -0.22), ncols=min(wide, 3), fontsize=7.5
        )


def _draw_arrow(axis: Any, curve: Curve, color: str) -> None:
    """An arrow to scale; a moment's second head sits a little behind its first."""
    start, tip = np.stack([curve.x, curve.y], axis=-1)[[0, -1]]
    ends = [tip, start + 0.86 * (tip - start)] if curve.arrow == "moment" else [tip]
    for end in ends:
        how = {"arrowstyle": "-|>", "color": color, "linewidth": 1.5, "shrinkA": 0, "shrinkB": 0}
        axis.annotate("", xy=end, xytext=start, arrowprops=how)
    axis.plot(*np.stack([start, tip]).T, color=color, linewidth=1.5, label=curve.label or "_")


def _widen_flat(axis: Any, curves: Iterable[Curve]) -> None:
    """A constant curve gets a window around it instead of a zoom into rounding noise."""
    values = np.concatenate([c.y[np.isfinite(c.y)] for c in curves] or [np.zeros(1)])
    if values.size == 0:
        return
    middle, spread = float(np.mean(values)), float(np.ptp(values))
    if spread < 1e-9 * max(abs(middle), 1e-6):
        half = 0.05 * abs(middle) or 1.0
        axis.set_ylim(middle - half, middle + half)


def thin(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """At most `LONGEST` points, keeping the extremes of every stretch."""
    if len(x) <= LONGEST:
        return x, y
    keep: set[int] = {0, len(x) - 1}
    for part in np.array_split(np.arange(len(x)), LONGEST // 2):
        finite = part[np.isfinite(y[part])]
        if finite.size:
            keep.update((int(finite[np.argmin(y[finite])]), int(finite[np.argmax(y[finite])])))
        else:
            keep.add(int(part[0]))
    index = np.array(sorted(keep))
    return x[index], y[index]


def svg(canvas: Canvas) -> str:
    """The drawing as an SVG element, without XML preamble."""
    text = io.StringIO()
    with matplotlib.rc_context(STYLE):
        canvas.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    whole = text.getvalue()
    return whole[whole.index("<svg") :]


def csv(figure: Figure) -> str:
    """All curves of a figure, long form: panel, curve, x, y."""
    lines = ["panel,curve,style,x,y"]
    for panel in figure.panels:
        for curve in panel.curves:
            name = f'"{panel.title}","{curve.label}",{curve.style or "plain"}'.replace("\n", " ")
            lines += [
                f"{name},{x!r},{y!r}"
                for x, y in zip(curve.x.tolist(), curve.y.tolist(), strict=True)
            ]
    return "\n".join(lines) + "\n"
