"""Compiled forward kinematics: Newton on SE(3) from a guess, and the loop over a batch.

A pose is 12 numbers: t (3), R (9, row by row).  Legend as in docs/notation.md:
    c, l   sphere center and radius of each leg (gough/struts.py)
    q      R p;   S = t + q - c;   s = S/|S|
    J      rows (s, q x s): leg rates from the twist (v, w)
"""

from __future__ import annotations

import numpy as np

from gough.kinematics.compiled import kernel
from gough.layout import LEG_GEOMETRY as LEG
from gough.layout import POSE, TWIST
from gough.struts import SLIDER, STRUT

CONVERGED, NO_CONVERGENCE, SINGULAR, UNREACHABLE, WRONG_BRANCH, BAD_INPUT = 0, 1, 2, 3, 4, 5
MAX_ITERATIONS = 40
CLOSE = 1e-4  # of the machine's size: a full step from which on its matrix serves for the rest
ROUNDING = 2e-15  # of a leg's length: some ten roundings in |t + R p - c|
RATE = TWIST.size  # column of the right side in the augmented system
T, R, W = POSE.at("position"), POSE.at("rotation"), TWIST.at("angular")
KIND, BASE, JOINT, E, U, N, H, LENGTH, SIGN, RHO, ZERO = (
    LEG.at(name)
    for name in ("kind", "base", "joint", "e", "u", "n", "h", "length", "sign", "rho", "zero")
)


@kernel
def take(to, of):
    """A pose into another's place; whole slices would compile numba's sentences about shapes into every kernel."""
    for k in range(of.shape[0]):
        to[k] = of[k]


@kernel
def reduce_legs(table, lam, c, l):
    """Sphere centers and radii of the six legs; False where a coordinate is not finite or L not positive."""
    for i in range(6):
        x = lam[i]
        if not np.isfinite(x):
            return False
        for k in range(3):
            c[i, k] = table[i, BASE + k]
        l[i] = table[i, LENGTH]
        if table[i, KIND] == STRUT:
            l[i] = x
            if not x > 0.0:
                return False
        elif table[i, KIND] == SLIDER:
            for k in range(3):
                c[i, k] += x * table[i, E + k]
        else:
            co, si = np.cos(x), np.sin(x)
            for k in range(3):
                c[i, k] += (
                    table[i, H] * table[i, E + k] + co * table[i, U + k] + si * table[i, N + k]
                )
    return True


@kernel
def coordinates(table, pose, lam):
    """Actuator coordinates of a pose on the legs' own branches; False where a leg cannot reach."""
    for i in range(6):
        P0 = pose[T] - table[i, BASE]
        P1 = pose[T + 1] - table[i, BASE + 1]
        P2 = pose[T + 2] - table[i, BASE + 2]
        for k in range(3):
            P0 += pose[R + k] * table[i, JOINT + k]
            P1 += pose[R + 3 + k] * table[i, JOINT + k]
            P2 += pose[R + 6 + k] * table[i, JOINT + k]
        PP = P0 * P0 + P1 * P1 + P2 * P2
        if table[i, KIND] == STRUT:
            lam[i] = np.sqrt(PP)
            continue
        eP = table[i, E] * P0 + table[i, E + 1] * P1 + table[i, E + 2] * P2
        if (
            table[i, KIND] == SLIDER
        ):  # docs/derivations/exact.md, PUS: l = P.e - sig sqrt((P.e)^2 - P.P + Lf^2)
            disc = eP * eP - PP + table[i, LENGTH] ** 2
            if not disc >= 0.0:
                return False
            lam[i] = eP - table[i, SIGN] * np.sqrt(disc)
            continue
        A = P0 * table[i, U] + P1 * table[i, U + 1] + P2 * table[i, U + 2]
        B = P0 * table[i, N] + P1 * table[i, N + 1] + P2 * table[i, N + 2]
        h, rho = table[i, H], table[i, RHO]
        D = 0.5 * (PP + h * h + rho * rho - table[i, LENGTH] ** 2) - h * eP
        N2 = A * A + B * B
        disc = N2 - D * D
        if not (disc >= 0.0 and N2 > 0.0):
            return False
        X = table[i, SIGN] * np.sqrt(disc)
        sine, cosine = B * D + A * X, A * D - B * X
        zero = table[i, ZERO]  # counted from home: gough.struts.crank_zeros
        c, s = np.cos(zero), np.sin(zero)
        lam[i] = zero + np.arctan2(sine * c - cosine * s, cosine * c + sine * s)
    return True


@kernel
def orthonormalize(pose):
    """Newton-Schulz steps ``R <- R (3 E - R^T R)/2``: the nearest rotation to round-off, two if one is not enough."""
    for _ in range(2):
        a, b, d = pose[R : R + 3], pose[R + 3 : R + 6], pose[R + 6 : R + 9]
        g00 = a[0] * a[0] + b[0] * b[0] + d[0] * d[0]
        g11 = a[1] * a[1] + b[1] * b[1] + d[1] * d[1]
        g22 = a[2] * a[2] + b[2] * b[2] + d[2] * d[2]
        g01 = a[0] * a[1] + b[0] * b[1] + d[0] * d[1]
        g02 = a[0] * a[2] + b[0] * b[2] + d[0] * d[2]
        g12 = a[1] * a[2] + b[1] * b[2] + d[1] * d[2]
        for r in range(3):
            x, y, z = pose[R + 3 * r], pose[R + 3 * r + 1], pose[R + 3 * r + 2]
            pose[R + 3 * r] = 1.5 * x - 0.5 * (x * g00 + y * g01 + z * g02)
            pose[R + 3 * r + 1] = 1.5 * y - 0.5 * (x * g01 + y * g11 + z * g12)
            pose[R + 3 * r + 2] = 1.5 * z - 0.5 * (x * g02 + y * g12 + z * g22)
        off = max(abs(g00 - 1.0), abs(g11 - 1.0), abs(g22 - 1.0), abs(g01), abs(g02), abs(g12))
        if off < 1e-9:  # the next error is its square
            break


@kernel
def platform_joint(table, pose, i):
    """q = R p of leg i."""
    p0, p1, p2 = table[i, JOINT], table[i, JOINT + 1], table[i, JOINT + 2]
    return (
        pose[R] * p0 + pose[R + 1] * p1 + pose[R + 2] * p2,
        pose[R + 3] * p0 + pose[R + 4] * p1 + pose[R + 5] * p2,
        pose[R + 6] * p0 + pose[R + 7] * p1 + pose[R + 8] * p2,
    )


@kernel
def residual_rows(table, pose, c, l, scale, J):
    """Augmented system [s, q x s/scale | l - |S|] in J and the largest residual; -1 where a leg has no length."""
    worst, per = 0.0, 1.0 / scale
    for i in range(6):
        q0, q1, q2 = platform_joint(table, pose, i)
        s0 = pose[T] + q0 - c[i, 0]
        s1 = pose[T + 1] + q1 - c[i, 1]
        s2 = pose[T + 2] + q2 - c[i, 2]
        n = np.sqrt(s0 * s0 + s1 * s1 + s2 * s2)
        if not n > 1e-14 * l[i]:
            return -1.0
        d = 1.0 / n
        s0 *= d
        s1 *= d
        s2 *= d
        J[i, T], J[i, T + 1], J[i, T + 2] = s0, s1, s2
        J[i, W] = (q1 * s2 - q2 * s1) * per
        J[i, W + 1] = (q2 * s0 - q0 * s2) * per
        J[i, W + 2] = (q0 * s1 - q1 * s0) * per
        J[i, RATE] = l[i] - n
        worst = max(worst, abs(J[i, RATE]))
    return worst


@kernel
def factor6(J):
    """Elimination with partial pivoting of the augmented rows of J (7, 7), multipliers and
    inverse pivots kept; False if singular.

    The last row of J notes which row each step took.
    """
    for k in range(6):
        pivot, best = k, abs(J[k, k])
        for i in range(k + 1, 6):
            if abs(J[i, k]) > best:
                pivot, best = i, abs(J[i, k])
        if not best > 1e-14:
            return False
        J[6, k] = pivot
        if pivot != k:
            for j in range(RATE + 1):
                J[k, j], J[pivot, j] = J[pivot, j], J[k, j]
        d = 1.0 / J[k, k]
        for i in range(k + 1, 6):
            f = J[i, k] * d
            J[i, k] = f
            for j in range(k + 1, RATE + 1):
                J[i, j] -= f * J[k, j]
        J[k, k] = d
    return True


@kernel
def solve6(J, x):
    """The rest of it: x from the eliminated J; the largest |x|."""
    size = 0.0
    for k in range(5, -1, -1):
        value = J[k, RATE]
        for j in range(k + 1, 6):
            value -= J[k, j] * x[j]
        x[k] = value * J[k, k]
        size = max(size, abs(x[k]))
    return size


@kernel
def chord(table, c, l, scale, pose, J, x, size):
    """Corrections with the matrix of the last full step, whose size is given: (reached, corrections, residual).

    Each shrinks the error by about the size of the last one over that of the one before: what is left is estimated by
    that, and must be below the rounding of the machine.
    """
    worst = np.nan
    for n in range(1, 4):
        worst = 0.0
        for i in range(6):
            q0, q1, q2 = platform_joint(table, pose, i)
            s0, s1, s2 = (
                pose[T] + q0 - c[i, 0],
                pose[T + 1] + q1 - c[i, 1],
                pose[T + 2] + q2 - c[i, 2],
            )
            J[i, RATE] = l[i] - np.sqrt(s0 * s0 + s1 * s1 + s2 * s2)
            worst = max(worst, abs(J[i, RATE]))
        if size == 0.0:
            return True, n - 1, worst
        for k in range(6):
            pivot = int(J[6, k])
            J[k, RATE], J[pivot, RATE] = J[pivot, RATE], J[k, RATE]
        for k in range(6):
            for i in range(k + 1, 6):
                J[i, RATE] -= J[i, k] * J[k, RATE]
        step = solve6(J, x)
        if not step < 0.1 * size:
            return False, n - 1, worst
        move(pose, x, 1.0, scale, pose)
        size = 0.0 if step * step <= 1e-17 * scale * size else step
    return False, 3, worst


@kernel
def move(pose, x, factor, scale, new):
    """``new`` (which may be `pose`): displaced by the twist ``factor * (x[:3], x[3:]/scale)``, a unit quaternion."""
    a0, a1, a2 = (
        0.5 * factor * x[W] / scale,
        0.5 * factor * x[W + 1] / scale,
        0.5 * factor * x[W + 2] / scale,
    )
    d = 2.0 / (1.0 + a0 * a0 + a1 * a1 + a2 * a2)
    for k in range(3):
        new[k] = pose[k] + factor * x[k]
        v0, v1, v2 = pose[R + k], pose[R + 3 + k], pose[R + 6 + k]
        w0 = v0 + a1 * v2 - a2 * v1  # v + a x v, then R v = v + d a x w
        w1 = v1 + a2 * v0 - a0 * v2
        w2 = v2 + a0 * v1 - a1 * v0
        new[R + k] = v0 + d * (a1 * w2 - a2 * w1)
        new[R + 3 + k] = v1 + d * (a2 * w0 - a0 * w2)
        new[R + 6 + k] = v2 + d * (a0 * w1 - a1 * w0)


@kernel
def newton(table, c, l, scale, pose, J, x, trial):
    """Newton with halving, in place on `pose`; (status, iterations, residual).

    Once a full step is below CLOSE its matrix serves for the corrections that remain (`chord`); a step below 1e-9 of
    the machine's size needs none, for the next error is its square.  Legs much longer than the platform (scale: its
    size) allow longer steps, and the rounding of their own lengths.
    """
    orthonormalize(pose)
    tall = 0.0
    for i in range(6):
        tall = max(tall, l[i])
    stride, small = max(scale, 0.05 * tall), max(1e-9 * scale, 8.0 * ROUNDING * tall)
    done = max(1e-11 * scale, ROUNDING * tall)
    worst = residual_rows(table, pose, c, l, scale, J)
    for iteration in range(1, MAX_ITERATIONS + 1):
        if worst < 0.0:
            return SINGULAR, iteration, np.nan
        if not factor6(J):
            return SINGULAR, iteration, np.nan
        size = solve6(J, x)
        if not np.isfinite(size):
            return NO_CONVERGENCE, iteration, np.nan
        factor = min(1.0, stride / size) if size > 0.0 else 1.0
        if size < max(CLOSE * scale, small):
            move(pose, x, 1.0, scale, pose)
            left = 0.0 if size < small else size
            reached, more, worst = chord(table, c, l, scale, pose, J, x, left)
            if reached:
                return CONVERGED if worst <= done else NO_CONVERGENCE, iteration + more, worst
            worst = residual_rows(table, pose, c, l, scale, J)
            continue
        fresh = -1.0
        for _ in range(12):
            move(pose, x, factor, scale, trial)
            fresh = residual_rows(table, trial, c, l, scale, J)
            if fresh >= 0.0 and fresh < worst:
                break
            factor *= 0.5
            fresh = -1.0
        if fresh < 0.0:
            return NO_CONVERGENCE, iteration, worst
        for k in range(12):
            pose[k] = trial[k]
        worst = fresh
    return NO_CONVERGENCE, MAX_ITERATIONS, worst


@kernel
def impossible(table, c, l):
    """True if two legs alone contradict each other: no pose at all has these coordinates.

    The joints of legs i and j are ``d = |p_i - p_j|`` apart on the platform and ``D = |c_i - c_j|`` on the
    base, so ``l_i, l_j, d, D`` must close a quadrilateral: none exceeds the sum of the other three.
    """
    for i in range(6):
        for j in range(i):
            d = D = 0.0
            for k in range(3):
                d += (table[i, JOINT + k] - table[j, JOINT + k]) ** 2
                D += (c[i, k] - c[j, k]) ** 2
            d, D = np.sqrt(d), np.sqrt(D)
            total = (l[i] + l[j] + d + D) * (1.0 + 1e-12)
            if 2.0 * max(max(l[i], l[j]), max(d, D)) > total:
                return True
    return False


@kernel
def on_branch(table, pose, lam, c):
    """True if every PUS link leans, and every RUS crank bends, the way its leg says."""
    for i in range(6):
        kind = table[i, KIND]
        if kind == STRUT:
            continue
        co, si = np.cos(lam[i]), np.sin(lam[i])
        value = 0.0
        for k in range(3):
            S = pose[k] - c[i, k]
            for m in range(3):
                S += pose[R + 3 * k + m] * table[i, JOINT + m]
            if kind == SLIDER:
                value += S * table[i, E + k]
            else:  # eta = s.(e x u) has the sign -elbow;  e x u turned by the crank angle
                value -= S * (co * table[i, N + k] - si * table[i, U + k])
        if not value * table[i, SIGN] > 0.0:
            return False
    return True


@kernel
def answer(table, lam, guess, scale, pose, c, l, J, x, trial):
    """One forward kinematics: (status, iterations, residual), `pose` is NaN unless CONVERGED."""
    iterations, residual = 0, np.nan
    status = BAD_INPUT
    total = 0.0
    for k in range(12):
        pose[k] = guess[k]
        total += abs(guess[k])
    if np.isfinite(total) and reduce_legs(table, lam, c, l):
        status, iterations, residual = newton(table, c, l, scale, pose, J, x, trial)
        if status == CONVERGED:
            if not on_branch(table, pose, lam, c):
                status = WRONG_BRANCH
        elif impossible(table, c, l):
            status = UNREACHABLE
    if status != CONVERGED:
        pose[:] = np.nan
    return status, iterations, residual
