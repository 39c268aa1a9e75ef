"""The figures and tables of [Dasgupta1998] (001)."""

from __future__ import annotations

import numpy as np

from gough.checks import Array
from gough.formulations import newton_euler
from gough.model import Platform
from gough.reproduce.builders import (
    Forces,
    as_motion,
    cost_figure,
    joint_table,
    leg_panels,
    machine_drawing,
    over_time,
    ups_legs,
)
from gough.reproduce.newton_euler import operations
from gough.reproduce.newton_euler.forces import PathForces
from gough.reproduce.page import Curve, Figure, Panel, TextTable
from gough.trajectory.point_to_point import PointToPoint


def figures(machine: Platform, paths: dict[str, PathForces]) -> tuple[Figure, ...]:
    """All ten, and what each erratum costs."""
    one, two, three = paths["I"], paths["II"], paths["III"]
    return (
        machine_drawing(
            machine,
            one.motion[0].pose,
            "001-fig01",
            "Fig. 1. The Stewart platform",
            "The test manipulator of the Appendix in the start pose of Path I.",
        ),
        _leg_drawing(machine, one),
        _profile(one),
        _forces("001-fig04", "Fig. 4. Path I, leg forces", one),
        _condition(
            "001-fig05",
            "Fig. 5. Path I, condition number",
            one,
            "Ratio of the extreme singular values of H, mixed units as in the paper.",
        ),
        _fractions("001-fig06", "Fig. 6. Path I, fraction of dynamic forces", one),
        _forces("001-fig07", "Fig. 7. Path II, leg forces", two),
        _fractions("001-fig08", "Fig. 8. Path II, fraction of dynamic forces", two),
        _singular_forces(three),
        _condition(
            "001-fig10",
            "Fig. 10. Path III, condition number",
            three,
            "The peak sits where H is singular, between two samples: its height is the sampling's.",
        ),
        cost_figure(
            "001-errata",
            "Error of the actuator forces if one slip alone is committed, and as printed.",
            {"I": one, "II": two},
            lambda path: _slips(machine, path),
            lambda path: ("as printed (eq 35)", path.printed, "printed"),
            (1e-3, 1e3),
        ),
    )


def _leg_drawing(machine: Platform, one: PathForces) -> Figure:
    """Fig. 2: leg 3 in its own axes, with joints, mass centers and the axes of its universal joint."""
    leg = ups_legs(machine)[2]
    motion = newton_euler.leg_motion(machine, one.motion[0])
    L, s = float(motion.length[2]), motion.direction[2]
    y = np.cross(leg.axis, s)
    y = y / np.linalg.norm(y)
    T = np.stack([s, y, np.cross(s, y)])
    c = T @ np.cross(leg.axis, y)
    k = T @ leg.axis
    k, c = np.asarray(k, dtype=np.float64), np.asarray(c, dtype=np.float64)
    d, u = leg.lower.center, np.array([L, 0, 0]) + leg.upper.center
    panels = []
    for title, (i, j), names in (
        ("x-y plane of the leg frame D", (0, 1), "xy"),
        ("x-z plane", (0, 2), "xz"),
    ):

        def mark(
            label: str, a: Array, b: Array, style: str, group: int, i: int = i, j: int = j
        ) -> Curve:
            return Curve(label, np.array([a[i], b[i]]), np.array([a[j], b[j]]), style, group)

        o = np.zeros(3)
        curves = (
            mark("leg vector S", o, np.array([L, 0, 0]), "exact", 0),
            mark("to the lower mass center", o, d, "reference", 1),
            mark("to the upper mass center", np.array([L, 0, 0]), u, "reference", 2),
            mark("fixed axis k (x 0.2)", -0.2 * k, 0.2 * k, "aid", 3),
            mark("moment axis c (x 0.2)", o, 0.2 * c, "aid", 4),
        )
        panels.append(Panel(title, f"{names[0]} (m)", f"{names[1]} (m)", curves, equal=True))
    angle = np.degrees(np.arccos(abs(c[0])))
    caption = (
        f"Leg 3 at the start of Path I.  The universal joint's moment acts along c, {angle:.1f} deg "
        "away from the leg axis along which the paper puts it (E001-2)."
    )
    return Figure("001-fig02", "Fig. 2. Details of one leg", caption, tuple(panels), columns=2)


def _profile(one: PathForces) -> Figure:
    m, t = one.motion, one.time
    rows = (
        ("position", "t_x (m)", m.position[:, 0]),
        ("velocity", "d t_x/dt (m/s)", m.velocity[:, 0]),
        ("acceleration", "d2 t_x/dt2 (m/s2)", m.acceleration[:, 0]),
    )
    panels = tuple(
        over_time(title, label, [Curve("t_x", t, y, "exact")]) for title, label, y in rows
    )
    return Figure(
        "001-fig03",
        "Fig. 3. Typical trajectory for each coordinate",
        "Constant acceleration, speed and deceleration: t_x on Path I.",
        panels,
        columns=3,
    )


def _forces(key: str, title: str, path: PathForces) -> Figure:
    curves = (
        ("T exact", path.exact, "exact", 0),
        ("T as printed", path.printed, "printed", 0),
        ("S massless legs", path.massless, "reference", 1),
        ("D exact", path.exact - path.massless, "exact", 2),
        ("D as printed", path.printed - path.massless, "printed", 2),
    )
    caption = (
        "Actuator force F (T), force with massless frictionless legs F0 (S) and their difference (D); "
        f"as printed the forces are wrong by up to {path.off(path.printed):.1f} N."
    )
    return Figure(key, title, caption, leg_panels(path.time, curves, "force (N)"), columns=2)


def _fractions(key: str, title: str, path: PathForces) -> Figure:
    curves = (
        ("exact", 1.0 - path.massless / path.exact, "exact", 0),
        ("as printed", 1.0 - path.massless / path.printed, "printed", 0),
    )
    panels = leg_panels(path.time, curves, "F_d / F", bound=1.5)
    return Figure(
        key,
        title,
        "Share of leg inertia, leg weight and friction in each force; it is unbounded "
        "where a force crosses zero (axes cut at 1.5).",
        panels,
        columns=2,
    )


def _condition(key: str, title: str, path: PathForces, caption: str) -> Figure:
    scale = "log" if path.condition.max() > 1e3 else "linear"
    panel = over_time(
        "",
        "condition number of H",
        [Curve("condition number", path.time, path.condition, "exact")],
        yscale=scale,
    )
    return Figure(key, title, caption, (panel,))


def _singular_forces(three: PathForces) -> Figure:
    curves = (("exact", three.exact, "exact", 0), ("as printed", three.printed, "printed", 0))
    return Figure(
        "001-fig09",
        "Fig. 9. Path III, leg forces",
        "The path crosses a singular pose: no finite forces hold the platform there.",
        leg_panels(three.time, curves, "force (N)"),
        columns=2,
    )


def _slips(machine: Platform, path: Forces) -> dict[str, Array]:
    return {
        key: newton_euler.inverse_dynamics(machine, path.motion, errata={key}).force
        for key in newton_euler.ERRATA
    }


def tables(machine: Platform) -> tuple[TextTable, ...]:
    """The Appendix, the paths with their blends, operations."""
    data = joint_table(
        "001-appendix",
        "Appendix: test manipulator (SI, k normalized)",
        ("leg", "base point b", "fixed axis k", "platform point p"),
        machine,
        ("base", "axis", "joint"),
    )
    rows = (
        ("I", "0.1, 0, 0.4", "0.3, 0, 0.6", "0, 0, -0.2", "0, 0, 0.2", "6", "0.08", "0.08"),
        ("II", "0.1, 0, 0.4", "0.3, 0, 0.6", "0, 0, -0.2", "0, 0, 0.2", "0.6", "0.8", "0.8"),
        ("III", "0.4, 1.4, 1.2", "0.8, 1.8, 1.8", "0.1, 0.2, 0", "0.3, 0.4, 0", "6", "0.2", "0.08"),
    )
    blends = []
    for row in rows:
        path = as_motion(f"001-{row[0]}")
        assert isinstance(path, PointToPoint)
        blends.append((f"{path.translation.breaks[0]:.4f}", f"{path.rotation.breaks[0]:.4f}"))
    paths = TextTable(
        "001-paths",
        "Paths (m, rad, s) and blend times by eq 39",
        (
            "path",
            "t0",
            "t1",
            "theta0",
            "theta1",
            "tau_f",
            "V",
            "Omega",
            "blend, position",
            "blend, angles",
        ),
        tuple((*row, *extra) for row, extra in zip(rows, blends, strict=True)),
    )
    return data, paths, operations.table()
