"""A calibration drawn: what was found with its intervals, and what the readings leave."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure

from gough.report.figures import COLORS, INK, plain_axes

if TYPE_CHECKING:
    from gough.metrology.calibration import Calibration

MICRO = {"m": (1e3, "mm"), "rad": (1e3, "mrad"), "1": (1e3, "1e-3")}


def calibration_figure(found: Calibration) -> Figure:
    """Changes from nominal with 95 % intervals, by unit; residuals over their deviations, by source."""
    units = [unit for unit in MICRO if unit in found.units]
    figure = Figure(figsize=(9.0, 2.6 * len(units) + 2.8), dpi=150, layout="constrained")
    grid: Any = figure.add_gridspec(len(units) + 1, 1)
    low, high = found.interval()
    for row, unit in enumerate(units):
        axes: Any = figure.add_subplot(grid[row, 0])
        _changes(axes, found, unit, low, high)
    last: Any = figure.add_subplot(grid[len(units), 0])
    _residuals(last, found)
    name = found.platform.name or "machine"
    figure.suptitle(f"{name}: changes from nominal, and what the readings leave", color=INK)
    return figure


def _changes(axes: Any, found: Calibration, unit: str, low: Any, high: Any) -> None:
    scale, label = MICRO[unit]
    chosen = [k for k, u in enumerate(found.units) if u == unit]
    change = scale * (found.value - found.nominal)[chosen]
    reach = scale * (high - low)[chosen] / 2
    seen = np.isfinite(reach)
    at = np.arange(len(chosen))
    axes.axhline(0.0, color="#BBBBBB", linewidth=0.8)
    axes.errorbar(
        at[seen],
        change[seen],
        yerr=reach[seen],
        fmt="o",
        markersize=3,
        linewidth=1.0,
        color=COLORS[0],
        label="found, 95 % interval",
    )
    if not seen.all():
        axes.plot(at[~seen], change[~seen], "x", color="#999999", label="not seen alone")
    axes.set_xticks(at, [found.names[k] for k in chosen], rotation=90, fontsize=6)
    axes.set_ylabel(f"change ({label})", color=INK, fontsize=9)
    axes.legend(frameon=False, fontsize=8, ncols=2, loc="upper right")
    axes.margins(x=0.02, y=0.2)
    plain_axes(axes)


def _residuals(axes: Any, found: Calibration) -> None:
    for k, (name, residual) in enumerate(found.residual.items()):
        spread = np.sqrt(np.mean(residual**2, axis=0))
        over = residual / np.where(spread > 0.0, spread, 1.0)
        at = np.arange(len(residual)) + 1 + 0.12 * (k - len(found.residual) / 2)
        color = COLORS[k % len(COLORS)]
        axes.plot(
            np.repeat(at, over.shape[1]),
            over.ravel(),
            ".",
            color=color,
            markersize=3,
            label=name,
        )
    axes.axhline(0.0, color="#BBBBBB", linewidth=0.8)
    axes.set_xlabel("pose", color=INK, fontsize=9)
    axes.set_ylabel("residual over its\nroot mean square", color=INK, fontsize=9)
    axes.legend(frameon=False, fontsize=8, ncols=min(6, len(found.residual)), loc="upper right")
    axes.margins(y=0.25)
    plain_axes(axes)
