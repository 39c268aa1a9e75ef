"""The GPU engine: traced programs as CUDA kernels through CuPy (an extra: ``pip install gough[cuda]``).

Arrays already on the device stay there: `evaluate` takes and gives CuPy arrays.  Through the verbs
(``engine="cuda"``) NumPy arrays are copied there and back.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from gough.checks import Array, InputError
from gough.engines.emit_cuda import THREADS, source
from gough.engines.native import inputs_of
from gough.engines.pack import packed
from gough.equations.machine import FUNCTIONS
from gough.model import Platform

NUMBERS = {"float64": "double", "float32": "float"}


def cupy() -> Any:
    """The CuPy module, or an error that says what is missing."""
    try:
        import cupy as module
    except ImportError:
        raise InputError(
            "engine",
            "cuda",
            "needs CuPy: pip install 'gough[cuda]'; on the CPU use engine='native'",
        ) from None
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
    function: str, kinds: tuple[str, ...], number: str, by_component: bool, device: int
) -> tuple[Any, Any, Any]:
    text = source(function, kinds, NUMBERS[number], by_component)
    module = cupy().RawModule(code=text, options=("--std=c++14",))
    return module, module.get_function("kernel"), _Constants(module.get_global("par"))


class _Constants:
    """The parameters of a kernel on the device; written when they change."""

    def __init__(self, memory: Any) -> None:
        self.memory, self.held = memory, b""

    def hold(self, par: Array) -> None:
        """Have these there for the launches to come."""
        held = par.tobytes()
        if held != self.held:
            cupy().ndarray(par.shape, dtype=par.dtype, memptr=self.memory).set(par)
            self.held = held


def evaluate(
    function: str, platform: Platform, blocks: Sequence[Any], spin: Any = None, out: Any = None
) -> Any:
    """Run a machine function over N states on the device.

    blocks  CuPy arrays (N, width) in the order of `gough.engines.native.inputs_of`, float64 or float32, any
            strides; arrays stored by component (``ascontiguousarray(a.T).T``) are read fastest
    spin    (N, 18) cosine, sine, rate per leg, where some SPS leg carries its spin
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
    for (name, width), block in zip(wanted, blocks, strict=True):
        if block.shape != (n, width) or str(block.dtype) != number:
            raise InputError(
                name, f"{block.dtype} {block.shape}", f"must be {number} with shape ({n}, {width})"
            )
    if out is None:
        out = cp.empty((FUNCTIONS[function].n_out, n), dtype=number).T
    size = np.dtype(number).itemsize
    plain = all(block.strides == (size, n * size) for block in (*blocks, out))
    _, kernel, constants = _compiled(function, kinds, number, plain, int(cp.cuda.Device().id))
    if n:
        constants.hold(par.astype(number))
        arguments: list[Any] = [np.int64(n)]
        for block in (*blocks, out):
            strides = () if plain else block.strides
            arguments += [block, *(np.int64(stride // size) for stride in strides)]
        kernel(((n + THREADS - 1) // THREADS,), (THREADS,), tuple(arguments))
    return out


def run(function: str, kinds: tuple[str, ...], blocks: Sequence[Array], par: Array) -> Array:
    """NumPy in, NumPy out: what the verbs call."""
    cp = cupy()
    rows = [cp.ascontiguousarray(cp.asarray(block).T).T for block in blocks]
    return cp.asnumpy(_launch(function, kinds, rows, par, None))
