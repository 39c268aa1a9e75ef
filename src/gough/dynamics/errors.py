"""Bounds on the errors of answers that are plain arrays: mass matrices and biases, ours or anybody's.

Each is the distance to the exact equations as computed here plus the proven bound of that (engines/error_bound.py);
what the numbers of machine and motion are worth is another matter.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array, array
from gough.dynamics.forward import BIAS
from gough.engines.evaluate import evaluation, vector_block
from gough.layout import FULL
from gough.model import Platform
from gough.results import Spin
from gough.spatial import Motion, Pose


def mass_matrix_error(
    platform: Platform, pose: Pose | Motion, matrix: ArrayLike, *, spin: Spin | None = None
) -> Array:
    """(..., 6, 6) bounds on the absolute errors of `matrix` (..., 6, 6) as the mass matrix of these poses."""
    given = array("matrix", matrix, (6, 6))
    still = evaluation("mass", platform, pose, spin)
    rows = vector_block("matrix", given.reshape(*given.shape[:-2], 36), still.motion.shape, 36)
    value, error = (np.take(a, FULL, axis=-1).reshape(-1, 36) for a in still.bounds())
    return (np.abs(rows - value) + error).reshape(*still.motion.shape, 6, 6)


def bias_error(
    platform: Platform, motion: Motion | Pose, bias: ArrayLike, *, spin: Spin | None = None
) -> Array:
    """(..., 6) bounds on the absolute errors of `bias` (..., 6) for these motions, N and N m."""
    still = evaluation("forward", platform, motion, spin, force=None, external=None)
    rows = vector_block("bias", bias, still.motion.shape)
    return still.error(rows.reshape(*still.motion.shape, 6), BIAS)
