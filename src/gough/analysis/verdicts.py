"""What a proof says of a motion's limits: one verdict each, and all of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from gough.frozen import hinted

HOLDS, BROKEN, UNDECIDED = "holds, proved", "broken", "undecided"


@hinted
@dataclass(frozen=True, repr=False)
class Verdict:
    """On one limit of one leg (of two for a distance, of the machine for the determinant).

    status  `HOLDS`, `BROKEN` or `UNDECIDED`;  time  s, where it is broken, or the middle of an
    interval that was left open;  within  s, half length of that
    """

    kind: str
    legs: tuple[int, ...]
    status: str
    sentence: str
    time: float | None = None
    within: float | None = None


@hinted
@dataclass(frozen=True, repr=False)
class ProvedLimits:
    """Verdicts on every limit that the machine has; intervals: how many were looked at."""

    verdicts: tuple[Verdict, ...]
    intervals: int

    @cached_property
    def ok(self) -> bool | None:
        """True: every limit holds, proved; False: one is broken; None: one is undecided and none broken."""
        if any(v.status == BROKEN for v in self.verdicts):
            return False
        return True if all(v.status == HOLDS for v in self.verdicts) else None

    def of(self, kind: str) -> tuple[Verdict, ...]:
        """The verdicts on one kind of limit."""
        return tuple(v for v in self.verdicts if v.kind == kind)

    def sentences(self) -> tuple[str, ...]:
        """What does not hold, in words."""
        return tuple(v.sentence for v in self.verdicts if v.status != HOLDS)
