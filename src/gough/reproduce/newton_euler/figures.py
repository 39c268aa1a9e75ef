"""The figures and tables of [Dasgupta1998] (001)."""

from __future__ import annotations

import numpy as np

from gough.checks import Array
from gough.formulations import newton_euler
from gough.model import Platform
from gough.reproduce import builders, free_body
from gough.reproduce.builders import Forces, leg_panels, over_time
from gough.reproduce.free_body import FreeBody, Symbols
from gough.reproduce.newton_euler import operations
from gough.reproduce.newton_euler.forces import PathForces
from gough.reproduce.page import Curve, Figure, Panel, TextTable, mark
from gough.reproduce.paper_text import PaperText
from gough.trajectory.point_to_point import PointToPoint

SYMBOLS = Symbols("b", "p", ("m_d", "m_u", "M"), "g", "F_u", "F_s", "M_u c", "f")
LEG, INSTANT = 2, 58  # leg 3, late on Path II: the platform brakes, the leg carries little


def figures(text: PaperText, machine: Platform, paths: dict[str, PathForces]) -> tuple[Figure, ...]:
    """All ten, and what each erratum costs."""
    one, two, three = paths["I"], paths["II"], paths["III"]
    drawn, angle = _leg_drawing(machine, one)
    s = newton_euler.leg_motion(machine, two.motion[INSTANT]).direction[LEG]
    cut = free_leg(machine, two)
    shown = {"angle": angle, "time": two.time[INSTANT], "rest": cut.rest}
    singular = (("exact", three.exact, "exact", 0), ("as printed", three.printed, "printed", 0))
    last = lambda path: ("as printed (eq 35)", path.printed, "printed")  # noqa: E731
    costs = builders.cost_panels(
        {"I": one, "II": two}, lambda path: _slips(machine, path), last, (1e-3, 1e3)
    )
    return (
        text.figure("001-fig01", builders.machine_panels(machine, one.motion[0].pose)),
        text.figure("001-fig02", [*drawn, *free_body.panels(cut, s)], **shown),
        text.figure("001-fig03", _profile(one)),
        text.figure("001-fig04", _forces(one), error=one.off(one.printed)),
        text.figure("001-fig05", [_condition(one)]),
        text.figure("001-fig06", _fractions(one)),
        text.figure("001-fig07", _forces(two), error=two.off(two.printed)),
        text.figure("001-fig08", _fractions(two)),
        text.figure("001-fig09", leg_panels(three.time, singular, "force (N)")),
        text.figure("001-fig10", [_condition(three)]),
        text.figure("001-errata", costs),
    )


def _leg_drawing(machine: Platform, one: PathForces) -> tuple[list[Panel], float]:
    """Fig. 2: leg 3 in its own axes, with joints, mass centers and the axes of its universal joint; angle of c, deg."""
    leg = builders.ups_legs(machine)[LEG]
    motion = newton_euler.leg_motion(machine, one.motion[0])
    s = motion.direction[LEG]
    y = np.cross(leg.axis, s)
    y = y / np.linalg.norm(y)
    T = np.stack([s, y, np.cross(s, y)])
    k, c = T @ leg.axis, T @ np.cross(leg.axis, y)
    o, end = np.zeros(3), np.array([float(motion.length[LEG]), 0.0, 0.0])
    lines = (
        ("leg vector S", o, end, "aid"),
        ("to the mass centers", o, leg.lower.center, "difference"),
        ("", end, end + leg.upper.center, "difference"),
        ("fixed axis k of the joint (x 0.2)", -0.2 * k, 0.2 * k, "reference"),
        ("axis c of its moment (x 0.2)", o, 0.2 * c, "exact"),
        ("its moment in the paper, along s (x 0.2)", o, 0.2 * np.eye(3)[0], "printed"),
    )
    panels = []
    for title, axes in (("x-y plane of the leg frame D", [0, 1]), ("x-z plane", [0, 2])):
        points = (("b, frame D", o), ("p, frame U", end), ("G_d", leg.lower.center))
        more = (("G_u", end + leg.upper.center), ("k", 0.2 * k), ("c", 0.2 * c))
        marks = tuple(mark(word, x[axes]) for word, x in (*points, *more))
        curves = tuple(
            builders.line(label, a[axes], b[axes], style, 0) for label, a, b, style in lines
        )
        names = [f"{'xyz'[i]} (m)" for i in axes]
        panels.append(Panel(title, names[0], names[1], curves, equal=True, marks=marks))
    return panels, float(np.degrees(np.arccos(abs(c[0]))))


def free_leg(machine: Platform, path: PathForces) -> FreeBody:
    """Fig. 2, the forces: leg 3 with everything that acts on it, late on a path."""
    return free_body.leg(machine, path.motion[INSTANT], LEG, newton_euler, SYMBOLS)


def _profile(one: PathForces) -> list[Panel]:
    m = one.motion
    rows = (
        ("position", "t_x (m)", m.position),
        ("velocity", "d t_x/dt (m/s)", m.velocity),
        ("acceleration", "d2 t_x/dt2 (m/s2)", m.acceleration),
    )
    return [
        over_time(title, label, [Curve("t_x", one.time, y[:, 0], "exact")])
        for title, label, y in rows
    ]


def _forces(path: PathForces) -> tuple[Panel, ...]:
    curves = (
        ("T exact", path.exact, "exact", 0),
        ("T as printed", path.printed, "printed", 0),
        ("S massless legs", path.massless, "reference", 1),
        ("D exact", path.exact - path.massless, "exact", 2),
        ("D as printed", path.printed - path.massless, "printed", 2),
    )
    return leg_panels(path.time, curves, "force (N)")


def _fractions(path: PathForces) -> tuple[Panel, ...]:
    curves = (
        ("exact", 1.0 - path.massless / path.exact, "exact", 0),
        ("as printed", 1.0 - path.massless / path.printed, "printed", 0),
    )
    return leg_panels(path.time, curves, "F_d / F", bound=1.5)


def _condition(path: PathForces) -> Panel:
    scale = "log" if path.condition.max() > 1e3 else "linear"
    curve = Curve("condition number", path.time, path.condition, "exact")
    return over_time("", "condition number of H", [curve], yscale=scale)


def _slips(machine: Platform, path: Forces) -> dict[str, Array]:
    return {
        key: newton_euler.inverse_dynamics(machine, path.motion, errata={key}).force
        for key in newton_euler.ERRATA
    }


def tables(
    text: PaperText, machine: Platform, paths_run: dict[str, PathForces]
) -> tuple[TextTable, ...]:
    """The Appendix, the paths with their blends, the forces on a leg, operations."""
    paths = []
    for row in text.tables["001-paths"]["rows"]:
        path = builders.as_motion(f"001-{row[0]}")
        assert isinstance(path, PointToPoint)
        blends = (path.translation.breaks[0], path.rotation.breaks[0])
        paths.append((*row, *(f"{t:.4f}" for t in blends)))
    return (
        text.table("001-appendix", builders.joint_rows(machine, ("base", "axis", "joint"))),
        text.table("001-bodies"),
        text.table("001-paths", paths),
        text.table("001-leg", free_leg(machine, paths_run["II"]).rows()),
        text.table("001-operations", operations.rows()),
    )
