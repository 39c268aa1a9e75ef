"""The platform: six legs' answers, one 6x6 system.

World axes, moments about the reference point.  docs/derivations/exact.md, platform
    q = R p      platform joint from the reference point
    B            rate matrix of the platform: a joint accelerates by ``a + B q``
    H            columns ``(s_i, q_i x s_i)``, or what else a unit y_i does;  ``tau_i = eta_i y_i`` with ``H y = rhs``
"""

from __future__ import annotations

from dataclasses import dataclass

from gough.equations.base import Base, Mount
from gough.equations.solve import Mass, Six, six_at
from gough.equations.strut import JointMotion, JointPlace, LegMass, LegState, Rub, TurnedMass
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
    vec_at,
)
from gough.layout import LOADED_MOTION, MOTION, POSE, Layout


@dataclass(slots=True, eq=False)
class BodyData:
    """The moving platform: mass, first and second moment about the reference point (platform axes), gravity.
    In the order of gough.layout.BODY."""

    mass: Scalar
    first: Vec
    second: Sym
    g: Vec


@dataclass(slots=True, eq=False)
class PlatformMotion:
    """Position t, axes R, velocity v, angular velocity w, acceleration a, angular acceleration al; base if it moves."""

    t: Vec
    R: Frame
    v: Vec
    w: Vec
    a: Vec
    al: Vec
    base: Base | None = None


def platform_frame(x: Scalar) -> Frame:
    """Columns of the rotation matrix, which a pose holds by rows."""
    i = POSE.at("rotation")
    return Frame(*(Vec(x[i + j], x[i + 3 + j], x[i + 6 + j]) for j in range(3)))


def platform_motion(x: Scalar, given: Layout = MOTION) -> PlatformMotion:
    """From the numbers of a MOTION, or of the shorter POSE or STATE: what these lack is zero."""

    def part(name: str) -> Vec:
        return vec_at(x, MOTION.at(name)) if name in given.names else Vec(0.0, 0.0, 0.0)

    return PlatformMotion(
        part("position"),
        platform_frame(x),
        part("velocity"),
        part("angular_velocity"),
        part("acceleration"),
        part("angular_acceleration"),
    )


def wrench_world(R: Frame, x: Scalar) -> Six:
    """External wrench behind a motion or a driven state, given in platform axes, in world axes."""
    f = six_at(x, LOADED_MOTION.at("external"))
    return Six(R.world(f.lin), R.world(f.ang))


def joint_motion(
    m: PlatformMotion,
    q: Vec,
    B: Mat,
    g: Vec,
    mount: Mount | None = None,
    rub: Rub | None = None,
) -> JointMotion:
    """``p = t + q``, ``pd = v + w x q``, ``pdd = a + B q``"""
    p, pd, pdd = m.t + q, m.v + cross(m.w, q), m.a + B.times(q)
    return JointMotion(p, pd, pdd, m.R, m.w, m.al, g, m.base, mount, rub)


def joint_place(m: PlatformMotion, q: Vec, g: Vec) -> JointPlace:
    """``p = t + q``"""
    return JointPlace(m.t + q, m.R, g)


def body_load(body: BodyData, m: PlatformMotion) -> Six:
    """Inertia and weight of the platform: ``M (a_G - g)`` and its moment with ``I al + w x I w``."""
    w, al, g = m.w, m.al, body.g
    if m.base is not None:
        w, al = m.base.turning(m.w, m.al)
        g = m.base.gravity(m.t, m.v)
    B = rate_matrix(m.R.local(w), m.R.local(al))
    fall = m.a - g
    return Six(
        fall * body.mass + m.R.world(B.times(body.first)),
        m.R.world(inertia_moment(B, body.second)) + cross(m.R.world(body.first), fall),
    )


def leg_load(q: Vec, leg: LegState) -> Six:
    """What one leg takes from the platform at zero effort, moments about the reference point."""
    return Six(leg.load, cross(q, leg.load) - leg.couple)


def column(q: Vec, leg: LegState) -> Six:
    """Wrench about the reference point of a unit y: ``(s, q x s)``, or of the leg's pull."""
    return (
        joint_wrench(q, leg.s, None)
        if leg.pull is None
        else joint_wrench(q, leg.pull.lin, leg.pull.ang)
    )


def transmission(q: Vec, leg: LegMass, effort: Scalar | None = None) -> Six:
    """``J^T tau`` of one leg: wrench about the reference point of an effort (None: of one)."""
    force, moment = leg.j, None if leg.turned is None else leg.turned.j
    if effort is not None:
        force, moment = force * effort, None if moment is None else moment * effort
    return joint_wrench(q, force, moment)


def joint_wrench(q: Vec, force: Vec, moment: Vec | None) -> Six:
    """A force and a moment at a joint, about the reference point."""
    arm = cross(q, force)
    return Six(force, arm if moment is None else arm + moment)


def body_mass(body: BodyData, R: Frame) -> Mass:
    """Mass matrix of the platform alone."""
    m = body.mass
    r = R.world(body.first)
    return Mass(
        Sym(m, 0.0, 0.0, m, 0.0, m),
        Mat(Vec(0.0, r.z, -r.y), Vec(-r.z, 0.0, r.x), Vec(r.y, -r.x, 0.0)),
        inertia_tensor(body.second).turned(R),
    )


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
    found = Mass(Q, Mat(-n1, -n2, -n3), Sym(c1.x, c1.y, c1.z, c2.y, c2.z, c3.z))
    return found if leg.turned is None else found + _turned_mass(q, leg.turned)


def _turned_mass(q: Vec, leg: TurnedMass) -> Mass:
    """Coupling X, angular mass Y at the joint, about the reference point, ``[[0, X], [X^T, Y + q~ X + (q~ X)^T]]``"""
    X, Y = leg.coupling, leg.angular
    # rows of q~ X
    a, b, c = X.c * q.y - X.b * q.z, X.a * q.z - X.c * q.x, X.b * q.x - X.a * q.y
    angular = Sym(
        Y.xx + 2.0 * a.x,
        Y.xy + a.y + b.x,
        Y.xz + a.z + c.x,
        Y.yy + 2.0 * b.y,
        Y.yz + b.z + c.y,
        Y.zz + 2.0 * c.z,
    )
    return Mass(Sym(0.0, 0.0, 0.0, 0.0, 0.0, 0.0), X, angular)


def leg_kinetic(leg: LegMass, pd: Vec, w: Vec, spin_rate: Scalar) -> Scalar:
    """``pd.Q pd/2 + axial (w_s + mu.pd/axial)^2/2``; the second part only for legs that spin freely."""
    axial = leg.axial + TINY
    spin = spin_rate + dot(leg.mu, pd) / axial
    found = 0.5 * (dot(pd, leg.Q.times(pd)) + leg.axial * spin * spin)
    if leg.turned is None:
        return found
    return found + dot(pd, leg.turned.coupling.times(w)) + 0.5 * dot(w, leg.turned.angular.times(w))


TINY = 1e-300
