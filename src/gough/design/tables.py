"""Result tables of a sweep: CSV, NetCDF, Parquet; the same bytes for the same rows, complete or not at all."""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.checks import InputError
from gough.design.metrics import METRICS
from gough.design.spec import DIMENSIONS, SI
from gough.export.tables import write_netcdf
from gough.storage import PLACE, replacing, stamped, write_whole

if TYPE_CHECKING:
    from gough.design.parameter_sweep import Row, Sweep

FORMATS = ("csv", "nc", "parquet")
TEXT = ("machine", "motion", "status")


def unit_of(name: str) -> str:
    """SI unit of a column, empty for text."""
    if name in TEXT:
        return ""
    return METRICS[name].unit if name in METRICS else SI[DIMENSIONS[name]]


def write_tables(
    plan: Sweep, rows: list[Row], folder: Path, formats: tuple[str, ...]
) -> list[Path]:
    """``results.*`` in `folder`, one row per case in the order of the cases."""
    columns = {name: [row[i] for row in rows] for i, name in enumerate(plan.columns)}
    writers = {"csv": _csv, "nc": _netcdf, "parquet": _parquet}
    return [
        writers[kind](plan, columns, folder / f"results.{kind}")
        for kind in FORMATS
        if kind in formats
    ]


def _csv(plan: Sweep, columns: dict[str, list[Any]], path: Path) -> Path:
    header = [f"{name} [{unit_of(name)}]" if unit_of(name) else name for name in columns]
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        for row in zip(*columns.values(), strict=True):
            writer.writerow([repr(x) if isinstance(x, float) else x for x in row])
    return path


def _netcdf(plan: Sweep, columns: dict[str, list[Any]], path: Path) -> Path:
    import xarray

    variables: dict[str, Any] = {}
    for name, values in columns.items():
        if name in TEXT:
            variables[name] = ("case", np.array(values, dtype=str), {"long_name": name})
        else:
            about = METRICS[name].about if name in METRICS else name.replace("_", " ")
            variables[name] = (
                "case",
                np.array(values, dtype=float),
                {"units": unit_of(name), "long_name": about},
            )
    table = xarray.Dataset(variables, attrs=_about(plan))
    return write_netcdf(table, path)


def _parquet(plan: Sweep, columns: dict[str, list[Any]], path: Path) -> Path:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise InputError(
            "formats", "parquet", "needs the extra: pip install gough[parquet]"
        ) from None
    fields = [
        pa.field(
            name,
            pa.string() if name in TEXT else pa.float64(),
            metadata={"units": unit_of(name)} if unit_of(name) else None,
        )
        for name in columns
    ]
    table = pa.table(list(columns.values()), schema=pa.schema(fields, metadata=_about(plan)))
    memory = io.BytesIO()
    with pq.ParquetWriter(memory, table.schema, write_page_checksum=True) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata({"seal": PLACE})
    return write_whole(path, stamped(memory.getvalue()))


def _about(plan: Sweep) -> dict[str, str]:
    import gough

    return {
        "title": "Parameter sweep",
        "identity": plan.identity,
        "software": f"gough {gough.__version__}",
        "byte_order": sys.byteorder,
    }
