"""optimize, sweep: which machine to build."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from gough.checks import InfeasibleError
from gough.cli.app import app, fail
from gough.cli.console import (
    Json,
    Out,
    answer,
    console,
    make_table,
    progress,
    say,
    write_json,
    write_line,
)


@app.command()
def optimize(
    spec: Annotated[
        Path, typer.Argument(help="Design file (.toml): machine, parameters, task, objective")
    ],
    out: Out,
    as_json: Json = False,
) -> None:
    """Find the dimensions of a platform family that do a task best; exit code 3 when nothing is feasible."""
    import gough
    from gough.design import optimize, read_problem

    problem = read_problem(spec)
    with progress() as bar:
        task = bar.add_task("generations", total=problem.generations)
        found = optimize(
            problem,
            lambda done, total, cost: bar.update(
                task,
                completed=min(done, total),
                description=f"best {cost:.6g}" if cost < 1e5 else "nothing feasible yet",
            ),
        )
    out.mkdir(parents=True, exist_ok=True)
    facts = found.as_dict()
    if found.platform is not None and found.feasible:
        facts["machine"] = str(gough.save(found.platform, out / "machine.toml"))
    write_json(facts, out / "result.json")
    answer(facts, as_json, _show_optimum)
    if not found.feasible:
        raise InfeasibleError(
            f"no feasible design in {found.evaluations} tried: " + "; ".join(found.reasons)
        )


def _show_optimum(facts: dict[str, Any]) -> None:
    from gough.design.metrics import METRICS
    from gough.design.spec import DIMENSIONS, SI

    table = make_table("parameter or metric", "value")
    for name, value in facts["parameters"].items():
        table.add_row(name, f"{value:.6g} {SI[DIMENSIONS[name]]}".removesuffix(" 1"))
    for name, value in facts["metrics"].items():
        table.add_row(name, f"{value:.6g} {METRICS[name].unit}".removesuffix(" 1"))
    console().print(table)
    write_line(f"cost {facts['cost']:.6g} after {facts['evaluations']} designs")


@app.command()
def sweep(
    spec: Annotated[
        Path, typer.Argument(help="Sweep file (.toml): machines, motions, axes, metrics")
    ],
    out: Out,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the sweep in this folder")
    ] = False,
    workers: Annotated[int, typer.Option(help="Local processes; 0: this process")] = 0,
    dask: Annotated[str, typer.Option(help="Address of a Dask scheduler, or 'local'")] = "",
    formats: Annotated[str, typer.Option("--format", help="csv, nc, parquet, by comma")] = "csv,nc",
    as_json: Json = False,
) -> None:
    """Metrics over machines, motions and parameters; a killed sweep resumes to the same bytes."""
    from gough.design import SweepStoppedError, read_sweep
    from gough.design import sweep as run_sweep

    plan = read_sweep(spec)
    how: dict[str, Any] = {"executor": "processes", "workers": workers} if workers else {}
    if dask:
        how = {
            "executor": "dask",
            "client": None if dask == "local" else dask,
            "workers": workers or None,
        }
    try:
        with progress() as bar:
            task = bar.add_task("chunks", total=plan.chunks)
            files = run_sweep(
                plan,
                out,
                resume=resume,
                formats=tuple(f.strip() for f in formats.split(",")),
                progress=lambda done, total: bar.update(task, completed=done, total=total),
                **how,
            )
    except SweepStoppedError as error:
        fail(str(error), 1)
        return
    except KeyboardInterrupt:
        fail(f"stopped; finished chunks are kept in {out}: resume with --resume", 1)
        return
    answer(
        {"cases": plan.cases, "chunks": plan.chunks, "files": [str(f) for f in files]},
        as_json,
        _show_sweep,
    )


def _show_sweep(found: dict[str, Any]) -> None:
    say(f"{found['cases']} cases")
    for name in found["files"]:
        typer.echo(name)
