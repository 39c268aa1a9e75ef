"""The figures and tables of [Pedrammehr2012] (000)."""

from __future__ import annotations

from typing import cast

import numpy as np

from gough.formulations import universal
from gough.model import Platform
from gough.reproduce import builders, free_body
from gough.reproduce.builders import leg_panels
from gough.reproduce.free_body import FreeBody, Symbols
from gough.reproduce.page import Figure, Panel, TextTable, mark
from gough.reproduce.paper_text import PaperText
from gough.reproduce.universal import operations
from gough.reproduce.universal.forces import ImprovedForces, PodRotation
from gough.reproduce.universal.values import variants

SYMBOLS = Symbols("b", "a", ("m_d", "m_u", "m_p"), "G", "F_b", "F", "M = m c", "C_s friction")
POD, INSTANT = 2, 58  # pod 3, late on Path 3: the platform brakes, the pod carries little


def figures(
    text: PaperText,
    machine: Platform,
    spins: dict[str, PodRotation],
    paths: dict[str, ImprovedForces],
) -> tuple[Figure, ...]:
    """All ten, and what each erratum costs."""
    slow, fast = paths["2"], paths["3"]
    errors = (
        {"improved": p.off(p.printed), "simplified": p.off(p.simplified)} for p in (slow, fast)
    )
    costs = builders.cost_panels(
        paths,
        lambda path: variants(machine, path),
        lambda path: ("001 as printed", cast(ImprovedForces, path).simplified, "reference"),
        (1e-4, 1e3),
    )
    pod, platform = free_bodies(machine, fast)
    n = universal.leg_motion(machine, fast.motion[INSTANT]).direction[POD]
    return (
        text.figure(
            "000-fig01", builders.machine_panels(machine, slow.motion[0].pose, letters=("b", "a"))
        ),
        text.figure("000-fig02", [_joint_drawing(machine, slow)]),
        text.figure(
            "000-fig03",
            free_body.panels(pod, n),
            pod=POD + 1,
            time=fast.time[INSTANT],
            rest=pod.rest,
        ),
        text.figure("000-fig04", free_body.panels(platform, np.eye(3)[0]), rest=platform.rest),
        *(
            text.figure(f"000-fig0{5 + 2 * i + j}", _rotation(spins[name], word))
            for i, name in enumerate(("1", "2"))
            for j, word in enumerate(("velocity", "acceleration"))
        ),
        text.figure("000-fig09", _forces(slow), **next(errors)),
        text.figure("000-fig10", _forces(fast), **next(errors)),
        text.figure("000-errata", costs),
    )


def _joint_drawing(machine: Platform, path: ImprovedForces) -> Panel:
    """Fig. 2: the triads u, v, c and n, v, c' of pod 3, in the plane normal to v where u, n, c, c' lie."""
    pod = builders.ups_legs(machine)[2]
    n = universal.leg_motion(machine, path.motion[0]).direction[2]
    v = np.cross(pod.axis, n)
    v = v / np.linalg.norm(v)
    plane = np.stack([pod.axis, np.cross(v, pod.axis)])
    axes = (
        ("u, fixed axis", pod.axis, "reference"),
        ("n, pod", n, "exact"),
        ("c = u x v, moment axis", np.cross(pod.axis, v), "exact"),
        ("c' = n x v", np.cross(n, v), "aid"),
    )
    curves = tuple(
        builders.line(label, np.zeros(2), plane @ a, style, group)
        for group, (label, a, style) in enumerate(axes)
    )
    marks = tuple(mark(label.split(",")[0].split(" ")[0], plane @ a) for label, a, _ in axes)
    return Panel("pod 3, seen along v", "along u", "along v x u", curves, equal=True, marks=marks)


def free_bodies(machine: Platform, path: ImprovedForces) -> tuple[FreeBody, FreeBody]:
    """Figs. 3 and 4: pod 3 and the platform with everything that acts on them, late on Path 3."""
    now = path.motion[INSTANT]
    pod = free_body.leg(machine, now, POD, universal, SYMBOLS)
    return pod, free_body.platform(machine, now, universal, SYMBOLS)


def _rotation(s: PodRotation, word: str) -> tuple[Panel, ...]:
    full, across, unit = {
        "velocity": (s.rate, s.rate_across, "rad/s"),
        "acceleration": (s.acceleration, s.acceleration_across, "rad/s2"),
    }[word]
    curves = (
        ("without simplification", full, "exact", 0),
        ("simplified", across, "reference", 1),
        ("difference", full - across, "difference", 2),
    )
    return leg_panels(s.time, curves, f"angular {word} ({unit})", "pod")


def _forces(path: ImprovedForces) -> tuple[Panel, ...]:
    curves = (
        ("improved, exact", path.exact, "exact", 0),
        ("improved, as printed", path.printed, "printed", 0),
        ("simplified (001 as printed)", path.simplified, "reference", 1),
        ("printed difference", path.printed - path.simplified, "printed", 2),
        ("true difference", path.exact - path.simplified, "exact", 2),
    )
    return leg_panels(path.time, curves, "force (N)", "pod")


def tables(
    text: PaperText, machine: Platform, paths: dict[str, ImprovedForces]
) -> tuple[TextTable, ...]:
    """Appendix 2, the cost of the errata, operations."""
    found = [{**variants(machine, p), "001 as printed": p.simplified} for p in paths.values()]
    costs = [
        (label, *(p.cost(forces[label]) for p, forces in zip(paths.values(), found, strict=True)))
        for label in found[0]
    ]
    return (
        text.table("000-appendix", builders.joint_rows(machine, ("base", "joint", "axis"))),
        text.table("000-bodies"),
        text.table("000-paths"),
        *(
            text.table(f"000-{name}", body.rows())
            for name, body in zip(
                ("pod", "platform"), free_bodies(machine, paths["3"]), strict=True
            )
        ),
        text.table("000-errors", [tuple(f"{cell}" for cell in row) for row in costs]),
        text.table("000-operations", operations.rows()),
    )
