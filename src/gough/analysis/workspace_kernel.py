"""Compiled checks of many positions (strokes, joint cones, leg-leg distance) of legs driven along their length, and
exact areas between shells; legs of every kind: analysis/points_kernel.py.

Limits that do not exist are given as numbers that always hold (low 0 or minus infinite, high infinite, cosine -2).
"""

from math import acos, atan2, cos, inf, pi, sin, sqrt

import numpy as np

from gough.engines.cache import njit

TURN = 2.0 * pi


@njit(nogil=True, error_model="numpy")
def point_segment(x, y, z, ax, ay, az, bx, by, bz):
    """Squared distance of a point to a segment."""
    dx, dy, dz = bx - ax, by - ay, bz - az
    n = dx * dx + dy * dy + dz * dz
    s = ((x - ax) * dx + (y - ay) * dy + (z - az) * dz) / n if n > 0.0 else 0.0
    s = min(max(s, 0.0), 1.0)
    ex, ey, ez = x - ax - s * dx, y - ay - s * dy, z - az - s * dz
    return ex * ex + ey * ey + ez * ez


@njit(nogil=True, error_model="numpy")
def segments(start, i, j, q, x, y, z):
    """Squared distance of the struts i and j: from `start` to the platform joints at t + q."""
    px, py, pz = start[i, 0], start[i, 1], start[i, 2]
    rx, ry, rz = start[j, 0], start[j, 1], start[j, 2]
    ux, uy, uz = x + q[i, 0] - px, y + q[i, 1] - py, z + q[i, 2] - pz
    vx, vy, vz = x + q[j, 0] - rx, y + q[j, 1] - ry, z + q[j, 2] - rz
    wx, wy, wz = px - rx, py - ry, pz - rz
    uu, vv, uv = (
        ux * ux + uy * uy + uz * uz,
        vx * vx + vy * vy + vz * vz,
        ux * vx + uy * vy + uz * vz,
    )
    uw, vw = ux * wx + uy * wy + uz * wz, vx * wx + vy * wy + vz * wz
    det = uu * vv - uv * uv
    best = inf
    if det > 1e-14 * uu * vv:
        s, t = (uv * vw - vv * uw) / det, (uu * vw - uv * uw) / det
        if 0.0 < s < 1.0 and 0.0 < t < 1.0:
            ex, ey, ez = wx + s * ux - t * vx, wy + s * uy - t * vy, wz + s * uz - t * vz
            best = ex * ex + ey * ey + ez * ez
    best = min(best, point_segment(px, py, pz, rx, ry, rz, rx + vx, ry + vy, rz + vz))
    best = min(
        best, point_segment(px + ux, py + uy, pz + uz, rx, ry, rz, rx + vx, ry + vy, rz + vz)
    )
    best = min(best, point_segment(rx, ry, rz, px, py, pz, px + ux, py + uy, pz + uz))
    return min(
        best, point_segment(rx + vx, ry + vy, rz + vz, px, py, pz, px + ux, py + uy, pz + uz)
    )


@njit(nogil=True, error_model="numpy")
def inside(points, base, q, low, high, axes, cosines, pairs, need, out):
    """Fill out (N,) uint8 for points (N, 3); axes (2, 6, 3) and cosines (2, 6) of cones; pairs (k, 2), need (k,)."""
    for n in range(points.shape[0]):
        x, y, z = points[n, 0], points[n, 1], points[n, 2]
        ok = True
        for i in range(6):
            dx, dy, dz = (
                x + q[i, 0] - base[i, 0],
                y + q[i, 1] - base[i, 1],
                z + q[i, 2] - base[i, 2],
            )
            r = sqrt(dx * dx + dy * dy + dz * dz)
            ok = ok and r >= low[i] and r <= high[i] and r > 0.0
            for k in range(2):
                ok = (
                    ok
                    and axes[k, i, 0] * dx + axes[k, i, 1] * dy + axes[k, i, 2] * dz
                    >= cosines[k, i] * r
                )
            if not ok:
                break
        if ok:
            for k in range(pairs.shape[0]):
                if segments(base, pairs[k, 0], pairs[k, 1], q, x, y, z) < need[k] * need[k]:
                    ok = False
                    break
        out[n] = 1 if ok else 0


@njit(nogil=True, error_model="numpy")
def within_shells(x, y, z, center, low, high, skip):
    """Is the point within all shells, the one numbered `skip` left out?"""
    for j in range(center.shape[0]):
        if j != skip:
            dx, dy, dz = x - center[j, 0], y - center[j, 1], z - center[j, 2]
            r2 = dx * dx + dy * dy + dz * dz
            if r2 > high[j] * high[j] or r2 < low[j] * low[j]:
                return False
    return True


@njit(nogil=True, error_model="numpy")
def circle_cuts(cx, cy, r, center, radii, skip, cuts):
    """Angles at which a circle is crossed by the circles of the other legs; how many were written to `cuts`."""
    count = 1
    cuts[0] = 0.0
    for j in range(center.shape[0]):
        if j == skip:
            continue
        dx, dy = center[j, 0] - cx, center[j, 1] - cy
        d = sqrt(dx * dx + dy * dy)
        for k in range(2):
            if radii[k, j] > 0.0 and d > 0.0:
                c = (d * d + r * r - radii[k, j] * radii[k, j]) / (2.0 * d * r)
                if -1.0 < c < 1.0:
                    middle, half = atan2(dy, dx), acos(c)
                    cuts[count], cuts[count + 1] = (middle - half) % TURN, (middle + half) % TURN
                    count += 2
    cuts[:count].sort()
    cuts[count] = cuts[0] + TURN
    return count


@njit(nogil=True, error_model="numpy")
def shell_area(center, low, high, z):
    """Area of the plane z within all shells (n centers, inner and outer radii), m^2: Green's sum over their arcs."""
    n = center.shape[0]
    radii = np.zeros((2, n))
    for j in range(n):
        dz = z - center[j, 2]
        outer, inner = high[j] * high[j] - dz * dz, low[j] * low[j] - dz * dz
        if outer <= 0.0:
            return 0.0
        radii[0, j], radii[1, j] = sqrt(outer), sqrt(max(inner, 0.0))
    x0, y0 = center[:, 0].mean(), center[:, 1].mean()
    cuts = np.empty(4 * n + 4)
    area = 0.0
    for i in range(n):
        for k in range(2):
            r = radii[k, i]
            if r <= 0.0:
                continue
            cx, cy = center[i, 0], center[i, 1]
            count = circle_cuts(cx, cy, r, center, radii, i, cuts)
            for m in range(count):
                a, b = cuts[m], cuts[m + 1]
                middle = (a + b) / 2.0
                if b > a and within_shells(
                    cx + r * cos(middle), cy + r * sin(middle), z, center, low, high, i
                ):
                    sweep = (
                        0.5
                        * r
                        * (
                            r * (b - a)
                            + (cx - x0) * (sin(b) - sin(a))
                            - (cy - y0) * (cos(b) - cos(a))
                        )
                    )
                    area += sweep if k == 0 else -sweep
    return area
