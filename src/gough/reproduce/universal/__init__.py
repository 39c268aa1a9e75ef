"""[Pedrammehr2012] (000): its ten figures, data and claims, exact and as printed."""

from __future__ import annotations

from gough.model import Platform
from gough.reproduce.builders import quiet_load
from gough.reproduce.page import PaperReport, Progress, tell
from gough.reproduce.paper_text import read
from gough.reproduce.universal import figures
from gough.reproduce.universal.forces import improved_forces, pod_rotation
from gough.reproduce.universal.values import values

SECONDS = 1.58  # of processor time, Sec. 9


def reproduce(progress: Progress | None = None, machine: Platform | None = None) -> PaperReport:
    """Everything the page shows about 000, of its machine or of another."""
    machine = machine or quiet_load("pedrammehr-2012")
    tell(progress, "000: pod rotations on Paths 1 and 2", 0.0)
    spins = {name: pod_rotation(machine, f"000-{name}") for name in ("1", "2")}
    tell(progress, "000: forces on Paths 2 and 3", 0.2)
    paths = {name: improved_forces(machine, f"000-{name}") for name in ("2", "3")}
    tell(progress, "000: figures, claims and errata", 0.4)
    text = read("universal")
    drawn = figures.figures(text, machine, spins, paths)
    tables = figures.tables(text, machine, paths)
    timing = {f"time_{name}": value for name, value in text.paper["timing"].items()}
    timing["time_ratio"] = SECONDS / timing["time_paper"]
    return text.report({**values(machine, spins["1"], paths), **timing}, drawn, tables)
