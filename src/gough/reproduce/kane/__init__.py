"""[Syed] (004): leg and drive inertia by Kane's equations; its figures, claims and the example they need."""

from __future__ import annotations

from gough.model.files import load
from gough.reproduce.kane import claims, figures
from gough.reproduce.kane.forces import NAMES, TITLES, leg_and_drive
from gough.reproduce.page import PaperReport, Progress, tell

CHOICES = (
    "almost all data are missing.  Example: base radius 0.20 m, platform radius 0.12 m, joint pairs +-7.5 "
    "deg, height 0.30 m, platform 2 kg with (7.5, 7.5, 14.5)e-3 kg m^2, leg halves of 0.2 m length and 5 "
    "mm radius",
    "given by the paper and used: leg halves of 0.065 kg, peak accelerations 10 m/s^2 and 8 rad/s^2, 0.1 s",
    "shape of the accelerations: one sine period of 0.1 s, from rest at the center",
    "drive: rotor 1e-6 kg m^2, gear ratio 20, pinion 10 mm, so 4 kg reflected on each leg; b' = 0, no "
    "friction",
    "Figs. 4 and 5 do not say which trajectories they show: z and x here",
    "as printed: eq 3 with its extra terms (E004-3); with the drive also eqs 12 and 14 (E004-1, 2)",
    "legs without spin: right for legs symmetric about their axis (E004-8)",
)


def reproduce(progress: Progress | None = None) -> PaperReport:
    """Everything the page shows about 004."""
    machine, driven = load("syed-6sps"), load("syed-6sps-drive")
    found = {}
    for i, name in enumerate(NAMES):
        tell(progress, f"004: {TITLES[name]}", 0.1 * i)
        found[name] = leg_and_drive(machine, driven, name)
    tell(progress, "004: figures, claims and errata", 0.6)
    return PaperReport(
        key="004",
        citation="Syed, M. A., Farhan-Ullah and Koul, M. S.: Modeling and simulation of a Stewart mechanism",
        summary=claims.summary(found),
        mechanism="6-SPS: ball joints at both ends of six legs, each of two halves of 0.065 kg; "
        "servomotor, gearbox and rack and pinion on every leg",
        choices=CHOICES,
        figures=figures.figures(machine, found),
        tables=(figures.shares(found), figures.coupling(machine, driven)),
        claims=claims.claims(machine, driven, found),
        errata=claims.errata(machine, driven, found),
    )
