"""The compiled CPU engine: numba kernels made from the equations.

Batch kernels copy states into component rows, as many as the longest vector holds, run the traced straight-line
program over them (LLVM turns the inner loop into vector code) and write the answers back (`block_moves`): inputs of
any strides, constant memory.  So little at a time leaves the memory busy with the next states while these are computed.
Kernels release the interpreter lock and large batches are cut over Python threads (numba's own parallel mode takes
much longer to compile).  The last block is filled up with its own last state, so every
state takes the same instructions: results are bit-identical for any number of threads and any split of a batch.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from itertools import pairwise

import numpy as np

from gough.checks import Array, InputError
from gough.engines import background
from gough.engines.cache import load_generated
from gough.engines.widths import SIDE, STRIP
from gough.equations.kinds import closed_by_iteration
from gough.equations.machine import FUNCTIONS, KINDS, crank_count, spinning
from gough.layout import SPIN
from gough.system import after_fork, processors

BLOCK = 64  # of derivatives: all inputs of a block stay in the first-level cache
VECTOR = 16  # a multiple of every processor's vector length, in numbers of either size
SHARE = 4 * BLOCK  # states that are worth a thread
WIDTH = BLOCK + 8  # rows that are a power of two apart would fall into the same cache sets
LANES = {"float64": 8, "float32": 16}  # states of a batch kernel's block: the longest vector
LINE = 8  # numbers of a cache line, at least
FAR = 2048  # states whose memory is worth asking for early: fewer stay in the second-level cache

SPIN_WIDTH = 6 * SPIN.size


def inputs_of(function: str, kinds: tuple[str, ...]) -> tuple[tuple[str, int], ...]:
    """Input blocks of a function for these leg kinds; the spins come last, where some leg reads them."""
    base = FUNCTIONS[function].inputs.blocks()
    return (*base, ("spin", SPIN_WIDTH)) if spinning(kinds) else base


HEADER = '''"""Generated from gough.equations; do not edit."""
import numpy as np
from numba import float32, float64, types, void

from gough.engines import block_moves as moves
from gough.engines.cache import njit
from gough.engines.llvm_program import lowered, wide_vectors

_program = lowered({function!r}, {kinds!r})
prepare, evaluate, start, finish = _program.prepare, _program.evaluate, _program.start, _program.finish
prepare_rows, PREPARED = _program.prepare_rows, len(_program.kept)
read = types.Array({number}, 2, "A", readonly=True)
numbers = types.Array({number}, 1, "C", readonly=True)
'''
SINGLE = """

@njit(void({number}[::1], numbers, {number}[::1]), error_model="numpy", fastmath={{"contract"}})
def kernel(x, par, y):
    data = prepare(par)
    X, Y, i = x.reshape(({n_in}, 1)), y.reshape(({n_out}, 1)), 0
    {evaluate}
"""
BATCH = """

@njit(void({types}, {par}, {number}[:, :]), nogil=True, error_model="numpy",
      fastmath={{"contract"}})
def kernel({names}, par, out):
    {data}
    n = out.shape[0]
    wide_vectors()
    closely = {closely}
    far = n > {far}
    X = np.empty(({n_in}, {lanes}), dtype=np.{number})
    Y = np.empty(({rows}, {lanes}), dtype=np.{number})
    for low in range(0, n, {lanes}):
        m = min({lanes}, n - low)
        if closely and m == {lanes}:
            {read}
        else:
            for i in range({lanes}):
                j = low + min(i, m - 1)
                {copy}
        {machine_rows}
        if far:
            {ahead}
        for i in range({lanes}):
            {evaluate}
        {finish}
        if closely and m == {lanes}:
            {write}
        else:
            for i in range(m):
                for k in range({n_out}):
                    out[low + i, k] = Y[k, i]
"""
MACHINE = {"par": "numbers", "data": "data = prepare(par)", "machine_rows": ""}
MACHINES = {
    "par": "read",
    "data": """data = np.empty((PREPARED, {lanes}), dtype=np.{number})
    P = np.empty((par.shape[1], {lanes}), dtype=np.{number})""",
    "machine_rows": """first, last = low % par.shape[0], par.shape[1] - {side}
        if closely and m == {lanes} and first + {lanes} <= par.shape[0]:
            for i in range(0, {lanes}, {side}):
                for k in range(0, last, {side}):
                    moves.square(par, first + i, k, P, k, i)
                moves.square(par, first + i, last, P, last, i)
        else:
            for i in range({lanes}):
                j = (low + min(i, m - 1)) % par.shape[0]
                for k in range(par.shape[1]):
                    P[k, i] = par[j, k]
        for i in range({lanes}):
            prepare_rows(P, i, data)""",
}


def generate(function: str, kinds: tuple[str, ...], form: str, number: str = "float64") -> str:
    """Source of a kernel module: `form` is "single" (flat x, par, y), "batch" (input blocks, par, out), or "machines":
    a batch in which state j is one of machine ``j % M``, par (M, parameters).

    number  "float64" or "float32"
    """
    inputs = inputs_of(function, kinds)
    n_in, n_out = sum(width for _, width in inputs), FUNCTIONS[function].n_out
    angles = crank_count(kinds) if function in ("record", "kinematics", "rubbed") else 0
    evaluate = "start(X, i, data, Y)" if angles and form != "single" else "evaluate(X, i, data, Y)"
    finish = (
        f"for i in range({LANES[number]}):\n            finish(Y, i, data)"
        if angles
        else "# outputs are complete"
    )
    lines = MACHINES if form == "machines" else MACHINE
    lanes, names = LANES[number], [name for name, _ in inputs]
    own = {name: line.format(lanes=lanes, number=number, side=SIDE) for name, line in lines.items()}
    laid = (*names, "out") if form != "machines" else (*names, "par", "out")
    return (HEADER + (SINGLE if form == "single" else BATCH)).format(
        **own,
        kinds=kinds,
        function=function,
        lanes=lanes,
        far=FAR,
        n_in=n_in,
        n_out=n_out,
        number=number,
        evaluate=evaluate,
        finish=finish,
        rows=n_out + angles,
        types=", ".join("read" for _ in inputs),
        names=", ".join(names),
        closely=" and ".join(f"{name}.strides[1] == out.itemsize" for name in laid),
        copy=indented(one_by_one(inputs), 4),
        read=indented(moves_in(inputs, lanes), 3),
        ahead=indented(requests(inputs, n_out, lanes), 3),
        write=indented(moves_out(n_out, lanes), 3),
    )


def indented(lines: list[str], depth: int) -> str:
    """Lines inside a kernel's text, the first where it stands."""
    return ("\n" + " " * 4 * depth).join(lines)


def one_by_one(inputs: tuple[tuple[str, int], ...]) -> list[str]:
    """Lines that copy state j into column i of X."""
    lines, row = [], 0
    for name, width in inputs:
        lines += [f"for k in range({width}):", f"    X[{row} + k, i] = {name}[j, k]"]
        row += width
    return lines


def copies(inputs: tuple[tuple[str, int], ...]) -> str:
    """Lines inside a kernel's loop over blocks: states low to low + m into the rows of X, the last one repeated."""
    lines = ["j = low + min(i, m - 1)", *one_by_one(inputs)]
    return indented(["for i in range(padded):", *("    " + line for line in lines)], 2)


def moves_in(inputs: tuple[tuple[str, int], ...], lanes: int) -> list[str]:
    """Lines that copy states from `low` on into X, eight at a time."""
    lines, row = [], 0
    for name, width in inputs:
        for i in range(0, lanes, SIDE):
            for k, move in pieces_in(width):
                lines.append(f"moves.{move}({name}, low + {i}, {k}, X, {row + k}, {i})")
        row += width
    return lines


def pieces_in(width: int) -> list[tuple[int, str]]:
    """Columns of an input cut into squares of eight and strips: first column, and what moves them."""
    whole = width // SIDE * SIDE
    found = [(k, "square") for k in range(0, whole, SIDE)]
    for k in range(whole, width, STRIP):
        found.append((k, ("one", "two", "three", "four")[min(width - k, STRIP) - 1]))
    return found


def moves_out(n_out: int, lanes: int) -> list[str]:
    """Lines that write the answers of states from `low` on, eight at a time; the last piece over some before it."""
    side, move = (SIDE, "square") if n_out >= SIDE else (STRIP, "strip_out")
    if n_out < side:
        return [
            f"for i in range({lanes}):",
            f"    for k in range({n_out}):",
            "        out[low + i, k] = Y[k, i]",
        ]
    firsts = [*range(0, n_out - side, side), n_out - side]
    return [
        f"moves.{move}(Y, {k}, {i}, out, low + {i}, {k})"
        for i in range(0, lanes, SIDE)
        for k in firsts
    ]


def requests(inputs: tuple[tuple[str, int], ...], n_out: int, lanes: int) -> list[str]:
    """Lines that ask for the memory of the states of the next block, and of the answers of this one."""
    lines = [f"for i in range({lanes}):", f"    j = min(low + {lanes} + i, n - 1)"]
    for name, width in inputs:
        lines += [f"    moves.fetch_to_read({name}, j, {k})" for k in range(0, width, LINE)]
    lines += ["    j = min(low + i, n - 1)"]
    return lines + [f"    moves.fetch_to_write(out, j, {k})" for k in range(0, n_out, LINE)]


compiling = threading.RLock()  # one kernel at a time
_kernels: dict[tuple[str, ...], Callable[..., None]] = {}


def kernel(
    function: str, kinds: tuple[str, ...], form: str = "batch", number: str = "float64"
) -> Callable[..., None]:
    """A compiled kernel, from memory, from disk, or compiled now: ``batch(blocks..., par, out)`` over (N, width)
    arrays (``machines``: with a machine of its own for every state, see `generate`), or ``single(x, par, y)`` over flat
    contiguous arrays for callers that count microseconds."""
    found = _kernels.get((function, form, number, *kinds))
    if found is None:
        unknown = set(kinds) - set(KINDS)
        if unknown:
            raise ValueError(f"unknown leg kinds {sorted(unknown)}")
        name = f"{function}_{form}_{legs_name(kinds)}" + (
            "" if number == "float64" else f"_{number}"
        )
        with compiling:
            found = load_generated(name, generate(function, kinds, form, number)).kernel
            _kernels[function, form, number, *kinds] = found
        if (form, number) == ("batch", "float64"):
            background.mark(wanted(function, kinds))
    return found


def in_memory(function: str, kinds: tuple[str, ...]) -> bool:
    """Whether this process has the batch kernel of a function."""
    return (function, "batch", "float64", *kinds) in _kernels


def wanted(function: str, kinds: tuple[str, ...]) -> background.Wanted:
    """The batch kernel of a function as a helper is asked for it."""
    name = f"{function}_batch_{legs_name(kinds)}"
    return background.Wanted(name, "gough.engines.native:kernel", (function, kinds))


def legs_name(kinds: tuple[str, ...]) -> str:
    """Six leg kinds as part of a file's name."""
    return kinds[0] if len(set(kinds)) == 1 else "_".join(kinds)


MOST_THREADS = 1024


def threads() -> int:
    """How many threads large batches use: ``GOUGH_THREADS``, else the processors this process may run on."""
    given = os.environ.get("GOUGH_THREADS", "")
    if not given:
        return processors()
    number = int(given) if given.isascii() and given.isdigit() and len(given) < 10 else 0
    if not 1 <= number <= MOST_THREADS:
        allowed = f"must be a whole number of threads from 1 to {MOST_THREADS}, or unset"
        raise InputError("GOUGH_THREADS", given, allowed)
    return number


@lru_cache(maxsize=4)
def _pool(workers: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(workers, thread_name_prefix="gough")


def _after_fork() -> None:
    """Threads do not survive a fork: the child makes its own, and holds no lock of a thread that it does not have."""
    _pool.cache_clear()
    compiling._at_fork_reinit()  # type: ignore[attr-defined]


after_fork(_after_fork)


def check_precision(kinds: tuple[str, ...], number: str) -> None:
    """Refuse single precision where a leg would never be closed in it."""
    if number == "float32" and closed_by_iteration(kinds):
        allowed = "must be float64 for UCU legs whose universal joints have offsets"
        raise InputError("number", number, allowed)


def run(
    function: str,
    kinds: tuple[str, ...],
    blocks: Sequence[Array],
    par: Array,
    number: str = "float64",
) -> Array:
    """Evaluate over N states; `blocks` are (N, width) arrays in the order of `inputs_of`; `par` (parameters,), or
    (M, parameters) of M machines that take turns.  ``number="float32"``
    computes and answers in single precision (twice the states per vector, seven digits less)."""
    check_precision(kinds, number)
    if number != "float64":
        blocks, par = [np.asarray(b, dtype=number) for b in blocks], par.astype(number)
    n = len(blocks[0])
    out = np.empty((n, FUNCTIONS[function].n_out), dtype=number)
    compiled = kernel(function, kinds, "batch" if par.ndim == 1 else "machines", number)
    if n < 2 * SHARE:
        if n:
            compiled(*blocks, par, out)
    else:
        run_into(compiled, blocks, par, (out,), threads())
    return out


def run_into(
    compiled: Callable[..., None],
    blocks: Sequence[Array],
    par: Array,
    out: Array | tuple[Array, ...],
    workers: int,
    share: int = SHARE,
) -> None:
    """Run a batch kernel over all states, cut over `workers` threads as far as each gets `share` states or more."""
    outputs = out if isinstance(out, tuple) else (out,)
    n = len(outputs[0])
    parts = max(1, min(workers, n // share))
    if parts == 1:
        if n:
            compiled(*blocks, par, *outputs)
        return
    edges = [n * i // parts for i in range(parts + 1)]
    work = [
        _pool(workers).submit(
            compiled,
            *(b[low:high] for b in blocks),
            own_parameters(par, low),
            *(o[low:high] for o in outputs),
        )
        for low, high in pairwise(edges)
    ]
    for item in work:
        item.result()


def own_parameters(par: Array, low: int) -> Array:
    """Parameters for a piece of a batch that starts at state `low`: machines that take turns go on where they are."""
    if getattr(par, "ndim", 1) == 1:  # one machine, or what a kernel of another kind takes
        return par
    return np.roll(par, -(low % len(par)), axis=0)
