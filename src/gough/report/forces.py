"""Forces along a motion: the table, its summary, and a folder of files written whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

import gough
from gough.checks import InputError
from gough.export.tables import forces_table, write_csv, write_netcdf
from gough.model import Platform
from gough.spatial import Motion

if TYPE_CHECKING:
    from xarray import Dataset

CHUNK = 20_000  # states computed between two moves of the progress bar


def compute(platform: Platform, motion: Motion, external: ArrayLike | None = None, *,
            formulation: str = "exact", published: bool = False, max_condition: float | None = None,
            reactions: bool | None = None,
            progress: Callable[[int], Any] | None = None, **about: str) -> Dataset:
    """Lengths, forces, condition numbers and joint reactions along `motion` (one time axis).

    reactions True, False, or None: where the formulation gives them
    progress  called with the number of states done after each chunk
    about     attributes of the table, such as ``trajectory="001-I"``
    """
    import xarray

    if motion.time is None or motion.position.ndim != 2:
        raise InputError("motion", f"batch shape {motion.shape}", "must have one time axis and `time` set")
    more: dict[str, Any] = {} if max_condition is None else {"max_condition": max_condition}
    n = len(motion.position)
    tables = []
    for start in range(0, n, CHUNK):
        part = motion[start:start + CHUNK]
        legs = gough.inverse_kinematics(platform, part)
        result = gough.inverse_dynamics(platform, part, external, formulation=formulation,
                                        published=published, **more)
        tables.append(forces_table(platform, part, legs, result, reactions=reactions, **about))
        if progress is not None:
            progress(min(start + CHUNK, n))
    if len(tables) == 1:
        return tables[0]
    joined: Any = xarray.concat(tables, dim="time", data_vars="minimal", coords="minimal", compat="equals",
                                join="exact")
    return joined


def summary(table: Dataset) -> dict[str, Any]:
    """The extremes of a forces table, as plain numbers for JSON."""
    time, force, length = table["time"].values, table["force"].values, table["length"].values
    peak = np.abs(force).argmax(axis=0)
    legs = []
    for i, name in enumerate(table["leg"].values):
        legs.append({"name": str(name), "type": str(table["leg_type"].values[i]),
                     "coordinate_unit": str(table["coordinate_unit"].values[i]),
                     "effort_unit": str(table["effort_unit"].values[i]),
                     "min_coordinate": float(length[:, i].min()), "max_coordinate": float(length[:, i].max()),
                     "max_rate": float(np.abs(table["rate"].values[:, i]).max()),
                     "peak_effort": float(force[peak[i], i]), "peak_time": float(time[peak[i]]),
                     "rms_effort": float(np.sqrt((force[:, i] ** 2).mean()))})
    worst = int(table["condition"].values.argmax())
    return {"machine": table.attrs["machine"], "trajectory": table.attrs.get("trajectory", ""),
            "formulation": table.attrs["formulation"],
            "published_errors_kept": table.attrs["published_errors_kept"] == "true",
            "samples": len(time), "start": float(time[0]), "end": float(time[-1]), "legs": legs,
            "max_condition": float(table["condition"].values[worst]),
            "max_condition_scaled": float(table["condition_scaled"].values.max()),
            "max_condition_time": float(time[worst])}


def write_folder(table: Dataset, out: str | os.PathLike[str], *, figures: bool = True) -> list[Path]:
    """``forces.nc``, ``forces.csv`` and the figures in the folder `out`: all of them, or none.

    The files are made in a temporary folder beside `out` and moved in when the last one is complete.
    """
    folder = Path(out)
    if folder.exists() and not folder.is_dir():
        raise InputError("out", str(out), "is a file; give the name of a folder")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", suffix=".tmp", dir=folder.parent))
    except OSError as error:
        raise InputError("out", str(out), f"cannot be written: {error.strerror}") from error
    try:
        write_netcdf(table, work / "forces.nc")
        write_csv(table, work / "forces.csv")
        if figures:
            from gough.report.figures import motion_figures, save_figure

            for name, figure in motion_figures(table).items():
                save_figure(figure, work / f"{name}.png")
        folder.mkdir(exist_ok=True)
        files = sorted(work.iterdir())
        return [path.replace(folder / path.name) for path in files]
    finally:
        shutil.rmtree(work, ignore_errors=True)
