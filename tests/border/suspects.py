"""The usual suspects, one by one, in every argument of every verb: what random calls find only after many."""

from __future__ import annotations

import contextlib
import random
import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np

import gough
from border import calls
from border.surface import SLOW, arguments, fields, verbs


def suspects() -> dict[str, Any]:
    """Values that fit some argument of some verb, but hardly this one."""
    turned, place = np.eye(3), [0.0, 0.0, 0.6]
    return {
        "poses (2,)": gough.Pose(np.tile(place, (2, 1)), turned),
        "poses (2, 2)": gough.Pose(np.tile(place, (2, 2, 1)), turned),
        "motions (2,)": gough.Motion(np.tile(place, (2, 1)), turned),
        "motions (2, 1)": gough.Motion(np.tile(place, (2, 1, 1)), turned),
        "rotations (2,)": np.tile(turned, (2, 1, 1)),
        **{
            f"ones {shape}": np.ones(shape)
            for shape in ((2,), (3,), (4, 3), (6, 6), (2, 6), (2, 2, 6))
        },
        "nothing (0, 6)": np.zeros((0, 6)),
        "a set": {1, 2},
        "a list": [1, 2, 3],
        "a ragged list": [[1], [2, 3]],
        "a table": {"a": 1},
        "huge": 10**25,
        "minus one": -1,
        "zero": 0,
        "denormal": 1e-320,
        "a half": 2.5,
        "text": "x",
        "bytes": b"ab",
        "None": None,
        "a class": float,
        "any arguments": lambda *_, **__: None,
        "one argument": lambda x: x,
    }


def campaign(share: float = 1.0, seed: int = 0) -> dict[tuple[str, str], list[str]]:
    """Failures by verb and what became of it, with the arguments that did it; `share` of all calls."""
    rng, found = random.Random(seed), dict[tuple[str, str], list[str]]()
    usual = suspects()
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.chdir(folder),
    ):  # some write what they are named
        for package, name, verb in verbs():
            if name.rpartition(".")[2] in SLOW:
                continue
            for field in fields(verb):
                for label, bad in usual.items():
                    if rng.random() > share or (field in calls.CALLED and callable(bad)):
                        continue
                    call, loose = made(package, name, verb, field, bad, folder)
                    problem = calls.outcome(call, loose)
                    if problem:
                        found.setdefault((f"{package}.{name}", problem), []).append(
                            f"{field}: {label}"
                        )
    return found


def made(
    package: str, name: str, verb: Callable[..., Any], field: str, bad: Any, folder: str
) -> tuple[Callable[[], Any], bool]:
    """A good call of the verb but for one argument, and whether its answer may be infinite."""
    given, known = arguments(verb, name, folder, random.Random(1)), fields(verb)
    given[field] = bad
    first = [given.pop(n) for n, f in known.items() if f.kind is f.POSITIONAL_ONLY and n in given]
    parts = set(name.split("."))
    formula = bool(parts & calls.WITH_VERDICT) or package == "gough.spatial"

    def call() -> Any:
        answer = verb(*first, **given)
        return None if formula else answer

    return call, bool(parts & calls.MAY_BE_INFINITE)
