"""The seven conditions in doubled precision (pairs of doubles, about 31 digits), by error-free transformations.

With F known this well, the proof of a root is limited only by the rounding of the point itself, not by
cancellation in F: roots near infinity and roots a hair apart are still told apart.
"""

from __future__ import annotations

import numpy as np

from gough.kinematics.compiled import strict_kernel

SPLIT = 134217729.0  # 2^27 + 1


@strict_kernel
def product(a, b):
    """a b = p + e exactly (Dekker)."""
    p = a * b
    t = SPLIT * a
    ah = t - (t - a)
    al = a - ah
    t = SPLIT * b
    bh = t - (t - b)
    bl = b - bh
    return p, ((ah * bh - p) + ah * bl + al * bh) + al * bl


@strict_kernel
def add(a, ae, b, be):
    """(a + ae) + (b + be) as a pair."""
    s = a + b
    v = s - a
    e = (a - (s - v)) + (b - v) + ae + be
    h = s + e
    return h, e - (h - s)


@strict_kernel
def times(a, ae, b):
    """(a + ae) b as a pair."""
    p, e = product(a, b)
    e += ae * b
    h = p + e
    return h, e - (h - p)


@strict_kernel
def cross_product(ah, al, bh, bl, weight):
    """weight (ah + al)(bh + bl) as a pair; weight is a power of two."""
    p, e = product(ah, weight * bh)
    e += weight * (ah * bl + al * bh)
    h = p + e
    return h, e - (h - p)


@strict_kernel
def doubled(Qr, Qi, xr, xi, yr, yi, fr, fi):
    """``F_i = X^T Q_i X`` for i = 0..6 at ``X = x + y`` (y: low parts), rounded once; fr[7] = fi[7] = 0."""
    acc = np.zeros((7, 4))
    for a in range(8):
        for b in range(a, 8):
            weight = 1.0 if a == b else 2.0
            p, pe = cross_product(xr[a], yr[a], xr[b], yr[b], weight)
            q, qe = cross_product(xi[a], yi[a], xi[b], yi[b], -weight)
            re, ree = add(p, pe, q, qe)
            p, pe = cross_product(xr[a], yr[a], xi[b], yi[b], weight)
            q, qe = cross_product(xi[a], yi[a], xr[b], yr[b], weight)
            im, ime = add(p, pe, q, qe)
            for i in range(7):
                u, v = Qr[a, 8 * b + i], Qi[a, 8 * b + i]
                if u != 0.0:
                    s, e = times(re, ree, u)
                    acc[i, 0], acc[i, 1] = add(acc[i, 0], acc[i, 1], s, e)
                    s, e = times(im, ime, u)
                    acc[i, 2], acc[i, 3] = add(acc[i, 2], acc[i, 3], s, e)
                if v != 0.0:
                    s, e = times(im, ime, -v)
                    acc[i, 0], acc[i, 1] = add(acc[i, 0], acc[i, 1], s, e)
                    s, e = times(re, ree, v)
                    acc[i, 2], acc[i, 3] = add(acc[i, 2], acc[i, 3], s, e)
    for i in range(7):
        fr[i], fi[i] = acc[i, 0], acc[i, 2]
    fr[7] = fi[7] = 0.0


@strict_kernel
def shift(x, y, step):
    """``x + y += step`` kept as pairs of high and low parts."""
    for b in range(8):
        s = x[b] + step[b]
        v = s - x[b]
        low = (x[b] - (s - v)) + (step[b] - v) + y[b]
        x[b] = s + low
        y[b] = low - (x[b] - s)
