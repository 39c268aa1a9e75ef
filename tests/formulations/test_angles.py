"""The angle of two numbers, and its derivative by complex steps: neither asks how long they are."""

from __future__ import annotations

import numpy as np
import pytest

from gough.formulations.lagrange.pairs import angle

STEP = 1e-30


@pytest.mark.parametrize("size", [0.3, 1.0, 2.7])
def test_an_angle_and_its_slope_are_those_of_the_direction(size: float) -> None:
    turn = np.linspace(-3.0, 3.0, 13)
    sine, cosine = size * np.sin(turn), size * np.cos(turn)
    assert angle(sine, cosine) == pytest.approx(turn)
    growing = 1.0 + 5j * STEP  # a longer arm turns nothing
    found = angle((sine + 1j * STEP * cosine) * growing, (cosine - 1j * STEP * sine) * growing)
    assert np.real(found) == pytest.approx(turn)
    assert np.imag(found) / STEP == pytest.approx(np.ones(13))
