"""Rotation vectors that move in time: exact angular velocity and acceleration, smooth at zero.

phi (..., 3)  rotation vector, rad;  x = |phi|^2;  K = [phi]x
left Jacobian   Jl = E + a K + b K^2    d/dt exp(K) = [Jl phi']x exp(K)    (omega in the outer axes)
right Jacobian  Jr = E - a K + b K^2 = Jl^T                                 (omega in the moving axes)
a = (1 - cos|phi|) / |phi|^2,   b = (|phi| - sin|phi|) / |phi|^3
a' = c phi.phi',  b' = d phi.phi'  with  c = 2 da/dx,  d = 2 db/dx
"""

from __future__ import annotations

from math import factorial

import numpy as np

from gough.checks import Array
from gough.spatial import rotation_exp, skew

SERIES_BELOW = 4.0  # x = |phi|^2 below which the power series is used: closed forms lose digits
_TERMS = range(16)  # the first term left out is below 1e-24 at x = 4
_A = [(-1.0) ** k / factorial(2 * k + 2) for k in _TERMS]
_B = [(-1.0) ** k / factorial(2 * k + 3) for k in _TERMS]
_C = [2 * k * _A[k] for k in _TERMS][1:]
_D = [2 * k * _B[k] for k in _TERMS][1:]


def _coefficients(phi: Array) -> tuple[Array, Array, Array, Array]:
    """a, b, c, d of the module's legend, each with a trailing axis of one."""
    x = (phi * phi).sum(axis=-1, keepdims=True)
    small = x < SERIES_BELOW
    xs, xl = np.where(small, x, 0.0), np.where(small, SERIES_BELOW, x)
    angle = np.sqrt(xl)
    a = (1.0 - np.cos(angle)) / xl
    b = (angle - np.sin(angle)) / (xl * angle)
    c = (np.sin(angle) / angle - 2.0 * a) / xl
    d = (a - 3.0 * b) / xl
    series = [np.polynomial.polynomial.polyval(xs, p) for p in (_A, _B, _C, _D)]
    a, b, c, d = (np.where(small, s, f) for s, f in zip(series, (a, b, c, d), strict=True))
    return a, b, c, d


def left_jacobian(phi: Array) -> Array:
    """``Jl(phi)``, (..., 3, 3)."""
    a, b, _, _ = _coefficients(phi)
    K = skew(phi)
    return np.eye(3) + a[..., None] * K + b[..., None] * (K @ K)


def right_jacobian(phi: Array) -> Array:
    """``Jr(phi) = Jl(phi)^T``, (..., 3, 3)."""
    return np.swapaxes(left_jacobian(phi), -1, -2)


def jacobian_rate(phi: Array, u: Array, v: Array, side: float = 1.0) -> Array:
    """``(D J(phi)[u]) v``: the Jacobian's change along `u`, applied to `v`; side +1 left, -1 right."""
    a, b, c, d = _coefficients(phi)
    dot = (phi * u).sum(axis=-1, keepdims=True)
    pv, uv = np.cross(phi, v), np.cross(u, v)
    first = c * dot * pv + a * uv
    second = d * dot * np.cross(phi, pv) + b * (np.cross(u, pv) + np.cross(phi, uv))
    return side * first + second


def rotation_vector_motion(
    phi: Array, rate: Array, acceleration: Array
) -> tuple[Array, Array, Array]:
    """``exp([phi]x)`` with its omega and alpha in the outer axes.

    ``omega = Jl phi'``, ``alpha = Jl phi'' + (D Jl[phi']) phi'``.
    """
    J = left_jacobian(phi)
    omega = (J @ rate[..., None])[..., 0]
    alpha = (J @ acceleration[..., None])[..., 0] + jacobian_rate(phi, rate, rate)
    return rotation_exp(phi), omega, alpha
