"""[Pedrammehr2012] (000): its ten figures, data and claims, exact and as printed."""

from __future__ import annotations

from gough.reproduce.builders import quiet_load
from gough.reproduce.page import PaperReport, Progress, tell
from gough.reproduce.universal import claims, figures
from gough.reproduce.universal.forces import improved_forces, pod_rotation

CHOICES = (
    "fixed axes u_i: not given; those of 001, normalized (E000-9)",
    "moving axes v_i = +(u x n)/|u x n|: the sign is not given and matters, because the mass centers are off "
    "the pods' axes (E000-9)",
    "upper mass center z = -0.08 as printed; 001 has +0.08 (E000-10)",
    "gravity (0, 0, -9.81) m/s^2, inertia tensors about the mass centers, 60 time steps per path",
    "Path 1 at the constant speed 0.5 m / 6 s = 0.0833 m/s: the printed 0.08 m/s cannot do it (E000-6)",
    "angular velocity and acceleration 'of a pod' in Figs. 5-8: their norms; simplified: the norms of the "
    "components across the pod, eqs 16 and 23",
    "simplified formulation of Figs. 9, 10: 001 as printed (eqs 6, 8, 9, 16, 29, 35, 37) on this machine",
    "as printed: eqs 12-14, 18-21 (with the c that eq 21 lacks), 31-40, 45-50",
)


def reproduce(progress: Progress | None = None) -> PaperReport:
    """Everything the page shows about 000."""
    machine = quiet_load("pedrammehr-2012")
    tell(progress, "000: pod rotations on Paths 1 and 2", 0.0)
    spins = {name: pod_rotation(machine, f"000-{name}") for name in ("1", "2")}
    tell(progress, "000: forces on Paths 2 and 3", 0.2)
    paths = {name: improved_forces(machine, f"000-{name}") for name in ("2", "3")}
    tell(progress, "000: figures, claims and errata", 0.4)
    return PaperReport(
        key="000",
        citation="Pedrammehr, S., Mahboubkhah, M. and Khani, N.: Improved dynamic equations for the "
        "generally configured Stewart platform manipulator. KSME and Springer, 2012",
        summary=claims.summary(paths),
        mechanism="6-UPS, the machine of 001 with one sign changed; pods spin as their universal joints "
        "force them to",
        choices=CHOICES,
        figures=figures.figures(machine, spins, paths),
        tables=figures.tables(machine, paths),
        claims=claims.claims(machine, spins, paths),
        errata=claims.errata(machine, paths),
    )
