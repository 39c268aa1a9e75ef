"""Public Stewart-platform codes, checked: their formulas and published numbers against ours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.reproduce.codes import (
    euler_dynamics,
    machine_tool,
    notebook,
    published,
    robot_head,
    telescope,
    thesis,
)
from gough.reproduce.codes.geometry import numbers
from gough.reproduce.page import Claim
from gough.reproduce.paper_text import read

CHECKS = (euler_dynamics, notebook, robot_head, thesis, telescope, machine_tool, published)


@dataclass(frozen=True)
class Work:
    """One public work: its key, name and source, and what was found."""

    key: str
    name: str
    source: str
    claims: tuple[Claim, ...]


@dataclass(frozen=True)
class PublicCodes:
    """All works checked, and how."""

    works: tuple[Work, ...]
    how: tuple[str, ...]


def values() -> dict[str, Any]:
    """Everything the claims ask for."""
    found: dict[str, Any] = {}
    for check in CHECKS:
        found |= check.values()
    return found | {
        "class_list": "; ".join(euler_dynamics.CLASS_SLIPS.values()),
        "matlab_list": "; ".join(euler_dynamics.MATLAB_SLIPS.values()),
        "stiffness_most": np.max(found["stiffness_off"]),
        "search_ratio": found["search_evaluations"] / found["search_newton"],
        "tool_reported": found["tool_broken"] != "converged",
    }


def check_codes(found: dict[str, Any] | None = None) -> PublicCodes:
    """Every work with its claims judged; `found`: values to judge by, computed if not given."""
    text = read("codes")
    judged = text.judge(values() if found is None else found)
    works = []
    for key, work in numbers().items():
        own = tuple(judged[name] for name, claim in text.claims.items() if claim["where"] == key)
        works.append(Work(key, work["name"], work["source"], own))
    return PublicCodes(tuple(works), tuple(text.paper["choices"]))
