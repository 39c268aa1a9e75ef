"""optimize, sweep: which machine to build."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from gough.checks import InfeasibleError
from gough.cli import console
from gough.cli.app import command, fail
from gough.cli.pace import told


@command()
def optimize(
    spec: Path,
    out: Path,
    formats: str = "csv,nc",
    as_json: bool = False,
) -> None:
    """Find the dimensions of a platform family that do a task best; exit code 3 when nothing is feasible.

    With several `objectives` the front found is printed, drawn and written, with a machine file for each design.
    """
    import gough
    from gough.design import optimize, read_problem

    problem = read_problem(spec)
    if problem.objectives:
        _front(problem, out, _listed(formats), as_json)
        return
    with console.progress() as bar:
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
    console.write_json(facts, out / "result.json")
    console.answer(facts, as_json, _show_optimum)
    if not found.feasible:
        raise InfeasibleError(
            f"no feasible design in {found.evaluations} tried: " + "; ".join(found.reasons)
        )


def _listed(formats: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in formats.split(","))


def _front(problem: Any, out: Path, formats: tuple[str, ...], as_json: bool) -> None:
    """Search, draw and write a front."""
    from gough.design import find_front, write_front
    from gough.design.tables import check_formats
    from gough.report import front_figure, save_figure

    check_formats(formats)
    with console.progress() as bar:
        task = bar.add_task("generations", total=problem.generations)
        found = find_front(
            problem,
            lambda done, total, count: bar.update(
                task, completed=done, description=f"{count} designs on the front"
            ),
        )
    out.mkdir(parents=True, exist_ok=True)
    facts = found.as_dict()
    if found.feasible:
        files = write_front(found, out, formats)
        figure = front_figure(found)
        files += [save_figure(figure, out / f"front.{kind}") for kind in ("png", "svg")]
        facts["files"] = [str(file) for file in files]
    console.write_json(facts, out / "result.json")
    if not found.feasible:
        console.answer(facts, as_json, lambda _: None)
        raise InfeasibleError(found.sentence())
    console.answer(facts, as_json, _show_front)
    console.say(found.sentence())


def _show_front(facts: dict[str, Any]) -> None:
    from gough.design.spec import DIMENSIONS, SI

    first = facts["designs"][0]
    units = {name: SI[DIMENSIONS[name]] for name in first["parameters"]} | facts["units"]
    names = [*first["parameters"], *first["metrics"]]
    shown = [f"{name} [{units[name]}]".removesuffix(" [1]") for name in names]
    rows = ({**d["parameters"], **d["metrics"]} for d in facts["designs"])
    console.show_rows(
        ((str(k), *(f"{row[name]:.6g}" for name in names)) for k, row in enumerate(rows)),
        ("design", *shown),
    )


def _show_optimum(facts: dict[str, Any]) -> None:
    from gough.design.spec import DIMENSIONS, SI

    units = {name: SI[DIMENSIONS[name]] for name in facts["parameters"]}
    units |= facts["units"]
    rows = [*facts["parameters"].items(), *facts["metrics"].items()]
    console.show_rows(
        ((name, f"{value:.6g} {units[name]}".removesuffix(" 1")) for name, value in rows),
        ("parameter or metric", "value"),
    )
    console.write_line(f"cost {facts['cost']:.6g} after {facts['evaluations']} designs")


@command()
def sweep(
    spec: Path,
    out: Path,
    resume: bool = False,
    workers: int = 0,
    dask: str = "",
    formats: str = "csv,nc",
    chunk: int = 0,
    metrics: str = "",
    as_json: bool = False,
) -> None:
    """Metrics over machines, motions and parameters; a killed sweep resumes to the same bytes."""
    from gough.design import SweepStoppedError, read_sweep
    from gough.design import sweep as run_sweep
    from gough.design.parameter_sweep import roads
    from gough.limits import home_warnings

    plan = read_sweep(spec, metrics or None)
    for name, machine in plan.machines.items():
        if machine.family is None:
            console.say(*(f"{name}: {said}" for said in home_warnings(machine.build({}))))
    how: dict[str, Any] = {"executor": "processes", "workers": workers} if workers else {}
    if dask:
        how = {
            "executor": "dask",
            "client": None if dask == "local" else dask,
            "workers": workers or None,
        }
    try:
        with told("cases") as progress:
            files = run_sweep(
                plan,
                out,
                resume=resume,
                formats=_listed(formats),
                progress=progress,
                chunk=chunk or None,
                **how,
            )
    except SweepStoppedError as error:
        fail(str(error), 1)
        return
    except KeyboardInterrupt:
        fail(f"stopped; finished cases are kept in {out}: resume with --resume", 1)
        return
    console.answer(
        {"cases": plan.cases, "roads": roads(plan), "files": [str(f) for f in files]},
        as_json,
        _show_sweep,
    )


def _show_sweep(found: dict[str, Any]) -> None:
    console.say(f"{found['cases']} cases", *(f"{k}: {road}" for k, road in found["roads"].items()))
    for name in found["files"]:
        typer.echo(name)
