"""The figures and tables of [Lopes] (002)."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from gough.formulations import lagrange
from gough.model import PUS, Body, Platform
from gough.reproduce import builders
from gough.reproduce.builders import leg_panels, line, over_time
from gough.reproduce.lagrange.forces import (
    DURATIONS,
    P1,
    Durations,
    LinkModelForces,
    link_models,
    slider_positions,
)
from gough.reproduce.page import Curve, Figure, Panel
from gough.reproduce.paper_text import PaperText
from gough.spatial import Motion, Pose


def figures(
    text: PaperText, machine: Platform, other: Platform, main: LinkModelForces
) -> tuple[Figure, ...]:
    """The paper's five, and ours: speed, shares."""
    actuator, link = _details(machine)
    curves, three = _speed(machine, other)
    lengths = over_time("", "slider position (m)", builders.six("l_", main.time, main.length))
    ends = {"start": main.length[0], "end": main.length[len(main.time) // 2]}
    size = {"error": main.off(main.simplified), "percent": main.percent(main.simplified)}
    size["printed"] = main.off(main.printed)
    axes = ("time from P1 to P2 (s)", "largest difference (% of peak)")
    return (
        text.figure("002-fig01", _structure(machine)),
        text.figure("002-fig02", [actuator]),
        text.figure("002-fig03", [link]),
        text.figure("002-fig04", [lengths], **ends),
        text.figure("002-fig05", _forces(main), peak=main.peak, **size),
        text.figure("002-speed", [Panel("", *axes, curves, yscale="log")], three=three),
        text.figure("002-shares", _shares(machine, main)),
    )


def _structure(machine: Platform) -> list[Panel]:
    pose = Pose(P1[0])
    length = slider_positions(machine, Motion.at_rest(pose))
    ends = machine.base_joints + length[:, None] * np.array([0.0, 0.0, 1.0])
    return builders.machine_panels(machine, pose, ends)


def _details(machine: Platform) -> tuple[Panel, Panel]:
    """Figs. 2 and 3: leg 1 in the vertical plane of its link, with the mass centers."""
    leg = machine.legs[0]
    assert isinstance(leg, PUS)
    l = float(slider_positions(machine, Motion(P1[0]))[0])
    across = float(np.linalg.norm((P1[0] + leg.joint - leg.base)[:2]))
    base, end, tip = np.zeros(2), np.array([0.0, l]), np.array([across, 2.0])
    cm, low = end + (tip - end) * leg.link.center[0] / leg.length, np.array([0.0, l - 0.15])
    rows = (
        ("actuator, l_1", "link", ("a_cm (not given, drawn 0.15 m)", end, low)),
        ("actuator", "link, L = 1.837 m", ("b_cm = 0.918 m", tip, cm)),
    )
    first, second = (
        Panel(
            "leg 1 at P1",
            "m",
            "z (m)",
            (
                line(actuator, base, end, "difference", 0),
                line(link, end, tip, "reference", 1),
                line(*distance, "printed", 2),
            ),
            equal=True,
        )
        for actuator, link, distance in rows
    )
    return first, second


def _forces(main: LinkModelForces) -> tuple[Panel, ...]:
    curves = (
        ("complete, exact", main.exact, "exact", 0),
        ("complete, as printed", main.printed, "printed", 0),
        ("simplified (two masses)", main.simplified, "reference", 1),
    )
    return leg_panels(main.time, curves, "force (N)", "actuator")


def _speed(machine: Platform, other: Platform) -> tuple[tuple[Curve, ...], float]:
    """Not in the paper: how good the simplified model is depends on the speed; largest error of three masses, %."""
    T = np.geomspace(0.3, 8.0, 9)
    rows = {
        name: [link_models(x, float(t), 101) for t in T]
        for name, x in (("A", machine), ("B", other))
    }
    curves = tuple(
        Curve(
            f"two masses, layout {name}",
            T,
            np.array([r.percent(r.simplified) for r in row]),
            "reference",
            k,
        )
        for k, (name, row) in enumerate(rows.items())
    )
    return curves, max(r.percent(r.three) for row in rows.values() for r in row)


def _shares(machine: Platform, main: LinkModelForces) -> tuple[Panel, ...]:
    """Not in the paper: which body asks for which part of the force of actuators 3 and 4."""
    legs = [leg for leg in machine.legs if isinstance(leg, PUS)]
    point = Body(legs[0].link.mass, legs[0].link.center)
    stages = ({"slider_mass": 0.0, "link": Body(0.0)}, {"link": Body(0.0)}, {"link": point}, {})
    force = [
        lagrange.inverse_dynamics(
            machine.replace(legs=[leg.replace(**stage) for leg in legs]), main.motion
        ).force
        for stage in stages
    ]
    steps = [force[0], *(b - a for a, b in pairwise(force))]
    names = ("moving platform", "actuators", "links, translating", "links, turning")
    rows = [(name, step, "", k) for k, (name, step) in enumerate(zip(names, steps, strict=True))]
    return leg_panels(main.time, rows, "force (N)", "actuator")[2:4]


def durations(runs: Durations) -> list[tuple[str, ...]]:
    """How good the simplified model is by speed."""
    rows = []
    for T in DURATIONS:
        both = [runs[name, T] for name in "AB"]
        cells = [x for r in both for x in (f"{r.peak:.2f} N", f"{r.percent(r.simplified):.1f} %")]
        rows.append((f"{T:g} s", *cells, f"{both[0].percent(both[0].three):.1e} %"))
    return rows
