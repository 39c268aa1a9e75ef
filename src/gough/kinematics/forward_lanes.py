"""Newton on eight forward problems at a time: one straight-line program, each problem in a lane of its own.

A round is one Newton step and one correction with the same matrix; its factors are orthogonal ones (no pivots to
choose: all lanes take the same instructions).  Lanes know nothing of each other, so answers do not depend on the batch.
What does not contract well is left to `forward_kernel`, which halves steps and says why it failed.
Legend and units as there; x: the twist (v, w scale), m.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gough.engines.llvm_program import Lowered
from gough.engines.tracer import Program, record
from gough.equations.scalar import larger, sqrt
from gough.kinematics.compiled import kernel
from gough.kinematics.forward_kernel import ROUNDING, on_branch, reduce_legs
from gough.layout import LEG_GEOMETRY, POSE, Layout

LANES = 8
ROUNDS = 4
CONTRACTS = 1.0 / 16.0  # largest squared ratio of a correction to the step before it
PROBLEM = POSE.then(centers=18, lengths=6)
MACHINE = Layout(joints=18, scale=1)
ROUND = POSE.then(first=1, second=1, misfit=1)
JOINT = LEG_GEOMETRY.at("joint")
CENTERS, LENGTHS = PROBLEM.at("centers"), PROBLEM.at("lengths")
IN, OUT, SCALE, WIDTH = PROBLEM.size, ROUND.size, MACHINE.scale, POSE.size
FIRST, SECOND, MISFIT = ROUND.first, ROUND.second, ROUND.misfit
Row = Sequence[Any]


def _dot(a: Row, b: Row) -> Any:
    total = a[0] * b[0]
    for x, y in zip(a[1:], b[1:], strict=True):
        total = total + x * y
    return total


def _cross(a: Row, b: Row) -> list[Any]:
    return [a[k - 2] * b[k - 1] - a[k - 1] * b[k - 2] for k in range(3)]


def _struts(t: Row, R: Sequence[Row], p: Sequence[Row], c: Sequence[Row]) -> tuple[Any, Any, Any]:
    """q = R p, S = t + q - c and |S| of the six legs."""
    q = [[_dot(row, joint) for row in R] for joint in p]
    S = [
        [x + y - z for x, y, z in zip(t, arm, at, strict=True)]
        for arm, at in zip(q, c, strict=True)
    ]
    return q, S, [sqrt(_dot(s, s)) for s in S]


def _factors(columns: list[list[Any]]) -> list[tuple[list[Any], Any, list[Any]]]:
    """Gram-Schmidt: unit vector, inverse length and the shares of the later columns, for each."""
    found = []
    while columns:
        first, *columns = columns
        inverse = 1.0 / sqrt(_dot(first, first))
        unit = [z * inverse for z in first]
        share = [_dot(unit, column) for column in columns]
        columns = [
            [z - s * u for z, u in zip(column, unit, strict=True)]
            for column, s in zip(columns, share, strict=True)
        ]
        found.append((unit, inverse, share))
    return found


def _solved(factors: list[tuple[list[Any], Any, list[Any]]], right: Row) -> list[Any]:
    x: list[Any] = []
    for unit, inverse, share in reversed(factors):
        rest = _dot(unit, right)
        for s, known in zip(share, x, strict=True):
            rest = rest - s * known
        x.insert(0, rest * inverse)
    return x


def _moved(t: Row, R: Sequence[Row], x: Row, per: Any) -> tuple[list[Any], list[list[Any]]]:
    """Displaced by the twist x, rotated by a unit quaternion (1, a)."""
    a = [0.5 * z * per for z in x[3:]]
    d = 2.0 / (1.0 + _dot(a, a))
    columns = []
    for k in range(3):
        v = [row[k] for row in R]
        w = [y + z for y, z in zip(v, _cross(a, v), strict=True)]
        columns.append([y + d * z for y, z in zip(v, _cross(a, w), strict=True)])
    return [y + z for y, z in zip(t, x[:3], strict=True)], [
        list(row) for row in zip(*columns, strict=True)
    ]


def _nearest(R: Sequence[Row]) -> list[list[Any]]:
    """Newton-Schulz: ``R (3 E - R^T R)/2``."""
    columns = list(zip(*R, strict=True))
    G = [[_dot(a, b) for b in columns] for a in columns]
    return [[1.5 * row[k] - 0.5 * _dot(row, G[k]) for k in range(3)] for row in R]


def _round(x: Row, par: Row) -> list[Any]:
    def threes(row: Row) -> list[Row]:
        return [row[3 * k : 3 * k + 3] for k in range(len(row) // 3)]

    p, c, l = threes(par[MACHINE.joints]), threes(x[PROBLEM.centers]), x[PROBLEM.lengths]
    per = 1.0 / par[MACHINE.scale]
    t, R = list(x[PROBLEM.position]), _nearest(_nearest(threes(x[PROBLEM.rotation])))
    q, S, n = _struts(t, R, p, c)
    rows = []
    for arm, s, length in zip(q, S, n, strict=True):
        s = [z / length for z in s]
        rows.append([*s, *(z * per for z in _cross(arm, s))])
    factors = _factors([list(column) for column in zip(*rows, strict=True)])
    sizes = []
    for _ in range(2):
        step = _solved(factors, [y - z for y, z in zip(l, n, strict=True)])
        sizes.append(_dot(step, step))
        t, R = _moved(t, R, step, per)
        _, _, n = _struts(t, R, p, c)
    misfit = 0.0 * n[0]
    for y, z in zip(l, n, strict=True):
        misfit = larger(misfit, (y - z) * (y - z))
    return [*t, *R[0], *R[1], *R[2], *sizes, misfit]


def newton_round() -> Program:
    """Rows PROBLEM to ROUND: the pose after it, the squared sizes of both steps, the largest squared leg error left."""
    return record(_round, {"x": PROBLEM.size, "par": MACHINE.size})


LOWERED = Lowered(newton_round(), LANES, LANES)
prepare, evaluate = LOWERED.prepare, LOWERED.evaluate


@kernel
def machine_row(table, scale):
    """The joints of a table of legs and the machine's size as MACHINE."""
    row = np.empty(SCALE + 1)
    for i in range(6):
        for k in range(3):
            row[3 * i + k] = table[i, JOINT + k]
    row[SCALE] = scale
    return row


@kernel
def newton_lanes(table, machine, lam, guess, first, pose, X, Y, c, l, tall, rounds, residual):
    """Problems `first` to `first` + 7 of lam (N, 6): pose[n], residual, and rounds (8,), 0 where nothing is found."""
    scale, prepared = machine[SCALE], prepare(machine)
    lanes = min(LANES, lam.shape[0] - first)
    for lane in range(LANES):
        n = first + min(lane, lanes - 1)
        g = guess[n] if guess.shape[0] > 1 else guess[0]
        rounds[lane] = -1 if lane < lanes and reduce_legs(table, lam[n], c, l) else 0
        for k in range(WIDTH):
            X[k, lane] = g[k]
        tall[lane] = 0.0
        for i in range(6):
            tall[lane] = max(tall[lane], l[i])
            X[LENGTHS + i, lane] = l[i]
            for k in range(3):
                X[CENTERS + 3 * i + k, lane] = c[i, k]
    for turn in range(1, ROUNDS + 1):
        evaluate(X, 0, prepared, Y)
        waiting = False
        for lane in range(LANES):
            if rounds[lane] >= 0:
                continue
            step, more = Y[FIRST, lane], Y[SECOND, lane]
            stride = max(scale, 0.05 * tall[lane])
            small = max(1e-9 * scale, 8.0 * ROUNDING * tall[lane])
            if not (step < small * small or (step < stride * stride and more < CONTRACTS * step)):
                rounds[lane] = 0
            elif step < small * small or more * more <= 1e-34 * scale * scale * step:
                residual[lane] = np.sqrt(Y[MISFIT, lane])
                done = max(1e-11 * scale, ROUNDING * tall[lane])
                rounds[lane] = turn if residual[lane] <= done else 0
                for k in range(WIDTH):
                    pose[first + lane, k] = Y[k, lane]
            else:
                waiting = True
                for k in range(WIDTH):
                    X[k, lane] = Y[k, lane]
        if not waiting:
            break
    for lane in range(lanes):
        n = first + lane
        reduce_legs(table, lam[n], c, l)
        if rounds[lane] < 0 or not on_branch(table, pose[n], lam[n], c):
            rounds[lane] = 0
