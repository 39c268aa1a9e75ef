"""[Dasgupta1998] (001): its ten figures, data and claims, exact and as printed."""

from __future__ import annotations

from gough.model import Platform
from gough.reproduce.builders import quiet_load
from gough.reproduce.newton_euler import figures
from gough.reproduce.newton_euler.forces import PATHS, path_forces
from gough.reproduce.newton_euler.values import values
from gough.reproduce.page import PaperReport, Progress, tell
from gough.reproduce.paper_text import read


def reproduce(progress: Progress | None = None, machine: Platform | None = None) -> PaperReport:
    """Everything the page shows about 001, of its machine or of another."""
    machine = machine or quiet_load("dasgupta-1998")
    paths = {}
    for i, (name, key) in enumerate(PATHS.items()):
        tell(progress, f"001: Path {name}", 0.1 * i)
        paths[name] = path_forces(machine, key)
    tell(progress, "001: figures, claims and errata", 0.3)
    text = read("newton_euler")
    drawn = figures.figures(text, machine, paths)
    return text.report(values(machine, paths), drawn, figures.tables(text, machine, paths))
