"""[Lopes] (002): its figures, tables and claims; complete, simplified and three-mass models."""

from __future__ import annotations

from gough.model import Platform
from gough.model.files import load
from gough.reproduce.lagrange import figures, operations
from gough.reproduce.lagrange.forces import DURATIONS, HALF, layout_b, link_models
from gough.reproduce.lagrange.values import values
from gough.reproduce.page import PaperReport, Progress, tell
from gough.reproduce.paper_text import read


def reproduce(progress: Progress | None = None, machine: Platform | None = None) -> PaperReport:
    """Everything the page shows about 002, of its machine or of another."""
    tell(progress, "002: forces along the trajectory", 0.0)
    machine = machine or load("lopes-6pus")
    other = layout_b(machine)
    main = link_models(machine, HALF)
    tell(progress, "002: other durations", 0.2)
    layouts = {"A": machine, "B": other}
    runs = {(name, T): link_models(x, T) for name, x in layouts.items() for T in DURATIONS}
    tell(progress, "002: figures", 0.5)
    text = read("lagrange")
    drawn = figures.figures(text, machine, other, main)
    tell(progress, "002: counting operations", 0.7)
    counts = operations.counts(machine)
    tables = (
        text.table("002-table1", operations.table_1()),
        text.table("002-table1-ours", operations.table_beside(machine, counts)),
        text.table("002-table2"),
        text.table("002-durations", figures.durations(runs)),
    )
    return text.report(values(machine, main, runs, counts), drawn, tables)
