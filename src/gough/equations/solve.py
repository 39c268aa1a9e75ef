"""Six-vectors and the 6x6 solves, straight-line and without branches.

Modified Gram-Schmidt QR for the wrench matrix H (elimination without pivoting divides by zero when a leg lies in
a coordinate plane); block L D L^T for the mass matrix, which is symmetric positive definite.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add

from gough.equations.scalar import sqrt
from gough.equations.vec import Mat, Scalar, Sym, Vec, dot, vec_at


@dataclass(slots=True, eq=False)
class Six:
    """A twist or wrench: linear part, angular part."""

    lin: Vec
    ang: Vec
    __array_ufunc__ = None

    def __add__(self, other: Six) -> Six:
        return Six(self.lin + other.lin, self.ang + other.ang)

    def __sub__(self, other: Six) -> Six:
        return Six(self.lin - other.lin, self.ang - other.ang)

    def __mul__(self, other: Scalar) -> Six:
        return Six(self.lin * other, self.ang * other)


def total(parts: Iterable[Scalar], *first: Scalar) -> Scalar:
    """Sum of numbers, six-vectors or mass matrices, in their order, onto `first` if given."""
    return reduce(add, parts, *first)


def inner(a: Six, b: Six) -> Scalar:
    """Sum of the six products."""
    return dot(a.lin, b.lin) + dot(a.ang, b.ang)


def six_at(a: Scalar, i: int) -> Six:
    """Six numbers from a[i]: linear, angular."""
    return Six(vec_at(a, i), vec_at(a, i + 3))


def components(f: Six) -> tuple[Scalar, ...]:
    """Six numbers: linear, angular."""
    return (*f.lin, *f.ang)


@dataclass(slots=True, eq=False)
class Solution:
    """``H y = c``; `risk` is ``|H_1^-1|_F^2``, H_1 the columns at unit length: infinite when they become dependent.

    It bounds the condition number from both sides: ``sqrt(risk/6) <= 1/sigma_min(H_1) <= sqrt(risk)``.
    """

    y: list[Scalar]
    risk: Scalar


def solve_columns(h: Sequence[Six], c: Six) -> Solution:
    """``sum_i h_i y_i = c`` for six columns by modified Gram-Schmidt, with c as a seventh column.

    ``h_i = sum_{j<=i} q_j r_ji`` with orthonormal q; ``u_i = 1/r_ii``, ``z_i = q_i.c``; then ``R y = z`` from below.
    """
    norms = [inner(column, column) for column in h]
    rest, squares = [*h, c], norms[0]
    r: list[list[Scalar]] = []
    u: list[Scalar] = []
    for _ in range(5):
        u.append(1.0 / sqrt(squares))
        q = rest[0] * u[-1]
        r.append([inner(q, column) for column in rest[1:]])
        rest = [column - q * share for column, share in zip(rest[1:], r[-1], strict=True)]
        squares = inner(rest[0], rest[0])
    u.append(1.0 / sqrt(squares))
    last = inner(rest[0], rest[1]) * u[5]

    y = [last * u[5]]
    for i in range(4, -1, -1):
        value = r[i][-1]
        for share, known in zip(r[i][:-1], y, strict=True):
            value = value - share * known
        y.insert(0, value * u[i])
    return Solution(y, total(n * share for n, share in zip(norms, inverse_rows(r, u), strict=True)))


def inverse_rows(r: Sequence[Sequence[Scalar]], u: Sequence[Scalar]) -> list[Scalar]:
    """Squared lengths of the rows of ``R^-1``; r holds each row of R behind its diagonal ``1/u``."""
    inverse: list[list[Scalar]] = []  # rows from the diagonal on, the last one first
    for i in range(5, -1, -1):
        row = [u[i]]
        for j in range(i + 1, 6):
            shares = (r[i][k - i - 1] * inverse[5 - k][j - k] for k in range(i + 1, j + 1))
            row.append(-total(shares) * u[i])
        inverse.append(row)
    return [total(v * v for v in row) for row in reversed(inverse)]


@dataclass(slots=True, eq=False)
class Mass:
    """Task-space mass matrix ``[[A, B], [B^T, C]]``: linear, mixed and angular block."""

    A: Sym
    B: Mat
    C: Sym

    def __add__(self, other: Mass) -> Mass:
        return Mass(self.A + other.A, self.B + other.B, self.C + other.C)

    def times(self, x: Six) -> Six:
        return Six(
            self.A.times(x.lin) + self.B.times(x.ang),
            self.B.transposed_times(x.lin) + self.C.times(x.ang),
        )

    def solve(self, f: Six) -> Six:
        """``M^-1 f`` through the Schur complement ``C - B^T A^-1 B``."""
        return self.solved(f)[0]

    def solved(self, f: Six) -> tuple[Six, Scalar]:
        """The same, and a risk: ``sum M_ii (M^-1)_ii``, infinite when M becomes singular.

        It is the trace of the inverse of M scaled to a unit diagonal: its condition number is at most six times that.
        """
        A, B, C = self.A, self.B, self.C
        x = A.solve(Vec(B.a.x, B.b.x, B.c.x))
        y = A.solve(Vec(B.a.y, B.b.y, B.c.y))
        z = A.solve(Vec(B.a.z, B.b.z, B.c.z))
        n = A.solve(f.lin)
        Bx, By, Bz = B.transposed_times(x), B.transposed_times(y), B.transposed_times(z)
        schur = Sym(C.xx - Bx.x, C.xy - Bx.y, C.xz - Bx.z, C.yy - By.y, C.yz - By.z, C.zz - Bz.z)
        ang = schur.solve(f.ang - B.transposed_times(n))
        inner_A, inner_C = A.inverse(), schur.inverse()
        rows = (Vec(x.x, y.x, z.x), Vec(x.y, y.y, z.y), Vec(x.z, y.z, z.z))
        lifted = [dot(row, inner_C.times(row)) for row in rows]
        linear = dot(A.diagonal, inner_A.diagonal + Vec(*lifted))
        risk = linear + dot(C.diagonal, inner_C.diagonal)
        return Six(n - (x * ang.x + y * ang.y + z * ang.z), ang), risk
