"""Operations of the Lagrange formulation: 002's Table 1 and those of this code, counted while it runs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.formulations import lagrange
from gough.formulations.lagrange.balance import energies_at
from gough.formulations.lagrange.errata import Variant
from gough.model import Platform
from gough.reproduce.counting import Tally, count
from gough.reproduce.page_types import Table
from gough.spatial import Pose

TABLE_1 = {  # additions, multiplications, divisions: Coriolis and centripetal | inertia matrices
    "Mobile platform": (310, 590, 0, 36, 90, 0),
    "Six actuators": (3028, 4403, 30, 297, 384, 12),
    "Translating links": (4506, 9474, 36, 378, 1038, 30),
    "Rotating links": (13080, 22266, 42, 900, 1758, 18),
}
TABLE_1_TOTAL = (20924, 36733, 108, 1611, 3270, 60)
POSE = Pose.from_rpy((-0.05, -0.1, 2.25), np.radians([7.5, -7.5, 7.5]))


class Pair:
    """A complex number that counts the real operations of its arithmetic."""

    __slots__ = ("tally", "value")

    def __init__(self, value: complex, tally: Tally) -> None:
        self.value, self.tally = value, tally

    def _count(self, additions: int, multiplications: int, divisions: int = 0) -> None:
        self.tally.additions += additions
        self.tally.multiplications += multiplications
        self.tally.divisions += divisions

    def __add__(self, other: object) -> Pair:
        value = _value(other)
        if isinstance(other, Pair):
            self._count(2, 0)
        elif value != 0.0:
            self._count(1, 0)
        return Pair(self.value + value, self.tally)

    __radd__ = __add__

    def __neg__(self) -> Pair:
        return Pair(-self.value, self.tally)

    def __sub__(self, other: object) -> Pair:
        return self + (-other)  # type: ignore[operator]

    def __rsub__(self, other: object) -> Pair:
        return -self + other

    def __mul__(self, other: object) -> Pair | float:
        value = _value(other)
        if isinstance(other, Pair):
            self._count(2, 4)
        elif value == 0.0:
            return 0.0
        elif abs(value) != 1.0:
            self._count(0, 2)
        return Pair(self.value * value, self.tally)

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> Pair:
        if isinstance(other, Pair):
            self._count(3, 6, 2)
        else:
            self._count(0, 0, 2)
        return Pair(self.value / _value(other), self.tally)

    def __rtruediv__(self, other: object) -> Pair | float:
        if _value(other) == 0.0:
            return 0.0
        self._count(1, 4, 2)
        return Pair(_value(other) / self.value, self.tally)

    def __gt__(self, other: object) -> bool:
        return self.value.real > _value(other).real

    def sqrt(self) -> Pair:
        """Principal root: two real roots, the half sum and one quotient."""
        self._count(2, 4, 1)
        self.tally.roots += 2
        return Pair(complex(np.sqrt(self.value)), self.tally)


def _value(x: object) -> complex:
    return x.value if isinstance(x, Pair) else complex(x)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Counts:
    """Operations for the inertia matrix, and for the Coriolis matrix on top of it, of one link model."""

    inertia: Tally
    coriolis: Tally

    @property
    def total(self) -> int:
        """All operations."""
        return self.inertia.total + self.coriolis.total


def counts(machine: Platform) -> dict[str, Counts]:
    """By link model, at one pose; the potential energy is in it, as the gravity terms come with it."""
    return {links: Counts(_inertia(machine, links), _coriolis(machine, links)) for links in lagrange.LINKS}


def _inertia(machine: Platform, links: str) -> Tally:
    variant = Variant(links)
    return count(
        lambda number: (
            energies_at(machine, number(POSE.position), number(POSE.rotation), variant).inertia
        )
    )  # type: ignore[arg-type]


def _coriolis(machine: Platform, links: str) -> Tally:
    """Six evaluations of ``T^T I T`` in complex numbers (eq 78 by complex step), then eqs 76 and 77."""
    tally = Tally()
    number = np.frompyfunc(lambda v: Pair(complex(v), tally), 1, 1)
    t, R = np.asarray(number(POSE.position)), np.asarray(number(POSE.rotation))
    inertia = energies_at(machine, t, R, Variant(links)).inertia
    T = np.eye(6, dtype=object)
    T[3:, 3:] = number(np.ones((3, 3)))
    _ = T.T @ inertia @ T
    rng = np.random.default_rng(2)
    last = count(
        lambda real: lagrange.coriolis(
            real(rng.normal(size=(6, 6, 6))),  # type: ignore[arg-type]
            real(rng.normal(size=6)),
        )
    )  # type: ignore[arg-type]
    return Tally(
        *(
            6 * getattr(tally, n) + getattr(last, n)
            for n in ("additions", "multiplications", "divisions", "roots")
        )
    )


def saving(complete: int, simple: int) -> str:
    """Percent saved."""
    return f"{100 * (1 - simple / complete):.1f} %"


def printed_totals() -> tuple[int, int]:
    """Operations of the complete and of the simplified model by Table 1 (its first two rows)."""
    rows = list(TABLE_1.values())
    return sum(map(sum, rows)), sum(map(sum, rows[:2]))


def table_1() -> Table:
    """Table 1 as printed, with its column sums checked."""
    sums = tuple(map(sum, zip(*TABLE_1.values(), strict=True)))
    rows = [(name, *map(str, row), str(sum(row))) for name, row in TABLE_1.items()]
    rows.append(("Total, as printed", *map(str, TABLE_1_TOTAL), str(sum(TABLE_1_TOTAL))))
    rows.append(("Total, added up here", *map(str, sums), str(sum(sums))))
    return Table(
        "002-table1",
        "Table 1. Arithmetic operations, as printed",
        ("", "V: add.", "V: mult.", "V: div.", "I: add.", "I: mult.", "I: div.", "all"),
        tuple(rows),
    )


def table_ours(found: dict[str, Counts]) -> Table:
    """The same, counted in this code."""
    rows = []
    for links, c in found.items():
        cells = [
            f"{getattr(tally, n)}"
            for tally in (c.coriolis, c.inertia)
            for n in ("additions", "multiplications", "divisions")
        ]
        rows.append((links, *cells, str(c.total), saving(found["complete"].total, c.total)))
    return Table(
        "002-table1-ours",
        "The same, counted while this code runs (V by complex step)",
        (
            "links",
            "V: add.",
            "V: mult.",
            "V: div.",
            "I: add.",
            "I: mult.",
            "I: div.",
            "all, with roots",
            "saved",
        ),
        tuple(rows),
    )
