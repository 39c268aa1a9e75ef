"""[Dasgupta1998] (001): its ten figures, data and claims, exact and as printed."""

from __future__ import annotations

from gough.reproduce.builders import quiet_load
from gough.reproduce.newton_euler import claims, figures
from gough.reproduce.newton_euler.forces import PATHS, path_forces
from gough.reproduce.page import PaperReport, Progress, tell

CHOICES = (
    "gravity (0, 0, -9.81) m/s^2: the paper gives no value",
    "inertia tensors about the mass centers: about the local origins they would be impossible (E001-7)",
    "k_1 normalized: it is printed with length 0.8581 (E001-6)",
    "eq 39 read as tau_b = tau_f - |t1 - t0|/V (E001-5); the RPY angles are interpolated, so "
    "omega = J_A d(theta)/dt",
    "accelerations at the ends of a blend: the value after the jump",
    "as printed: eqs 1-37 with the sign of eq 35 (eq 33 has the other one, E001-4)",
)


def reproduce(progress: Progress | None = None) -> PaperReport:
    """Everything the page shows about 001."""
    machine = quiet_load("dasgupta-1998")
    paths = {}
    for i, (name, key) in enumerate(PATHS.items()):
        tell(progress, f"001: Path {name}", 0.1 * i)
        paths[name] = path_forces(machine, key)
    tell(progress, "001: figures, claims and errata", 0.3)
    return PaperReport(
        key="001",
        citation="Dasgupta, B. and Mruthyunjaya, T. S.: A Newton-Euler formulation for the inverse dynamics "
        "of the Stewart platform manipulator. Mechanism and Machine Theory 33 (8), 1135-1152, 1998",
        summary=claims.summary(paths),
        mechanism="6-UPS without symmetry: universal joint at the base, prismatic actuator, ball joint at "
        "the platform; 40 kg platform, legs of 3 + 1 kg with mass centers off their axes, friction",
        choices=CHOICES,
        figures=figures.figures(machine, paths),
        tables=figures.tables(machine),
        claims=claims.claims(machine, paths),
        errata=claims.errata(machine, paths),
    )
