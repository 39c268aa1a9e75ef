"""Points of paths in the lanes of the traced programs: charts, joints, and what both precisions share.

A lane keeps q_k = 1 for the largest |q_k|, which is the first chart after a half turn of the platform about its
axis k: ``q -> q conj(e_k)``, ``p -> e_k p conj(e_k)``.  The way that is left, r = 1 - s, may become as small as it
likes: joints and K are ``end - r slope``.
"""

from __future__ import annotations

import numpy as np

from gough.kinematics.assembly.leg_equations import LEG, POINT
from gough.kinematics.assembly.step_programs import ORDER
from gough.kinematics.compiled import kernel

REACHED, STUCK, LONG, INFINITE = 0, 1, 2, 3
RECHART = 1.5  # another |q_k| may be this much larger
OFF_CHART = 1e3  # and this much larger after a proof's corrections
V, W = POINT.at("v"), POINT.at("w")
WIDTH, D, M, SQUARE = LEG.size, LEG.at("d"), LEG.at("m"), LEG.at("K")


@kernel
def take_rows(to, first, of, start, count):
    """Rows of one block into another: whole slices would compile numba's sentences about shapes into every kernel."""
    for k in range(count):
        for i in range(of.shape[1]):
            to[first + k, i] = of[start + k, i]


@kernel
def take_lane(to, first, of, count, lane):
    """The first rows of one lane into the same lane of another block."""
    for k in range(count):
        to[first + k, lane] = of[k, lane]


@kernel
def turned(x, k, back):
    """x conj(e_k), or x e_k if `back`, for a quaternion x (4,) and a unit k = 0..3."""
    y = np.empty_like(x)
    if k == 0:
        y[0], y[1], y[2], y[3] = x[0], x[1], x[2], x[3]
    elif k == 1:
        y[0], y[1], y[2], y[3] = x[1], -x[0], -x[3], x[2]
    elif k == 2:
        y[0], y[1], y[2], y[3] = x[2], x[3], -x[0], -x[1]
    else:
        y[0], y[1], y[2], y[3] = x[3], -x[2], x[1], -x[0]
    if back and k > 0:
        for i in range(4):
            y[i] = -y[i]
    return y


@kernel
def put_point(rows, lane, X):
    """X (8,) into rows POINT of a lane; returns the chart."""
    k = 0
    for i in range(1, 4):
        if abs(X[i]) > abs(X[k]):
            k = i
    q, g = turned(X[:4], k, False), turned(X[4:], k, False)
    for i in range(3):
        z = q[i + 1] / q[0]
        rows[V + 2 * i, lane], rows[V + 2 * i + 1, lane] = z.real, z.imag
        z = g[i + 1] / q[0]
        rows[W + 2 * i, lane], rows[W + 2 * i + 1, lane] = z.real, z.imag
    return k


@kernel
def take_point(rows, lane, k, X):
    """Rows POINT of a lane as X (8,) in the machine's own frame, X[k] = 1."""
    q, g = np.empty(4, dtype=np.complex128), np.empty(4, dtype=np.complex128)
    q[0], g[0] = complex(1.0, 0.0), complex(0.0, 0.0)
    for i in range(3):
        q[i + 1] = complex(rows[V + 2 * i, lane], rows[V + 2 * i + 1, lane])
        g[i + 1] = complex(rows[W + 2 * i, lane], rows[W + 2 * i + 1, lane])
        g[0] -= q[i + 1] * g[i + 1]
    q, g = turned(q, k, True), turned(g, k, True)
    for i in range(4):
        X[i], X[4 + i] = q[i], g[i]


@kernel
def put_legs(rows, lane, k, b, p, K):
    """Six legs in the chart k."""
    for leg in range(6):
        at = WIDTH * leg
        for i in range(3):
            base, joint = b[leg, i], p[leg, i] if k == 0 or k == i + 1 else -p[leg, i]
            rows[at + D + i, lane], rows[at + M + i, lane] = base - joint, base + joint
        rows[at + SQUARE, lane], rows[at + SQUARE + 1, lane] = K[leg].real, K[leg].imag


@kernel
def outside(rows, lane):
    """True if another coordinate of q is much larger than the chart's."""
    most = 0.0
    for i in range(3):
        most = max(most, rows[V + 2 * i, lane] ** 2 + rows[V + 2 * i + 1, lane] ** 2)
    return most > RECHART * RECHART


@kernel
def stride(left, rest, re, im, tolerance, fraction):
    """Length of a step: the neglected term stays below `tolerance`, the pole re + i im is kept away from."""
    step = left
    if rest > 0.0:
        step = min(step, (tolerance / np.sqrt(rest)) ** (1.0 / ORDER))
    pole = np.sqrt(re * re + im * im)
    if pole > 0.0:
        step = min(step, fraction / pole)
    return step


@kernel
def accepted(first, second, tolerance):
    """Both corrections are small, and they shrink (squared sizes)."""
    limit = 20.0 * tolerance + 1e-9
    return first <= limit * limit and (second <= 1e-3 * first or second <= 1e-16)


@kernel
def ball(eta, kappa, delta, total, wv):
    """(radius, unique): one root within `radius`, no other within `unique`; (-1, 0) without proof.

    A point whose q has left its chart (wv: its largest coordinate, the chart's is 1) is not proved.
    """
    free = 1.0 - delta
    if not (
        np.isfinite(total)
        and kappa > 0.0
        and wv < OFF_CHART
        and free > 0.5
        and 2.0 * kappa * eta < 0.98 * free * free
    ):
        return -1.0, 0.0
    radius = 2.0 * eta / (free + np.sqrt(free * free - 2.0 * kappa * eta)) * (1.0 + 1e-9)
    return radius, 0.999 * free / kappa


@kernel
def realness(rows, lane, wv, wg, radius, unique):
    """1 if the root is proved real, 0 if proved not real, -1 if undecided; radius with the rounding of the data.

    A root whose complex conjugate lies in the ball without another *is* its conjugate.
    """
    off = 0.0
    for i in range(3):
        off = max(off, abs(rows[V + 2 * i + 1, lane]) / wv, abs(rows[W + 2 * i + 1, lane]) / wg)
    if 6.0 * off + radius < unique:  # 6: g0 = -v.w moves by up to three times as much
        return 1
    if off > radius:
        return 0
    return -1
