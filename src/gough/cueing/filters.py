"""Linear filters in continuous time, run exactly on signals that are straight lines between their samples.

    x' = A x + B u,  y = C x + D u;  over a step h:  x+ = F x + G u + H (u+ - u)
F, G, H come from one matrix exponential, so samples of the answer carry no error of discretization.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array, Frozen, InputError, array
from gough.extras import package


@dataclass(frozen=True, eq=False)
class Filter(Frozen):
    """State space of transfer functions that share a denominator: A (m, m), B (m,), C (k, m), D (k,)."""

    A: Array
    B: Array
    C: Array
    D: Array

    def stepping(self, h: float) -> tuple[Array, Array, Array]:
        """F (m, m), G (m,) and H (m,) of the module's legend."""
        expm = package("scipy.linalg").expm

        m = len(self.B)
        block = np.zeros((m + 2, m + 2))
        block[:m, :m], block[:m, m], block[m, m + 1] = self.A * h, self.B * h, 1.0
        grown: Array = np.asarray(expm(block), dtype=np.float64)
        return grown[:m, :m], grown[:m, m], grown[:m, m + 1]

    def respond(self, u: Array, h: float) -> Array:
        """Outputs (k, n, ...) to samples u (n, ...) a time h apart, from rest (no signal before)."""
        F, G, H = self.stepping(h)
        channels = u.reshape(len(u), -1)
        states = np.zeros((len(u), len(F), channels.shape[1]))
        states[1:] = (
            G[:, None] * channels[:-1, None] + H[:, None] * np.diff(channels, axis=0)[:, None]
        )
        ahead = 1  # sum of F^j b_(k-j): twice as many terms with every pass
        while ahead < len(u):
            states[ahead:] += np.einsum("ij,njc->nic", F, states[:-ahead])
            F, ahead = F @ F, 2 * ahead
        y = np.einsum("km,nmc->knc", self.C, states) + self.D[:, None, None] * channels
        return y.reshape(len(self.C), *u.shape)

    def gain(self, s: ArrayLike) -> Array:
        """The transfer functions at complex s: (..., k)."""
        points = np.asarray(s, dtype=complex)
        eye = np.eye(len(self.B))
        inside = np.linalg.solve(points[..., None, None] * eye - self.A, self.B[:, None])[..., 0]
        return inside @ self.C.T + self.D


def transfer(numerators: list[list[float]], denominator: list[float]) -> Filter:
    """A filter from polynomials in s, highest power first; one output for each numerator.

    Controllable canonical form, its states scaled by powers of the filter's own frequency so that they are of one size.
    """
    d = array("denominator", denominator)
    if d.ndim != 1 or len(d) < 2 or d[0] == 0.0:
        raise InputError("denominator", denominator, "must be a polynomial of degree one or more")
    m = len(d) - 1
    a = d / d[0]
    scale = max(abs(a[-1]) ** (1.0 / m), 1e-12) ** np.arange(m)[::-1]
    A = np.zeros((m, m))
    A[0] = -a[1:]
    A[1:, :-1] = np.eye(m - 1)
    C, D = np.zeros((len(numerators), m)), np.zeros(len(numerators))
    for k, given in enumerate(numerators):
        b = np.zeros(m + 1)
        b[m + 1 - len(given) :] = np.asarray(given, dtype=float) / d[0]
        D[k] = b[0]
        C[k] = b[1:] - b[0] * a[1:]
    # states x_i are divided by scale_i: the first of them is the highest derivative
    return Filter(A * scale[None, :] / scale[:, None], np.eye(m)[0] / scale, C * scale[None, :], D)


def polynomial(*factors: list[float]) -> list[float]:
    """Product of polynomials, highest power first."""
    out = np.ones(1)
    for factor in factors:
        out = np.polymul(out, factor)
    return out.tolist()


def power(order: int) -> list[float]:
    """The polynomial ``s^order``."""
    return [1.0, *[0.0] * order]
