"""Figures: the machine, and its legs along a motion.  The only room that imports matplotlib.

Every function returns a matplotlib Figure made without global state; `save_figure` writes it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure

from gough.checks import Array, InfeasibleError, InputError
from gough.model import Platform
from gough.report.leg_drawing import INK, draw_leg, segment
from gough.spatial import Pose
from gough.storage import replacing
from gough.struts import struts

if TYPE_CHECKING:
    from xarray import Dataset

# six hues that stay apart in print and for color-blind readers (Okabe and Ito)
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
BASE, PLATE = "#7A7A7A", "#4C6A92"
_QUIET = {"color": "#DDDDDD", "linewidth": 0.6}
_MIDDLE: dict[str, Any] = {"ha": "center", "va": "center", "zorder": 8}


def machine_figure(platform: Platform, pose: Pose | None = None) -> Figure:
    """The machine in a pose (default: home), to scale, meters."""
    pose = platform.require_home() if pose is None else pose
    where = struts(platform, pose)
    if not where.reachable.all():
        legs = ", ".join(
            n for n, ok in zip(platform.leg_names, where.reachable, strict=True) if not ok
        )
        raise InfeasibleError(f"{legs} cannot reach this pose")
    figure = Figure(figsize=(6.4, 5.4), dpi=150)
    axes: Any = figure.add_subplot(projection="3d", computed_zorder=False)
    bottom, top = where.start, where.end
    _polygon(axes, platform.base_joints, BASE, 0.18, 1)
    for i, leg in enumerate(platform.legs):
        draw_leg(axes, leg, pose, (bottom[i], top[i]), float(where.coordinate[i]), COLORS[i])
    _polygon(axes, top, PLATE, 0.45, 5)
    axes.scatter(*bottom.T, color=BASE, s=16, zorder=6, depthshade=False)
    axes.scatter(*top.T, color=PLATE, s=16, zorder=6, depthshade=False)
    _label_legs(axes, platform, bottom, top)
    _triad(axes, pose, 0.35 * platform.characteristic_length)
    _equal_box(axes, np.vstack([platform.base_joints, bottom, top]))
    figure.suptitle(platform.name or "platform", color=INK, fontsize=11, y=0.97)
    figure.subplots_adjust(left=0.0, right=0.94, bottom=0.04, top=0.96)
    return figure


def _polygon(axes: Any, points: Array, color: str, alpha: float, zorder: int) -> None:
    """The joints' outline, walked around their center."""
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    center = points.mean(axis=0)
    _, _, axes_of_plane = np.linalg.svd(points - center)
    flat = (points - center) @ axes_of_plane[:2].T
    ring = points[np.argsort(np.arctan2(flat[:, 1], flat[:, 0]))]
    face = Poly3DCollection([ring], facecolor=color, edgecolor=color, alpha=alpha, zorder=zorder)
    axes.add_collection3d(face)
    axes.plot(*np.vstack([ring, ring[:1]]).T, color=color, linewidth=1.2, zorder=zorder)


def _label_legs(axes: Any, platform: Platform, bottom: Array, top: Array) -> None:
    """Names beside the base joints, pushed outwards from the center, with a white rim over lines."""
    from matplotlib.patheffects import withStroke

    center = bottom.mean(axis=0)
    size = float(np.ptp(np.vstack([bottom, top]), axis=0).max())
    for i, name in enumerate(platform.leg_names):
        out = bottom[i] - center
        out = out / max(float(np.linalg.norm(out)), 1e-12)
        at, rim = bottom[i] + 0.075 * size * out, [withStroke(linewidth=2.5, foreground="white")]
        style = {"fontsize": 9, "fontweight": "bold", "path_effects": rim, **_MIDDLE}
        axes.text(*at, name, color=COLORS[i], **style)


def _triad(axes: Any, pose: Pose, size: float) -> None:
    for j, name in enumerate("xyz"):
        tip = pose.position + size * pose.rotation[:, j]
        segment(axes, pose.position, tip, color=INK, linewidth=1.0, zorder=7)
        at = pose.position + 1.2 * size * pose.rotation[:, j]
        axes.text(*at, name, color=INK, fontsize=8, **_MIDDLE)


def _equal_box(axes: Any, points: Array) -> None:
    low, high = points.min(axis=0), points.max(axis=0)
    half = 0.5 * np.maximum(high - low, 0.35 * (high - low).max()) * 1.12
    middle = 0.5 * (low + high)
    for set_limit, m, h in zip(
        (axes.set_xlim, axes.set_ylim, axes.set_zlim), middle, half, strict=True
    ):
        set_limit(m - h, m + h)
    axes.set_box_aspect(half, zoom=1.12)
    axes.view_init(elev=22, azim=-58)
    for axis, name in zip((axes.xaxis, axes.yaxis, axes.zaxis), "xyz", strict=True):
        axis.set_label_text(f"{name} (m)", fontsize=9, color=INK)
        axis.set_pane_color((1, 1, 1, 0))
        axis._axinfo["grid"].update(**_QUIET)
        axis.set_tick_params(labelsize=8, colors=INK)
        axis.set_major_locator(_few_ticks())


def _few_ticks() -> Any:
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(nbins=4, steps=[1, 2, 2.5, 5, 10])


_ON_TOP: dict[str, Any] = {"loc": "outside upper center", "frameon": False, "fontsize": 8.5}
_ON_TOP |= {"title_fontsize": 10}


def leg_lines(
    time: Array,
    panels: Sequence[tuple[str, Array]],
    names: Sequence[str],
    title: str = "",
    notes: Sequence[str] = (),
) -> Figure:
    """One panel above another over time, six lines each; `panels`: axis label and (time, 6) values."""
    if not panels:
        raise InputError("panels", "none", "must hold at least one panel")
    shape = len(np.atleast_1d(time)), len(names)
    for label, values in panels:
        if np.shape(values) != shape or shape[1] > len(COLORS):
            allowed = f"must have shape {shape}: times and names, of which six at most"
            raise InputError(f"panels: {label}", f"shape {np.shape(values)}", allowed)
    height = 1.1 + 2.1 * len(panels)
    figure = Figure(figsize=(7.2, height), dpi=150, layout="constrained")
    rows: Any = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    for axes, (label, values) in zip(rows, panels, strict=True):
        for i, name in enumerate(names):
            axes.plot(time, values[:, i], color=COLORS[i], linewidth=1.4, label=name)
        axes.set_ylabel(label, color=INK, fontsize=9)
        plain_axes(axes)
        _tame(axes, values)
    rows[-1].set_xlabel("time (s)", color=INK, fontsize=9)
    handles, labels = rows[0].get_legend_handles_labels()
    figure.legend(handles, labels, ncols=len(names), title=title or None, **_ON_TOP)
    if notes:
        rows[0].set_title("; ".join(notes), fontsize=8, color=INK)
    return figure


def _tame(axes: Any, values: Array) -> None:
    """An asinh scale where a peak (a singular pose) would flatten everything else."""
    size = np.abs(values)
    usual = float(np.median(size))
    if usual > 0.0 and size.max() > 500.0 * usual:
        axes.set_yscale("asinh", linear_width=0.5 * usual)
        powers = 10.0 ** np.arange(np.ceil(np.log10(0.5 * usual)), np.log10(size.max()) + 1e-9)
        axes.set_yticks([*(-powers[::-1] if values.min() < -usual else ()), 0.0, *powers])
        text = "asinh scale: linear near zero, logarithmic beyond"
        axes.set_title(text, loc="right", fontsize=7.5, color=INK)


def plain_axes(axes: Any) -> None:
    """Quiet grid, no frame at top and right."""
    axes.grid(True, **_QUIET)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=8, colors=INK)
    axes.margins(x=0.01)


def motion_figures(table: Dataset) -> dict[str, Figure]:
    """Lengths, forces, condition number and reactions of a `gough.export.tables.forces_table`."""
    time, names = table["time"].values, [str(n) for n in table["leg"].values]
    title = str(table.attrs.get("machine", ""))
    path = str(table.attrs.get("trajectory", ""))
    title = f"{title}, {path}" if path else title

    def unit(name: str) -> str:
        return str(table[name].attrs["units"]).replace("^2", "²").replace("N m", "N·m")

    def panels(labels: dict[str, str]) -> Figure:
        rows = []
        for key, label in labels.items():
            values = table[key].values
            size = values if values.ndim == 2 else np.linalg.norm(values, axis=-1)
            rows.append((f"{label} ({unit(key)})", size))
        return leg_lines(time, rows, names, title)

    lengths = {"length": "coordinate", "rate": "rate", "leg_acceleration": "acceleration"}
    figures = {
        "lengths": panels(lengths),
        "forces": panels({"force": str(table["force"].attrs["long_name"]).partition(",")[0]}),
        "condition": _condition(time, table, title),
    }
    if "spherical_force" in table:
        joints = {
            "spherical_force": "platform joint\nforce",
            "universal_force": "base joint\nforce",
            "universal_moment": "base joint\nmoment",
        }
        shown = {key: label for key, label in joints.items() if table[key].values.any()}
        figures["reactions"] = panels(shown)
    return figures


def _condition(time: Array, table: Dataset, title: str) -> Figure:
    figure = Figure(figsize=(7.2, 3.2), dpi=150, layout="constrained")
    axes: Any = figure.subplots()
    for name, label, color in (
        ("condition", "meters and radians mixed", COLORS[0]),
        ("condition_scaled", "with the characteristic length", COLORS[1]),
    ):
        axes.plot(time, table[name].values, color=color, linewidth=1.4, label=label)
    values = np.concatenate([table[n].values for n in ("condition", "condition_scaled")])
    if values.max() > 100.0 * values.min():
        axes.set_yscale("log")
    axes.set_xlabel("time (s)", color=INK, fontsize=9)
    axes.set_ylabel("condition number (1)", color=INK, fontsize=9)
    plain_axes(axes)
    figure.legend(ncols=2, title=title or None, **_ON_TOP)
    return figure


def save_figure(figure: Figure, path: str | os.PathLike[str]) -> Path:
    """Write PNG, SVG or PDF by the name's ending; the file appears complete or not at all."""
    kind = Path(path).suffix.lower().lstrip(".")
    if kind not in ("png", "svg", "pdf"):
        raise InputError("figure", str(path), "must end in .png, .svg or .pdf")
    stamp = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[kind]
    with (
        replacing(path) as temporary,
        rc_context({"svg.hashsalt": "gough"}),
    ):  # the same bytes again
        figure.savefig(temporary, format=kind, facecolor="white", metadata=stamp)
    return Path(path)
