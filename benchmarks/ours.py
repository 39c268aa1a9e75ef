"""The library's own cases.  Each function measures one thing and answers seconds per evaluation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

import gough
from benchmarks.timing import Skip, best, each
from gough.checks import Array
from gough.engines import native, plain
from gough.engines.derivative_kernel import kernel as derivative_kernel
from gough.engines.pack import kinds_of, parameters
from gough.engines.single_state import lean
from gough.equations.machine import FUNCTIONS
from gough.layout import JACOBIAN
from gough.model import Platform

MACHINE = Path(__file__).with_name("machine.toml")


@dataclass
class Setup:
    """One UPS machine and N states around its home; the same numbers every time."""

    states: int

    @cached_property
    def platform(self) -> Platform:
        return gough.load(str(MACHINE))

    @cached_property
    def par(self) -> Array:
        return parameters(self.platform)

    @cached_property
    def x(self) -> Array:
        """(N, 30): motion and external wrench."""
        rng = np.random.default_rng(7)
        home, n = self.platform.home, self.states
        assert home is not None
        few = min(n, 1000)
        shift, turn = rng.uniform(-1, 1, (2, few, 3))
        pose = gough.Pose.from_rpy(home.position + 0.05 * shift, 0.1 * turn)
        x = np.empty((n, 30))
        x[:, :3] = np.resize(pose.position, (n, 3))
        x[:, 3:12] = np.resize(pose.rotation.reshape(few, 9), (n, 9))
        x[:, 12:] = rng.uniform(-1, 1, (n, 18)) * np.repeat([0.5, 1.0, 3.0, 5.0, 50.0, 10.0], 3)
        return x

    def rows(self, function: str = "forces", n: int | None = None) -> Array:
        """(n, width) inputs of a function, one state behind the other."""
        width = sum(w for _, w in native.inputs_of(function, self.kinds))
        return np.ascontiguousarray(self.x[:n, :width])

    def blocks(self, function: str = "forces", x: Array | None = None) -> list[Array]:
        widths = [w for _, w in native.inputs_of(function, self.kinds)]
        x = self.rows(function) if x is None else x
        return list(np.split(x, np.cumsum(widths)[:-1], axis=1))

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        return kinds_of(self.platform)

    def motion(self, n: int | None = None) -> gough.Motion:
        x = self.x[:n] if n else self.x[0]
        shape = (n,) if n else ()
        return gough.Motion(
            x[..., :3],
            x[..., 3:12].reshape(*shape, 3, 3),
            x[..., 12:15],
            x[..., 15:18],
            x[..., 18:21],
            x[..., 21:24],
        )


def lean_call(s: Setup) -> float:
    call, x = lean(s.platform), s.x[0].copy()
    return each(lambda: call(x), count=2000)


@lru_cache(maxsize=4)
def _loop(kinds: tuple[str, ...], function: str) -> Callable[..., None]:
    from numba import njit

    kernel = native.kernel(function, kinds, "single")

    @njit
    def loop(x, par, y, count):  # type: ignore[no-untyped-def]
        first = x[0]
        for _ in range(count):
            x[0] = first + 1e-18 * y[0]
            kernel(x, par, y)

    return loop


def kernel_call(s: Setup, function: str = "forces") -> float:
    """The kernel called from compiled code, each call waiting for the one before."""
    loop = _loop(s.kinds, function)
    x, y = s.rows(function, 1)[0].copy(), np.zeros(FUNCTIONS[function].n_out)
    return best(lambda: loop(x, s.par, y, 1000), 1000)


def verb_call(s: Setup) -> float:
    """All checks included: 59 us before the packed machine was kept with its platform, 11 us since."""
    motion = s.motion()
    return each(lambda: gough.inverse_dynamics(s.platform, motion), count=50)


def verb_with_wrench(s: Setup) -> float:
    motion, wrench = s.motion(), np.ones(6)
    return each(lambda: gough.inverse_dynamics(s.platform, motion, wrench), count=50)


def kinematics_verb(s: Setup) -> float:
    motion = s.motion()
    return each(lambda: gough.inverse_kinematics(s.platform, motion), count=50)


def float_call(s: Setup) -> float:
    x, par = [float(v) for v in s.x[0]], [float(v) for v in s.par]
    return each(lambda: plain.evaluate("forces", s.kinds, x, par), count=10)


CLOCKED = 20_000  # states that take two milliseconds
WIDE = 100_000  # states of answers of hundreds of numbers each: no cache holds them either


def count(s: Setup, function: str) -> int:
    """How many states of the batch a function is measured on."""
    return min(s.states, WIDE) if FUNCTIONS[function].per_leg else s.states


def clocked(s: Setup, workers: int) -> float:
    """Threads, by the clock: few states, many repeats, one of which finds the processors free."""
    few = Setup(min(s.states, CLOCKED))
    return batch(few, workers=workers)


def batch(s: Setup, function: str = "forces", workers: int = 1, number: str = "float64") -> float:
    compiled, n = native.kernel(function, s.kinds, number=number), count(s, function)
    out = np.empty((n, FUNCTIONS[function].n_out), dtype=number)
    blocks = s.blocks(function, s.rows(function, n).astype(number, copy=False))
    par = s.par.astype(number)
    call = partial(native.run_into, compiled, blocks, par, (out,), workers)
    return best(call, n, threads=workers, seconds=workers, repeats=500 * workers)


IN_CACHE = 256  # states whose 13 kB of derivatives each stay in the second-level cache


def derivatives(s: Setup) -> float:
    """All 6 x (42 + 229) derivatives of the efforts."""
    compiled, blocks = derivative_kernel("inverse", s.kinds), s.blocks(x=s.x[:IN_CACHE])
    n = len(blocks[0])
    value, jacobian = np.empty((n, 6)), np.zeros((n, 6, JACOBIAN.size + s.par.size))
    return best(lambda: compiled(*blocks, s.par, value, jacobian), n)


def values_in_cache(s: Setup) -> float:
    """Values of the same states, to compare with."""
    compiled, blocks = native.kernel("forces", s.kinds), s.blocks(x=s.x[:IN_CACHE])
    out = np.empty((len(blocks[0]), 7))
    return best(lambda: compiled(*blocks, s.par, out), len(out))


def numpy_equations(s: Setup) -> float:
    """The equations on NumPy arrays, in blocks that fit the cache."""
    blocks = s.blocks(x=s.x[:4096])
    return best(lambda: plain.run("forces", s.kinds, blocks, s.par), len(blocks[0]))


def numpy_newton_euler(s: Setup) -> float:
    """The published Newton-Euler formulation: batched NumPy over 3-vectors."""
    n = min(s.states, 10_000)
    motion = s.motion(n)
    return best(lambda: gough.inverse_dynamics(s.platform, motion, formulation="newton-euler"), n)


def forward_kinematics(s: Setup) -> float:
    n = min(s.states, 10_000)
    length = gough.inverse_kinematics(s.platform, s.motion(n)).length
    home = s.platform.home
    return best(lambda: gough.forward_kinematics(s.platform, length, guess=home), n)


def all_modes(s: Setup) -> float:
    length = gough.inverse_kinematics(s.platform, s.motion()).length
    return best(lambda: gough.assembly_modes(s.platform, length), seconds=2.0)


@lru_cache(maxsize=4)
def _jax_function(platform: Platform) -> Callable[..., Any]:
    from gough.dynamics import jax

    model = jax.machine(platform)
    return jax.jit(
        lambda rows: model.efforts(rows[:24], rows[24:], model.parameters, [1.0, 0.0, 0.0] * 6)
    )


def jax_batch(s: Setup) -> float:
    try:
        import jax
    except ImportError:
        raise Skip("JAX is not installed") from None
    jax.config.update("jax_enable_x64", True)
    n = min(s.states, 100_000)
    rows = [jax.numpy.asarray(np.ascontiguousarray(c)) for c in s.x[:n].T]
    f = _jax_function(s.platform)
    return best(lambda: jax.block_until_ready(f(rows)), n)
