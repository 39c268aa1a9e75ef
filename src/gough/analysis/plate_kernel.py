"""Compiled distances of struts from a body (gough/plates.py), at points and over balls of positions at one orientation.

Ends of what is judged of a strut, in the body's axes, and how far they move while the platform is in a ball of radius r
(S off by at most `off`, the base-side end by `foot`: analysis/cell_kernel.py):

    base        a = c + cut  moves by foot + turn       b = t + q     moves by r
    platform    a = q - S    moves by off               b = q - cut   moves by turn            (R^T of both)
with cut = min(spared, |S|) s.  That is S drawn into a ball, which moves no farther than S: turn <= off; where |S| stays
above `spared`, s turns by at most asin(off/|S|) =: w and turn <= 2 spared sin(w/2).
With n the direction between nearest points in the middle the strut is ``min(n.a - |da|, n.b - |db|) - max n.c`` away or
more everywhere in the ball, and at most its distance in the middle and the move of its nearest point there, at the
share y of it: (1 - y) |da| + y |db|.
A plate is (corners, x, y, radius, bottom, top), a `PlateTable`.
"""

from math import asin, inf, sin, sqrt

import numpy as np

from gough.analysis.cell_bits import PROVED_IN, PROVED_OUT, WITHIN
from gough.kinematics.compiled import kernel
from gough.kinematics.forward_kernel import BASE, KIND
from gough.kinematics.path_intervals import strut_at
from gough.struts import SLIDER, STRUT

ROUND = 1e-13  # of the sizes
HALVINGS = 48


@kernel
def off_outline(corners, x, y):
    """Vector from the nearest point of a convex polygon to (x, y), and the square of its length; 0 inside."""
    inside, best, dx, dy = True, inf, 0.0, 0.0
    n = corners.shape[0]
    for i in range(n):
        j = i + 1 if i + 1 < n else 0
        ex, ey = corners[j, 0] - corners[i, 0], corners[j, 1] - corners[i, 1]
        vx, vy = x - corners[i, 0], y - corners[i, 1]
        inside = inside and ex * vy - ey * vx >= 0.0
        along = min(max((vx * ex + vy * ey) / (ex * ex + ey * ey), 0.0), 1.0)
        wx, wy = vx - along * ex, vy - along * ey
        if wx * wx + wy * wy < best:
            best, dx, dy = wx * wx + wy * wy, wx, wy
    return (0.0, 0.0) if inside else (dx, dy)


@kernel
def off_plate(plate, x, y, z):
    """Vector from the nearest point of the plate."""
    corners, px, py, radius, bottom, top = plate
    dz = z - min(max(z, bottom), top)
    if corners.shape[0]:
        dx, dy = off_outline(corners, x, y)
        return dx, dy, dz
    vx, vy = x - px, y - py
    far = sqrt(vx * vx + vy * vy)
    over = 1.0 - radius / far if far > radius else 0.0
    return vx * over, vy * over, dz


@kernel
def slope_at(plate, a, u, s):
    """Half the slope of the squared distance along a + s u."""
    dx, dy, dz = off_plate(plate, a[0] + s * u[0], a[1] + s * u[1], a[2] + s * u[2])
    return dx * u[0] + dy * u[1] + dz * u[2]


@kernel
def between(plate, a, b, fine):
    """Vector between nearest points of a plate and a segment, and where on it, 0 to 1, to within `fine` m."""
    u = (b[0] - a[0], b[1] - a[1], b[2] - a[2])
    low, high = 0.0, 1.0
    if slope_at(plate, a, u, 0.0) >= 0.0:
        high = 0.0
    elif slope_at(plate, a, u, 1.0) <= 0.0:
        low = 1.0
    else:
        enough = fine / sqrt(u[0] ** 2 + u[1] ** 2 + u[2] ** 2)
        for _ in range(HALVINGS):
            s = 0.5 * (low + high)
            slope = slope_at(plate, a, u, s)
            if slope <= 0.0:
                low = s
            if slope >= 0.0:
                high = s
            if high - low <= enough:
                break
    s = 0.5 * (low + high)
    x, y, z = off_plate(plate, a[0] + s * u[0], a[1] + s * u[1], a[2] + s * u[2])
    return x, y, z, s


@kernel
def reach_along(plate, x, y, z):
    """Largest n.c over the points c of a plate, n = (x, y, z)."""
    corners, px, py, radius, bottom, top = plate
    high = max(z * bottom, z * top)
    if corners.shape[0]:
        best = -inf
        for i in range(corners.shape[0]):
            best = max(best, x * corners[i, 0] + y * corners[i, 1])
        return high + best
    return high + x * px + y * py + radius * sqrt(x * x + y * y)


@kernel
def ends_of(S, end, share, R, on_platform, a, b):
    """Both ends of what is judged of a strut S whose platform joint is `end`: from the platform's reference point, in
    its axes R, or in the base's."""
    if on_platform:
        for k in range(3):
            a[k] = b[k] = 0.0
            for m in range(3):
                a[k] += R[m, k] * (end[m] - S[m])
                b[k] += R[m, k] * (end[m] - share * S[m])
    else:
        for k in range(3):
            a[k], b[k] = end[k] - S[k] + share * S[k], end[k]


@kernel
def leg_verdict(plate, a, b, need, moves, fine):
    """1: at least `need` away however a and b move by `moves`, -1: never, 0: neither is proved."""
    size = 0.0
    for k in range(3):
        size += abs(a[k]) + abs(b[k])
    corners, px, py, radius, bottom, top = plate
    size += abs(px) + abs(py) + radius + abs(bottom) + abs(top)
    for i in range(corners.shape[0]):
        size += abs(corners[i, 0]) + abs(corners[i, 1])
    x, y, z, s = between(plate, a, b, fine)
    d = sqrt(x * x + y * y + z * z)
    if d + (1.0 - s) * moves[0] + s * moves[1] + ROUND * size < need:
        return -1
    if not d > 0.0:
        return 0
    x, y, z = x / d, y / d, z / d
    least = min(
        x * a[0] + y * a[1] + z * a[2] - moves[0], x * b[0] + y * b[1] + z * b[2] - moves[1]
    )
    return 1 if least - reach_along(plate, x, y, z) - ROUND * size >= need else 0


@kernel
def clear_in(table, arms, R, plate, on_platform, origin, need, spared, t, radius, work):
    """1: every leg keeps its distance from the body in the whole ball, -1: one in none of it, 0: neither is proved."""
    P, S, a, b = work
    found = 1
    for i in range(6):
        if np.isnan(need[i]):
            continue
        row, far = table[i], 0.0
        for k in range(3):
            P[k] = t[k] + arms[i, k] - row[BASE + k]
            far += abs(t[k]) + abs(arms[i, k]) + abs(row[BASE + k])
        r = radius + ROUND * far
        off = strut_at(row, P, 1.0, r, far, S)
        if off < 0.0:
            found = 0
            continue
        long = sqrt(S[0] ** 2 + S[1] ** 2 + S[2] ** 2)
        turn = off
        if long - off > spared:
            turn = min(off, 2.0 * spared * sin(0.5 * asin(off / long)))
        share = min(spared / long, 1.0) if long > 0.0 else 1.0
        if on_platform:
            moves = (off, turn)
            ends_of(S, arms[i], share, R, on_platform, a, b)
        else:
            foot = 0.0 if row[KIND] == STRUT else (off if row[KIND] == SLIDER else off - r)
            moves = (foot + turn, r)
            for k in range(3):
                P[k] = t[k] + arms[i, k] + origin[k]
            ends_of(S, P, share, R, on_platform, a, b)
        one = leg_verdict(plate, a, b, need[i], moves, 1e-3 * radius + 1e-12 * long)
        if one < 0:
            return -1
        found = min(found, one)
    return found


@kernel
def judge_clearance(
    table, arms, R, plate, on_platform, origin, need, spared, centers, radius, last, bits
):
    """Take from the bits (N,) of cells (cell_bits.py) what the body does not allow; 0: open, but on the last level."""
    work = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for n in range(centers.shape[0]):
        if bits[n] == PROVED_OUT:
            continue
        t = centers[n]
        found = clear_in(table, arms, R, plate, on_platform, origin, need, spared, t, radius, work)
        if found < 0:
            bits[n] = PROVED_OUT
        elif found == 0 and not last:
            bits[n] = 0
        elif found == 0:
            bits[n] = bits[n] & (255 - PROVED_IN)
            if bits[n] & WITHIN:
                at = clear_in(
                    table, arms, R, plate, on_platform, origin, need, spared, t, 0.0, work
                )
                if at != 1:
                    bits[n] = bits[n] & (255 - WITHIN)


@kernel
def clear_points(points, base, arms, R, plate, on_platform, need, spared, out):
    """Clear out (N,) where a leg driven along its length is too near the body at points (N, 3)."""
    S, P, a, b = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for n in range(points.shape[0]):
        for i in range(6):
            if not out[n] or np.isnan(need[i]):
                continue
            for k in range(3):
                P[k] = points[n, k] + arms[i, k]
                S[k] = P[k] - base[i, k]
            long = sqrt(S[0] ** 2 + S[1] ** 2 + S[2] ** 2)
            share = min(spared / long, 1.0) if long > 0.0 else 1.0
            ends_of(S, arms[i] if on_platform else P, share, R, on_platform, a, b)
            x, y, z, _ = between(plate, a, b, 0.0)
            if x * x + y * y + z * z < need[i] * need[i]:
                out[n] = 0
