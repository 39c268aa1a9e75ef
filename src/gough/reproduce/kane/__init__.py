"""[Syed] (004): leg and drive inertia by Kane's equations; figures and claims, on a machine found by search."""

from __future__ import annotations

from gough.model import Platform
from gough.reproduce.kane import figures, missing
from gough.reproduce.kane.control import close
from gough.reproduce.kane.forces import TITLES, leg_and_drive
from gough.reproduce.kane.statements import NAMES
from gough.reproduce.kane.values import values
from gough.reproduce.page import PaperReport, Progress, tell
from gough.reproduce.paper_text import read


def reproduce(progress: Progress | None = None, machine: Platform | None = None) -> PaperReport:
    """Everything the page shows about 004, of the machine found or of another; its drives, if it has none."""
    own = missing.machine(missing.stored()["found"])
    given = machine or own
    drives = [leg.drive or found.drive for leg, found in zip(given.legs, own.legs, strict=True)]
    bare = given.replace(legs=[leg.replace(drive=None) for leg in given.legs])
    legs = [leg.replace(drive=drive) for leg, drive in zip(given.legs, drives, strict=True)]
    driven = given.replace(legs=legs)
    found = {}
    for i, name in enumerate(NAMES):
        tell(progress, f"004: {TITLES[name]}", 0.05 * i)
        found[name] = leg_and_drive(bare, driven, name)
    tell(progress, "004: its controller in closed loop", 0.3)
    loops = close(bare, driven)
    tell(progress, "004: figures, claims and errata", 0.8)
    text = read("kane")
    computed = values(text, bare, driven, found, loops)
    tables = figures.tables(text, bare, driven, found, computed)
    return text.report(computed, figures.figures(text, bare, found, loops), tables)
