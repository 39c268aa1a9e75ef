"""A universal joint whose axes do not meet, and the closure of a leg between two of them.

First axis k through the joint's center, second axis y through ``c = center + e n``, leg axis through
``E = c + f y + d z``;  n = y x k, z = s x y, y = k x s/|k x s|.  docs/derivations/offset.md
    leg axes      T = [s, y, z]:  k = (kap, 0, sig), n = (sig, 0, -kap)
    cross piece   turns with the first axis only: axes X = [n, y, k]
    W, W_c        of the leg's part and of the cross piece; Om of what carries the joint: ``W_c = Om + a k``,
                  ``W = W_c + b y``;  W_n = (0, w_y, w_z) the swing of the strut
    G             ``G (Ldot, w_y, w_z) = velocity of the platform joint``, T axes of the lower part
"""

from __future__ import annotations

from dataclasses import dataclass

from gough.equations.base import Base, point_kinetic
from gough.equations.solve import Six
from gough.equations.strut import (
    CrossLoad,
    JointMotion,
    carried_spin,
    carried_spin_rate,
    turning_energy,
)
from gough.equations.ucu import UniversalJoint
from gough.equations.vec import (
    Frame,
    Scalar,
    Sym,
    Vec,
    cross,
    dot,
    inertia_moment,
    inertia_tensor,
    rate_matrix,
)

Inertia = tuple[Scalar, Vec, Sym]
"""Mass, first and second moment of a part about its origin, own axes."""


@dataclass(slots=True, eq=False)
class Offset:
    """Constants of one joint, in the order of gough.layout.OFFSET: offsets, m; mass, first and second moment of its
    cross piece about the joint's center, axes [n, y, k]."""

    e: Scalar
    d: Scalar
    f: Scalar
    mass: Scalar
    first: Vec
    second: Sym

    @property
    def cross(self) -> Inertia:
        """The cross piece."""
        return self.mass, self.first, self.second


@dataclass(slots=True, eq=False)
class JointRates:
    """Rates at one joint, leg axes T: of what carries it (Om), of the part and the cross piece, and of E against the
    center."""

    Om: Vec
    W: Vec
    Wc: Vec
    velocity: Vec


@dataclass(slots=True, eq=False)
class JointAccelerations:
    """The same one derivative on: of the part, the cross piece, and of E against the center."""

    A: Vec
    Ac: Vec
    E: Vec


@dataclass(slots=True, eq=False)
class PartLoad:
    """``m (a - g)`` of a part and its moment about the part's origin, own axes; its angular motion in the world."""

    force: Vec
    moment: Vec
    W: Vec
    A: Vec


@dataclass(slots=True, eq=False)
class OffsetJoint(UniversalJoint):
    """The joint in a pose."""

    offset: Offset

    @property
    def k(self) -> Vec:
        """First axis, T."""
        return Vec(self.kap, 0.0, self.sig)

    @property
    def r(self) -> Vec:
        """Second axis from the center, ``e n``, T."""
        return Vec(self.sig, 0.0, -self.kap) * self.offset.e

    @property
    def o(self) -> Vec:
        """Leg axis from the second one, T."""
        return Vec(0.0, self.offset.f, self.offset.d)

    @property
    def reach(self) -> Vec:
        """E from the center, world."""
        return self.T.world(self.r + self.o)

    @property
    def X(self) -> Frame:
        """Axes of the cross piece."""
        return Frame(self.T.world(Vec(self.sig, 0.0, -self.kap)), self.T.y, self.T.world(self.k))

    def across(self, v: Vec) -> Vec:
        """From T to X."""
        return Vec(self.sig * v.x - self.kap * v.z, v.y, self.kap * v.x + self.sig * v.z)

    def along(self, v: Vec) -> Vec:
        """From X to T."""
        return Vec(self.sig * v.x + self.kap * v.z, v.y, self.sig * v.z - self.kap * v.x)

    def shift(self, Wn: Vec) -> Vec:
        """Velocity of E for a swing while the carrier stands still, ``W_c x r + W x o``."""
        e, d, f = self.offset.e, self.offset.d, self.offset.f
        return Vec(d * Wn.y - f * Wn.z, (e / self.sig - self.tan * d) * Wn.z, self.tan * f * Wn.z)

    def rates(self, Wn: Vec, Om: Vec) -> JointRates:
        """Rates for a swing on a carrier."""
        W = Vec(carried_spin(self.kap, self.sig, Wn, Om), Wn.y, Wn.z)
        Wc = Om + self.k * dot(W - Om, self.k)
        velocity = cross(Wc, self.r) + cross(W, self.o)
        return JointRates(Om, W, Wc, velocity)

    def drift(self, now: JointRates, Omd: Vec) -> JointAccelerations:
        """Accelerations at ``s x sdd = 0``."""
        W, Om, k = now.W, now.Om, self.k
        Wr = W - Om
        a = dot(Wr, k)
        An = Vec(0.0, W.x * W.z, -W.x * W.y)
        A = Vec(carried_spin_rate(self.kap, self.sig, W, Wr, An, Om, Omd), An.y, An.z)
        first = dot(A - Omd, k) + Wr.y * (Om.z * self.kap - Om.x * self.sig)
        Ac = Omd + k * first + cross(Om, k) * a
        E = rate_matrix(now.Wc, Ac).times(self.r) + rate_matrix(W, A).times(self.o)
        return JointAccelerations(A, Ac, E)

    def swung(self, drift: JointAccelerations, an: Vec) -> JointAccelerations:
        """Accelerations with ``an = s x sdd``."""
        return JointAccelerations(
            drift.A + Vec(self.tan * an.z, an.y, an.z),
            drift.Ac + self.k * (an.z / self.sig),
            drift.E + self.shift(an),
        )

    def cross_load(self, load: PartLoad) -> CrossLoad:
        """That of the cross piece, given in X, in world axes."""
        X = self.X
        return CrossLoad(Six(X.world(load.force), X.world(load.moment)), self.T.world(self.r))

    def swing_share(self, C: Vec, about_first: Scalar) -> Vec:
        """What moments C on the part and ``k.C_1`` on the cross piece do per swing, T (its x is none)."""
        return Vec(0.0, C.y, C.z + self.tan * C.x + about_first / self.sig)

    def carrier_share(self, C: Vec, C1: Vec) -> Vec:
        """What moments C on the part and C1 on the cross piece hand on to the carrier, T."""
        return Vec(C.x + C1.x, C1.y, C1.z - self.tan * C.x - dot(C1, self.k) / self.sig)


@dataclass(slots=True, eq=False)
class Closure:
    """``G`` by its columns of the swing, T axes of the lower part; the first one is s."""

    y: Vec
    z: Vec

    @property
    def determinant(self) -> Scalar:
        """``det G``; ``L^2`` without offsets."""
        return self.y.y * self.z.z - self.z.y * self.y.z

    def rates(self, v: Vec) -> tuple[Scalar, Vec]:
        """Ldot and W_n of ``G (Ldot, W_n) = v``."""
        y, z, inverse = self.y, self.z, 1.0 / self.determinant
        wy = (v.y * z.z - z.y * v.z) * inverse
        wz = (y.y * v.z - y.z * v.y) * inverse
        return v.x - y.x * wy - z.x * wz, Vec(0.0, wy, wz)

    def force(self, axial: Scalar, share: Vec) -> Vec:
        """``G^-T (axial, share)``: at the platform joint, of an axial effort and moments per swing."""
        y, z, inverse = self.y, self.z, 1.0 / self.determinant
        a, b = share.y - axial * y.x, share.z - axial * z.x
        return Vec(axial, (a * z.z - y.z * b) * inverse, (y.y * b - z.y * a) * inverse)


def part_load(
    at: JointMotion,
    T: Frame,
    body: Inertia,
    point: tuple[Vec, Vec, Vec],
    W: Vec,
    A: Vec,
) -> PartLoad:
    """Of a body (mass, first, second moment, axes T) whose origin has place and velocity (world) and acceleration (T),
    and that turns with W and A (T)."""
    mass, first, second = body
    place, velocity, acceleration = point
    fall = acceleration - T.local(at.felt(place, velocity))
    W, A = at.turning(T, W, A)
    B = rate_matrix(W, A)
    return PartLoad(
        fall * mass + B.times(first), inertia_moment(B, second) + cross(first, fall), W, A
    )


def part_momentum(body: Inertia, v: Vec, W: Vec) -> PartLoad:
    """Momentum and angular momentum about the part's origin, own axes."""
    mass, first, second = body
    moment = inertia_tensor(second).times(W) + cross(first, v)
    return PartLoad(v * mass + cross(W, first), moment, W, W)


def part_energy(base: Base, T: Frame, body: Inertia, place: Vec, velocity: Vec, W: Vec) -> Scalar:
    """Kinetic energy in the world; W there, own axes."""
    mass, first, second = body
    v = T.local(base.velocity(place, velocity))
    return turning_energy(second, W) + point_kinetic(mass, v, cross(W, first))
