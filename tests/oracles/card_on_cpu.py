"""A stand-in for CuPy and its card: the very text that a GPU gets, compiled by g++, its threads played by loops.

Threads that exchange numbers (the lanes of a run) take turns: each goes on to its next exchange, then the next of them.
"""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from gough.checks import InputError
from gough.engines import cuda, held_kernel

COMPILER = shutil.which("g++")
Made = Callable[..., "Card"]
HEAD = """
#include <math.h>
#define __constant__ static
#define __device__
#define __global__
#define __noinline__
#define __restrict__
#define __forceinline__ inline
#define __shared__ static
#define __launch_bounds__(...)
struct Index { long long x; };
static Index blockIdx, blockDim, threadIdx;
static double rsqrt(double x) { return 1.0 / sqrt(x); }
static float rsqrtf(float x) { return 1.0f / sqrtf(x); }
static void __stcs(double *y, double x) { *y = x; }
static unsigned long long atomicAdd(unsigned long long *at, unsigned long long more) { *at += more; return *at - more; }
"""
TAIL = """
{constants}
extern "C" void all(long long blocks, long long threads, {arguments})
{{
    blockDim.x = threads;
    for (blockIdx.x = 0; blockIdx.x < blocks; blockIdx.x++)
        for (threadIdx.x = 0; threadIdx.x < threads; threadIdx.x++) kernel({names});
}}
"""


LANES = """
#include <ucontext.h>
static ucontext_t place[33];
static char stack[32][1 << 18];
static int turn[32], finished, current;
static double slot[2][32];
static void next()
{
    const int from = current;
    current = (current + 1) % LANES;
    threadIdx.x = current;
    swapcontext(&place[from], &place[current]);
}
static double exchanged(double v, int from)
{
    const int buffer = turn[current]++ % 2;
    slot[buffer][current] = v;
    next();
    return slot[buffer][from];
}
static double __shfl_xor_sync(unsigned group, double v, int k) { return exchanged(v, current ^ k); }
static double __shfl_sync(unsigned group, double v, int from, int width) { return exchanged(v, from); }
static void __syncthreads() { exchanged(0.0, 0); }
"""
LANES_TAIL = """
{constants}
struct Arguments {{ {fields} }};
static Arguments *handed_over;
static void one()
{{
    kernel({values});
    if (++finished == LANES) setcontext(&place[32]);
    next();
}}
extern "C" void all(long long blocks, long long threads, {arguments})
{{
    Arguments a = {{ {names} }};
    handed_over = &a;
    blockDim.x = LANES;
    for (blockIdx.x = 0; blockIdx.x < blocks * threads / LANES; blockIdx.x++) {{
        finished = current = threadIdx.x = 0;
        for (int k = 0; k < LANES; k++) {{
            turn[k] = 0;
            getcontext(&place[k]);
            place[k].uc_stack.ss_sp = stack[k];
            place[k].uc_stack.ss_size = sizeof stack[k];
            makecontext(&place[k], one, 0);
        }}
        swapcontext(&place[32], &place[0]);
    }}
}}
"""
_LIBRARIES: dict[str, ctypes.CDLL] = {}  # by their text: each is compiled once in a process


class Card:
    """What gough asks of CuPy; `change` is applied to every text before it is compiled (planted errors)."""

    def __init__(self, folder: Path, change: Any = lambda text: text) -> None:
        self.folder, self.change, self.launched = folder, change, list[int]()
        device = SimpleNamespace(id=0, attributes={"MultiProcessorCount": 2})
        waits = SimpleNamespace(record=lambda: None, wait_event=lambda event: None)
        self.cuda = SimpleNamespace(
            Device=lambda: device, Event=lambda: waits, Stream=lambda **_: waits
        )
        self.cuda.runtime = SimpleNamespace(deviceSynchronize=lambda: None)
        self.cuda.Stream.null = nullcontext()
        self.asarray = lambda a, dtype=None: np.array(a, dtype=dtype)
        self.asnumpy, self.cumsum = _copied, np.cumsum
        self.zeros, self.empty, self.full = np.zeros, np.empty, np.full
        self.ascontiguousarray, self.count = np.ascontiguousarray, 0

    def RawModule(self, code: str, options: tuple[str, ...]) -> Any:
        code = self.change(code)
        found = _LIBRARIES.get(code)
        if found is None:
            found = _LIBRARIES[code] = self._library(code)

        def launch(grid: tuple[int], block: tuple[int], given: tuple[Any, ...]) -> None:
            self.launched.append(grid[0] * block[0])
            told = [_c(a) for a in given]
            found.all(ctypes.c_longlong(grid[0]), ctypes.c_longlong(block[0]), *told)

        return SimpleNamespace(
            get_function=lambda _: launch, get_global=lambda name: getattr(found, f"at_{name}")()
        )

    def _library(self, code: str) -> ctypes.CDLL:
        self.count += 1
        match = re.search(r"kernel\((.*?)\)\s*\{", code, re.DOTALL)
        assert match is not None
        arguments = match[1]
        names = ", ".join(re.findall(r"(\w+)\s*(?:,|$)", arguments))
        source = self.folder / f"k{self.count}.cpp"
        own = re.findall(r"__constant__ (?:double|float) (\w+)\[", code)
        constants = "\n".join(f'extern "C" void *at_{name}() {{ return {name}; }}' for name in own)
        words = {"arguments": arguments, "names": names, "constants": constants}
        words["fields"] = arguments.replace(",", ";") + ";"
        words["values"] = ", ".join(f"handed_over->{name}" for name in names.split(", "))
        lanes = re.search(r"lane = threadIdx.x % (\d+)", code)
        head = HEAD if lanes is None else f"#define LANES {lanes[1]}\n{HEAD}{LANES}"
        tail = (TAIL if lanes is None else LANES_TAIL).format(**words)
        source.write_text(head + code + tail)
        library = source.with_suffix(".so")
        command = [str(COMPILER), "-O0", "-shared", "-fPIC", "-w", str(source), "-o", str(library)]
        subprocess.run(command, check=True)
        found = ctypes.CDLL(str(library))
        for name in own:
            getattr(found, f"at_{name}").restype = ctypes.c_void_p
        return found

    def ndarray(self, shape: tuple[int, ...], dtype: Any, memptr: int) -> Any:
        def put(values: np.ndarray) -> None:
            assert values.shape == shape
            ctypes.memmove(memptr, values.ctypes.data, values.nbytes)

        return SimpleNamespace(set=put)


@contextmanager
def played(monkeypatch: Any, folder: Path, modules: Sequence[Any], compiled: Any) -> Iterator[Made]:
    """Stand in for CuPy in `modules`, which keep their kernels in the cache `compiled`; `change` as in Card."""

    def made(change: Callable[[str], str] = lambda text: text) -> Card:
        found = Card(folder, change)
        for module in (*modules, held_kernel):
            monkeypatch.setattr(module, "cupy", lambda: found)
        return found

    compiled.cache_clear()
    yield made
    compiled.cache_clear()


def no_card(what: str) -> str:
    """Why there is no card and what was not done without it; empty where there is one."""
    try:
        cuda.cupy()
    except InputError as error:
        return f"NO NVIDIA GPU: {what} ({error})"
    return ""


def _copied(a: Any, stream: Any = None, out: Any = None) -> Any:
    if out is None:
        return np.array(a)
    assert out.flags.c_contiguous
    out[...] = a
    return out


def _c(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        assert value.flags.c_contiguous
        return ctypes.c_void_p(value.ctypes.data)
    if isinstance(value, np.float64):
        return ctypes.c_double(float(value))
    return ctypes.c_longlong(int(value))
