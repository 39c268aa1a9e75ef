"""Legs whose upper part turns in the lower one (UCU): the upper part's motion and the energy of its torsion spring.

The first axis ``k_p = R k_p0`` of the platform joint is fixed in the platform, which carries the joint: the upper part
must not turn against the platform about ``c = k_p x y_p``.  With the platform's angular velocity ``[0, 1] u``,
    J_D = J_n + s [ (k_p.s) k_p^T J_n + (s - (k_p.s) k_p)^T [0, 1] ] / (1 - (k_p.s)^2)
    J_T = s^T (J_D of the upper part - J_D of the lower part)                                 rate of the twist
All functions take complex numbers.  docs/derivations/lagrange.md
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gough.formulations.arrays import PairArrays, column, pair_arrays
from gough.formulations.lagrange.kinematics import Strut, strut
from gough.formulations.linear import Numbers, cross, dot, outer, transpose
from gough.model import UCU
from gough.spatial import Pose


@dataclass
class TurningPair:
    """Cylindrical pairs of n legs: both parts, J_T (..., n, 6) of the rate of twist, potential (...) of springs."""

    data: PairArrays
    lower: Strut
    upper: Strut
    J_T: Numbers
    potential: Numbers

    @property
    def carrier(self) -> Strut:
        """The parts on which screws and rotors ride."""
        above, d, u = self.data.above[:, None, None], self.lower, self.upper
        return Strut(d.s, np.where(above, u.T, d.T), np.where(above, u.J_D, d.J_D))


def pair(
    legs: Sequence[UCU], lower: Strut, N: Numbers, index: list[int], R: Numbers, home: Pose
) -> TurningPair:
    """The pairs of legs whose lower parts are `lower` and whose ends move with ``N (v, omega)`` per length."""
    data, s = pair_arrays(legs), lower.s
    k = data.kp @ transpose(R)
    upper = strut(s, k, N, index, no_spin=False)
    kap = dot(k, s)[..., None]
    carried = np.zeros_like(upper.J_D[..., 0, :])
    carried[..., 3:] = (s - kap * k) / (1 - kap * kap)
    upper.J_D = upper.J_D + outer(s, carried)
    J_T = (s[..., None, :] @ (upper.J_D - lower.J_D))[..., 0, :]
    return TurningPair(data, lower, upper, J_T, _torsion(legs, data, lower, upper, home))


def _torsion(
    legs: Sequence[UCU], data: PairArrays, lower: Strut, upper: Strut, home: Pose
) -> Numbers:
    """``sum k_phi (phi - phi_0)^2 / 2``, the twist phi in the turn nearest to the one at home."""
    if not data.spring.any():
        return np.zeros(())
    S = home.position + column(legs, "joint") @ home.rotation.T - column(legs, "base")
    a, b = cross(data.k, S), cross(data.kp @ home.rotation.T, S)
    start = np.arctan2(dot(S, cross(a, b)), np.sqrt(dot(S, S)) * dot(a, b))
    y, z, y_u = lower.T[..., 1], lower.T[..., 2], upper.T[..., 1]
    C, S, c0, s0 = dot(y, y_u), dot(z, y_u), np.cos(start), np.sin(start)
    phi = start + angle(S * c0 - C * s0, C * c0 + S * s0)
    return (data.spring * (phi - data.rest) ** 2).sum(-1) / 2


def angle(sine: Numbers, cosine: Numbers) -> Numbers:
    """``atan2``, of complex steps too: their imaginary parts carry its derivative."""
    S, C = np.real(sine), np.real(cosine)
    turn = np.arctan2(S, C)
    if not np.iscomplexobj(sine):
        return turn
    return turn + 1j * (C * np.imag(sine) - S * np.imag(cosine)) / (C * C + S * S)
