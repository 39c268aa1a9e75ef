"""The compiled CPU engine: numba kernels made from the equations.

Batch kernels copy blocks of states into component rows, run the straight-line equations over the block (LLVM turns
the inner loop into vector code) and write the answers back: inputs of any strides, constant memory.  Kernels
release the interpreter lock and large batches are cut over Python threads (numba's own parallel mode takes up to
seven times as long to compile).  The last block is filled up with its own last state to whole vectors, so every state takes the same
instructions: results are bit-identical for any number of threads and any split of a batch.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from gough.checks import Array
from gough.engines.cache import load_generated
from gough.equations.machine import KINDS

BLOCK = 256
VECTOR = 16  # a multiple of every processor's vector length in doubles


class Layout(NamedTuple):
    """Inputs of a machine function, as (name, width), and how many numbers it answers."""

    inputs: tuple[tuple[str, int], ...]
    n_out: int


MOTION = (("position", 3), ("rotation", 9), ("velocity", 3), ("angular_velocity", 3), ("acceleration", 3),
          ("angular_acceleration", 3))
LAYOUTS = {
    "forces": Layout((*MOTION, ("external", 6)), 7),
    "record": Layout((*MOTION, ("external", 6)), 6 * 31),
    "kinematics": Layout(MOTION, 6 * 12),
    "mass": Layout(MOTION[:2], 21),
    "forward": Layout((*MOTION[:4], ("effort", 6), ("external", 6)), 18),
    "energy": Layout(MOTION[:4], 2),
}
SPIN_WIDTH = 18


def inputs_of(function: str, kinds: tuple[str, ...]) -> tuple[tuple[str, int], ...]:
    """Input blocks of a function for these leg kinds; the spins come last, where some leg reads them."""
    base = LAYOUTS[function].inputs
    return (*base, ("spin", SPIN_WIDTH)) if "sps_spin" in kinds else base


HEADER = '''"""Generated from gough.equations; do not edit."""
import numpy as np
from numba import float64, njit, types, void

from gough.engines.plain import machine
from gough.engines.teach import teach, teach_machine, wide_vectors

teach()
_machine = machine({kinds!r})
teach_machine(_machine)
evaluate, unpack = _machine.{function}, _machine.unpack
read = types.Array(float64, 2, "A", readonly=True)
'''
SINGLE = HEADER + '''

@njit(void(float64[::1], float64[::1], float64[::1]), cache=True, error_model="numpy", fastmath={{"contract"}})
def kernel(x, par, y):
    data = unpack(par)
    v = ({x})
    c = ({spin})
    r = evaluate(v, c, data)
    {store}
'''
BATCH = HEADER + '''

@njit(void({types}, float64[::1], float64[:, :]), cache=True, nogil=True, error_model="numpy",
      fastmath={{"contract"}})
def kernel({names}, par, out):
    data = unpack(par)
    n = out.shape[0]
    wide_vectors()
    X = np.empty(({n_in}, {block}))
    Y = np.empty(({n_out}, {block}))
    for block in range((n + {block} - 1) // {block}):
        low = block * {block}
        m = min({block}, n - low)
        padded = (m + {vector} - 1) // {vector} * {vector}
        {copy}
        for k in range({n_in}):
            for i in range(m, padded):
                X[k, i] = X[k, m - 1]
        for i in range(padded):
            v = ({x})
            c = ({spin})
            r = evaluate(v, c, data)
            {store}
        for i in range(m):
            for k in range({n_out}):
                out[low + i, k] = Y[k, i]
'''


def generate(function: str, kinds: tuple[str, ...], form: str) -> str:
    """Source of a kernel module: `form` is "single" (flat x, par, y) or "batch" (input blocks, par, out)."""
    inputs = inputs_of(function, kinds)
    n_in, n_out = sum(width for _, width in inputs), LAYOUTS[function].n_out
    n_x = sum(width for name, width in inputs if name != "spin")
    entry, answer, indent = ("x[{}]", "y[{}]", 4) if form == "single" else ("X[{}, i]", "Y[{}, i]", 12)
    still = ", ".join(["1.0, 0.0, 0.0"] * 6)
    copies, row = [], 0
    for name, width in inputs:
        copies.append(f"for k in range({width}):\n            for i in range(m):\n"
                      f"                X[{row} + k, i] = {name}[low + i, k]")
        row += width
    return (SINGLE if form == "single" else BATCH).format(
        kinds=kinds, function=function, block=BLOCK, vector=VECTOR, n_in=n_in, n_out=n_out,
        x=", ".join(entry.format(i) for i in range(n_x)),
        spin=", ".join(entry.format(i) for i in range(n_x, n_in)) or still,
        store=("\n" + " " * indent).join(f"{answer.format(i)} = r[{i}]" for i in range(n_out)),
        types=", ".join("read" for _ in inputs), names=", ".join(name for name, _ in inputs),
        copy="\n        ".join(copies))


_lock = threading.Lock()


@lru_cache(maxsize=256)
def _kernel(function: str, kinds: tuple[str, ...], form: str) -> Callable[..., None]:
    unknown = set(kinds) - set(KINDS)
    if unknown:
        raise ValueError(f"unknown leg kinds {sorted(unknown)}")
    legs = kinds[0] if len(set(kinds)) == 1 else "_".join(kinds)
    return load_generated(f"{function}_{form}_{legs}", generate(function, kinds, form)).kernel


def kernel(function: str, kinds: tuple[str, ...], form: str = "batch") -> Callable[..., None]:
    """A compiled kernel, from memory, from disk, or compiled now: ``batch(blocks..., par, out)`` over (N, width)
    arrays, or ``single(x, par, y)`` over flat contiguous arrays for callers that count microseconds."""
    with _lock:
        return _kernel(function, kinds, form)


def threads() -> int:
    """How many threads large batches use: ``GOUGH_THREADS``, else the processors this process may run on."""
    given = os.environ.get("GOUGH_THREADS", "")
    return max(1, int(given)) if given.isdigit() else len(os.sched_getaffinity(0))


@lru_cache(maxsize=4)
def _pool(workers: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(workers, thread_name_prefix="gough")


def run(function: str, kinds: tuple[str, ...], blocks: Sequence[Array], par: Array) -> Array:
    """Evaluate over N states; `blocks` are (N, width) arrays in the order of `inputs_of`."""
    out = np.empty((blocks[0].shape[0], LAYOUTS[function].n_out))
    run_into(kernel(function, kinds), blocks, par, out, threads())
    return out


def run_into(compiled: Callable[..., None], blocks: Sequence[Array], par: Array, out: Array, workers: int) -> None:
    """Run a batch kernel over all states, cut over `workers` threads where that pays."""
    n = out.shape[0]
    parts = min(workers, n // (4 * BLOCK))
    if parts < 2:
        if n:
            compiled(*blocks, par, out)
        return
    edges = [n * i // parts for i in range(parts + 1)]
    work = [_pool(workers).submit(compiled, *(b[low:high] for b in blocks), par, out[low:high])
            for low, high in pairwise(edges)]
    for item in work:
        item.result()
