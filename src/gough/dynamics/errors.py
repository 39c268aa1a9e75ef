"""Bounds on the errors of answers that carry none themselves: mass matrices, biases, derivatives.

Each is the distance to the exact equations as computed here plus the proven bound of that (engines/error_bound.py);
what the numbers of machine and motion are worth is another matter.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array, InputError, array
from gough.dynamics.derivatives import Derivatives, spinning_blocks
from gough.dynamics.forward import BIAS
from gough.dynamics.parameters import derivative_kinds
from gough.engines.derivative_bound import jacobian_bounds
from gough.engines.evaluate import evaluation, vector_block
from gough.engines.pack import packed
from gough.layout import FULL
from gough.links import refuse_links
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


def derivatives_error(
    platform: Platform,
    motion: Motion | Pose,
    derivatives: Derivatives,
    force: ArrayLike | None = None,
    external: ArrayLike | None = None,
    *,
    spin: Spin | None = None,
) -> Array:
    """(..., 6, n) bounds on the absolute errors of `derivatives.jacobian`, asked for with these very arguments."""
    if derivatives.direction == "forward":
        refuse_links(platform, "errors of the derivatives of forward dynamics are not bounded")
        e = evaluation("forward", platform, motion, spin, force=force, external=external)
    else:
        e = evaluation("forces", platform, motion, spin, external=external)
    kinds = derivative_kinds(platform, e.spins is not None)
    blocks, par = spinning_blocks(e, kinds), packed(platform).parameters
    found = jacobian_bounds(derivatives.direction, kinds, blocks, par)
    value, error = (a.reshape(*e.motion.shape, *a.shape[1:]) for a in found)
    if derivatives.jacobian.shape != value.shape:
        shapes = f"{derivatives.jacobian.shape}", f"must have shape {value.shape}: the same states"
        raise InputError("derivatives", *shapes)
    return np.abs(derivatives.jacobian - value) + error
