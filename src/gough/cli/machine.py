"""show, presets, forces, cite: what a machine is and what a motion asks of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import typer

from gough.checks import InputError
from gough.cli import console
from gough.cli.app import command
from gough.cli.quantities import read_wrench


@command()
def presets(as_json: bool = False) -> None:
    """List the machines that ship with gough."""
    import gough

    def show(found: dict[str, str]) -> None:
        console.show_rows(found.items(), ("name", "machine"))

    console.answer({name: gough.preset_summary(name) for name in gough.presets()}, as_json, show)


@command()
def schema() -> None:
    """Print the JSON Schema of machine files, for editors."""
    from gough.model.files import json_schema

    typer.echo(json.dumps(json_schema(), indent=1))


@command()
def show(
    machine: str,
    figure: Path | None = None,
    as_json: bool = False,
    as_toml: bool = False,
) -> None:
    """Show a machine: legs, masses, home pose, source, warnings; and draw it."""
    from gough.export.facts import machine_facts
    from gough.model.files import dumps

    platform, notes = console.load_with_notes(machine)
    if figure is not None:
        from gough.report.figures import machine_figure, save_figure

        console.say(f"wrote {save_figure(machine_figure(platform), figure)}")
    if as_toml:
        console.say(*notes)
        typer.echo(dumps(platform), nl=False)
    else:
        console.answer(machine_facts(platform, notes), as_json, _show)


@command()
def forces(
    machine: str,
    trajectory: str,
    out: Path,
    formulation: str = "exact",
    published: bool = False,
    dt: float | None = None,
    samples: int | None = None,
    wrench: str | None = None,
    max_condition: float | None = None,
    drives: bool = False,
    reactions: bool | None = None,
    figures: bool = True,
    as_json: bool = False,
) -> None:
    """Actuator forces along a trajectory: NetCDF, CSV, plots of lengths, forces, reactions, condition."""
    from gough.export.facts import forces_along, forces_facts
    from gough.report.forces import write_folder

    platform = console.read_machine(machine)
    motion = console.read_path(platform, trajectory).sample(samples, dt)
    external = None if wrench is None else read_wrench(wrench)
    with console.progress() as bar:
        task = bar.add_task("forces", total=len(motion.position))
        table = forces_along(
            platform,
            motion,
            external,
            formulation=formulation,
            published=published,
            max_condition=max_condition,
            drives=drives,
            reactions=reactions,
            progress=lambda done: bar.update(task, completed=done),
            trajectory=Path(trajectory).name,
        )
        task = bar.add_task("files", total=None)
        files = write_folder(table, out, figures=figures)
        bar.update(task, total=1, completed=1)
    console.warn_along(platform, motion, trajectory, table["force"].values)
    console.answer(forces_facts(table) | {"files": [str(f) for f in files]}, as_json, _show_forces)


@command()
def cite(
    machine: str | None = None,
) -> None:
    """How to cite gough, and the papers behind a machine's numbers, as BibTeX."""
    import gough
    from gough.model.citations import bibtex

    typer.echo(
        "@software{gough,\n  title   = {gough: the toolkit for Gough-Stewart platforms},\n"
        f"  author  = {{{{The gough developers}}}},\n  version = {{{gough.__version__}}},\n"
        "  license = {MIT}\n}"
    )
    if machine is not None:
        source = console.load_with_notes(machine)[0].source
        if not source.title:
            raise InputError("machine", machine, "names no source")
        papers = bibtex(source)
        if papers:
            typer.echo(f"\n{papers}")
        where = f", {source.page}" if source.page else ""
        doi = f", doi:{source.doi}" if source.doi else ""
        typer.echo(f"\nNumbers of {machine}: {source.title}{where}{doi}")


def _show(facts: dict[str, Any]) -> None:
    from rich.padding import Padding
    from rich.text import Text

    console.write_line(facts["name"] or "platform", style="bold")
    where = f", {facts['page']}" if facts["page"] else ""
    rows = [("source", facts["source"] + where)] if facts["source"] else []
    body, home = facts["platform"], facts["home"]
    rows.append(
        ("platform", f"{body['mass']:g} kg, mass center {console.numbers(body['center'])} m")
    )
    first, *others = map(console.numbers, body["inertia"])
    rows += [("inertia", f"{first} kg m²"), *(("", row) for row in others)]
    rows.append(("gravity", f"{console.numbers(facts['gravity'])} m/s²"))
    rows.append(("size", f"characteristic length {facts['characteristic_length']:.6g} m"))
    if home:
        rows.append(
            (
                "home",
                f"{console.numbers(home['position'])} m, rpy {console.numbers(home['rpy'])} rad",
            )
        )
    console.show_rows(rows)
    console.show_table(_LEG, map(_leg_row, facts["legs"]))
    titles = {"chosen": "chosen, not in the source", "errata": "errata", "warnings": "warnings"}
    for key, title in titles.items():
        if facts[key]:
            console.write_line(f"\n{title}", style="bold")
            for sentence in facts[key]:
                console.screen().print(Padding(Text(f"- {sentence}"), (0, 0, 0, 2)))


_LEG = {
    "leg": "{name}",
    "type": "{type}",
    "base joint (m)": "{base}",
    "platform joint (m)": "{joint}",
    "mass (kg)": "{mass:g}",
    "at home": "{home}",
    "stroke": "{stroke}",
    "limits": "{limits}",
}


def _leg_row(leg: dict[str, Any]) -> dict[str, Any]:
    unit, stroke = leg["length_unit"], leg["stroke"]
    limits = [f"{leg['max_force']:g} {leg['force_unit']}"] if leg["max_force"] else []
    limits += [f"{leg['max_speed']:g} {unit}/s"] if leg["max_speed"] else []
    return leg | {
        "base": console.numbers(leg["base"]),
        "joint": console.numbers(leg["joint"]),
        "home": "" if leg.get("home") is None else f"{leg['home']:.6g} {unit}",
        "stroke": "" if stroke is None else f"{stroke[0]:g} to {stroke[1]:g} {unit}",
        "limits": ", ".join(limits),
    }


_ALONG = {
    "leg": "{name}",
    "coordinate": "{min_length:.4f} to {max_length:.4f} {length_unit}",
    "largest rate": "{max_rate:.4f} {length_unit}/s",
    "peak effort": "{peak_force:.4f} {force_unit}",
    "at (s)": "{peak_time:.4g}",
    "rms effort": "{rms_force:.4f} {force_unit}",
}


def _show_forces(found: dict[str, Any]) -> None:
    head = "{machine}, {trajectory}: {samples} samples, formulation {formulation}"
    console.write_line(head.format_map(found))
    console.show_table(_ALONG, found["legs"])
    worst = "largest condition number {max_condition:.4g} at {max_condition_time:.4g} s"
    console.write_line(worst.format_map(found))
    for name in found["files"]:
        console.write_line(name)
