"""The plain engine: the equations run as they stand on floats, NumPy arrays (a batch), complex or mpmath numbers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from gough.equations.elastic import ElasticEquations
from gough.equations.machine import MOVING, spinning
from gough.layout import SPIN

NO_SPIN = (1.0, 0.0, 0.0) * 6


@lru_cache(maxsize=64)
def machine(kinds: tuple[str, ...]) -> ElasticEquations:
    """The machine functions of six leg kinds."""
    return ElasticEquations(kinds)


def evaluate(
    function: str,
    kinds: tuple[str, ...],
    x: Sequence[Any],
    par: Sequence[Any],
    spin: Sequence[Any] = NO_SPIN,
) -> tuple[Any, ...]:
    """``f(x, spin, data)`` on any kind of number; x and par are sequences of scalars or of arrays of one shape."""
    functions = machine(kinds)
    with np.errstate(all="ignore"):
        call = getattr(functions, function.removeprefix(MOVING))
        return call(tuple(x), tuple(spin), functions.unpack(tuple(par)))


def run(function: str, kinds: tuple[str, ...], blocks: Sequence[Any], par: Any) -> Any:
    """Evaluate over N states; `blocks` are (N, width) arrays as in the compiled engine.  Answers (N, outputs)."""
    columns = [column for block in blocks for column in np.moveaxis(block, -1, 0)]
    has_spin = spinning(kinds)
    x, spin = (
        (columns[: -6 * SPIN.size], columns[-6 * SPIN.size :]) if has_spin else (columns, NO_SPIN)
    )
    out = evaluate(function, kinds, x, par, spin)
    return np.stack(np.broadcast_arrays(*out), axis=-1).reshape(blocks[0].shape[0], len(out))
