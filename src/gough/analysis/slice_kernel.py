"""Compiled area of a plane slice between shells and cones: Green's sum of arcs.py, curve by curve.

    X(psi) = form (1, cos psi, sin psi)       a circle or conic of the slice, homogeneous (X, Y, w)
    f(psi) = X^T quadric X = g0 + g1 cos psi + g2 sin psi + g3 cos 2 psi + g4 sin 2 psi      another surface along it
Each curve starts whole; every other surface cuts it at the roots of its f and keeps the pieces whose middle lies
inside, so most curves are gone after a few surfaces.  Roots are isolated by bounds of f'': an interval holds none
(|f| too large), at most one (f monotone), or is halved; closer pairs than `CLOSE` count as one tangency, placed where
the inside changes (flat cones).  Conics are summed by 14-point Gauss on pieces whose pole w = 0 keeps away by more
than their own width, circles in closed form.
"""

from math import acos, atan2, ceil, cos, hypot, pi, sin, sqrt

import numpy as np

from gough.engines.cache import njit

TURN = 2.0 * pi
PIECE = pi / 4.0  # longest piece at the start
CLOSE = 1e-7  # rad, half the width of an interval that is not looked into any more
MOST = 192  # pieces of one curve; more: no answer (NaN)
STEPS = 400  # intervals looked at for the roots of one f on one piece; more: no answer
OUTER, INNER, CONE = 0, 1, 2
NODES, WEIGHTS = np.polynomial.legendre.leggauss(14)


@njit(nogil=True, error_model="numpy")
def value(g, psi):
    """f, f' and f'' at an angle."""
    c, s = cos(psi), sin(psi)
    c2, s2 = c * c - s * s, 2.0 * c * s
    once, twice = g[1] * c + g[2] * s, g[3] * c2 + g[4] * s2
    slope = g[2] * c - g[1] * s + 2.0 * (g[4] * c2 - g[3] * s2)
    return g[0] + once + twice, slope, -once - 4.0 * twice


@njit(nogil=True, error_model="numpy")
def root_between(g, a, b):
    """The root of a monotone f with a change of sign in (a, b): Newton within a bracket."""
    low = value(g, a)[0] < 0.0
    x = 0.5 * (a + b)
    for _ in range(60):
        f, slope, _ = value(g, x)
        if f == 0.0:
            break
        if (f < 0.0) == low:
            a = x
        else:
            b = x
        new = x - f / slope if slope != 0.0 else a
        if not a < new < b:
            new = 0.5 * (a + b)
        if abs(new - x) < 1e-15 * (1.0 + abs(x)):
            break
        x = new
    return x


@njit(nogil=True, error_model="numpy")
def two_roots(g, a, b, out):
    """`roots` of two circles, ``g3 = g4 = 0``, in closed form."""
    size = hypot(g[1], g[2])
    if not abs(g[0]) < size:
        return 0
    middle, half = atan2(g[2], g[1]), acos(-g[0] / size)
    first, second = a + (middle - half - a) % TURN, a + (middle + half - a) % TURN
    if first > second:
        first, second = second, first
    count = 0
    for angle in (first, second):
        if angle < b:
            out[count] = angle
            count += 1
    return count


@njit(nogil=True, error_model="numpy")
def roots(g, a, b, out):
    """Angles in (a, b) at which f changes its sign or touches zero, ascending, into `out`; how many, -1: too many."""
    if g[3] == 0.0 and g[4] == 0.0:
        return two_roots(g, a, b, out)
    third = hypot(g[1], g[2]) + 8.0 * hypot(g[3], g[4])
    starts, ends = np.empty(64), np.empty(64)
    starts[0], ends[0], top, count, steps = a, b, 0, 0, 0
    while top >= 0:
        low, high = starts[top], ends[top]
        top -= 1
        steps += 1
        m, h = 0.5 * (low + high), 0.5 * (high - low)
        f, slope, curve = value(g, m)
        bend = abs(curve) + third * h
        if abs(f) > abs(slope) * h + 0.5 * bend * h * h:
            continue
        if abs(slope) > bend * h:
            if (value(g, low)[0] < 0.0) != (value(g, high)[0] < 0.0):
                out[count] = root_between(g, low, high)
                count += 1
        elif steps > STEPS:
            return -1
        elif h < CLOSE:
            out[count] = m
            count += 1
        else:
            starts[top + 1], ends[top + 1] = m, high
            starts[top + 2], ends[top + 2] = low, m
            top += 2
    return count


@njit(nogil=True, error_model="numpy")
def along(form, Q, g):
    """Coefficients g (5,) of a quadric along a curve: the entries of ``form^T Q form``."""
    G = np.empty((3, 3))
    for i in range(3):
        q0 = Q[0, 0] * form[0, i] + Q[0, 1] * form[1, i] + Q[0, 2] * form[2, i]
        q1 = Q[1, 0] * form[0, i] + Q[1, 1] * form[1, i] + Q[1, 2] * form[2, i]
        q2 = Q[2, 0] * form[0, i] + Q[2, 1] * form[1, i] + Q[2, 2] * form[2, i]
        for j in range(3):
            G[i, j] = q0 * form[0, j] + q1 * form[1, j] + q2 * form[2, j]
    g[0] = G[0, 0] + 0.5 * (G[1, 1] + G[2, 2])
    g[1], g[2] = 2.0 * G[0, 1], 2.0 * G[0, 2]
    g[3], g[4] = 0.5 * (G[1, 1] - G[2, 2]), G[1, 2]


@njit(nogil=True, error_model="numpy")
def point(form, psi):
    """Homogeneous point (X, Y, w) of a curve."""
    c, s = cos(psi), sin(psi)
    return (
        form[0, 0] + form[0, 1] * c + form[0, 2] * s,
        form[1, 0] + form[1, 1] * c + form[1, 2] * s,
        form[2, 0] + form[2, 1] * c + form[2, 2] * s,
    )


@njit(nogil=True, error_model="numpy")
def keeps(kind, data, form, psi):
    """Is the point of a curve within a surface?  data: center and squared radius, or foot, height, axis, cosine."""
    X, Y, w = point(form, psi)
    x, y = X / w - data[0], Y / w - data[1]
    if kind == CONE:
        h = data[2]
        reach = sqrt(x * x + y * y + h * h)
        return data[3] * x + data[4] * y + data[5] * h >= data[6] * reach
    gap = x * x + y * y - data[2]
    return gap <= 0.0 if kind == OUTER else gap >= 0.0


@njit(nogil=True, error_model="numpy")
def curves(center, low, high, tip, axis, cosine, generators, z, size, kinds, data, forms, quadrics):
    """Fill the surfaces of the plane z, each with its curve; how many, 0 when an outer sphere does not reach it."""
    count = 0
    for kind in (OUTER, INNER):
        for i in range(center.shape[0]):
            r = high[i] if kind == OUTER else low[i]
            r2 = r * r - (z - center[i, 2]) ** 2
            if r2 <= 0.0:
                if kind == OUTER:
                    return 0
                continue
            x, y, r = center[i, 0], center[i, 1], sqrt(r2)
            kinds[count] = kind
            data[count, 0], data[count, 1], data[count, 2] = x, y, r2
            form, Q = forms[count], quadrics[count]
            form[:, :], Q[:, :] = 0.0, 0.0
            form[0, 0], form[1, 0], form[2, 0], form[0, 1], form[1, 2] = x, y, 1.0, r, r
            Q[0, 0], Q[1, 1], Q[2, 2] = 1.0, 1.0, x * x + y * y - r2
            Q[0, 2], Q[2, 0], Q[1, 2], Q[2, 1] = -x, -x, -y, -y
            count += 1
    for i in range(tip.shape[0]):
        x, y, h = tip[i, 0], tip[i, 1], z - tip[i, 2]
        if h == 0.0:
            h = 1e-14 * size
        kinds[count] = CONE
        data[count, 0], data[count, 1], data[count, 2], data[count, 6] = x, y, h, cosine[i]
        data[count, 3:6] = axis[i]
        lift = np.zeros((3, 3))
        lift[0, 0], lift[1, 1], lift[0, 2], lift[1, 2], lift[2, 2] = 1.0, 1.0, -x, -y, h
        rows = np.empty((3, 3))
        for j in range(3):
            u = generators[i]
            forms[count, 0, j] = h * u[0, j] + x * u[2, j]
            forms[count, 1, j] = h * u[1, j] + y * u[2, j]
            forms[count, 2, j] = u[2, j]
            for k in range(3):
                rows[j, k] = axis[i, j] * axis[i, k] - (cosine[i] ** 2 if j == k else 0.0)
        for j in range(3):
            for k in range(3):
                total = 0.0
                for p in range(3):
                    for q in range(3):
                        total += lift[p, j] * rows[p, q] * lift[q, k]
                quadrics[count, j, k] = total
        count += 1
    return count


@njit(nogil=True, error_model="numpy")
def start(kind, data, form, pieces):
    """The whole curve as short pieces: a full turn of a circle, the part of a conic on its own nappe; how many."""
    first, last = 0.0, TURN
    if kind == CONE:
        mean, swing = form[2, 0], hypot(form[2, 1], form[2, 2])
        up = data[2] > 0.0
        if abs(mean) >= swing:
            if (mean > 0.0) != up:
                return 0
        else:
            middle, half = atan2(form[2, 2], form[2, 1]), acos(-mean / swing)
            if not up:
                middle, half = middle + pi, pi - half
            first, last = middle - half, middle + half
    count = max(ceil((last - first) / PIECE), 1)
    for k in range(count):
        pieces[k, 0] = first + (last - first) * k / count
        pieces[k, 1] = first + (last - first) * (k + 1) / count
    return count


@njit(nogil=True, error_model="numpy")
def placed(kind, data, form, g, psi):
    """A crossing with a cone that f only touches (a flat cone), where the inside changes; others as they are."""
    _, slope, curve = value(g, psi)
    if kind != CONE or abs(slope) > 1e-4 * abs(curve):
        return psi
    a, b = psi - 4.0 * CLOSE, psi + 4.0 * CLOSE
    within = keeps(kind, data, form, a)
    if within == keeps(kind, data, form, b):
        return psi
    for _ in range(40):
        psi = 0.5 * (a + b)
        if keeps(kind, data, form, psi) == within:
            a = psi
        else:
            b = psi
    return psi


@njit(nogil=True, error_model="numpy")
def cut(kind, data, form, g, pieces, count, spare, found):
    """The pieces that a surface with coefficients g leaves, put back into `pieces`; how many, -1: too many."""
    kept = 0
    for k in range(count):
        a, b = pieces[k, 0], pieces[k, 1]
        crossings = roots(g, a, b, found)
        if crossings < 0 or kept + crossings >= MOST:
            return -1
        left = a
        for m in range(crossings + 1):
            right = placed(kind, data, form, g, found[m]) if m < crossings else b
            if right > left and keeps(kind, data, form, 0.5 * (left + right)):
                spare[kept, 0], spare[kept, 1] = left, right
                kept += 1
            left = right
    pieces[:kept] = spare[:kept]
    return kept


@njit(nogil=True, error_model="numpy")
def conic_sum(form, a, b, x0, y0):
    """``1/2 int (x dy - y dx)`` along a conic from a to b about (x0, y0)."""
    swing = hypot(form[2, 1], form[2, 2])
    total, low = 0.0, a
    while low < b:
        high = b
        middle = 0.5 * (low + high)
        for _ in range(60):
            if 2.0 * swing * (high - low) <= abs(point(form, middle)[2]):
                break
            high = low + 0.5 * (high - low)
            middle = 0.5 * (low + high)
        half = 0.5 * (high - low)
        for k in range(NODES.shape[0]):
            psi = middle + half * NODES[k]
            X, Y, w = point(form, psi)
            c, s = cos(psi), sin(psi)
            dw = form[2, 2] * c - form[2, 1] * s
            x, y = X / w, Y / w
            dx = (form[0, 2] * c - form[0, 1] * s - x * dw) / w
            dy = (form[1, 2] * c - form[1, 1] * s - y * dw) / w
            total += 0.5 * half * WEIGHTS[k] * ((x - x0) * dy - (y - y0) * dx)
        if high <= low:
            break
        low = high
    return total


@njit(nogil=True, error_model="numpy")
def side(kind, data, form, psi):
    """+1 where the inside lies on the left of growing psi, else -1."""
    if kind != CONE:
        return 1.0 if kind == OUTER else -1.0
    X, Y, w = point(form, psi)
    c, s = cos(psi), sin(psi)
    x, y, dw = X / w, Y / w, form[2, 2] * c - form[2, 1] * s
    dx = (form[0, 2] * c - form[0, 1] * s - x * dw) / w
    dy = (form[1, 2] * c - form[1, 1] * s - y * dw) / w
    ex, ey = x - data[0], y - data[1]
    reach = sqrt(ex * ex + ey * ey + data[2] * data[2])
    inx, iny = data[3] - data[6] * ex / reach, data[4] - data[6] * ey / reach
    return 1.0 if dx * iny - dy * inx >= 0.0 else -1.0


@njit(nogil=True, error_model="numpy")
def area(center, low, high, tip, axis, cosine, generators, size, z):
    """Area of the plane z within all shells and cones, m^2; NaN where a curve falls into too many pieces."""
    most = 2 * center.shape[0] + tip.shape[0]
    kinds, data = np.empty(most, dtype=np.int64), np.zeros((most, 7))
    forms, quadrics = np.empty((most, 3, 3)), np.empty((most, 3, 3))
    many = curves(
        center, low, high, tip, axis, cosine, generators, z, size, kinds, data, forms, quadrics
    )
    x0, y0 = center[:, 0].mean(), center[:, 1].mean()
    pieces, spare = np.empty((MOST, 2)), np.empty((MOST, 2))
    found, g = np.empty(MOST), np.empty(5)
    total = 0.0
    for k in range(many):
        form, kind = forms[k], kinds[k]
        count = start(kind, data[k], form, pieces)
        for j in range(many):
            if j == k or count == 0:
                continue
            along(form, quadrics[j], g)
            if kind != CONE and kinds[j] != CONE:
                g[3], g[4] = 0.0, 0.0
            if abs(g[0]) > 1.0001 * (hypot(g[1], g[2]) + hypot(g[3], g[4])):  # of one sign
                if not keeps(kinds[j], data[j], form, 0.5 * (pieces[0, 0] + pieces[0, 1])):
                    count = 0
                continue
            count = cut(kinds[j], data[j], form, g, pieces, count, spare, found)
            if count < 0:
                return np.nan
        for m in range(count):
            a, b = pieces[m, 0], pieces[m, 1]
            if kind == CONE:
                turn = side(kind, data[k], form, 0.5 * (a + b))
                total += turn * conic_sum(form, a, b, x0, y0)
            else:
                r, x, y = form[0, 1], form[0, 0] - x0, form[1, 0] - y0
                swept = r * (b - a) + x * (sin(b) - sin(a)) - y * (cos(b) - cos(a))
                total += (0.5 if kind == OUTER else -0.5) * r * swept
    return total
