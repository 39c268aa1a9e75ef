"""The compiled CPU engine: numba kernels made from the equations, one single-call and one batch kernel a function.

Batch kernels copy blocks of 256 states into component rows, run the straight-line equations over the block (LLVM
turns the inner loop into vector code) and write the answers back: inputs of any strides, constant memory, blocks
spread over threads, every state computed alone, so results do not depend on threads or batch split.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from gough.checks import Array
from gough.engines.cache import load_generated
from gough.equations.machine import KINDS

BLOCK = 256


class Layout(NamedTuple):
    """Inputs of a machine function, as (name, width), and how many numbers it answers."""

    inputs: tuple[tuple[str, int], ...]
    n_out: int
    spin: bool = True


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


def spins(kinds: tuple[str, ...]) -> bool:
    """Whether any leg needs its spin as input."""
    return "sps_spin" in kinds


def inputs_of(function: str, kinds: tuple[str, ...]) -> tuple[tuple[str, int], ...]:
    """Input blocks of a function for these leg kinds."""
    base = LAYOUTS[function].inputs
    return (*base, ("spin", SPIN_WIDTH)) if spins(kinds) else base


TEMPLATE = '''"""Generated from gough.equations; do not edit."""
from numba import float64, njit, prange, types, void
import numpy as np
from gough.engines.plain import machine
from gough.engines.teach import teach, teach_machine, wide_vectors

teach()
_machine = machine({kinds!r})
teach_machine(_machine)
read = types.Array(float64, 2, "A", readonly=True)
evaluate, unpack = _machine.{function}, _machine.unpack


@njit("void(float64[::1], float64[::1], float64[::1])", cache=True, error_model="numpy", fastmath={{"contract"}})
def single(x, par, y):
    data = unpack(par)
    v = ({single_x})
    c = ({single_spin})
    r = evaluate(v, c, data)
    {single_y}


@njit(void({batch_types}, float64[::1], float64[:, :]), cache=True, parallel={parallel}, nogil=True,
      error_model="numpy", fastmath={{"contract"}})
def batch({names}, par, out):
    data = unpack(par)
    n = out.shape[0]
    for block in prange((n + {B} - 1) // {B}):
        wide_vectors()
        low = block * {B}
        m = min({B}, n - low)
        X = np.empty(({n_in}, {B}))
        Y = np.empty(({n_out}, {B}))
        {copy_in}
        for i in range(m):
            v = ({batch_x})
            c = ({batch_spin})
            r = evaluate(v, c, data)
            {batch_y}
        for i in range(m):
            for k in range({n_out}):
                out[low + i, k] = Y[k, i]
'''


def generate(function: str, kinds: tuple[str, ...], parallel: bool = True) -> str:
    """Source of the kernel module for one machine function and six leg kinds."""
    inputs = inputs_of(function, kinds)
    n_in = sum(width for _, width in inputs)
    n_out = LAYOUTS[function].n_out
    n_x = n_in - (SPIN_WIDTH if spins(kinds) else 0)
    still = ", ".join(["1.0, 0.0, 0.0"] * 6)
    copies, row = [], 0
    for name, width in inputs:
        copies.append(f"for k in range({width}):\n            for i in range(m):\n"
                      f"                X[{row} + k, i] = {name}[low + i, k]")
        row += width
    return TEMPLATE.format(
        kinds=kinds, function=function, parallel=parallel, B=BLOCK, n_in=n_in, n_out=n_out,
        single_x=", ".join(f"x[{i}]" for i in range(n_x)),
        single_spin=", ".join(f"x[{i}]" for i in range(n_x, n_in)) or still,
        single_y="\n    ".join(f"y[{i}] = r[{i}]" for i in range(n_out)),
        batch_types=", ".join("read" for _ in inputs), names=", ".join(name for name, _ in inputs),
        copy_in="\n        ".join(copies), batch_x=", ".join(f"X[{i}, i]" for i in range(n_x)),
        batch_spin=", ".join(f"X[{i}, i]" for i in range(n_x, n_in)) or still,
        batch_y="\n            ".join(f"Y[{i}, i] = r[{i}]" for i in range(n_out)))


class Kernel(NamedTuple):
    """Compiled functions: ``single(x, par, y)`` and ``batch(inputs..., par, out)``."""

    single: Callable[..., None]
    batch: Callable[..., None]


_lock = threading.Lock()


@lru_cache(maxsize=256)
def _kernel(function: str, kinds: tuple[str, ...]) -> Kernel:
    unknown = set(kinds) - set(KINDS)
    if unknown:
        raise ValueError(f"unknown leg kinds {sorted(unknown)}")
    module = load_generated(f"{function}_{'_'.join(_short(kinds))}", generate(function, kinds))
    return Kernel(module.single, module.batch)


def _short(kinds: tuple[str, ...]) -> tuple[str, ...]:
    return (kinds[0],) if len(set(kinds)) == 1 else kinds


def kernel(function: str, kinds: tuple[str, ...]) -> Kernel:
    """The compiled kernels of a machine function, from memory, from disk, or compiled now."""
    with _lock:
        return _kernel(function, kinds)


def run(function: str, kinds: tuple[str, ...], blocks: Sequence[Array], par: Array) -> Array:
    """Evaluate over N states; `blocks` are (N, width) arrays in the order of `inputs_of`."""
    n = blocks[0].shape[0]
    out = np.empty((n, LAYOUTS[function].n_out))
    if n == 1:
        kernel(function, kinds).single(np.concatenate([b[0] for b in blocks]), par, out[0])
    elif n:
        kernel(function, kinds).batch(*blocks, par, out)
    return out


def lean(function: str, kinds: tuple[str, ...]) -> Any:
    """``single(x, par, y)``: flat arrays in and out, for callers that count microseconds."""
    return kernel(function, kinds).single
