"""Which cases are left, and how many of them are handed out together.

A span is a run of consecutive cases, computed and recorded together.  Its size is given, or follows the measured cost:
as many cases as take `AIM` seconds, fewer towards the end so that all workers end together.  It decides no result.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import NamedTuple

from gough.checks import InputError

AIM = 1.0  # seconds a span shall take: long against handing it out (ms), short against losing it
MOST = 8192  # cases of a span, however cheap they are: its rows are held in memory
GROWTH = 8  # a span is at most so many times as long as the longest one measured


class Span(NamedTuple):
    """Cases ``first, first + 1, ... stop - 1``."""

    first: int
    stop: int

    @property
    def size(self) -> int:
        """Number of cases."""
        return self.stop - self.first

    def halves(self) -> tuple[Span, Span]:
        """Two spans with the same cases; the first is the longer one."""
        middle = (self.first + self.stop + 1) // 2
        return Span(self.first, middle), Span(middle, self.stop)


def gaps(done: Iterable[Span], cases: int) -> list[Span]:
    """What `done` (in any order) leaves of all cases; a case that is done twice, or none of these, is refused."""
    found, reached = [], 0
    for span in (*sorted(done), Span(cases, cases)):
        if span.first < reached:
            raise InputError("spans", span, f"must lie between {reached} and {cases}")
        if span.first > reached:
            found.append(Span(reached, span.first))
        reached = span.stop
    return found


class Supply:
    """Cases that are not handed out yet.

    left  spans of all of them;  size: cases of a span, None: by their measured cost
    """

    def __init__(self, left: Iterable[Span], size: int | None = None) -> None:
        self._left, self._again = deque(left), deque[Span]()
        self._size, self._cases = size, sum(span.size for span in self._left)
        self._weight, self._seconds, self._longest = 0.0, 0.0, 0

    def take(self, workers: int) -> Span | None:
        """The next span for one of so many workers; None when nothing is left."""
        if not self._left:
            return self._again.popleft() if self._again else None
        first, stop = self._left.popleft()
        end = min(first + self._next_size(workers), stop)
        if end < stop:
            self._left.appendleft(Span(end, stop))
        self._cases -= end - first
        return Span(first, end)

    def put_back(self, *spans: Span) -> None:
        """Spans to be handed out again, as they are, after all others."""
        self._again.extend(spans)

    def measured(self, size: int, seconds: float) -> None:
        """So many cases took so long; what was measured before counts half as much."""
        self._weight, self._seconds = 0.5 * self._weight + size, 0.5 * self._seconds + seconds
        self._longest = max(self._longest, size)

    def _next_size(self, workers: int) -> int:
        if self._size is not None:
            return self._size
        if not self._longest:
            return 1
        enough = AIM * self._weight / max(self._seconds, 1e-9)
        share = -(-self._cases // (2 * workers))
        return max(1, int(min(enough, GROWTH * self._longest, MOST, share)))
