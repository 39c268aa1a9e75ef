"""Is a path free of singularities?  For legs whose determinant is no polynomial: sliders and cranks (compiled).

On an interval of the path around u every strut S(u) and arm q(u) is known to within how fast it can move,

    |P'| <= |t'| + w |p|,   |q'| <= w |q|         P = t + R p - base, w = 2 |v|/h the platform's rate of turn
    strut   |S'| = |P'|
    slider  |S'| <= |P'| sqrt(1 + |Pn|^2/d),      d = length^2 - |Pn|^2,   Pn = P across the rail
    crank   |S'| <= |P'| (1 + rho length/sqrt(d)),      d = N^2 - D^2   (gough/struts.py)

(S follows from S.S' = 0: S' = P' - c' (S.P')/(S.c'), |S.c'| = sqrt(d), where the leg's own singularity is d = 0.)
With the rows M = (S, q x S) at the middle and A close to their inverse, ``|M A - E| + |dM A| < 1`` proves every matrix
of the interval regular, of the sign of det M.  Otherwise the interval is halved.  Rounding is part of dM.
"""

from __future__ import annotations

import numpy as np

from gough.kinematics.bernstein import determinant6
from gough.kinematics.certificate import invert6
from gough.kinematics.compiled import kernel
from gough.kinematics.forward_kernel import BASE, JOINT, KIND, LENGTH, RHO, SIGN, E, H, N, U
from gough.struts import SLIDER, STRUT

EPS = 2.3e-16
FINEST = 2.0**-30  # of the path: where the determinant is not decided there, it is zero
MOST, MOST_OPEN = (
    20_000,
    400,
)  # intervals looked at, and of the finest ones left open, before a path is given up
ROUND = 1e-13  # of |M| |A|: elimination and products of 6x6 matrices


@kernel
def strut_at(row, P, half, speed, far, S):
    """S of a leg whose platform joint is P (from its base point), and how far it may be off in the interval; -1 if
    the leg is not proved to reach all of it, on its own branch."""
    slip = 16.0 * EPS * far
    if row[KIND] == STRUT:
        S[0], S[1], S[2] = P[0], P[1], P[2]
        return half * speed + slip
    PP = P[0] * P[0] + P[1] * P[1] + P[2] * P[2]
    along = row[E] * P[0] + row[E + 1] * P[1] + row[E + 2] * P[2]
    L, reach = row[LENGTH], half * speed
    if row[KIND] == SLIDER:
        across = np.sqrt(max(PP - along * along, 0.0))
        d = L * L - PP + along * along
        wrong = 16.0 * EPS * (L * L + PP) + 2.0 * across * slip
        low = d - 2.0 * reach * (across + reach) - wrong
        if not low > 0.0:
            return -1.0
        root = row[SIGN] * np.sqrt(d)
        for k in range(3):
            S[k] = P[k] + (root - along) * row[E + k]
        return reach * np.sqrt(1.0 + (across + reach) ** 2 / low) + slip + wrong / np.sqrt(low)
    a = P[0] * row[U] + P[1] * row[U + 1] + P[2] * row[U + 2]
    b = P[0] * row[N] + P[1] * row[N + 1] + P[2] * row[N + 2]
    h, rho = row[H], row[RHO]
    sizes = PP + h * h + rho * rho + L * L
    D = 0.5 * (PP + h * h + rho * rho - L * L) - h * along
    N2 = a * a + b * b
    d = N2 - D * D
    arm = np.sqrt(max(PP - 2.0 * h * along + h * h, 0.0)) + reach
    lever = rho * (np.sqrt(N2) + rho * reach)
    wrong = 32.0 * EPS * (N2 + sizes * sizes) + 2.0 * (lever + (abs(D) + sizes) * arm) * slip
    low = d - 2.0 * reach * (lever + (abs(D) + reach * arm) * arm) - wrong
    if not low > 0.0:
        return -1.0
    X = row[SIGN] * np.sqrt(d)
    cosine, sine = (a * D - b * X) / N2, (b * D + a * X) / N2
    for k in range(3):
        S[k] = P[k] - h * row[E + k] - cosine * row[U + k] - sine * row[N + k]
    slow = 1.0 + rho * L / np.sqrt(low)
    return (reach + slip) * slow + rho * wrong / np.sqrt(low * N2)


@kernel
def sign_on(table, middle, t0, dt, q0, dq, turn, u, half, size, M, A, W, q, P, S):
    """Sign of the determinant, proved for all of [u - half, u + half]; 0 if not proved, -2 if a leg may not reach.

    turn: |v| of the path's rotation;  middle (3,): where moments are taken, platform axes (the determinant is free
    of it).
    """
    w, x, y, z = q0[0] + u * dq[0], q0[1] + u * dq[1], q0[2] + u * dq[2], q0[3] + u * dq[3]
    h = w * w + x * x + y * y + z * z
    least = min(max(0.5, u - half), u + half) - u  # |Q|^2 is least halfway
    hl = 0.0
    for k in range(4):
        hl += (q0[k] + (u + least) * dq[k]) ** 2
    rate = 2.0 * turn / hl
    shift = np.sqrt(dt[0] ** 2 + dt[1] ** 2 + dt[2] ** 2)
    t = (t0[0] + u * dt[0], t0[1] + u * dt[1], t0[2] + u * dt[2])
    away = abs(t[0]) + abs(t[1]) + abs(t[2])
    for i in range(6):
        arm = pull = foot = 0.0
        for k in range(2):  # joint from the reference point, then from the middle
            p0, p1, p2 = (table[i, JOINT] - k * middle[0], table[i, JOINT + 1] - k * middle[1],
                          table[i, JOINT + 2] - k * middle[2])  # fmt: skip
            a0, a1, a2 = (
                w * p0 + y * p2 - z * p1,
                w * p1 + z * p0 - x * p2,
                w * p2 + x * p1 - y * p0,
            )
            e = x * p0 + y * p1 + z * p2
            q[0] = (w * a0 + y * a2 - z * a1 + e * x) / h
            q[1] = (w * a1 + z * a0 - x * a2 + e * y) / h
            q[2] = (w * a2 + x * a1 - y * a0 + e * z) / h
            if k == 0:
                arm = np.sqrt(p0 * p0 + p1 * p1 + p2 * p2)
                for m in range(3):
                    P[m] = t[m] + q[m] - table[i, BASE + m]
                    foot += abs(table[i, BASE + m])
            else:
                pull = np.sqrt(p0 * p0 + p1 * p1 + p2 * p2)
        far = away + foot + arm
        off = strut_at(table[i], P, half, shift + rate * arm, far, S)
        if off < 0.0:
            return -2
        long = np.sqrt(S[0] * S[0] + S[1] * S[1] + S[2] * S[2])
        M[i, 0], M[i, 1], M[i, 2] = S[0] / size, S[1] / size, S[2] / size
        M[i, 3] = (q[1] * S[2] - q[2] * S[1]) / (size * size)
        M[i, 4] = (q[2] * S[0] - q[0] * S[2]) / (size * size)
        M[i, 5] = (q[0] * S[1] - q[1] * S[0]) / (size * size)
        W[i, 0] = off / size
        W[i, 1] = ((half * rate + 16.0 * EPS) * pull * (long + off) + pull * off) / (size * size)
        W[i, 1] += 16.0 * EPS * arm * long / (size * size)
    return proved_sign(M, A, W)


@kernel
def proved_sign(M, A, W):
    """Sign of det of every matrix whose rows are within W (6, 2: force and moment part) of those of M, or 0."""
    keep = M.copy()
    force = moment = 0.0
    for i in range(6):
        for k in range(3):
            force, moment = max(force, abs(M[i, k])), max(moment, abs(M[i, 3 + k]))
    if not invert6(M, force, moment, A):
        return 0
    top = bottom = whole = error = spread = 0.0
    for j in range(6):
        for k in range(3):
            top += A[k, j] ** 2
            bottom += A[3 + k, j] ** 2
    for i in range(6):
        for j in range(6):
            value = -1.0 if i == j else 0.0
            for k in range(6):
                value += keep[i, k] * A[k, j]
            error += value * value
            whole += keep[i, j] ** 2
        spread += (W[i, 0] * np.sqrt(top) + W[i, 1] * np.sqrt(bottom)) ** 2
    total = np.sqrt(error) + np.sqrt(spread) + ROUND * np.sqrt(whole * (top + bottom))
    if not total < 1.0:
        return 0
    return 1 if determinant6(keep) > 0.0 else -1


@kernel
def judge(table, middle, t, dt, q, dq, turn, size, out):
    """out (N, 3) for each path: proved regular, proved change of sign, first place that is neither (NaN: none)."""
    M, A, W = np.empty((6, 6)), np.empty((6, 6)), np.empty((6, 2))
    arm, P, S = np.empty(3), np.empty(3), np.empty(3)
    low, width = np.empty(64), np.empty(64)
    for n in range(t.shape[0]):
        out[n, 0], out[n, 1], out[n, 2] = 1.0, 0.0, np.nan
        low[0], width[0], top, sign, looked, left_open = 0.0, 1.0, 1, 0, 0, 0
        while top > 0:
            top -= 1
            looked += 1
            half = 0.5 * width[top]
            here = sign_on(
                table, middle, t[n], dt[n], q[n], dq[n], turn[n], low[top] + half, half, size,
                M, A, W, arm, P, S,
            )  # fmt: skip
            if abs(here) == 1:
                if here * sign < 0:
                    out[n, 0], out[n, 1] = 0.0, 1.0
                    out[n, 2] = low[top] if np.isnan(out[n, 2]) else out[n, 2]
                    break
                sign = here
            elif width[top] <= FINEST:
                out[n, 0] = 0.0
                out[n, 2] = low[top] if np.isnan(out[n, 2]) else out[n, 2]
                left_open += 1
                if here == -2 or left_open > MOST_OPEN:
                    break
            else:
                width[top] = half
                width[top + 1], low[top + 1] = half, low[top]
                low[top] += half  # the left half is looked at first: it lies on top
                top += 2
            if looked > MOST:
                out[n, 0] = 0.0
                out[n, 2] = low[max(top - 1, 0)] if np.isnan(out[n, 2]) else out[n, 2]
                break
