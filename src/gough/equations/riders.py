"""Rotors that turn at a coordinate of their own, behind the elastic drive of a leg, and ride on one of its parts.

A rotor of angular momentum ``G lamd`` (axes of its carrier c, which holds its mass and its locked inertia), lam its own
coordinate, gives its carrier the moment ``M = -(lamdd G + lamd W_c x G)`` and itself asks for ``J_m lamdd + G.A_c``.
    P           angular velocity of the carrier per velocity of the platform joint and angular velocity of the platform,
                a free spin (SPS) condensed out: ``A_c = P (pdd ; al) + ...``
    g = P^T G   how rotor and platform couple: kinetic energy ``lamd G.W_c``
    J           ``J_m``, of a carrier that spins freely ``J_m - (G.s)^2/I_a``
docs/derivations/elastic.md
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from gough.equations.kinds import SPRUNG
from gough.equations.offset_pair import OffsetUCUData
from gough.equations.solve import Six
from gough.equations.sps import spun_frame
from gough.equations.strut import (
    STILL,
    JointMotion,
    LegMass,
    LegSpin,
    LegState,
    Rub,
    carried_spin,
    carried_spin_rate,
    constraint_moment,
    end_force,
)
from gough.equations.ucu import UCUData, pair_at
from gough.equations.ups import UPSData
from gough.equations.vec import Scalar, Vec, cross, dot, leg_frame, norm

_LOWER = ("ups_rotor", "ucu_screw", "ucu_spring")
_UPPER = ("ucu_screw_upper", "ucu_spring_upper")
_SPUN = ("sps_axial", "sps_spin")
RIDES = frozenset(name + more for name in (*_LOWER, *_UPPER, *_SPUN) for more in ("", SPRUNG))
"""Kinds whose rotor may ride on the leg; those of all others turn about axes of a fixed direction."""


@dataclass(slots=True, eq=False)
class Rider:
    """One leg's rotor, world axes.

    G        angular momentum per rate;  W  angular velocity of its carrier;  pull  ``P^T G``
    turned   ``G.A_c`` while the platform does not accelerate
    inertia  J;  spins  ``G.s/I_a``: spin acceleration of a free strut against that of the rotor
    """

    G: Vec
    W: Vec
    pull: Six
    turned: Scalar
    inertia: Scalar
    spins: Scalar = 0.0

    def moment(self, rate: Scalar, acceleration: Scalar) -> Vec:
        """``lamdd G + lamd W x G``: what the carrier must give the rotor beside its drive."""
        return self.G * acceleration + cross(self.W, self.G) * rate


def locked(leg: Any) -> Any:
    """The leg whose rotor does not turn against its carrier."""
    if isinstance(leg, OffsetUCUData):
        return replace(leg, pair=locked(leg.pair))
    own = {"gyro": STILL} if hasattr(leg, "gyro") else {}
    return replace(leg, reflected=0.0, **own)


def rides_above(kind: str) -> bool:
    """The rotor is one of the upper part."""
    return kind.removesuffix(SPRUNG) in _UPPER


def rider(
    kind: str, leg: Any, at: JointMotion, spin: LegSpin, state: LegState, mass: LegMass
) -> Rider | None:
    """The rotor of a leg, whose locked self answers with `state` and `mass`; None where it does not ride."""
    if kind not in RIDES:
        return None
    bare = kind.removesuffix(SPRUNG)
    if bare in _SPUN:
        return _spun(leg, spin, state, mass, bare == "sps_spin")
    return _above(leg, at, state) if bare in _UPPER else _below(leg, state)


def _below(leg: UPSData | UCUData, state: LegState) -> Rider:
    """On a lower part behind a universal joint."""
    T = leg_frame(leg.k, state.s)
    kap, sig, G = dot(leg.k, state.s), dot(leg.k, T.z), T.world(leg.gyro)
    pull = T.world(end_force(leg.gyro, kap, sig, norm(state.arm)))
    return Rider(G, state.W, Six(pull, STILL), dot(G, state.A), leg.reflected)


def _spun(leg: UPSData, spin: LegSpin, state: LegState, mass: LegMass, framed: bool) -> Rider:
    """On a strut between two balls."""
    s = state.s
    G = spun_frame(leg.k, s, spin).world(leg.gyro) if framed else s * leg.gyro.x
    along = dot(G, s)
    spins = along / mass.axial
    pull = cross(G, s) / norm(state.arm) - mass.mu * spins
    inertia = leg.reflected - along * spins
    return Rider(G, state.W, Six(pull, STILL), dot(G, state.A), inertia, spins)


def _above(leg: UCUData, at: JointMotion, state: LegState) -> Rider:
    """On the upper part, whose motion follows from the swing of the strut and the platform's turning."""
    pair = pair_at(leg, at.p, at.R)
    u = pair.u
    W, A, w, al = (u.T.local(v) for v in (state.W, state.A, at.w, at.al))
    Wn = Vec(0.0, W.y, W.z)
    wu = carried_spin(u.kap, u.sig, Wn, w)
    Wu = Vec(wu, W.y, W.z)
    more = W.x - wu
    An = Vec(0.0, A.y - more * W.z, A.z + more * W.y)
    Au = Vec(carried_spin_rate(u.kap, u.sig, Wu, Wu - w, An, w, al), An.y, An.z)
    force, moment = (
        end_force(leg.gyro, u.kap, u.sig, pair.L),
        constraint_moment(leg.gyro, u.kap, u.sig),
    )
    G = u.T.world(leg.gyro)
    W, A = u.T.world(Wu), u.T.world(Au)
    return Rider(G, W, Six(u.T.world(force), u.T.world(moment)), dot(G, A), leg.reflected)


def rub_of(kind: str, moment: Vec) -> Rub:
    """A rotor's moment as one in the joint at its part's end: the same for all that moves."""
    return Rub(STILL, moment) if rides_above(kind) else Rub(moment, STILL)


def unrubbed(kind: str, state: LegState, moment: Vec) -> LegState:
    """The leg's answer to that moment with the rotor's own part taken out of what its joint transmits."""
    if rides_above(kind):
        return replace(state, couple=state.couple - moment, part_moment=state.part_moment + moment)
    return replace(state, universal_moment=state.universal_moment + moment)
