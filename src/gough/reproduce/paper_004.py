"""[Syed] (004): leg and drive inertia by Kane's equations; its figures, claims and the example they need."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.checks import Array
from gough.formulations import kane
from gough.model import Platform
from gough.model.files import load
from gough.reproduce import claims_004
from gough.reproduce.legs_page import machine_drawing
from gough.reproduce.page_types import Curve, Figure, Panel, PaperReport, Progress, Table, tell
from gough.spatial import Motion, Pose
from gough.trajectory import Trajectory, paper

SAMPLES = 201
NAMES = ("x", "y", "z", "rx", "ry", "rz")
TITLES = {
    "x": "translation x",
    "y": "translation y",
    "z": "translation z",
    "rx": "rotation about x",
    "ry": "rotation about y",
    "rz": "rotation about z",
}
SHOWN = {"4": "z", "5": "x"}  # trajectories chosen for Figs. 4 and 5
PRINTED_LEGS = frozenset({"E004-3"})
PRINTED = kane.PRINTED

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


@dataclass(frozen=True)
class Forces:
    """Actuator forces (n, 6) along one trajectory for every model of the paper.

    massless, lower, upper, full   which leg bodies count, no drive;   driven: full with drive
    printed, printed_drive         the same two as printed;   slip: eq 12's sign alone;   rotor: m_r ldd alone
    torque                         at the motors, N m
    """

    motion: Motion
    time: Array
    massless: Array
    lower: Array
    upper: Array
    full: Array
    driven: Array
    printed: Array
    printed_drive: Array
    slip: Array
    rotor: Array
    torque: Array

    @property
    def peak(self) -> float:
        """Largest force without drive, N."""
        return float(np.abs(self.full).max())

    @property
    def quarter(self) -> int:
        """Sample of the largest acceleration."""
        return (len(self.time) - 1) // 4


def reproduce(progress: Progress | None = None) -> PaperReport:
    """Everything the page shows about 004."""
    machine, driven = load("syed-6sps"), load("syed-6sps-drive")
    found = {}
    for i, name in enumerate(NAMES):
        tell(progress, f"004: {TITLES[name]}", 0.1 * i)
        found[name] = forces(machine, driven, name)
    tell(progress, "004: figures", 0.6)
    figures = (
        machine_drawing(
            machine,
            Pose(np.array([0.0, 0.0, 0.3])),
            "004-fig01",
            "Fig. 1. Stewart mechanism",
            "The example machine at the start of every trajectory.",
        ),
        _massless(found),
        _full(found),
        *(_drive(key, found[name]) for key, name in SHOWN.items()),
        _halves(found),
        _motors(found),
    )
    tell(progress, "004: claims and errata", 0.8)
    report = PaperReport(
        key="004",
        citation="Syed, M. A., Farhan-Ullah and Koul, M. S.: Modeling and simulation of a Stewart mechanism",
        summary=claims_004.summary(found),
        mechanism="6-SPS: ball joints at both ends of six legs, each of two halves of 0.065 kg; "
        "servomotor, gearbox and rack and pinion on every leg",
        choices=CHOICES,
        figures=figures,
        tables=(_shares(found), _coupling(machine, driven)),
        claims=claims_004.claims(machine, driven, found),
        errata=claims_004.errata(machine, driven, found),
    )
    tell(progress, "004: done", 1.0)
    return report


def forces(machine: Platform, driven: Platform, name: str, samples: int = SAMPLES) -> Forces:
    """All models along the trajectory that accelerates the coordinate `name`."""
    path = paper(f"004-{name}")
    assert isinstance(path, Trajectory)
    motion = path.sample(samples)
    assert motion.time is not None
    leg = {k: kane.inverse_dynamics(machine, motion, legs=k).force for k in kane.LEGS}
    right = kane.inverse_dynamics(driven, motion)
    return Forces(
        motion,
        motion.time,
        leg["massless"],
        leg["lower"],
        leg["upper"],
        leg["full"],
        right.force,
        kane.inverse_dynamics(machine, motion, errata=PRINTED_LEGS).force,
        kane.inverse_dynamics(driven, motion, published=True).force,
        kane.inverse_dynamics(driven, motion, errata={"E004-2"}).force,
        right.force - right.extra["transmitted_force"],
        right.extra["motor_torque"],
    )


def _six(time: Array, exact: Array, printed: Array | None = None) -> tuple[Curve, ...]:
    curves = [Curve(f"sigma_{i + 1}", time, exact[:, i], "exact", i) for i in range(6)]
    if printed is not None:
        curves += [Curve("as printed" if i == 0 else "", time, printed[:, i], "printed", i) for i in range(6)]
    return tuple(curves)


def _massless(found: dict[str, Forces]) -> Figure:
    panels = tuple(
        Panel(
            f"({letter}) {TITLES[n]}",
            "time (s)",
            "actuator force (N)",
            _six(found[n].time, found[n].massless),
        )
        for letter, n in zip("abcdef", NAMES, strict=True)
    )
    return Figure(
        "004-fig02",
        "Fig. 2. Actuator forces without leg dynamics",
        "Massless legs; here the printed equations are right.",
        panels,
        columns=2,
    )


def _full(found: dict[str, Forces]) -> Figure:
    panels = tuple(
        Panel(
            f"({letter}) {TITLES[n]}",
            "time (s)",
            "actuator force (N)",
            _six(found[n].time, found[n].full, found[n].printed),
        )
        for letter, n in zip("abcdef", NAMES, strict=True)
    )
    worst = max(float(np.abs(f.printed - f.full).max()) for f in found.values())
    return Figure(
        "004-fig03",
        "Fig. 3. Actuator forces with leg dynamics",
        f"Leg halves of 0.065 kg.  Eq 3 as printed is off by up to {worst:.3f} N (E004-3).",
        panels,
        columns=2,
    )


def _drive(key: str, f: Forces) -> Figure:
    name = SHOWN[key]
    panels = (
        Panel("(a) without drive inertia", "time (s)", "actuator force (N)", _six(f.time, f.full, f.printed)),
        Panel(
            "(b) with drive inertia",
            "time (s)",
            "actuator force (N)",
            _six(f.time, f.driven, f.printed_drive),
        ),
        Panel(
            "(b) with the sign of eq 12 alone",
            "time (s)",
            "actuator force (N)",
            _six(f.time, f.driven, f.slip),
        ),
    )
    q = f.quarter
    i = int(np.abs(f.driven[q]).argmax())
    caption = (
        f"{TITLES[name].capitalize()}.  At the largest acceleration actuator {i + 1} needs "
        f"{f.full[q, i]:.2f} N without and {f.driven[q, i]:.2f} N with the drives; eq 14 as printed makes "
        f"the drives vanish ({f.printed_drive[q, i]:.2f} N), eq 12's sign alone gives {f.slip[q, i]:.2f} N."
    )
    return Figure(
        f"004-fig0{key}",
        f"Fig. {key}. Effect of the drive system, {TITLES[name]}",
        caption,
        panels,
        columns=3,
    )


def _halves(found: dict[str, Forces]) -> Figure:
    """Not in the paper: what the two halves of the legs add, for the leg with the largest force."""
    panels = []
    for n in ("x", "z", "rz"):
        f = found[n]
        i = int(np.abs(f.full).max(axis=0).argmax())
        panels.append(
            Panel(
                f"{TITLES[n]}, actuator {i + 1}",
                "time (s)",
                "force added (N)",
                (
                    Curve("lower halves", f.time, (f.lower - f.massless)[:, i], "reference", 0),
                    Curve("upper halves", f.time, (f.upper - f.massless)[:, i], "exact", 1),
                    Curve("whole legs", f.time, (f.full - f.massless)[:, i], "difference", 2),
                ),
            )
        )
    return Figure(
        "004-halves",
        "What the leg halves add",
        "Equal masses, unequal effects: the upper halves move with the platform, the lower ones only turn.",
        tuple(panels),
        columns=3,
    )


def _motors(found: dict[str, Forces]) -> Figure:
    panels = tuple(
        Panel(
            TITLES[n],
            "time (s)",
            "motor torque (N m)",
            tuple(
                Curve(f"motor {i + 1}", found[n].time, found[n].torque[:, i], "exact", i) for i in range(6)
            ),
        )
        for n in SHOWN.values()
    )
    return Figure(
        "004-motors",
        "Torque at the motors",
        "Gear ratio 20, pinion 10 mm, no losses: force divided by 2000 rad/m.",
        panels,
        columns=2,
    )


def _shares(found: dict[str, Forces]) -> Table:
    rows = []
    for n in NAMES:
        f = found[n]
        part = [100 * float(np.abs(x - f.massless).max()) / f.peak for x in (f.full, f.lower, f.upper)]
        rows.append(
            (
                TITLES[n],
                f"{np.abs(f.massless).max():.2f}",
                f"{f.peak:.2f}",
                *(f"{p:.1f} %" for p in part),
                f"{np.abs(f.rotor).max():.2f}",
                f"{np.abs(f.driven).max():.2f}",
            )
        )
    return Table(
        "004-shares",
        "Peak forces (N) and what legs and drives contribute",
        (
            "trajectory",
            "massless legs",
            "with legs",
            "legs",
            "lower halves",
            "upper halves",
            "drive alone",
            "with drive",
        ),
        tuple(rows),
    )


def _coupling(machine: Platform, driven: Platform) -> Table:
    rows = []
    for label, x, legs in (
        ("massless legs", machine, "massless"),
        ("with legs", machine, "full"),
        ("with legs and drives", driven, "full"),
    ):
        M = claims_004.leg_mass_matrix(x, legs)
        off = np.abs(M - np.diag(np.diag(M))).max()
        rows.append(
            (label, f"{np.diag(M).mean():.3f} kg", f"{off:.3f} kg", f"{100 * off / np.diag(M).mean():.1f} %")
        )
    return Table(
        "004-coupling",
        "Mass matrix in leg space at the start",
        ("model", "diagonal", "largest coupling", "coupling / diagonal"),
        tuple(rows),
    )
