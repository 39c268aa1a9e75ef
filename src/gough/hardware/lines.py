"""Lines of the controller's protocol: words, numbers, and what may be wrong with them."""

from __future__ import annotations

import math

import numpy as np

from gough.checks import Array

LONGEST = 256  # bytes of a line without its end
LARGEST = 1e6  # of a number in a line, in its units
SENTENCE = 900  # characters of an answer
ERRORS = {
    "UNKNOWN": 1,
    "ARGUMENT": 2,
    "TOO-LONG": 3,
    "OWNED": 4,
    "BUSY": 5,
    "UNREACHABLE": 6,
    "UNPROVED": 7,
    "LIMITS": 8,
    "FULL": 9,
    "INTERNAL": 10,
}
"""Code by its word; docs/controller.md says what each means."""


class LineError(Exception):
    """A line that is refused: the word of its code, and why."""

    def __init__(self, code: str, sentence: str) -> None:
        self.code = code
        super().__init__(sentence)


def words(line: str) -> tuple[str, list[str]]:
    """The verb in capitals, and the rest."""
    if len(line) > LONGEST:
        raise LineError("TOO-LONG", f"a line has at most {LONGEST} bytes")
    if not line.isascii() or any(ord(c) < 32 and c != "\t" for c in line):
        raise LineError("ARGUMENT", "a line holds printable ASCII only")
    parts = line.split()
    if not parts:
        raise LineError("UNKNOWN", "an empty line")
    return parts[0].upper(), parts[1:]


def numbers(given: list[str], count: int) -> Array:
    """Exactly so many finite numbers."""
    if len(given) != count:
        raise LineError("ARGUMENT", f"takes {count} numbers, not {len(given)}")
    return np.array([number(word) for word in given])


def number(word: str) -> float:
    """A finite number of plausible size."""
    try:
        value = float(word)
    except ValueError:
        raise LineError("ARGUMENT", f"{word[:40]} is no number") from None
    if not math.isfinite(value) or abs(value) > LARGEST:
        raise LineError("ARGUMENT", f"{word[:40]} is not a number between -1e6 and 1e6")
    return value


def options(given: list[str], names: tuple[str, ...]) -> tuple[list[str], dict[str, float]]:
    """Numbers, then pairs of a name and a positive number."""
    first = next((i for i, word in enumerate(given) if word.upper() in names), len(given))
    rest, found = given[first:], dict[str, float]()
    for name, word in zip(rest[::2], rest[1::2], strict=False):
        if name.upper() not in names or name.upper() in found:
            raise LineError("ARGUMENT", f"{name[:40]}: options are {', '.join(names)}, once each")
        found[name.upper()] = number(word)
        if found[name.upper()] <= 0.0:
            raise LineError("ARGUMENT", f"{name.upper()} must be positive")
    if len(rest) % 2:
        raise LineError("ARGUMENT", f"{rest[-1][:40]} needs a number behind it")
    return given[:first], found


def said(*parts: str) -> str:
    """One line: ends of lines become spaces, what is longer than SENTENCE is cut."""
    text = " ".join(" ".join(part.split()) for part in parts if part)
    text = text.encode("ascii", "replace").decode()
    return text if len(text) <= SENTENCE else text[: SENTENCE - 3] + "..."
