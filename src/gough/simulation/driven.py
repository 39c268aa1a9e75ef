"""The fixed-step methods driven from Python, for forces that depend on the motion at every stage.

The same methods as in compiled.py: tableau, chart and leg law come from their one definition; forward dynamics is the
compiled batch kernel, only the loop over stages runs here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gough.checks import Array
from gough.dynamics.laws import leg, states
from gough.equations.vec import Vec
from gough.layout import ELASTIC, FORWARD, LEG_MOTION
from gough.simulation import programs
from gough.simulation.inputs import TimeSignal
from gough.simulation.integrators.fixed_step import Blocks, FixedStep
from gough.simulation.programs import named
from gough.simulation.state import Rows
from gough.spatial import Motion

Efforts = Callable[[float, Array], tuple[Array, Array]]
"""(time, state rows) -> command (6, n or 1) and external wrench (6, n or 1)."""


def motion_of(rows: Rows, X: Array, batched: bool) -> Motion:
    """The motion that feedback functions see: (n,) runs, or a single one."""
    motion = rows.motion(X)
    return motion if batched else motion[0]


def efforts(rows: Rows, force: TimeSignal, external: TimeSignal, batched: bool) -> Efforts:
    """Command and wrench as functions of time and state."""

    def at(t: float, X: Array) -> tuple[Array, Array]:
        motion = motion_of(rows, X, batched)
        return force.stage(t, motion), external.stage(t, motion)

    return at


def rates(
    rows: Rows,
    method: FixedStep,
    z: Blocks,
    anchor: Array,
    t: float,
    efforts: Efforts,
    law: Array | None,
    h: float = 0.0,
) -> tuple[Array, Array]:
    """Rates of the rows that the method advances by a step h, and the anchors after slipping."""
    own = (*programs.SPINS, *states(rows.laws))
    more = [row for name in own if name in z for row in z[name]]
    X = np.array([*programs.state_of(method, z), *more, *anchor])
    n = X.shape[1]
    command, external = efforts(t, X)
    legs = rows.kinematics(X) if law is not None or rows.spins else None
    now, acted = dict[str, Array](), None
    if law is not None and legs is not None:
        coordinate, rate = legs[:, :, LEG_MOTION.coordinate].T, legs[:, :, LEG_MOTION.rate].T
        now = {name: np.asarray(z[name]) for name in states(rows.laws)}
        now |= {"effort": command, "coordinate": coordinate, "rate": rate, "anchor": anchor}
        acted = leg.act(rows.laws, law, now)
        command, anchor = acted.effort, acted.anchor
    both = np.broadcast_to(command, (6, n)).T, np.broadcast_to(external, (6, n)).T
    rides = acted is not None and "riding" in rows.laws
    push = (acted.given - acted.transmitted).T if acted is not None and rides else None
    out = rows.forward(X, *both, t, push).T
    turning: list[Array] = []
    if rows.spins and legs is not None:
        vectors = [legs[:, :, at] for at in (LEG_MOTION.direction, LEG_MOTION.angular_velocity)]
        each = [(Vec(*vectors[0][:, i].T), Vec(*vectors[1][:, i].T)) for i in range(6)]
        turning = programs.spin_rates(rows.kinds, rows.par, z, each, out[FORWARD.spin_acceleration])
    both = np.concatenate([out[FORWARD.acceleration], out[FORWARD.angular_acceleration]])
    if acted is not None:
        own = out[ELASTIC.drive_acceleration] if rides else None
        turning += _law_rates(rows, law, now, acted, X, both, programs.lead(method, h), own)
    return np.array(
        [*method.rates(z), *both, *(np.broadcast_to(row, n) for row in turning)]
    ), anchor


def _law_rates(
    rows: Rows,
    law: Any,
    now: dict[str, Array],
    acted: leg.Action,
    X: Array,
    a: Array,
    lead: float,
    own: Array | None,
) -> list[Array]:
    """Rates of the states of the laws in use; `a` (6, n): acceleration of the platform; `own`: of riding motors."""
    along: Any = 0.0 if own is None else own
    if "load" in now:
        flat = rows.kinematics(X, a).reshape(X.shape[1], -1).T
        along = np.array(programs.felt(rows.kinds, rows.par.T, list(flat)))
    found = leg.rates(rows.laws, law, now, acted, along, lead)
    return [row for name in states(rows.laws) for row in found[name]]


def step(
    rows: Rows, method: FixedStep, t: float, X: Array, h: float, efforts: Efforts, law: Array | None
) -> Array:
    """One step."""
    moving = programs.moving_layout(method, rows.kinds, rows.laws)
    source = programs.chart_rows(method, rows.kinds, rows.laws)
    start = np.pad(X, ((0, 1), (0, 0)))[source]  # a chart starts at zero in the row behind the last
    base, held = start[: moving.size], named(method.held, start[moving.size :])
    anchor = X[rows.layout.anchor] if rows.laws else X[:0]
    total, D, slid = np.zeros_like(base), np.zeros_like(base), anchor
    for i, (node, weight) in enumerate(zip(method.nodes, method.weights, strict=True)):
        z = {**named(moving, base + h * node * D), **held}
        D, slipped = rates(rows, method, z, slid, t + node * h, efforts, law, h)
        slid = slid if i else slipped  # friction slips with the command at the step's start
        total += weight * D
    z = {**named(moving, base + h * total), **held}
    end = rows.machine.onto_links(programs.finished(method, z, h), z)
    return np.array([*end, *slid])
