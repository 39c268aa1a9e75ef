"""The plain engine: the equations run as they stand on floats, NumPy arrays (a batch), complex or mpmath numbers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from gough.equations.machine import Machine, make

NO_SPIN = (1.0, 0.0, 0.0) * 6


@lru_cache(maxsize=64)
def machine(kinds: tuple[str, ...]) -> Machine:
    """The machine functions of six leg kinds."""
    return make(kinds)


def run(function: str, kinds: tuple[str, ...], x: Sequence[Any], par: Sequence[Any], n_out: int) -> Any:
    """``f(x, par)`` with array components; answers one array with the outputs on the last axis."""
    with np.errstate(all="ignore"):
        out = getattr(machine(kinds), function)(tuple(x), tuple(par))
    if len(out) != n_out:
        raise AssertionError(f"{function} gave {len(out)} numbers, not {n_out}")
    return np.stack(np.broadcast_arrays(*out), axis=-1)
