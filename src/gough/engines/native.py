"""The compiled CPU engine: numba kernels made from the equations.

Batch kernels copy blocks of states into component rows, run the traced straight-line program over the block (LLVM
turns the inner loop into vector code) and write the answers back: inputs of any strides, constant memory.  Kernels
release the interpreter lock and large batches are cut over Python threads (numba's own parallel mode takes much
longer to compile).  The last block is filled up with its own last state to whole vectors, so every
state takes the same instructions: results are bit-identical for any number of threads and any split of a batch.
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

BLOCK = 64  # all inputs of a block stay in the first-level cache
VECTOR = 16  # a multiple of every processor's vector length, in numbers of either size
WIDTH = BLOCK + 8  # rows that are a power of two apart would fall into the same cache sets


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
from numba import float32, float64, njit, types, void

from gough.engines.lower import lowered
from gough.engines.teach import wide_vectors

_program = lowered({function!r}, {kinds!r})
prepare, evaluate, start, finish = _program.prepare, _program.evaluate, _program.start, _program.finish
read = types.Array({number}, 2, "A", readonly=True)
'''
OPERATORS = '''"""Generated from gough.equations; do not edit."""
import numpy as np
from numba import float32, float64, njit, types, void

from gough.engines.plain import machine
from gough.engines.teach import teach, teach_machine, wide_vectors

teach()
_machine = machine({kinds!r})
teach_machine(_machine)
evaluate, prepare = _machine.{function}, _machine.unpack
read = types.Array({number}, 2, "A", readonly=True)
'''
SINGLE = '''

@njit(void({number}[::1], {number}[::1], {number}[::1]), cache=True, error_model="numpy", fastmath={{"contract"}})
def kernel(x, par, y):
    data = prepare(par)
    X, Y, i = x.reshape(({n_in}, 1)), y.reshape(({n_out}, 1)), 0
    {evaluate}
'''
BATCH = '''

@njit(void({types}, {number}[::1], {number}[:, :]), cache=True, nogil=True, error_model="numpy",
      fastmath={{"contract"}})
def kernel({names}, par, out):
    data = prepare(par)
    n = out.shape[0]
    wide_vectors()
    X = np.empty(({n_in}, {width}), dtype=np.{number})
    Y = np.empty(({rows}, {width}), dtype=np.{number})
    for block in range((n + {block} - 1) // {block}):
        low = block * {block}
        m = min({block}, n - low)
        padded = (m + {vector} - 1) // {vector} * {vector}
        {copy}
        for k in range({n_in}):
            for i in range(m, padded):
                X[k, i] = X[k, m - 1]
        for i in range(padded):
            {evaluate}
        {finish}
        for i in range(m):
            for k in range({n_out}):
                out[low + i, k] = Y[k, i]
'''


def generate(function: str, kinds: tuple[str, ...], form: str, number: str = "float64", route: str = "traced") -> str:
    """Source of a kernel module: `form` is "single" (flat x, par, y) or "batch" (input blocks, par, out).

    number  "float64" or "float32"
    route   "traced": the recorded program goes straight to LLVM; "operators": numba compiles the equations' own
            source (slower to compile, the same numbers to round-off; the tests hold one against the other)
    """
    inputs = inputs_of(function, kinds)
    n_in, n_out = sum(width for _, width in inputs), LAYOUTS[function].n_out
    copies, row = ["for i in range(m):"], 0
    for name, width in inputs:
        copies.append(f"    for k in range({width}):\n                X[{row} + k, i] = {name}[low + i, k]")
        row += width
    angles = kinds.count("rus") if route == "traced" and function in ("record", "kinematics") else 0
    evaluate = "start(X, i, data, Y)" if angles and form == "batch" else "evaluate(X, i, data, Y)"
    finish = "for i in range(padded):\n            finish(Y, i)" if angles else "# outputs are complete"
    if route == "operators":
        evaluate = _operator_call(inputs, n_out, 4 if form == "single" else 12)
    return ((HEADER if route == "traced" else OPERATORS) + (SINGLE if form == "single" else BATCH)).format(
        kinds=kinds, function=function, block=BLOCK, width=WIDTH, vector=VECTOR, n_in=n_in, n_out=n_out,
        number=number, evaluate=evaluate, finish=finish, rows=n_out + angles, types=", ".join("read" for _ in inputs),
        names=", ".join(name for name, _ in inputs), copy="\n        ".join(copies))


def _operator_call(inputs: tuple[tuple[str, int], ...], n_out: int, indent: int) -> str:
    """Lines that run the equations on column i of X."""
    n_in = sum(width for _, width in inputs)
    n_x = sum(width for name, width in inputs if name != "spin")
    still = ", ".join(["1.0, 0.0, 0.0"] * 6)
    lines = [f"v = ({', '.join(f'X[{k}, i]' for k in range(n_x))})",
             f"c = ({', '.join(f'X[{k}, i]' for k in range(n_x, n_in)) or still})", "r = evaluate(v, c, data)",
             *(f"Y[{k}, i] = r[{k}]" for k in range(n_out))]
    return ("\n" + " " * indent).join(lines)


_lock = threading.Lock()


@lru_cache(maxsize=256)
def _kernel(function: str, kinds: tuple[str, ...], form: str, number: str, route: str) -> Callable[..., None]:
    unknown = set(kinds) - set(KINDS)
    if unknown:
        raise ValueError(f"unknown leg kinds {sorted(unknown)}")
    legs = kinds[0] if len(set(kinds)) == 1 else "_".join(kinds)
    name = f"{function}_{form}_{legs}" + ("" if number == "float64" else f"_{number}")
    name += "" if route == "traced" else f"_{route}"
    return load_generated(name, generate(function, kinds, form, number, route)).kernel


def kernel(function: str, kinds: tuple[str, ...], form: str = "batch", number: str = "float64",
           route: str = "traced") -> Callable[..., None]:
    """A compiled kernel, from memory, from disk, or compiled now: ``batch(blocks..., par, out)`` over (N, width)
    arrays, or ``single(x, par, y)`` over flat contiguous arrays for callers that count microseconds."""
    with _lock:
        return _kernel(function, kinds, form, number, route)


def threads() -> int:
    """How many threads large batches use: ``GOUGH_THREADS``, else the processors this process may run on."""
    given = os.environ.get("GOUGH_THREADS", "")
    return max(1, int(given)) if given.isdigit() else len(os.sched_getaffinity(0))


@lru_cache(maxsize=4)
def _pool(workers: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(workers, thread_name_prefix="gough")


def run(function: str, kinds: tuple[str, ...], blocks: Sequence[Array], par: Array, number: str = "float64") -> Array:
    """Evaluate over N states; `blocks` are (N, width) arrays in the order of `inputs_of`.  ``number="float32"``
    computes and answers in single precision (twice the states per vector, seven digits less)."""
    if number != "float64":
        blocks, par = [np.asarray(b, dtype=number) for b in blocks], par.astype(number)
    out = np.empty((blocks[0].shape[0], LAYOUTS[function].n_out), dtype=number)
    run_into(kernel(function, kinds, number=number), blocks, par, out, threads())
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
