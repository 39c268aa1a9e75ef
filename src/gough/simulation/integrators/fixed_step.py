"""One-step methods of fixed step: a Runge-Kutta tableau in coordinates ("chart") that the method chooses.

At the start of a step the chart is laid onto the state; its rows, the velocities and the spins are advanced by the
tableau, everything `held` stays; `finish` turns the result back into position and rotation.  A method writes its
formulas once, over numbers of any kind: the compiled kernels trace them (programs.py), forces that depend on the
motion run them on NumPy rows (driven.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from gough.checks import Array
from gough.equations.vec import Vec, cross, dot
from gough.layout import Layout

RowList = Sequence[Any] | Array
Blocks = dict[str, RowList]
"""RowList of numbers by the names of `gough.layout.STATE` and of the method's chart."""


@dataclass(frozen=True)
class FixedStep:
    """A compiled method.

    order            of convergence in the step
    nodes, weights   of the tableau: stage i starts from the stage before times nodes[i]; one halfway or at the ends
    chart            blocks that are advanced beside velocities and spins; one that is no block of the state starts at 0
    held             blocks of the state that stay what they were at the start of the step
    pose(z)          position (3) and rotation (9 by rows) of chart and held blocks
    rates(z)         time derivative of the chart's rows; z also holds velocity and angular_velocity
    finish(z, h)     position and rotation at the end of the step; z holds the new velocities
    """

    name: str
    order: int
    nodes: tuple[float, ...]
    weights: tuple[float, ...]
    chart: Layout
    held: Layout
    pose: Callable[[Blocks], tuple[RowList, RowList]]
    rates: Callable[[Blocks], RowList]
    finish: Callable[[Blocks, Any], tuple[RowList, RowList]]


RK4_NODES, RK4_WEIGHTS = (0.0, 0.5, 0.5, 1.0), (1 / 6, 1 / 3, 1 / 3, 1 / 6)


def columns(R: RowList) -> tuple[Vec, Vec, Vec]:
    """Columns of a rotation given by rows."""
    return Vec(R[0], R[3], R[6]), Vec(R[1], R[4], R[7]), Vec(R[2], R[5], R[8])


def by_rows(x: Vec, y: Vec, z: Vec) -> RowList:
    """Nine numbers by rows of three columns."""
    return x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z


def cayley(u: Vec, R: RowList) -> RowList:
    """``cay(u) R`` with ``cay(u) = E + (u~ + u~ u~/2) 4/(4 + u.u)``: a rotation for any u, without trigonometry."""
    f = 4.0 / (4.0 + dot(u, u))

    def turned(a: Vec) -> Vec:
        p = cross(u, a)
        return a + (p + cross(u, p) * 0.5) * f

    return by_rows(*(turned(a) for a in columns(R)))
