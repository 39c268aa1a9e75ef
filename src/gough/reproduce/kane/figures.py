"""The figures and tables of [Syed] (004)."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.checks import Array
from gough.model import Platform
from gough.reproduce.builders import machine_panels, over_time, six
from gough.reproduce.kane import missing
from gough.reproduce.kane.control import TIMES, ClosedLoop
from gough.reproduce.kane.forces import TITLES, LegAndDriveForces, leg_mass_matrix
from gough.reproduce.kane.forces import coupling as coupling_of
from gough.reproduce.kane.statements import NAMES
from gough.reproduce.page import Curve, Figure, Panel, TextTable
from gough.reproduce.paper_text import PaperText
from gough.reproduce.verdicts import Values

SHOWN = {"4": "z", "5": "x"}  # trajectories chosen for Figs. 4 and 5
SMALLEST = 1e-3  # micrometers, lower end of a logarithmic axis


def figures(
    text: PaperText,
    machine: Platform,
    found: dict[str, LegAndDriveForces],
    loops: dict[str, ClosedLoop],
) -> tuple[Figure, ...]:
    """The paper's five, and ours: the stated pattern, the halves of the legs, the motors, its controller."""
    worst = max(f.off(f.printed) for f in found.values())
    lettered = [(f"({c}) {TITLES[n]}", found[n]) for c, n in zip("abcdef", NAMES, strict=True)]
    constant = max(np.abs(loop.constant).max() for loop in loops.values())
    return (
        text.figure("004-fig01", machine_panels(machine, machine.require_home())),
        text.figure("004-fig02", [_forces(t, f.time, f.massless) for t, f in lettered]),
        text.figure(
            "004-fig03", [_forces(t, f.time, f.exact, f.printed) for t, f in lettered], worst=worst
        ),
        *(
            text.figure(f"004-fig0{key}", _drive(found[n]), **_at_middle(found[n]))
            for key, n in SHOWN.items()
        ),
        text.figure("004-pattern", _pattern(found["x"]), **_changes(found["x"])),
        text.figure("004-halves", [_halves(n, found[n]) for n in ("x", "z", "rz")]),
        text.figure("004-motors", [_motors(n, found[n]) for n in SHOWN.values()]),
        text.figure("004-loops", [_loops(n, loop) for n, loop in loops.items()], constant=constant),
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


def _at_middle(f: LegAndDriveForces) -> dict[str, Any]:
    """The actuator with the largest force in the middle of the trajectory."""
    q = f.middle
    i = int(np.abs(f.driven[q]).argmax())
    models = {"without": f.exact, "driven": f.driven, "vanish": f.printed_drive, "slip": f.slip}
    return {"actuator": i + 1, **{name: force[q, i] for name, force in models.items()}}


def _pattern(f: LegAndDriveForces) -> list[Panel]:
    """Sizes of the six forces along x, with and without the legs' masses."""
    models = (
        ("massless legs", f.massless, "reference", 1),
        ("with leg masses", f.exact, "exact", 0),
    )
    return [
        over_time(
            f"actuator {i + 1}",
            "size of the force (N)",
            [
                Curve(label, f.time, np.abs(force[:, i]), style, group)
                for label, force, style, group in models
            ],
        )
        for i in range(6)
    ]


def _changes(f: LegAndDriveForces) -> dict[str, Any]:
    """Smallest and largest change of each force's size over time, N."""
    change = np.abs(f.exact) - np.abs(f.massless)
    return {"low": change.min(axis=0), "high": change.max(axis=0)}


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


def _loops(name: str, loop: ClosedLoop) -> Panel:
    """Largest error of the six legs over time."""
    rows = (
        ("six loops, no drives", loop.without, "reference", 1),
        ("six loops, with drives", loop.drives, "exact", 0),
        ("full model in the loop", loop.model, "aid", 2),
    )
    curves = [
        Curve(label, TIMES[1:], np.maximum(1e6 * np.abs(e[1:]).max(axis=1), SMALLEST), style, group)
        for label, e, style, group in rows
    ]
    return over_time(TITLES[name], "largest leg error (micrometers)", curves, yscale="log")


def tables(
    text: PaperText,
    machine: Platform,
    driven: Platform,
    found: dict[str, LegAndDriveForces],
    computed: Values,
) -> tuple[TextTable, ...]:
    """The machine found, what the search says about each statement, peak forces, coupling, control."""
    return (
        text.table("004-machine", _data()),
        text.table("004-search", _searched(text, computed)),
        text.table("004-shares", shares(found)),
        text.table("004-coupling", coupling(machine, driven)),
    )


def _data() -> list[tuple[str, ...]]:
    """Missing data of the machine found, and what was searched."""
    found = missing.stored()["found"]
    ends = {**missing.RANGES, **{name: (0, n - 1) for name, n in missing.DIRECTIONS.items()}}
    return [
        (name.replace("_", " "), f"{found[name]:g}", f"{low:g} to {high:g}")
        for name, (low, high) in ends.items()
    ]


def _searched(text: PaperText, computed: Values) -> list[tuple[str, ...]]:
    """Every statement about the machine: where it holds."""
    share, among, unmet = (computed[name] for name in ("share", "share_of_pattern", "unmet"))
    return [
        (
            text.claims[key]["statement"],
            _percent(held),
            _percent(among[key]) if key in among else "-",
            "no" if key in unmet else "yes",
        )
        for key, held in share.items()
    ]


def _percent(share: float) -> str:
    return f"{share:.3g} %"


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
        ("with legs and drives", driven, "full"),
    ):
        own, other = coupling_of(leg_mass_matrix(x, legs))
        rows.append((label, f"{own:.3f} kg", f"{other:.3f} kg", f"{100 * other / own:.1f} %"))
    return rows
