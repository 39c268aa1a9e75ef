"""Springs along the legs as they are given: one number, six, or six for every run; anything else is refused."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.checks import Array
from gough.simulation import Springs

RUNS = np.arange(1.0, 13.0).reshape(2, 6)


@pytest.mark.parametrize("given", [3.0, [3.0] * 6, RUNS, RUNS[:1]])
def test_shapes_that_are_springs(given: float | Array) -> None:
    made = Springs(given, 0.5, 2.0)
    shape = np.broadcast_shapes(np.shape(given), (6,))
    assert made.stiffness.shape == shape
    assert made.stiffness == pytest.approx(np.broadcast_to(given, shape))
    assert made.rest.shape == made.damping.shape == (6,)
    away = np.linspace(0.0, 1.0, 6)
    wanted = 0.5 * (np.broadcast_to(given, shape) * (away - 0.5) ** 2).sum(axis=-1)
    assert made.energy(away) == pytest.approx(wanted)


@pytest.mark.parametrize("given", [[1.0] * 5, np.ones((6, 5)), np.ones((2, 1)), np.ones((1, 6, 2))])
@pytest.mark.parametrize("name", ["stiffness", "rest", "damping"])
def test_shapes_that_are_none(given: Array, name: str) -> None:
    with pytest.raises(gough.InputError, match="must be one number") as caught:
        Springs(**{"stiffness": 1.0, "rest": 0.0, "damping": 0.0, name: given})
    assert caught.value.field == name


def test_a_spring_pulls_and_a_damper_takes() -> None:
    for name in ("stiffness", "damping"):
        with pytest.raises(gough.InputError, match="must not be negative"):
            Springs(**{"stiffness": 1.0, "rest": 0.0, name: [1.0, 1.0, -1e-9, 1.0, 1.0, 1.0]})
    Springs(1.0, -0.5)
