"""What whoever waits for the compiler is told: what is compiled, and how many kernels of how many are done.

Told on a terminal (one line that changes), or line by line where ``GOUGH_PROGRESS=1`` asks for it.  A kernel is
compiled with all that it calls; not all kernels of the modules that are loaded are needed: their number is a bound.
"""

from __future__ import annotations

import os
import re
import sys

EVERY = 10  # kernels between two lines where lines do not change
_GENERATED = re.compile(r"^gough_kernel_(.*)_[0-9a-f]{12}\.\w+$")


class CompilerProgress:
    """Kernels known, done, and those being compiled now, each within the one before it."""

    def __init__(self) -> None:
        self.known = self.done = 0
        self._open: list[str] = []
        self._where_said = False

    def begin(self, name: str, folder: str) -> None:
        """A kernel is not on the disk: it is compiled now."""
        self._open.append(short(name))
        if len(self._open) == 1:
            where = "" if self._where_said else f", once for this processor (kept in {folder})"
            self._where_said = self._where_said or telling()
            self._say(f"gough: compiling {self._open[0]}{where}", last=True)

    def end(self) -> None:
        """The innermost of them is done."""
        self.done += 1
        if self._open:
            first, _ = self._open[0], self._open.pop()
            line = f"gough: compiling {first}: {self.done} of at most {self.known} kernels"
            if sys.stderr is not None and sys.stderr.isatty():
                self._say(f"\r{line}", last=not self._open)
            elif self.done % EVERY == 0:
                self._say(line, last=True)

    def _say(self, line: str, last: bool) -> None:
        if telling():
            sys.stderr.write(line + ("\n" if last else ""))
            sys.stderr.flush()


def telling() -> bool:
    """Whether anybody reads it."""
    if sys.stderr is None:
        return False
    return os.environ.get("GOUGH_PROGRESS") == "1" or sys.stderr.isatty()


def short(name: str) -> str:
    """A kernel's name without its module; generated ones by what they are of."""
    generated = _GENERATED.match(name)
    return generated[1] if generated else name.rpartition(".")[2]


progress = CompilerProgress()
