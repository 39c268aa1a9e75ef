"""The figures and tables of [Syed] (004)."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.checks import Array
from gough.formulations import kane
from gough.model import Platform
from gough.reproduce.builders import machine_panels, over_time, six
from gough.reproduce.kane.forces import (
    NAMES,
    START,
    TITLES,
    LegAndDriveForces,
    leg_mass_matrix,
    motion_of,
)
from gough.reproduce.kane.forces import coupling as coupling_of
from gough.reproduce.kane.machines import pattern_machine
from gough.reproduce.page import Curve, Figure, Panel
from gough.reproduce.paper_text import PaperText
from gough.spatial import Pose

SHOWN = {"4": "z", "5": "x"}  # trajectories chosen for Figs. 4 and 5


def figures(
    text: PaperText, machine: Platform, found: dict[str, LegAndDriveForces]
) -> tuple[Figure, ...]:
    """The paper's five, and ours: the stated pattern, the halves of the legs, the motors."""
    worst = max(f.off(f.printed) for f in found.values())
    lettered = [(f"({c}) {TITLES[n]}", found[n]) for c, n in zip("abcdef", NAMES, strict=True)]
    return (
        text.figure("004-fig01", machine_panels(machine, Pose(START))),
        text.figure("004-fig02", [_forces(t, f.time, f.massless) for t, f in lettered]),
        text.figure(
            "004-fig03", [_forces(t, f.time, f.exact, f.printed) for t, f in lettered], worst=worst
        ),
        *(
            text.figure(f"004-fig0{key}", _drive(found[n]), **_at_peak(found[n]))
            for key, n in SHOWN.items()
        ),
        text.figure("004-pattern", _pattern()),
        text.figure("004-halves", [_halves(n, found[n]) for n in ("x", "z", "rz")]),
        text.figure("004-motors", [_motors(n, found[n]) for n in SHOWN.values()]),
    )


def _forces(title: str, time: Array, exact: Array, printed: Array | None = None) -> Panel:
    curves = six("sigma_", time, exact, "exact")
    if printed is not None:
        curves += tuple(
            Curve("" if i else "as printed", time, printed[:, i], "printed", i) for i in range(6)
        )
    return over_time(title, "actuator force (N)", curves)


def _drive(f: LegAndDriveForces) -> list[Panel]:
    return [
        _forces("(a) without drive inertia", f.time, f.exact, f.printed),
        _forces("(b) with drive inertia", f.time, f.driven, f.printed_drive),
        _forces("(b) with the sign of eq 12 alone", f.time, f.driven, f.slip),
    ]


def _at_peak(f: LegAndDriveForces) -> dict[str, Any]:
    """The actuator with the largest force at the largest acceleration."""
    q = f.quarter
    i = int(np.abs(f.driven[q]).argmax())
    models = {"without": f.exact, "driven": f.driven, "vanish": f.printed_drive, "slip": f.slip}
    return {"actuator": i + 1, **{name: force[q, i] for name, force in models.items()}}


def _pattern() -> list[Panel]:
    """The x trajectory on the machine with the stated pattern, with and without the legs' masses."""
    machine = pattern_machine()
    motion = motion_of(machine, "x", 101)
    time, now = motion.time, slice(0, 51)
    assert time is not None
    force = {k: kane.inverse_dynamics(machine, motion, legs=k).force for k in ("massless", "full")}
    return [
        over_time(
            f"actuator {i + 1}",
            "size of the force (N)",
            [
                Curve(
                    "massless legs", time[now], np.abs(force["massless"][now, i]), "reference", 1
                ),
                Curve("with leg masses", time[now], np.abs(force["full"][now, i]), "exact", 0),
            ],
        )
        for i in range(6)
    ]


def _halves(name: str, f: LegAndDriveForces) -> Panel:
    """What the two halves of the legs add, for the leg with the largest force."""
    i = int(np.abs(f.exact).max(axis=0).argmax())
    parts = (
        ("lower halves", f.lower, "reference"),
        ("upper halves", f.upper, "exact"),
        ("whole legs", f.exact, "difference"),
    )
    curves = [
        Curve(label, f.time, (part - f.massless)[:, i], style, k)
        for k, (label, part, style) in enumerate(parts)
    ]
    return over_time(f"{TITLES[name]}, actuator {i + 1}", "force added (N)", curves)


def _motors(name: str, f: LegAndDriveForces) -> Panel:
    return over_time(TITLES[name], "motor torque (N m)", six("motor ", f.time, f.torque, "exact"))


def shares(found: dict[str, LegAndDriveForces]) -> list[tuple[str, ...]]:
    """Peak forces, and what legs and drives contribute."""
    return [
        (
            TITLES[n],
            f"{np.abs(f.massless).max():.2f}",
            f"{f.peak:.2f}",
            *(f"{f.share(part):.1f} %" for part in (f.exact, f.lower, f.upper)),
            f"{np.abs(f.rotor).max():.2f}",
            f"{np.abs(f.driven).max():.2f}",
        )
        for n, f in found.items()
    ]


def coupling(machine: Platform, driven: Platform) -> list[tuple[str, ...]]:
    """How far each drive is from moving a load of its own."""
    rows = []
    for label, x, legs in (
        ("massless legs", machine, "massless"),
        ("with legs", machine, "full"),
        ("with legs and drives of 4 kg", driven, "full"),
    ):
        own, other = coupling_of(leg_mass_matrix(x, legs))
        rows.append((label, f"{own:.3f} kg", f"{other:.3f} kg", f"{100 * other / own:.1f} %"))
    return rows
