"""What every leg answers, and the strut kinematics that UPS, PUS and RUS share.

In leg axes ``T = [s, y, s x y]`` with ``y = k x s/|k x s|`` the universal axis is ``k = (kap, 0, sig)``,
``kap = k.s``, ``sig = |k x s|``, and the only moment direction is ``c = k x y = (-sig, 0, kap)``.
Derivation: docs/derivations/exact.md.
"""

from __future__ import annotations

from dataclasses import dataclass

from gough.equations.base import Base, Mount
from gough.equations.solve import Six
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
    outer,
)

STILL = Vec(0.0, 0.0, 0.0)


@dataclass(slots=True, eq=False)
class Rub:
    """Moments in the joints of a leg beside those of its own friction: on what carries the strut, on the platform."""

    base: Vec
    platform: Vec


@dataclass(slots=True, eq=False)
class JointMotion:
    """Motion of one platform joint and of the platform, world axes.

    p, pd, pdd  position (m), velocity, acceleration of the joint;  g  gravity
    R, w, al    platform axes, angular velocity and acceleration
    base        None: the world axes are those of the base;  else all is against it, in its axes, and it moves so
    mount       what the leg has on a base that moves
    rub         moments given from outside in the leg's joints, world axes
    """

    p: Vec
    pd: Vec
    pdd: Vec
    R: Frame
    w: Vec
    al: Vec
    g: Vec
    base: Base | None = None
    mount: Mount | None = None
    rub: Rub | None = None

    def rubbed(self, T: Frame, grip: Vec, drag: Vec, upper: Frame | None = None) -> tuple[Vec, Vec]:
        """Moments in the two joints, leg axes T (at the platform `upper`, if other), with those from outside."""
        if self.rub is None:
            return grip, drag
        above = T if upper is None else upper
        return grip + T.local(self.rub.base), drag + above.local(self.rub.platform)

    def felt(self, r: Vec, rd: Vec) -> Vec:
        """Gravity at a point, with what the base's motion adds to it."""
        return self.g if self.base is None else self.base.gravity(r, rd)

    def turning(self, T: Frame, W: Vec, A: Vec) -> tuple[Vec, Vec]:
        """Angular velocity and acceleration in the world, axes T, of a body that has W and A against the base."""
        if self.base is None:
            return W, A
        w = T.local(self.base.w)
        return W + w, A + T.local(self.base.al) + cross(w, W)

    def rotor(self, reflected: Scalar, qdd: Scalar) -> Scalar:
        """``m_r qdd + gam d.al``: effort of the drive's rotor."""
        own = reflected * qdd
        return own if self.base is None else own + dot(self.mount.rotor, self.base.al)  # type: ignore[union-attr]


@dataclass(slots=True, eq=False)
class JointPlace:
    """Where one platform joint is: position p, platform axes R, and gravity g; world axes."""

    p: Vec
    R: Frame
    g: Vec


@dataclass(slots=True, eq=False)
class LegSpin:
    """Spin of a leg that spins freely (SPS, UCS, RSS): cosine and sine of its angle, and its rate ``W.s`` (rad/s)."""

    cosine: Scalar
    sine: Scalar
    rate: Scalar


@dataclass(slots=True, eq=False)
class CrossLoad:
    """``m (a - g)`` of a cross piece and its moment about the center of its joint; arm: from there to the second axis;
    world axes."""

    load: Six
    arm: Vec


@dataclass(slots=True, eq=False)
class LegState:
    """A leg's whole answer, world axes.  The wrench on the platform at its joint is ``j6 tau - (load ; -couple)``.

    coordinate, rate, acceleration   of the actuator
    s, eta         strut direction; actuator travel per strut travel (1, s.rail, lever arm)
    W, A           strut angular velocity and acceleration
    load           ``Q pdd + h``: what the platform joint must push when the actuator effort is zero
    couple         moment of the platform joint on the platform at zero effort, as ``C_s (W - w)`` of its friction
    pull           ``eta j6``: force and moment at the joint of a unit ``y = tau/eta``; None: a force along s
    K              part of the strut's end force across s:  F_s = x s + K
    universal_moment  moment of the base side on the strut, ``m c - C_u W_rel``
    strut_load     ``sum m (a - g)`` of the strut's bodies
    part_load, part_moment, arm   what the reactions of the driven joint need, see `reactions` of each type
    spin_acceleration  ``A.s`` of a leg that spins freely (SPS), else zero
    crosses        cross pieces of universal joints with offsets, from the base on
    kinetic        energy of its bodies in the world, J; only where the base moves (else `LegMass` has it all)
    risk           grows without bound at the leg's own singularities: ``1/sig^2 + 1/lever^2 + reach/L^2``, see
                   `strut_risk` and equations/machine.py `risk`
    """

    A: Vec
    K: Vec
    W: Vec
    acceleration: Scalar
    arm: Vec
    coordinate: Scalar
    couple: Vec
    eta: Scalar
    load: Vec
    part_load: Vec
    part_moment: Vec
    rate: Scalar
    risk: Scalar
    s: Vec
    spin_acceleration: Scalar
    strut_load: Vec
    universal_moment: Vec
    kinetic: Scalar = 0.0
    pull: Six | None = None
    crosses: tuple[CrossLoad, ...] = ()

    def end_force(self, y: Scalar) -> Vec:
        """``F_s = x s + K``, ``x = s.load - y``: of the platform on a leg that pulls along s."""
        return self.s * (dot(self.load, self.s) - y) + self.K


@dataclass(slots=True, eq=False)
class LegReactions:
    """Joint reactions of one leg, world axes; meaning as in `gough.results.Reactions`.

    ground_force, ground_moment  of the base on the leg, about the base's origin, drive included
    platform_moment  None: the `couple` of its state, whatever the effort
    """

    ground_force: Vec
    ground_moment: Vec
    prismatic_force: Vec
    prismatic_moment: Vec
    spherical_force: Vec
    universal_force: Vec
    universal_moment: Vec
    platform_moment: Vec | None = None


@dataclass(slots=True, eq=False)
class TurnedMass:
    """How a leg answers to the platform's angular velocity w beside the joint's velocity pd, world axes.

    j         actuator rate ``= j_v.pd + j.w``
    coupling  (3x3) ``pd.coupling w`` in the energy;  angular  ``w.angular w/2``
    """

    j: Vec
    coupling: Mat
    angular: Sym


@dataclass(slots=True, eq=False)
class LegMass:
    """Configuration-dependent data of a leg, world axes.

    Q          (3x3) reflected mass at the platform joint, spin already condensed out
    j          transmission: actuator rate ``= j . pd``
    potential  ``-sum m g.r_G`` of its bodies, J
    turned     what a leg feels that also answers to the platform's turning, else None
    mu, axial  coupling ``w_s mu.pd`` and inertia ``axial w_s^2/2`` of a free spin (SPS), else zero
    risk       as in `LegState`
    """

    Q: Sym
    axial: Scalar
    j: Vec
    mu: Vec
    potential: Scalar
    risk: Scalar
    turned: TurnedMass | None = None


def strut_risk(base: Vec, joint: Vec, length: Scalar) -> Scalar:
    """``(|b|^2 + |p|^2)/L^2``: how many times its own length a strut is the difference of (digits lost in it)."""
    return (dot(base, base) + dot(joint, joint)) / (length * length)


def turning_energy(S: Sym, W: Vec) -> Scalar:
    """``W.I W/2`` from the second moment."""
    return 0.5 * dot(W, inertia_tensor(S).times(W))


def across(v: Vec, length: Scalar) -> Vec:
    """``s x v / L`` in leg axes: the swing rate of a strut whose far end moves with v."""
    return Vec(0.0, -v.z / length, v.y / length)


def end_force(C: Vec, kap: Scalar, sig: Scalar, length: Scalar) -> Vec:
    """``K = (C - m c) x s / L`` with ``m = C.s/(c.s) = -C.x/sig``, leg axes: the strut's end force across s."""
    return Vec(0.0, (C.z + C.x * kap / sig) / length, -C.y / length)


def constraint_moment(C: Vec, kap: Scalar, sig: Scalar) -> Vec:
    """``m c``, leg axes: the only moment a universal joint transmits, ``m = C.s/(c.s)``."""
    return Vec(C.x, 0.0, -C.x * kap / sig)


def carried_spin(kap: Scalar, sig: Scalar, Wn: Vec, Om: Vec) -> Scalar:
    """``w_s`` from ``(W - Omega).c = 0``, c = (-sig, 0, kap): the joint's first axis turns with Omega; leg axes."""
    return Om.x + kap / sig * (Wn.z - Om.z)


def carried_spin_rate(
    kap: Scalar, sig: Scalar, W: Vec, Wr: Vec, An: Vec, Om: Vec, Omd: Vec
) -> Scalar:
    """``a_t = Omegad.x + [kap (A_n - Omegad).z - (W_r.y)(W.k) + (W_r.k)(Omega.y)]/sig``, ``W_r = W - Omega``."""
    turn = Wr.y * (kap * W.x + sig * W.z) - (kap * Wr.x + sig * Wr.z) * Om.y
    return Omd.x + (kap * (An.z - Omd.z) - turn) / sig


@dataclass(slots=True, eq=False)
class Swings:
    """How a strut without a spin of its own follows its platform joint, leg axes.

    Row a of `rates` and `slides`: angular velocity, and velocity of the point its moments are taken about, for a unit
    joint velocity along leg axis a;  tan  kap/sig of the universal joint that turns it
    """

    rates: Mat
    slides: Mat
    tan: Scalar = 0.0

    def spin_coupling(self, S: Sym, first: Vec) -> Vec:
        """``mu_a = v_a.(s x first) + W_a.I s``: ``w_s mu.pd`` in the energy of a strut that also spins with w_s."""
        side, axial = Vec(0.0, -first.z, first.y), Vec(S.yy + S.zz, -S.xy, -S.xz)
        return self.slides.times(side) + self.rates.times(axial)


def free_spin(B: Mat, S: Sym, first: Vec, fall: Vec, moment: Scalar) -> Scalar:
    """``a_t = -s.C/I_a``: spin acceleration of a part that no joint holds about s, leg axes.

    B  rate matrix without it;  moment  what joints and pair give about s against the spin
    """
    about = inertia_moment(B, S).x + (first.y * fall.z - first.z * fall.y) + moment
    return -about / (S.yy + S.zz)


def condensed(Q: Sym, mu: Vec, axial: Scalar) -> Sym:
    """``Q - mu mu^T/I_a``: reflected mass of a strut whose spin is free."""
    share = -1.0 / axial
    return Q + Sym(*(a * share for a in outer(mu)))


def swing_mass(unit_rates: Mat, unit_slides: Mat, S: Sym, first: Vec, mass: Scalar) -> Sym:
    """Reflected mass of one rigid strut, leg axes.

    Row a of `unit_rates` and `unit_slides`: strut angular velocity and velocity of the point that `S` and
    `first` are taken about, for a unit joint velocity along leg axis a.
    ``Q_ab = W_a.I W_b + m v_a.v_b + v_a.(W_b x first) + v_b.(W_a x first)``
    """
    I = inertia_tensor(S)
    Wx, Wy, Wz = unit_rates.a, unit_rates.b, unit_rates.c
    vx, vy, vz = unit_slides.a, unit_slides.b, unit_slides.c
    ex, ey, ez = cross(Wx, first), cross(Wy, first), cross(Wz, first)
    ux, uy, uz = vx * mass + ex, vy * mass + ey, vz * mass + ez
    Ix, Iy, Iz = I.times(Wx), I.times(Wy), I.times(Wz)
    return Sym(
        dot(Wx, Ix) + dot(vx, ux) + dot(vx, ex),
        dot(Wx, Iy) + dot(vx, uy) + dot(vy, ex),
        dot(Wx, Iz) + dot(vx, uz) + dot(vz, ex),
        dot(Wy, Iy) + dot(vy, uy) + dot(vy, ey),
        dot(Wy, Iz) + dot(vy, uz) + dot(vz, ey),
        dot(Wz, Iz) + dot(vz, uz) + dot(vz, ez),
    )
