"""Result tables of a sweep: CSV, NetCDF, Parquet; the same bytes for the same rows, complete or not at all.

All are written row by row or group by group, in memory that does not grow with the table.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from gough.checks import InputError
from gough.design.code_state import running_code
from gough.design.spec import DIMENSIONS, SI
from gough.export.streamed_netcdf import GROUP, Column, write_streamed
from gough.extras import need
from gough.storage import PLACE, replacing, stamp

if TYPE_CHECKING:
    from gough.design.metrics import Metric
    from gough.design.spec import MachineSpec
    from gough.design.sweep_plan import Row

FORMATS = ("csv", "nc", "parquet")
TEXT = ("machine", "motion", "status")


class Plan(Protocol):
    """What a table is of: its columns, the metrics among them, machines, number of rows, and what it is called.

    identity  hash of everything that decides its rows, empty where there is none
    """

    @property
    def columns(self) -> tuple[str, ...]: ...
    @property
    def metrics(self) -> dict[str, Metric]: ...
    @property
    def machines(self) -> dict[str, MachineSpec]: ...
    @property
    def cases(self) -> int: ...
    @property
    def identity(self) -> str: ...
    @property
    def title(self) -> str: ...


def unit_of(plan: Plan, name: str) -> str:
    """SI unit of a column, empty for text."""
    if name in TEXT:
        return ""
    if name not in plan.metrics:
        return SI[DIMENSIONS[name]]
    found = {}
    for machine in plan.machines.values():
        with suppress(InputError):  # a machine without this metric: its rows say why
            found |= dict.fromkeys(machine.units({name: plan.metrics[name]}).values())
    return " or ".join(found) or plan.metrics[name].unit


def check_formats(formats: tuple[str, ...]) -> None:
    """Refuse formats that are not known or cannot be written here, before anything is computed."""
    unknown = [kind for kind in formats if kind not in FORMATS]
    if unknown or not formats:
        raise InputError("formats", list(formats), f"must be among {', '.join(FORMATS)}")
    if "parquet" in formats:
        need("pyarrow")
    if "nc" in formats:
        need("h5netcdf", "h5py")


def write_tables(
    plan: Plan,
    rows: Callable[[], Iterator[Row]],
    folder: Path,
    formats: tuple[str, ...],
    stem: str = "results",
    digits: Callable[[], Iterator[Row]] | None = None,
) -> list[Path]:
    """``results.*`` in `folder`, one row per case in the order of the cases; each `rows()` runs through them once.

    digits  the same rows with numbers as all their digits (Python's ``repr``), where somebody has them already
    """
    writers = {"csv": _csv, "nc": _netcdf, "parquet": _parquet}
    source = {"csv": digits or rows}
    return [
        writers[kind](plan, source.get(kind, rows), folder / f"{stem}.{kind}")
        for kind in FORMATS
        if kind in formats
    ]


def _csv(plan: Plan, rows: Callable[[], Iterator[Row]], path: Path) -> Path:
    units = {name: unit_of(plan, name) for name in plan.columns}
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([f"{name} [{unit}]" if unit else name for name, unit in units.items()])
        writer.writerows(rows())  # numbers with all their digits
    return path


def _netcdf(plan: Plan, rows: Callable[[], Iterator[Row]], path: Path) -> Path:
    columns = {}
    for name in plan.columns:
        metric = plan.metrics.get(name)
        about = metric.about if metric is not None else name if name in TEXT else spoken(name)
        columns[name] = Column(None if name in TEXT else unit_of(plan, name), about)
    return write_streamed(path, columns, rows, _about(plan))


def spoken(name: str) -> str:
    """A parameter's name in words."""
    return name.replace("_", " ")


def _parquet(plan: Plan, rows: Callable[[], Iterator[Row]], path: Path) -> Path:
    """Row groups of `GROUP` cases, one in memory at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    fields = [
        pa.field(
            name,
            pa.string() if name in TEXT else pa.float64(),
            metadata={"units": unit_of(plan, name)} if unit_of(plan, name) else None,
        )
        for name in plan.columns
    ]
    schema = pa.schema(fields, metadata=_about(plan))
    with replacing(path) as temporary:
        with pq.ParquetWriter(str(temporary), schema, write_page_checksum=True) as writer:
            each = rows()
            while group := list(islice(each, GROUP)):
                columns = [list(column) for column in zip(*group, strict=True)]
                writer.write_table(pa.table(columns, schema=schema))
            writer.add_key_value_metadata({"seal": PLACE})
        stamp(temporary)
    return path


def _about(plan: Plan) -> dict[str, str]:
    code = running_code()
    commit = f", commit {code['commit']}" if code["commit"] else ""
    return {
        "title": plan.title,
        **({"identity": plan.identity} if plan.identity else {}),
        "software": f"gough {code['version']}{commit}",
        "sources": code["digest"],
        "byte_order": sys.byteorder,
    }
