"""Samples of parameters: points of a unit cube by number, random or quasi-random, stretched to the ranges.

Point `i` depends on method, seed, number of ranges and `i` alone, so any worker finds it without the others: Sobol' and
Halton points (Owen-scrambled and with random permutations, `scipy.stats.qmc`) and the PCG64 stream can be entered
anywhere.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array
from gough.extras import package

BLOCK = 1024  # points made together


@dataclass(frozen=True)
class Draw:
    """`count` points in the box of `ranges` (parameter -> low, high; SI)."""

    method: str
    count: int
    seed: int
    ranges: dict[str, tuple[float, float]]

    def values(self, number: int) -> dict[str, float]:
        """The parameters of point `number`."""
        return {name: float(x[0]) for name, x in self.columns(np.array([number])).items()}

    def columns(self, numbers: NDArray[np.integer]) -> dict[str, Array]:
        """The parameters of the points `numbers` (n,), (n,) each."""
        low, high = np.array(list(self.ranges.values())).T
        u = np.empty((len(numbers), len(low)))
        blocks, places = np.divmod(numbers, BLOCK)
        for block in np.unique(blocks).tolist():
            here = blocks == block
            u[here] = unit_points(self.method, self.seed, len(low), block)[places[here]]
        return dict(zip(self.ranges, (low + u * (high - low)).T, strict=True))


@lru_cache(maxsize=8)
def unit_points(method: str, seed: int, width: int, block: int) -> Array:
    """(BLOCK, width) points of the unit cube: those from ``block * BLOCK`` on."""
    return METHODS[method](seed, width, block * BLOCK)


def _random(seed: int, width: int, first: int) -> Array:
    stream = np.random.PCG64(seed).advance(first * width)  # one step a number
    return np.random.Generator(stream).random((BLOCK, width))


def _by(seed: int) -> dict[str, Any]:
    return {"seed": np.random.default_rng(seed)}  # SciPy also calls it rng


def _sobol(seed: int, width: int, first: int) -> Array:
    qmc = package("scipy.stats").qmc

    engine = qmc.Sobol(width, **_by(seed))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # balance asks for powers of 2: docs/design.md says so
        return (engine.fast_forward(first) if first else engine).random(BLOCK)


def _halton(seed: int, width: int, first: int) -> Array:
    qmc = package("scipy.stats").qmc

    engine = qmc.Halton(width, **_by(seed))
    engine.num_generated = first  # its points are a function of their number
    return engine.random(BLOCK)


METHODS: dict[str, Callable[[int, int, int], Array]] = {
    "sobol": _sobol,
    "halton": _halton,
    "random": _random,
}
