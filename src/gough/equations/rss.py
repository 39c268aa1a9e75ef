"""Crank on a fixed shaft, ball joints at both ends of the rod (RSS): the rod may spin about its own axis.

As with SPS legs there are three cases; in those with a spin ``s.C = 0`` about the crank tip answers its acceleration,
``a_t = -s.C(a_t=0)/I_a``.  docs/derivations/rods.md
    `rss`        axisymmetric rod, no ball friction, no spin in the world: no moment acts about s
    `rss_axial`  axisymmetric rod that spins: only the rate matters; world axes, no frame
    `rss_spin`   any rod: the spin angle counts from the reference k, T = [s, y, s x y] Rx(phi), y = k x s/|k x s|
The friction of the ball at the tip feels the crank: ``C_u (W - thd e)``; it acts on the crank about its shaft.  So do
springs in it (`rss_spin` only): the rod's axes T from rest, in the crank's axes.  docs/derivations/springs.md
"""

from __future__ import annotations

from typing import Any

from gough.equations.base import point_kinetic
from gough.equations.rus import (
    Crank,
    RUSData,
    crank_axes,
    crank_load,
    crank_position,
    crank_risk,
    lever_risk,
    rod_state,
    turn_motion,
)
from gough.equations.scalar import angle
from gough.equations.springs import LegSprings, SpringLoad, ball_load
from gough.equations.sps import spun_frame
from gough.equations.strut import (
    STILL,
    JointMotion,
    JointPlace,
    LegMass,
    LegSpin,
    LegState,
    Swings,
    across,
    condensed,
    free_spin,
    strut_risk,
    swing_mass,
)
from gough.equations.vec import (
    Frame,
    Mat,
    Scalar,
    Sym,
    Turning,
    Vec,
    cross,
    dot,
    leg_frame,
    norm,
    outer,
    rate_matrix,
)


def rss_data(
    joint: Vec,
    base: Vec,
    shaft: Vec,
    arm: Turning,
    reference: Vec,
    *rest: Any,
    springs: LegSprings | None = None,
) -> RUSData:
    """In the order of gough.layout.BALL_CRANK: a RUS leg whose k is the reference and does not turn."""
    k = Turning(reference, STILL, STILL)
    return RUSData(joint, base, shaft, arm, k, *rest, springs=springs)


def rss_axes(leg: RUSData, p: Vec, R: Frame) -> tuple[Frame, Frame]:
    """The rod's axes without spin with the platform joint at p, in the world and as the crank holds them, in its axes
    at home."""
    crank = crank_position(leg, p)
    T = leg_frame(leg.k.axial, (p - leg.base - crank.u) / leg.length)
    return T, crank_axes(leg, crank).sees(T)


def rss_springs(leg: RUSData, crank: Crank, T: Frame, R: Frame) -> SpringLoad | None:
    """What the springs in the joints do, if there are any."""
    if leg.springs is None:
        return None
    return ball_load(leg.springs, T, R, crank_axes(leg, crank))


def rss(leg: RUSData, at: JointMotion, spin: LegSpin) -> LegState:
    """Axisymmetric rod without ball friction that does not spin."""
    return _round(leg, at, None)


def rss_axial(leg: RUSData, at: JointMotion, spin: LegSpin) -> LegState:
    """The same spinning: ``I_a a_t = -s.(C_u (W - thd e) + C_s (W - w))``."""
    return _round(leg, at, spin.rate)


def _round(leg: RUSData, at: JointMotion, rate: Scalar | None) -> LegState:
    """With ``I = I_t E + (I_a - I_t) s s^T`` and first moment ``h s``: ``C = I_t A + (I_a - I_t)(A.s s + W.s W x s)
    + h s x (a_tip - g)`` and the balls' friction, world axes."""
    m, Lf, S, h = turn_motion(leg, at), leg.length, leg.second, leg.first.x
    s, crank, thd = m.s, m.crank, m.thd
    across_, axial = S.xx + S.yy, S.yy + S.zz
    ws: Scalar = 0.0
    if rate is not None:
        ws = rate
    elif at.base is not None:
        ws = -dot(s, at.base.w)
    Wn = cross(s, m.n1) / Lf
    W, A = Wn + s * ws, cross(s, m.n2) / Lf - cross(s, Wn) * ws
    grip = drag = STILL
    if rate is not None:
        grip, drag = (W - leg.shaft * thd) * leg.friction.x, (W - at.w) * leg.friction.z
        if at.rub is not None:
            grip, drag = grip + at.rub.base, drag + at.rub.platform
    W0, A0 = (W, A) if at.base is None else at.base.turning(W, A)
    spin_acceleration: Scalar = 0.0 if at.base is None else -dot(s, A0)
    if rate is not None:
        spin_acceleration = spin_acceleration - dot(s, grip + drag) / axial
    A, A0 = A + s * spin_acceleration, A0 + s * spin_acceleration
    place, tip_rate = leg.base + crank.u, crank.n * thd
    fall = m.tip - at.felt(place, tip_rate)
    lean, extra = cross(W0, s), axial - across_
    rod_load = fall * leg.mass + (cross(A0, s) + cross(W0, lean)) * h
    C = A0 * across_ + (s * dot(s, A0) + lean * dot(s, W0)) * extra + cross(s, fall) * h
    K = cross(C + grip + drag, s) / Lf
    own = crank_load(leg, at, crank, thd, m.thdd)
    effort = own.effort + dot(crank.n, rod_load - K) - dot(leg.shaft, grip)
    kinetic = own.kinetic
    if at.base is not None:
        along = dot(s, W0)
        v = at.base.velocity(place, tip_rate)
        kinetic = kinetic + 0.5 * (across_ * dot(lean, lean) + axial * along * along)
        kinetic = kinetic + point_kinetic(leg.mass, v, lean * h)
    return LegState(
        A=A,
        K=K,
        W=W,
        acceleration=m.thdd,
        arm=crank.u,
        coordinate=leg.zero + angle(crank.sine, crank.cosine),
        couple=drag,
        eta=m.eta,
        load=K + s * (effort / m.eta),
        part_load=own.load,
        part_moment=own.moment,
        rate=thd,
        risk=lever_risk(leg, m.eta) + strut_risk(leg.base, leg.joint, Lf),
        s=s,
        spin_acceleration=0.0 if rate is None else spin_acceleration,
        strut_load=rod_load,
        universal_moment=-grip,
        kinetic=kinetic,
    )


def rss_spin(leg: RUSData, at: JointMotion, spin: LegSpin) -> LegState:
    """Any rod."""
    m, Lf, k = turn_motion(leg, at), leg.length, leg.k.axial
    T = spun_frame(k, m.s, spin)
    Wn = across(T.local(m.n1), Lf)
    W = Vec(spin.rate, Wn.y, Wn.z)
    An = across(T.local(m.n2), Lf) - Vec(0.0, -spin.rate * Wn.z, spin.rate * Wn.y)
    grip = (W - T.local(leg.shaft) * m.thd) * leg.friction.x
    drag, risk = (W - T.local(at.w)) * leg.friction.z, crank_risk(leg, norm(cross(k, m.s)), m.eta)
    springs = rss_springs(leg, m.crank, T, at.R)
    if springs is not None:
        grip, drag, risk = grip + springs.base, drag + springs.platform, risk + springs.risk
    grip, drag = at.rubbed(T, grip, drag)
    fall = T.local(m.tip) - T.local(at.felt(leg.base + m.crank.u, m.crank.n * m.thd))
    B = rate_matrix(*at.turning(T, W, An))
    A = Vec(free_spin(B, leg.second, leg.first, fall, grip.x + drag.x), An.y, An.z)
    return rod_state(leg, at, m, T, W, A, grip, drag, universal=None, risk=risk)


def rss_mass(leg: RUSData, at: JointPlace, spin: LegSpin) -> LegMass:
    """``Q = a E + b (j n^T + n j^T) + c j j^T``: ``a = I_t/Lf^2``, ``b = h/Lf - a``,
    ``c = n.n (m - 2 h/Lf + a) + I_shaft + J_r``, j = s/eta, n the tip's velocity per rate."""
    return _round_mass(leg, at, 0.0)


def rss_axial_mass(leg: RUSData, at: JointPlace, spin: LegSpin) -> LegMass:
    """The same: the spin of a round rod is not coupled to it."""
    return _round_mass(leg, at, leg.second.yy + leg.second.zz)


def _round_mass(leg: RUSData, at: JointPlace, axial: Scalar) -> LegMass:
    crank, s, eta = _placed(leg, at)
    n, j, Lf, S = crank.n, s / eta, leg.length, leg.second
    a, lean = (S.xx + S.yy) / (Lf * Lf), leg.first.x / Lf
    c = dot(n, n) * (leg.mass - 2.0 * lean + a) + leg.shaft_inertia + leg.reflected
    both, own = outer(j + n), lean - a  # j n^T + n j^T = (j + n)(j + n)^T - j j^T - n n^T
    pairs = zip(both, outer(j), outer(n), strict=True)
    Q = Sym(*(own * (ab - aa - bb) + c * aa for ab, aa, bb in pairs))
    return LegMass(
        Q=Q + Sym(a, 0.0, 0.0, a, 0.0, a),
        axial=axial,
        j=j,
        mu=STILL,
        potential=_weight(leg, at, crank.u, crank.held(leg.crank_first), s * leg.first.x),
        risk=lever_risk(leg, eta) + strut_risk(leg.base, leg.joint, Lf),
    )


def rss_spin_mass(leg: RUSData, at: JointPlace, spin: LegSpin) -> LegMass:
    """Any rod: ``Q = Q_0 - mu mu^T/I_a``."""
    crank, s, eta = _placed(leg, at)
    k, Lf = leg.k.axial, leg.length
    T = spun_frame(k, s, spin)
    travel = T.local(crank.n) / eta
    rates = Mat(
        Vec(0.0, travel.z / Lf, -travel.y / Lf), Vec(0.0, 0.0, 1.0 / Lf), Vec(0.0, -1.0 / Lf, 0.0)
    )
    swings = Swings(rates, Mat(travel, STILL, STILL))
    axial, mu = leg.second.yy + leg.second.zz, swings.spin_coupling(leg.second, leg.first)
    Q = swing_mass(swings.rates, swings.slides, leg.second, leg.first, leg.mass)
    Q = Q + Sym((leg.shaft_inertia + leg.reflected) / (eta * eta), 0.0, 0.0, 0.0, 0.0, 0.0)
    potential = _weight(leg, at, crank.u, crank.held(leg.crank_first), T.world(leg.first))
    risk, springs = crank_risk(leg, norm(cross(k, s)), eta), rss_springs(leg, crank, T, at.R)
    if springs is not None:
        potential, risk = potential + springs.energy, risk + springs.risk
    return LegMass(
        Q=condensed(Q, mu, axial).turned(T),
        axial=axial,
        j=s / eta,
        mu=T.world(mu),
        potential=potential,
        risk=risk,
    )


def _placed(leg: RUSData, at: JointPlace) -> tuple[Crank, Vec, Scalar]:
    """Crank, rod direction, lever arm."""
    crank = crank_position(leg, at.p)
    s = (at.p - leg.base - crank.u) / leg.length
    return crank, s, dot(s, crank.n)


def _weight(leg: RUSData, at: JointPlace, u: Vec, crank: Vec, rod: Vec) -> Scalar:
    """Potential of crank and rod from their first moments."""
    return -dot(at.g, leg.base * (leg.mass + leg.crank_mass) + u * leg.mass + rod + crank)
