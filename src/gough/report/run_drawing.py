"""What happened in a simulated run: tracking error, efforts and strokes against their limits, energies."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure

from gough.checks import Array, InputError
from gough.export.tracking import Tracking, effort_limits, strokes
from gough.model import Platform
from gough.report.figures import COLORS, INK, plain_axes
from gough.report.paper_figures import thin

if TYPE_CHECKING:
    from xarray import Dataset

LIMIT: dict[str, Any] = {"linestyle": (0, (4, 2)), "linewidth": 0.9}
SHOWN = 2.0  # limits farther away than this many times the curves' own range are said, not drawn
AXES = ("x", "y", "z")
ENERGIES = {
    "kinetic": "kinetic",
    "potential": "potential, from start",
    "stored": "in drives and stops",
    "spring_energy": "in springs",
}
EVENTS = 12  # lines drawn for events


def run_figure(run: Dataset, platform: Platform, error: Tracking | None = None) -> Figure:
    """Panels over time: pose error (if there is a reference), motor efforts, coordinates, energies; SI."""
    if "run" in run.dims:
        raise InputError("run", f"{run.sizes['run']} runs", "must be a single run: run.isel(run=0)")
    tracked = [] if error is None else [("position error (mm)", 1e3 * error.position)]
    tracked += [] if error is None else [("rotation error (mrad)", 1e3 * error.rotation)]
    count = len(tracked) + 3
    figure = Figure(figsize=(8.2, 0.8 + 1.9 * count), dpi=150, layout="constrained")
    rows: Any = figure.subplots(count, 1, sharex=True, squeeze=False)[:, 0]
    t, names = run.time.values, [str(name) for name in run.leg.values]
    for axes, (label, values) in zip(rows, tracked, strict=False):
        _lines(axes, t, values, AXES, label)
    force, length, energy = rows[len(tracked) :]
    most = effort_limits(platform)
    _lines(force, t, run.motor_force.values, names, f"motor effort ({_unit(run, 'motor_force')})")
    _limits(force, run.motor_force.values, np.stack([-most, most], axis=1))
    _lines(length, t, run.length.values, names, f"coordinate ({_unit(run, 'length')})")
    _limits(length, run.length.values, strokes(platform))
    given = {label: run[name].values for name, label in ENERGIES.items() if name in run}
    given["potential, from start"] = run.potential.values - run.potential.values[0]
    given["work of the motors"] = run.work.values.sum(axis=1)
    _lines(energy, t, np.stack(list(given.values()), axis=1), list(given), "energy (J)")
    for axes in rows:
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize=8)
    _mark_events(rows, run)
    rows[-1].set_xlabel("time (s)", color=INK, fontsize=9)
    figure.suptitle(_title(run), color=INK, fontsize=10)
    return figure


def _unit(run: Dataset, name: str) -> str:
    return str(run[name].attrs["units"]).replace("N m", "N·m")


def _title(run: Dataset) -> str:
    what = str(run.attrs.get("scenario") or run.attrs.get("title", ""))
    machine = str(run.attrs.get("machine", ""))
    return f"{machine}: {what}\n{run.attrs['status']}" if machine else what


def _lines(axes: Any, t: Array, values: Array, names: Sequence[str], label: str) -> None:
    for i, name in enumerate(names):
        axes.plot(*thin(t, values[:, i]), color=COLORS[i], linewidth=1.3, label=name)
    axes.set_ylabel(label, color=INK, fontsize=9)
    plain_axes(axes)


def _limits(axes: Any, values: Array, limits: Array) -> None:
    """Dashed lines at (6, 2) limits, of all legs or of each in its color; those far away are said in words."""
    if not np.isfinite(limits).any():
        axes.set_title("no limits given", loc="right", fontsize=7.5, color=INK)
        return
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    room = SHOWN * max(high - low, 1e-9 * max(abs(low), abs(high), 1e-300))
    alike = bool((limits == limits[:1]).all())
    shown = limits[:1] if alike else limits
    near = (shown >= low - room) & (shown <= high + room)
    for leg, end in zip(*np.nonzero(near), strict=True):
        color = INK if alike else COLORS[leg]
        label = "limit" if (leg, end) == tuple(np.argwhere(near)[0]) else None
        axes.axhline(float(shown[leg, end]), color=color, label=label, **LIMIT)
    if (np.isfinite(shown) & ~near).any():
        ends = f"{limits[:, 0].max():.5g} and {limits[:, 1].min():.5g}"
        words = f"limits at {ends}" if alike else f"the tightest limits are {ends}"
        where = "not all drawn" if near.any() else "beyond the panel"
        axes.set_title(f"{words}, {where}", loc="right", fontsize=7.5, color=INK)


def _mark_events(rows: Any, run: Dataset) -> None:
    """Dotted lines at the first events."""
    for event in json.loads(run.attrs["events"])[:EVENTS]:
        for axes in rows:
            axes.axvline(event["time"], color="#999999", linewidth=0.8, linestyle=":", zorder=0)
