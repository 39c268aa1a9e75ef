"""The figures and tables of [Pedrammehr2012] (000)."""

from __future__ import annotations

from typing import cast

import numpy as np

from gough.formulations import universal
from gough.model import Platform
from gough.reproduce.builders import (
    cost_figure,
    joint_table,
    leg_panels,
    line,
    machine_drawing,
    over_time,
    six,
    ups_legs,
)
from gough.reproduce.page import Curve, Figure, Panel, TextTable
from gough.reproduce.universal import claims, operations
from gough.reproduce.universal.forces import ImprovedForces, PodRotation


def figures(
    machine: Platform, spins: dict[str, PodRotation], paths: dict[str, ImprovedForces]
) -> tuple[Figure, ...]:
    """All ten, and what each erratum costs."""
    return (
        machine_drawing(
            machine,
            paths["2"].motion[0].pose,
            "000-fig01",
            "Fig. 1. Stewart platform",
            "The test manipulator of Appendix 2 in the start pose of Path 2.",
        ),
        _joint_drawing(machine, paths["2"]),
        *_free_bodies(machine, paths["2"]),
        *(
            _rotation(
                f"000-fig{5 + 2 * i + j:02d}",
                f"Fig. {5 + 2 * i + j}. Path {name}; angular {word}",
                spins[name],
                word,
            )
            for i, name in enumerate(("1", "2"))
            for j, word in enumerate(("velocities", "accelerations"))
        ),
        _forces("000-fig09", "Fig. 9. Path 2; pod forces", paths["2"]),
        _forces("000-fig10", "Fig. 10. Path 3; pod forces", paths["3"]),
        cost_figure(
            "000-errata",
            "Error of the pod forces for one slip at a time, for the model as printed, and for 001.",
            paths,
            lambda path: claims.variants(machine, path),
            lambda path: ("001 as printed", cast(ImprovedForces, path).simplified, "reference"),
            (1e-4, 1e3),
        ),
    )


def _joint_drawing(machine: Platform, path: ImprovedForces) -> Figure:
    """Fig. 2: the triads u, v, c and n, v, c' of pod 3, in the plane normal to v where u, n, c, c' lie."""
    pod = ups_legs(machine)[2]
    n = universal.leg_motion(machine, path.motion[0]).direction[2]
    v = np.cross(pod.axis, n)
    v = v / np.linalg.norm(v)
    c, c_pod = np.cross(pod.axis, v), np.cross(n, v)
    first, second = pod.axis, np.cross(v, pod.axis)
    curves = tuple(
        line(label, np.zeros(2), np.array([float(a @ first), float(a @ second)]), style, group)
        for group, (label, a, style) in enumerate(
            (
                ("u, fixed axis", pod.axis, "reference"),
                ("n, pod", n, "exact"),
                ("c = u x v, moment axis", c, "printed"),
                ("c' = n x v", c_pod, "aid"),
            )
        )
    )
    panel = Panel("pod 3, seen along v", "along u", "along v x u", curves, equal=True)
    return Figure(
        "000-fig02",
        "Fig. 2. Kinematic model of the universal joint",
        "Start of Path 2.  The joint forbids rotation, and carries moment, along c only.",
        (panel,),
    )


def _free_bodies(machine: Platform, path: ImprovedForces) -> tuple[Figure, Figure]:
    """Figs. 3 and 4 as numbers: the forces on pods and platform in the start pose."""
    r = universal.reactions(machine, path.motion)
    pods = (
        ("force at the base joint", np.linalg.norm(r.universal_force, axis=-1), "exact", 0),
        ("force F at the platform joint", np.linalg.norm(r.spherical_force, axis=-1), "exact", 1),
    )
    moment = np.linalg.norm(r.universal_moment, axis=-1)
    left = leg_panels(path.time, pods, "force (N)", "pod")
    right = over_time(
        "moment m of the universal joints", "moment (N m)", six("pod ", path.time, moment)
    )
    total, weight = r.spherical_force.sum(axis=-2), machine.body.mass * machine.gravity
    platform = tuple(
        over_time(
            f"along {axis}",
            "force (N)",
            (
                Curve("sum of the pod forces", path.time, total[:, i], "exact", 0),
                Curve(
                    "minus the weight", path.time, np.full(path.time.shape, -weight[i]), "aid", 1
                ),
            ),
        )
        for i, axis in enumerate("xyz")
    )
    return (
        Figure(
            "000-fig03",
            "Fig. 3. Free body diagram of one pod",
            "Its forces as numbers: exact reactions along Path 2.",
            (*left, right),
            columns=2,
        ),
        Figure(
            "000-fig04",
            "Fig. 4. Free body diagram of the moving platform",
            "Its forces as numbers: the pods carry its weight and inertia on Path 2.",
            platform,
            columns=3,
        ),
    )


def _rotation(key: str, title: str, s: PodRotation, word: str) -> Figure:
    if word == "velocities":
        full, across, label = s.rate, s.rate_across, "angular velocity (rad/s)"
    else:
        full, across, label = s.acceleration, s.acceleration_across, "angular acceleration (rad/s2)"
    curves = (
        ("without simplification", full, "exact", 0),
        ("simplified", across, "reference", 1),
        ("difference", full - across, "difference", 2),
    )
    caption = (
        "Norm of the pod's rotation, with and without its part along the pod, and their difference.  "
        "These equations are right as printed."
    )
    return Figure(key, title, caption, leg_panels(s.time, curves, label, "pod"), columns=2)


def _forces(key: str, title: str, path: ImprovedForces) -> Figure:
    curves = (
        ("improved, exact", path.exact, "exact", 0),
        ("improved, as printed", path.printed, "printed", 0),
        ("simplified (001 as printed)", path.simplified, "reference", 1),
        ("printed difference", path.printed - path.simplified, "printed", 2),
        ("true difference", path.exact - path.simplified, "exact", 2),
    )
    caption = (
        f"As printed the improved model is off by up to {path.off(path.printed):.1f} N, the "
        f"simplified one by up to {path.off(path.simplified):.1f} N."
    )
    return Figure(key, title, caption, leg_panels(path.time, curves, "force (N)", "pod"), columns=2)


def tables(machine: Platform, paths: dict[str, ImprovedForces]) -> tuple[TextTable, ...]:
    """Appendix 2, the cost of the errata, operations."""
    data = joint_table(
        "000-appendix",
        "Appendix 2: test manipulator (SI; u is not given there, see the choices)",
        ("pod", "base point b", "platform point a", "fixed axis u"),
        machine,
        ("base", "joint", "axis"),
    )
    return data, claims.cost_table(machine, paths), operations.table()
