"""The scalar functions that equations and leg laws need beside + - * /, for every kind of number they run on.

Floats and NumPy arrays (real or complex) go to NumPy, mpmath numbers to mpmath; the tracer, JAX and numba
register their own.  A root of a negative real number is NaN: out of reach, never an exception in a batch.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np


@singledispatch
def sqrt(x: Any) -> Any:
    """Square root."""
    if hasattr(x, "sqrt"):  # decimal.Decimal, symbols
        return x.sqrt()
    if hasattr(x, "_mpf_") or hasattr(x, "_mpc_"):
        return x**0.5
    with np.errstate(invalid="ignore"):
        return np.sqrt(x)


@singledispatch
def angle(sine: Any, cosine: Any) -> Any:
    """``atan2(sine, cosine)``, rad; for complex steps the derivative is carried along."""
    if np.iscomplexobj(sine) or np.iscomplexobj(cosine):
        s, c = np.real(sine), np.real(cosine)
        slope = (c * np.imag(sine) - s * np.imag(cosine)) / (s * s + c * c)
        return np.arctan2(s, c) + 1j * slope
    if hasattr(sine, "_mpf_"):
        return sine.context.atan2(sine, cosine)
    return np.arctan2(sine, cosine)


@singledispatch
def restart(x: Any) -> Any:
    """x itself, as what the last step of a quadratically converging iteration starts from: neither its errors nor its
    derivatives pass on."""
    return x


@singledispatch
def smaller(x: Any, bound: Any) -> Any:
    """``bound`` where it is less than x, else x; a NaN in x stays."""
    return np.where(bound < x, bound, x)


@singledispatch
def larger(x: Any, bound: Any) -> Any:
    """``bound`` where it is greater than x, else x; a NaN in x stays."""
    return np.where(bound > x, bound, x)
