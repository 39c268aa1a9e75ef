"""Damaged files of our own (results, checkpoints, kernels): refused before a decoder sees them, or read as before."""

from __future__ import annotations

import contextlib
import importlib
import os
import random
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

import gough
from border.calls import outcome
from gough.cli.verify import found
from gough.design import sweep
from gough.engines import cache as kernel_cache
from gough.simulation.checkpoint import Checkpoints

ROOT = Path(gough.__file__).parents[2]
reader = importlib.import_module("gough.trajectory.recorded")
Read = Callable[[Path], Any]
DECODERS = ("netcdf_arrays", "_read_foreign")


def damaged(good: bytes, rng: random.Random) -> bytes:
    """Cut off, bits flipped, a block zeroed, two blocks swapped, or a block of it lost."""
    n, way = len(good), rng.randrange(5)
    size = min(n // 2, rng.choice([1, 16, 48, 512, 4096]))
    at = rng.randrange(n - size + 1)
    if way == 0:
        return good[: rng.choice([n - rng.randrange(1, 200), rng.randrange(n), n - 48])]
    if way == 1:
        data = bytearray(good)
        for _ in range(rng.choice([1, 1, 2, 8])):
            data[rng.randrange(n)] ^= 1 << rng.randrange(8)
        return bytes(data)
    if way == 2:
        return good[:at] + bytes(size) + good[at + size :]
    if way == 3:
        a = rng.randrange(n // 2 - size + 1)
        b = rng.randrange(n // 2, n - size + 1)
        return (
            good[:a]
            + good[b : b + size]
            + good[a + size : b]
            + good[a : a + size]
            + good[b + size :]
        )
    return good[:at] + good[at + size :]


def _kernel(path: Path) -> float:
    """Compile or load a small kernel whose file `path` is damaged; its answer."""
    with mock.patch.object(kernel_cache, "cache_folder", return_value=path.parent):
        return float(kernel_cache.njit("f8(f8)")(_half)(3.0))


def _half(x: float) -> float:
    return 0.5 * x


def _motion(path: Path) -> Any:
    return reader.recorded(path)(np.linspace(0.0, 1.0, 5)).position.tobytes()


def _pieces(path: Path) -> Any:
    return [piece["x"].tobytes() for piece in Checkpoints(path.parent, "f", True).pieces()]


@cache
def own() -> dict[str, tuple[str, bytes, Read]]:
    """Kind -> name of the file, its good content, and what is read from it."""
    line = gough.trajectory.line(([0, 0, 1], [0, 0, 0]), ([0, 0.1, 1], [0, 0, 0.1]), 1.0).sample(20)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table = gough.export.motion_table(line)
        netcdf = gough.export.write_netcdf(table, folder / "a.nc").read_bytes()
        Checkpoints(folder / "run", "f", False).save(0, {"x": np.arange(40.0)})
        plan = gough.design.read_sweep(ROOT / "examples/design/sweep.toml")
        sweep(plan, folder / "sweep", formats=("nc", "parquet"))
        kernels = folder / "kernels"
        kernels.mkdir()
        _kernel(kernels / "none")
        (kernel,) = kernels.glob("*.kernel")
        return {
            "motion": ("a.nc", netcdf, _motion),
            "checkpoint": (
                "piece-000000.npz",
                (folder / "run/piece-000000.npz").read_bytes(),
                _pieces,
            ),
            "sweep": ("results.nc", (folder / "sweep/results.nc").read_bytes(), found),
            "parquet": ("results.parquet", (folder / "sweep/results.parquet").read_bytes(), found),
            "kernel": (kernel.name, kernel.read_bytes(), _kernel),
        }


@contextlib.contextmanager
def no_decoder() -> Iterator[None]:
    """In the block no decoder of NetCDF may be reached."""

    def opened(*_: Any) -> None:
        raise AssertionError("a decoder saw the damaged file")

    with contextlib.ExitStack() as stack:
        for name in DECODERS:
            stack.enter_context(mock.patch.object(reader, name, opened))
        yield


def campaign(count: int, seed: int, kinds: tuple[str, ...] = ()) -> dict[str, list[str]]:
    """`count` damaged files of these kinds; every failure once, with where an example lies."""
    rng, failures = random.Random(seed), dict[str, list[str]]()
    chosen, wanted = kinds or tuple(own()), dict[str, Any]()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "run.json").write_text('{"fingerprint": "f"}')
        for i in range(count):
            kind = chosen[i % len(chosen)]
            file, good, read = own()[kind]
            path, data = folder / file, damaged(good, rng)
            if kind not in wanted:
                path.write_bytes(good)
                path.chmod(0o600)
                wanted[kind] = read(path)
                if kind == "checkpoint":  # a damaged piece ends the list
                    wanted[kind] = []
            path.write_bytes(data)
            if data == good:
                continue

            def attempt(read: Read = read, path: Path = path, kind: str = kind) -> None:
                with no_decoder():
                    if read(path) != wanted[kind]:
                        raise AssertionError("read, and not as it was")

            if problem := outcome(attempt):
                keep = Path(tempfile.gettempdir()) / f"gough-damaged-{os.getpid()}-{i}-{file}"
                keep.write_bytes(data)
                failures.setdefault(f"{kind}: {problem}", []).append(str(keep))
    return failures
