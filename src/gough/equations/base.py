"""A base that moves in the world: what its motion adds to the equations, all in base axes.

Poses, twists and accelerations of the platform stay relative to the base frame.  A point r that moves with rd and rdd
in that frame accelerates by ``a + B r + 2 Om x rd + rdd`` in the world, a body that turns with W and A in it turns with
``W + Om`` and ``A + al + Om x W``.  docs/derivations/exact.md, a base that moves
"""

from __future__ import annotations

from dataclasses import dataclass

from gough.equations.vec import Frame, Mat, Scalar, Sym, Vec, cross, dot, rate_matrix, vec_at
from gough.layout import BASE, MOUNT


@dataclass(slots=True, eq=False)
class Mount:
    """What a leg has on the base, in the order of gough.layout.MOUNT.

    rotor  ``gam d = nu I_r d`` of a rotor about an axis d fixed to the base
    crank  second moment of the crank about its base point, axes of the crank at home
    """

    rotor: Vec
    crank: Sym


@dataclass(slots=True, eq=False)
class Base:
    """Motion of the base frame, base axes.

    t, v, w, al  position and velocity of its origin, angular velocity Om and acceleration;  B  its rate matrix
    weight       gravity;  g  gravity less the origin's acceleration: what is felt there
    """

    t: Vec
    v: Vec
    w: Vec
    al: Vec
    B: Mat
    weight: Vec
    g: Vec

    def carried(self, r: Vec, rd: Vec) -> Vec:
        """``B r + 2 Om x rd``: what the turning base adds to the acceleration of a vector r that changes by rd."""
        return self.B.times(r) + cross(self.w, rd) * 2.0

    def gravity(self, r: Vec, rd: Vec) -> Vec:
        """``g - a - B r - 2 Om x rd``: gravity as a point felt it that kept its velocity rd in the base frame."""
        return self.g - self.carried(r, rd)

    def velocity(self, r: Vec, rd: Vec) -> Vec:
        """``v + Om x r + rd`` of a point in the world."""
        return self.v + cross(self.w, r) + rd

    def turning(self, W: Vec, A: Vec) -> tuple[Vec, Vec]:
        """Angular velocity and acceleration in the world of a body that turns with W and A against the base."""
        return W + self.w, A + self.al + cross(self.w, W)

    def seen(self, W: Vec, A: Vec) -> tuple[Vec, Vec]:
        """The way back: against the base from those in the world."""
        relative = W - self.w
        return relative, A - self.al - cross(self.w, relative)


def base_motion(x: Scalar, at: int, gravity: Vec) -> Base:
    """From the numbers of a BASE that starts at x[at], world axes, and the gravity of the world."""
    i = at + BASE.at("base_rotation")
    R = Frame(*(Vec(x[i + j], x[i + 3 + j], x[i + 6 + j]) for j in range(3)))

    def part(name: str) -> Vec:
        return R.local(vec_at(x, at + BASE.at(f"base_{name}")))

    w, al, weight = part("angular_velocity"), part("angular_acceleration"), R.local(gravity)
    return Base(
        part("position"),
        part("velocity"),
        w,
        al,
        rate_matrix(w, al),
        weight,
        weight - part("acceleration"),
    )


def mount_at(par: Scalar, at: int) -> Mount:
    """From the numbers of a MOUNT."""
    i = at + MOUNT.at("crank_second")
    return Mount(vec_at(par, at + MOUNT.at("drive_mount")), Sym(*par[i : i + 6]))


def point_kinetic(mass: Scalar, v: Vec, first_rate: Vec) -> Scalar:
    """``m v.v/2 + v.(W x m r)``: a body's share without ``W.I W/2``, about a point that moves with v."""
    return dot(v, v * (0.5 * mass) + first_rate)
