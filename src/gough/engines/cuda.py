"""The GPU engine: traced programs as CUDA kernels through CuPy (an extra: ``pip install gough[cuda]``).

Arrays already on the device stay there: `evaluate` takes and gives CuPy arrays.  Through the verbs
(``engine="cuda"``) NumPy arrays are copied there and back.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from gough.checks import Array, InputError
from gough.engines.constant_memory import ConstantMemory
from gough.engines.emit_cuda import THREADS, parts, source
from gough.engines.native import check_precision, inputs_of
from gough.engines.pack import packed
from gough.engines.tracer import Program
from gough.equations.machine import FUNCTIONS
from gough.extras import package
from gough.model import Platform

NUMBERS = {"float64": "double", "float32": "float"}


def cupy() -> Any:
    """The CuPy module, or an error that says what is missing."""
    module = package("cupy", "on the CPU use engine='native'")
    try:
        count = module.cuda.runtime.getDeviceCount()
    except module.cuda.runtime.CUDARuntimeError as error:
        raise InputError(
            "engine", "cuda", f"needs an NVIDIA GPU ({error}); on the CPU use engine='native'"
        ) from None
    if count < 1:
        raise InputError(
            "engine", "cuda", "needs an NVIDIA GPU, none was found; on the CPU use engine='native'"
        )
    return module


@lru_cache(maxsize=64)
def _compiled(
    function: str, kinds: tuple[str, ...], number: str, one_array: bool, device: int
) -> tuple[Any, Any, _Constants]:
    text = source(function, kinds, NUMBERS[number], one_array)
    module = cupy().RawModule(code=text, options=("--std=c++14",))
    constants = _Constants(ConstantMemory(cupy(), module), parts(function, kinds)[0], number)
    return module, module.get_function("kernel"), constants


class _Constants:
    """What a kernel needs of the parameters, on the device; computed when they change."""

    def __init__(self, memory: ConstantMemory, once: Program, number: str) -> None:
        self.memory, self.once, self.number = memory, once, number
        self._found = lru_cache(maxsize=64)(self._compute)

    def _compute(self, par: bytes) -> Array:
        given = np.frombuffer(par).tolist()
        return np.array(self.once.run((), given), dtype=self.number)

    def holding(self, par: Array) -> AbstractContextManager[None]:
        """Have these there for the launch inside."""
        held = par.tobytes()
        return self.memory.holding(held, {"par": self._found(held)})


def evaluate(
    function: str, platform: Platform, blocks: Sequence[Any], spin: Any = None, out: Any = None
) -> Any:
    """Run a machine function over N states on the device.

    blocks  CuPy arrays (N, width) in the order of `gough.engines.native.inputs_of`, float64 or float32, any
            strides; blocks that are one array by component, ``X[a:b].T`` of X (widths, N), are read fastest
    spin    (N, 18) cosine, sine, rate per leg, where some leg carries its spin
    out     (N, outputs) array to fill; made by component if None
    """
    machine = packed(platform, spin is not None)
    given = [*blocks, spin] if spin is not None and machine.spins else list(blocks)
    return _launch(function, machine.kinds, given, machine.parameters, out)


def _launch(function: str, kinds: tuple[str, ...], blocks: list[Any], par: Array, out: Any) -> Any:
    cp = cupy()
    wanted = inputs_of(function, kinds)
    if len(blocks) != len(wanted):
        raise InputError(
            "blocks", f"{len(blocks)} arrays", f"must be {', '.join(name for name, _ in wanted)}"
        )
    n, number = blocks[0].shape[0], str(blocks[0].dtype)
    if number not in NUMBERS:
        raise InputError(wanted[0][0], number, "must be float64 or float32")
    check_precision(kinds, number)
    for (name, width), block in zip(wanted, blocks, strict=True):
        if block.shape != (n, width) or str(block.dtype) != number:
            raise InputError(
                name, f"{block.dtype} {block.shape}", f"must be {number} with shape ({n}, {width})"
            )
    shape = n, FUNCTIONS[function].n_out
    if out is None:
        out = cp.empty(shape[::-1], dtype=number).T
    if out.shape != shape or str(out.dtype) != number:
        raise InputError("out", f"{out.dtype} {out.shape}", f"must be {number} with shape {shape}")
    if n:
        one = _one_array(blocks) and _by_component(out)
        _, kernel, constants = _compiled(function, kinds, number, one, int(cp.cuda.Device().id))
        arguments: list[Any] = [np.int64(n)]
        if one:
            arguments += [blocks[0], out]
        else:
            for block in (*blocks, out):
                strides = (np.int64(stride // block.itemsize) for stride in block.strides)
                arguments += [block, *strides]
        with constants.holding(par):
            kernel(((n + THREADS - 1) // THREADS,), (THREADS,), tuple(arguments))
    return out


def _by_component(block: Any) -> bool:
    return block.strides == (block.itemsize, block.shape[0] * block.itemsize)


def _one_array(blocks: Sequence[Any]) -> bool:
    """Each block begins in memory where the one before ends, all by component."""
    follows = all(
        address(after) == address(block) + block.nbytes for block, after in pairwise(blocks)
    )
    return follows and all(_by_component(block) for block in blocks)


def address(block: Any) -> int:
    """Where an array begins on the device."""
    return int(block.data.ptr)


def run(function: str, kinds: tuple[str, ...], blocks: Sequence[Array], par: Array) -> Array:
    """NumPy in, NumPy out: what the verbs call."""
    cp = cupy()
    edges = np.cumsum([0, *(block.shape[1] for block in blocks)])
    rows = cp.empty((int(edges[-1]), len(blocks[0])), dtype=blocks[0].dtype)
    views = [rows[a:b].T for a, b in pairwise(edges)]
    for view, block in zip(views, blocks, strict=True):
        view[...] = cp.asarray(block)
    return cp.asnumpy(_launch(function, kinds, views, par, None))
