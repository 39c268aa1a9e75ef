"""Files of a front: tables (as those of sweeps) and one machine file for each of its designs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

from gough.design.fronts import Front
from gough.design.metrics import METRICS, Metric
from gough.design.spec import MachineSpec
from gough.design.tables import check_formats, write_tables


class FrontTable(NamedTuple):
    """What design/tables.py asks of a table: its columns, their metrics and machines, its length and title."""

    columns: tuple[str, ...]
    metrics: dict[str, Metric]
    machines: dict[str, MachineSpec]
    cases: int
    identity: str
    title: str


def write_front(
    front: Front, out: str | os.PathLike[str], formats: tuple[str, ...] = ("csv", "nc")
) -> list[Path]:
    """``front.*`` in the folder `out`, a row for each design, and ``machines/design-N.toml``; answers their paths.

    formats  among "csv", "nc", "parquet"
    """
    import gough

    check_formats(formats)
    folder, problem = Path(out), front.problem
    (folder / "machines").mkdir(parents=True, exist_ok=True)
    table = FrontTable(
        (*problem.ranges, *problem.metrics),
        {name: METRICS[name] for name in problem.metrics},
        {problem.machine.source: problem.machine},
        len(front.designs),
        "",
        "Front found: " + ", ".join(problem.objectives),
    )
    rows: list[list[Any]] = [
        [*d.parameters.values(), *(d.metrics[name] for name in problem.metrics)]
        for d in front.designs
    ]
    files = write_tables(table, lambda: iter(rows), folder, formats, "front")
    return files + [
        Path(gough.save(front.machine(k), folder / "machines" / f"design-{k}.toml"))
        for k in range(len(front.designs))
    ]
