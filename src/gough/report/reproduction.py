"""The page that reproduces the five papers: one self-contained HTML file, pictures and a CSV a figure."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterable, Sequence
from importlib.resources import files
from pathlib import Path

import numpy as np

import gough
from gough.report.paper_figures import csv, draw, svg
from gough.reproduce import Reproduction
from gough.reproduce.agreement import Agreement
from gough.reproduce.page import VERDICTS, Claim, Figure, PaperReport, Progress, TextTable, tell
from gough.storage import replacing, write_whole

AGREES = 1e-9
INTRO = (
    "Five papers describe the dynamics of the Gough–Stewart platform by five methods. Every figure, table and number "
    "below was computed twice: with the paper's equations as printed, and exactly. With their slips corrected all "
    "five methods give the same forces to rounding; as printed they do not."
)


def write_reproduction(found: Reproduction, out: Path, progress: Progress | None = None) -> Path:
    """Write ``index.html``, ``figures/*.svg|png``, ``data/*.csv`` under `out`.  The page's path."""
    figures = [figure for paper in found.papers for figure in paper.figures]
    drawings = {}
    for n, figure in enumerate(figures):
        tell(progress, f"drawing {figure.key}", n / len(figures))
        drawings[figure.key] = _write_figure(figure, out)
    target = write_whole(out / "index.html", page(found, drawings))
    tell(progress, "done", 1.0)
    return target


def _write_figure(figure: Figure, out: Path) -> str:
    (out / "figures").mkdir(parents=True, exist_ok=True)
    (out / "data").mkdir(parents=True, exist_ok=True)
    canvas = draw(figure)
    text = svg(canvas)
    write_whole(out / "figures" / f"{figure.key}.svg", text)
    with replacing(out / "figures" / f"{figure.key}.png") as temporary:
        canvas.savefig(temporary, format="png", dpi=150)
    write_whole(out / "data" / f"{figure.key}.csv", csv(figure))
    return text


def page(found: Reproduction, drawings: dict[str, str]) -> str:
    """The whole document."""
    reports = found.papers
    style = files("gough.report").joinpath("reproduction.css").read_text(encoding="utf-8")
    links = "".join(
        f'<a href="#p{r.key}">{_e(r.key)} {_e(_short(r.citation))}</a>' for r in reports
    )
    papers = (_paper(r, drawings) for r in reports)
    body = "".join(
        [
            _overview(reports),
            *papers,
            _matrix(found.agreement),
            _operations(found.operations),
            _all_errata(reports),
        ]
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>gough: five papers reproduced</title><style>{style}</style></head><body>"
        f"<header><h1><b>gough</b> · five papers, reproduced and settled</h1><p>{_e(INTRO)}</p></header>"
        f'<div class="layout"><nav><a href="#overview">In one minute</a>{links}<a href="#agreement">Agreement</a>'
        '<a href="#operations">Operations</a>'
        f'<a href="#errata">All errata</a></nav><main>{body}</main></div>'
        f"<footer>made by gough {_e(gough.__version__)} with <code>gough reproduce</code></footer></body></html>"
    )


def _e(text: object) -> str:
    return html.escape(str(text))


def _short(citation: str) -> str:
    return citation.split(",")[0].split("(")[0].split(":")[0].strip()[:28]


def _overview(reports: Sequence[PaperReport]) -> str:
    rows = []
    for r in reports:
        count = Counter(c.verdict for c in r.claims)
        badges = " ".join(
            f'<span class="verdict {v}">{count[v]} {v}</span>' for v in VERDICTS if count[v]
        )
        rows.append(
            [
                f'<a href="#p{r.key}">{_e(r.key)}</a>',
                _e(r.citation),
                _e(r.summary),
                f"{len(r.figures)} figures, {len(r.tables)} tables",
                badges,
            ]
        )
    head = ["", "paper", "what came out", "redrawn", "its statements"]
    return (
        f'<section id="overview"><h2>In one minute</h2>{_raw_table(head, rows)}'
        f"<p>{_verdict_legend()}</p></section>"
    )


def _verdict_legend() -> str:
    meaning = {
        "reproduced": "the statement holds",
        "differs": "holds in kind, with another number",
        "wrong": "does not hold",
        "unclear": "the paper gives too little to decide",
    }
    return " · ".join(f'<span class="verdict {v}">{v}</span> {meaning[v]}' for v in VERDICTS)


def _paper(r: PaperReport, drawings: dict[str, str]) -> str:
    choices = "".join(f"<li>{_e(c)}</li>" for c in r.choices)
    parts = [
        f'<section id="p{r.key}"><h2>{_e(r.key)} · {_e(_short(r.citation))}</h2><p class="cite">{_e(r.citation)}</p>',
        f'<p class="lead">{_e(r.summary)}</p><p>{_e(r.mechanism)}</p>',
        f"<details open><summary>What the paper leaves open, and what was chosen</summary><ul>{choices}</ul></details>"
        if choices
        else "",
        f"<h3>Statements of the paper</h3>{_claims(r.claims)}",
        "<h3>Figures</h3>" if r.figures else "",
        *(_figure(f, drawings[f.key]) for f in r.figures),
        "<h3>Tables</h3>" if r.tables else "",
        *(_table(t) for t in r.tables),
        "<h3>Printed errors and their measured cost</h3>",
        _raw_table(
            ["key", "what is wrong, and right", "cost"],
            [
                [f'<span class="key">{_e(e.key)}</span>', _e(e.sentence), _e(e.cost)]
                for e in r.errata
            ],
        ),
        "</section>",
    ]
    return "".join(parts)


def _claims(claims: Iterable[Claim]) -> str:
    rows = [
        [
            _e(c.statement) + (f"<br><small>{_e(c.note)}</small>" if c.note else ""),
            _e(c.where),
            _e(c.printed_value),
            _e(c.as_printed),
            _e(c.exact),
            f'<span class="verdict {c.verdict}">{c.verdict}</span>',
        ]
        for c in claims
    ]
    return _raw_table(
        ["the paper says", "where", "its number", "its equations as printed", "exact", "verdict"],
        rows,
    )


def _figure(figure: Figure, drawing: str) -> str:
    return (
        f'<figure id="{_e(figure.key)}">{drawing}<figcaption><b>{_e(figure.title)}</b> {_e(figure.caption)}'
        "</figcaption></figure>"
    )


def _table(table: TextTable) -> str:
    return f"<h4>{_e(table.title)}</h4>{_escaped(table)}"


def _escaped(table: TextTable) -> str:
    return _raw_table(
        [_e(h) for h in table.header], [[_e(cell) for cell in row] for row in table.rows]
    )


def _raw_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f"<th>{h}</th>" for h in header)
    lines = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table></div>'


def _matrix(a: Agreement) -> str:
    rows = []
    for i, name in enumerate(a.formulations):
        cells = [f"<td>{_e(name)}</td>"]
        for j in range(len(a.formulations)):
            value = a.largest[i, j]
            if i == j or np.isnan(value):
                cells.append('<td class="none">–</td>')
            else:
                cells.append(
                    f'<td class="number {"good" if value < AGREES else "bad"}">{value:.1e}</td>'
                )
        rows.append("<tr>" + "".join(cells) + "</tr>")
    head = "<th></th>" + "".join(f'<th class="number">{_e(n)}</th>' for n in a.formulations)
    return (
        '<section id="agreement"><h2>Agreement of all formulations</h2>'
        "<p>Largest difference of actuator forces between two formulations, relative to the largest force of the "
        f"state, over {a.states} random fast states of each machine both apply to: {_e(', '.join(a.machines))}. "
        "They share no derivation and no code, so agreement to rounding is evidence for each of them.</p>"
        f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'
        "</section>"
    )


def _operations(table: TextTable) -> str:
    return (
        '<section id="operations"><h2>Operation counts</h2><p>Additions, multiplications, divisions and roots of one '
        "inverse dynamics, counted by running each formulation's own code on numbers that count; the exact model's is "
        "the traced program its kernels are made from. Counts are the same on every computer.</p>"
        f"{_escaped(table)}</section>"
    )


def _all_errata(reports: Sequence[PaperReport]) -> str:
    rows = [
        [f'<a class="key" href="#p{r.key}">{_e(e.key)}</a>', _e(e.sentence), _e(e.cost)]
        for r in reports
        for e in r.errata
    ]
    return (
        f'<section id="errata"><h2>All errata with their measured cost</h2>'
        f"{_raw_table(['key', 'what is wrong, and right', 'cost'], rows)}</section>"
    )
