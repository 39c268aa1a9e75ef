"""Sums of pairs of doubles that cancel: right to UNIT of what is left, not only of what went in."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from gough.kinematics.assembly import doubled


def exact(pair: tuple[float, float]) -> Fraction:
    return Fraction(pair[0]) + Fraction(pair[1])


@pytest.mark.parametrize("left", [0.0, 2.0**-52, 3e-14, 1e-7, 0.3])
def test_what_is_left_of_a_difference(left: float) -> None:
    """[Joldes2017] theorem 3.1: 3 u^2 + 13 u^3 of the sum itself, u = 2^-53."""
    rng = np.random.default_rng(5)
    for _ in range(50):
        a = rng.normal()
        b = -a * (1.0 + left)
        small = rng.uniform(-1.0, 1.0, 2) * 2.0**-54 * np.abs([a, b])
        small[rng.integers(2)] *= 2.0 ** -rng.integers(30)
        for x, y in (((a, small[0]), (b, small[1])), ((b, small[1]), (a, small[0]))):
            wanted = exact(x) + exact(y)
            assert abs(exact(doubled.add(*x, *y)) - wanted) <= abs(wanted) * Fraction(doubled.UNIT)
