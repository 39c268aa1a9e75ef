"""Springs in the joints of a leg (flexures): moments, energy, and how near a joint is to the end of its validity.

docs/derivations/springs.md.  The springs are at rest in one relation of the bodies, that of a pose.
    al, be    angles of a universal joint from rest: about its first axis k, and about y = k x s/|k x s|, where k is at
              the angle of cosine ``sig = |k x s|`` and sine ``-kap = -k.s``
    th        rotation vector of a flexure from rest, ``exp(th~) = C^T T S^T``, axes of its carrier C
    V = (k_1 al^2 + k_2 be^2)/2,  V = th.K th/2;  the moments that C takes from the strut
    M = k_1 al k + k_2 be y,      M = C Jl^-T(th) K th,  Jl^-T = E + th~/2 + b th~^2,  so that V' = M.(W - Omega)
No angle is counted further than `LARGEST` from rest: the numbers are NaN beyond it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, radians

from gough.equations.scalar import sqrt
from gough.equations.vec import Frame, Scalar, Sym, Vec, cross, dot

LARGEST = 150.0  # degrees
EDGE = cos(radians(LARGEST) / 2.0) ** 2
HALVINGS = 3
SERIES = (
    1 / 6,
    3 / 40,
    5 / 112,
    35 / 1152,
    63 / 2816,
    231 / 13312,
    143 / 10240,
    6435 / 557056,
    12155 / 1245184,
    46189 / 5505024,
)  # (asin(x)/x - 1)/x^2 in x^2, here at most 0.0266: what is left out is below 1e-17 of it


@dataclass(slots=True, eq=False)
class LegSprings:
    """Springs of one leg.

    platform  stiffness of the platform joint, platform axes;  base  of a ball joint at the base side, axes of what
              carries it (base; crank at home)
    first, second  of a universal joint about k and y, N m/rad
    rest, seat     strut axes at rest, as what carries the strut (base, slider, crank at home) and the platform see them
    """

    platform: Sym
    rest: Frame
    seat: Frame
    first: Scalar = 0.0
    second: Scalar = 0.0
    base: Sym | None = None


@dataclass(slots=True, eq=False)
class SpringLoad:
    """What the springs of a leg do.

    base, platform  moments that the two carriers take from the strut (it feels the opposite), leg axes; of a leg whose
                    parts turn against each other in those of the lower and of the upper part
    energy, risk    J; 1/distance to the end of validity, NaN beyond
    """

    base: Vec
    platform: Vec
    energy: Scalar
    risk: Scalar


def universal_springs(first: Scalar, second: Scalar, platform: Sym, *axes: Vec) -> LegSprings:
    """In the order of gough.layout.SPRUNG_UNIVERSAL."""
    return LegSprings(platform, Frame(*axes[:3]), Frame(*axes[3:]), first, second)


def ball_springs(base: Sym, platform: Sym, *axes: Vec) -> LegSprings:
    """In the order of gough.layout.SPRUNG_BALL."""
    return LegSprings(platform, Frame(*axes[:3]), Frame(*axes[3:]), base=base)


@dataclass(slots=True, eq=False)
class Turn:
    """A flexure turned from rest: rotation vector, b of its Jacobian, risk."""

    th: Vec
    b: Scalar
    risk: Scalar

    def moment(self, K: Sym) -> Vec:
        """``Jl^-T K th``"""
        push = K.times(self.th)
        side = cross(self.th, push)
        return push + side * 0.5 + cross(self.th, side) * self.b

    def energy(self, K: Sym) -> Scalar:
        """``th.K th/2``"""
        return 0.5 * dot(self.th, K.times(self.th))


@dataclass(slots=True, eq=False)
class Hinged:
    """A universal joint turned from rest: moment that its carrier takes from the strut (leg axes), energy, risk."""

    moment: Vec
    energy: Scalar
    risk: Scalar


def _excess(n2: Scalar, c: Scalar) -> Scalar:
    """h of ``asin(n)/n = 1 + n^2 h`` for sine n and cosine c of one angle of at most 75 degrees.

    The angle is halved three times, to where h is a short series, and ``h(2 a) = (h(a) + 1/(1 + cos a))/(4 cos^3 a)``
    leads back: nothing is 0/0 at rest, no digits are lost there, and every program stays straight-line vector code.
    """
    cosines = []
    for _ in range(HALVINGS):
        c = sqrt(0.5 * (1.0 + c))
        n2 = n2 / (4.0 * c * c)
        cosines.append(c)
    h: Scalar = SERIES[-1]
    for coefficient in reversed(SERIES[:-1]):
        h = h * n2 + coefficient
    for c in reversed(cosines):
        h = (h + 1.0 / (1.0 + c)) / (4.0 * c * c * c)
    return h


def _half_cosine(square: Scalar) -> tuple[Scalar, Scalar]:
    """``cos(a/2)`` from its square and the risk; NaN where the angle a is beyond `LARGEST`."""
    room = sqrt(square - EDGE)
    return sqrt(room * room + EDGE), 1.0 / (room * room)


def turn(now: Frame, rest: Frame) -> Turn:
    """From axes at rest to axes now, both seen from the carrier.

    With ``c = cos(|th|/2)``, ``n = sin(|th|/2) th/|th|``, ``f = 1 + n^2 h``: th = 2 f n, b = (1/(1 + c) - h c)/(4 f^2).
    """
    twice_sine = cross(rest.x, now.x) + cross(rest.y, now.y) + cross(rest.z, now.z)
    trace = dot(rest.x, now.x) + dot(rest.y, now.y) + dot(rest.z, now.z)
    c, risk = _half_cosine(0.25 * (1.0 + trace))
    n = twice_sine * (0.25 / c)
    n2 = dot(n, n)
    h = _excess(n2, c)
    f = 1.0 + n2 * h
    b = (1.0 / (1.0 + c) - h * c) / (4.0 * f * f)
    return Turn(n * (2.0 * f), b, risk)


def arc(sine: Scalar, cosine: Scalar) -> tuple[Scalar, Scalar]:
    """The angle of a sine and a cosine, and its risk."""
    c, risk = _half_cosine(0.5 * (1.0 + cosine))
    n = sine * (0.5 / c)
    n2 = n * n
    return n * (2.0 + 2.0 * n2 * _excess(n2, c)), risk


def at_platform(springs: LegSprings, T: Frame, R: Frame) -> Turn:
    """The strut's axes T against the platform's axes R, from rest."""
    return turn(R.sees(T), springs.seat)


def ball_load(springs: LegSprings, T: Frame, R: Frame, carrier: Frame | None = None) -> SpringLoad:
    """Flexures at both ends of a strut with axes T, on the base, or on a carrier with these axes (a crank), and on the
    platform with axes R."""
    assert springs.base is not None
    foot = turn(T if carrier is None else carrier.sees(T), springs.rest)
    top, push = at_platform(springs, T, R), foot.moment(springs.base)
    return SpringLoad(
        T.local(push if carrier is None else carrier.world(push)),
        T.local(R.world(top.moment(springs.platform))),
        foot.energy(springs.base) + top.energy(springs.platform),
        foot.risk + top.risk,
    )


def hinges(
    stiffness: tuple[Scalar, Scalar], k: Vec, T: Frame, carrier: Vec, rest: Frame, y_rest: Vec
) -> Hinged:
    """A universal joint of first axis k with springs about k and y, its leg axes T.

    carrier, rest  k and the leg axes at rest, both in the axes of what carries the joint
    y_rest         the second axis as it is at rest, as the carrier holds it now
    """
    kap, sig = dot(k, T.x), dot(k, T.z)
    kap_0, sig_0 = dot(carrier, rest.x), dot(carrier, rest.z)
    al, risk = arc(dot(k, cross(y_rest, T.y)), dot(y_rest, T.y))
    be, more = arc(kap_0 * sig - kap * sig_0, kap * kap_0 + sig * sig_0)
    first, second = stiffness[0] * al, stiffness[1] * be
    return Hinged(
        Vec(first * kap, second, first * sig), 0.5 * (first * al + second * be), risk + more
    )


def universal_load(
    springs: LegSprings,
    k: Vec,
    carrier: Vec,
    y_rest: Vec,
    T: Frame,
    R: Frame,
    upper: Frame | None = None,
) -> SpringLoad:
    """A universal joint with springs about its axes, and a flexure at the platform.

    k, y_rest  first axis, and the second one as it is at rest, both as the carrier holds them now
    carrier    k in the axes of `springs.rest`
    upper      axes of the part at the platform where they are not those of the part in the universal joint, T
    """
    foot = hinges((springs.first, springs.second), k, T, carrier, springs.rest, y_rest)
    end = T if upper is None else upper
    top = at_platform(springs, end, R)
    return SpringLoad(
        foot.moment,
        end.local(R.world(top.moment(springs.platform))),
        foot.energy + top.energy(springs.platform),
        foot.risk + top.risk,
    )
