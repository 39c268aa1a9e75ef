"""Any number of states through constant memory: chunks in, chunks out.

A source is an (N, width) array-like that can be sliced (NumPy, a memory map, an HDF5 dataset) or an iterable of such
chunks.  The columns are those of the machine function, `columns` says which.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from gough.checks import Array, InputError
from gough.engines import native
from gough.engines.evaluate import check_function, check_platform
from gough.engines.pack import packed
from gough.equations.machine import FUNCTIONS
from gough.model import Platform

CHUNK = 1 << 15


def columns(platform: Platform, function: str = "forces") -> tuple[tuple[str, int], ...]:
    """Names and widths of the input columns, in order."""
    check_platform(platform)
    check_function(function)
    return native.inputs_of(function, packed(platform, None).kinds)


def stream(
    platform: Platform,
    source: Any,
    function: str = "forces",
    *,
    chunk: int = CHUNK,
    number: str = "float64",
) -> Iterator[Array]:
    """Answers (n, outputs) chunk by chunk; each is overwritten by the next.

    Bad states give NaN in their own rows.  ``number="float32"`` computes in single precision.
    """
    if chunk < 1:
        raise InputError("chunk", chunk, "must be at least 1")
    if number not in ("float64", "float32"):
        raise InputError("number", number, "must be float64 or float32")
    inputs, machine = columns(platform, function), packed(platform, None)
    width = sum(w for _, w in inputs)
    edges = np.cumsum([0, *(w for _, w in inputs)])
    compiled = native.kernel(function, machine.kinds, number=number)
    par = machine.parameters.astype(number)
    out = np.empty((chunk, FUNCTIONS[function].n_out), dtype=number)
    for piece in _pieces(source, chunk):
        x = np.asarray(piece, dtype=number)
        if x.ndim != 2 or x.shape[1] != width:
            raise InputError("source", f"shape {x.shape}", f"chunks must have shape (n, {width})")
        blocks = [x[:, low:high] for low, high in pairwise(edges)]
        native.run_into(compiled, blocks, par, (out[: len(x)],), native.threads())
        yield out[: len(x)]


def _pieces(source: Any, chunk: int) -> Iterator[Any]:
    if hasattr(source, "shape") and hasattr(source, "__getitem__"):
        for low in range(0, source.shape[0], chunk):
            yield source[low : low + chunk]
        return
    if not isinstance(source, Iterable):
        raise InputError("source", source, "must be an array or an iterable of chunks")
    for piece in source:
        for low in range(0, len(piece), chunk):
            yield piece[low : low + chunk]


def stream_into(
    platform: Platform,
    source: Any,
    out: Any = None,
    function: str = "forces",
    *,
    callback: Callable[[int, Array], None] | None = None,
    chunk: int = CHUNK,
    number: str = "float64",
) -> int:
    """Run the whole source; answers go to ``out[low:high]`` and to ``callback(low, answers)``.  How many states."""
    done = 0
    for answers in stream(platform, source, function, chunk=chunk, number=number):
        if out is not None:
            out[done : done + len(answers)] = answers
        if callback is not None:
            callback(done, answers)
        done += len(answers)
    return done
