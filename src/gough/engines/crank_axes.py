"""Vectors and tensors that turn with a crank: as a machine file gives them, at crank angle zero, and where home is.

Over complex numbers too: dynamics/parameters.py steps through here.
"""

from __future__ import annotations

import numpy as np

from gough.checks import Array


def turning(axis: Array, zero: float, v: Array) -> Array:
    """A vector fixed to the crank in three parts: axial, and what cosine and sine of its angle from home carry."""
    axial, across = axis * (axis @ v), np.cross(axis, v)
    if zero:
        c, s = np.cos(zero), np.sin(zero)
        v, across = axial + c * (v - axial) + s * across, c * across - s * (v - axial)
    return np.concatenate([axial, v - axial, across])


def turned_tensor(axis: Array, zero: float, K: Array) -> Array:
    """``C K C^T``, C the turn by the crank angle at home: a tensor in the crank's axes at home."""
    parts = np.array([turning(axis, zero, e) for e in np.eye(3)])
    C = (parts[:, :3] + parts[:, 3:6]).T
    return C @ K @ C.T
