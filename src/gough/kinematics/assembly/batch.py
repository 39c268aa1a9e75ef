"""From lengths to poses in one compiled call: many problems from one start, in double precision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.checks import Array
from gough.engines.native import run_into
from gough.kinematics.assembly.forms import Complex
from gough.kinematics.assembly.geometry import Geometry
from gough.kinematics.assembly.lane_tracker import lane_paths, lane_proofs
from gough.kinematics.assembly.lanes import take_rows
from gough.kinematics.assembly.paths import LEVELS, SMALLEST, Integers, Legs
from gough.kinematics.assembly.roots import judge
from gough.kinematics.compiled import kernel
from gough.kinematics.forward_kernel import take
from gough.layout import POSE

ROWS = POSE.size
SHARE = 8  # problems that are worth a thread
TOLERANCE, FRACTION, MOST = LEVELS[0]


@kernel
def pose_row(X, base, joint, size, ob, Ub, op, Up, l, row):
    """The pose t, R (12,) of a real solution in the world; returns its largest leg error, m.

    base, joint (6, 3): the machine's own joints from the origins ob, op; the errors are those of the machine as given.
    """
    q, g = X[:4].real, X[4:].real
    h = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]
    v, w = q[1:], g[1:]
    R, t, turned = np.empty((3, 3)), np.empty(3), np.empty((3, 3))
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        t[i] = 2.0 * (q[0] * w[i] - g[0] * v[i] + v[j] * w[k] - v[k] * w[j]) / h
        R[i, i] = (q[0] * q[0] + v[i] * v[i] - v[j] * v[j] - v[k] * v[k]) / h
        R[i, j] = 2.0 * (v[i] * v[j] - q[0] * v[k]) / h
        R[i, k] = 2.0 * (v[i] * v[k] + q[0] * v[j]) / h
    for i in range(3):
        for j in range(3):
            turned[i, j] = Ub[i, 0] * R[0, j] + Ub[i, 1] * R[1, j] + Ub[i, 2] * R[2, j]
    there = np.empty(3)
    for i in range(3):
        there[i] = size * (Ub[i, 0] * t[0] + Ub[i, 1] * t[1] + Ub[i, 2] * t[2])
        for j in range(3):
            R[i, j] = turned[i, 0] * Up[j, 0] + turned[i, 1] * Up[j, 1] + turned[i, 2] * Up[j, 2]
    worst = 0.0
    for leg in range(6):
        square = 0.0
        for i in range(3):
            p = joint[leg]
            z = there[i] + R[i, 0] * p[0] + R[i, 1] * p[1] + R[i, 2] * p[2] - base[leg, i]
            square += z * z
        worst = max(worst, abs(np.sqrt(square) - l[leg]))
    for i in range(3):
        row[i] = ob[i] + there[i] - (R[i, 0] * op[0] + R[i, 1] * op[1] + R[i, 2] * op[2])
        for j in range(3):
            row[3 + 3 * i + j] = R[i, j]
    return worst


@kernel
def lower(a, b):
    """True if pose row a comes after b: highest first, then by y and x."""
    if a[2] != b[2]:
        return a[2] < b[2]
    return a[1] > b[1] if a[1] != b[1] else a[0] > b[0]


@kernel
def pose_rows(X, base, joint, size, ob, Ub, op, Up, l, rows, residual):
    """Poses of real solutions X (n, 8), highest first."""
    new = np.empty(ROWS)
    for n in range(X.shape[0]):
        worst = pose_row(X[n], base, joint, size, ob, Ub, op, Up, l, new)
        at = n
        while at > 0 and lower(rows[at - 1], new):
            take(rows[at], rows[at - 1])
            residual[at] = residual[at - 1]
            at -= 1
        take(rows[at], new)
        residual[at] = worst


@kernel
def solve_problems(b, p, size, ob, base, K, l, start, frame, count, number, rows, residual):
    """Problems b, p (P, 6, 3), K (P, 6): what `judge` counts, and the sorted poses of the real solutions.

    start: b0, p0, K0, X0, halved;  frame: Ub, op, Up, joint;  size (P,), ob (P, 3), base (P, 6, 3), l (P, 6): world
    """
    b0, p0, K0, X0, halved = start
    Ub, op, Up, joint = frame
    problems, n = K.shape[0], X0.shape[0]
    m = 2 * n if halved else n
    X, status = (
        np.empty((problems, n, 8), dtype=np.complex128),
        np.empty((problems, n), dtype=np.int64),
    )
    left, steps = np.empty((problems, n)), np.empty((problems, n), dtype=np.int64)
    most = np.int64(MOST)  # not a kind of its own: the same machine code serves `paths.py`
    lane_paths(b0, p0, K0, b, p, K, X0, TOLERANCE, FRACTION, most, SMALLEST, X, status, left, steps)
    radius, unique = np.full((problems, m), -1.0), np.zeros((problems, m))
    real, charts, same = (
        np.full((problems, m), -1),
        np.zeros((problems, m), dtype=np.int64),
        np.full(m, -1),
    )
    proper = np.zeros((problems, m), dtype=np.bool_)
    lane_proofs(b, p, K, X, status == 0, radius, unique, real, charts, proper)
    Y = np.empty((m, 8), dtype=np.complex128)
    for j in range(problems):
        take_rows(Y, 0, X[j], 0, n)
        count[j] = judge(Y, radius[j], unique[j], real[j], charts[j], proper[j], same, halved)
        found = np.flatnonzero((same < 0) & proper[j] & (real[j] == 1))
        number[j] = found.size
        pose_rows(Y[found], base[j], joint, size[j], ob[j], Ub, op, Up, l[j], rows[j], residual[j])


@dataclass(frozen=True, eq=False)
class Found:
    """For P problems: count (P,) of proved, finite, distinct solutions, negative if something is open;  number (P,)
    of real poses, those of rows (., 12) from first (P,) on, highest first;  residual (.,) their largest leg errors,
    m."""

    count: Integers
    number: Integers
    first: Integers
    rows: Array
    residual: Array


def find(
    geometries: Sequence[Geometry],
    centers: Array,
    l: Array,
    joint: Array,
    start: tuple[Legs, Complex, bool],
    threads: int,
) -> Found:
    """Solve P problems: sphere centers (P, 6, 3) and radii l (P, 6), m; geometries: one for all, or one each."""
    P = len(l)
    legs, X, halved = start
    first = geometries[0]

    def each(name: str) -> Array:
        rows = np.array([getattr(g, name) for g in geometries])
        return rows if len(rows) == P else np.repeat(rows, P, axis=0)

    size, ob = each("size"), each("base_origin")
    most = len(X) * (2 if halved else 1)
    out: Any = (
        np.empty(P, dtype=np.int64),
        np.empty(P, dtype=np.int64),
        np.empty((P, most, ROWS)),
        np.empty((P, most)),
    )
    blocks = [
        each("b"),
        each("p"),
        size,
        ob,
        centers - ob[:, None],
        ((l / size[:, None]) ** 2).astype(complex),
        np.ascontiguousarray(l),
    ]
    frame = first.base_axes, first.joint_origin, first.joint_axes, joint - first.joint_origin
    par: Any = (*legs, X, halved), frame
    run_into(lambda *a: solve_problems(*a[:7], *a[7], *a[8:]), blocks, par, out, threads, SHARE)
    count, number, rows, residual = out
    first = most * np.arange(P)
    return Found(count, number, first, rows.reshape(-1, ROWS), residual.reshape(-1))
