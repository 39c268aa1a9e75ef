"""semi-implicit: velocities first, then the pose with the new velocities (symplectic Euler), order 1.

    v1 = v0 + h a(x0, v0),   t1 = t0 + h v1,   R1 = cay(h w1) R0
One evaluation per step; energies do not drift.  Serves every option; for many cheap steps, as in games and learning.
"""

from __future__ import annotations

from typing import Any

from gough.equations.vec import Vec
from gough.layout import POSE, Layout
from gough.simulation.integrators.fixed_step import Blocks, FixedStep, RowList, cayley


def pose(z: Blocks) -> tuple[RowList, RowList]:
    """As it was at the start."""
    return z["position"], z["rotation"]


def rates(z: Blocks) -> RowList:
    """Only velocities are advanced."""
    return ()


def finish(z: Blocks, h: Any) -> tuple[RowList, RowList]:
    """The pose moved by the new velocities."""
    position = tuple(x + h * v for x, v in zip(z["position"], z["velocity"], strict=True))
    return position, cayley(Vec(*z["angular_velocity"]) * h, z["rotation"])


METHOD = FixedStep("semi-implicit", 1, (0.0,), (1.0,), Layout(), POSE, pose, rates, finish)
