"""Compiled checks of many positions at one orientation, for legs of every kind in any mixture and bodies with shapes.

Copies of gough/struts.py, limits.py and clearances.py, limit by limit: reach, stroke, cones, leg-leg distance, bodies.
Limits that do not exist are given as numbers that always hold.  A cone of half angle h about the unit vector a holds a
strut along s where ``|a - s| cos(h/2) <= |a + s| sin(h/2)``, exact for narrow ones too (sine 1, cosine 0: no cone).
"""

from math import atan2, cos, inf, nan, sin, sqrt

import numpy as np

from gough.analysis.offset_kernel import dot, placed_offset, plus, times, twist_at
from gough.analysis.plate_kernel import between, ends_of
from gough.analysis.workspace_kernel import segments
from gough.engines.cache import njit
from gough.layout import LEG_GEOMETRY as LEG
from gough.layout import LEG_JOINTS as JOINTS
from gough.struts import CRANK, OFFSET, SLIDER

B, E, U, N, AXIS = (getattr(LEG, name).start for name in ("base", "e", "u", "n", "axis"))
KIND, H, LENGTH, SIGN, RHO, ZERO = LEG.kind, LEG.h, LEG.length, LEG.sign, LEG.rho, LEG.zero
TOP, BELOW, ABOVE = (getattr(JOINTS, name).start for name in ("platform_axis", "below", "above"))
BALL, TRAVEL, START = JOINTS.ball, JOINTS.travel, JOINTS.travel_zero


@njit(nogil=True, error_model="numpy")
def three(row, at):
    """Three numbers of a row as a vector."""
    return row[at], row[at + 1], row[at + 2]


@njit(nogil=True, error_model="numpy")
def place_slider(leg, P):
    """Coordinate of a slider with its platform joint at P from the base point, and where its strut starts from there;
    NaN: out of reach."""
    e = three(leg, E)
    along = dot(P, e)
    root = along * along - dot(P, P) + leg[LENGTH] * leg[LENGTH]
    lam = along - leg[SIGN] * sqrt(root) if root >= 0.0 else nan
    return lam, times(lam, e)


@njit(nogil=True, error_model="numpy")
def place_crank(leg, P):
    """The same of a crank, rad (gough/struts.py: `_turn`)."""
    e, u, n = three(leg, E), three(leg, U), three(leg, N)
    a, b, h = dot(P, u), dot(P, n), leg[H]
    d = (dot(P, P) + h * h + leg[RHO] * leg[RHO] - leg[LENGTH] * leg[LENGTH]) / 2.0 - h * dot(P, e)
    n2 = a * a + b * b
    root = n2 - d * d
    if not root >= 0.0 or n2 == 0.0:
        return nan, (nan, nan, nan)
    x = leg[SIGN] * sqrt(root)
    c, s = (a * d - b * x) / n2, (b * d + a * x) / n2
    c0, s0 = cos(leg[ZERO]), sin(leg[ZERO])
    lam = leg[ZERO] + atan2(s * c0 - c * s0, c * c0 + s * s0)
    return lam, plus(plus(times(h, e), c, u), s, n)


@njit(nogil=True, error_model="numpy")
def place(leg, joints, start, end, along):
    """Coordinate of any leg whose platform joint is at `end`, NaN: it does not reach; fills the strut's ends and unit
    direction.  leg: a row of `leg_table`, joints: of `joint_table`."""
    kind = leg[KIND]
    P = (end[0] - leg[B], end[1] - leg[B + 1], end[2] - leg[B + 2])
    foot = (0.0, 0.0, 0.0)
    if kind == OFFSET:
        k, kp = three(leg, AXIS), three(joints, TOP)
        lower, upper = three(joints, BELOW), three(joints, ABOVE)
        s, lam, foot, head = placed_offset(P, k, kp, lower, upper, joints[BALL] > 0.0)
        for m in range(3):
            end[m] += head[m]
    else:
        carried = kind in (SLIDER, CRANK)
        lam = 0.0
        if carried:
            lam, foot = place_slider(leg, P) if kind == SLIDER else place_crank(leg, P)
        S = plus(P, -1.0, foot)
        r = sqrt(dot(S, S))
        s = (S[0] / r, S[1] / r, S[2] / r)
        lam = lam if carried else r
    if joints[TRAVEL] != 0.0:
        phi = twist_at(three(leg, AXIS), three(joints, TOP), s, leg[ZERO])
        lam += joints[TRAVEL] * (phi - joints[START])
    for m in range(3):
        start[m] = leg[B + m] + foot[m]
        along[m] = s[m]
    return lam if abs(s[0]) + abs(s[1]) + abs(s[2]) < inf else nan


@njit(nogil=True, error_model="numpy")
def in_cone(axis, s, sine, cosine):
    """Is the unit vector s in the cone about `axis`?"""
    less, more = 0.0, 0.0
    for m in range(3):
        less += (axis[m] - s[m]) ** 2
        more += (axis[m] + s[m]) ** 2
    return sqrt(less) * cosine <= sqrt(more) * sine


@njit(nogil=True, error_model="numpy")
def clear_of(body, R, t, start, end, work):
    """Does every leg keep its radius from the body?  body: (plate, on the platform, need (6,), spared)."""
    plate, on_platform, need, spared = body
    S, P, a, b = work
    for i in range(6):
        if np.isnan(need[i]):
            continue
        for m in range(3):
            S[m] = end[i, m] - start[i, m]
            P[m] = end[i, m] - t[m] if on_platform else end[i, m]
        long = sqrt(S[0] ** 2 + S[1] ** 2 + S[2] ** 2)
        share = min(spared / long, 1.0)
        ends_of(S, P, share, R, on_platform, a, b)
        x, y, z, _ = between(plate, a, b, 0.0)
        if x * x + y * y + z * z < need[i] * need[i]:
            return False
    return True


@njit(nogil=True, error_model="numpy")
def inside_any(
    points, R, legs, joints, q, low, high, axes, cones, pairs, need, on_top, on_base, out
):
    """Fill out (N,) uint8 for points (N, 3) at the orientation R.

    legs (6, LEG_GEOMETRY.size), joints (6, LEG_JOINTS.size); axes (2, 6, 3) of cones, cones (2, 6, 2) sine and cosine
    of their halved half angles; pairs (k, 2), need (k,); bodies of platform and base as `clear_of` says
    """
    start, end, along = np.empty((6, 3)), np.empty((6, 3)), np.empty((6, 3))
    work = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for n in range(points.shape[0]):
        ok = True
        for i in range(6):
            for m in range(3):
                end[i, m] = points[n, m] + q[i, m]
            lam = place(legs[i], joints[i], start[i], end[i], along[i])
            ok = low[i] <= lam <= high[i]
            for k in range(2):
                ok = ok and in_cone(axes[k, i], along[i], cones[k, i, 0], cones[k, i, 1])
            if not ok:
                break
        for k in range(pairs.shape[0] if ok else 0):
            d2 = segments(start, pairs[k, 0], pairs[k, 1], end, 0.0, 0.0, 0.0)
            if d2 < need[k] * need[k]:
                ok = False
                break
        for body in (on_top, on_base):
            ok = ok and clear_of(body, R, points[n], start, end, work)
        out[n] = 1 if ok else 0
