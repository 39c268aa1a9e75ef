"""[Dasgupta1998] (001): its ten figures, data and claims, exact and as printed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.checks import Array
from gough.formulations import newton_euler
from gough.model import Platform
from gough.reproduce import claims_001
from gough.reproduce.legs_page import as_motion, leg_panels, machine_drawing, quiet_load, ups_legs
from gough.reproduce.page_types import Curve, Figure, Panel, PaperReport, Progress, Table, tell
from gough.spatial import Motion
from gough.trajectory.point_to_point import PointToPoint

SAMPLES = 61  # the paper's d tau on each path
PATHS = {"I": "001-I", "II": "001-II", "III": "001-III"}

CHOICES = (
    "gravity (0, 0, -9.81) m/s^2: the paper gives no value",
    "inertia tensors about the mass centers: about the local origins they would be impossible (E001-7)",
    "k_1 normalized: it is printed with length 0.8581 (E001-6)",
    "eq 39 read as tau_b = tau_f - |t1 - t0|/V (E001-5); the RPY angles are interpolated, so "
    "omega = J_A d(theta)/dt",
    "accelerations at the ends of a blend: the value after the jump",
    "as printed: eqs 1-37 with the sign of eq 35 (eq 33 has the other one, E001-4)",
)


@dataclass(frozen=True)
class PathForces:
    """Forces along one path: exact, as printed, with massless legs, and the condition number."""

    motion: Motion
    time: Array
    exact: Array
    printed: Array
    massless: Array
    condition: Array

    @property
    def peak(self) -> float:
        """Largest exact force, N."""
        return float(np.abs(self.exact).max())


def reproduce(progress: Progress | None = None) -> PaperReport:
    """Everything the page shows about 001."""
    machine = quiet_load("dasgupta-1998")
    paths = {}
    for i, (name, key) in enumerate(PATHS.items()):
        tell(progress, f"001: Path {name}", 0.1 * i)
        paths[name] = path_forces(machine, key)
    tell(progress, "001: figures", 0.3)
    figures = _figures(machine, paths)
    tell(progress, "001: claims and errata", 0.6)
    claims = claims_001.claims(machine, paths)
    errata = claims_001.errata(machine, paths)
    report = PaperReport(
        key="001",
        citation="Dasgupta, B. and Mruthyunjaya, T. S.: A Newton-Euler formulation for the inverse dynamics "
                 "of the Stewart platform manipulator. Mechanism and Machine Theory 33 (8), 1135-1152, 1998",
        summary=claims_001.summary(machine, paths),
        mechanism="6-UPS without symmetry: universal joint at the base, prismatic actuator, ball joint at "
                  "the platform; 40 kg platform, legs of 3 + 1 kg with mass centers off their axes, friction",
        choices=CHOICES, figures=figures, tables=_tables(machine), claims=claims, errata=errata,
    )
    tell(progress, "001: done", 1.0)
    return report


def path_forces(machine: Platform, key: str, samples: int = SAMPLES) -> PathForces:
    """Forces of `machine` along one of the paper's paths at the paper's sampling."""
    motion = as_motion(key).sample(samples)
    exact = newton_euler.inverse_dynamics(machine, motion)
    printed = newton_euler.inverse_dynamics(machine, motion, published=True)
    assert motion.time is not None
    return PathForces(motion, motion.time, exact.force, printed.force, exact.extra["massless"],
                      exact.condition)


def _figures(machine: Platform, paths: dict[str, PathForces]) -> tuple[Figure, ...]:
    one, two, three = paths["I"], paths["II"], paths["III"]
    return (
        machine_drawing(machine, one.motion[0].pose, "001-fig01", "Fig. 1. The Stewart platform",
                        "The test manipulator of the Appendix in the start pose of Path I."),
        _leg_drawing(machine, one),
        _profile(one),
        _forces("001-fig04", "Fig. 4. Path I, leg forces", one),
        _condition("001-fig05", "Fig. 5. Path I, condition number", one,
                   "Ratio of the extreme singular values of H, mixed units as in the paper."),
        _fractions("001-fig06", "Fig. 6. Path I, fraction of dynamic forces", one),
        _forces("001-fig07", "Fig. 7. Path II, leg forces", two),
        _fractions("001-fig08", "Fig. 8. Path II, fraction of dynamic forces", two),
        _singular_forces(three),
        _condition("001-fig10", "Fig. 10. Path III, condition number", three,
                   "The peak sits where H is singular, between two samples: its height is the sampling's."),
        _cost(machine, paths),
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
    for title, (i, j), names in (("x-y plane of the leg frame D", (0, 1), "xy"), ("x-z plane", (0, 2), "xz")):
        def mark(label: str, a: Array, b: Array, style: str, group: int, i: int = i, j: int = j) -> Curve:
            return Curve(label, np.array([a[i], b[i]]), np.array([a[j], b[j]]), style, group)

        o = np.zeros(3)
        curves = (mark("leg vector S", o, np.array([L, 0, 0]), "exact", 0),
                  mark("to the lower mass center", o, d, "reference", 1),
                  mark("to the upper mass center", np.array([L, 0, 0]), u, "reference", 2),
                  mark("fixed axis k (x 0.2)", -0.2 * k, 0.2 * k, "aid", 3),
                  mark("moment axis c (x 0.2)", o, 0.2 * c, "aid", 4))
        panels.append(Panel(title, f"{names[0]} (m)", f"{names[1]} (m)", curves, equal=True))
    angle = np.degrees(np.arccos(abs(c[0])))
    caption = (f"Leg 3 at the start of Path I.  The universal joint's moment acts along c, {angle:.1f} deg "
               "away from the leg axis along which the paper puts it (E001-2).")
    return Figure("001-fig02", "Fig. 2. Details of one leg", caption, tuple(panels), columns=2)


def _profile(one: PathForces) -> Figure:
    m, t = one.motion, one.time
    rows = (("position", "t_x (m)", m.position[:, 0]), ("velocity", "d t_x/dt (m/s)", m.velocity[:, 0]),
            ("acceleration", "d2 t_x/dt2 (m/s2)", m.acceleration[:, 0]))
    panels = tuple(Panel(title, "time (s)", label, (Curve("t_x", t, y, "exact"),))
                   for title, label, y in rows)
    return Figure("001-fig03", "Fig. 3. Typical trajectory for each coordinate",
                  "Constant acceleration, speed and deceleration: t_x on Path I.", panels, columns=3)


def _forces(key: str, title: str, path: PathForces) -> Figure:
    curves = (("T exact", path.exact, "exact", 0), ("T as printed", path.printed, "printed", 0),
              ("S massless legs", path.massless, "reference", 1),
              ("D exact", path.exact - path.massless, "exact", 2),
              ("D as printed", path.printed - path.massless, "printed", 2))
    caption = ("Actuator force F (T), force with massless frictionless legs F0 (S) and their difference (D); "
               f"as printed the forces are wrong by up to {np.abs(path.printed - path.exact).max():.1f} N.")
    return Figure(key, title, caption, leg_panels(path.time, curves, "force (N)"), columns=2)


def _fractions(key: str, title: str, path: PathForces) -> Figure:
    curves = (("exact", 1.0 - path.massless / path.exact, "exact", 0),
              ("as printed", 1.0 - path.massless / path.printed, "printed", 0))
    panels = leg_panels(path.time, curves, "F_d / F", bound=1.5)
    return Figure(key, title, "Share of leg inertia, leg weight and friction in each force; it is unbounded "
                  "where a force crosses zero (axes cut at 1.5).", panels, columns=2)


def _condition(key: str, title: str, path: PathForces, caption: str) -> Figure:
    scale = "log" if path.condition.max() > 1e3 else "linear"
    panel = Panel("", "time (s)", "condition number of H",
                  (Curve("condition number", path.time, path.condition, "exact"),), yscale=scale)
    return Figure(key, title, caption, (panel,))


def _singular_forces(three: PathForces) -> Figure:
    curves = (("exact", three.exact, "exact", 0), ("as printed", three.printed, "printed", 0))
    return Figure("001-fig09", "Fig. 9. Path III, leg forces",
                  "The path crosses a singular pose: no finite forces hold the platform there.",
                  leg_panels(three.time, curves, "force (N)"), columns=2)


def _cost(machine: Platform, paths: dict[str, PathForces]) -> Figure:
    """Not in the paper: the error of each erratum along Paths I and II."""
    panels = []
    for name in ("I", "II"):
        path = paths[name]
        curves = []
        for group, key in enumerate(newton_euler.ERRATA):
            force = newton_euler.inverse_dynamics(machine, path.motion, errata={key}).force
            curves.append(Curve(key, path.time, np.abs(force - path.exact).max(axis=1), "", group))
        error = np.abs(path.printed - path.exact).max(axis=1)
        curves.append(Curve("as printed (eq 35)", path.time, error, "printed", 9))
        panels.append(Panel(f"Path {name}", "time (s)", "largest error of the six forces (N)", tuple(curves),
                            yscale="log", ylimits=(1e-3, 1e3)))
    return Figure("001-errata", "What each erratum costs", "Error of the actuator forces if one slip alone "
                  "is committed, and as printed.", tuple(panels), columns=2)


def _tables(machine: Platform) -> tuple[Table, ...]:
    def three(v: Array) -> str:
        return ", ".join(f"{x:.4g}" for x in v)

    data = Table("001-appendix", "Appendix: test manipulator (SI, k normalized)",
                 ("leg", "base point b", "fixed axis k", "platform point p"),
                 tuple((str(i + 1), three(leg.base), three(leg.axis), three(leg.joint))
                       for i, leg in enumerate(ups_legs(machine))))
    rows = (("I", "0.1, 0, 0.4", "0.3, 0, 0.6", "0, 0, -0.2", "0, 0, 0.2", "6", "0.08", "0.08"),
            ("II", "0.1, 0, 0.4", "0.3, 0, 0.6", "0, 0, -0.2", "0, 0, 0.2", "0.6", "0.8", "0.8"),
            ("III", "0.4, 1.4, 1.2", "0.8, 1.8, 1.8", "0.1, 0.2, 0", "0.3, 0.4, 0", "6", "0.2", "0.08"))
    blends = []
    for row in rows:
        path = as_motion(f"001-{row[0]}")
        assert isinstance(path, PointToPoint)
        blends.append((f"{path.translation.breaks[0]:.4f}", f"{path.rotation.breaks[0]:.4f}"))
    paths = Table("001-paths", "Paths (m, rad, s) and blend times by eq 39",
                  ("path", "t0", "t1", "theta0", "theta1", "tau_f", "V", "Omega", "blend, position",
                   "blend, angles"),
                  tuple((*row, *extra) for row, extra in zip(rows, blends, strict=True)))
    return data, paths, claims_001.operations()
