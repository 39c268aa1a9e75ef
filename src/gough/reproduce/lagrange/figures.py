"""The figures and tables of [Lopes] (002)."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from gough.formulations import lagrange
from gough.model import PUS, Body, Platform
from gough.reproduce.builders import leg_panels, line, machine_drawing, over_time, six
from gough.reproduce.lagrange import claims
from gough.reproduce.lagrange.forces import (
    DURATIONS,
    P1,
    Durations,
    LinkModelForces,
    link_models,
    slider_positions,
)
from gough.reproduce.page import Curve, Figure, Panel, TextTable
from gough.spatial import Motion, Pose


def figures(machine: Platform, other: Platform, main: LinkModelForces) -> tuple[Figure, ...]:
    """The paper's five, and ours: speed, shares, cost of the errata."""
    return (
        _structure(machine),
        *_details(machine),
        _lengths(main),
        _forces(main),
        _speed(machine, other),
        _shares(machine, main),
        _cost(machine, main),
    )


def _structure(machine: Platform) -> Figure:
    pose = Pose(P1[0])
    length = slider_positions(machine, Motion.at_rest(pose))
    return machine_drawing(
        machine,
        pose,
        "002-fig01",
        "Fig. 1. Kinematic structure",
        "Layout A at P1: vertical actuators, links of fixed length, joint pairs of the platform coincide (phi_P = 0).",
        machine.base_joints + length[:, None] * np.array([0.0, 0.0, 1.0]),
    )


def _details(machine: Platform) -> tuple[Figure, Figure]:
    """Figs. 2 and 3: leg 1 in the vertical plane of its link, with the mass centers."""
    leg = machine.legs[0]
    assert isinstance(leg, PUS)
    l = float(slider_positions(machine, Motion(P1[0]))[0])
    across = float(np.linalg.norm((P1[0] + leg.joint - leg.base)[:2]))
    end, tip = np.array([0.0, l]), np.array([across, 2.0])
    cm = end + (tip - end) * leg.link.center[0] / leg.length

    base, low = np.zeros(2), np.array([0.0, l - 0.15])
    shared = {
        "actuator": (
            "actuator, l_1",
            "link",
            line("a_cm (not given, drawn 0.15 m)", end, low, "printed", 2),
        ),
        "link": ("actuator", "link, L = 1.837 m", line("b_cm = 0.918 m", tip, cm, "printed", 2)),
    }
    actuator, link = (
        Panel(
            "leg 1 at P1",
            "m",
            "z (m)",
            (line(first, base, end, "exact", 0), line(second, end, tip, "reference", 1), third),
            equal=True,
        )
        for first, second, third in shared.values()
    )
    return (
        Figure(
            "002-fig02",
            "Fig. 2. Mass center of an actuator",
            "Its distance a_cm from the joint drops out of every force: the actuators only move along z.",
            (actuator,),
        ),
        Figure(
            "002-fig03",
            "Fig. 3. Mass center of a link",
            "b_cm is counted from the platform end.",
            (link,),
        ),
    )


def _lengths(main: LinkModelForces) -> Figure:
    return Figure(
        "002-fig04",
        "Fig. 4. Actuator trajectories",
        f"P1 - P2 - P1; all six start at {main.length[0, 0]:.5f} m.",
        (over_time("", "slider position (m)", six("l_", main.time, main.length)),),
    )


def _forces(main: LinkModelForces) -> Figure:
    curves = (
        ("complete, exact", main.exact, "exact", 0),
        ("complete, as printed", main.printed, "printed", 1),
        ("simplified (two masses)", main.simplified, "reference", 2),
    )
    caption = (
        f"Complete and simplified model differ by up to {main.off(main.simplified):.2f} N, "
        f"{main.percent(main.simplified):.1f} % of the peak {main.peak:.2f} N.  As printed the complete "
        "model is exact here, because I_Lxx = 0."
    )
    return Figure(
        "002-fig05",
        "Fig. 5. Actuator forces: complete and simplified model",
        caption,
        leg_panels(main.time, curves, "force (N)", "actuator"),
        columns=2,
    )


def _speed(machine: Platform, other: Platform) -> Figure:
    """Not in the paper: how good the simplified model is depends on the speed."""
    T = np.geomspace(0.3, 8.0, 9)
    rows = [[link_models(x, float(t), 101) for t in T] for x in (machine, other)]
    curves = tuple(
        Curve(
            f"two masses, layout {name}",
            T,
            np.array([r.percent(r.simplified) for r in row]),
            "reference",
            k,
        )
        for k, (name, row) in enumerate(zip("AB", rows, strict=True))
    )
    three = max(r.percent(r.three) for row in rows for r in row)
    return Figure(
        "002-speed",
        "Simplified model against the complete one, by speed",
        "Two end masses turn with 3.27 times the inertia of the link (E002-8).  A third mass at the mass "
        f"center makes the model exact for slender links: {three:.0e} % at most.",
        (
            Panel(
                "", "time from P1 to P2 (s)", "largest difference (% of peak)", curves, yscale="log"
            ),
        ),
    )


def _shares(machine: Platform, main: LinkModelForces) -> Figure:
    """Not in the paper: which body asks for which part of actuator 4's force."""
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
    panels = leg_panels(main.time, rows, "force (N)", "actuator")[2:4]
    return Figure(
        "002-shares",
        "Where the force comes from (eqs 73-75)",
        "The four sums of the complete model for the actuators with the smallest and the largest force at P2.",
        panels,
        columns=2,
    )


def _cost(machine: Platform, main: LinkModelForces) -> Figure:
    curves = []
    for group, key in enumerate(lagrange.ERRATA):
        error = np.abs(claims.slip(machine, main, key)).max(axis=1)
        seen = error > 1e-9  # a logarithmic axis has no zero
        if seen.any():
            curves.append(Curve(key, main.time[seen], error[seen], "", group))
    simple = np.abs(main.simplified - main.exact).max(axis=1)
    curves.append(Curve("E002-7, 8: simplified model", main.time, simple, "reference", 9))
    return Figure(
        "002-errata",
        "What each damaged equation would cost",
        "Error of the actuator forces if one entry is taken as it stands on the page.  E002-1 costs "
        "nothing with Table 2.",
        (over_time("", "largest error of the six forces (N)", curves, yscale="log"),),
    )


def parameters() -> TextTable:
    """Table 2 as printed."""
    rows = (
        ("r_B", "1.500 m", "m_P", "1.430 kg", "I_Lxx", "0.0 kg m^2"),
        ("r_P", "0.750 m", "m_A", "0.123 kg", "I_Lyy", "0.1 kg m^2"),
        ("L", "1.837 m", "m_L", "0.389 kg", "I_Lzz", "0.1 kg m^2"),
        ("phi_B", "15 deg", "I_Pxx", "0.2 kg m^2", "m_L1", "0.194 kg"),
        ("phi_P", "0 deg", "I_Pyy", "0.2 kg m^2", "m_L2", "0.194 kg"),
        ("", "", "I_Pzz", "0.4 kg m^2", "b_cm", "0.918 m"),
    )
    return TextTable(
        "002-table2",
        "Table 2. Manipulator parameters",
        ("parameter", "value", "parameter", "value", "parameter", "value"),
        rows,
    )


def durations(runs: Durations) -> TextTable:
    """How good the simplified model is by speed."""
    rows = []
    for T in DURATIONS:
        both = [runs[name, T] for name in "AB"]
        cells = [
            text for r in both for text in (f"{r.peak:.2f} N", f"{r.percent(r.simplified):.1f} %")
        ]
        rows.append((f"{T:g} s", *cells, f"{both[0].percent(both[0].three):.1e} %"))
    return TextTable(
        "002-durations",
        "Simplified against complete model, by the time from P1 to P2",
        (
            "time",
            "peak, layout A",
            "two masses, A",
            "peak, layout B",
            "two masses, B",
            "three masses, A",
        ),
        tuple(rows),
    )
