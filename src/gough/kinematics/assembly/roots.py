"""Which roots are the same, and are they closed under conjugation?  (compiled)

Roots are points X (8,) with X[chart] = 1 and a proved ball: one root within `radius`, no other within `unique`, in the
norm max |u_b|/w_b, w the largest coordinate of q for the first four, of g for the others.
"""

from __future__ import annotations

import numpy as np

from gough.kinematics.assembly.forms import MIRROR
from gough.kinematics.compiled import kernel

SHARP = 1e-9  # radius of a proof that needs no more digits
ROUNDING = 1e-14  # of X_b/z - Y_b relative to the weight of Y, where both are about the same


@kernel
def weights(X):
    """Largest |coordinate| of q and of g, the latter not taken below 1e-8 of the former."""
    wq = wg = 0.0
    for b in range(4):
        wq = max(wq, abs(X[b]))
        wg = max(wg, abs(X[b + 4]))
    return wq, wg + 1e-8 * wq


@kernel
def grown(X, chart, radius):
    """By how much the ball of X is larger in another chart: 4 radius wq/|z|^2 times w_b, z = X[chart]; -1 if that
    cannot be said.

    A point X + d of the ball, |d_b| <= radius w_b, is (X + d)/(z + d_chart) there, and lies
    |z d_b - X_b d_chart|/(|z| |z + d_chart|) <= 2 radius w_b wq/(|z| (|z| - radius wq)) from X/z, where |z| <= wq.
    """
    z, wq = abs(X[chart]), weights(X)[0]
    if not 2.0 * radius * wq < z:
        return -1.0
    return 4.0 * radius * wq / (z * z)


@kernel
def meets(X, Y, chart, blow, radius):
    """True if the ball of X, of radius `blow`, may meet that of Y in the chart of Y.

    A point of the ball of X has a coordinate of at least (1 - blow) wq beside one of at most |X[chart]| + blow wq:
    where points near Y are not so long, none of them is among those.  That is all that is known where the ball of X
    is too large for a bound in this chart.
    """
    z = X[chart]
    xq, xg = weights(X)
    yq, yg = weights(Y)
    if (1.0 - blow) * xq > (1.0 + radius) * yq * (abs(z) + blow * xq) * (1.0 + ROUNDING):
        return False
    wider = grown(X, chart, blow)
    if wider < 0.0:
        return True
    for b in range(8):
        u = X[b] / z - Y[b]
        reach = (radius + ROUNDING) * (yq if b < 4 else yg) + wider * (xq if b < 4 else xg)
        if u.real * u.real + u.imag * u.imag > reach * reach:
            return False
    return True


@kernel
def within(X, Y, chart, blow, radius):
    """True if the whole ball of X, of radius `blow`, lies within `radius` of Y in the chart of Y."""
    z = X[chart]
    xq, xg = weights(X)
    yq, yg = weights(Y)
    wider = grown(X, chart, blow)
    if wider < 0.0:
        return False
    for b in range(8):
        u = X[b] / z - Y[b]
        room = (radius - ROUNDING) * (yq if b < 4 else yg) - wider * (xq if b < 4 else xg)
        if not (room > 0.0 and u.real * u.real + u.imag * u.imag < room * room):
            return False
    return True


@kernel
def separate(X, radius, charts, same):
    """same[n]: index of an earlier proved root whose ball meets that of n, or -1 if n is proved distinct."""
    for n in range(X.shape[0]):
        same[n] = -1
        if radius[n] < 0.0:
            continue
        for m in range(n):
            if radius[m] >= 0.0 and meets(X[n], X[m], charts[m], radius[n], radius[m]):
                same[n] = m
                break


@kernel
def closed(X, radius, unique, real, charts, kept):
    """True if every root of `kept` that is not real has its conjugate among them, in a ball without another."""
    for n in range(X.shape[0]):
        if not kept[n] or real[n] == 1:
            continue
        found = False
        z = np.conj(X[n])
        for m in range(X.shape[0]):
            if kept[m] and real[m] != 1 and within(z, X[m], charts[m], radius[n], unique[m]):
                found = True
                break
        if not found:
            return False
    return True


@kernel
def reflect(X, radius, unique, real, charts, finite):
    """Second half of all arrays: the reflections of the first, whose proofs hold for them word by word."""
    half = X.shape[0] // 2
    for n in range(half):
        m = n + half
        sign = MIRROR[charts[n]]
        for b in range(8):
            X[m, b] = X[n, b] * (MIRROR[b] * sign)
        radius[m], unique[m], real[m], charts[m], finite[m] = (
            radius[n],
            unique[n],
            real[n],
            charts[n],
            finite[n],
        )


@kernel
def judge(X, radius, unique, real, charts, finite, same, halved):
    """Number of proved, finite, distinct roots of one problem; negative if some are neither proved real nor proved
    complex, or not sharply proved, or if they are not closed under conjugation."""
    if halved:
        reflect(X, radius, unique, real, charts, finite)
    separate(X, radius, charts, same)
    kept = finite & (radius >= 0.0) & (same < 0)
    count = 0
    sound = True
    for n in range(X.shape[0]):
        if kept[n]:
            count += 1
            sound = sound and real[n] >= 0 and radius[n] < SHARP
    if sound and closed(X, radius, unique, real, charts, kept):
        return count
    return -count
