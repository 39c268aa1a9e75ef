"""Compiled path tracker: the solutions of six moving linear conditions on the Study quadric.

    F_i(X, s) = X^T (S_i + s D_i) X = 0,  i = 0..5 legs, 6 Study;   one coordinate of X held at 1 (chart)

F is quadratic in X and linear in s, so each Taylor coefficient of the path X(s) costs one back-substitution
with the same 7x7 factors.  Predictor: Taylor to order ORDER with one pole common to all coordinates
(Pade [ORDER-1/1]); corrector: one Newton and one chord step.  Layout of S, D: forms.lanes, real and imaginary
parts apart, so that the inner loops run over 64 contiguous numbers.
"""

from __future__ import annotations

import numpy as np

from gough.kinematics.assembly.doubled import doubled
from gough.kinematics.compiled import kernel

ORDER = 5
REACHED, STUCK, LONG, INFINITE = 0, 1, 2, 3


@kernel
def matvec(Mr, Mi, xr, xi, outr, outi):
    """``out[m] = sum_a M[a, m] x[a]``, m = 0..63."""
    x0, x1, x2, x3, x4, x5, x6, x7 = xr[0], xr[1], xr[2], xr[3], xr[4], xr[5], xr[6], xr[7]
    y0, y1, y2, y3, y4, y5, y6, y7 = xi[0], xi[1], xi[2], xi[3], xi[4], xi[5], xi[6], xi[7]
    for m in range(64):
        outr[m] = (
            Mr[0, m] * x0
            - Mi[0, m] * y0
            + Mr[1, m] * x1
            - Mi[1, m] * y1
            + Mr[2, m] * x2
            - Mi[2, m] * y2
            + Mr[3, m] * x3
            - Mi[3, m] * y3
            + Mr[4, m] * x4
            - Mi[4, m] * y4
            + Mr[5, m] * x5
            - Mi[5, m] * y5
            + Mr[6, m] * x6
            - Mi[6, m] * y6
            + Mr[7, m] * x7
            - Mi[7, m] * y7
        )
    for m in range(64):
        outi[m] = (
            Mr[0, m] * y0
            + Mi[0, m] * x0
            + Mr[1, m] * y1
            + Mi[1, m] * x1
            + Mr[2, m] * y2
            + Mi[2, m] * x2
            + Mr[3, m] * y3
            + Mi[3, m] * x3
            + Mr[4, m] * y4
            + Mi[4, m] * x4
            + Mr[5, m] * y5
            + Mi[5, m] * x5
            + Mr[6, m] * y6
            + Mi[6, m] * x6
            + Mr[7, m] * y7
            + Mi[7, m] * x7
        )


@kernel
def bilinear(xr, xi, vr, vi, weight, accr, acci):
    """``acc[lane] += weight * sum_b x[b] v[8 b + lane]``."""
    for lane in range(8):
        re = im = 0.0
        for b in range(8):
            p, q = vr[8 * b + lane], vi[8 * b + lane]
            re += xr[b] * p - xi[b] * q
            im += xr[b] * q + xi[b] * p
        accr[lane] += weight * re
        acci[lane] += weight * im


@kernel
def section(Sr, Si, Dr, Di, s, Qr, Qi):
    """``Q = S + s D``."""
    for a in range(8):
        for m in range(64):
            Qr[a, m] = Sr[a, m] + s * Dr[a, m]
            Qi[a, m] = Si[a, m] + s * Di[a, m]


@kernel
def factor(vr, vi, chart, LU, perm):
    """LU of the 7x7 Jacobian ``2 v`` without the chart's column; False if singular to round-off."""
    for lane in range(7):
        col = 0
        for b in range(8):
            if b != chart:
                LU[lane, col] = complex(2.0 * vr[8 * b + lane], 2.0 * vi[8 * b + lane])
                col += 1
        perm[lane] = lane
    for k in range(7):
        best, pivot = -1.0, k
        for i in range(k, 7):
            z = LU[i, k]
            size = z.real * z.real + z.imag * z.imag
            if size > best:
                best, pivot = size, i
        if not best > 1e-40:
            return False
        if pivot != k:
            perm[k], perm[pivot] = perm[pivot], perm[k]
            for j in range(7):
                LU[k, j], LU[pivot, j] = LU[pivot, j], LU[k, j]
        z = LU[k, k]
        inv = complex(z.real / best, -z.imag / best)
        LU[k, k] = inv
        for i in range(k + 1, 7):
            f = LU[i, k] * inv
            LU[i, k] = f
            for j in range(k + 1, 7):
                LU[i, j] -= f * LU[k, j]
    return True


@kernel
def resolve(LU, perm, accr, acci, chart, outr, outi):
    """Solve ``J out = -acc`` with the factors; the chart's component of out is zero."""
    w = np.empty(7, dtype=np.complex128)
    for i in range(7):
        z = complex(-accr[perm[i]], -acci[perm[i]])
        for j in range(i):
            z -= LU[i, j] * w[j]
        w[i] = z
    for i in range(6, -1, -1):
        z = w[i]
        for j in range(i + 1, 7):
            z -= LU[i, j] * w[j]
        w[i] = z * LU[i, i]
    col = 0
    for b in range(8):
        if b == chart:
            outr[b] = outi[b] = 0.0
        else:
            outr[b], outi[b] = w[col].real, w[col].imag
            col += 1


@kernel
def square(xr, xi):
    """``sum |x|^2``."""
    total = 0.0
    for b in range(8):
        total += xr[b] * xr[b] + xi[b] * xi[b]
    return total


@kernel
def relative(er, ei, xr, xi):
    """``|e_q|^2/|q|^2 + |e_g|^2/|g|^2``: far poses have a small q beside g, and need their own measure."""
    a = b = c = d = 0.0
    for k in range(4):
        a += er[k] * er[k] + ei[k] * ei[k]
        b += xr[k] * xr[k] + xi[k] * xi[k]
        c += er[k + 4] * er[k + 4] + ei[k + 4] * ei[k + 4]
        d += xr[k + 4] * xr[k + 4] + xi[k + 4] * xi[k + 4]
    floor = 1e-16 * (b + d)
    return a / (b + floor) + c / (d + floor)


@kernel
def rechart(xr, xi):
    """Scale X so that its largest coordinate is 1; that coordinate is the chart."""
    best, chart = -1.0, 0
    for b in range(8):
        size = xr[b] * xr[b] + xi[b] * xi[b]
        if size > best:
            best, chart = size, b
    zr, zi = xr[chart] / best, -xi[chart] / best
    for b in range(8):
        xr[b], xi[b] = xr[b] * zr - xi[b] * zi, xr[b] * zi + xi[b] * zr
    xr[chart], xi[chart] = 1.0, 0.0
    return chart


@kernel
def series(Qr, Qi, Dr, Di, chart, Tr, Ti, QXr, QXi, DXr, DXi, LU, perm, accr, acci):
    """Taylor coefficients T[1..ORDER] of the path at T[0]; False if singular."""
    matvec(Qr, Qi, Tr[0], Ti[0], QXr[0], QXi[0])
    if not factor(QXr[0], QXi[0], chart, LU, perm):
        return False
    for k in range(1, ORDER + 1):
        if k > 1:
            matvec(Qr, Qi, Tr[k - 1], Ti[k - 1], QXr[k - 1], QXi[k - 1])
        matvec(Dr, Di, Tr[k - 1], Ti[k - 1], DXr[k - 1], DXi[k - 1])
        accr[:] = 0.0
        acci[:] = 0.0
        j = 1
        while 2 * j <= k:
            bilinear(Tr[j], Ti[j], QXr[k - j], QXi[k - j], 1.0 if 2 * j == k else 2.0, accr, acci)
            j += 1
        j = 0
        while 2 * j <= k - 1:
            m = k - 1 - j
            bilinear(Tr[j], Ti[j], DXr[m], DXi[m], 1.0 if m == j else 2.0, accr, acci)
            j += 1
        resolve(LU, perm, accr, acci, chart, Tr[k], Ti[k])
    return True


@kernel
def predict(Tr, Ti, tolerance, room, fraction, xr, xi):
    """Pade [ORDER-1/1] with a common pole; returns the step taken (at most `room`), X there in x."""
    K = ORDER
    wq = wg = 0.0
    for b in range(4):
        wq += Tr[0, b] ** 2 + Ti[0, b] ** 2
        wg += Tr[0, b + 4] ** 2 + Ti[0, b + 4] ** 2
    floor = 1e-16 * (wq + wg)
    wq, wg = 1.0 / (wq + floor), 1.0 / (wg + floor)
    den = tr = ti = 0.0
    for b in range(8):
        w = wq if b < 4 else wg
        den += w * (Tr[K - 1, b] ** 2 + Ti[K - 1, b] ** 2)
        tr += w * (Tr[K - 1, b] * Tr[K, b] + Ti[K - 1, b] * Ti[K, b])
        ti += w * (Tr[K - 1, b] * Ti[K, b] - Ti[K - 1, b] * Tr[K, b])
    if den > 0.0:
        tr, ti = tr / den, ti / den
    rest = 0.0
    for b in range(8):
        re = Tr[K, b] - (tr * Tr[K - 1, b] - ti * Ti[K - 1, b])
        im = Ti[K, b] - (tr * Ti[K - 1, b] + ti * Tr[K - 1, b])
        rest += (wq if b < 4 else wg) * (re * re + im * im)
    pole = np.sqrt(tr * tr + ti * ti)
    rest = np.sqrt(rest)
    step = room
    if rest > 0.0:
        step = min(step, (tolerance / rest) ** (1.0 / K))
    if pole > 0.0:
        step = min(step, fraction / pole)
    for b in range(8):  # Horner on c_k = x_k - tau x_(k-1), k = K-1..0
        re = im = 0.0
        for k in range(K - 1, -1, -1):
            cr, ci = Tr[k, b], Ti[k, b]
            if k > 0:
                cr -= tr * Tr[k - 1, b] - ti * Ti[k - 1, b]
                ci -= tr * Ti[k - 1, b] + ti * Tr[k - 1, b]
            re, im = re * step + cr, im * step + ci
        dr, di = 1.0 - tr * step, -ti * step
        d = dr * dr + di * di
        xr[b], xi[b] = (re * dr + im * di) / d, (im * dr - re * di) / d
    return step


@kernel
def correct(Qr, Qi, chart, limit, double, xr, xi, vr, vi, LU, perm, accr, acci, er, ei):
    """One Newton and one chord step in place (two if `double`); True if all are small and shrink."""
    first = 0.0
    yr, yi = np.zeros(8), np.zeros(8)
    for turn in range(3 if double else 2):
        if turn == 0 or not double:
            matvec(Qr, Qi, xr, xi, vr, vi)
        if turn == 0 and not factor(vr, vi, chart, LU, perm):
            return False
        if double:
            doubled(Qr, Qi, xr, xi, yr, yi, accr, acci)
        else:
            accr[:] = 0.0
            acci[:] = 0.0
            bilinear(xr, xi, vr, vi, 1.0, accr, acci)
        resolve(LU, perm, accr, acci, chart, er, ei)
        error = relative(er, ei, xr, xi)
        if not error <= limit * limit:
            return False
        if turn == 0:
            first = error
        elif error > 1e-3 * first and error > 1e-16:
            return False
        for b in range(8):
            xr[b] += er[b]
            xi[b] += ei[b]
    return True


@kernel
def track_paths(
    Sr, Si, Dr, Di, Xr, Xi, tolerance, fraction, most, double, infinity, status, reach, steps
):
    """Track the rows of X from s = 0 to 1 in place; status, reached s and number of steps of each.

    A path with |h| < infinity |X|^2 while 1 - s < 0.01 is given up as one that leaves for h = 0.
    """
    Tr, Ti = np.empty((ORDER + 1, 8)), np.empty((ORDER + 1, 8))
    QXr, QXi, DXr, DXi = np.empty((5, 64)), np.empty((5, 64)), np.empty((5, 64)), np.empty((5, 64))
    Qr, Qi, Nr, Ni = np.empty((8, 64)), np.empty((8, 64)), np.empty((8, 64)), np.empty((8, 64))
    LU, perm = np.empty((7, 7), dtype=np.complex128), np.empty(7, dtype=np.int64)
    accr, acci, xr, xi, er, ei = (
        np.empty(8),
        np.empty(8),
        np.empty(8),
        np.empty(8),
        np.empty(8),
        np.empty(8),
    )
    for n in range(Xr.shape[0]):
        Tr[0], Ti[0] = Xr[n], Xi[n]
        chart = rechart(Tr[0], Ti[0])
        s, shrink, count, state = 0.0, 1.0, 0, LONG
        section(Sr, Si, Dr, Di, 0.0, Qr, Qi)
        while count < most:
            count += 1
            if not series(Qr, Qi, Dr, Di, chart, Tr, Ti, QXr, QXi, DXr, DXi, LU, perm, accr, acci):
                state = STUCK
                break
            done, step = False, 0.0
            while shrink > 1e-6:
                step = predict(
                    Tr, Ti, tolerance * shrink**ORDER, 1.0 - s, fraction * shrink, xr, xi
                )
                if step < 1e-13:
                    break
                section(Sr, Si, Dr, Di, s + step, Nr, Ni)
                if correct(
                    Nr,
                    Ni,
                    chart,
                    20.0 * tolerance + 1e-9,
                    double,
                    xr,
                    xi,
                    QXr[0],
                    QXi[0],
                    LU,
                    perm,
                    accr,
                    acci,
                    er,
                    ei,
                ):
                    done = True
                    break
                shrink *= 0.5
            if not done:
                state = STUCK
                break
            s = 1.0 if step >= 1.0 - s else s + step
            shrink = min(1.0, 2.0 * shrink)
            Tr[0], Ti[0] = xr, xi
            Qr, Qi, Nr, Ni = Nr, Ni, Qr, Qi
            chart = rechart(Tr[0], Ti[0])
            if s == 1.0:
                state = REACHED
                break
            if 1.0 - s < 1e-2:
                hr = hi = 0.0
                for b in range(4):
                    hr += Tr[0, b] ** 2 - Ti[0, b] ** 2
                    hi += 2.0 * Tr[0, b] * Ti[0, b]
                if np.sqrt(hr * hr + hi * hi) < infinity * square(Tr[0], Ti[0]):
                    state = INFINITE
                    break
        Xr[n], Xi[n] = Tr[0], Ti[0]
        status[n], reach[n], steps[n] = state, s, count
