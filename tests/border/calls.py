"""Hostile calls over every public verb: a call that works, with one or two arguments made hostile."""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import inspect
import random
import signal
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

import gough
from border.values import Evil as Evil
from border.values import hostile, machines, valid
from gough import lazy

PACKAGES = (
    "gough",
    *(
        f"gough.{n}"
        for n in ("analysis", "control", "design", "dynamics", "export", "formulations")
    ),
    *(f"gough.{n}" for n in ("kinematics", "kinematics.assembly", "simulation", "trajectory")),
    *(
        f"gough.formulations.{n}"
        for n in ("kane", "lagrange", "multibody", "newton_euler", "universal")
    ),
)
SECONDS, COMPILING = 5, 180  # for a call; for the first one of a verb on a kind of machine
_compiled: set[Any] = set()
NOT_CALLED = {  # why no hostile call is made
    *(
        "simulate_dae",
        "sweep",
        "optimize",
        "assembly_modes",
        "modes_within",
        "certified_volume",
        "exact_volume",
    ),  # seconds a call
    *("verb", "papers", "presets", "json_schema"),  # no arguments, or a name of a module
    *(
        "GoughError",
        "InputError",
        "InfeasibleError",
        "MachineFileError",
        "ModelWarning",
        "Status",
        "SweepStoppedError",
    ),
    *(
        "About",
        "Formulation",
        "Controller",
        "Optimum",
        "CProject",
        "AssemblyModes",
        "Cluster",
        "Trajectory",
    ),  # answers
    *(
        "LegTrajectory",
        "Measurement",
        "Reference",
        "Source",
        "DesignProblem",
        "coriolis",
    ),  # made by the library
}


MAY_BE_INFINITE = {
    *(
        "forward_dynamics_derivatives",
        "inverse_dynamics_derivatives",
    ),  # until they ask the one guard
    *(
        "clearance",
        "path_check",
        "workspace_slice",
        "check",
        "forward_rates",
        "forward_accelerations",
    ),  # documented: infinite or NaN where there is none
}


class Hang(BaseException):
    """A call that ran longer than `SECONDS`."""


def verbs() -> list[tuple[str, str, Callable[..., Any]]]:
    """(package, name, callable) of everything public that takes arguments from users."""
    found, seen = [], set()
    for package in PACKAGES:
        module = importlib.import_module(package)
        for name in sorted(lazy.promised(package)):
            value = getattr(module, name)
            wanted = isinstance(value, FunctionType | type) and name not in NOT_CALLED
            if wanted and id(value) not in seen:
                seen.add(id(value))
                found.append((package, name, value))
    pose = gough.Pose
    found += [
        ("gough", f"Pose.{n}", getattr(pose, n))
        for n in ("from_rpy", "from_quaternion", "from_matrix")
    ]
    spatial = importlib.import_module("gough.spatial")
    found += [
        ("gough.spatial", n, value)
        for n, value in vars(spatial).items()
        if isinstance(value, FunctionType)
        and value.__module__ == "gough.spatial"
        and not n.startswith("_")
    ]
    line = gough.trajectory.line(machines()[0].likely_home, ([0, 0, 0.61], [0, 0, 0]), 1.0)
    return [
        *found,
        ("gough.trajectory", "line()", line.__call__),
        ("gough.trajectory", "sample", line.sample),
    ]


def arguments(
    verb: Callable[..., Any], name: str, folder: str, rng: random.Random
) -> dict[str, Any]:
    """Named arguments with which the verb works: all that are required, some of the others."""
    platform = rng.choice(machines())
    out = {}
    for field in inspect.signature(verb).parameters.values():
        if field.kind in (field.VAR_POSITIONAL, field.VAR_KEYWORD) or field.name == "self":
            continue
        if field.default is field.empty:
            out[field.name] = valid(field.name, name, platform, folder, rng)
    return out | ({"stiffness": 1e6} if name == "compliance" else {})


def warm(folder: str) -> list[str]:
    """Make every call once with good arguments (kernels are compiled here); the verbs that refuse them."""
    out = []
    for package, name, verb in verbs():
        for seed in range(4):
            given = arguments(verb, name, folder, random.Random(seed))
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    verb(*given.values()) if not inspect.signature(verb).parameters else verb(
                        **given
                    )
            except Exception as error:
                out.append(f"{package}.{name}: {type(error).__name__} {error}")
    return out


def hostile_call(
    package: str, name: str, verb: Callable[..., Any], folder: str, rng: random.Random
) -> tuple[str, dict[str, Any]]:
    """Make one call; what became of it ("" is well) and its arguments."""
    given = arguments(verb, name, folder, rng)
    fields = [
        f.name
        for f in inspect.signature(verb).parameters.values()
        if f.kind not in (f.VAR_POSITIONAL, f.VAR_KEYWORD) and f.name != "self"
    ]
    for field in rng.sample(fields, min(len(fields), rng.choice([1, 1, 1, 2]))):
        given[field] = hostile(rng)
    inside = inspect.signature(verb).parameters.values()
    if any(f.kind is f.VAR_POSITIONAL for f in inside):
        return outcome(lambda: verb(hostile(rng))), given
    positional = [f.name for f in inside if f.kind is f.POSITIONAL_ONLY]
    args = [given.pop(n) for n in positional if n in given]
    unguarded = package == "gough.spatial" or name in MAY_BE_INFINITE
    platform = given.get("platform")
    first = (name, platform.kinds) if isinstance(platform, gough.Platform) else name
    seconds = SECONDS if first in _compiled else COMPILING
    _compiled.add(first)
    return outcome(lambda: verb(*args, **given), unguarded, seconds), given


def outcome(call: Callable[[], Any], unguarded: bool = False, seconds: int = SECONDS) -> str:
    """An empty text when the call answers in finite numbers (or with a status), or refuses in our own words."""
    with deadline(seconds), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            answer = call()
        except gough.GoughError:
            return ""
        except Hang:
            return f"hangs for more than {seconds} s"
        except Exception as error:
            where = error.__traceback__
            while where is not None and where.tb_next is not None:
                where = where.tb_next
            place = (
                f"{Path(where.tb_frame.f_code.co_filename).name}:{where.tb_lineno}" if where else ""
            )
            return f"raises {type(error).__name__} at {place}: {str(error)[:80]}"
        return (
            ""
            if unguarded or finite(answer)
            else "answers a number that is not finite, without a status"
        )


def finite(answer: Any, depth: int = 0) -> bool:
    """No NaN in the arrays of an answer that has no status to say so."""
    if hasattr(answer, "status") or depth > 4:
        return True
    if isinstance(answer, float | np.ndarray):
        a = np.asarray(answer)
        return a.dtype.kind not in "fc" or bool(np.isfinite(a).all())
    if isinstance(answer, list | tuple):
        return all(finite(x, depth + 1) for x in answer)
    if isinstance(answer, dict):
        return all(finite(x, depth + 1) for x in answer.values())
    if dataclasses.is_dataclass(answer) and not isinstance(answer, type):
        return all(finite(getattr(answer, f.name), depth + 1) for f in dataclasses.fields(answer))
    return True


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


def campaign(count: int, seed: int) -> dict[str, list[str]]:
    """`count` hostile calls; every failure once, with an example of its arguments."""
    rng, known = random.Random(seed), verbs()
    failures: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for i in range(count):
            package, name, verb = known[i % len(known)]
            problem, given = hostile_call(package, name, verb, folder, rng)
            if problem:
                shown = failures.setdefault(f"{package}.{name} {problem}", [])
                if len(shown) < 3:
                    shown.append(_show(given))
    return failures


def _show(given: dict[str, Any]) -> str:
    parts = []
    for name, value in given.items():
        try:
            parts.append(f"{name}={value!r}"[:90].replace("\n", " "))
        except Exception:
            parts.append(f"{name}=<{type(value).__name__}>")
    return ", ".join(parts)
