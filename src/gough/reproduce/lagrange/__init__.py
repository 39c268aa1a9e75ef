"""[Lopes] (002): its figures, tables and claims; complete, simplified and three-mass models."""

from __future__ import annotations

from gough.model.files import load
from gough.reproduce.lagrange import claims, figures, operations
from gough.reproduce.lagrange.forces import DURATIONS, HALF, layout_b, link_models
from gough.reproduce.page import PaperReport, Progress, tell

CHOICES = (
    "joint layout A: platform pairs at 0, 120, 240 deg; base joints 45 deg (60 deg - phi_B) to either "
    "side of them.  Layout B, base joints 15 deg (phi_B) to either side, is computed beside it",
    f"duration: {HALF:g} s from P1 to P2 and as long back; other durations in the tables",
    "third order trigonometric spline read as s = 1/2 - (9 cos(pi t/T) - cos(3 pi t/T))/16: speed and "
    "acceleration vanish at both ends",
    "gravity 9.81 m/s^2 along -z; no friction",
    "slider-side universal axis vertical, as eq 55 implies",
    "J_C and eq 42 are not printed and were derived: row i of J_C is [a_i, p_i x a_i]/(a_i.z)",
    "as printed: links without spin (E002-1).  Damaged entries (E002-2, 3, 5, 6) are costed one by one",
    "a_cm is not given; it has no effect on vertical rails",
)


def reproduce(progress: Progress | None = None) -> PaperReport:
    """Everything the page shows about 002."""
    tell(progress, "002: forces along the trajectory", 0.0)
    machine = load("lopes-6pus")
    other = layout_b(machine)
    main = link_models(machine, HALF)
    tell(progress, "002: other durations", 0.2)
    runs = {
        (name, T): link_models(x, T)
        for name, x in (("A", machine), ("B", other))
        for T in DURATIONS
    }
    tell(progress, "002: figures", 0.5)
    drawn = figures.figures(machine, other, main)
    tell(progress, "002: counting operations", 0.7)
    counts = operations.counts(machine)
    return PaperReport(
        key="002",
        citation="Lopes, A. M.: Complete dynamic model of a Stewart version parallel manipulator",
        summary=claims.summary(runs),
        mechanism="6-PUS: six vertical linear actuators, universal joints, links of fixed length, ball joints at "
        "the platform; platform 1.43 kg, sliders 0.123 kg, links 0.389 kg",
        choices=CHOICES,
        figures=drawn,
        tables=(
            operations.table_1(),
            operations.table_ours(counts),
            figures.parameters(),
            figures.durations(runs),
        ),
        claims=claims.claims(machine, main, runs, counts),
        errata=claims.errata(machine, main, runs),
    )
