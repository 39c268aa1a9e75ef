"""Hostile calls over every public verb: a call that works, with one or two arguments made hostile."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import decimal
import fractions
import importlib
import inspect
import os
import random
import signal
import tempfile
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

import gough
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
SECONDS = 5
NOT_CALLED = {  # why no hostile call is made
    *(
        "simulate_dae",
        "sweep",
        "optimize",
        "assembly_modes",
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


class Hang(BaseException):
    """A call that ran longer than `SECONDS`."""


class Evil:
    """An object that fails whatever is asked of it."""

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise KeyError("no array")

    def __float__(self) -> float:
        raise RuntimeError("no float")

    def __repr__(self) -> str:
        raise ValueError("no text")


@cache
def machines() -> tuple[gough.Platform, ...]:
    """One of every leg kind, with limits and drives where presets have them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return (
            gough.hexapod(0.5, 0.3, 0.4, 0.4, 0.6),
            gough.hexapod(0.5, 0.3, 0.4, 0.4, 0.6, leg="SPS"),
            gough.hexaglide(0.8, 0.3, 0.4, 0.4, 0.6, link_length=0.9, incline=0.3),
            gough.servo_hexapod(0.2, 0.15, 0.4, 0.4, crank_length=0.04, rod_length=0.2),
            gough.load("dasgupta-1998"),
        )


def valid(  # noqa: C901  one line per verb that wants its own value
    name: str, verb: str, platform: gough.Platform, folder: str, rng: random.Random
) -> Any:
    """A value with which a call works, by the argument's name."""
    home = platform.likely_home
    motion = gough.Motion(home.position, home.rotation, [0.01, 0, 0.02], [0.1, 0, 0])
    if rng.random() < 0.3:
        motion = gough.Motion(home.position + np.zeros((4, 3)), home.rotation, time=np.arange(4.0))
    line = gough.trajectory.line(home, (home.position + 0.01, home.rpy), 1.0)
    six = np.zeros(6)
    with contextlib.suppress(gough.GoughError):
        six = gough.inverse_kinematics(platform, home).length
    if verb in ("motion_table", "forces_table", "limit_report") and name == "motion":
        return line.sample(5)
    table: dict[str, Callable[[], Any]] = {
        **dict.fromkeys(("platform", "model"), lambda: platform),
        **dict.fromkeys(("motion", "state"), lambda: motion),
        **dict.fromkeys(("pose", "guess", "start", "end", "center", "home"), lambda: home),
        **dict.fromkeys(("length", "lengths", "rest"), lambda: six),
        **dict.fromkeys(
            ("rate", "acceleration", "force", "external", "actuator"), lambda: np.ones(6)
        ),
        **dict.fromkeys(("amplitude", "max_acceleration"), lambda: np.full(6, 0.01)),
        "frequency": lambda: 1.0,
        **dict.fromkeys(
            ("duration", "time", "period"), lambda: 0.05 if verb == "simulate" else 1.0
        ),
        "step": lambda: 0.01,
        **dict.fromkeys(("path", "out", "trajectory"), lambda: line),
        "parts": lambda: line,
        "motions": lambda: [line.sample(5)],
        "stiffness": lambda: 1e6,
        "direction": lambda: np.array([0, 0, 0.1]),
        "limit": lambda: 1.0,
        "position": lambda: home.position,
        "positions": lambda: home.position + np.zeros((5, 3)),
        "rotation": lambda: home.rotation,
        "rotations": lambda: home.rotation[None],
        "times": lambda: [0.0, 0.5, 1.0],
        "poses": lambda: [home, home, home],
        "payload": lambda: gough.Body(1.0),
        "text": lambda: gough.dumps(platform),
        "name_or_path": lambda: "dasgupta-1998" if verb == "load" else "001-I",
        "coordinate": lambda: "x",
        "task": lambda: gough.design.Task(),
        "names": lambda: ["stroke"],
        "table": lambda: gough.export.motion_table(line.sample(5)),
        "legs": lambda: gough.inverse_kinematics(platform, line.sample(5)),
        "result": lambda: gough.inverse_dynamics(platform, line.sample(5)),
        "body": lambda: gough.Body(1.0),
        "inertia": lambda: [0.1, 0.1, 0.1],
        **dict.fromkeys(
            ("base", "joint", "arm", "velocity", "angular_velocity"), lambda: [0.1, 0.2, 0.3]
        ),
        **dict.fromkeys(("axis", "rail", "shaft", "gravity"), lambda: [0.0, 1.0, 0.0]),
        "angle": lambda: np.zeros(6),
        **dict.fromkeys(("base_radius", "edge", "link_length", "rod_length"), lambda: 0.8),
        **dict.fromkeys(("platform_radius", "height"), lambda: 0.4),
        **dict.fromkeys(("base_pair_angle", "platform_pair_angle", "incline"), lambda: 0.3),
        "crank_length": lambda: 0.1,
        **dict.fromkeys(("v", "rpy"), lambda: np.array([0.1, 0.2, 0.3])),
        **dict.fromkeys(("q", "quaternion"), lambda: np.array([1.0, 0.1, 0.2, 0.3])),
        "R": lambda: np.eye(3),
        "matrix": lambda: np.eye(4),
        "name": lambda: "dasgupta-1998" if verb == "preset_summary" else "001-I",
        **dict.fromkeys(("kp", "ki", "kd", "mass", "offset"), lambda: np.ones(6)),
    }
    if verb in ("PUS", "RUS") and name == "length":
        return 0.5
    if verb == "Platform" and name == "legs":
        return platform.legs
    if verb == "track" and name == "lengths":
        return six + np.zeros((4, 1))
    if verb == "time_grid" and name == "duration":
        return 2.0
    if verb == "rpy_rate_matrix_dot":
        return np.zeros(3)
    if verb in ("Body", "Drive") and name in ("mass", "ratio"):
        return 1.0
    if name == "path" and verb not in ("time_optimal",):
        return os.path.join(folder, "out.nc" if verb == "recorded" else "out.xml")
    if verb == "Impedance" and name in ("stiffness", "damping"):
        return np.ones(6)
    if verb == "through_motion" and name in ("position", "rotation"):
        return {"position": np.zeros((3, 3)), "rotation": np.broadcast_to(np.eye(3), (3, 3, 3))}[
            name
        ]
    if verb == "trajectory_from" and name == "table":
        return {"kind": "hold"}
    if verb == "Brake" and name == "force":
        return 1.0
    if verb == "legs_harmonic" and name == "center":
        return six
    if verb in ("forward_dynamics", "inverse_dynamics") and name == "force":
        return np.zeros(6)
    return table[name]() if name in table else 0.5


def hostile(rng: random.Random) -> Any:
    """Something that no verb wants, or hardly any."""
    shape = rng.choice(
        [(6,), (3,), (3, 3), (0, 6), (0, 3), (2, 6), (4, 6), (5, 3), (2, 3, 3), (1,), ()]
    )
    a = np.full(shape, rng.choice([np.nan, np.inf, 1e200, 1e-320, -1.0, 0.0, 1.0, 1e9, 1e25]))
    empty = gough.Motion(np.zeros((0, 3)))
    two = gough.Motion(np.full((2, 3), 0.5))
    return rng.choice(
        [
            *(
                None,
                True,
                False,
                "",
                "text",
                "\0",
                b"bytes",
                1j,
                np.nan,
                np.inf,
                -np.inf,
                1e200,
                -1e200,
                -1,
                0,
                1,
                7,
            ),
            *(
                1e-300,
                10**400,
                -(10**25),
                2**63,
                "nan",
                "1e5",
                [],
                [[]],
                [1, 2],
                [[1, 2], [3]],
                {},
                {"a": 1},
                (),
                set(),
            ),
            *(
                object(),
                Evil(),
                int,
                lambda *x, **y: None,
                range(6),
                (i for i in range(6)),
                Path("nowhere"),
                datetime.date.today(),
            ),
            *(
                np.array(["a"] * 6),
                np.arange(6).astype("datetime64[s]"),
                np.arange(3).astype("timedelta64[s]"),
            ),
            *(
                np.ma.masked_equal(np.arange(6.0), 2),
                np.ma.masked_all(shape),
                np.ma.masked,
                a,
                a + 1j,
                a.astype(object),
                a > 0,
            ),
            *(
                np.array([None] * 6),
                [None] * 3,
                ["1", "2", "3"],
                np.zeros(shape, dtype="f4"),
                np.zeros(shape, dtype="V8"),
            ),
            *(
                empty,
                empty.pose,
                two,
                two.pose,
                gough.Pose([0, 0, 0.5]),
                gough.Motion([0, 0, 1e9]),
                gough.Body(0.0),
            ),
            *(
                fractions.Fraction(1, 3),
                decimal.Decimal("NaN"),
                memoryview(b"abc"),
                np.float32(3),
                np.random.default_rng(1),
            ),
            *(
                gough,
                machines()[0],
                machines()[3],
                gough.InputError,
                float("1e9"),
                1e15,
                a[..., None],
                [a, a],
                {"x": a},
            ),
            *(np.array([1e308] * 6), [True] * 6, "L1", 3.7, -0.5, 12345678901234567890),
        ]
    )


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
    return outcome(
        lambda: verb(*args, **given), package == "gough.spatial"
    ), given  # NaN stays NaN there


def outcome(call: Callable[[], Any], nan_in: bool = False) -> str:
    """An empty text when the call answers in finite numbers (or with a status), or refuses in our own words."""
    with deadline(SECONDS), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            answer = call()
        except gough.GoughError:
            return ""
        except Hang:
            return f"hangs for more than {SECONDS} s"
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
            if nan_in or finite(answer)
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
