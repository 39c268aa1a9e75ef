"""[Syed] (004): leg and drive inertia by Kane's equations; its figures, claims and the examples they need."""

from __future__ import annotations

from gough.model import Platform
from gough.model.files import load
from gough.reproduce.kane import figures
from gough.reproduce.kane.forces import NAMES, TITLES, leg_and_drive
from gough.reproduce.kane.values import values
from gough.reproduce.page import PaperReport, Progress, tell
from gough.reproduce.paper_text import read


def reproduce(progress: Progress | None = None, machine: Platform | None = None) -> PaperReport:
    """Everything the page shows about 004, of the example machine or of another."""
    machine, driven = machine or load("syed-6sps"), load("syed-6sps-drive")
    drives = [leg.drive for leg in driven.legs]
    legs = [leg.replace(drive=drive) for leg, drive in zip(machine.legs, drives, strict=True)]
    driven = machine.replace(legs=legs)
    found = {}
    for i, name in enumerate(NAMES):
        tell(progress, f"004: {TITLES[name]}", 0.1 * i)
        found[name] = leg_and_drive(machine, driven, name)
    tell(progress, "004: figures, claims and errata", 0.6)
    text = read("kane")
    tables = (
        text.table("004-shares", figures.shares(found)),
        text.table("004-coupling", figures.coupling(machine, driven)),
    )
    drawn = figures.figures(text, machine, found)
    return text.report(values(machine, driven, found), drawn, tables)
