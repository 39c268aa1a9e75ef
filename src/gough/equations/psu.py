"""Slider on a rail, ball joint on the slider, link of fixed length, universal joint at the platform (PSU).

The platform carries the joint's first axis ``k_p = R k_p0`` and with it the link's spin, ``(W - w).c_p = 0``; its axes
are ``T_u = [s, y_p, s x y_p]``, its moments are taken about the slider joint.  docs/derivations/rods.md
    w_s = w_x + tan (W_n - w)_z                 spin, T_u axes, tan = k_p.s/|k_p x s|
    n_m c_p + Lf s x F_s = C,  M_s = n_m c_p - C_s W_r     of the platform on the link; the ball holds no moment
    W = Aw pd + s (j_w.w),  j_w = s - tan (s x y_p)
"""

from __future__ import annotations

from gough.equations.pus import PUSData, link_mass, link_state, slide_motion, slider
from gough.equations.slider_springs import SliderSprings, slider_load
from gough.equations.springs import SpringLoad
from gough.equations.strut import (
    STILL,
    JointMotion,
    JointPlace,
    LegMass,
    LegSpin,
    LegState,
    TurnedMass,
    across,
    carried_spin,
    carried_spin_rate,
)
from gough.equations.vec import Frame, Mat, Sym, Vec, dot, leg_frame, outer


def psu_axes(leg: PUSData, p: Vec, R: Frame) -> tuple[Frame, Frame]:
    """The link's axes T_u with the platform joint at p, in the world and on the slider."""
    s = (p - leg.base - leg.rail * slider(leg, p)) / leg.length
    T = leg_frame(R.world(leg.k), s)
    return T, T


def psu_springs(leg: PUSData, T: Frame, R: Frame) -> SpringLoad | None:
    """What the springs in the joints do, if there are any."""
    return slider_load(leg.springs, leg.k, T, R) if isinstance(leg.springs, SliderSprings) else None


def psu(leg: PUSData, at: JointMotion, spin: LegSpin) -> LegState:
    """The leg's answer to a motion of its platform joint; `leg.k` is k_p0, platform axes."""
    m, Lf, k = slide_motion(leg, at), leg.length, at.R.world(leg.k)
    T = leg_frame(k, m.s)
    kap, sig = dot(k, m.s), dot(k, T.z)
    w, al = T.local(at.w), T.local(at.al)
    Wn = across(T.local(m.n1), Lf)
    ws = carried_spin(kap, sig, Wn, w)
    W = Vec(ws, Wn.y, Wn.z)
    An = across(T.local(m.n2), Lf) - Vec(0.0, -ws * Wn.z, ws * Wn.y)
    A = Vec(carried_spin_rate(kap, sig, W, W - w, An, w, al), An.y, An.z)
    springs = psu_springs(leg, T, at.R)
    return link_state(leg, at, m, T, W, A, (kap, sig), above=True, springs=springs)


def psu_mass(leg: PUSData, at: JointPlace, spin: LegSpin) -> LegMass:
    """Reflected mass and potential; the leg sees pd and the one scalar ``j_w.w``:
    ``Q6 = [[Q, X j_w^T], [j_w X^T, I_a j_w j_w^T]]``, X the link's coupling of spin and joint motion."""
    found, swings, T = link_mass(leg, at, at.R.world(leg.k))
    turns = T.x - T.z * swings.tan
    X = T.world(swings.spin_coupling(leg.second, leg.first))
    axial = leg.second.yy + leg.second.zz
    found.turned = TurnedMass(
        STILL,
        Mat(turns * X.x, turns * X.y, turns * X.z),
        Sym(*(axial * a for a in outer(turns))),
    )
    springs = psu_springs(leg, T, at.R)
    if springs is not None:
        found.potential, found.risk = found.potential + springs.energy, found.risk + springs.risk
    return found
