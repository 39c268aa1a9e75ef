"""rk4: the classical Runge-Kutta method on all rows, order 4.

Nine numbers of R are advanced by ``R' = w~ R``; after each step R is made orthogonal again by
``R (3 E - R^T R)/2``, one Newton step of the polar decomposition: the error it removes is of the method's own order.
Serves every option; the default.
"""

from __future__ import annotations

from gough.equations.vec import Vec, cross, dot
from gough.layout import POSE, Layout
from gough.simulation.integrators.fixed_step import (
    RK4_NODES,
    RK4_WEIGHTS,
    Blocks,
    FixedStep,
    RowList,
    by_rows,
    columns,
)


def pose(z: Blocks) -> tuple[RowList, RowList]:
    """As they are."""
    return z["position"], z["rotation"]


def rates(z: Blocks) -> RowList:
    """``t' = v``, ``R' = w~ R``."""
    w = Vec(*z["angular_velocity"])
    return *z["velocity"], *by_rows(*(cross(w, a) for a in columns(z["rotation"])))


def finish(z: Blocks, h: object) -> tuple[RowList, RowList]:
    """R made orthogonal."""
    x, y, c = columns(z["rotation"])
    xx, yy, zz = 1.5 - 0.5 * dot(x, x), 1.5 - 0.5 * dot(y, y), 1.5 - 0.5 * dot(c, c)
    xy, xz, yz = -0.5 * dot(x, y), -0.5 * dot(x, c), -0.5 * dot(y, c)
    return z["position"], by_rows(
        x * xx + y * xy + c * xz, x * xy + y * yy + c * yz, x * xz + y * yz + c * zz
    )


METHOD = FixedStep("rk4", 4, RK4_NODES, RK4_WEIGHTS, POSE, Layout(), pose, rates, finish)
