"""Fixed links: forward dynamics under their constraints, and the way back onto them.  docs/derivations/links.md

    M xdd = f + G^T lam,   G xdd + g = 0      G rows ``(s, q x s)`` of the links, g their accelerations at xdd = 0
    A lam = -(G M^-1 f + g),   A = G M^-1 G^T: as many rows as there are links, symmetric and positive definite
lam are the forces in the links, positive where they push.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gough.equations.platform import PlatformMotion, joint_wrench
from gough.equations.scalar import sqrt
from gough.equations.solve import Mass, Six, inner, total
from gough.equations.vec import Frame, Scalar, Vec, cross, dot


@dataclass(slots=True, eq=False)
class Factored:
    """``A = L D L^T``: columns of the unit L below the diagonal, and ``1/D``."""

    lower: list[list[Scalar]]
    inverse: list[Scalar]

    def solve(self, right: Sequence[Scalar]) -> list[Scalar]:
        """``A^-1 right``"""
        x = list(right)
        for i, column in enumerate(self.lower):
            for k, share in enumerate(column, i + 1):
                x[k] = x[k] - share * x[i]
        x = [value * u for value, u in zip(x, self.inverse, strict=True)]
        for i in range(len(x) - 1, -1, -1):
            for k, share in enumerate(self.lower[i], i + 1):
                x[i] = x[i] - share * x[k]
        return x


def factored(A: Sequence[Sequence[Scalar]]) -> Factored:
    """Of a symmetric positive definite matrix, without pivoting."""
    rest = [list(row) for row in A]
    lower: list[list[Scalar]] = []
    inverse: list[Scalar] = []
    for i in range(len(rest)):
        u = 1.0 / rest[i][i]
        column = [rest[k][i] * u for k in range(i + 1, len(rest))]
        for k in range(i + 1, len(rest)):
            for j in range(i + 1, k + 1):
                rest[k][j] = rest[k][j] - column[k - i - 1] * rest[j][i]
        lower.append(column)
        inverse.append(u)
    return Factored(lower, inverse)


@dataclass(slots=True, eq=False)
class HeldLinks:
    """The links against a mass matrix: rows G, their answers ``M^-1 G^T`` and A."""

    rows: list[Six]
    answers: list[Six]
    A: list[list[Scalar]]
    factors: Factored

    def forces(self, misfit: Sequence[Scalar]) -> list[Scalar]:
        """lam of ``G (M^-1 G^T lam) = -misfit``"""
        return [-x for x in self.factors.solve(misfit)]

    def answer(self, forces: Sequence[Scalar]) -> Six:
        """``M^-1 G^T lam``"""
        return total(a * force for a, force in zip(self.answers, forces, strict=True))

    def risk(self) -> Scalar:
        """``sum A_ii (A^-1)_ii``: infinite when the links become dependent."""
        n = len(self.A)
        units = ([1.0 if i == k else 0.0 for i in range(n)] for k in range(n))
        columns = [self.factors.solve(unit) for unit in units]
        return total(self.A[k][k] * columns[k][k] for k in range(n))


def hold(M: Mass, rows: list[Six]) -> HeldLinks:
    """Links with these rows."""
    answers = [M.solve(row) for row in rows]
    A = [[inner(row, answer) for answer in answers] for row in rows]
    return HeldLinks(rows, answers, A, factored(A))


def link_row(m: PlatformMotion, leg: Any) -> tuple[Six, Scalar]:
    """``(s, q x s)`` and length of a link: the rate of its length is the row's product with the twist."""
    q = m.R.world(leg.joint)
    span = m.t + q - leg.base
    length = sqrt(dot(span, span))
    return joint_wrench(q, span * (1.0 / length), None), length


def turned(R: Frame, u: Vec) -> Frame:
    """``cay(u) R``: R turned by about |u| about u, orthogonal for any u."""
    f = 4.0 / (4.0 + dot(u, u))

    def moved(a: Vec) -> Vec:
        p = cross(u, a)
        return a + (p + cross(u, p) * 0.5) * f

    return Frame(*(moved(a) for a in (R.x, R.y, R.z)))


def onto_links(m: PlatformMotion, M: Mass, legs: Sequence[tuple[Any, Scalar]]) -> PlatformMotion:
    """A pose and twist moved onto the links (constants and length of each), by the least in the metric M.

    Two Newton steps, ``dx = -M^-1 G^T A^-1 (|S| - L0)``; then ``xd - M^-1 G^T A^-1 G xd`` takes from the twist what
    would change their lengths, as impulses of the links would.
    """
    for _ in range(2):
        each = [link_row(m, leg) for leg, _ in legs]
        held = hold(M, [row for row, _ in each])
        off = [found - length for (_, found), (_, length) in zip(each, legs, strict=True)]
        d = held.answer(held.forces(off))
        m = PlatformMotion(m.t + d.lin, turned(m.R, d.ang), m.v, m.w, m.a, m.al, m.base)
    twist = Six(m.v, m.w)
    held = hold(M, [link_row(m, leg)[0] for leg, _ in legs])
    twist = twist + held.answer(held.forces([inner(row, twist) for row in held.rows]))
    return PlatformMotion(m.t, m.R, twist.lin, twist.ang, m.a, m.al, m.base)
