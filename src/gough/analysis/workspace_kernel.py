"""Compiled checks of many positions (strokes, joint cones, leg-leg distance) and exact areas between shells.

Limits that do not exist are given as numbers that always hold (low 0 or minus infinite, high infinite, cosine -2).
"""

from math import acos, atan2, cos, inf, nan, pi, sin, sqrt

import numpy as np

from gough.engines.cache import njit
from gough.layout import LEG_GEOMETRY as LEG
from gough.struts import CRANK, SLIDER

TURN = 2.0 * pi
B, E, U, N = (getattr(LEG, name).start for name in ("base", "e", "u", "n"))
KIND, H, LENGTH, SIGN, RHO, ZERO = (
    LEG.kind,
    LEG.h,
    LEG.length,
    LEG.sign,
    LEG.rho,
    LEG.zero,
)


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
def place_slider(leg, px, py, pz, start):
    """Coordinate of a slider for its platform joint at P from the base point, NaN out of reach; fills `start`."""
    ex, ey, ez = leg[E], leg[E + 1], leg[E + 2]
    along = px * ex + py * ey + pz * ez
    root = along * along - (px * px + py * py + pz * pz) + leg[LENGTH] * leg[LENGTH]
    lam = along - leg[SIGN] * sqrt(root) if root >= 0.0 else nan
    start[0], start[1], start[2] = lam * ex, lam * ey, lam * ez
    return lam


@njit(nogil=True, error_model="numpy")
def place_crank(leg, px, py, pz, start):
    """The same of a crank, rad (gough/struts.py: `_turn`)."""
    a = px * leg[U] + py * leg[U + 1] + pz * leg[U + 2]
    b = px * leg[N] + py * leg[N + 1] + pz * leg[N + 2]
    along = px * leg[E] + py * leg[E + 1] + pz * leg[E + 2]
    h, rho, length = leg[H], leg[RHO], leg[LENGTH]
    d = (px * px + py * py + pz * pz + h * h + rho * rho - length * length) / 2.0 - h * along
    n2 = a * a + b * b
    root = n2 - d * d
    if not root >= 0.0 or n2 == 0.0:
        return nan
    x = leg[SIGN] * sqrt(root)
    c, s = (a * d - b * x) / n2, (b * d + a * x) / n2
    for k in range(3):
        start[k] = h * leg[E + k] + c * leg[U + k] + s * leg[N + k]
    c0, s0 = cos(leg[ZERO]), sin(leg[ZERO])
    return leg[ZERO] + atan2(s * c0 - c * s0, c * c0 + s * s0)


@njit(nogil=True, error_model="numpy")
def inside_carried(points, legs, q, low, high, axes, cosines, pairs, need, out):
    """As `inside` for struts, sliders and cranks in any mixture; legs (6, LEG_GEOMETRY.size), rows of `leg_table`."""
    start = np.empty((6, 3))
    for n in range(points.shape[0]):
        x, y, z = points[n, 0], points[n, 1], points[n, 2]
        ok = True
        for i in range(6):
            leg, at = legs[i], start[i]
            px, py, pz = x + q[i, 0] - leg[B], y + q[i, 1] - leg[B + 1], z + q[i, 2] - leg[B + 2]
            at[0] = at[1] = at[2] = 0.0
            if leg[KIND] == SLIDER:
                lam = place_slider(leg, px, py, pz, at)
            elif leg[KIND] == CRANK:
                lam = place_crank(leg, px, py, pz, at)
            else:
                lam = sqrt(px * px + py * py + pz * pz)
            dx, dy, dz = px - at[0], py - at[1], pz - at[2]
            r = sqrt(dx * dx + dy * dy + dz * dz)
            ok = low[i] <= lam <= high[i] and r > 0.0
            for k in range(2):
                along = axes[k, i, 0] * dx + axes[k, i, 1] * dy + axes[k, i, 2] * dz
                ok = ok and along >= cosines[k, i] * r
            if not ok:
                break
            for k in range(3):
                at[k] += leg[B + k]
        for k in range(pairs.shape[0] if ok else 0):
            if segments(start, pairs[k, 0], pairs[k, 1], q, x, y, z) < need[k] * need[k]:
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
