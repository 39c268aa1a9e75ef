"""Readings far off count less: weights of robust estimators, and what they cost where nothing is wrong.

    huber    w = 1 for |r| <= c, c/|r| beyond;   c = 1.345: 95 % of the efficiency of least squares on normal errors
    cauchy   w = 1/(1 + (r/c)^2);                c = 2.385: likewise
Sources: Huber, Robust Statistics (1981); the constants are the usual ones for 95 % efficiency.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from gough.checks import Array

HUBER, CAUCHY = 1.345, 2.385


def _all(r: Array) -> Array:
    return np.ones_like(r)


def _huber(r: Array) -> Array:
    return HUBER / np.maximum(np.abs(r), HUBER)


def _cauchy(r: Array) -> Array:
    return 1.0 / (1.0 + (r / CAUCHY) ** 2)


WEIGHTS: Mapping[str | None, Callable[[Array], Array]] = {
    None: _all,
    "huber": _huber,
    "cauchy": _cauchy,
}
_SLOPES: Mapping[str, Callable[[Array], Array]] = {  # of psi = w r
    "huber": lambda r: (np.abs(r) <= HUBER).astype(float),
    "cauchy": lambda r: (1.0 - (r / CAUCHY) ** 2) / (1.0 + (r / CAUCHY) ** 2) ** 2,
}


def efficiency(kind: str | None, misread: Array, freedom: int) -> float:
    """Factor of the standard deviations: ``sqrt(mean psi^2 / mean w) / mean psi'`` over the weighted formula.

    Huber's formula for the covariance of an M-estimator is ``(mean psi^2)/(mean psi')^2 (A^T A)^-1``; the weighted
    least squares have ``(A^T W A)^-1``, which is ``(A^T A)^-1 / mean w`` for readings alike.
    """
    if kind is None:
        return 1.0
    w = WEIGHTS[kind](misread)
    spread = ((w * misread) ** 2).sum() / max(freedom, 1)
    slope = _SLOPES[kind](misread).mean()
    return float(np.sqrt(spread * w.mean()) / slope)
