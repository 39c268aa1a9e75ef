"""Linear algebra over leading axes: what formulations share, and no derivation.

Everything keeps the kind of number it is given: floats, complex steps, numbers that count operations.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.checks import Array, InfeasibleError

Numbers = np.ndarray[Any, np.dtype[Any]]  # float, complex or counting entries


def cross(a: Numbers, b: Numbers) -> Numbers:
    """``a x b`` over the last axis."""
    return a[..., [1, 2, 0]] * b[..., [2, 0, 1]] - a[..., [2, 0, 1]] * b[..., [1, 2, 0]]


def dot(a: Numbers, b: Numbers) -> Numbers:
    """``a . b`` over the last axis."""
    return (a * b).sum(axis=-1)


def apply(M: Numbers, v: Numbers) -> Numbers:
    """``M v`` over the last axes."""
    return (M @ v[..., None])[..., 0]


def transpose(M: Numbers) -> Numbers:
    """``M^T`` over the last two axes."""
    return np.swapaxes(M, -1, -2)


def outer(a: Numbers, b: Numbers) -> Numbers:
    """``a b^T`` over the last axis of each."""
    return a[..., :, None] * b[..., None, :]


def skew(v: Numbers) -> Numbers:
    """``[v]x`` with ``[v]x u = v x u``."""
    K = np.zeros((*v.shape, 3), dtype=v.dtype)
    K[..., 2, 1], K[..., 0, 2], K[..., 1, 0] = v[..., 0], v[..., 1], v[..., 2]
    K[..., 1, 2], K[..., 2, 0], K[..., 0, 1] = -v[..., 0], -v[..., 1], -v[..., 2]
    return K


def centripetal(w: Numbers, r: Numbers) -> Numbers:
    """``w x (w x r)``."""
    return cross(w, cross(w, r))


def join(*blocks: Numbers) -> Numbers:
    """Blocks side by side on the last axis, their batches broadcast: force and moment, velocity and turning."""
    shape = np.broadcast_shapes(*(block.shape[:-1] for block in blocks))
    return np.concatenate(
        [np.broadcast_to(block, (*shape, block.shape[-1])) for block in blocks], axis=-1
    )


def solve(A: Array, b: Array, refusal: str) -> Array:
    """``A x = b`` for vectors b (..., n); a singular A is refused with a sentence."""
    return solve_columns(A, b[..., None], refusal)[..., 0]


def solve_columns(A: Array, B: Array, refusal: str) -> Array:
    """``A X = B`` for matrices B (..., n, m)."""
    try:
        return np.asarray(np.linalg.solve(A, B), dtype=np.float64)
    except np.linalg.LinAlgError:
        raise InfeasibleError(refusal) from None
