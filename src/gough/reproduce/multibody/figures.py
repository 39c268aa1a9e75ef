"""The figures of [ElBadawy] (003), in the paper's axes."""

from __future__ import annotations

import numpy as np

from gough.checks import Array
from gough.formulations.multibody.euler import PAPER
from gough.reproduce.builders import machine_drawing, over_time, six
from gough.reproduce.multibody.runs import (
    ORDER_SPAN,
    ORDER_STEPS,
    PERIOD,
    MultibodyRuns,
    joint_force,
    slope,
)
from gough.reproduce.multibody.tables import LOWER_PARTS
from gough.reproduce.page import Curve, Figure, Panel
from gough.simulation.alpha_family import DaeRun

AXES = ("X", "Y", "Z")


def figures(runs: MultibodyRuns) -> tuple[Figure, ...]:
    """The paper's six, and ours: the start, the mass matrix, gimbal lock, convergence."""
    return (
        machine_drawing(
            runs.machine,
            runs.exact.motion[0].pose,
            "003-fig01",
            "Fig. 1. The mechanism",
            "At the start pose of Table 3; our z axis is the paper's Y.",
        ),
        _position(runs),
        _orientation(runs),
        *_reactions(runs),
        _start(runs),
        _mass_matrix(runs),
        _gimbal(runs),
        _order(runs),
    )


def _twice(runs: MultibodyRuns, values: Array) -> tuple[Array, Array]:
    """One period of samples, drawn twice."""
    t = runs.exact.time
    return np.concatenate([t, t[1:] + PERIOD]), np.concatenate([values, values[1:]])


def _position(runs: MultibodyRuns) -> Figure:
    curves = []
    printed = runs.rest.q[:, :3] @ PAPER.T
    for k, name in enumerate(AXES):
        t, y = _twice(runs, runs.position[:, k])
        curves += [
            Curve(name, t, y, "exact", k),
            Curve(
                "" if k else "as printed, from rest", runs.rest.time, printed[:, k], "printed", k
            ),
        ]
    return Figure(
        "003-fig02",
        "Fig. 2. Position of the platform",
        "The legs are driven, so the printed mass matrix and the start from rest do not show here: exact "
        "and printed curves lie on each other.",
        (over_time("", "position (m)", curves),),
    )


def _orientation(runs: MultibodyRuns) -> Figure:
    curves = []
    for k, name in enumerate(("theta (X)", "beta (Y)", "gamma (Z)")):
        t, y = _twice(runs, runs.euler[:, k])
        label = "" if k else "as printed, from rest"
        curves += [
            Curve(name, t, y, "exact", k),
            Curve(label, runs.rest.time, runs.rest.q[:, 3 + k], "printed", k),
        ]
    return Figure(
        "003-fig03",
        "Fig. 3. Orientation of the platform",
        "Fixed-axis angles, A = Rz Ry Rx (eq 1).",
        (over_time("", "angle (rad)", curves),),
    )


def _reactions(runs: MultibodyRuns) -> list[Figure]:
    figures = []
    rest = joint_force(runs.rest)
    for k, name in enumerate(AXES):
        t, y = _twice(runs, runs.joint[:, k])
        low, high = y.min(), y.max()
        margin = 0.6 * (high - low)
        curves = (
            Curve("exact", t, y, "exact", 0),
            Curve("as printed, from rest", runs.rest.time, rest[:, k], "printed", 0),
        )
        early = runs.rest.time <= 1.5
        first = (
            Curve("exact", t[t <= 1.5], y[t <= 1.5], "exact", 0),
            Curve("as printed, from rest", runs.rest.time[early], rest[early, k], "printed", 0),
        )
        figures.append(
            Figure(
                f"003-fig{4 + k:02d}",
                f"Fig. {4 + k}. {name} component of the force in leg 1's upper joint",
                f"Force of the leg on the platform.  Exact range {low:.3f} to {high:.3f} N.  Started from "
                f"rest the printed DAE swings by up to {np.abs(rest[:, k]).max():.0f} N and settles "
                "after about 1 s, as the paper shows.",
                (
                    over_time(
                        "two periods",
                        "force (N)",
                        curves,
                        ylimits=(float(low - margin), float(high + margin)),
                    ),
                    over_time("the first 1.5 s", "force (N)", first),
                ),
                columns=2,
            )
        )
    return figures


def _start(runs: MultibodyRuns) -> Figure:
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
    return Figure(
        "003-start",
        "Why the forces oscillate at first",
        "Error of the Y component as printed, by start and step.  With the same step and velocities that "
        "satisfy Phi_q qd = -Phi_t there is none; what remains is the printed mass matrix (E003-1).",
        (over_time("", "|error of F_y| (N)", curves, yscale="log"),),
    )


def _mass_matrix(runs: MultibodyRuns) -> Figure:
    """Ours: the driving multipliers, which the paper does not show."""
    time, error = runs.exact.time, runs.printed_force - runs.exact.force

    return Figure(
        "003-forces",
        "Actuator forces, and what the printed mass matrix does to them",
        "Multipliers of the driving constraints with their sign turned.  Constant diagonal inertias in Euler "
        f"coordinates (E003-1) cost up to {np.abs(error).max():.3f} N of "
        f"{np.abs(runs.exact.force).max():.2f} N.",
        (
            over_time("exact", "force (N)", six("leg ", time, runs.exact.force, "exact")),
            over_time("as printed minus exact", "difference (N)", six("leg ", time, error)),
        ),
        columns=2,
    )


def _gimbal(runs: MultibodyRuns) -> Figure:
    curves = six("leg ", runs.exact.time, np.abs(np.cos(runs.leg_angles[:, LOWER_PARTS, 1])))
    return Figure(
        "003-gimbal",
        "How close the legs come to gimbal lock",
        "|cos beta| along the motion from Table 4's leg axes without spin; at zero the Euler angles have no "
        "rates (E003-2).",
        (over_time("", "|cos beta|", curves, yscale="log"),),
    )


def _order(runs: MultibodyRuns) -> Figure:
    """Ours: measured order."""
    h = np.log10(ORDER_STEPS)
    curves = tuple(
        Curve(f"{name}: order {slope(e):.2f}", h, e, "", k)
        for k, (name, e) in enumerate(runs.order.items())
    )
    line = Curve("slope 2", h, 0.5 * runs.order["hht"][0] * 10 ** (2 * (h - h[0])), "aid", 2)
    return Figure(
        "003-order",
        "Convergence of the integrators",
        f"The same machine under constant actuator forces for {ORDER_SPAN:g} s: position error against the "
        "reduced equations integrated to 1e-11.",
        (Panel("", "log10 of the step in s", "position error (m)", (*curves, line), yscale="log"),),
    )
