"""How far long work is, and about how long it still takes: a bar on a terminal, now and then a line elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from gough.cli import console

EVERY = 30.0  # seconds between two lines where there is no terminal


class Pace:
    """Work of this run alone: what was done before it says nothing about its rate.

    what  the things that are counted, as a word;  clock: seconds
    """

    def __init__(self, what: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._what, self._clock = what, clock
        self._start: tuple[float, int] | None = None
        self._told = 0.0

    def sentence(self, done: int, total: int) -> str:
        """``40 of 100 cases, 2 a second, about 30 s left``."""
        now = self._clock()
        began, before = self._start = self._start or (now, done)
        said = f"{done} of {total} {self._what}"
        if now <= began or done <= before:
            return said
        rate = (done - before) / (now - began)
        left = f", about {duration((total - done) / rate)} left" if done < total else ""
        return f"{said}, {rate:.3g} a second{left}"

    def due(self, done: int, total: int) -> str | None:
        """The sentence when it is time for one: after `EVERY` seconds, and at the end of such work."""
        now = self._clock()
        if self._start is None:
            self._told = now
        said = self.sentence(done, total)
        if now - self._told < EVERY and not (done == total and self._said_before(now)):
            return None
        self._told = now
        return said

    def _said_before(self, now: float) -> bool:
        return self._start is not None and now - self._start[0] >= EVERY


def duration(seconds: float) -> str:
    """``45 s``, ``12 min``, ``3 h 20 min``, ``5 d 4 h``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 90:
        return f"{minutes} min"
    hours, rest = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h {rest} min"
    return f"{hours // 24} d {hours % 24} h"


@contextmanager
def told(what: str) -> Iterator[Callable[[int, int], None]]:
    """Call it with what is done and all there is to do."""
    pace = Pace(what)
    with console.progress() as bar:
        task = bar.add_task(what, total=None)

        def tell(done: int, total: int) -> None:
            if bar.disable:
                line = pace.due(done, total)
                console.say(*([line] if line else []))
            else:
                words = pace.sentence(done, total).partition(", ")[2] or what
                bar.update(task, completed=done, total=total, description=words)

        yield tell
