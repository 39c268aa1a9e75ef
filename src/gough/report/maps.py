"""Figure of a map over a workspace: three planes of cells through its worst one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gough.analysis.workspace import PLANES
from gough.analysis.workspace_maps import LARGE_IS_GOOD
from gough.report.figures import INK

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from gough.analysis.workspace_maps import WorkspaceMap

WIDE = 30.0  # ratio of largest to smallest from which colors are logarithmic
LABELS = {
    "condition": "condition number (1)",
    "stiffness": "stiffness, softest direction (N/m)",
    "accuracy": "standard deviation, worst direction (m)",
    "payload": "largest payload (kg)",
    "margin": "share of its range left to the nearest limit (1)",
}


def map_figure(found: WorkspaceMap, title: str = "") -> Figure:
    """Three planes of cells, xy, xz and yz, through the worst cell (a cross), each cell colored by its center's value.

    Cells that are not joined with the start are left white; nothing is interpolated.
    """
    from matplotlib import colormaps
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.6, 7.6), dpi=150, layout="constrained")
    grid: Any = figure.subplots(2, 2)
    worst = [
        int(np.abs(axis - at).argmin()) for axis, at in zip(found.axes, found.worst_at, strict=True)
    ]
    colors = colormaps["viridis" if found.quantity in LARGE_IS_GOOD else "viridis_r"]
    panels = zip((grid[0, 0], grid[1, 0], grid[1, 1]), PLANES, strict=True)
    norm = _norm(found)
    shown = [_plane(axes, found, plane, worst, colors, norm) for axes, plane in panels]
    legend = grid[0, 1]
    legend.set_axis_off()
    bar: Any = figure.colorbar(shown[0], ax=legend, location="left", fraction=0.12, shrink=0.9)
    bar.set_label(LABELS[found.quantity], fontsize=9, color=INK)
    bar.ax.tick_params(labelsize=8, colors=INK)
    legend.text(0.15, 0.5, _words(found), fontsize=8.5, color=INK, va="center", wrap=True)
    figure.suptitle(title or found.quantity, color=INK, fontsize=11)
    return figure


def _norm(found: WorkspaceMap) -> Any:
    from matplotlib.colors import LogNorm, Normalize

    low, high = float(np.nanmin(found.values)), float(np.nanmax(found.values))
    return LogNorm(low, high) if low > 0.0 and high > WIDE * low else Normalize(low, high)


def _plane(
    axes: Any, found: WorkspaceMap, plane: str, worst: list[int], colors: Any, norm: Any
) -> Any:
    i, j, k = PLANES[plane]
    u, v = 1e3 * found.axes[i], 1e3 * found.axes[j]
    values = np.take(found.values, worst[k], axis=k)  # the two other axes, in order
    style = {"shading": "nearest", "rasterized": True}
    shown = axes.pcolormesh(u, v, values.T, cmap=colors, norm=norm, **style)
    axes.plot(u[worst[i]], v[worst[j]], "x", color="#D6303A", markersize=7)
    a, b, c = (("x", "y", "z")[n] for n in (i, j, k))
    axes.set_xlabel(f"{a} (mm)", fontsize=9, color=INK)
    axes.set_ylabel(f"{b} (mm)", fontsize=9, color=INK)
    axes.set_title(f"{c} = {1e3 * found.axes[k][worst[k]]:.4g} mm", fontsize=9, color=INK)
    axes.set_aspect("equal")
    axes.tick_params(labelsize=8, colors=INK)
    return shown


def _words(found: WorkspaceMap) -> str:
    size = " x ".join(f"{1e3 * x:.3g}" for x in found.spacing)
    return (
        f"worst (cross): {found.worst:.4g} {found.unit}\nbest: {found.best:.4g} {found.unit}\n\n"
        f"values at the centers of cells\nof {size} mm;\nbetween them nothing is looked at"
    ).replace(" 1\n", "\n")
