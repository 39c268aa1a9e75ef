"""Every assembly mode drawn: a figure of small panels, and a page whose drawings turn by hand."""

from __future__ import annotations

import html
import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from gough.analysis.drawing import modes_drawing
from gough.checks import Array, InputError
from gough.kinematics.assembly import AssemblyModes
from gough.model import Platform
from gough.report.figures import BASE, COLORS, INK, PLATE
from gough.storage import write_whole

AZIMUTH, ELEVATION = -0.9, 0.42  # rad, the view of the first look
TEMPLATE = Path(__file__).resolve().parent / "modes.html"


def modes_figure(
    platform: Platform, modes: AssemblyModes, labels: Sequence[int] | None = None
) -> Figure:
    """All real modes side by side, same scale and view; labels number the aspects."""
    if not len(modes):
        raise InputError("modes", modes.reason, "must hold at least one real pose to draw")
    n = len(modes)
    if labels is not None and len(labels) != n:
        raise InputError("labels", f"{len(labels)} of them", f"must be {n}, one for each mode")
    columns = min(8, max(2, int(np.ceil(np.sqrt(1.6 * n)))))
    rows = -(-n // columns)
    figure = Figure(figsize=(1.9 * columns, 1.95 * rows + 0.5), dpi=150)
    scene = modes_drawing(platform, modes)
    points = [_project(np.vstack([scene["base"], top])) for top in scene["tops"]]
    low, high = np.vstack(points).min(axis=0)[:2], np.vstack(points).max(axis=0)[:2]
    half, middle = 0.52 * (high - low).max(), (low + high) / 2
    for k in range(n):
        axes: Any = figure.add_subplot(rows, columns, k + 1)
        _panel(axes, scene, k)
        axes.set_xlim(middle[0] - half, middle[0] + half)
        axes.set_ylim(middle[1] - half, middle[1] + half)
        axes.set_aspect("equal")
        axes.set_axis_off()
        name = f"{k + 1}" if labels is None else f"{k + 1} · aspect {int(labels[k]) + 1}"
        axes.set_title(name, fontsize=8, color=INK, pad=2)
    figure.suptitle(f"{platform.name or 'platform'}: {_sum(modes)}", fontsize=10, color=INK)
    edges = {"left": 0.01, "right": 0.99, "bottom": 0.01, "top": 1 - 0.55 / (1.95 * rows + 0.5)}
    figure.subplots_adjust(**edges, wspace=0.04, hspace=0.16)
    return figure


def write_gallery(
    path: str | os.PathLike[str],
    platform: Platform,
    modes: AssemblyModes,
    labels: Sequence[int] | None = None,
) -> Path:
    """A self-contained page: every mode as a drawing that turns with the mouse or the arrow keys."""
    target = Path(path)
    if target.suffix.lower() not in (".html", ".htm"):
        raise InputError("path", str(path), "must end in .html")
    return write_whole(target, gallery_html(platform, modes, labels))


def gallery_html(
    platform: Platform, modes: AssemblyModes, labels: Sequence[int] | None = None
) -> str:
    """The page of `write_gallery` as text."""
    if not len(modes):
        raise InputError("modes", modes.reason, "must hold at least one real pose to draw")
    scene = modes_drawing(platform, modes)
    data = {
        "base": scene["base"].tolist(),
        "feet": scene["feet"].tolist(),
        "tops": scene["tops"].tolist(),
        "position": modes.poses.position.tolist(),
        "rpy": modes.poses.rpy.tolist(),
        "label": None if labels is None else [int(x) + 1 for x in labels],
        "colors": list(COLORS),
        "ink": INK,
        "gray": BASE,
        "plate": PLATE,
        "azimuth": AZIMUTH,
        "elevation": ELEVATION,
    }
    title = f"{platform.name or 'platform'}: {_sum(modes)}"
    page = TEMPLATE.read_text(encoding="utf-8")
    payload = json.dumps(data).replace("<", "\\u003c")
    parts = {
        "TITLE": html.escape(title),
        "REASON": html.escape(modes.reason),
        "SOURCE": html.escape(platform.source.title),
        "DATA": payload,
    }  # in one pass: what a name holds is never looked at again
    return re.sub("@@([A-Z]+)@@", lambda found: parts[found[1]], page)


def _sum(modes: AssemblyModes) -> str:
    proof = "all proved" if modes.certified else ("complete" if modes.complete else "not complete")
    return f"{len(modes)} real of {modes.count} solutions, {proof}"


def _outline(points: Array) -> Array:
    """Convex outline (m, 2) of projected points: the silhouette of the body that carries the joints."""
    order = sorted(map(tuple, points[:, :2].tolist()))
    half: list[list[tuple[float, float]]] = []
    for line in (order, order[::-1]):
        chain: list[tuple[float, float]] = []
        for x, y in line:
            while len(chain) > 1 and (
                (chain[-1][0] - chain[-2][0]) * (y - chain[-2][1])
                <= (chain[-1][1] - chain[-2][1]) * (x - chain[-2][0])
            ):
                chain.pop()
            chain.append((x, y))
        half.append(chain[:-1])
    return np.array(half[0] + half[1])


def _project(points: Array) -> Array:
    """Right, up and towards the viewer (..., 3)."""
    ca, sa, ce, se = np.cos(AZIMUTH), np.sin(AZIMUTH), np.cos(ELEVATION), np.sin(ELEVATION)
    right = np.array([-sa, ca, 0.0])
    towards = np.array([ca * ce, sa * ce, se])
    return points @ np.stack([right, np.cross(towards, right), towards], axis=1)


def _panel(axes: Any, scene: dict[str, Array], k: int) -> None:
    base, feet, top = (_project(x) for x in (scene["base"], scene["feet"][k], scene["tops"][k]))
    items = [(base[:, 2].mean(), "base", 0), (top[:, 2].mean(), "plate", 0)]
    items += [((feet[i, 2] + top[i, 2]) / 2, "leg", i) for i in range(6)]
    for order, (_, kind, i) in enumerate(sorted(items)):
        if kind == "leg":
            axes.plot(
                [feet[i, 0], top[i, 0]],
                [feet[i, 1], top[i, 1]],
                color=COLORS[i],
                linewidth=1.4,
                solid_capstyle="round",
                zorder=order,
            )
        else:
            ring = _outline(base if kind == "base" else top)
            color = BASE if kind == "base" else PLATE
            axes.fill(
                ring[:, 0],
                ring[:, 1],
                facecolor=color,
                alpha=0.25 if kind == "base" else 0.5,
                edgecolor=color,
                linewidth=0.8,
                zorder=order,
            )
