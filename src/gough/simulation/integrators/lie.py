"""lie: the Runge-Kutta tableau on the rotation group (Runge-Kutta-Munthe-Kaas with the Cayley map), order 4.

    R = cay(u) R_0,   u' = w - u x w/2 + u (u.w)/4
R is a rotation to round-off at every stage.  Serves every option; for long runs and coarse steps.
"""

from __future__ import annotations

from gough.equations.vec import Vec, cross, dot
from gough.layout import Layout
from gough.simulation.integrators.fixed_step import (
    RK4_NODES,
    RK4_WEIGHTS,
    Blocks,
    FixedStep,
    RowList,
    cayley,
)


def pose(z: Blocks) -> tuple[RowList, RowList]:
    """``R = cay(u) R_0``."""
    return z["position"], cayley(Vec(*z["turn"]), z["rotation"])


def rates(z: Blocks) -> RowList:
    """``t' = v`` and u'."""
    u, w = Vec(*z["turn"]), Vec(*z["angular_velocity"])
    turn = w - cross(u, w) * 0.5 + u * (0.25 * dot(u, w))
    return *z["velocity"], turn.x, turn.y, turn.z


def finish(z: Blocks, h: object) -> tuple[RowList, RowList]:
    """The pose itself."""
    return pose(z)


METHOD = FixedStep(
    "lie",
    4,
    RK4_NODES,
    RK4_WEIGHTS,
    Layout(position=3, turn=3),
    Layout(rotation=9),
    pose,
    rates,
    finish,
)
