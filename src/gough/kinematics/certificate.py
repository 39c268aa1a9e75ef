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

import numpy as np

from gough.kinematics.compiled import kernel
from gough.kinematics.forward_kernel import coordinates, move, orthonormalize, reduce_legs

WIDEN = 0.25
ROUND = 1e-13  # relative slack for the rounding of every bound below, far above 6 x 2^-52 x growth


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
def local_geometry(table, pose, c, V):
    """V (6, 10): q, B, S of every leg from the joints' centroid o, and |S|."""
    o0 = o1 = o2 = 0.0
    for i in range(6):
        p0, p1, p2 = table[i, 4], table[i, 5], table[i, 6]
        V[i, 0] = pose[3] * p0 + pose[4] * p1 + pose[5] * p2
        V[i, 1] = pose[6] * p0 + pose[7] * p1 + pose[8] * p2
        V[i, 2] = pose[9] * p0 + pose[10] * p1 + pose[11] * p2
        o0 += V[i, 0] / 6.0
        o1 += V[i, 1] / 6.0
        o2 += V[i, 2] / 6.0
    for i in range(6):
        V[i, 0] -= o0
        V[i, 1] -= o1
        V[i, 2] -= o2
        V[i, 3] = c[i, 0] - pose[0] - o0
        V[i, 4] = c[i, 1] - pose[1] - o1
        V[i, 5] = c[i, 2] - pose[2] - o2
        for k in range(3):
            V[i, 6 + k] = V[i, k] - V[i, 3 + k]
        V[i, 9] = np.sqrt(V[i, 6] ** 2 + V[i, 7] ** 2 + V[i, 8] ** 2)


@kernel
def bounds(V, A, K):
    """K (6, 3): per row of A the norms of its combinations of 1, of (a x B).(a x q), and of q + B."""
    for k in range(6):
        sigma = w0 = w1 = w2 = m00 = m11 = m22 = m01 = m02 = m12 = 0.0
        for j in range(6):
            a = A[k, j]
            q0, q1, q2, b0, b1, b2 = V[j, 0], V[j, 1], V[j, 2], V[j, 3], V[j, 4], V[j, 5]
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
        K[k, 0] = abs(sigma)
        K[k, 1] = np.sqrt(m00 * m00 + m11 * m11 + m22 * m22 + 2.0 * (m01 * m01 + m02 * m02 + m12 * m12))
        K[k, 2] = np.sqrt(w0 * w0 + w1 * w1 + w2 * w2)


@kernel
def lipschitz(K, E, F, G, rho, r):
    """(psi, phi) at r: bounds of |A (c (h-1) + N)| and of its derivative, moving centers included."""
    psi = phi = 0.0
    for block in range(2):
        s = t = 0.0
        for k in range(3 * block, 3 * block + 3):
            first = F[k, 0] + rho * F[k, 1]
            one = 2.0 * (rho * rho * K[k, 0] + K[k, 1] + rho * K[k, 2] + E[k]) + G[k, 0] + rho * G[k, 1]
            two = 3.0 * rho if block == 1 else 0.0  # sum_j A_kj S_j is a unit vector or zero: A L = E
            three = 4.0 * rho * rho * K[k, 0]
            d = first + r * (one + r * (two + r * three))
            v = r * (first + r * (one / 2.0 + r * (two / 3.0 + r * three / 4.0)))
            s += d * d
            t += v * v
        scale = 1.0 / rho if block == 1 else 1.0
        phi = max(phi, scale * np.sqrt(s))
        psi = max(psi, scale * np.sqrt(t))
    return psi * (1.0 + ROUND), phi * (1.0 + ROUND)


@kernel
def halfway(pose, new, mid):
    """`mid`: position and rotation half of the way from `pose` to `new`; False beyond a third of a turn."""
    Q = np.empty((3, 3))
    trace = 0.0
    for i in range(3):
        for j in range(3):
            Q[i, j] = 0.0
            for k in range(3):
                Q[i, j] += new[3 + 3 * i + k] * pose[3 + 3 * j + k]
        trace += Q[i, i]
    if not trace > 0.0:
        return False
    a0 = (Q[2, 1] - Q[1, 2]) / (1.0 + trace)
    a1 = (Q[0, 2] - Q[2, 0]) / (1.0 + trace)
    a2 = (Q[1, 0] - Q[0, 1]) / (1.0 + trace)
    half = 1.0 / (1.0 + np.sqrt(1.0 + a0 * a0 + a1 * a1 + a2 * a2))
    step = np.empty(6)
    for k in range(3):
        step[k] = 0.5 * (new[k] - pose[k])
    step[3], step[4], step[5] = 2.0 * half * a0, 2.0 * half * a1, 2.0 * half * a2
    move(pose, step, 1.0, 1.0, mid)
    orthonormalize(mid)
    return True


@kernel
def box(table, lam0, lam1, lamc, margin, W):
    """Half-widths W (m) of the box around lamc that holds both samples, widened."""
    far = 0.0
    for i in range(6):
        d0, d1, d = lam0[i] - lamc[i], lam1[i] - lamc[i], lam1[i] - lam0[i]
        if table[i, 0] == 2.0:
            turn = 2.0 * np.pi
            d0 -= turn * np.round(d0 / turn)
            d1 -= turn * np.round(d1 / turn)
            d -= turn * np.round(d / turn)
        W[i] = max(abs(d0), abs(d1)) * table[i, 19]
        far = max(far, abs(d) * table[i, 19])
    for i in range(6):
        W[i] += WIDEN * far + margin


@kernel
def certify(table, pose, lam0, lam1, new, margin, V, M, A, K, E, F, G, W, mid, lamc, c):
    """True if `pose` (at lam0) and `new` (at lam1) are proved to be joined, for the whole box of legs."""
    if not halfway(pose, new, mid):
        return False
    if not (coordinates(table, mid, lamc) and reduce_legs(table, lamc, c, W)):
        return False
    box(table, lam0, lam1, lamc, margin, W)
    local_geometry(table, mid, c, V)
    for i in range(6):
        M[i, 0] = V[i, 1] * V[i, 8] - V[i, 2] * V[i, 7]
        M[i, 1] = V[i, 2] * V[i, 6] - V[i, 0] * V[i, 8]
        M[i, 2] = V[i, 0] * V[i, 7] - V[i, 1] * V[i, 6]
        for k in range(3):
            M[i, 3 + k] = V[i, 6 + k]
    spin = push = 0.0
    for i in range(6):
        for k in range(3):
            spin = max(spin, abs(M[i, k]))
            push = max(push, abs(M[i, 3 + k]))
    if not invert6(M, A):
        return False
    bounds(V, A, K)
    gather(table, V, A, W, spin, push, E, F, G)
    turn = np.sqrt(E[0] ** 2 + E[1] ** 2 + E[2] ** 2)
    shift = np.sqrt(E[3] ** 2 + E[4] ** 2 + E[5] ** 2)
    rho = shift / turn  # both blocks use their share of the ball
    r = turn
    for _ in range(12):
        psi, phi = lipschitz(K, E, F, G, rho, r)
        if not (phi < 0.999 and r < 0.5):
            return False
        if turn + psi <= r:
            return inside(table, mid, pose, rho, r) and inside(table, mid, new, rho, r)
        r = (turn + psi) * 1.001
    return False


@kernel
def gather(table, V, A, W, spin, push, E, F, G):
    """E: |A| |c| over the box; F, G (6, 2): Lipschitz terms of moving centers, of orders 1 and rho."""
    for k in range(6):
        E[k] = F[k, 0] = F[k, 1] = G[k, 0] = G[k, 1] = 0.0
        for j in range(6):
            a, D, l = abs(A[k, j]), W[j], V[j, 9]
            E[k] += a * ((2.0 * l * D + D * D) / 4.0 + ROUND * l * l)
            F[k, 0] += 6.0 * ROUND * a * spin
            F[k, 1] += 6.0 * ROUND * a * push
            if table[j, 0] != 0.0:
                q = np.sqrt(V[j, 0] ** 2 + V[j, 1] ** 2 + V[j, 2] ** 2)
                b = np.sqrt(V[j, 3] ** 2 + V[j, 4] ** 2 + V[j, 5] ** 2)
                F[k, 0] += a * D * q
                F[k, 1] += a * D
                G[k, 0] += a * D * (3.0 * q + b + 0.5 * D)
                G[k, 1] += 3.5 * a * D  # 2 of the quadratic, 3 r of the cubic term with r <= 0.5


@kernel
def inside(table, pose, new, rho, r):
    """True if `new` lies in the ball of radius r of the local coordinates at `pose`."""
    Q = np.empty((3, 3))
    trace = 0.0
    for i in range(3):
        for j in range(3):
            Q[i, j] = 0.0
            for k in range(3):
                Q[i, j] += new[3 + 3 * i + k] * pose[3 + 3 * j + k]
        trace += Q[i, i]
    if not 1.0 + trace > 0.1:
        return False
    a0 = (Q[2, 1] - Q[1, 2]) / (1.0 + trace)
    a1 = (Q[0, 2] - Q[2, 0]) / (1.0 + trace)
    a2 = (Q[1, 0] - Q[0, 1]) / (1.0 + trace)
    u = np.empty(3)
    for k in range(3):
        u[k] = new[k] - pose[k]
        for m in range(3):
            mean = 0.0
            for i in range(6):
                mean += table[i, 4 + m] / 6.0
            u[k] += (new[3 + 3 * k + m] - pose[3 + 3 * k + m]) * mean
    g0 = 0.5 * (u[0] + u[1] * a2 - u[2] * a1)
    g1 = 0.5 * (u[1] + u[2] * a0 - u[0] * a2)
    g2 = 0.5 * (u[2] + u[0] * a1 - u[1] * a0)
    turn = np.sqrt(a0 * a0 + a1 * a1 + a2 * a2)
    shift = np.sqrt(g0 * g0 + g1 * g1 + g2 * g2) / rho
    return turn <= r and shift <= r
