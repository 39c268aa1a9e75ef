"""A cue drawn: what is felt in the vehicle and on the platform, and the strokes that it takes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure

from gough.cueing.vestibular import AXES, FORCE_THRESHOLD, RATE_THRESHOLD
from gough.export.tables import actuator_units, motion_table, write_csv, write_netcdf
from gough.report.figures import COLORS, INK, plain_axes, save_figure
from gough.storage import csv_cell, write_whole

if TYPE_CHECKING:
    from gough.cueing import Cue
    from gough.model import Platform

DRAWN = ("surge", "sway", "heave", "roll", "pitch", "yaw")


def cue_figure(platform: Platform, cue: Cue) -> Figure:
    """Sensed specific force and rates, vehicle against platform, with thresholds; leg coordinates in their strokes."""
    time = cue.telemetry.time
    figure = Figure(figsize=(9.0, 9.6), dpi=150, layout="constrained")
    grid: Any = figure.add_gridspec(4, 2, height_ratios=[1, 1, 1, 1.5])
    threshold = np.concatenate([FORCE_THRESHOLD, RATE_THRESHOLD])
    turn = np.where(np.arange(6) < 3, 1.0, 180.0 / np.pi)
    axes: Any = None
    for k, name in enumerate(DRAWN):
        axes = figure.add_subplot(grid[k % 3, k // 3])
        i = AXES.index(name)
        unit = "m/s²" if i < 3 else "deg/s"
        near = turn[i] * threshold[i]
        axes.axhspan(-near, near, color="#EEEEEE", label="below threshold")
        axes.plot(
            time,
            turn[i] * cue.score.sensed[:, i],
            color=INK,
            linewidth=1.2,
            label="vehicle, scaled",
        )
        axes.plot(
            time, turn[i] * cue.score.given[:, i], color=COLORS[1], linewidth=1.2, label="platform"
        )
        axes.set_ylabel(f"{name} ({unit})", color=INK, fontsize=9)
        plain_axes(axes)
    handles, labels = axes.get_legend_handles_labels()
    last: Any = figure.add_subplot(grid[3, :])
    _strokes(last, platform, cue)
    title = f"{platform.name or 'machine'}: sensed specific force and rate, scale {cue.scale:.3g}"
    figure.legend(
        handles, labels, ncols=3, loc="outside upper center", frameon=False, fontsize=8, title=title
    )
    return figure


def _strokes(axes: Any, platform: Platform, cue: Cue) -> None:
    """Each coordinate as a share of its stroke; in its own unit where no leg has a stroke."""
    time = np.linspace(0.0, cue.trajectory.duration, cue.looked)
    length = cue.limits.geometry.coordinate.reshape(-1, 6)
    strokes = [leg.limits.stroke for leg in platform.legs]
    shares = all(s is not None for s in strokes)
    for i, (name, stroke) in enumerate(zip(platform.leg_names, strokes, strict=True)):
        values = length[:, i]
        if shares and stroke is not None:
            values = 100.0 * (values - stroke[0]) / (stroke[1] - stroke[0])
        axes.plot(time, values, color=COLORS[i], linewidth=1.1, label=name)
    if shares:
        axes.axhline(0.0, color=INK, linewidth=0.8, linestyle="--")
        axes.axhline(100.0, color=INK, linewidth=0.8, linestyle="--")
    unit = "% of stroke" if shares else actuator_units(platform)[0][0]
    axes.set_ylabel(f"coordinate ({unit})", color=INK, fontsize=9)
    axes.set_xlabel("time (s)", color=INK, fontsize=9)
    axes.legend(ncols=6, fontsize=8, frameon=False, loc="upper center", bbox_to_anchor=(0.5, 1.14))
    plain_axes(axes)


def cue_facts(platform: Platform, cue: Cue, method: str) -> dict[str, Any]:
    """What `gough cue` prints."""
    told = {
        "machine": platform.name,
        "method": method,
        "duration": cue.trajectory.duration,
        "scale": cue.scale,
        "within_limits": cue.within_limits,
        "looked_at": cue.looked,
        "proved": cue.proved,
        "doubt": cue.doubt,
        "verdict": str(cue.verdict),
        "worst_margin": float(cue.limits.worst.min())
        if np.isfinite(cue.limits.worst.min())
        else None,
        "broken": list(cue.limits.sentences()),
        "unchecked": list(cue.limits.unchecked),
    }
    for name, values in (
        ("missed", cue.score.missed),
        ("noticed", cue.score.noticed),
        ("false_cue", cue.score.false_cue),
    ):
        told |= {f"{name}_{axis}": float(x) for axis, x in zip(AXES, values, strict=True)}
    return told


def write_cue(platform: Platform, cue: Cue, out: str | os.PathLike[str]) -> list[Path]:
    """``motion.csv`` and ``motion.nc`` (a trajectory again), ``legs.csv`` and ``cue.png`` in the folder `out`."""
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    motion = cue.trajectory(cue.telemetry.time)
    table = motion_table(motion)
    files = [write_csv(table, folder / "motion.csv"), write_netcdf(table, folder / "motion.nc")]
    time = np.linspace(0.0, cue.trajectory.duration, cue.looked)
    length = cue.limits.geometry.coordinate.reshape(-1, 6)
    units = [unit for unit, _ in actuator_units(platform)]
    named = zip(platform.leg_names, units, strict=True)
    head = [csv_cell(f"{name} [{unit}]") for name, unit in named]
    lines = [",".join(["time [s]", *head])]
    lines += [",".join(f"{x:.9g}" for x in (t, *row)) for t, row in zip(time, length, strict=True)]
    files.append(write_whole(folder / "legs.csv", "\n".join(lines) + "\n"))
    files.append(save_figure(cue_figure(platform, cue), folder / "cue.png"))
    return files
