"""Operations of the Lagrange formulation: 002's Table 1 and those of this code, counted while it runs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.formulations import lagrange
from gough.formulations.lagrange.balance import coriolis, energies_at
from gough.formulations.lagrange.errata import Variant
from gough.model import Platform
from gough.reproduce.counting import Counted, CountedComplex, Number, Tally, count
from gough.spatial import Pose

TABLE_1 = {  # additions, multiplications, divisions: Coriolis and centripetal | inertia matrices
    "Mobile platform": (310, 590, 0, 36, 90, 0),
    "Six actuators": (3028, 4403, 30, 297, 384, 12),
    "Translating links": (4506, 9474, 36, 378, 1038, 30),
    "Rotating links": (13080, 22266, 42, 900, 1758, 18),
}
TABLE_1_TOTAL = (20924, 36733, 108, 1611, 3270, 60)
POSE = Pose.from_rpy((-0.05, -0.1, 2.25), np.radians([7.5, -7.5, 7.5]))


@dataclass(frozen=True)
class LinkCounts:
    """Operations for the inertia matrix, and for the Coriolis matrix on top of it, of one link model."""

    inertia: Tally
    coriolis: Tally

    @property
    def total(self) -> int:
        """All operations."""
        return self.inertia.total + self.coriolis.total


def counts(machine: Platform) -> dict[str, LinkCounts]:
    """By link model, at one pose; the potential energy is in it, as the gravity terms come with it."""
    return {links: counts_of(machine, links) for links in lagrange.LINKS}


def counts_of(machine: Platform, links: str = "complete") -> LinkCounts:
    """Of one link model; legs of other types than PUS have the complete one only."""
    return LinkCounts(_inertia(machine, links), _coriolis(machine, links))


def _inertia(machine: Platform, links: str) -> Tally:
    return count(
        lambda number: (
            energies_at(
                machine, number(POSE.position), number(POSE.rotation), Variant(links)
            ).inertia
        )
    )


def _coriolis(machine: Platform, links: str) -> Tally:
    """Eq 78 by complex step, then eqs 76 and 77."""
    six, last = _six_evaluations(machine, links, CountedComplex)
    return six + last


def _six_evaluations(machine: Platform, links: str, kind: type[Counted]) -> tuple[Tally, Tally]:
    """Six evaluations of ``T^T I T``, and eqs 76 and 77 after them."""

    def transformed(number: Number) -> None:
        inertia = energies_at(
            machine, number(POSE.position), number(POSE.rotation), Variant(links)
        ).inertia
        T = np.eye(6, dtype=object)
        T[3:, 3:] = number(np.ones((3, 3)))
        _ = T.T @ inertia @ T

    rng = np.random.default_rng(2)
    last = count(
        lambda number: coriolis(number(rng.normal(size=(6, 6, 6))), number(rng.normal(size=6)))
    )
    return 6 * count(transformed, kind), last


def column_sums() -> tuple[int, ...]:
    """The columns of Table 1, added up."""
    return tuple(map(sum, zip(*TABLE_1.values(), strict=True)))


def printed_totals() -> tuple[int, int]:
    """Operations of the complete and of the simplified model by Table 1 (its first two rows)."""
    rows = list(TABLE_1.values())
    return sum(map(sum, rows)), sum(map(sum, rows[:2]))


def table_1() -> list[tuple[object, ...]]:
    """Table 1 as printed, with its column sums checked."""
    rows: dict[str, tuple[int, ...]] = {
        **TABLE_1,
        "Total, as printed": TABLE_1_TOTAL,
        "Total, added up here": column_sums(),
    }
    return [(name, *row, sum(row)) for name, row in rows.items()]


def real_coriolis(machine: Platform) -> int:
    """The six evaluations behind the Coriolis terms if they were real, and what follows them."""
    six, last = _six_evaluations(machine, "complete", Counted)
    return six.total + last.total


def table_beside(machine: Platform, found: dict[str, LinkCounts]) -> list[tuple[object, ...]]:
    """Table 1 and our counts side by side, with the reason for the difference."""
    complete, simple, three = (found[name] for name in ("complete", "two-mass", "three-mass"))
    rows = list(TABLE_1.values())
    paper = {
        (part, model): sum(sum(row[columns]) for row in chosen)
        for part, columns in (("V", slice(0, 3)), ("I", slice(3, 6)))
        for model, chosen in (("complete", rows), ("simple", rows[:2]))
    }
    saved = [100 * (1 - b / a) for a, b in (printed_totals(), (complete.total, simple.total))]
    return [
        (
            "inertia matrices, complete",
            paper["I", "complete"],
            complete.inertia.total,
            "Table 1 counts translating and rotating links apart; ours has one form for both",
        ),
        (
            "Coriolis terms, complete",
            paper["V", "complete"],
            complete.coriolis.total,
            "ours differentiates by six complex evaluations; the same six in real numbers take "
            f"{real_coriolis(machine)}",
        ),
        (
            "inertia matrices, simplified",
            paper["I", "simple"],
            simple.inertia.total,
            "Table 1 counts platform and actuators, which have taken the end masses over (eqs 86-91); "
            "ours keeps them as points of the links",
        ),
        (
            "Coriolis terms, simplified",
            paper["V", "simple"],
            simple.coriolis.total,
            "both reasons above",
        ),
        ("all, complete", printed_totals()[0], complete.total, ""),
        ("all, simplified", printed_totals()[1], simple.total, ""),
        ("saved", *(f"{share:.1f} %" for share in saved), ""),
        ("all, three masses (not in the paper)", "-", three.total, "one more point a link"),
    ]
