"""Maps over a workspace (analysis/workspace_maps.py) as tables: NetCDF over x, y, z, or CSV with a row per cell."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gough.analysis.workspace_maps import WorkspaceMap
from gough.checks import InputError
from gough.export.tables import AXES, write_netcdf
from gough.extras import package
from gough.storage import write_whole

if TYPE_CHECKING:
    from xarray import Dataset


def map_table(found: WorkspaceMap) -> Dataset:
    """The quantity over the centers of cells x, y, z (m, world axes); NaN where a cell is not joined."""
    xarray = package("xarray")

    what = {"units": "m", "long_name": "center of a cell, world axes"}
    places = {axis: (axis, at, what) for axis, at in zip(AXES, found.axes, strict=True)}
    values = {
        found.quantity: (
            AXES,
            found.values,
            {"units": found.unit, "long_name": f"{found.quantity} at the centers of joined cells"},
        )
    }
    return xarray.Dataset(values, places, {"judged": found.sentence()})


def save_map(found: WorkspaceMap, path: str | os.PathLike[str]) -> Path:
    """Write a map as .nc, or as .csv with a row per joined cell: its center, m, and the value, all digits."""
    kind = Path(path).suffix.lower()
    if kind == ".nc":
        return write_netcdf(map_table(found), path)
    if kind != ".csv":
        raise InputError("path", str(path), "must end in .nc or .csv")
    joined = np.argwhere(np.isfinite(found.values))
    at = [axis[k] for axis, k in zip(found.axes, joined.T, strict=True)]
    rows = np.column_stack([*at, found.values[tuple(joined.T)]]).tolist()
    head = ",".join([*(f"{axis} [m]" for axis in AXES), f"{found.quantity} [{found.unit}]"])
    text = "\n".join([head, *(",".join(map(repr, row)) for row in rows)])
    return write_whole(path, text + "\n")
