"""The report on a simulated run: one HTML file that loads nothing; what was run, how it ended, what happened."""

from __future__ import annotations

import html
import json
from importlib import resources
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

import gough
from gough.checks import InputError
from gough.export.facts import run_facts
from gough.export.tracking import Tracking
from gough.model import Platform
from gough.report.paper_figures import svg
from gough.report.run_drawing import run_figure
from gough.report.verdicts import PROVENANCE
from gough.storage import write_whole

if TYPE_CHECKING:
    from xarray import Dataset


def run_page(
    run: Dataset, platform: Platform, error: Tracking | None = None, scenario: str = ""
) -> str:
    """The page of a single run; `scenario`: the text of its file, shown at the end."""
    found = run_facts(run)
    about = [
        (words, run.attrs[name])
        for name, words in PROVENANCE.items()
        if run.attrs.get(name) not in (None, "")
    ]
    per_leg = (found[name] for name in ("peak_force", "force_unit", "peak_rate", "length_unit"))
    legs = zip(run.leg.values, *per_leg, strict=True)
    tracking = (
        []
        if error is None
        else [(n.replace("_", " "), f"{x:.4g}") for n, x in error.figures().items()]
    )
    events = [
        (f"{e['time']:.6g}", e["name"], e["leg"] or "", e["text"])
        for e in json.loads(run.attrs["events"])
    ]
    parts = {
        "title": html.escape(str(run.attrs.get("scenario") or run.attrs["title"])),
        "machine": html.escape(platform.name or "a platform"),
        "status": html.escape(str(run.attrs["status"])),
        "kind": "ok" if run.attrs["status"] == "ok" else "not",
        "about": _table((), about),
        "figure": svg(run_figure(run, platform, error)),
        "tracking": _table(("tracking error", "size"), tracking)
        if tracking
        else "<p>No reference: no tracking error.</p>",
        "legs": _table(
            ("leg", "peak motor effort", "peak rate"),
            [(n, f"{f:.5g} {N}", f"{v:.4g} {m}/s") for n, f, N, v, m in legs],
        ),
        "events": _table(("time (s)", "event", "leg", "what"), events)
        if events
        else "<p>None.</p>",
        "scenario": f"<pre>{html.escape(scenario)}</pre>" if scenario else "<p>Not given.</p>",
        "version": gough.__version__,
    }
    page = resources.files("gough.report").joinpath("run_page.html").read_text(encoding="utf-8")
    return Template(page).substitute(parts)


def write_run_report(
    path: str | Path,
    run: Dataset,
    platform: Platform,
    error: Tracking | None = None,
    scenario: str = "",
) -> Path:
    """Write `run_page` to a file, whole or not at all."""
    target = Path(path)
    if target.suffix.lower() not in (".html", ".htm"):
        raise InputError("path", str(path), "must end in .html")
    return write_whole(target, run_page(run, platform, error, scenario))


def _table(headings: tuple[str, ...], rows: list[Any]) -> str:
    head = "".join(f"<th>{html.escape(name)}</th>" for name in headings)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in row) + "</tr>"
        for row in rows
    )
    return (
        f"<table>{f'<thead><tr>{head}</tr></thead>' if head else ''}<tbody>{body}</tbody></table>"
    )
