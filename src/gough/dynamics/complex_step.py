"""Derivatives of machine functions by complex steps through the equations: exact to rounding, whatever the function.

``df = Im f(x + i h dx, p + i h dp)/h``: no difference is formed, so h may be so small that only the slope is left.
Changes of a motion are those of `gough.layout.JACOBIAN`: a rotation is turned by a rotation vector in world axes.
"""

from __future__ import annotations

import numpy as np

from gough.checks import Array
from gough.engines import plain
from gough.equations.machine import FUNCTIONS
from gough.layout import JACOBIAN, SPIN, VARIATION
from gough.spatial import skew

STEP = 1e-30


def slopes(
    function: str,
    kinds: tuple[str, ...],
    inputs: Array,
    parameters: Array,
    along: Array | None = None,
    parameters_along: Array | None = None,
) -> tuple[Array, Array]:
    """Answers (N, outputs) of a machine function and their slopes (N, outputs, n).

    inputs            (N, width), the spins of the legs behind the function's own, where some leg carries it

    along             (N, width, n) directions of the inputs, None: they stay
    parameters_along  (packed, n) directions of the parameters, None: they stay
    """
    size = FUNCTIONS[function].inputs.size
    x = list(
        inputs.T[:, :, None]
        if along is None
        else np.moveaxis(inputs[..., None] + 1j * STEP * along, 1, 0)
    )
    par: list[object] = parameters.tolist()
    if parameters_along is not None:
        for k in np.flatnonzero(parameters_along.any(axis=1)):
            par[k] = parameters[k] + 1j * STEP * parameters_along[k]
    out = plain.evaluate(function, kinds, x[:size], par, x[size:] or plain.NO_SPIN)
    n = next(d.shape[-1] for d in (along, parameters_along) if d is not None)
    both = np.stack([np.broadcast_to(o, (len(inputs), max(n, 1))) for o in out], axis=1)
    return np.real(both[:, :, 0]), np.imag(both[..., :n]) / STEP


def variations(function: str, rotation: Array, spins: Array) -> Array:
    """(N, width, JACOBIAN) of a function's inputs; rotation (N, 3, 3); spins (N, 18), or (N, 0) without any."""
    layout, n = FUNCTIONS[function].inputs, len(rotation)
    out = np.zeros((n, layout.size + spins.shape[1], JACOBIAN.size))
    for name, width in layout.blocks():
        first = layout.at(name)
        if name == "rotation":
            turned = skew(np.eye(3)) @ rotation[:, None]  # (N, direction, 3, 3)
            out[:, first : first + width, VARIATION.rotation_vector] = np.moveaxis(
                turned.reshape(n, 3, width), 1, 2
            )
        else:
            column = (VARIATION if name in VARIATION.names else JACOBIAN).at(name)
            out[:, first : first + width, column : column + width] = np.eye(width)
    for first in range(0, spins.shape[1], SPIN.size):
        leg, at = first // SPIN.size, layout.size + first
        out[:, at + SPIN.cosine, JACOBIAN.at("spin_angle") + leg] = -spins[:, first + SPIN.sine]
        out[:, at + SPIN.sine, JACOBIAN.at("spin_angle") + leg] = spins[:, first + SPIN.cosine]
        out[:, at + SPIN.rate, JACOBIAN.at("spin_rate") + leg] = 1.0
    return out
