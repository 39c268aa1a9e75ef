"""[ElBadawy] (003): its figures, tables and claims; the DAE of thirteen bodies as printed and exact."""

from __future__ import annotations

from gough.reproduce.multibody import figures, runs
from gough.reproduce.multibody.values import values
from gough.reproduce.page import PaperReport, Progress, tell
from gough.reproduce.paper_text import read


def reproduce(progress: Progress | None = None) -> PaperReport:
    """Everything the page shows about 003."""
    found = runs.simulate(progress)
    tell(progress, "003: assembly modes, figures", 0.93)
    text = read("multibody")
    return text.report(values(found), figures.figures(text, found), figures.tables(text, found))
