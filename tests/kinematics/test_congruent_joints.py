"""Base and platform of nearly the same shape: told by their distances, however one of them is turned or numbered."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from gough.kinematics.assembly.start import ALIKE, _nearly_congruent
from gough.spatial import rotation_exp


@pytest.mark.parametrize("seed", range(5))
def test_shapes_are_compared_by_their_distances(seed: int) -> None:
    rng = np.random.default_rng(seed)
    b = rng.normal(size=(6, 3))
    turned = b[rng.permutation(6)] @ rotation_exp(rng.normal(size=3)).T + rng.normal(size=3)
    largest = np.linalg.norm(b[:, None] - b, axis=-1).max()
    for size, alike in ((1.0 + 0.5 * ALIKE / largest, True), (1.0 + 2.0 * ALIKE / largest, False)):
        geometry: Any = SimpleNamespace(b=b, p=size * turned)
        assert _nearly_congruent(geometry) is alike
    same: Any = SimpleNamespace(b=b, p=b.copy())
    assert _nearly_congruent(same) is False
