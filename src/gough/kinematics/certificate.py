"""Branch certificate: the new pose belongs to the legs' motion since the last one, and to no other branch.

Local coordinates z = (a, g) about the pose halfway between the two: rotation quaternion proportional to (1, a),
dual part (-a.g, g) after the Study condition, moved to the centroid o of the platform joints.  With, at the
halfway pose, q joint and B sphere center from o, S = q - B, each leg says  (docs/forward-kinematics.md)

    G = c h + g.S + a.(q x S) + N(z) = 0,    h = 1 + a.a,    4 c = |S|^2 - l^2
    N = g.g + (a x B).(a x q) - (a x g).(q + B) + (a.g)(a.S) + (a.g)^2

exactly.  With the 6x6 inverse A of the linear part, ``T(z) = z - A G(z)`` maps the ball |a|, |g|/rho <= r into
itself and contracts it for *every* leg position in a box when

    eta + psi(r) <= r   and   phi(r) < 1        (eta: A c over the box, phi: Lipschitz bound of A (c h + N))

Then (Banach) each leg position in the box has exactly one pose in the ball, it depends continuously on the legs,
and the Jacobian is regular in the whole ball.  If the old and the new pose both lie in the ball, they are joined
without singularity by any motion of the legs within the box.  A slider or crank that moves its center by d
(|d| <= W) adds h(|d|^2 - 2 d.P)/4, bounded alike.  The box: each leg between its two samples, and beyond them by
`WIDEN` times the largest change of any leg, or by `beyond` where that is more; legs that turn back or overshoot between
the samples stay inside.  A motion that crosses a singularity turns its legs back there, and their change between two
samples may vanish just then: `beyond` must not come from this step alone (`forward.excursions`).
"""

from __future__ import annotations

import numpy as np

from gough.kinematics.compiled import kernel
from gough.kinematics.forward_kernel import (
    JOINT,
    KIND,
    RHO,
    R,
    T,
    W,
    coordinates,
    move,
    orthonormalize,
    platform_joint,
    reduce_legs,
)
from gough.layout import CERTIFICATE as ROW
from gough.struts import CRANK, STRUT

WIDEN = 0.25
Q, B, S, SIZE, SUMS, SQUARES, SHIFTS, E, F, F_RHO, G, G_RHO, PRODUCTS = (
    ROW.at(name) for name in ROW.names
)
ROUND = 1e-13  # relative slack for the rounding of every bound below, far above 6 x 2^-52 x growth


@kernel
def invert6(M, spin, push, A):
    """Gauss-Jordan with partial pivoting: A = M^-1, M is overwritten; False if singular to round-off.

    spin, push: largest entries of the first three and of the last three columns (they differ in unit).
    """
    A[:] = 0.0
    for k in range(6):
        A[k, k] = 1.0
    for k in range(6):
        pivot, best = k, abs(M[k, k])
        for i in range(k + 1, 6):
            if abs(M[i, k]) > best:
                pivot, best = i, abs(M[i, k])
        if not best > 1e-14 * (spin if k < 3 else push):
            return False
        if pivot != k:
            for j in range(6):
                M[k, j], M[pivot, j] = M[pivot, j], M[k, j]
                A[k, j], A[pivot, j] = A[pivot, j], A[k, j]
        d = 1.0 / M[k, k]
        for j in range(6):
            M[k, j] *= d
            A[k, j] *= d
        for i in range(6):
            if i != k:
                f = M[i, k]
                for j in range(6):
                    M[i, j] -= f * M[k, j]
                    A[i, j] -= f * A[k, j]
    return True


@kernel
def local_geometry(table, pose, c, w):
    """q, B, S of every leg from the joints' centroid o, and |S|."""
    o0 = o1 = o2 = 0.0
    for i in range(6):
        w[i, Q], w[i, Q + 1], w[i, Q + 2] = platform_joint(table, pose, i)
        o0 += w[i, Q] / 6.0
        o1 += w[i, Q + 1] / 6.0
        o2 += w[i, Q + 2] / 6.0
    for i in range(6):
        w[i, Q] -= o0
        w[i, Q + 1] -= o1
        w[i, Q + 2] -= o2
        w[i, B] = c[i, 0] - pose[T] - o0
        w[i, B + 1] = c[i, 1] - pose[T + 1] - o1
        w[i, B + 2] = c[i, 2] - pose[T + 2] - o2
        for k in range(3):  # S = q - B
            w[i, S + k] = w[i, Q + k] - w[i, B + k]
        w[i, SIZE] = np.sqrt(w[i, S] ** 2 + w[i, S + 1] ** 2 + w[i, S + 2] ** 2)


@kernel
def bounds(w, A):
    """Per row of A the norms of its combinations of 1, of (a x B).(a x q), and of q + B."""
    p = PRODUCTS
    for j in range(6):  # the symmetric matrix of (a x B).(a x q), then q + B
        q0, q1, q2, b0, b1, b2 = (
            w[j, Q],
            w[j, Q + 1],
            w[j, Q + 2],
            w[j, B],
            w[j, B + 1],
            w[j, B + 2],
        )
        w[j, p], w[j, p + 1], w[j, p + 2] = q1 * b1 + q2 * b2, q0 * b0 + q2 * b2, q0 * b0 + q1 * b1
        w[j, p + 3] = -0.5 * (q0 * b1 + q1 * b0)
        w[j, p + 4] = -0.5 * (q0 * b2 + q2 * b0)
        w[j, p + 5] = -0.5 * (q1 * b2 + q2 * b1)
        w[j, p + 6], w[j, p + 7], w[j, p + 8] = q0 + b0, q1 + b1, q2 + b2
    for k in range(6):
        sigma = w0 = w1 = w2 = m00 = m11 = m22 = m01 = m02 = m12 = 0.0
        for j in range(6):
            a = A[k, j]
            sigma += a
            m00 += a * w[j, p]
            m11 += a * w[j, p + 1]
            m22 += a * w[j, p + 2]
            m01 += a * w[j, p + 3]
            m02 += a * w[j, p + 4]
            m12 += a * w[j, p + 5]
            w0 += a * w[j, p + 6]
            w1 += a * w[j, p + 7]
            w2 += a * w[j, p + 8]
        w[k, SUMS] = abs(sigma)
        w[k, SQUARES] = np.sqrt(
            m00 * m00 + m11 * m11 + m22 * m22 + 2.0 * (m01 * m01 + m02 * m02 + m12 * m12)
        )
        w[k, SHIFTS] = np.sqrt(w0 * w0 + w1 * w1 + w2 * w2)


@kernel
def lipschitz(w, rho, r):
    """(psi, phi) at r: bounds of |A (c (h-1) + N)| and of its derivative, moving centers included."""
    psi = phi = 0.0
    for block in range(2):
        s = t = 0.0
        for k in range(3 * block, 3 * block + 3):
            first = w[k, F] + rho * w[k, F_RHO]
            one = (
                2.0 * (rho * rho * w[k, SUMS] + w[k, SQUARES] + rho * w[k, SHIFTS] + w[k, E])
                + w[k, G]
                + rho * w[k, G_RHO]
            )
            two = (
                3.0 * rho if block == 1 else 0.0
            )  # sum_j A_kj S_j is a unit vector or zero: A L = E
            three = 4.0 * rho * rho * w[k, SUMS]
            d = first + r * (one + r * (two + r * three))
            v = r * (first + r * (one / 2.0 + r * (two / 3.0 + r * three / 4.0)))
            s += d * d
            t += v * v
        scale = 1.0 / rho if block == 1 else 1.0
        phi = max(phi, scale * np.sqrt(s))
        psi = max(psi, scale * np.sqrt(t))
    return psi * (1.0 + ROUND), phi * (1.0 + ROUND)


@kernel
def turn_between(pose, new):
    """Trace of the rotation from `pose` to `new`, and its vector a of the quaternion (1, a)."""
    trace, t0, t1, t2 = 0.0, 0.0, 0.0, 0.0
    for k in range(3):
        p0, p1, p2 = pose[R + k], pose[R + 3 + k], pose[R + 6 + k]
        n0, n1, n2 = new[R + k], new[R + 3 + k], new[R + 6 + k]
        trace += n0 * p0 + n1 * p1 + n2 * p2
        t0 += n2 * p1 - n1 * p2
        t1 += n0 * p2 - n2 * p0
        t2 += n1 * p0 - n0 * p1
    d = 1.0 / (1.0 + trace)
    return trace, t0 * d, t1 * d, t2 * d


@kernel
def halfway(pose, new, step, mid):
    """`mid`: position and rotation half of the way from `pose` to `new`; False beyond a third of a turn.  step (6,)"""
    trace, a0, a1, a2 = turn_between(pose, new)
    if not trace > 0.0:
        return False
    half = 2.0 / (1.0 + np.sqrt(1.0 + a0 * a0 + a1 * a1 + a2 * a2))
    for k in range(3):
        step[k] = 0.5 * (new[k] - pose[k])
    step[W], step[W + 1], step[W + 2] = half * a0, half * a1, half * a2
    move(pose, step, 1.0, 1.0, mid)
    orthonormalize(mid)
    return True


@kernel
def box(table, lam0, lam1, lamc, margin, beyond, width):
    """Half-widths (m) of the box around lamc that holds both samples, widened."""
    far = 0.0
    for i in range(6):
        d0, d1, d = lam0[i] - lamc[i], lam1[i] - lamc[i], lam1[i] - lam0[i]
        if table[i, KIND] == CRANK:
            turn = 2.0 * np.pi
            d0 -= turn * np.round(d0 / turn)
            d1 -= turn * np.round(d1 / turn)
            d -= turn * np.round(d / turn)
        width[i] = max(abs(d0), abs(d1)) * table[i, RHO]
        far = max(far, abs(d) * table[i, RHO])
    for i in range(6):
        width[i] += max(WIDEN * far, beyond[i]) + margin


@kernel
def certify(table, pose, lam0, lam1, new, margin, beyond, w, M, A, width, mid, lam, c):
    """True if `pose` (at lam0) and `new` (at lam1) are proved to be joined, for the whole box of legs.

    Room: w (6, ROW.size), M, A (6, 6) linear part and its inverse, width (6,) of the box, mid, lam, c halfway.
    """
    if not halfway(pose, new, width, mid):
        return False
    if not (coordinates(table, mid, lam) and reduce_legs(table, lam, c, width)):
        return False
    box(table, lam0, lam1, lam, margin, beyond, width)
    local_geometry(table, mid, c, w)
    spin = push = 0.0
    for i in range(6):  # rows (q x S, S)
        M[i, 0] = w[i, Q + 1] * w[i, S + 2] - w[i, Q + 2] * w[i, S + 1]
        M[i, 1] = w[i, Q + 2] * w[i, S] - w[i, Q] * w[i, S + 2]
        M[i, 2] = w[i, Q] * w[i, S + 1] - w[i, Q + 1] * w[i, S]
        for k in range(3):
            M[i, 3 + k] = w[i, S + k]
            spin = max(spin, abs(M[i, k]))
            push = max(push, abs(M[i, 3 + k]))
    if not invert6(M, spin, push, A):
        return False
    bounds(w, A)
    gather(table, A, width, spin, push, w)
    turn = np.sqrt(w[0, E] ** 2 + w[1, E] ** 2 + w[2, E] ** 2)
    shift = np.sqrt(w[3, E] ** 2 + w[4, E] ** 2 + w[5, E] ** 2)
    rho = shift / turn  # both blocks use their share of the ball
    r = 1.2 * turn  # small steps are proved at once
    for _ in range(12):
        psi, phi = lipschitz(w, rho, r)
        if not (phi < 0.999 and r < 0.5):
            return False
        if turn + psi <= r:
            return inside(table, mid, pose, rho, r) and inside(table, mid, new, rho, r)
        r = (turn + psi) * 1.001
    return False


@kernel
def gather(table, A, width, spin, push, w):
    """E: |A| |c| over the box, and the rounding of S from its parts q and B; F, G: Lipschitz terms of moving
    centers, of orders 1 and rho."""
    for k in range(6):
        w[k, E] = w[k, F] = w[k, F_RHO] = w[k, G] = w[k, G_RHO] = 0.0
    for j in range(6):
        D, l = width[j], w[j, SIZE]
        far = abs(w[j, Q]) + abs(w[j, Q + 1]) + abs(w[j, Q + 2])
        far += abs(w[j, B]) + abs(w[j, B + 1]) + abs(w[j, B + 2])
        slack = (2.0 * l * D + D * D) / 4.0 + ROUND * l * far
        for k in range(6):
            a = abs(A[k, j])
            w[k, E] += a * slack
            w[k, F] += 6.0 * ROUND * a * spin
            w[k, F_RHO] += 6.0 * ROUND * a * push
        if table[j, KIND] != STRUT:
            q = np.sqrt(w[j, Q] ** 2 + w[j, Q + 1] ** 2 + w[j, Q + 2] ** 2)
            b = np.sqrt(w[j, B] ** 2 + w[j, B + 1] ** 2 + w[j, B + 2] ** 2)
            for k in range(6):
                a = abs(A[k, j]) * D
                w[k, F] += a * q
                w[k, F_RHO] += a
                w[k, G] += a * (3.0 * q + b + 0.5 * D)
                w[k, G_RHO] += 3.5 * a  # 2 of the quadratic, 3 r of the cubic term with r <= 0.5


@kernel
def inside(table, pose, new, rho, r):
    """True if `new` lies in the ball of radius r of the local coordinates at `pose`."""
    trace, a0, a1, a2 = turn_between(pose, new)
    if not 1.0 + trace > 0.1:
        return False
    u0, u1, u2 = new[T] - pose[T], new[T + 1] - pose[T + 1], new[T + 2] - pose[T + 2]
    for m in range(3):
        mean = 0.0
        for i in range(6):
            mean += table[i, JOINT + m] / 6.0
        u0 += (new[R + m] - pose[R + m]) * mean
        u1 += (new[R + 3 + m] - pose[R + 3 + m]) * mean
        u2 += (new[R + 6 + m] - pose[R + 6 + m]) * mean
    g0 = 0.5 * (u0 + u1 * a2 - u2 * a1)
    g1 = 0.5 * (u1 + u2 * a0 - u0 * a2)
    g2 = 0.5 * (u2 + u0 * a1 - u1 * a0)
    turn = np.sqrt(a0 * a0 + a1 * a1 + a2 * a2)
    shift = np.sqrt(g0 * g0 + g1 * g1 + g2 * g2) / rho
    return turn <= r and shift <= r
