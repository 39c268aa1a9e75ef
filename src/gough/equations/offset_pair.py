"""UCU leg with offsets at either universal joint or at both, in a pose: constants, closure, springs in its joints.

Closure ``L s = P - Delta(s)``, ``Delta = r_d + o_d - r_u - o_u``, P from the base joint to the platform joint: one step
of Picard's, then Newton's, of a fixed number (there is no closed form where both joints have offsets); `restart` says
that errors and slopes of what the last step starts from do not matter.  A last step longer than `CLOSED` has not closed
the leg: risk and coordinate are not numbers then.  docs/derivations/offset.md
"""

from __future__ import annotations

from dataclasses import dataclass

from gough.equations.offset_joint import Closure, Inertia, Offset, OffsetJoint
from gough.equations.pair_springs import PairSprings, pair_load
from gough.equations.scalar import restart, sqrt
from gough.equations.strut import strut_risk
from gough.equations.ucu import Pair, UCUData
from gough.equations.vec import Frame, Scalar, Vec, dot, leg_frame, norm
from gough.layout import CYLINDER, OFFSET

NEWTON = 4  # steps: every leg within the contraction bound (q < 1) is closed by them, the last one carries the slopes
CLOSED = 1e-9  # rad: a last step no longer than this leaves its square, below rounding
Y, Z = Vec(0.0, 1.0, 0.0), Vec(0.0, 0.0, 1.0)


@dataclass(slots=True, eq=False)
class OffsetUCUData:
    """One leg's constants, in the order of gough.layout.OFFSET_CYLINDER: those of a UCU leg, then of both joints."""

    pair: UCUData
    below: Offset
    above: Offset

    @classmethod
    def of(cls, *blocks: Scalar, springs: PairSprings | None = None) -> OffsetUCUData:
        """From the blocks of a row, and springs in its joints."""
        own, each = len(CYLINDER.names), len(OFFSET.names)
        joints = blocks[own : own + each], blocks[own + each :]
        return cls(UCUData(*blocks[:own], springs=springs), *(Offset(*joint) for joint in joints))

    @property
    def joint(self) -> Vec:
        """Platform joint, platform axes."""
        return self.pair.joint

    @property
    def base(self) -> Vec:
        """Base joint, world axes."""
        return self.pair.base

    @property
    def reflected(self) -> Scalar:
        """Of the drive, at the actuator coordinate."""
        return self.pair.reflected

    @property
    def lower_part(self) -> Inertia:
        """About E_d, T_d."""
        return self.pair.lower_mass, self.pair.d, self.pair.lower

    @property
    def upper_part(self) -> Inertia:
        """About E_u, T_u."""
        return self.pair.upper_mass, self.pair.e, self.pair.upper

    @property
    def moving_mass(self) -> Scalar:
        """Mass of all its bodies."""
        return self.pair.moving_mass + self.below.mass + self.above.mass


@dataclass(slots=True, eq=False, kw_only=True)
class OffsetPair(Pair):
    """The leg in a pose; strut: P.  last: square of the last step of its closure, rad^2."""

    d: OffsetJoint  # type: ignore[assignment]
    u: OffsetJoint  # type: ignore[assignment]
    closure: Closure
    last: Scalar

    @property
    def closed(self) -> Scalar:
        """1; not a number where the last step was too long, or the strut points away from the platform joint."""
        slack = sqrt(CLOSED * CLOSED - self.last) * sqrt(self.L)
        return slack / slack

    def risk(self, leg: UCUData) -> Scalar:
        """As of a UCU leg, ``(L^2/det G)^2``, and how near the last step came to `CLOSED`."""
        root = sqrt(self.L)
        lever = root * root * self.L / self.closure.determinant
        own = 1.0 / (self.d.sig * self.d.sig) + 1.0 / (self.u.sig * self.u.sig)
        met = 1.0 / sqrt(1.0 - self.last / (CLOSED * CLOSED))
        own = own + lever * lever + met + strut_risk(leg.base, leg.joint, self.L)
        return own if self.springs is None else own + self.springs.risk


def _joint(k: Vec, s: Vec, offset: Offset) -> OffsetJoint:
    T = leg_frame(k, s)
    return OffsetJoint(T, dot(k, s), dot(k, T.z), offset)


def _pair(leg: OffsetUCUData, P: Vec, kp: Vec, s: Vec, last: Scalar) -> OffsetPair:
    """Both joints and G for a strut along s, closed or not: its length is how far the ends of the leg axis are apart
    along s."""
    d, u = _joint(leg.pair.k, s, leg.below), _joint(kp, s, leg.above)
    cosine, sine = dot(d.T.y, u.T.y), dot(d.T.z, u.T.y)
    L = dot(s, P - d.reach + u.reach)
    bare = Pair(P, L, d, u, cosine, sine)
    closure = Closure(
        d.shift(Y) - Vec(0.0, 0.0, L) - bare.lower(u.shift(bare.upper(Y))),
        d.shift(Z) + Vec(0.0, L, 0.0) - bare.lower(u.shift(bare.upper(Z))),
    )
    return OffsetPair(P, L, cosine=cosine, sine=sine, d=d, u=u, closure=closure, last=last)


def closed_pair(leg: OffsetUCUData, p: Vec, R: Frame) -> OffsetPair:
    """Both joints for a platform joint at p and platform axes R, with what their springs do."""
    P, kp = p - leg.pair.base, R.world(leg.pair.kp)
    s = P / norm(P)
    strut = P - _joint(leg.pair.k, s, leg.below).reach + _joint(kp, s, leg.above).reach
    s, last = strut / norm(strut), 0.0
    for step in range(NEWTON):
        if step == NEWTON - 1:
            s = Vec(*(restart(x) for x in s))
        now = _pair(leg, P, kp, s, 0.0)
        gap = now.d.T.local(P - now.d.reach + now.u.reach)
        _, turn = now.closure.rates(gap)
        s = now.d.T.world(Vec(1.0, turn.z, -turn.y))
        s, last = s / norm(s), dot(turn, turn)
    pair, own = _pair(leg, P, kp, s, last), leg.pair
    if own.springs is not None:
        pair.springs = pair_load(own.springs, own.k, own.kp, pair.d.T, pair.u.T, R)
    return pair


def offset_ucu_axes(leg: OffsetUCUData, p: Vec, R: Frame) -> tuple[Frame, Frame]:
    """Axes T_u of the upper and T_d of the lower part with the platform joint at p; not numbers where the leg is not
    closed."""
    pair = closed_pair(leg, p, R)
    upper, lower = (
        Frame(T.x * pair.closed, T.y * pair.closed, T.z * pair.closed) for T in (pair.u.T, pair.d.T)
    )
    return upper, lower
