"""Figure of the workspace: slices at constant orientation and the area over height."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from gough.analysis.workspace import WorkspaceSlice
from gough.checks import Array, InputError
from gough.limits import KINDS
from gough.report.figures import INK

INSIDE, BEYOND = "#4C8CB5", "#B5624C"
NAMES = ["inside", *(f"ended by {kind}" for kind in KINDS), "inside, beyond a singularity"]
REFUSED = {
    "reach": "#D9D9D9",
    "stroke": "#EFEFEF",
    "base cone": "#F4D9C6",
    "platform cone": "#F2E3B3",
    "distance": "#E3C7DD",
    "platform clearance": "#C9B8E8",
    "base clearance": "#BFD8B8",
    "speed": "#FFFFFF",
    "force": "#FFFFFF",
}


def workspace_figure(
    slices: Sequence[WorkspaceSlice], profile: tuple[Array, Array] | None = None, title: str = ""
) -> Figure:
    """Three slices, xy, xz and yz, colored by the limit that ends them; `profile`: heights and areas."""
    if len(slices) != 3:
        raise InputError("slices", f"{len(slices)} slices", "must be three: xy, xz and yz")
    if profile is not None:
        heights, areas = (np.shape(part) for part in profile)
        if heights != areas or len(heights) != 1:
            allowed = "must be heights and areas, one row of numbers each"
            raise InputError("profile", f"shapes {heights} and {areas}", allowed)
    figure = Figure(figsize=(8.6, 7.6), dpi=150, layout="constrained")
    grid: Any = figure.subplots(2, 2)
    for axes, one in zip((grid[0, 0], grid[1, 0], grid[1, 1]), slices, strict=True):
        _slice(axes, one)
    if profile is None:
        grid[0, 1].set_axis_off()
    else:
        _profile(grid[0, 1], *profile)
    _legend(figure, slices)
    figure.suptitle(title or "workspace", color=INK, fontsize=11)
    return figure


def _slice(axes: Any, one: WorkspaceSlice) -> None:
    from matplotlib.colors import BoundaryNorm, ListedColormap

    colors = _colors()
    norm = BoundaryNorm(np.arange(len(colors) + 1) - 0.5, len(colors))
    u, v, style = 1e3 * one.u, 1e3 * one.v, {"shading": "nearest", "rasterized": True}
    axes.pcolormesh(u, v, _codes(one), cmap=ListedColormap(colors), norm=norm, **style)
    if one.inside.any() and not one.inside.all():
        margin = np.clip(one.margin, -1, 1)
        axes.contour(u, v, margin, levels=[0.0], colors=INK, linewidths=0.8)
    a, b = one.plane
    third = "xyz".replace(a, "").replace(b, "")
    axes.set_xlabel(f"{a} (mm)", fontsize=9, color=INK)
    axes.set_ylabel(f"{b} (mm)", fontsize=9, color=INK)
    axes.set_title(
        f"{third} = {1e3 * one.level:.4g} mm, area {one.area:.4g} m²", fontsize=9, color=INK
    )
    axes.set_aspect("equal")
    axes.tick_params(labelsize=8, colors=INK)


def _colors() -> list[str]:
    return [INSIDE, *(REFUSED[kind] for kind in KINDS), BEYOND]


def _codes(one: WorkspaceSlice) -> np.ndarray:
    """(m, n) numbers of `NAMES`."""
    beyond = np.zeros_like(one.inside) if one.beyond is None else one.beyond
    return np.where(beyond, len(NAMES) - 1, one.reason)


def _profile(axes: Any, heights: Array, areas: Array) -> None:
    axes.plot(areas, 1e3 * heights, color=INSIDE, linewidth=1.8)
    axes.fill_betweenx(1e3 * heights, 0.0, areas, color=INSIDE, alpha=0.15, linewidth=0)
    axes.set_xlim(left=0.0)
    axes.set_xlabel("area of the slice (m²)", fontsize=9, color=INK)
    axes.set_ylabel("z (mm)", fontsize=9, color=INK)
    axes.set_title("slices over height", fontsize=9, color=INK)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(True, color="#DDDDDD", linewidth=0.6)
    axes.tick_params(labelsize=8, colors=INK)


def _legend(figure: Figure, slices: Sequence[WorkspaceSlice]) -> None:
    from matplotlib.patches import Patch

    seen = sorted({int(k) for one in slices for k in np.unique(_codes(one))})
    colors = _colors()
    handles = [
        Patch(facecolor=colors[k], edgecolor="#BBBBBB", linewidth=0.5, label=NAMES[k]) for k in seen
    ]
    figure.legend(
        handles=handles, loc="outside lower center", ncols=len(handles), frameon=False, fontsize=8.5
    )
