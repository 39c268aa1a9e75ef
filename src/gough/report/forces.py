"""A table of forces as a folder of files and plots, written whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from gough.checks import InputError
from gough.export.tables import write_csv, write_netcdf

if TYPE_CHECKING:
    from xarray import Dataset


def write_folder(
    table: Dataset, out: str | os.PathLike[str], *, figures: bool = True
) -> list[Path]:
    """``forces.nc``, ``forces.csv`` and the figures in the folder `out`: all of them, or none.

    The files are made in a temporary folder beside `out` and moved in when the last one is complete.
    """
    folder = Path(out)
    if os.path.exists(folder) and not os.path.isdir(folder):
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
