"""The five papers: their figures, tables and claims against ours, as plain data (report/ draws them)."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gough.checks import InputError
from gough.reproduce.agreement import Agreement, agreement
from gough.reproduce.codes import PublicCodes
from gough.reproduce.page import Curve, Figure, Panel, PaperReport, Progress, TextTable, part, tell

PAPERS = {
    "001": "newton_euler",
    "000": "universal",
    "002": "lagrange",
    "003": "multibody",
    "004": "kane",
}
"""Method of each paper, in the order of the page; either word names it."""


@dataclass(frozen=True, eq=False)
class Reproduction:
    """Everything the page shows: the papers, agreement of all formulations, their operations, public codes."""

    papers: tuple[PaperReport, ...]
    agreement: Agreement
    operations: TextTable
    codes: PublicCodes | None = None

    @property
    def overview(self) -> Figure:
        """Not in the papers: the error of each paper by the speed of the platform."""
        curves = []
        for group, paper in enumerate(self.papers):
            speed, error = np.array(paper.errors).T
            curves.append(Curve(paper.errors_of, speed, error, "", group))
        axes = ("largest speed of the platform (m/s)", "largest force error (% of the peak)")
        panel = Panel("", *axes, tuple(curves), xscale="log", yscale="log")
        caption = (
            "001 and 000 on the paths of their own examples, run at several speeds; 002 with the time from P1 to P2 "
            "varied, its complete model being exact; 003 and 004 at the speed of their examples."
        )
        return Figure("overview", "How far each paper is from the exact forces", caption, (panel,))


def chosen(words: Sequence[str]) -> tuple[str, ...]:
    """Paper keys from a command's words, "001" or "newton-euler"; none or "all" means every paper."""
    if not words or "all" in words:
        return tuple(PAPERS)
    methods = {method: key for key, method in PAPERS.items()}
    keys = {methods.get(word.replace("-", "_"), word): word for word in words}
    for key, word in keys.items():
        if key not in PAPERS:
            allowed = ", ".join(
                [*sorted(PAPERS), *(method.replace("_", "-") for method in PAPERS.values())]
            )
            raise InputError("paper", word, f"must be one of {allowed} or all")
    return tuple(key for key in PAPERS if key in keys)


def reproduce(word: str, progress: Progress | None = None) -> PaperReport:
    """Everything reproduced from one paper."""
    (key,) = chosen([word])
    report = importlib.import_module(f"gough.reproduce.{PAPERS[key]}").reproduce(progress)
    tell(progress, f"{key}: done", 1.0)
    return report


def reproduce_all(words: Sequence[str] = (), progress: Progress | None = None) -> Reproduction:
    """The papers chosen, the agreement matrix and the operation counts."""
    from gough.reproduce.codes import check_codes
    from gough.reproduce.operations import table

    keys = chosen(words)
    papers = tuple(reproduce(key, part(progress, i, len(keys) + 1)) for i, key in enumerate(keys))
    tell(progress, "agreement of all formulations", len(keys) / (len(keys) + 1))
    return Reproduction(papers, agreement(), table(), check_codes())
