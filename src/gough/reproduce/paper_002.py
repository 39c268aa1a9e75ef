"""[Lopes] (002): its figures, tables and claims; complete, simplified and three-mass models."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from gough.checks import Array
from gough.formulations import lagrange
from gough.model import PUS, Body, Platform
from gough.model.files import load
from gough.reproduce import claims_002, counts_002
from gough.reproduce.legs_page import leg_panels, view
from gough.reproduce.page_types import Curve, Figure, Panel, PaperReport, Progress, Table, tell
from gough.spatial import Motion, Pose
from gough.trajectory import there_and_back

P1 = (np.array([0.0, 0.0, 2.0]), np.zeros(3))
P2 = (np.array([-0.1, -0.2, 2.5]), np.radians([15.0, -15.0, 15.0]))
HALF = 1.0  # s from P1 to P2, chosen
SAMPLES = 201
TABLE_2_ENDS = (0.194, 0.194)  # m_L1, m_L2 as printed, kg
LAYOUT_B = (-15.0, 15.0, 105.0, 135.0, 225.0, 255.0)  # base angles, deg
DURATIONS = (4.0, 2.0, 1.0, 0.5)

CHOICES = (
    "joint layout A: platform pairs at 0, 120, 240 deg; base joints 45 deg (60 deg - phi_B) to either "
    "side of them.  Layout B, base joints 15 deg (phi_B) to either side, is computed beside it",
    f"duration: {HALF:g} s from P1 to P2 and as long back; other durations in the tables",
    "third order trigonometric spline read as s = 1/2 - (9 cos(pi t/T) - cos(3 pi t/T))/16: speed and "
    "acceleration vanish at both ends",
    "gravity 9.81 m/s^2 along -z; no friction",
    "slider-side universal axis vertical, as eq 55 implies",
    "J_C and eq 42 are not printed and were derived: row i of J_C is [a_i, p_i x a_i]/(a_i.z)",
    "as printed: links without spin (E002-1).  Damaged entries (E002-2, 3, 5, 6) are costed one by one",
    "a_cm is not given; it has no effect on vertical rails",
)


@dataclass(frozen=True)
class Runs:
    """Forces along P1 - P2 - P1 for one layout and duration."""

    motion: Motion
    time: Array
    exact: Array
    printed: Array
    simplified: Array
    three: Array
    length: Array

    @property
    def peak(self) -> float:
        """Largest force of the complete model, N."""
        return float(np.abs(self.exact).max())

    def percent(self, other: Array) -> float:
        """Largest difference from the complete model in percent of its peak."""
        return 100 * float(np.abs(other - self.exact).max()) / self.peak


def reproduce(progress: Progress | None = None) -> PaperReport:
    """Everything the page shows about 002."""
    tell(progress, "002: forces along the trajectory", 0.0)
    machine = load("lopes-6pus")
    other = layout_b(machine)
    main = run(machine, HALF)
    tell(progress, "002: other durations", 0.2)
    runs = {(name, T): run(x, T) for name, x in (("A", machine), ("B", other)) for T in DURATIONS}
    tell(progress, "002: figures", 0.5)
    figures = (
        _structure(machine),
        *_details(machine),
        _lengths(main),
        _forces(main),
        _speed(machine, other),
        _shares(machine, main),
        _cost(machine, main),
    )
    tell(progress, "002: counting operations", 0.7)
    counts = counts_002.counts(machine)
    tables = (counts_002.table_1(), counts_002.table_ours(counts), _parameters(), _durations(runs))
    report = PaperReport(
        key="002",
        citation="Lopes, A. M.: Complete dynamic model of a Stewart version parallel manipulator",
        summary=claims_002.summary(main, runs),
        mechanism="6-PUS: six vertical linear actuators, universal joints, links of fixed length, ball "
        "joints at "
        "the platform; platform 1.43 kg, sliders 0.123 kg, links 0.389 kg",
        choices=CHOICES,
        figures=figures,
        tables=tables,
        claims=claims_002.claims(machine, main, runs, counts),
        errata=claims_002.errata(machine, main, runs),
    )
    tell(progress, "002: done", 1.0)
    return report


def run(machine: Platform, half: float, samples: int = SAMPLES) -> Runs:
    """All link models along the trajectory with `half` seconds each way."""
    motion = there_and_back(P1, P2, half, profile="trigonometric").sample(samples)
    assert motion.time is not None
    force = {
        "exact": lagrange.inverse_dynamics(machine, motion).force,
        "printed": lagrange.inverse_dynamics(machine, motion, published=True).force,
        "simplified": simplified(machine, motion),
        "three": lagrange.inverse_dynamics(machine, motion, links="three-mass").force,
    }
    return Runs(motion, motion.time, **force, length=slider_positions(machine, motion))


def simplified(machine: Platform, motion: Motion) -> Array:
    """Forces of the two-mass model with the masses of Table 2."""
    return lagrange.inverse_dynamics(machine, motion, links="two-mass", end_masses=TABLE_2_ENDS).force


def slider_positions(machine: Platform, motion: Motion) -> Array:
    """``l_i = c_z - sqrt(L^2 - c_x^2 - c_y^2)``, (..., 6), m; vertical rails."""
    p = motion.position[..., None, :] + machine.platform_joints @ np.swapaxes(motion.rotation, -1, -2)
    c = p - machine.base_joints
    L = np.array([leg.length for leg in machine.legs if isinstance(leg, PUS)])
    return c[..., 2] - np.sqrt(L**2 - c[..., 0] ** 2 - c[..., 1] ** 2)


def layout_b(machine: Platform) -> Platform:
    """The other reading of phi_B: base joints 15 deg to either side of the platform pairs."""
    angles = np.radians(LAYOUT_B)
    bases = 1.5 * np.stack([np.cos(angles), np.sin(angles), np.zeros(6)], axis=-1)
    return machine.replace(legs=[leg.replace(base=b) for leg, b in zip(machine.legs, bases, strict=True)])


def _structure(machine: Platform) -> Figure:
    pose = Pose(P1[0])
    b, p = machine.base_joints, pose.position + machine.platform_joints
    ends = b + slider_positions(machine, Motion.at_rest(pose))[:, None] * np.array([0.0, 0.0, 1.0])
    panels = []
    for name, angles in (("view from the side", (0.5, 0.35)), ("view from above", (0.0, np.pi / 2))):
        B, E, P = (view(x, *angles) for x in (b, ends, p))
        ring = [*range(6), 0]
        curves = [
            Curve("base points", B[ring, 0], B[ring, 1], "aid", 1),
            Curve("platform points", P[ring, 0], P[ring, 1], "exact", 0),
        ]
        for i in range(6):
            rail, link = np.stack([B[i], E[i]]), np.stack([E[i], P[i]])
            curves.append(Curve("" if i else "actuators", rail[:, 0], rail[:, 1], "difference", 3))
            curves.append(Curve("" if i else "links", link[:, 0], link[:, 1], "reference", 2))
        panels.append(Panel(name, "m", "m", tuple(curves), equal=True))
    return Figure(
        "002-fig01",
        "Fig. 1. Kinematic structure",
        "Layout A at P1: vertical actuators, links of fixed length, joint pairs of the platform coincide "
        "(phi_P = 0).",
        tuple(panels),
        columns=2,
    )


def _details(machine: Platform) -> tuple[Figure, Figure]:
    """Figs. 2 and 3: leg 1 in the vertical plane of its link, with the mass centers."""
    leg = machine.legs[0]
    assert isinstance(leg, PUS)
    l = float(slider_positions(machine, Motion(P1[0]))[0])
    across = float(np.linalg.norm((P1[0] + leg.joint - leg.base)[:2]))
    end, tip = np.array([0.0, l]), np.array([across, 2.0])
    cm = end + (tip - end) * leg.link.center[0] / leg.length

    def piece(label: str, a: Array, b: Array, style: str, group: int) -> Curve:
        return Curve(label, np.array([a[0], b[0]]), np.array([a[1], b[1]]), style, group)

    base, low = np.zeros(2), np.array([0.0, l - 0.15])
    actuator = Panel(
        "leg 1 at P1",
        "m",
        "z (m)",
        (
            piece("actuator, l_1", base, end, "exact", 0),
            piece("link", end, tip, "reference", 1),
            piece("a_cm (not given, drawn 0.15 m)", end, low, "printed", 2),
        ),
        equal=True,
    )
    link = Panel(
        "leg 1 at P1",
        "m",
        "z (m)",
        (
            piece("actuator", base, end, "exact", 0),
            piece("link, L = 1.837 m", end, tip, "reference", 1),
            piece("b_cm = 0.918 m", tip, cm, "printed", 2),
        ),
        equal=True,
    )
    return (
        Figure(
            "002-fig02",
            "Fig. 2. Mass center of an actuator",
            "Its distance a_cm from the joint drops out of every force: the actuators only move along z.",
            (actuator,),
        ),
        Figure(
            "002-fig03", "Fig. 3. Mass center of a link", "b_cm is counted from the platform end.", (link,)
        ),
    )


def _lengths(main: Runs) -> Figure:
    curves = tuple(Curve(f"l_{i + 1}", main.time, main.length[:, i], "", i) for i in range(6))
    return Figure(
        "002-fig04",
        "Fig. 4. Actuator trajectories",
        f"P1 - P2 - P1; all six start at {main.length[0, 0]:.5f} m.",
        (Panel("", "time (s)", "slider position (m)", curves),),
    )


def _forces(main: Runs) -> Figure:
    curves = (
        ("complete, exact", main.exact, "exact", 0),
        ("complete, as printed", main.printed, "printed", 1),
        ("simplified (two masses)", main.simplified, "reference", 2),
    )
    caption = (
        f"Complete and simplified model differ by up to {np.abs(main.simplified - main.exact).max():.2f} N, "
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
    rows = [[run(x, float(t), 101) for t in T] for x in (machine, other)]
    curves = tuple(
        Curve(
            f"two masses, layout {name}", T, np.array([r.percent(r.simplified) for r in row]), "reference", k
        )
        for k, (name, row) in enumerate(zip("AB", rows, strict=True))
    )
    three = max(r.percent(r.three) for row in rows for r in row)
    return Figure(
        "002-speed",
        "Simplified model against the complete one, by speed",
        "Two end masses turn with 3.27 times the inertia of the link (E002-8).  A third mass at the mass "
        f"center makes the model exact for slender links: {three:.0e} % at most.",
        (Panel("", "time from P1 to P2 (s)", "largest difference (% of peak)", curves, yscale="log"),),
    )


def _shares(machine: Platform, main: Runs) -> Figure:
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
    panels = tuple(
        Panel(
            f"actuator {i + 1}",
            "time (s)",
            "force (N)",
            tuple(
                Curve(n, main.time, s[:, i], "", k) for k, (n, s) in enumerate(zip(names, steps, strict=True))
            ),
        )
        for i in (2, 3)
    )
    return Figure(
        "002-shares",
        "Where the force comes from (eqs 73-75)",
        "The four sums of the complete model for the actuators with the smallest and the largest force at "
        "P2.",
        panels,
        columns=2,
    )


def _cost(machine: Platform, main: Runs) -> Figure:
    curves = []
    for group, key in enumerate(lagrange.ERRATA):
        error = np.abs(claims_002.slip(machine, main, key)).max(axis=1)
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
        (Panel("", "time (s)", "largest error of the six forces (N)", tuple(curves), yscale="log"),),
    )


def _parameters() -> Table:
    rows = (
        ("r_B", "1.500 m", "m_P", "1.430 kg", "I_Lxx", "0.0 kg m^2"),
        ("r_P", "0.750 m", "m_A", "0.123 kg", "I_Lyy", "0.1 kg m^2"),
        ("L", "1.837 m", "m_L", "0.389 kg", "I_Lzz", "0.1 kg m^2"),
        ("phi_B", "15 deg", "I_Pxx", "0.2 kg m^2", "m_L1", "0.194 kg"),
        ("phi_P", "0 deg", "I_Pyy", "0.2 kg m^2", "m_L2", "0.194 kg"),
        ("", "", "I_Pzz", "0.4 kg m^2", "b_cm", "0.918 m"),
    )
    return Table(
        "002-table2",
        "Table 2. Manipulator parameters",
        ("parameter", "value", "parameter", "value", "parameter", "value"),
        rows,
    )


def _durations(runs: dict[tuple[str, float], Runs]) -> Table:
    rows = tuple(
        (
            f"{T:g} s",
            *(
                text
                for name in "AB"
                for text in (
                    f"{runs[name, T].peak:.2f} N",
                    f"{runs[name, T].percent(runs[name, T].simplified):.1f} %",
                )
            ),
            f"{runs['A', T].percent(runs['A', T].three):.1e} %",
        )
        for T in DURATIONS
    )
    return Table(
        "002-durations",
        "Simplified against complete model, by the time from P1 to P2",
        ("time", "peak, layout A", "two masses, A", "peak, layout B", "two masses, B", "three masses, A"),
        rows,
    )
