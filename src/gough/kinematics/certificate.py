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
`WIDEN` times the largest change of any leg; legs that turn back or overshoot between the samples stay inside.
This is what keeps a flip from passing unseen: a motion that crosses a singularity turns some leg back there.
"""

from __future__ import annotations

from typing import Any, NamedTuple

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
from gough.struts import CRANK, STRUT

WIDEN = 0.25
ROUND = 1e-13  # relative slack for the rounding of every bound below, far above 6 x 2^-52 x growth


class Scratch(NamedTuple):
    """Arrays of the certificate, made once per batch.

    q, B, S (6, 3), size (6,)   at the halfway pose from the joints' centroid: joint, sphere center, S and |S|
    M, A (6, 6)                 linear part and its inverse
    sums, squares, shifts (6,)  per row of A the norms of its combinations of 1, of (a x B).(a x q), and of q + B
    E (6,)                      |A| |c| over the box
    F, F_rho, G, G_rho (6,)     Lipschitz terms of moving centers, of orders 1 and rho
    box (6,)                    half-widths, m;   mid (12,), lam (6,), c (6, 3)  the halfway pose
    """

    q: Any
    B: Any
    S: Any
    size: Any
    M: Any
    A: Any
    sums: Any
    squares: Any
    shifts: Any
    E: Any
    F: Any
    F_rho: Any
    G: Any
    G_rho: Any
    box: Any
    mid: Any
    lam: Any
    c: Any


@kernel
def scratch():
    """Fresh arrays."""
    return Scratch(np.empty((6, 3)), np.empty((6, 3)), np.empty((6, 3)), np.empty(6), np.empty((6, 6)),
                   np.empty((6, 6)), np.empty(6), np.empty(6), np.empty(6), np.empty(6), np.empty(6), np.empty(6),
                   np.empty(6), np.empty(6), np.empty(6), np.empty(12), np.empty(6), np.empty((6, 3)))


@kernel
def invert6(M, A):
    """Gauss-Jordan with partial pivoting: A = M^-1, M is overwritten; False if singular to round-off."""
    A[:] = 0.0
    for k in range(6):
        A[k, k] = 1.0
    for k in range(6):
        pivot, best = k, abs(M[k, k])
        for i in range(k + 1, 6):
            if abs(M[i, k]) > best:
                pivot, best = i, abs(M[i, k])
        if not best > 1e-14:
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
    q, B, S = w.q, w.B, w.S
    o0 = o1 = o2 = 0.0
    for i in range(6):
        q[i, 0], q[i, 1], q[i, 2] = platform_joint(table, pose, i)
        o0 += q[i, 0] / 6.0
        o1 += q[i, 1] / 6.0
        o2 += q[i, 2] / 6.0
    for i in range(6):
        q[i, 0] -= o0
        q[i, 1] -= o1
        q[i, 2] -= o2
        B[i, 0] = c[i, 0] - pose[T] - o0
        B[i, 1] = c[i, 1] - pose[T + 1] - o1
        B[i, 2] = c[i, 2] - pose[T + 2] - o2
        for k in range(3):
            S[i, k] = q[i, k] - B[i, k]
        w.size[i] = np.sqrt(S[i, 0] ** 2 + S[i, 1] ** 2 + S[i, 2] ** 2)


@kernel
def bounds(w):
    """Per row of A the norms of its combinations of 1, of (a x B).(a x q), and of q + B."""
    for k in range(6):
        sigma = w0 = w1 = w2 = m00 = m11 = m22 = m01 = m02 = m12 = 0.0
        for j in range(6):
            a = w.A[k, j]
            q0, q1, q2, b0, b1, b2 = w.q[j, 0], w.q[j, 1], w.q[j, 2], w.B[j, 0], w.B[j, 1], w.B[j, 2]
            sigma += a
            w0 += a * (q0 + b0)
            w1 += a * (q1 + b1)
            w2 += a * (q2 + b2)
            m00 += a * (q1 * b1 + q2 * b2)
            m11 += a * (q0 * b0 + q2 * b2)
            m22 += a * (q0 * b0 + q1 * b1)
            m01 -= 0.5 * a * (q0 * b1 + q1 * b0)
            m02 -= 0.5 * a * (q0 * b2 + q2 * b0)
            m12 -= 0.5 * a * (q1 * b2 + q2 * b1)
        w.sums[k] = abs(sigma)
        w.squares[k] = np.sqrt(m00 * m00 + m11 * m11 + m22 * m22 + 2.0 * (m01 * m01 + m02 * m02 + m12 * m12))
        w.shifts[k] = np.sqrt(w0 * w0 + w1 * w1 + w2 * w2)


@kernel
def lipschitz(w, rho, r):
    """(psi, phi) at r: bounds of |A (c (h-1) + N)| and of its derivative, moving centers included."""
    psi = phi = 0.0
    for block in range(2):
        s = t = 0.0
        for k in range(3 * block, 3 * block + 3):
            first = w.F[k] + rho * w.F_rho[k]
            one = (2.0 * (rho * rho * w.sums[k] + w.squares[k] + rho * w.shifts[k] + w.E[k])
                   + w.G[k] + rho * w.G_rho[k])
            two = 3.0 * rho if block == 1 else 0.0  # sum_j A_kj S_j is a unit vector or zero: A L = E
            three = 4.0 * rho * rho * w.sums[k]
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
    Q = np.empty((3, 3))
    trace = 0.0
    for i in range(3):
        for j in range(3):
            Q[i, j] = 0.0
            for k in range(3):
                Q[i, j] += new[R + 3 * i + k] * pose[R + 3 * j + k]
        trace += Q[i, i]
    return (trace, (Q[2, 1] - Q[1, 2]) / (1.0 + trace), (Q[0, 2] - Q[2, 0]) / (1.0 + trace),
            (Q[1, 0] - Q[0, 1]) / (1.0 + trace))


@kernel
def halfway(pose, new, mid):
    """`mid`: position and rotation half of the way from `pose` to `new`; False beyond a third of a turn."""
    trace, a0, a1, a2 = turn_between(pose, new)
    if not trace > 0.0:
        return False
    half = 1.0 / (1.0 + np.sqrt(1.0 + a0 * a0 + a1 * a1 + a2 * a2))
    step = np.empty(6)
    for k in range(3):
        step[k] = 0.5 * (new[k] - pose[k])
    step[W], step[W + 1], step[W + 2] = 2.0 * half * a0, 2.0 * half * a1, 2.0 * half * a2
    move(pose, step, 1.0, 1.0, mid)
    orthonormalize(mid)
    return True


@kernel
def box(table, lam0, lam1, lamc, margin, width):
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
        width[i] += WIDEN * far + margin


@kernel
def certify(table, pose, lam0, lam1, new, margin, w):
    """True if `pose` (at lam0) and `new` (at lam1) are proved to be joined, for the whole box of legs."""
    if not halfway(pose, new, w.mid):
        return False
    if not (coordinates(table, w.mid, w.lam) and reduce_legs(table, w.lam, w.c, w.box)):
        return False
    box(table, lam0, lam1, w.lam, margin, w.box)
    local_geometry(table, w.mid, w.c, w)
    q, S, M = w.q, w.S, w.M
    for i in range(6):  # rows (q x S, S): the linear part in (a, g)
        M[i, 0] = q[i, 1] * S[i, 2] - q[i, 2] * S[i, 1]
        M[i, 1] = q[i, 2] * S[i, 0] - q[i, 0] * S[i, 2]
        M[i, 2] = q[i, 0] * S[i, 1] - q[i, 1] * S[i, 0]
        for k in range(3):
            M[i, 3 + k] = S[i, k]
    spin = push = 0.0
    for i in range(6):
        for k in range(3):
            spin = max(spin, abs(M[i, k]))
            push = max(push, abs(M[i, 3 + k]))
    if not invert6(M, w.A):
        return False
    bounds(w)
    gather(table, spin, push, w)
    E = w.E
    turn = np.sqrt(E[0] ** 2 + E[1] ** 2 + E[2] ** 2)
    shift = np.sqrt(E[3] ** 2 + E[4] ** 2 + E[5] ** 2)
    rho = shift / turn  # both blocks use their share of the ball
    r = turn
    for _ in range(12):
        psi, phi = lipschitz(w, rho, r)
        if not (phi < 0.999 and r < 0.5):
            return False
        if turn + psi <= r:
            return inside(table, w.mid, pose, rho, r) and inside(table, w.mid, new, rho, r)
        r = (turn + psi) * 1.001
    return False


@kernel
def gather(table, spin, push, w):
    """E over the box, and the Lipschitz terms F, G of moving centers."""
    for k in range(6):
        w.E[k] = w.F[k] = w.F_rho[k] = w.G[k] = w.G_rho[k] = 0.0
        for j in range(6):
            a, D, l = abs(w.A[k, j]), w.box[j], w.size[j]
            w.E[k] += a * ((2.0 * l * D + D * D) / 4.0 + ROUND * l * l)
            w.F[k] += 6.0 * ROUND * a * spin
            w.F_rho[k] += 6.0 * ROUND * a * push
            if table[j, KIND] != STRUT:
                q = np.sqrt(w.q[j, 0] ** 2 + w.q[j, 1] ** 2 + w.q[j, 2] ** 2)
                b = np.sqrt(w.B[j, 0] ** 2 + w.B[j, 1] ** 2 + w.B[j, 2] ** 2)
                w.F[k] += a * D * q
                w.F_rho[k] += a * D
                w.G[k] += a * D * (3.0 * q + b + 0.5 * D)
                w.G_rho[k] += 3.5 * a * D  # 2 of the quadratic, 3 r of the cubic term with r <= 0.5


@kernel
def inside(table, pose, new, rho, r):
    """True if `new` lies in the ball of radius r of the local coordinates at `pose`."""
    trace, a0, a1, a2 = turn_between(pose, new)
    if not 1.0 + trace > 0.1:
        return False
    u = np.empty(3)
    for k in range(3):
        u[k] = new[k] - pose[k]
        for m in range(3):
            mean = 0.0
            for i in range(6):
                mean += table[i, JOINT + m] / 6.0
            u[k] += (new[R + 3 * k + m] - pose[R + 3 * k + m]) * mean
    g0 = 0.5 * (u[0] + u[1] * a2 - u[2] * a1)
    g1 = 0.5 * (u[1] + u[2] * a0 - u[0] * a2)
    g2 = 0.5 * (u[2] + u[0] * a1 - u[1] * a0)
    turn = np.sqrt(a0 * a0 + a1 * a1 + a2 * a2)
    shift = np.sqrt(g0 * g0 + g1 * g1 + g2 * g2) / rho
    return turn <= r and shift <= r
