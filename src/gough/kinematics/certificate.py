"""Branch certificate: the pose belongs to the legs' motion since the last pose, and to no other branch.

Local coordinates z = (a, g) about the last pose: rotation quaternion proportional to (1, a), dual part
(-a.g, g) after the Study condition, moved to the centroid o of the platform joints.  With, at the last pose,
q joint and B sphere centre from o, S = q - B, each leg says  (docs/forward-kinematics.md)

    G = c h + g.S + a.(q x S) + N(z) = 0,    h = 1 + a.a,    4 c = |S|^2 - l^2
    N = g.g + (a x B).(a x q) - (a x g).(q + B) + (a.g)(a.S) + (a.g)^2

exactly.  With the 6x6 inverse A of the linear part, ``T(z) = z - A G(z)`` maps the ball |a|, |g|/rho <= r
into itself and contracts it for *every* leg position in a box around the last one when

    eta + psi(r) <= r   and   phi(r) < 1        (eta: A c over the box, phi: Lipschitz bound of A (c h + N))

Then (Banach) each leg position in the box has exactly one pose in the ball, it depends continuously on the
legs, starts at the last pose, and the Jacobian is regular in the whole ball.  If the new pose lies in the
ball it is that one.  A slider or crank that moves its centre by d (|d| <= D) adds h(|d|^2 - 2 d.P)/4,
bounded alike.
The box: every leg at most `WIDEN` times as far from its last position as the farthest one went.  Legs that
turn back or overshoot between two samples stay inside it; this is what keeps a flip from passing unseen.
"""

from __future__ import annotations

import numpy as np

from gough.kinematics.compiled import kernel

WIDEN = 1.5
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
def bounds(V, A, rho, K):
    """K (6, 4): per row of A the Lipschitz coefficients of N: of r (two), of r^2, of r^3."""
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
        frobenius = np.sqrt(m00 * m00 + m11 * m11 + m22 * m22 + 2.0 * (m01 * m01 + m02 * m02 + m12 * m12))
        w = np.sqrt(w0 * w0 + w1 * w1 + w2 * w2)
        K[k, 0] = 2.0 * (rho * rho * abs(sigma) + frobenius + rho * w)
        K[k, 1] = 3.0 if k >= 3 else 0.0  # rho sum_j A_kj S_j is a unit vector (k >= 3) or zero: A L = E
        K[k, 2] = 4.0 * rho * rho * abs(sigma)


@kernel
def lipschitz(K, E, F, G, r):
    """(psi, phi) at r: bounds of |A (c (h-1) + N)| and of its derivative, moving centres included."""
    psi = phi = 0.0
    for block in range(2):
        s = t = 0.0
        for k in range(3 * block, 3 * block + 3):
            one = K[k, 0] + 2.0 * E[k] + G[k]
            d = F[k] + r * (one + r * (K[k, 1] + r * K[k, 2]))
            v = r * (F[k] + r * (one / 2.0 + r * (K[k, 1] / 3.0 + r * K[k, 2] / 4.0)))
            s += d * d
            t += v * v
        phi = max(phi, np.sqrt(s))
        psi = max(psi, np.sqrt(t))
    return psi * (1.0 + ROUND), phi * (1.0 + ROUND)


@kernel
def certify(table, pose, lam0, c0, lam1, new, rho, margin, V, M, A, K, E, F, G):
    """True if `new` (at lam1) is proved to be the pose connected to `pose` (at lam0), for the whole box."""
    far = 0.0
    for i in range(6):
        d = abs(lam1[i] - lam0[i])
        if table[i, 0] == 2.0:
            d -= 2.0 * np.pi * np.round(d / (2.0 * np.pi))
            d = abs(d) * table[i, 19]
        far = max(far, d)
    D = WIDEN * far + margin
    local_geometry(table, pose, c0, V)
    for i in range(6):
        M[i, 0] = V[i, 1] * V[i, 8] - V[i, 2] * V[i, 7]
        M[i, 1] = V[i, 2] * V[i, 6] - V[i, 0] * V[i, 8]
        M[i, 2] = V[i, 0] * V[i, 7] - V[i, 1] * V[i, 6]
        for k in range(3):
            M[i, 3 + k] = rho * V[i, 6 + k]
    big = np.abs(M).max()
    if not invert6(M, A):
        return False
    bounds(V, A, rho, K)
    slack = 0.0
    for k in range(6):
        E[k] = F[k] = G[k] = 0.0
        for j in range(6):
            a = abs(A[k, j])
            E[k] += a * (2.0 * V[j, 9] * D + D * D) / 4.0
            F[k] += a * big * ROUND
            slack = max(slack, a * V[j, 9] * V[j, 9] * ROUND)
            if table[j, 0] != 0.0:
                q = np.sqrt(V[j, 0] ** 2 + V[j, 1] ** 2 + V[j, 2] ** 2)
                b = np.sqrt(V[j, 3] ** 2 + V[j, 4] ** 2 + V[j, 5] ** 2)
                F[k] += a * D * (rho + q)
                G[k] += a * D * (2.0 * rho + 3.0 * q + b + 1.5 * rho + 0.5 * D)  # r <= 0.5 in the cubic term
    eta = max(np.sqrt(E[0] ** 2 + E[1] ** 2 + E[2] ** 2), np.sqrt(E[3] ** 2 + E[4] ** 2 + E[5] ** 2)) + slack
    r = eta
    for _ in range(12):
        psi, phi = lipschitz(K, E, F, G, r)
        if not (phi < 0.999 and r < 0.5):
            return False
        if eta + psi <= r:
            return inside(table, pose, new, rho, r)
        r = (eta + psi) * 1.001
    return False


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
