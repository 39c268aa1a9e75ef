"""What a reproduced paper consists of: figures, tables, claims and errata as plain data.

Pure data (strings, numbers, arrays): the page, the pictures and the CSV files are all drawn from these.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gough.checks import Array

Progress = Callable[[str, float], None]
"""Called with a sentence and the fraction done, 0..1."""

STYLES = ("exact", "printed", "reference", "difference", "aid")
"""Meaning of a curve, which the renderer turns into color and dash:
exact (solid), printed (dashed: the paper as printed), reference (dash-dot: another model the paper compares
with), difference (thin), aid (dotted: limits, zero lines)."""

VERDICTS = ("reproduced", "differs", "wrong", "unclear")
"""reproduced: the statement holds;  differs: holds in kind, the number is another;  wrong: does not hold;
unclear: the paper gives too little to decide."""


@dataclass(frozen=True, eq=False)
class Curve:
    """One line: x and y of equal length; `style` is one of STYLES, or empty to let the renderer cycle.

    group: curves of one quantity (exact and as printed) share a group, and so a color.
    """

    label: str
    x: Array
    y: Array
    style: str = ""
    group: int = 0

    def __post_init__(self) -> None:
        for name in ("x", "y"):
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=float))
        if self.x.shape != self.y.shape or self.x.ndim != 1:
            raise ValueError(
                f"curve {self.label!r}: x {self.x.shape} and y {self.y.shape} must be rows"
            )
        if self.style and self.style not in STYLES:
            raise ValueError(f"curve {self.label!r}: style {self.style!r} is none of {STYLES}")


@dataclass(frozen=True, eq=False)
class Panel:
    """One pair of axes.  equal: same scale on both axes (drawings)."""

    title: str
    xlabel: str
    ylabel: str
    curves: tuple[Curve, ...]
    yscale: str = "linear"
    ylimits: tuple[float, float] | None = None
    equal: bool = False


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

    statement      what the paper says, in our words;  where: section, figure or table
    printed_value  the number it gives, or empty
    as_printed     what its own equations give;  exact: what the exact model gives
    verdict        one of VERDICTS;  note: why, in a sentence
    """

    statement: str
    where: str
    printed_value: str
    as_printed: str
    exact: str
    verdict: str
    note: str = ""

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            raise ValueError(
                f"claim {self.statement!r}: verdict {self.verdict!r} is none of {VERDICTS}"
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
    """What is printed wrongly (one sentence with the right form) and what it costs, measured."""

    key: str
    sentence: str
    cost: str


@dataclass(frozen=True, eq=False)
class PaperReport:
    """Everything reproduced from one paper.

    key        "000" .. "004";  citation: one line;  summary: two or three sentences, the result first
    mechanism  one sentence;  choices: what the paper leaves open and what was chosen
    """

    key: str
    citation: str
    summary: str
    mechanism: str
    choices: tuple[str, ...]
    figures: tuple[Figure, ...]
    tables: tuple[TextTable, ...]
    claims: tuple[Claim, ...]
    errata: tuple[Erratum, ...]


def tell(progress: Progress | None, sentence: str, fraction: float) -> None:
    """Report progress if somebody listens."""
    if progress is not None:
        progress(sentence, fraction)


def part(progress: Progress | None, i: float, n: float) -> Progress:
    """Progress of the i-th of n pieces, as a share of the whole."""
    return lambda sentence, fraction: tell(progress, sentence, (i + fraction) / n)
