"""Hostile calls over every public verb: a call that works, with one or two arguments made hostile."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import random
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

import gough
from border.surface import SLOW, arguments, fields, verbs
from border.values import hostile
from gough.checks import array

SECONDS, COMPILING = (
    5,
    180,
)  # of the processor for a call; by the clock, for one that may compile kernels first
MAY_BE_INFINITE = {  # documented: infinite where there is no bound; never NaN
    *("calibrate", "plan_poses"),  # intervals of what no reading shows
    *("clearance", "Drive", "Limits", "Events", "condition"),
    *("worst_effort", "payload_capacity", "choose_springs"),  # where a pose may be singular
    *("bearing_life", "select_drives"),  # what never turns; a torque at a speed that has none
}
WITH_VERDICT = {
    "check",
    "workspace_slice",
    "path_check",
}  # NaN: no such limit, no zero; `ok`, `inside`, `regular` say so
CALLED = ("callback", "progress")


class Hang(BaseException):
    """A call that ran longer than `SECONDS`."""


def warm(folder: str) -> list[str]:
    """Make every call once with good arguments (kernels are compiled here); the verbs that refuse them."""
    out = []
    for package, name, verb in verbs():
        for seed in range(4):
            given = arguments(verb, name, folder, random.Random(seed))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    verb(**given) if fields(verb) else verb(*given.values())
                except Exception as error:
                    out.append(f"{package}.{name}: {type(error).__name__} {error}")
    return out


def hostile_call(
    package: str, name: str, verb: Callable[..., Any], folder: str, rng: random.Random
) -> tuple[str, dict[str, Any]]:
    """Make one call; what became of it ("" is well) and its arguments."""
    given, known = arguments(verb, name, folder, rng), fields(verb)
    if not known:
        bad = hostile(rng)
        return outcome(lambda: verb(bad)), {"0": bad}
    parts = set(name.split("."))
    for field in rng.sample(list(known), min(len(known), rng.choice([1, 1, 1, 2]))):
        bad = hostile(rng)
        if field not in CALLED or not isinstance(
            bad, type
        ):  # what a user's own function raises is the user's
            given[field] = bad
    shown = dict(given)
    args = [given.pop(n) for n, f in known.items() if f.kind is f.POSITIONAL_ONLY and n in given]

    def call() -> Any:
        answer = verb(*args, **given)
        if package == "gough.rotations":  # formulas: NaN in, NaN out
            for field, value in shown.items():
                array(field, value)
        return None if parts & WITH_VERDICT else answer

    return outcome(call, bool(parts & MAY_BE_INFINITE)), shown


def outcome(call: Callable[[], Any], unguarded: bool = False) -> str:
    """An empty text when the call answers in finite numbers (or with a status), or refuses in our own words.

    A call that takes long is made again: what compiled its kernels the first time is fast then.
    """
    began = time.process_time()
    problem = _outcome(call, unguarded)
    if not problem and time.process_time() - began > SECONDS:
        began = time.process_time()
        problem = _outcome(call, unguarded)
        if not problem and time.process_time() - began > SECONDS:
            return f"takes more than {SECONDS} s"
    return problem


def _outcome(call: Callable[[], Any], unguarded: bool) -> str:
    with deadline(COMPILING), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            answer = call()
            well = finite(answer, unguarded)
        except gough.GoughError:
            return ""
        except Hang:
            return f"hangs for more than {COMPILING} s"
        except Exception as error:
            where, place = error.__traceback__, ""
            while where is not None:
                file = where.tb_frame.f_code.co_filename
                if "/gough/" in file or (where.tb_next is None and not place):
                    place = f"{Path(file).name}:{where.tb_lineno}"
                where = where.tb_next
            return f"raises {type(error).__name__} at {place}: {str(error)[:80]}"
        return "" if well else "answers a number that is not finite, without a status"


def finite(answer: Any, infinite: bool = False, depth: int = 0) -> bool:
    """No NaN (nor infinity, unless documented) in an answer, its fields and what it computes when asked.

    An answer with a status may hold them where the status is not good.
    """
    if depth > 4 or answer is None or isinstance(answer, str | bytes | int | type):
        return True
    if isinstance(answer, float | np.ndarray):
        a = np.asarray(answer)
        good = a.dtype.kind not in "fc" or (~np.isnan(a) if infinite else np.isfinite(a))
        return bool(np.all(good))
    if isinstance(answer, list | tuple):
        return all(finite(x, infinite, depth + 1) for x in answer[:100])
    if isinstance(answer, dict):
        return all(finite(x, infinite, depth + 1) for x in answer.values())
    if hasattr(answer, "status") or not dataclasses.is_dataclass(answer):
        return True
    return all(finite(value, infinite, depth + 1) for value in _read(answer))


def _read(answer: Any) -> Iterator[Any]:
    """Fields and properties; what a formulation does not give (AttributeError) is left out."""
    for field in dataclasses.fields(answer):
        yield getattr(answer, field.name)
    for name in dir(type(answer)):
        kind = getattr(type(answer), name)
        if not name.startswith("_") and isinstance(kind, property | cached_property):
            with contextlib.suppress(AttributeError, gough.GoughError):
                yield getattr(answer, name)


@contextlib.contextmanager
def deadline(seconds: int) -> Iterator[None]:
    """`Hang` in the block after `seconds`."""

    def ring(*_: Any) -> None:
        raise Hang

    old = signal.signal(signal.SIGALRM, ring)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, old)


def campaign(count: int, seed: int, only: str = "") -> dict[str, list[str]]:
    """`count` hostile calls; every failure once, with an example of its arguments."""
    rng, known = random.Random(seed), [v for v in verbs() if only in f"{v[0]}.{v[1]}"]
    usual = [v for v in known if v[1].rpartition(".")[2] not in SLOW] or known
    failures: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for i in range(count):
            package, name, verb = rng.choice(known if i % 20 == 0 else usual)
            problem, given = hostile_call(package, name, verb, folder, rng)
            if problem:
                shown = failures.setdefault(f"{package}.{name} {problem}", [])
                if len(shown) < 3:
                    shown.append(_show(given))
                if os.environ.get("GOUGH_SHOW"):
                    print(f"{package}.{name} {problem}: {_show(given)}", file=sys.stderr)
    return failures


def _show(given: dict[str, Any]) -> str:
    parts = []
    for name, value in given.items():
        try:
            parts.append(f"{name}={value!r}"[:90].replace("\n", " "))
        except Exception:
            parts.append(f"{name}=<{type(value).__name__}>")
    return ", ".join(parts)
