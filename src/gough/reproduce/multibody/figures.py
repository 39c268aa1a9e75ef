"""The figures and tables of [ElBadawy] (003), in the paper's axes."""

from __future__ import annotations

import numpy as np

from gough.checks import Array
from gough.formulations.multibody.euler import PAPER
from gough.reproduce.builders import machine_panels, over_time, six
from gough.reproduce.multibody import operations
from gough.reproduce.multibody import tables as printed
from gough.reproduce.multibody.runs import (
    ORDER_SPAN,
    ORDER_STEPS,
    PERIOD,
    MultibodyRuns,
    joint_force,
    slope,
)
from gough.reproduce.multibody.tables import JOINTS, LOWER_PARTS, UPPER_PARTS
from gough.reproduce.page import Curve, Figure, Panel, TextTable
from gough.reproduce.paper_text import PaperText
from gough.simulation.alpha_family import DaeRun

AXES = ("X", "Y", "Z")
ANGLES = ("theta (X)", "beta (Y)", "gamma (Z)")


def figures(text: PaperText, runs: MultibodyRuns) -> tuple[Figure, ...]:
    """The paper's six, and ours: the start, the mass matrix, gimbal lock, convergence."""
    position = _motion(runs, AXES, runs.position, runs.rest.q[:, :3] @ PAPER.T)
    orientation = _motion(runs, ANGLES, runs.euler, runs.rest.q[:, 3:6])
    time, error = runs.exact.time, runs.printed_force - runs.exact.force
    forces = (
        over_time("exact", "force (N)", six("leg ", time, runs.exact.force, "exact")),
        over_time("as printed minus exact", "difference (N)", six("leg ", time, error)),
    )
    sizes = {"error": np.abs(error).max(), "peak": np.abs(runs.exact.force).max()}
    cosine = six("leg ", time, np.abs(np.cos(runs.leg_angles[:, printed.LOWER_PARTS, 1])))
    return (
        text.figure("003-fig01", machine_panels(runs.machine, runs.exact.motion[0].pose)),
        text.figure("003-fig02", [over_time("", "position (m)", position)]),
        text.figure("003-fig03", [over_time("", "angle (rad)", orientation)]),
        *(_reaction(text, runs, k) for k in range(3)),
        text.figure("003-start", [_start(runs)]),
        text.figure("003-forces", forces, **sizes),
        text.figure("003-gimbal", [over_time("", "|cos beta|", cosine, yscale="log")]),
        text.figure("003-order", [_order(runs)], span=ORDER_SPAN),
        text.figure("003-branches", _branches(runs), **_proofs(runs)),
        text.figure("003-joints", _joints(runs)),
        text.figure("003-bodies", _bodies(runs)),
    )


def _twice(runs: MultibodyRuns, values: Array) -> tuple[Array, Array]:
    """One period of samples, drawn twice."""
    t = runs.exact.time
    return np.concatenate([t, t[1:] + PERIOD]), np.concatenate([values, values[1:]])


def _motion(
    runs: MultibodyRuns, names: tuple[str, ...], values: Array, printed: Array
) -> list[Curve]:
    """Three coordinates of the platform, exact and as printed from rest."""
    curves = []
    for k, name in enumerate(names):
        t, y = _twice(runs, values[:, k])
        label = "" if k else "as printed, from rest"
        curves += [
            Curve(name, t, y, "exact", k),
            Curve(label, runs.rest.time, printed[:, k], "printed", k),
        ]
    return curves


def _reaction(text: PaperText, runs: MultibodyRuns, k: int) -> Figure:
    rest = joint_force(runs.rest)[:, k]
    t, y = _twice(runs, runs.joint[:, k])
    low, high = float(y.min()), float(y.max())
    margin = 0.6 * (high - low)

    def curves(until: float) -> tuple[Curve, Curve]:
        now, then = t <= until, runs.rest.time <= until
        return (
            Curve("exact", t[now], y[now], "exact", 0),
            Curve("as printed, from rest", runs.rest.time[then], rest[then], "printed", 0),
        )

    limits = (low - margin, high + margin)
    panels = (
        over_time("two periods", "force (N)", curves(np.inf), ylimits=limits),
        over_time("the first 1.5 s", "force (N)", curves(1.5)),
    )
    swing = np.abs(rest).max()
    return text.figure(f"003-fig0{4 + k}", panels, low=low, high=high, swing=swing)


def _start(runs: MultibodyRuns) -> Panel:
    """Ours: the paper blames the fixed step; the initial velocities do it."""

    def curve(label: str, run: DaeRun, style: str, group: int) -> Curve:
        shown = (run.time > 0) & (run.time <= 2.0)
        return Curve(label, run.time[shown], np.maximum(runs.error(run)[shown], 1e-6), style, group)

    curves = (
        curve("from rest, 0.01 s", runs.rest, "printed", 0),
        curve("from rest, 0.005 s", runs.rest_fine, "reference", 1),
        curve("gap of Table 4", runs.gap, "aid", 2),
        curve("consistent, 0.01 s", runs.start, "exact", 3),
    )
    return over_time("", "|error of F_y| (N)", curves, yscale="log")


def _order(runs: MultibodyRuns) -> Panel:
    """Ours: measured order."""
    h = np.log10(ORDER_STEPS)
    curves = tuple(
        Curve(f"{name}: order {slope(e):.2f}", h, e, "", k)
        for k, (name, e) in enumerate(runs.order.items())
    )
    line = Curve("slope 2", h, 0.5 * runs.order["hht"][0] * 10 ** (2 * (h - h[0])), "aid", 2)
    axes = ("log10 of the step in s", "position error (m)")
    return Panel("", *axes, (*curves, line), yscale="log")


def _branches(runs: MultibodyRuns) -> tuple[Panel, Panel]:
    """Ours: how many poses the lengths allow, and how high all of them lie beside the one followed."""
    found = runs.branches
    stairs = np.repeat(found.time, 2)[1:]
    counts = (
        Curve("real poses", stairs, np.repeat(found.real, 2)[:-1], "reference", 1),
        Curve("above the base", stairs, np.repeat(found.above, 2)[:-1], "exact", 0),
    )
    others: list[Curve] = []
    edges = np.flatnonzero(np.diff(found.above)) + 1
    for part in np.split(np.arange(len(found.time)), edges):  # of a constant number of poses
        if len(part) < 2:
            continue
        heights = np.array([found.heights[k][: found.above[k]] for k in part])
        time = np.linspace(found.time[part[0]], found.time[part[-1]], 2 * len(part) + 9)
        for height in heights.T:
            label = "" if others else "poses above the base, by height"
            drawn = np.interp(time, found.time[part], height)
            others.append(Curve(label, time, drawn, "reference", 1))
    followed = Curve(
        "the pose followed", runs.exact.time, runs.track.pose.position[:, 2], "exact", 0
    )
    return (
        over_time("number of poses", "poses with these leg lengths", counts),
        over_time("height of the platform", "Y (m)", (*others, followed)),
    )


def _proofs(runs: MultibodyRuns) -> dict[str, int]:
    """How many of the samples are proved."""
    proved, complete = runs.track.certified, runs.branches.complete
    found = {"proved": int(proved.sum()), "steps": len(proved)}
    return found | {"whole": int(complete.sum()), "times": len(complete)}


def _joints(runs: MultibodyRuns) -> list[Panel]:
    """Ours: size of the reaction in every joint."""
    units = dict.fromkeys(JOINTS, "force (N)") | {"slide (moment)": "moment (N m)"}
    return [
        over_time(
            f"{kind}s" if kind.endswith("ball") else kind,
            units[kind],
            six("leg ", runs.exact.time, np.linalg.norm(getattr(runs.reactions, name), axis=-1)),
        )
        for kind, name in JOINTS.items()
    ]


def _bodies(runs: MultibodyRuns) -> list[Panel]:
    """Ours: speeds and accelerations of the platform (thick) and of every leg part."""
    time, state = runs.exact.time, runs.exact.states
    rate = runs.exact.run.vd.reshape(len(time), 13, 6)
    rows = (
        ("angular velocity", "rad/s", state.w[:, :13], UPPER_PARTS),
        ("angular acceleration", "rad/s^2", rate[..., 3:], UPPER_PARTS),
        ("speed of the upper parts' mass centers", "m/s", state.v[:, :13], UPPER_PARTS),
        ("speed of the lower parts' mass centers", "m/s", state.v[:, :13], LOWER_PARTS),
        ("acceleration of the upper parts' mass centers", "m/s^2", rate[..., :3], UPPER_PARTS),
        ("acceleration of the lower parts' mass centers", "m/s^2", rate[..., :3], LOWER_PARTS),
    )
    panels = []
    for title, unit, values, part in rows:
        size = np.linalg.norm(values, axis=-1)
        platform = Curve("platform", time, size[:, 0], "exact", 6)
        panels.append(over_time(title, unit, (*six("leg ", time, size[:, part]), platform)))
    return panels


def tables(text: PaperText, runs: MultibodyRuns) -> tuple[TextTable, ...]:
    """Tables 1-4 as printed, and ours: rows of constraints by leg type, operations, convergence."""
    blocks = {"upper": printed.UPPER, "lower": np.hstack([printed.LOWER, printed.UPPER[:, 3:]])}
    table_4 = [
        (f"{part} {i + 1}", *(f"{x:.7f}" for x in values))
        for part, block in blocks.items()
        for i, values in enumerate(block)
    ]
    order = [
        (f"{h:g}", *(f"{e[k]:.2e}" for e in runs.order.values())) for k, h in enumerate(ORDER_STEPS)
    ]
    counted = operations.rows(runs.machine, runs.exact.motion[60])
    return (
        *(text.table(f"003-table{k}") for k in (1, 2, 3)),
        text.table("003-table4", table_4),
        text.table("003-joints", _joint_rows(runs)),
        text.table("003-rows"),
        text.table("003-operations", counted),
        text.table("003-order", order),
    )


def _joint_rows(runs: MultibodyRuns) -> list[tuple[str, ...]]:
    """Largest reaction in every joint, and its error as printed."""
    rows = []
    for kind, name in JOINTS.items():
        exact, printed = getattr(runs.reactions, name), getattr(runs.printed_reactions, name)
        size, error = (np.linalg.norm(x, axis=-1).max(axis=0) for x in (exact, printed - exact))
        rows += [
            (
                f"{kind} {i + 1}",
                f"{size[i]:.4f}",
                f"{error[i]:.4f}",
                f"{100 * error[i] / size[i]:.2f} %",
            )
            for i in range(6)
        ]
    return rows
