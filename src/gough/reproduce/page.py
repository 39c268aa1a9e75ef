"""What a reproduced paper consists of: figures, tables, claims and errata as plain data.

Pure data (strings, numbers, arrays): the page, the pictures and the CSV files are all drawn from these.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.checks import Array
from gough.reproduce.verdicts import VERDICTS

Progress = Callable[[str, float], None]
"""Called with a sentence and the fraction done, 0..1."""

STYLES = ("exact", "printed", "reference", "difference", "aid")
"""Meaning of a curve, which the renderer turns into color and dash:
exact (solid), printed (dashed: the paper as printed), reference (dash-dot: another model the paper compares
with), difference (thin), aid (dotted: limits, zero lines)."""

SCAN = "probably the scan"
GRADES = {
    "certain": "inconsistent within the paper or with physics, whatever the scan did",
    "probable": "the likeliest explanation of what the text and its numbers say",
    "one reading of several": "a sign, a glyph or a sentence that can be read in more than one way",
    SCAN: "damage of the text we have; restored here, and charged to nobody",
}
"""Every grade of evidence for an erratum and what it means."""


@dataclass(frozen=True, eq=False)
class Curve:
    """One line: x and y of equal length; `style` is one of STYLES, or empty to let the renderer cycle.

    group: curves of one quantity (exact and as printed) share a group, and so a color.
    arrow: from the first point to the last, for a "force", with a double head for a "moment"; empty for a line.
    """

    label: str
    x: Array
    y: Array
    style: str = ""
    group: int = 0
    arrow: str = ""

    def __post_init__(self) -> None:
        for name in ("x", "y"):
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=float))
        if self.x.shape != self.y.shape or self.x.ndim != 1:
            raise ValueError(
                f"curve {self.label!r}: x {self.x.shape} and y {self.y.shape} must be rows"
            )
        if self.style and self.style not in STYLES:
            raise ValueError(f"curve {self.label!r}: style {self.style!r} is none of {STYLES}")


Mark = tuple[str, float, float]
"""A word at a point: word, x, y."""


def mark(word: str, point: Any) -> Mark:
    """A word at the first two components of a point."""
    return word, float(point[0]), float(point[1])


@dataclass(frozen=True, eq=False)
class Panel:
    """One pair of axes.  equal: same scale on both axes (drawings); marks: words at points (word, x, y)."""

    title: str
    xlabel: str
    ylabel: str
    curves: tuple[Curve, ...]
    xscale: str = "linear"
    yscale: str = "linear"
    ylimits: tuple[float, float] | None = None
    equal: bool = False
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, eq=False)
class Figure:
    """A figure of a paper (or one of ours beside it): panels in reading order, `columns` to a row."""

    key: str
    title: str
    caption: str
    panels: tuple[Panel, ...]
    columns: int = 1


@dataclass(frozen=True, eq=False)
class Claim:
    """A statement of the paper set against what is computed.

    statement   what the paper says, in our words;  where: section, figure or table
    printed     the number it gives, or "-"
    as_printed  what its own equations give;  exact: what the exact model gives
    verdict     one of VERDICTS, computed;  why: what was compared and why with this tolerance;  note: a sentence
    """

    statement: str
    where: str
    printed: str
    as_printed: str
    exact: str
    verdict: str
    why: str
    note: str = ""

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            raise ValueError(
                f"claim {self.statement!r}: verdict {self.verdict!r} is none of {list(VERDICTS)}"
            )


@dataclass(frozen=True, eq=False)
class TextTable:
    """Rows of text under a header."""

    key: str
    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.header):
                raise ValueError(
                    f"table {self.key}: row {row} does not fit the header {self.header}"
                )


@dataclass(frozen=True, eq=False)
class Erratum:
    """What looks wrong in the text, with its evidence.

    where    equation, section or table;  text: as we have it, from the scan;  formula: as it must read
    grade    one of GRADES;  reason: why it is wrong and how sure that is
    cost     what it does to the forces, or what hangs on the reading; empty if the scan may have done it
    """

    key: str
    where: str
    text: str
    formula: str
    grade: str
    reason: str
    cost: str

    def __post_init__(self) -> None:
        if self.grade not in GRADES:
            raise ValueError(f"{self.key}: grade {self.grade!r} is none of {list(GRADES)}")
        if self.grade == SCAN and self.cost:
            raise ValueError(f"{self.key}: what the scan may have done has no cost")
        if not (self.where and self.text and self.formula and self.reason):
            raise ValueError(f"{self.key}: place, text, formula and reason are needed")


@dataclass(frozen=True, eq=False)
class PaperReport:
    """Everything reproduced from one paper.

    key        "000" .. "004";  citation: one line;  line, summary: the result, one sentence and a few
    mechanism  one sentence;  choices: what the paper leaves open and what was chosen
    errors     largest error (percent of the peak force) by largest speed of the platform (m/s) of `errors_of`
    """

    key: str
    citation: str
    line: str
    summary: str
    mechanism: str
    choices: tuple[str, ...]
    figures: tuple[Figure, ...]
    tables: tuple[TextTable, ...]
    claims: tuple[Claim, ...]
    errata: tuple[Erratum, ...]
    errors: tuple[tuple[float, float], ...]
    errors_of: str


def tell(progress: Progress | None, sentence: str, fraction: float) -> None:
    """Report progress if somebody listens."""
    if progress is not None:
        progress(sentence, fraction)


def part(progress: Progress | None, i: float, n: float) -> Progress:
    """Progress of the i-th of n pieces, as a share of the whole."""
    return lambda sentence, fraction: tell(progress, sentence, (i + fraction) / n)
