"""Best of repeats: other programs on the computer only ever add time.

What runs in one thread is timed by this process's processor time, which others disturb least; threads by the clock.
"""

from __future__ import annotations

import time
from collections.abc import Callable


class Skip(Exception):  # noqa: N818
    """A case that cannot run here, with the reason."""


def best(
    call: Callable[[], object],
    evaluations: int = 1,
    *,
    seconds: float = 1.0,
    repeats: int = 200,
    threads: int = 1,
) -> float:
    """Seconds per evaluation of the fastest run; at least three runs, until `seconds` have passed."""
    clock = time.process_time if threads == 1 else time.perf_counter
    call()
    fastest, spent, runs = float("inf"), 0.0, 0
    while runs < 3 or (spent < seconds and runs < repeats):
        start = clock()
        call()
        took = clock() - start
        fastest, spent, runs = min(fastest, took), spent + took, runs + 1
    return fastest / evaluations


def each(call: Callable[[], object], *, count: int = 200, seconds: float = 1.0) -> float:
    """Seconds per call of something short, timed in loops of `count`."""

    def loop() -> None:
        for _ in range(count):
            call()

    return best(loop, count, seconds=seconds)
