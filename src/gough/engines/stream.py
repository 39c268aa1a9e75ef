"""Any number of states through constant memory: chunks in, chunks out.

A source is an (N, width) array-like that can be sliced (NumPy, a memory map, an HDF5 dataset) or an iterable of such
chunks.  The columns are those of the machine function, `columns` says which.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from gough.border import checked
from gough.checks import Array, InputError, real
from gough.engines import native
from gough.engines.evaluate import check_function, check_platform, judge_rows
from gough.engines.pack import packed
from gough.equations.machine import FUNCTIONS
from gough.guard import refuse as refusal
from gough.layout import POSE
from gough.links import refuse_links
from gough.model import Platform
from gough.spatial import Pose

CHUNK = 1 << 15


def columns(platform: Platform, function: str = "forces") -> tuple[tuple[str, int], ...]:
    """Names and widths of the input columns, in order."""
    check_platform(platform)
    check_function(function)
    return native.inputs_of(function, packed(platform, None).kinds)


@checked
def stream(
    platform: Platform,
    source: Any,
    function: str = "forces",
    *,
    chunk: int = CHUNK,
    number: str = "float64",
    refuse: bool = True,
) -> Iterator[Array]:
    """Answers (n, outputs) chunk by chunk; each is overwritten by the next.

    refuse  a state without a trustworthy answer raises `InfeasibleError` with its number in the stream, as in the
            verbs; False: it gives NaN in its own row
    number  "float32" computes in single precision; conditions beyond 1e4 (less a factor) are refused then
    """
    if chunk < 1:
        raise InputError("chunk", chunk, "must be at least 1")
    if number not in ("float64", "float32"):
        raise InputError("number", number, "must be float64 or float32")
    inputs, machine = columns(platform, function), packed(platform, None)
    native.check_precision(machine.kinds, number)
    refuse_links(platform, "streams do not serve machines")
    width = sum(w for _, w in inputs)
    edges = np.cumsum([0, *(w for _, w in inputs)])
    compiled = native.kernel(function, machine.kinds, number=number)
    par = machine.parameters.astype(number)
    out = np.empty((chunk, FUNCTIONS[function].n_out), dtype=number)
    done = 0
    for piece in _pieces(source, chunk):
        x = piece if _is(piece, number) else real("source", piece).astype(number, copy=False)
        if x.ndim != 2 or x.shape[1] != width:
            raise InputError("source", f"shape {x.shape}", f"chunks must have shape (n, {width})")
        blocks = [x[:, low:high] for low, high in pairwise(edges)]
        answers = out[: len(x)]
        native.run_into(compiled, blocks, par, (answers,), native.threads())
        for bad, why in judge_rows(function, platform, x, answers):
            if refuse:
                at = int(np.argmax(bad))
                pose = Pose.trusted(x[at, POSE.position], x[at, POSE.rotation].reshape(3, 3))
                error = refusal(platform, pose, True, why, machine.spins)
                raise error.within(f"state {done + at}")
            answers[bad] = np.nan
        yield answers
        done += len(x)


def _is(piece: Any, number: str) -> bool:
    return type(piece) is np.ndarray and piece.dtype == number


def _pieces(source: Any, chunk: int) -> Iterator[Any]:
    if isinstance(getattr(source, "shape", None), tuple) and hasattr(source, "__getitem__"):
        if len(source.shape) != 2:
            raise InputError("source", f"shape {source.shape}", "must be (n, width)")
        for low in range(0, source.shape[0], chunk):
            yield source[low : low + chunk]
        return
    if not isinstance(source, Iterable):
        raise InputError("source", source, "must be an array or an iterable of chunks")
    for given in source:
        piece = given if isinstance(given, np.ndarray) else real("source", given)
        if piece.ndim != 2:
            raise InputError("source", f"shape {piece.shape}", "chunks must be (n, width)")
        for low in range(0, len(piece), chunk):
            yield piece[low : low + chunk]


@checked
def stream_into(
    platform: Platform,
    source: Any,
    out: Any = None,
    function: str = "forces",
    *,
    callback: Callable[[int, Array], None] | None = None,
    chunk: int = CHUNK,
    number: str = "float64",
    refuse: bool = True,
) -> int:
    """Run the whole source; answers go to ``out[low:high]`` and to ``callback(low, answers)``.  How many states."""
    done = 0
    for answers in stream(platform, source, function, chunk=chunk, number=number, refuse=refuse):
        if out is not None:
            try:
                out[done : done + len(answers)] = answers
            except Exception as error:  # whatever a foreign object does when it is written to
                raise InputError("out", out, f"must take the answers: {error}") from None
        if callback is not None:
            callback(done, answers)
        done += len(answers)
    return done
