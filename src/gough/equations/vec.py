"""Three-component vectors, frames and tensors with operators: the language of the equations.

Components may be floats, NumPy arrays (a batch), complex numbers, mpmath numbers, traced symbols or JAX
arrays; only + - * / and sqrt are used, and nothing here tests what its numbers are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from operator import add
from typing import Any

from gough.equations.scalar import sqrt
from gough.layout import Layout

Scalar = Any


@dataclass(slots=True, eq=False)
class Vec:
    """A vector (x, y, z) in some frame."""

    x: Scalar
    y: Scalar
    z: Scalar
    __array_ufunc__ = None  # numpy scalars on the left defer to __rmul__

    def __add__(self, other: Vec) -> Vec:
        return Vec(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other: Vec) -> Vec:
        return Vec(self.x - other.x, self.y - other.y, self.z - other.z)

    def __neg__(self) -> Vec:
        return Vec(-self.x, -self.y, -self.z)

    def __mul__(self, other: Scalar) -> Vec:
        return Vec(self.x * other, self.y * other, self.z * other)

    __rmul__ = __mul__

    def __iter__(self) -> Iterator[Scalar]:
        return iter((self.x, self.y, self.z))

    def __truediv__(self, other: Scalar) -> Vec:
        inverse = 1.0 / other
        return Vec(self.x * inverse, self.y * inverse, self.z * inverse)


@dataclass(slots=True, eq=False)
class Frame:
    """Three orthonormal columns: ``world`` turns local components into world ones, ``local`` back."""

    x: Vec
    y: Vec
    z: Vec
    __array_ufunc__ = None

    def world(self, v: Vec) -> Vec:
        return self.x * v.x + self.y * v.y + self.z * v.z

    def local(self, v: Vec) -> Vec:
        return Vec(dot(self.x, v), dot(self.y, v), dot(self.z, v))

    def sees(self, other: Frame) -> Frame:
        """Another frame in these axes."""
        return Frame(self.local(other.x), self.local(other.y), self.local(other.z))


@dataclass(slots=True, eq=False)
class Sym:
    """A symmetric 3x3 tensor."""

    xx: Scalar
    xy: Scalar
    xz: Scalar
    yy: Scalar
    yz: Scalar
    zz: Scalar
    __array_ufunc__ = None

    def __add__(self, other: Sym) -> Sym:
        return Sym(*map(add, self, other))

    def __iter__(self) -> Iterator[Scalar]:
        return iter((self.xx, self.xy, self.xz, self.yy, self.yz, self.zz))

    def times(self, v: Vec) -> Vec:
        return Vec(
            self.xx * v.x + self.xy * v.y + self.xz * v.z,
            self.xy * v.x + self.yy * v.y + self.yz * v.z,
            self.xz * v.x + self.yz * v.y + self.zz * v.z,
        )

    def solve(self, v: Vec) -> Vec:
        """``S^-1 v`` by L D L^T, for a positive definite S."""
        l21 = self.xy / self.xx
        l31 = self.xz / self.xx
        d2 = self.yy - l21 * self.xy
        e32 = self.yz - l21 * self.xz
        l32 = e32 / d2
        d3 = self.zz - l31 * self.xz - l32 * e32
        y2 = v.y - l21 * v.x
        y3 = v.z - l31 * v.x - l32 * y2
        z = y3 / d3
        y = y2 / d2 - l32 * z
        x = v.x / self.xx - l21 * y - l31 * z
        return Vec(x, y, z)

    @property
    def diagonal(self) -> Vec:
        return Vec(self.xx, self.yy, self.zz)

    def inverse(self) -> Sym:
        """``S^-1`` of a positive definite S."""
        a, b = self.solve(Vec(1.0, 0.0, 0.0)), self.solve(Vec(0.0, 1.0, 0.0))
        return Sym(a.x, a.y, a.z, b.y, b.z, self.solve(Vec(0.0, 0.0, 1.0)).z)

    def turned(self, frame: Frame) -> Sym:
        """``T S T^T``: the same tensor in world axes, T the frame's columns."""
        a = frame.world(Vec(self.xx, self.xy, self.xz))
        b = frame.world(Vec(self.xy, self.yy, self.yz))
        c = frame.world(Vec(self.xz, self.yz, self.zz))
        x, y, z = frame.x, frame.y, frame.z
        return Sym(
            a.x * x.x + b.x * y.x + c.x * z.x,
            a.x * x.y + b.x * y.y + c.x * z.y,
            a.x * x.z + b.x * y.z + c.x * z.z,
            a.y * x.y + b.y * y.y + c.y * z.y,
            a.y * x.z + b.y * y.z + c.y * z.z,
            a.z * x.z + b.z * y.z + c.z * z.z,
        )


@dataclass(slots=True, eq=False)
class Mat:
    """A general 3x3 matrix by its rows."""

    a: Vec
    b: Vec
    c: Vec
    __array_ufunc__ = None

    def __add__(self, other: Mat) -> Mat:
        return Mat(self.a + other.a, self.b + other.b, self.c + other.c)

    def __neg__(self) -> Mat:
        return Mat(-self.a, -self.b, -self.c)

    def times(self, v: Vec) -> Vec:
        return Vec(dot(self.a, v), dot(self.b, v), dot(self.c, v))

    def transposed_times(self, v: Vec) -> Vec:
        return self.a * v.x + self.b * v.y + self.c * v.z


def vec_at(a: Scalar, i: int) -> Vec:
    """Three numbers from a[i]."""
    return Vec(a[i], a[i + 1], a[i + 2])


def sym_at(a: Scalar, i: int) -> Sym:
    """Six numbers from a[i]: xx, xy, xz, yy, yz, zz."""
    return Sym(a[i], a[i + 1], a[i + 2], a[i + 3], a[i + 4], a[i + 5])


@dataclass(slots=True, eq=False)
class Turning:
    """A vector fixed to a crank: ``axial + cosine cos th + sine sin th``, world axes."""

    axial: Vec
    cosine: Vec
    sine: Vec

    def at(self, c: Scalar, s: Scalar) -> Vec:
        return self.axial + self.cosine * c + self.sine * s


def turning_at(a: Scalar, i: int) -> Turning:
    """Nine numbers from a[i]."""
    return Turning(vec_at(a, i), vec_at(a, i + 3), vec_at(a, i + 6))


_READERS = {1: lambda a, i: a[i], 3: vec_at, 6: sym_at, 9: turning_at}


def blocks_at(layout: Layout, a: Scalar, i: int) -> list[Any]:
    """The blocks of a row that starts at a[i], in order: a number, Vec, Sym or Turning by its width."""
    return [_READERS[width](a, i + layout.at(name)) for name, width in layout.blocks()]


def dot(a: Vec, b: Vec) -> Scalar:
    """``a . b``"""
    return a.x * b.x + a.y * b.y + a.z * b.z


def cross(a: Vec, b: Vec) -> Vec:
    """``a x b``"""
    return Vec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)


def norm(a: Vec) -> Scalar:
    """``|a|``"""
    return sqrt(dot(a, a))


def rate_matrix(W: Vec, A: Vec) -> Mat:
    """``B = [A]x + [W]x [W]x``: a point r of a body turning with W and A accelerates by ``B r``."""
    xx, yy, zz = W.x * W.x, W.y * W.y, W.z * W.z
    xy, xz, yz = W.x * W.y, W.x * W.z, W.y * W.z
    return Mat(
        Vec(-yy - zz, xy - A.z, xz + A.y),
        Vec(xy + A.z, -xx - zz, yz - A.x),
        Vec(xz - A.y, yz + A.x, -xx - yy),
    )


def inertia_moment(B: Mat, S: Sym) -> Vec:
    """``I A + W x I W = int r x (B r) dm`` from the second moment ``S = int r r^T dm`` about the same point."""
    return Vec(
        (B.c.x * S.xy + B.c.y * S.yy + B.c.z * S.yz) - (B.b.x * S.xz + B.b.y * S.yz + B.b.z * S.zz),
        (B.a.x * S.xz + B.a.y * S.yz + B.a.z * S.zz) - (B.c.x * S.xx + B.c.y * S.xy + B.c.z * S.xz),
        (B.b.x * S.xx + B.b.y * S.xy + B.b.z * S.xz) - (B.a.x * S.xy + B.a.y * S.yy + B.a.z * S.yz),
    )


def inertia_tensor(S: Sym) -> Sym:
    """``I = tr(S) E - S`` from the second moment."""
    return Sym(S.yy + S.zz, -S.xy, -S.xz, S.xx + S.zz, -S.yz, S.xx + S.yy)


def leg_frame(k: Vec, s: Vec) -> Frame:
    """``T = [s, y, s x y]``, ``y = k x s / |k x s|``."""
    y = cross(k, s)
    y = y / norm(y)
    return Frame(s, y, cross(s, y))


def outer(a: Vec) -> Sym:
    """``a a^T``"""
    return Sym(a.x * a.x, a.x * a.y, a.x * a.z, a.y * a.y, a.y * a.z, a.z * a.z)
