"""Compiled closure of legs whose universal joints have offsets, and the twist of UCU legs: as gough/offset_legs.py and
gough/twist.py say, step by step, so that both refuse the same poses.

Vectors are (x, y, z); a joint is (k, y, z, n, kap, sig, (e, d, f)), the fields of `gough.offset_legs.JointPose`.
World axes, m, rad.
"""

from math import atan2, cos, nan, sin, sqrt

from gough.engines.cache import njit
from gough.offset_legs import CLOSED, NEWTON

NOWHERE = (nan, nan, nan)


@njit(nogil=True, error_model="numpy")
def dot(a, b):
    """``a.b``."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@njit(nogil=True, error_model="numpy")
def cross(a, b):
    """``a x b``."""
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


@njit(nogil=True, error_model="numpy")
def plus(a, x, b):
    """``a + x b``."""
    return a[0] + x * b[0], a[1] + x * b[1], a[2] + x * b[2]


@njit(nogil=True, error_model="numpy")
def times(x, a):
    """``x a``."""
    return x * a[0], x * a[1], x * a[2]


@njit(nogil=True, error_model="numpy")
def unit(a):
    """``a/|a|``; NaN of nothing."""
    return times(1.0 / sqrt(dot(a, a)), a)


@njit(nogil=True, error_model="numpy")
def joint_at(k, s, offset):
    """The joint with first axis k and offsets (e, d, f) of a leg along s."""
    across = cross(k, s)
    sig = sqrt(dot(across, across))
    y = times(1.0 / sig, across)
    return k, y, cross(s, y), cross(y, k), dot(k, s), sig, offset


@njit(nogil=True, error_model="numpy")
def reach_of(joint):
    """Leg axis from the center of the joint: ``e n + f y + d z``."""
    _, y, z, n, _, _, (e, d, f) = joint
    return plus(plus(times(e, n), f, y), d, z)


@njit(nogil=True, error_model="numpy")
def shift_of(joint, s, swing):
    """Velocity of the leg's axis for a swing across s while the carrier stands still."""
    k, y, z, n, kap, sig, (e, d, f) = joint
    W = plus(swing, kap / (sig * sig) * dot(k, swing), s)
    first = cross(times(dot(k, W), k), times(e, n))
    return plus(first, 1.0, cross(W, plus(times(f, y), d, z)))


@njit(nogil=True, error_model="numpy")
def column(axis, s, length, below, above):
    """Velocity of the platform joint while the leg swings about `axis` of its base joint: a column of G."""
    own = plus(times(length, cross(axis, s)), 1.0, shift_of(below, s, axis))
    return plus(own, -1.0, shift_of(above, s, axis))


@njit(nogil=True, error_model="numpy")
def between_joints(P, below, above):
    """``P - Delta(s)``: what L s must be."""
    return plus(plus(P, -1.0, reach_of(below)), 1.0, reach_of(above))


@njit(nogil=True, error_model="numpy")
def closed_along(P, k, kp, lower, upper):
    """Direction of a leg with two universal joints: one step of Picard's, `NEWTON` of Newton's; NaN: not closed."""
    s = unit(P)
    s = unit(between_joints(P, joint_at(k, s, lower), joint_at(kp, s, upper)))
    last = 0.0
    for _ in range(NEWTON):
        below, above = joint_at(k, s, lower), joint_at(kp, s, upper)
        strut = between_joints(P, below, above)
        length = dot(s, strut)
        y = column(below[1], s, length, below, above)
        z = column(below[2], s, length, below, above)
        det = dot(s, cross(y, z))
        turn = times(dot(cross(z, s), strut) / det, below[1])
        turn = plus(turn, dot(cross(s, y), strut) / det, below[2])
        s, last = unit(plus(s, 1.0, cross(turn, s))), dot(turn, turn)
    return s if last <= CLOSED * CLOSED else NOWHERE


@njit(nogil=True, error_model="numpy")
def ball_along(P, k, lower):
    """Direction of a leg with a ball at the platform, in closed form; NaN at or beyond its first axis."""
    e, d, f = lower
    along = dot(k, P)
    across = plus(P, -along, k)
    square = dot(across, across)
    if not square - f * f >= 0.0:
        return NOWHERE
    far = sqrt(square - f * f)
    n, u = times(1.0 / square, plus(times(far, across), -f, cross(k, across))), far - e
    rest = u * u + along * along - d * d
    if not rest >= 0.0:
        return NOWHERE
    length = sqrt(rest)
    both = length * length + d * d
    cosine, sine = (length * u + d * along) / both, (d * u - length * along) / both
    return plus(times(cosine, n), -sine, k) if cosine > 0.0 else NOWHERE


@njit(nogil=True, error_model="numpy")
def placed_offset(P, k, kp, lower, upper, ball):
    """Direction and length of a leg with platform joint at P from its base joint, and its axis' ends from the joints;
    NaN: not closed."""
    s = ball_along(P, k, lower) if ball else closed_along(P, k, kp, lower, upper)
    below, above = joint_at(k, s, lower), joint_at(kp, s, upper)
    length = dot(s, between_joints(P, below, above))
    if not length > 0.0:
        return NOWHERE, nan, NOWHERE, NOWHERE
    return s, length, reach_of(below), reach_of(above)


@njit(nogil=True, error_model="numpy")
def twist_at(k, kp, s, zero):
    """Twist of a leg along s with first axes k and kp, in ``zero + (-pi, pi]``."""
    a, b = cross(k, s), cross(kp, s)
    sine, cosine = dot(s, cross(a, b)), dot(a, b)
    c, z = cos(zero), sin(zero)
    return zero + atan2(sine * c - cosine * z, cosine * c + sine * z)
