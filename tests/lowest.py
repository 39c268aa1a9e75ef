"""`python tests/lowest.py`: the lower bound of every dependency in pyproject.toml as pip constraints.

`make test-lowest` installs them into a fresh environment and runs the tests of the rooms that touch them: a bound
that is too low fails there.  What only tests or measures (the extras test, bench, lint) and what needs a GPU (cuda)
is left out.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"
BOUND = re.compile(r"([A-Za-z0-9_.-]+)(?:\[[^\]]*\])?>=([0-9.]+)")


def constraints(project: str) -> list[str]:
    """``name==lowest`` of everything that the project text asks for; every requirement must state its lower bound."""
    table = tomllib.loads(project)["project"]
    extras = table["optional-dependencies"]
    served = sorted(set(extras) - {"all", "test", "bench", "lint", "cuda"})
    wanted = [
        *table["dependencies"],
        *(line for name in served for line in extras[name]),
    ]
    found: dict[str, str] = {}
    for line in wanted:
        match = BOUND.fullmatch(line)
        if match is None:
            raise ValueError(f"{line}: must be name>=version")
        if found.setdefault(match[1], match[2]) != match[2]:
            raise ValueError(f"{match[1]}: has two lower bounds, {found[match[1]]} and {match[2]}")
    return [f"{name}=={version}" for name, version in sorted(found.items())]


if __name__ == "__main__":
    print("\n".join(constraints(PROJECT.read_text(encoding="utf-8"))))
