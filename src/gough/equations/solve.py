"""Six-vectors and the 6x6 solves, straight-line and without branches.

Modified Gram-Schmidt QR for the wrench matrix H (elimination without pivoting divides by zero when a leg lies in
a coordinate plane); block L D L^T for the mass matrix, which is symmetric positive definite.
"""

from __future__ import annotations

from gough.equations.scalar import sqrt
from gough.equations.vec import Mat, Scalar, Sym, Vec, dot


class Six:
    """A twist or wrench: linear part, angular part."""

    __slots__ = ("ang", "lin")
    __array_ufunc__ = None

    def __init__(self, lin: Vec, ang: Vec) -> None:
        self.lin = lin
        self.ang = ang

    def __add__(self, other: Six) -> Six:
        return Six(self.lin + other.lin, self.ang + other.ang)

    def __sub__(self, other: Six) -> Six:
        return Six(self.lin - other.lin, self.ang - other.ang)

    def __mul__(self, other: Scalar) -> Six:
        return Six(self.lin * other, self.ang * other)


def inner(a: Six, b: Six) -> Scalar:
    """Sum of the six products."""
    return dot(a.lin, b.lin) + dot(a.ang, b.ang)


class Solution:
    """``H y = c``; `risk` sums ``|h_i|^2 / r_ii^2``: infinite when the columns become dependent."""

    __slots__ = ("risk", "y1", "y2", "y3", "y4", "y5", "y6")

    def __init__(self, y1: Scalar, y2: Scalar, y3: Scalar, y4: Scalar, y5: Scalar, y6: Scalar, risk: Scalar) -> None:
        self.y1 = y1
        self.y2 = y2
        self.y3 = y3
        self.y4 = y4
        self.y5 = y5
        self.y6 = y6
        self.risk = risk


def solve_columns(h1: Six, h2: Six, h3: Six, h4: Six, h5: Six, h6: Six, c: Six) -> Solution:
    """``sum_i h_i y_i = c`` by modified Gram-Schmidt with c as a seventh column."""
    n1, n2, n3, n4, n5, n6 = inner(h1, h1), inner(h2, h2), inner(h3, h3), inner(h4, h4), inner(h5, h5), inner(h6, h6)

    i1 = 1.0 / sqrt(n1)
    q = h1 * i1
    r12, r13, r14, r15, r16, c1 = inner(q, h2), inner(q, h3), inner(q, h4), inner(q, h5), inner(q, h6), inner(q, c)
    h2, h3, h4, h5, h6, c = h2 - q * r12, h3 - q * r13, h4 - q * r14, h5 - q * r15, h6 - q * r16, c - q * c1

    i2 = 1.0 / sqrt(inner(h2, h2))
    q = h2 * i2
    r23, r24, r25, r26, c2 = inner(q, h3), inner(q, h4), inner(q, h5), inner(q, h6), inner(q, c)
    h3, h4, h5, h6, c = h3 - q * r23, h4 - q * r24, h5 - q * r25, h6 - q * r26, c - q * c2

    i3 = 1.0 / sqrt(inner(h3, h3))
    q = h3 * i3
    r34, r35, r36, c3 = inner(q, h4), inner(q, h5), inner(q, h6), inner(q, c)
    h4, h5, h6, c = h4 - q * r34, h5 - q * r35, h6 - q * r36, c - q * c3

    i4 = 1.0 / sqrt(inner(h4, h4))
    q = h4 * i4
    r45, r46, c4 = inner(q, h5), inner(q, h6), inner(q, c)
    h5, h6, c = h5 - q * r45, h6 - q * r46, c - q * c4

    i5 = 1.0 / sqrt(inner(h5, h5))
    q = h5 * i5
    r56, c5 = inner(q, h6), inner(q, c)
    h6, c = h6 - q * r56, c - q * c5

    i6 = 1.0 / sqrt(inner(h6, h6))
    c6 = inner(h6, c) * i6

    y6 = c6 * i6
    y5 = (c5 - r56 * y6) * i5
    y4 = (c4 - r45 * y5 - r46 * y6) * i4
    y3 = (c3 - r34 * y4 - r35 * y5 - r36 * y6) * i3
    y2 = (c2 - r23 * y3 - r24 * y4 - r25 * y5 - r26 * y6) * i2
    y1 = (c1 - r12 * y2 - r13 * y3 - r14 * y4 - r15 * y5 - r16 * y6) * i1
    risk = n2 * i2 * i2 + n3 * i3 * i3 + n4 * i4 * i4 + n5 * i5 * i5 + n6 * i6 * i6
    return Solution(y1, y2, y3, y4, y5, y6, risk)


class Mass:
    """Task-space mass matrix ``[[A, B], [B^T, C]]``: linear, mixed and angular block."""

    __slots__ = ("A", "B", "C")

    def __init__(self, A: Sym, B: Mat, C: Sym) -> None:
        self.A = A
        self.B = B
        self.C = C

    def __add__(self, other: Mass) -> Mass:
        return Mass(self.A + other.A, self.B + other.B, self.C + other.C)

    def times(self, x: Six) -> Six:
        return Six(self.A.times(x.lin) + self.B.times(x.ang), self.B.transposed_times(x.lin) + self.C.times(x.ang))

    def solve(self, f: Six) -> Six:
        """``M^-1 f`` through the Schur complement ``C - B^T A^-1 B``."""
        A, B, C = self.A, self.B, self.C
        x = A.solve(Vec(B.a.x, B.b.x, B.c.x))
        y = A.solve(Vec(B.a.y, B.b.y, B.c.y))
        z = A.solve(Vec(B.a.z, B.b.z, B.c.z))
        n = A.solve(f.lin)
        Bx, By, Bz = B.transposed_times(x), B.transposed_times(y), B.transposed_times(z)
        schur = Sym(C.xx - Bx.x, C.xy - Bx.y, C.xz - Bx.z, C.yy - By.y, C.yz - By.z, C.zz - Bz.z)
        ang = schur.solve(f.ang - B.transposed_times(n))
        return Six(n - (x * ang.x + y * ang.y + z * ang.z), ang)
