"""The report: one HTML file with the studio's bundle, its data as JSON inside, and no address to load anything from.

A Content-Security-Policy with the hashes of the two inlined files lets nothing else run or load, so the file is safe
to send and opens by double click.
"""

from __future__ import annotations

import base64
import datetime
import hashlib
import html
import json
import os
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

import gough
from gough.analysis.drawing import drawing, level_plane, slice_drawing
from gough.analysis.proved import UNDECIDED
from gough.analysis.timeline import flat, timeline
from gough.analysis.workspace import workspace_slice
from gough.checks import InputError
from gough.model import Platform
from gough.model.files import dumps
from gough.model.json_document import from_document, sheet, to_document
from gough.report.verdicts import verdict, versions
from gough.spatial import Motion
from gough.storage import write_whole
from gough.trajectory import Trajectory

DIGITS = 6  # significant digits of the plotted numbers in the file
SLICE_POINTS = 91
PAPERS = {"a4": "A4", "letter": "letter"}  # by the name asked for, as CSS calls it


def report_html(
    platform: Platform, motion: Motion | None = None, *, paper: str = "a4", **options: Any
) -> str:
    """The text of a report on `platform`, and on `motion` (one time axis) if given; options of `report_data`.

    paper  that it prints to: a4 or letter
    """
    size = check_paper(paper)
    return page(report_data(platform, motion, **options), paper=size)


def check_paper(name: str) -> str:
    """The paper of that name as CSS calls it, or `InputError`."""
    if name.lower() not in PAPERS:
        raise InputError("paper", name, "must be " + " or ".join(PAPERS))
    return PAPERS[name.lower()]


def report_data(
    platform: Platform,
    motion: Motion | None = None,
    *,
    external: Any = None,
    formulations: tuple[str, ...] = ("exact",),
    title: str = "",
    label: str = "",
    warnings: tuple[str, ...] = (),
    trajectory: Trajectory | None = None,
    author: str = "",
    date: str = "",
    definition: str = "",
    provenance: tuple[tuple[str, str], ...] = (),
) -> dict[str, Any]:
    """Everything a report shows, as JSON-ready data.

    trajectory  that `motion` was taken from: its limits are then proved; without it, and where a proof is left open,
                the warnings say so
    author, date  of the report; the date is today's unless given
    definition  the motion in words: the text of its file
    provenance  rows on the run that the motion was recorded in (`run_provenance`)
    """
    if not isinstance(platform, Platform):
        raise InputError("platform", platform, "must be a gough.Platform")
    name = platform.name or "machine"
    _, notes = from_document(to_document(platform))
    data: dict[str, Any] = {
        "title": title or name,
        "version": gough.__version__,
        "versions": versions(),
        "author": author,
        "date": date or datetime.date.today().isoformat(),
        "toml": dumps(platform),
        "subtitle": f"6-{'/'.join(sorted(set(platform.kinds)))} platform"
        + (f", {label}" if label else ""),
        "machine": {
            "document": to_document(platform),
            "drawing": drawing(platform),
            "sheet": sheet(platform),
            "warnings": list(warnings) or list(notes),
        },
        "slice": slice_data(platform),
        "timeline": None,
    }
    if motion is not None:
        values, figures, refused, remarks = timeline(
            platform, motion, external, formulations, trajectory
        )
        data["machine"]["warnings"] += [said for said in remarks if _open(said)]
        data["timeline"] = {
            "label": label or "motion",
            "data": flat(values, DIGITS),
            "summary": figures,
            "refused": refused,
            "notes": remarks,
            "external": None if external is None else np.asarray(external, float).tolist(),
            "definition": definition,
            "provenance": list(provenance),
        }
    data["verdict"] = verdict(data["timeline"])
    return data


def _open(note: str) -> bool:
    """A note that leaves it open whether the motion keeps the limits."""
    return "no proof" in note or UNDECIDED in note or "contradict" in note


def slice_data(platform: Platform) -> dict[str, Any]:
    """The horizontal slice of the workspace at the home orientation."""
    found = slice_drawing(
        workspace_slice(platform, plane=level_plane(platform), points=SLICE_POINTS)
    )
    return found | {axis: flat(found[axis], DIGITS) for axis in ("u", "v")}


def page(data: dict[str, Any], rules: str = "", paper: str = "A4") -> str:
    """The HTML page around `data`, for a paper as CSS calls it; `rules` of style are added to its own."""
    script, style = asset("report.js"), asset("studio.css") + rules
    style += f"\n@page {{ size: {paper}; }}"
    script = script.replace("</script", "<\\/script").replace("<!--", "<\\!--")
    text = json.dumps(data, allow_nan=False, separators=(",", ":"), ensure_ascii=False)
    text = text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )
    return (
        '<!doctype html>\n<html lang="en" data-theme="light">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(str(data.get('title', 'gough report')))}</title>\n<style>{style}</style>\n</head>\n"
        '<body class="report">\n<div id="app"></div>\n'
        f'<script type="application/json" id="gough-report">{text}</script>\n'
        f'<script type="module">{script}</script>\n</body>\n</html>\n'
    )


def write_report(
    path: str | Path, platform: Platform, motion: Motion | None = None, **options: Any
) -> Path:
    """Write the report to `path` in one piece; options of `report_html`."""
    target = Path(path)
    if os.path.isdir(target) or not os.path.isdir(target.parent):
        raise InputError("out", str(path), "must be a file name in an existing folder")
    return write_whole(target, report_html(platform, motion, **options))


def asset(name: str) -> str:
    """A built file of the front end."""
    return (resources.files("gough") / "studio" / "dist" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode(
        "ascii"
    )
