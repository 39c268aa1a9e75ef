"""The figures and tables of [Syed] (004)."""

from __future__ import annotations

import numpy as np

from gough.checks import Array
from gough.model import Platform
from gough.reproduce.builders import machine_drawing, over_time, six
from gough.reproduce.kane.forces import NAMES, START, TITLES, LegAndDriveForces, leg_mass_matrix
from gough.reproduce.kane.forces import coupling as coupling_of
from gough.reproduce.page import Curve, Figure, Panel, TextTable
from gough.spatial import Pose

SHOWN = {"4": "z", "5": "x"}  # trajectories chosen for Figs. 4 and 5


def figures(machine: Platform, found: dict[str, LegAndDriveForces]) -> tuple[Figure, ...]:
    """The paper's five, and ours: the halves of the legs, the motors."""
    worst = max(f.off(f.printed) for f in found.values())
    return (
        machine_drawing(
            machine,
            Pose(START),
            "004-fig01",
            "Fig. 1. Stewart mechanism",
            "The example machine at the start of every trajectory.",
        ),
        Figure(
            "004-fig02",
            "Fig. 2. Actuator forces without leg dynamics",
            "Massless legs; here the printed equations are right.",
            tuple(_forces(title, f.time, f.massless) for title, f in _lettered(found)),
            columns=2,
        ),
        Figure(
            "004-fig03",
            "Fig. 3. Actuator forces with leg dynamics",
            f"Leg halves of 0.065 kg.  Eq 3 as printed is off by up to {worst:.3f} N (E004-3).",
            tuple(_forces(title, f.time, f.exact, f.printed) for title, f in _lettered(found)),
            columns=2,
        ),
        *(_drive(key, found[name]) for key, name in SHOWN.items()),
        _halves(found),
        _motors(found),
    )


def _lettered(found: dict[str, LegAndDriveForces]) -> list[tuple[str, LegAndDriveForces]]:
    return [
        (f"({letter}) {TITLES[n]}", found[n]) for letter, n in zip("abcdef", NAMES, strict=True)
    ]


def _forces(title: str, time: Array, exact: Array, printed: Array | None = None) -> Panel:
    curves = six("sigma_", time, exact, "exact")
    if printed is not None:
        curves += tuple(
            Curve("" if i else "as printed", time, printed[:, i], "printed", i) for i in range(6)
        )
    return over_time(title, "actuator force (N)", curves)


def _drive(key: str, f: LegAndDriveForces) -> Figure:
    name = SHOWN[key]
    panels = (
        _forces("(a) without drive inertia", f.time, f.exact, f.printed),
        _forces("(b) with drive inertia", f.time, f.driven, f.printed_drive),
        _forces("(b) with the sign of eq 12 alone", f.time, f.driven, f.slip),
    )
    q = f.quarter
    i = int(np.abs(f.driven[q]).argmax())
    caption = (
        f"{TITLES[name].capitalize()}.  At the largest acceleration actuator {i + 1} needs "
        f"{f.exact[q, i]:.2f} N without and {f.driven[q, i]:.2f} N with the drives; eq 14 as printed makes "
        f"the drives vanish ({f.printed_drive[q, i]:.2f} N), eq 12's sign alone gives {f.slip[q, i]:.2f} N."
    )
    return Figure(
        f"004-fig0{key}",
        f"Fig. {key}. Effect of the drive system, {TITLES[name]}",
        caption,
        panels,
        columns=3,
    )


def _halves(found: dict[str, LegAndDriveForces]) -> Figure:
    """Not in the paper: what the two halves of the legs add, for the leg with the largest force."""
    panels = []
    for n in ("x", "z", "rz"):
        f = found[n]
        i = int(np.abs(f.exact).max(axis=0).argmax())
        parts = (
            ("lower halves", f.lower, "reference"),
            ("upper halves", f.upper, "exact"),
            ("whole legs", f.exact, "difference"),
        )
        panels.append(
            over_time(
                f"{TITLES[n]}, actuator {i + 1}",
                "force added (N)",
                [
                    Curve(label, f.time, (part - f.massless)[:, i], style, k)
                    for k, (label, part, style) in enumerate(parts)
                ],
            )
        )
    return Figure(
        "004-halves",
        "What the leg halves add",
        "Equal masses, unequal effects: the upper halves move with the platform, the lower ones only turn.",
        tuple(panels),
        columns=3,
    )


def _motors(found: dict[str, LegAndDriveForces]) -> Figure:
    panels = tuple(
        over_time(
            TITLES[n], "motor torque (N m)", six("motor ", found[n].time, found[n].torque, "exact")
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


def shares(found: dict[str, LegAndDriveForces]) -> TextTable:
    """Peak forces, and what legs and drives contribute."""
    rows = tuple(
        (
            TITLES[n],
            f"{np.abs(f.massless).max():.2f}",
            f"{f.peak:.2f}",
            *(f"{f.share(part):.1f} %" for part in (f.exact, f.lower, f.upper)),
            f"{np.abs(f.rotor).max():.2f}",
            f"{np.abs(f.driven).max():.2f}",
        )
        for n, f in found.items()
    )
    return TextTable(
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
        rows,
    )


def coupling(machine: Platform, driven: Platform) -> TextTable:
    """How far each drive is from moving a load of its own."""
    rows = []
    for label, x, legs in (
        ("massless legs", machine, "massless"),
        ("with legs", machine, "full"),
        ("with legs and drives", driven, "full"),
    ):
        own, other = coupling_of(leg_mass_matrix(x, legs))
        rows.append((label, f"{own:.3f} kg", f"{other:.3f} kg", f"{100 * other / own:.1f} %"))
    return TextTable(
        "004-coupling",
        "Mass matrix in leg space at the start",
        ("model", "diagonal", "largest coupling", "coupling / diagonal"),
        tuple(rows),
    )
