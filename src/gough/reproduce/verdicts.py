"""The verdict on a claim as a function of (claim, values): tests on computed numbers, never a word typed beside it.

A claim of a paper is an entry of its ``claims.toml``.  Its tests name computed values; each ends in one outcome,
and the outcomes of all tests make the verdict.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

VERDICTS = {
    "reproduced": "the statement holds in every case computed",
    "mixed": "holds in some of the cases computed and not in others",
    "differs": "holds in kind; the number is another",
    "wrong": "does not hold",
    "undecided": "cannot be decided from the text",
}
"""Every verdict and what it means."""

Values = Mapping[str, Any]
"""What was computed for a paper, by name: numbers, rows of numbers, words, or None where nothing can be."""


@dataclass(frozen=True)
class Test:
    """One question to one computed value; exactly one of the conditions is given.

    value     name of the computed value; of a row, every entry must satisfy the condition
    equals    the same number, word or row;  about, within: ``|value - about| <= within``
    least, most   bounds, a number or the name of another computed value
    near      how far beyond `within`, `least` or `most` the statement still holds in kind
    """

    __test__ = False  # for pytest: not a class of tests
    value: str
    equals: Any = None
    about: float | str | None = None
    within: float = 0.0
    least: float | str | None = None
    most: float | str | None = None
    near: float = 0.0

    def __post_init__(self) -> None:
        given = [x is not None for x in (self.equals, self.about, self.least, self.most)]
        if sum(given) != 1:
            raise ValueError(f"test of {self.value}: one of equals, about, least, most is needed")

    def outcomes(self, values: Values, each: bool = False) -> set[str]:
        """holds, near, fails, or unknown where nothing was computed; `each`: of every entry of a row."""
        found = values[self.value]
        if each and isinstance(found, list):
            return {self._outcome(entry, values) for entry in found}
        return {self._outcome(found, values)}

    def _outcome(self, found: Any, values: Values) -> str:
        if found is None:
            return "unknown"
        if self.equals is not None:
            return "holds" if _plain(found) == _plain(self.equals) else "fails"
        excess = self._excess(np.asarray(found, dtype=float), values)
        if np.isnan(excess):
            return "unknown"
        return "holds" if excess <= 0 else "near" if excess <= self.near else "fails"

    def _excess(self, found: Any, values: Values) -> float:
        """By how much the condition is missed at worst; not positive where it is met."""
        bound = next(x for x in (self.about, self.least, self.most) if x is not None)
        limit = float(values[bound] if isinstance(bound, str) else bound)
        if self.about is not None:
            # rounding of the subtraction must not decide a limit that is met exactly
            return float(np.max(np.abs(found - limit) - self.within)) - 1e-12 * abs(limit)
        return float(np.max(limit - found if self.least is not None else found - limit))


def verdict(tests: Sequence[Test], values: Values, readings: bool = False) -> str:
    """The verdict on a claim with these tests.

    readings: the cases (tests, and entries of a list) are different readings of what the text does not give;
    where they disagree, or where a value could not be computed, the text does not decide.
    """
    outcomes = {x for test in tests for x in test.outcomes(values, each=readings)}
    if not outcomes or "unknown" in outcomes or (readings and len(outcomes) > 1):
        return "undecided"
    if outcomes == {"holds"}:
        return "reproduced"
    if "holds" in outcomes:
        return "mixed"
    return "differs" if outcomes == {"near"} else "wrong"


def _plain(x: Any) -> Any:
    if isinstance(x, np.ndarray):
        return x.tolist()
    return list(x) if isinstance(x, tuple) else x
