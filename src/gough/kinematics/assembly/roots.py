"""Newton polish and proof of single roots (compiled).

F is quadratic, so F'' is constant and the Newton-Kantorovich theorem needs no estimate.  In a chart (largest
coordinate 1) with A close to J^-1, and in the norm max |u_b|/w_b (w: largest coordinate of q for the first
four, of g for the others, so that far poses lose nothing),

    eta = |A F(x)| (rounding of F included),   kappa = |A F''|,   delta = |E - A J|
    eta + delta r + kappa r^2 / 2 <= r  and  delta + kappa r < 1

prove exactly one root within r of x, and no other within (1 - delta)/kappa.  A root whose complex conjugate lies
in that larger ball *is* its conjugate: it is real.
"""

from __future__ import annotations

import numpy as np

from gough.kinematics.assembly.doubled import doubled, shift
from gough.kinematics.assembly.tracker import bilinear, factor, matvec, rechart, resolve, square
from gough.kinematics.compiled import kernel

EPS = 2.3e-16
DATA = 8.0 * EPS  # rounding of the six conditions themselves: joints, lengths and their products


@kernel
def polish(Qr, Qi, xr, xi, chart, vr, vi, LU, perm, accr, acci, er, ei, most):
    """Newton in place until the step stops shrinking; (last relative step, False if singular)."""
    last = np.inf
    for _ in range(most):
        matvec(Qr, Qi, xr, xi, vr, vi)
        if not factor(vr, vi, chart, LU, perm):
            return np.inf
        accr[:] = 0.0
        acci[:] = 0.0
        bilinear(xr, xi, vr, vi, 1.0, accr, acci)
        resolve(LU, perm, accr, acci, chart, er, ei)
        step = np.sqrt(square(er, ei))
        if not np.isfinite(step):
            return np.inf
        for b in range(8):
            xr[b] += er[b]
            xi[b] += ei[b]
        if step < 1e-15 or (step < 1e-10 and step > 0.25 * last):
            return step
        last = step
    return last


@kernel
def inverse_columns(LU, perm, chart, A, accr, acci, er, ei):
    """A (8, 7): J^-1 column by column; row `chart` is zero."""
    for i in range(7):
        accr[:] = 0.0
        acci[:] = 0.0
        accr[i] = -1.0
        resolve(LU, perm, accr, acci, chart, er, ei)
        for b in range(8):
            A[b, i] = complex(er[b], ei[b])


@kernel
def weights(xr, xi):
    """Largest |coordinate| of q and of g, neither taken below 1e-8 of the other."""
    wq = wg = 0.0
    for b in range(4):
        wq = max(wq, np.hypot(xr[b], xi[b]))
        wg = max(wg, np.hypot(xr[b + 4], xi[b + 4]))
    return max(wq, 1e-8 * wg), max(wg, 1e-8 * wq)


@kernel
def rounding_sizes(Qr, Qi, xr, xi):
    """``sum_b |Q_b x| |x_b|`` (7,) and ``sum_m |Q_mb| |x_m|`` (7, 8): what the rounding of F and J is measured by."""
    size, reach = np.zeros(7), np.zeros((7, 8))
    for m in range(8):
        big = abs(xr[m]) + abs(xi[m])
        for b in range(8):
            for i in range(7):
                reach[i, b] += (abs(Qr[m, 8 * b + i]) + abs(Qi[m, 8 * b + i])) * big
    for i in range(7):
        for b in range(8):
            size[i] += reach[i, b] * (abs(xr[b]) + abs(xi[b]))
    return size, reach


@kernel
def prove(Qr, Qi, xr, xi, chart, A, vr, vi, fr, fi, low):
    """(radius, unique, given): one root within `radius`, none other within `unique`; radius = -1 without proof.

    given: how far the root moves, to first order, when the conditions change by the rounding of their numbers.

    fr, fi: the values F of the seven conditions; fr[7] their relative rounding bound.  low: how far the point
    at which they hold may lie from x (low parts of doubled precision); J is that of x.
    """
    eta = kappa = delta = given = 0.0
    row = np.empty(64, dtype=np.complex128)
    size, reach = rounding_sizes(Qr, Qi, xr, xi)
    wq, wg = weights(xr, xi)
    for k in range(8):
        if k == chart:
            continue
        wk = wq if k < 4 else wg
        value, err, data = complex(0.0, 0.0), 0.0, 0.0
        row[:] = 0.0
        for i in range(7):
            a = A[k, i]
            value += a * complex(fr[i], fi[i])
            err += abs(a) * (size[i] * fr[7] + 4.0 * EPS * (abs(fr[i]) + abs(fi[i])))
            data += abs(a) * size[i] * DATA
            for m in range(8):
                for b in range(m, 8):
                    row[8 * m + b] += a * complex(Qr[m, 8 * b + i], Qi[m, 8 * b + i])
        eta = max(eta, (abs(value) + err) / wk)
        given = max(given, data / wk)
        total = off = 0.0
        for b in range(8):
            if b == chart:
                continue
            wb = wq if b < 4 else wg
            z, slip = complex(0.0, 0.0), 0.0
            for i in range(7):
                z += A[k, i] * complex(2.0 * vr[8 * b + i], 2.0 * vi[8 * b + i])
                slip += abs(A[k, i]) * reach[i, b]
            if b == k:
                z -= 1.0
            off += (abs(z) + 16.0 * EPS * slip) * wb
            for m in range(b + 1):
                if m != chart:
                    twice = 1.0 if m == b else 2.0
                    total += twice * abs(row[8 * m + b]) * wb * (wq if m < 4 else wg)
        kappa = max(kappa, 2.0 * total / wk)
        delta = max(delta, off / wk)
    kappa *= 1.0 + 1e-12
    delta = delta * (1.0 + 1e-12) + 1e-14 + kappa * low
    free = 1.0 - delta
    if not (
        np.isfinite(eta)
        and np.isfinite(kappa)
        and free > 0.5
        and 2.0 * kappa * eta < 0.98 * free * free
    ):
        return -1.0, 0.0, 0.0
    radius = 2.0 * eta / (free + np.sqrt(free * free - 2.0 * kappa * eta)) * (1.0 + 1e-9)
    return radius + low, 0.999 * free / kappa - low, 2.0 * given


@kernel
def realness(xr, xi, radius, unique):
    """1 if the root is proved real, 0 if proved not real, -1 if undecided; radius with the rounding of the data."""
    wq, wg = weights(xr, xi)
    off = 0.0
    for b in range(8):
        off = max(off, abs(xi[b]) / (wq if b < 4 else wg))
    if 2.0 * off + radius < unique:
        return 1
    if off > radius:
        return 0
    return -1


@kernel
def attempt(Qr, Qi, xr, xi, chart, double, A, vr, vi, LU, perm, accr, acci, er, ei):
    """Polish and prove one root; `double`: with F in doubled precision.  (radius, unique, given)."""
    if not double:
        step = polish(Qr, Qi, xr, xi, chart, vr, vi, LU, perm, accr, acci, er, ei, 12)
        if not step < 1e-4:
            return -1.0, 0.0, 0.0
    matvec(Qr, Qi, xr, xi, vr, vi)
    if not factor(vr, vi, chart, LU, perm):
        return -1.0, 0.0, 0.0
    yr, yi = np.zeros(8), np.zeros(8)
    if double:
        for _ in range(6):
            doubled(Qr, Qi, xr, xi, yr, yi, accr, acci)
            resolve(LU, perm, accr, acci, chart, er, ei)
            shift(xr, yr, er)
            shift(xi, yi, ei)
            matvec(Qr, Qi, xr, xi, vr, vi)
            if not factor(vr, vi, chart, LU, perm):
                return -1.0, 0.0, 0.0
    inverse_columns(LU, perm, chart, A, accr, acci, er, ei)
    if double:
        doubled(Qr, Qi, xr, xi, yr, yi, accr, acci)
        accr[7] = 1e-28
    else:
        accr[:] = 0.0
        acci[:] = 0.0
        bilinear(xr, xi, vr, vi, 1.0, accr, acci)
        accr[7] = 20.0 * EPS  # 8 + 8 products and sums, both parts
    return prove(Qr, Qi, xr, xi, chart, A, vr, vi, accr, acci, 2.0 * EPS if double else 0.0)


@kernel
def verify(Qr, Qi, Xr, Xi, ok, radius, unique, real, charts):
    """Polish and prove every row of X whose `ok` is set, in doubled precision where the first proof fails."""
    vr, vi, accr, acci = np.empty(64), np.empty(64), np.empty(8), np.empty(8)
    LU, perm = np.empty((7, 7), dtype=np.complex128), np.empty(7, dtype=np.int64)
    er, ei, A = np.empty(8), np.empty(8), np.zeros((8, 7), dtype=np.complex128)
    for n in range(Xr.shape[0]):
        radius[n], unique[n], real[n] = -1.0, 0.0, -1
        if not ok[n]:
            continue
        charts[n] = rechart(Xr[n], Xi[n])
        keepr, keepi = Xr[n].copy(), Xi[n].copy()
        for double in (False, True):
            if radius[n] < 0.0:
                Xr[n], Xi[n] = keepr, keepi
            radius[n], unique[n], given = attempt(
                Qr, Qi, Xr[n], Xi[n], charts[n], double, A, vr, vi, LU, perm, accr, acci, er, ei
            )
            if radius[n] >= 0.0:
                real[n] = realness(Xr[n], Xi[n], radius[n] + given, unique[n])
                if real[n] >= 0 and radius[n] < min(1e-9, 0.05 * unique[n]):
                    break


@kernel
def separate(Xr, Xi, radius, charts, same):
    """same[n]: index of an earlier proved root whose ball meets that of n, or -1 if n is proved distinct.

    Seen in the chart of m, the ball of n has at most twice its radius times ``w_k / |x_k|^2`` (k the chart).
    """
    for n in range(Xr.shape[0]):
        same[n] = -1
        if radius[n] < 0.0:
            continue
        nq, ng = weights(Xr[n], Xi[n])
        for m in range(n):
            if radius[m] < 0.0:
                continue
            k = charts[m]
            zr, zi = Xr[n, k], Xi[n, k]
            d = zr * zr + zi * zi
            if d < 1e-24:
                continue
            mq, mg = weights(Xr[m], Xi[m])
            blow = 4.0 * radius[n] * (nq if k < 4 else ng) / d
            apart = False
            for b in range(8):
                ur = (Xr[n, b] * zr + Xi[n, b] * zi) / d - Xr[m, b]
                ui = (Xi[n, b] * zr - Xr[n, b] * zi) / d - Xi[m, b]
                reach = radius[m] * (mq if b < 4 else mg) + blow * (nq if b < 4 else ng)
                if ur * ur + ui * ui > reach * reach:
                    apart = True
                    break
            if not apart:
                same[n] = m
                break
