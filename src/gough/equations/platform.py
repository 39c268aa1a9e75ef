"""The platform: six legs' answers, one 6x6 system.

World axes, moments about the reference point.  docs/derivations/exact.md, platform
    q = R p      platform joint from the reference point
    B            rate matrix of the platform: a joint accelerates by ``a + B q``
    H            columns ``(s_i, q_i x s_i)``;  ``tau_i = eta_i y_i`` with ``H y = rhs``
"""

from __future__ import annotations

from gough.equations.solve import Mass, Six
from gough.equations.strut import JointMotion, LegMass, LegState
from gough.equations.vec import (
    Frame,
    Mat,
    Scalar,
    Sym,
    Vec,
    cross,
    dot,
    inertia_moment,
    inertia_tensor,
    rate_matrix,
)


class BodyData:
    """The moving platform: mass, first and second moment about the reference point (platform axes), gravity."""

    __slots__ = ("first", "g", "mass", "second")

    def __init__(self, mass: Scalar, first: Vec, second: Sym, g: Vec) -> None:
        self.mass = mass
        self.first = first
        self.second = second
        self.g = g


class PlatformMotion:
    """Position t, axes R, velocity v, angular velocity w, acceleration a, angular acceleration al."""

    __slots__ = ("R", "a", "al", "t", "v", "w")

    def __init__(self, t: Vec, R: Frame, v: Vec, w: Vec, a: Vec, al: Vec) -> None:
        self.t = t
        self.R = R
        self.v = v
        self.w = w
        self.a = a
        self.al = al


def body_data(a: Scalar) -> BodyData:
    """From the first 13 numbers of the parameter vector."""
    return BodyData(a[0], Vec(a[1], a[2], a[3]), Sym(a[4], a[5], a[6], a[7], a[8], a[9]), Vec(a[10], a[11], a[12]))


def platform_frame(x: Scalar) -> Frame:
    """Columns of the row-major rotation matrix x[3:12]."""
    return Frame(Vec(x[3], x[6], x[9]), Vec(x[4], x[7], x[10]), Vec(x[5], x[8], x[11]))


def platform_motion(x: Scalar) -> PlatformMotion:
    """From 24 numbers: t, R by rows, v, w, a, al."""
    return PlatformMotion(Vec(x[0], x[1], x[2]), platform_frame(x), Vec(x[12], x[13], x[14]),
                          Vec(x[15], x[16], x[17]), Vec(x[18], x[19], x[20]), Vec(x[21], x[22], x[23]))


def joint_motion(m: PlatformMotion, q: Vec, B: Mat, g: Vec) -> JointMotion:
    """``p = t + q``, ``pd = v + w x q``, ``pdd = a + B q``"""
    return JointMotion(m.t + q, m.v + cross(m.w, q), m.a + B.times(q), m.w, g)


def body_load(body: BodyData, m: PlatformMotion) -> Six:
    """Inertia and weight of the platform: ``M (a_G - g)`` and its moment with ``I al + w x I w``."""
    B = rate_matrix(m.R.local(m.w), m.R.local(m.al))
    fall = m.a - body.g
    return Six(fall * body.mass + m.R.world(B.times(body.first)),
               m.R.world(inertia_moment(B, body.second)) + cross(m.R.world(body.first), fall))


def leg_load(q: Vec, leg: LegState) -> Six:
    """What one leg takes from the platform at zero effort, moments about the reference point."""
    return Six(leg.load, cross(q, leg.load) - leg.couple)


def column(q: Vec, direction: Vec) -> Six:
    """``(s, q x s)``"""
    return Six(direction, cross(q, direction))


def body_mass(body: BodyData, R: Frame) -> Mass:
    """Mass matrix of the platform alone."""
    m = body.mass
    r = R.world(body.first)
    return Mass(Sym(m, 0.0, 0.0, m, 0.0, m), Mat(Vec(0.0, r.z, -r.y), Vec(-r.z, 0.0, r.x), Vec(r.y, -r.x, 0.0)),
                inertia_tensor(body.second).turned(R))


def leg_mass(q: Vec, leg: LegMass) -> Mass:
    """``J^T Q J`` with ``J = [E, -q~]``: the leg's share of the task-space mass matrix."""
    Q = leg.Q
    # rows of Q q~: a.(q x v) = (a x q).v
    n1 = cross(Vec(Q.xx, Q.xy, Q.xz), q)
    n2 = cross(Vec(Q.xy, Q.yy, Q.yz), q)
    n3 = cross(Vec(Q.xz, Q.yz, Q.zz), q)
    c1 = n2 * q.z - n3 * q.y
    c2 = n3 * q.x - n1 * q.z
    c3 = n1 * q.y - n2 * q.x
    return Mass(Q, Mat(-n1, -n2, -n3), Sym(c1.x, c1.y, c1.z, c2.y, c2.z, c3.z))


def leg_kinetic(leg: LegMass, pd: Vec, spin_rate: Scalar) -> Scalar:
    """``pd.Q pd/2 + axial (w_s + mu.pd/axial)^2/2``; the second part only for legs that spin freely."""
    axial = leg.axial + TINY
    spin = spin_rate + dot(leg.mu, pd) / axial
    return 0.5 * (dot(pd, leg.Q.times(pd)) + leg.axial * spin * spin)


TINY = 1e-300
