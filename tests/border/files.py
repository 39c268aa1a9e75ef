"""Mutated files of every kind the library reads: bytes, lines, numbers and keys changed; only our errors may follow."""

from __future__ import annotations

import contextlib
import json
import random
import re
import tempfile
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import gough
from border import measured_files
from border.calls import finite, outcome
from border.damage import own
from border.definitions import definitions
from border.values import machines
from gough.cli.verify import found
from gough.design.journal import AbandonedError, Journal
from gough.engines import cache as kernel_cache
from gough.simulation.checkpoint import Checkpoints
from gough.simulation.scenario import load_scenario
from gough.studio import wire
from gough.trajectory.legs import LegCoordinates

ROW = [1.0, "a"]
ROOT = Path(gough.__file__).parents[2]
WORDS = (
    *(
        "nan",
        "inf",
        "-1",
        "0",
        "1e400",
        "1e200",
        "1e-320",
        '""',
        '"text"',
        "true",
        "[]",
        "{}",
        "[[]]",
        "1 m",
    ),
    *(
        '"1 furlong"',
        "9" * 400,
        '"NaN mm"',
        "[1, 2]",
        "[nan, 0, 0]",
        "1979-05-27",
        "'''",
        "\0",
        "é",
        "[" * 200,
    ),
)
BINARY = ("netcdf", "checkpoint", "kernel", "parquet", "journal")
KEYS = (
    "ratio",
    "gear",
    "lead",
    "drive",
    "legs",
    "name",
    "mass",
    "stroke",
    "duration",
    "kind",
    "machine",
)


def _machine(path: Path) -> Any:
    """Load; what is loaded answers finite forces at home or refuses, and saves to a file that loads as itself."""
    platform = gough.load(path)
    again = gough.loads(gough.dumps(platform))
    if again != platform:
        raise AssertionError("a saved file loads as another machine")
    with contextlib.suppress(gough.GoughError):
        if platform.home is not None:
            force = gough.inverse_dynamics(platform, platform.home).force
            if not finite(force):
                raise AssertionError("accepted, and answers forces that are not finite")
    return None


def _trajectory(path: Path) -> Any:
    """Load; what is loaded gives finite motions from its beginning to its end."""
    found = gough.trajectory.load_trajectory(path)
    answer = found(np.array([0.0, found.duration / 3, found.duration]))
    names = (
        ("length", "rate")
        if isinstance(answer, LegCoordinates)
        else ("position", "velocity", "acceleration")
    )
    if not all(finite(getattr(answer, name)) for name in names):
        raise AssertionError("accepted, and moves where no numbers are")
    return None


def _scenario(path: Path) -> Any:
    """Load; what is loaded gives the arguments of a simulation or refuses."""
    found = load_scenario(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found.arguments(machines()[0])
    return None


def _journal(path: Path) -> Any:
    """Open; every row that counts is one that was written."""
    with Journal(path, {"x": 1}) as journal:
        journal.abandon()
        with contextlib.suppress(AbandonedError):
            if any(row != ROW for row in journal.rows(12)):
                raise AssertionError("accepted, and holds other rows")
    return None


def _checkpoint(path: Path) -> Any:
    return Checkpoints(path.parent, "f", True).pieces()


def _message(path: Path) -> Any:
    with contextlib.suppress(wire.MessageError):
        wire.decode(path.read_bytes())
    return None


def _kernel(path: Path) -> Any:
    return kernel_cache.read_checked(path) and None


@cache
def samples() -> dict[str, tuple[str, list[bytes], Callable[[Path], Any]]]:
    """Kind -> the file's name, good contents, and the reader."""
    line = gough.trajectory.line(([0, 0, 1], [0, 0, 0]), ([0, 0.1, 1], [0, 0, 0.1]), 1.0).sample(20)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table = gough.export.motion_table(line)
        netcdf = gough.export.write_netcdf(table, folder / "a.nc").read_bytes()
        csv = gough.export.write_csv(table, folder / "a.csv").read_bytes()
        Checkpoints(folder / "run", "f", False).save(0, {"x": np.arange(40.0)})
        piece = (folder / "run" / "piece-000000.npz").read_bytes()
        kernel_cache.write_checked(folder / "a.kernel", b"payload" * 100)
        kernel = (folder / "a.kernel").read_bytes()
        with Journal(folder / "a.journal", {"x": 1}) as written:
            for i in range(4):
                written.append(3 * i, [ROW] * 3)
        journal = (folder / "a.journal").read_bytes()

    def texts(pattern: str) -> list[bytes]:
        return [path.read_bytes() for path in sorted(ROOT.glob(pattern))]

    asks = [
        json.dumps(
            {"type": kind, "id": 1, "position": [0, 0, 1], "rpy": [0, 0, 0], "machine": "x"}
        ).encode()
        for kind in ("pose", "open", "simulate", "motion")
    ]
    return {
        "machine": ("a.toml", texts("src/gough/model/presets/*.toml"), _machine),
        "trajectory": (
            "a.toml",
            [*texts("examples/trajectories/*.toml"), *definitions()],
            _trajectory,
        ),
        "scenario": (
            "a.toml",
            texts("examples/scenarios/*.toml"),
            _scenario,
        ),
        "sweep": (
            "a.toml",
            texts("examples/design/sweep.toml"),
            lambda p: gough.design.read_sweep(p) and None,
        ),
        "design": (
            "a.toml",
            texts("examples/design/[hf]*.toml"),
            lambda p: gough.design.read_problem(p) and None,
        ),
        "csv": ("a.csv", [csv], _trajectory),
        "netcdf": ("a.nc", [netcdf], _trajectory),
        "checkpoint": ("piece-000000.npz", [piece], _checkpoint),
        "kernel": ("a.kernel", [kernel], _kernel),
        "message": ("a.json", asks, _message),
        "journal": ("a.journal", [journal], _journal),
        "parquet": ("a.parquet", [own()["parquet"][1]], lambda p: found(p) and None),
    } | measured_files.samples(_machine)


def mutated(good: bytes, rng: random.Random, binary: bool) -> bytes:
    """`good` with one to three changes."""
    data = good
    for _ in range(rng.choice([1, 1, 2, 3])):
        way = rng.randrange(3 if binary else 9)
        at = rng.randrange(max(1, len(data)))
        if way == 0:
            data = data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]
        elif way == 1:
            data = (
                data[:at] if rng.random() < 0.5 else data[:at] + data[at + rng.randrange(1, 80) :]
            )
        elif way == 2:
            data = data[:at] + data[max(0, at - rng.randrange(1, 80)) :]
        else:
            data = _text_change(data, rng, way)
    return data


def _text_change(data: bytes, rng: random.Random, way: int) -> bytes:
    text = data.decode(errors="replace")
    word = rng.choice(WORDS)
    if way in (3, 4):  # another value for a key
        places = list(re.finditer(r"=\s*(.+)|(-?\d+\.?\d*(?:e-?\d+)?)", text))
        if places:
            hit = rng.choice(places)
            group = 1 if hit[1] else 2
            text = text[: hit.start(group)] + word + text[hit.end(group) :]
        return text.encode(errors="replace")
    lines = text.split("\n")
    at = rng.randrange(len(lines))
    if way == 5:
        del lines[at]
    elif way == 6:
        lines.insert(at, lines[rng.randrange(len(lines))])
    elif way == 7:
        lines.insert(at, f"{rng.choice(KEYS)} = {word}")
    else:
        lines[at] = lines[at].replace(rng.choice("=,.[]\"' {}m"), rng.choice("=,.[]\"' {}m"))
    return "\n".join(lines).encode(errors="replace")


def campaign(count: int, seed: int, kinds: tuple[str, ...] = ()) -> dict[str, list[str]]:
    """`count` mutated files; every failure once, with where an example lies (none is kept if all is well)."""
    rng, failures = random.Random(seed), dict[str, list[str]]()
    chosen = kinds or tuple(samples())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "run.json").write_text('{"fingerprint": "f"}')
        for i in range(count):
            kind = chosen[i % len(chosen)]
            file, good, read = samples()[kind]
            path = folder / file
            data = mutated(rng.choice(good), rng, binary=kind in BINARY)
            path.write_bytes(data)
            problem = outcome(lambda read=read, path=path: read(path))
            if problem:
                examples = failures.setdefault(f"{kind}: {problem}", [])
                if not examples:
                    keep = Path(tempfile.gettempdir()) / f"gough-hostile-{seed}-{i}-{file}"
                    keep.write_bytes(data)
                    examples.append(str(keep))
    return failures
