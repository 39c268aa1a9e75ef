"""Cranks far along their shafts: what their large numbers round away is in the bound of the strut."""

from __future__ import annotations

from itertools import product

import mpmath
import numpy as np
import pytest

from gough.kinematics.path_intervals import strut_at
from gough.struts import LEG, leg_table
from support.forward_machines import machine


def exact_strut(row: np.ndarray, P: np.ndarray) -> list[mpmath.mpf]:
    """``S = P - h e - cos u - sin n``, ``|S| = length``, of these very numbers."""
    e, u, n, x = ([mpmath.mpf(v) for v in a] for a in (row[LEG.e], row[LEG.u], row[LEG.n], P))
    h, rho, length, sign = (mpmath.mpf(row[at]) for at in (LEG.h, LEG.rho, LEG.length, LEG.sign))

    def dot(a: list[mpmath.mpf], b: list[mpmath.mpf]) -> mpmath.mpf:
        return mpmath.fsum(p * q for p, q in zip(a, b, strict=True))

    a, b = dot(x, u), dot(x, n)
    D = (dot(x, x) + h * h + rho * rho - length * length) / 2 - h * dot(x, e)
    X, N2 = sign * mpmath.sqrt(a * a + b * b - D * D), a * a + b * b
    cosine, sine = (a * D - b * X) / N2, (b * D + a * X) / N2
    return [x[k] - h * e[k] - cosine * u[k] - sine * n[k] for k in range(3)]


@pytest.mark.parametrize("far", [0.0, 10.0, 100.0])
def test_rounding_of_a_crank_far_along_its_shaft_is_in_the_bound(far: float) -> None:
    """Joints in the plane of the crank, all around: the squares of their distances nearly cancel."""
    platform, S = machine("RUS"), np.empty(3)
    for leg, turn in product(range(6), np.linspace(0.1, 6.1, 20)):
        row = leg_table(platform)[leg].copy()
        row[LEG.h] = far
        around = np.cos(turn) * row[LEG.u] + np.sin(turn) * row[LEG.n]
        P = far * row[LEG.e] + around * row[LEG.length] / row[LEG.rho]
        off = strut_at(row, P, 0.0, 1.0, 0.0, S)
        with mpmath.workdps(50):
            true = exact_strut(row, P)
            miss = max(abs(mpmath.mpf(S[k]) - true[k]) for k in range(3))
        assert miss <= off
        assert 0.0 <= off < 1e-3
