"""The blocks of a Markdown page that are programs, and what the page says about them.

```python            runs; all blocks of a page continue one another
```                  directly below: what the block above prints, compared character by character
```sh                its lines that begin with ``gough`` run as commands
<!-- setup           a program that a reader of the page does not see; runs like the others
-->
<!-- not run: why -->   directly above a block that does not run, with the reason
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

RUNS = ("python", "sh")
NOT_RUN = re.compile(r"<!-- not run: (.+) -->")
SETUP = "<!-- setup"


@dataclass(frozen=True)
class Block:
    """One program of a page."""

    kind: str
    """``python``, ``sh`` or ``setup``."""
    text: str
    line: int
    """Of its first line of code, counted from 1."""
    end: int
    """Of the last line that belongs to it, its output included."""
    output: str | None = None
    """What the page shows below it."""
    skipped: str = ""
    """Why it does not run; empty where it does."""


class PageError(ValueError):
    """A page whose blocks cannot be told apart."""


def blocks(text: str) -> list[Block]:
    """The programs of a page from top to bottom."""
    lines = text.splitlines()
    found: list[Block] = []
    at, reason = 0, ""
    while at < len(lines):
        line = lines[at]
        if line.startswith(SETUP):
            stop = _closing(lines, at, "-->")
            found.append(Block("setup", "\n".join(lines[at + 1 : stop]), at + 2, stop + 1))
            at = stop
        elif match := NOT_RUN.fullmatch(line):
            reason = match[1]
            at += 1
            continue
        elif line.startswith("```"):
            stop = _closing(lines, at, "```")
            kind = line[3:].strip()
            if kind in RUNS:
                code, first = "\n".join(lines[at + 1 : stop]), at + 2
                shown = None
                if lines[stop + 1 : stop + 2] in (["```"], ["```text"]):
                    last = _closing(lines, stop + 1, "```")
                    shown, stop = "\n".join(lines[stop + 2 : last]), last
                found.append(Block(kind, code, first, stop + 1, shown, reason))
            at = stop
        reason = ""
        at += 1
    return found


def _closing(lines: list[str], start: int, mark: str) -> int:
    for at in range(start + 1, len(lines)):
        if lines[at] == mark:
            return at
    raise PageError(f"line {start + 1}: {lines[start]!r} is never closed by {mark!r}")


def pages(root: Path) -> list[Path]:
    """Every page whose blocks run: README, CONTRIBUTING and all of docs/."""
    return [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").rglob("*.md"))]
