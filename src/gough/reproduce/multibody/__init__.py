"""[ElBadawy] (003): its figures, tables and claims; the DAE of thirteen bodies as printed and exact."""

from __future__ import annotations

from gough.reproduce.multibody import claims, figures, runs
from gough.reproduce.page import PaperReport, Progress, tell

CHOICES = (
    "HHT with alpha = -0.05 and h = 0.01 s (2 pi/628); the paper names neither",
    "duration 4 pi; initial velocities consistent (Phi_q qd = -Phi_t), and zero beside it",
    "driver c_i(t) on the leg length of Table 3's pose (0.40004 m), so that the start pose is exact",
    "gravity 9.81 m/s^2; leg spin zero at the start; leg axes at the start as in Table 4",
    "our z axis is the paper's Y; figures are drawn in the paper's axes",
)


def reproduce(progress: Progress | None = None) -> PaperReport:
    """Everything the page shows about 003."""
    found = runs.simulate(progress)
    tell(progress, "003: figures", 0.95)
    return PaperReport(
        key="003",
        citation="El-Badawy, A., Youssef, K.: On modeling and simulation of 6 degrees of freedom Stewart platform "
        "mechanism using multibody dynamics approach",
        summary=claims.summary(found),
        mechanism="6-SPS, thirteen bodies, 78 coordinates, 66 kinematic and 6 driving constraints; leg lengths "
        "prescribed, platform 1.79 kg, leg parts 0.12254 kg",
        choices=CHOICES,
        figures=figures.figures(found),
        tables=claims.tables(found),
        claims=claims.claims(found),
        errata=claims.errata(found),
    )
