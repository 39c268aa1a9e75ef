"""[Pedrammehr2012] (000): its ten figures, data and claims, exact and as printed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.checks import Array
from gough.formulations import newton_euler, universal
from gough.model import Platform
from gough.reproduce import claims_000
from gough.reproduce.legs_page import as_motion, leg_panels, machine_drawing, quiet_load, ups_legs, worst
from gough.reproduce.page_types import Curve, Figure, Panel, PaperReport, Progress, Table, tell
from gough.spatial import Motion

SAMPLES = 61  # chosen: 60 steps on each path

CHOICES = (
    "fixed axes u_i: not given; those of 001, normalized (E000-9)",
    "moving axes v_i = +(u x n)/|u x n|: the sign is not given and matters, because the mass centers are off "
    "the pods' axes (E000-9)",
    "upper mass center z = -0.08 as printed; 001 has +0.08 (E000-10)",
    "gravity (0, 0, -9.81) m/s^2, inertia tensors about the mass centers, 60 time steps per path",
    "Path 1 at the constant speed 0.5 m / 6 s = 0.0833 m/s: the printed 0.08 m/s cannot do it (E000-6)",
    "angular velocity and acceleration 'of a pod' in Figs. 5-8: their norms; simplified: the norms of the "
    "components across the pod, eqs 16 and 23",
    "simplified formulation of Figs. 9, 10: 001 as printed (eqs 6, 8, 9, 16, 29, 35, 37) on this machine",
    "as printed: eqs 12-14, 18-21 (with the c that eq 21 lacks), 31-40, 45-50",
)


@dataclass(frozen=True)
class Spin:
    """Norms of the pods' angular velocity and acceleration along a path: complete, across the pod."""

    time: Array
    rate: Array
    rate_across: Array
    acceleration: Array
    acceleration_across: Array


@dataclass(frozen=True)
class PodForces:
    """Forces along a path: exact, 000 as printed, and the simplified model (001 as printed)."""

    motion: Motion
    time: Array
    exact: Array
    printed: Array
    simplified: Array

    @property
    def peak(self) -> float:
        """Largest exact force, N."""
        return float(np.abs(self.exact).max())


def reproduce(progress: Progress | None = None) -> PaperReport:
    """Everything the page shows about 000."""
    machine = quiet_load("pedrammehr-2012")
    tell(progress, "000: pod rotations on Paths 1 and 2", 0.0)
    spins = {name: spin(machine, f"000-{name}") for name in ("1", "2")}
    tell(progress, "000: forces on Paths 2 and 3", 0.2)
    paths = {name: pod_forces(machine, f"000-{name}") for name in ("2", "3")}
    tell(progress, "000: figures", 0.4)
    figures = _figures(machine, spins, paths)
    tell(progress, "000: claims and errata", 0.6)
    report = PaperReport(
        key="000",
        citation="Pedrammehr, S., Mahboubkhah, M. and Khani, N.: Improved dynamic equations for the "
                 "generally configured Stewart platform manipulator. KSME and Springer, 2012",
        summary=claims_000.summary(paths),
        mechanism="6-UPS, the machine of 001 with one sign changed; pods spin as their universal joints "
                  "force them to",
        choices=CHOICES, figures=figures, tables=_tables(machine, paths),
        claims=claims_000.claims(machine, spins, paths), errata=claims_000.errata(machine, paths),
    )
    tell(progress, "000: done", 1.0)
    return report


def spin(machine: Platform, key: str, samples: int = SAMPLES) -> Spin:
    """Rotation of the pods along a path, with and without its part along the pod."""
    motion = as_motion(key).sample(samples)
    legs = universal.leg_motion(machine, motion)
    n = legs.direction

    def norms(v: Array) -> tuple[Array, Array]:
        across = v - (v * n).sum(axis=-1, keepdims=True) * n
        return np.linalg.norm(v, axis=-1), np.linalg.norm(across, axis=-1)

    assert motion.time is not None
    return Spin(motion.time, *norms(legs.angular_velocity), *norms(legs.angular_acceleration))


def pod_forces(machine: Platform, key: str, samples: int = SAMPLES) -> PodForces:
    """Forces of the three models along a path."""
    motion = as_motion(key).sample(samples)
    assert motion.time is not None
    return PodForces(
        motion, motion.time, universal.inverse_dynamics(machine, motion).force,
        universal.inverse_dynamics(machine, motion, published=True).force,
        newton_euler.inverse_dynamics(machine, motion, published=True).force,
    )


def _figures(machine: Platform, spins: dict[str, Spin], paths: dict[str, PodForces]) -> tuple[Figure, ...]:
    return (
        machine_drawing(machine, paths["2"].motion[0].pose, "000-fig01", "Fig. 1. Stewart platform",
                        "The test manipulator of Appendix 2 in the start pose of Path 2."),
        _joint_drawing(machine, paths["2"]),
        *_free_bodies(machine, paths["2"]),
        *(_rotation(f"000-fig{5 + 2 * i + j:02d}", f"Fig. {5 + 2 * i + j}. Path {name}; angular {word}",
                    spins[name], word)
          for i, name in enumerate(("1", "2")) for j, word in enumerate(("velocities", "accelerations"))),
        _forces("000-fig09", "Fig. 9. Path 2; pod forces", paths["2"]),
        _forces("000-fig10", "Fig. 10. Path 3; pod forces", paths["3"]),
        _cost(machine, paths),
    )


def _joint_drawing(machine: Platform, path: PodForces) -> Figure:
    """Fig. 2: the triads u, v, c and n, v, c' of pod 3, in the plane normal to v where u, n, c, c' lie."""
    pod = ups_legs(machine)[2]
    n = universal.leg_motion(machine, path.motion[0]).direction[2]
    v = np.cross(pod.axis, n)
    v = v / np.linalg.norm(v)
    c, c_pod = np.cross(pod.axis, v), np.cross(n, v)
    first, second = pod.axis, np.cross(v, pod.axis)
    curves = tuple(
        Curve(label, np.array([0.0, float(a @ first)]), np.array([0.0, float(a @ second)]), style, group)
        for group, (label, a, style) in enumerate((
            ("u, fixed axis", pod.axis, "reference"), ("n, pod", n, "exact"),
            ("c = u x v, moment axis", c, "printed"), ("c' = n x v", c_pod, "aid"))))
    panel = Panel("pod 3, seen along v", "along u", "along v x u", curves, equal=True)
    return Figure("000-fig02", "Fig. 2. Kinematic model of the universal joint",
                  "Start of Path 2.  The joint forbids rotation, and carries moment, along c only.", (panel,))


def _free_bodies(machine: Platform, path: PodForces) -> tuple[Figure, Figure]:
    """Figs. 3 and 4 as numbers: the forces on pods and platform in the start pose."""
    r = universal.reactions(machine, path.motion)
    pods = (("force at the base joint", np.linalg.norm(r.universal_force, axis=-1), "exact", 0),
            ("force F at the platform joint", np.linalg.norm(r.spherical_force, axis=-1), "exact", 1))
    moment = np.linalg.norm(r.universal_moment, axis=-1)
    left = leg_panels(path.time, pods, "force (N)", "pod")
    right = Panel("moment m of the universal joints", "time (s)", "moment (N m)",
                  tuple(Curve(f"pod {i + 1}", path.time, moment[:, i], "", i) for i in range(6)))
    total, weight = r.spherical_force.sum(axis=-2), machine.body.mass * machine.gravity
    platform = tuple(Panel(f"along {axis}", "time (s)", "force (N)", (
        Curve("sum of the pod forces", path.time, total[:, i], "exact", 0),
        Curve("minus the weight", path.time, np.full(path.time.shape, -weight[i]), "aid", 1),
    )) for i, axis in enumerate("xyz"))
    return (Figure("000-fig03", "Fig. 3. Free body diagram of one pod",
                   "Its forces as numbers: exact reactions along Path 2.", (*left, right), columns=2),
            Figure("000-fig04", "Fig. 4. Free body diagram of the moving platform",
                   "Its forces as numbers: the pods carry its weight and inertia on Path 2.", platform,
                   columns=3))


def _rotation(key: str, title: str, s: Spin, word: str) -> Figure:
    if word == "velocities":
        full, across, label = s.rate, s.rate_across, "angular velocity (rad/s)"
    else:
        full, across, label = s.acceleration, s.acceleration_across, "angular acceleration (rad/s2)"
    curves = (("without simplification", full, "exact", 0), ("simplified", across, "reference", 1),
              ("difference", full - across, "difference", 2))
    caption = ("Norm of the pod's rotation, with and without its part along the pod, and their difference.  "
               "These equations are right as printed.")
    return Figure(key, title, caption, leg_panels(s.time, curves, label, "pod"), columns=2)


def _forces(key: str, title: str, path: PodForces) -> Figure:
    curves = (("improved, exact", path.exact, "exact", 0),
              ("improved, as printed", path.printed, "printed", 0),
              ("simplified (001 as printed)", path.simplified, "reference", 1),
              ("printed difference", path.printed - path.simplified, "printed", 2),
              ("true difference", path.exact - path.simplified, "exact", 2))
    caption = (f"As printed the improved model is off by up to {worst(path.printed, path.exact):.1f} N, the "
               f"simplified one by up to {worst(path.simplified, path.exact):.1f} N.")
    return Figure(key, title, caption, leg_panels(path.time, curves, "force (N)", "pod"), columns=2)


def _cost(machine: Platform, paths: dict[str, PodForces]) -> Figure:
    """Not in the paper: the error of each erratum along Paths 2 and 3."""
    panels = []
    for name, path in paths.items():
        curves = []
        for group, (label, slips) in enumerate(claims_000.VARIANTS.items()):
            force = universal.inverse_dynamics(machine, path.motion, errata=slips).force
            curves.append(Curve(label, path.time, np.abs(force - path.exact).max(axis=1), "", group))
        error = np.abs(path.simplified - path.exact).max(axis=1)
        curves.append(Curve("001 as printed", path.time, error, "reference", 9))
        panels.append(Panel(f"Path {name}", "time (s)", "largest error of the six forces (N)", tuple(curves),
                            yscale="log", ylimits=(1e-4, 1e3)))
    return Figure("000-errata", "What each erratum costs",
                  "Error of the pod forces for one slip at a time, for the model as printed, and for 001.",
                  tuple(panels), columns=2)


def _tables(machine: Platform, paths: dict[str, PodForces]) -> tuple[Table, ...]:
    def three(v: Array) -> str:
        return ", ".join(f"{x:.4g}" for x in v)

    data = Table("000-appendix", "Appendix 2: test manipulator (SI; u is not given there, see the choices)",
                 ("pod", "base point b", "platform point a", "fixed axis u"),
                 tuple((str(i + 1), three(leg.base), three(leg.joint), three(leg.axis))
                       for i, leg in enumerate(ups_legs(machine))))
    return data, claims_000.cost_table(machine, paths), claims_000.operation_table()
