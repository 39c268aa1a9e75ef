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
        text.table("003-rows"),
        text.table("003-operations", counted),
        text.table("003-order", order),
    )
