"""The risk of a sprung joint grows without bound towards the angle at which its springs end, and is nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from gough.equations import springs


@pytest.mark.parametrize("share", [1e-6, 0.01, 0.3, 1.0])
def test_half_a_cosine_and_its_risk(share: float) -> None:
    square = springs.EDGE + share * (1.0 - springs.EDGE)
    half, risk = springs._half_cosine(np.float64(square))
    assert half == pytest.approx(np.sqrt(square), rel=1e-12)
    assert risk == pytest.approx(1.0 / (square - springs.EDGE), rel=1e-6)


def test_beyond_the_largest_angle_nothing_is_known() -> None:
    with np.errstate(invalid="ignore"):
        half, risk = springs._half_cosine(np.float64(springs.EDGE * 0.999))
    assert np.isnan(half)
    assert np.isnan(risk)
