"""Points of the Study quadric, complex ones."""

from __future__ import annotations

import numpy as np


def complex_point(seed: int) -> np.ndarray:
    """A point X (8,) with q.g = 0, its largest |q_k| at k = seed % 4."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=8) + 1j * rng.normal(size=8)
    X[seed % 4] *= 4 * np.abs(X[:4]).max() / abs(X[seed % 4])
    X[4:] -= X[:4] * ((X[:4] @ X[4:]) / (X[:4] @ X[:4]))
    return X
