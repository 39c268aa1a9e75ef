"""The page that recomputes the five papers: one self-contained HTML file, pictures and a CSV a figure."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from importlib.resources import files
from pathlib import Path
from string import Template

import numpy as np

import gough
from gough.report.mathml import typeset
from gough.report.paper_figures import csv, draw, svg
from gough.reproduce import Reproduction
from gough.reproduce.agreement import Agreement
from gough.reproduce.codes import PublicCodes
from gough.reproduce.page import (
    GRADES,
    SCAN,
    Claim,
    Erratum,
    Figure,
    PaperReport,
    Progress,
    TextTable,
    tell,
)
from gough.reproduce.verdicts import VERDICTS
from gough.storage import replacing, write_whole

AGREES = 1e-9
PARTS = {"says": "Statements", "figures": "Figures", "tables": "Tables", "errata": "Errata"}
CODE = re.compile(r"E00\d-\d+")
COUNTS = [
    "No",
    "One",
    "Two",
    "Three",
    "Four",
    "Five",
    "Six",
    "Seven",
    "Eight",
    "Nine",
    "Ten",
    "Eleven",
    "Twelve",
]


def write_reproduction(found: Reproduction, out: Path, progress: Progress | None = None) -> Path:
    """Write ``index.html``, ``figures/*.svg|png``, ``data/*.csv`` under `out`.  The page's path."""
    figures = [found.overview, *(figure for paper in found.papers for figure in paper.figures)]
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
    room = files("gough.report")
    reports = found.papers
    write = _Linked({e.key for r in reports for e in r.errata})
    numbered, ours = _figure_counts(reports)
    body = [
        _overview(found, drawings["overview"], write),
        *(_paper(r, drawings, write) for r in reports),
        _matrix(found.agreement),
        _operations(found.operations),
        "" if found.codes is None else _codes(found.codes),
        _by_grade(reports),
    ]
    skeleton = Template(room.joinpath("reproduction.html").read_text(encoding="utf-8"))
    return skeleton.substitute(
        style=room.joinpath("reproduction.css").read_text(encoding="utf-8"),
        numbered=numbered,
        ours=ours,
        links="".join(_links(r) for r in reports),
        codes="" if found.codes is None else '<a href="#codes">Public codes</a>',
        body="".join(body),
        version=_e(gough.__version__),
    )


def _figure_counts(reports: Sequence[PaperReport]) -> tuple[int, int]:
    """The papers' numbered figures drawn anew, and figures of ours."""
    figures = [figure for r in reports for figure in r.figures]
    numbered = [f for f in figures if re.search(r"-fig\d\d$", f.key)]
    return len(numbered), len(figures) - len(numbered) + 1  # the overview is ours


def _e(text: object) -> str:
    return html.escape(str(text))


class _Linked:
    """Writes text with every erratum's code as a link to it."""

    def __init__(self, keys: set[str]) -> None:
        self.keys = keys

    def __call__(self, text: object) -> str:
        return CODE.sub(self._link, _e(text))

    def _link(self, code: re.Match[str]) -> str:
        key = code[0]
        return f'<a class="key" href="#{key}">{key}</a>' if key in self.keys else key


def _links(r: PaperReport) -> str:
    parts = "".join(f'<a class="part" href="#{k}-{r.key}">{word}</a>' for k, word in PARTS.items())
    return f'<a href="#p{r.key}">{_e(r.key)} {_e(_short(r.citation))}</a>{parts}'


def _short(citation: str) -> str:
    return citation.split(",")[0].split("(")[0].split(":")[0].strip()[:28]


def _badge(verdict: str, count: int | str = "") -> str:
    return f'<span class="verdict {verdict}">{count} {verdict}</span>'


def _overview(found: Reproduction, drawing: str, write: _Linked) -> str:
    lines = []
    for r in found.papers:
        count = Counter(c.verdict for c in r.claims)
        badges = " ".join(_badge(v, count[v]) for v in VERDICTS if count[v])
        name = f'<a href="#p{r.key}"><b>{_e(r.key)}</b> {_e(_short(r.citation))}</a>'
        lines.append(f"<li>{name}: {write(r.line)}<br>{badges}</li>")
    legend = " · ".join(f"{_badge(v)} {_e(meaning)}" for v, meaning in VERDICTS.items())
    return (
        f'<section id="overview"><h2>Five lines</h2><div class="first">'
        f'<ul class="lines">{"".join(lines)}</ul>{_figure(found.overview, drawing, write)}</div>'
        f'<p class="legend">{legend}</p></section>'
    )


def _paper(r: PaperReport, drawings: dict[str, str], write: _Linked) -> str:
    choices = "".join(f"<li>{write(c)}</li>" for c in r.choices)
    errata = [e for e in r.errata if e.grade != SCAN]
    restored = [e for e in r.errata if e.grade == SCAN]
    parts = [
        f'<section id="p{r.key}"><h2>{_e(r.key)} · {_e(_short(r.citation))}</h2>',
        f'<p class="cite">{_e(r.citation)}</p><p class="lead">{write(r.summary)}</p>',
        f"<p>{write(r.mechanism)}</p><details open><summary>What the paper leaves open, and what "
        f"was chosen</summary><ul>{choices}</ul></details>",
        f'<h3 id="says-{r.key}">Statements of the paper</h3>{_claims(r.claims, write)}',
        f'<h3 id="figures-{r.key}">Figures</h3>',
        *(_figure(f, drawings[f.key], write) for f in r.figures),
        f'<h3 id="tables-{r.key}">Tables</h3>',
        *(f"<h4>{write(t.title)}</h4>{_table(t, write)}" for t in r.tables),
        f'<h3 id="errata-{r.key}">Errata, with their evidence</h3>',
        *(_erratum(e, write) for e in errata),
    ]
    if restored:
        parts.append("<h3>Restored text</h3><p>Probably damage of the scan; charged to nobody.</p>")
        parts += [_erratum(e, write) for e in restored]
    return "".join([*parts, "</section>"])


def _claims(claims: Iterable[Claim], write: _Linked) -> str:
    rows = [_judged(c, [c.where, c.printed, c.as_printed, c.exact], write) for c in claims]
    head = ["the paper says", "where", "its number", "its equations", "exact", "verdict"]
    return _raw_table(head, rows, "claims")


def _judged(claim: Claim, middle: Sequence[str], write: _Linked) -> list[str]:
    """A row: statement with its note, some cells, verdict with its why."""
    said = f"{write(claim.statement)}<br><small>{write(claim.note)}</small>"
    why = f"{_badge(claim.verdict)}<details><summary>why</summary>{write(claim.why)}</details>"
    return [said, *map(write, middle), why]


def _erratum(e: Erratum, write: _Linked) -> str:
    cost = f"<dt>cost</dt><dd>{write(e.cost)}</dd>" if e.cost else ""
    return (
        f'<article class="erratum" id="{e.key}"><h4><span class="key">{e.key}</span> {_e(e.where)} '
        f'<span class="grade {e.grade.split()[-1]}">{_e(e.grade)}</span></h4>'
        f'<dl class="pair"><div><dt>text we have</dt><dd><code class="scan">{_e(e.text)}</code></dd></div>'
        f'<div><dt>must read</dt><dd class="formula">{typeset(e.formula)}</dd></div></dl>'
        f"<dl><dt>reason</dt><dd>{write(e.reason)}</dd>{cost}</dl></article>"
    )


def _figure(figure: Figure, drawing: str, write: _Linked) -> str:
    files_of = {"data": f"data/{figure.key}.csv", "SVG": f"figures/{figure.key}.svg"}
    files_of["PNG"] = f"figures/{figure.key}.png"
    links = " · ".join(f'<a href="{_e(path)}">{word}</a>' for word, path in files_of.items())
    caption = f"<b>{_e(figure.title)}.</b> {write(figure.caption)} <small>{links}</small>"
    rows = -(-len(figure.panels) // max(1, figure.columns))
    size = " tall" if rows >= 3 else ""
    return (
        f'<figure id="{_e(figure.key)}" class="drawn{size}">{drawing}'
        f"<figcaption>{caption}</figcaption></figure>"
    )


def _table(table: TextTable, write: _Linked) -> str:
    return _raw_table(
        [_e(h) for h in table.header], [[write(x) for x in row] for row in table.rows]
    )


def _raw_table(header: Sequence[str], rows: Iterable[Sequence[str]], kind: str = "") -> str:
    head = "".join(f"<th>{h}</th>" for h in header)
    cells = [
        [f'<td data-label="{h}">{x}</td>' for h, x in zip(header, r, strict=True)] for r in rows
    ]
    lines = "".join(f"<tr>{''.join(row)}</tr>" for row in cells)
    return (
        f'<div class="scroll"><table class="{kind}"><thead><tr>{head}</tr></thead>'
        f"<tbody>{lines}</tbody></table></div>"
    )


def _matrix(a: Agreement) -> str:
    rows = []
    for i, name in enumerate(a.formulations):
        cells = [_e(name)]
        for j, value in enumerate(a.largest[i]):
            good = "good" if value < AGREES else "bad"
            blank = i == j or np.isnan(value)
            cells.append("–" if blank else f'<span class="{good}">{value:.1e}</span>')
        rows.append(cells)
    return (
        '<section id="agreement"><h2>Agreement of all formulations</h2>'
        "<p>Largest difference of actuator forces between two formulations, errata corrected, relative to the "
        f"largest force of the state, over {a.states} random fast states of each machine both apply to: "
        f"{_e(', '.join(a.machines))}. Positions within {100 * a.reach:.0f} % of the machine's size and rotations "
        f"within {a.turn:g} rad of the home pose, along each axis; {a.left_out} states that some leg cannot take, "
        "or close to a singular pose, were drawn again. They share no derivation and no code, so agreement to "
        f"rounding is evidence for each of them.</p>{_raw_table(['', *map(_e, a.formulations)], rows)}</section>"
    )


def _operations(table: TextTable) -> str:
    return (
        '<section id="operations"><h2>Operation counts</h2><p>Additions, multiplications, divisions and roots of one '
        "inverse dynamics, counted by running each formulation's own code on numbers that count; the exact model's is "
        "the traced program its kernels are made from. Counts are the same on every computer.</p>"
        f"{_table(table, _Linked(set()))}</section>"
    )


def _codes(found: PublicCodes) -> str:
    """The section on public codes, called by the number of works in it."""
    head = ["it says", "its number", "by its formula or data", "right", "verdict"]
    parts = []
    for work in found.works:
        rows = [_judged(c, [c.printed, c.as_printed, c.exact], _Linked(set())) for c in work.claims]
        parts.append(f'<h3>{_e(work.name)}</h3><p class="cite">{_e(work.source)}</p>')
        parts.append(_raw_table(head, rows, "claims"))
    how = "".join(f"<li>{_e(sentence)}</li>" for sentence in found.how)
    count = len(found.works)
    word = COUNTS[count] if count < len(COUNTS) else str(count)
    heading = f"<h2>{word} public codes, checked</h2><ul>{how}</ul>"
    return f'<section id="codes">{heading}{"".join(parts)}</section>'


def _by_grade(reports: Sequence[PaperReport]) -> str:
    rows = []
    for grade, meaning in GRADES.items():
        found = [e.key for r in reports for e in r.errata if e.grade == grade]
        write = _Linked(set(found))
        rows.append([_e(grade), _e(meaning), write(", ".join(found))])
    return (
        '<section id="errata"><h2>Errata by grade of evidence</h2>'
        f"{_raw_table(['grade', 'meaning', 'errata'], rows)}</section>"
    )
