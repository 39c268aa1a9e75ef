"""Samples fall on steps: any other rate is refused, too fast or not a whole number of steps."""

from __future__ import annotations

import pytest

import gough
from gough.simulation import Sampling
from gough.simulation.loop import sampled


@pytest.mark.parametrize(("rate", "steps"), [(1000.0, 1), (250.0, 4), (1000.0 / 7.0, 7)])
def test_a_whole_number_of_steps_is_a_period(rate: float, steps: int) -> None:
    assert sampled(Sampling(rate=rate), 1e-3) == steps


@pytest.mark.parametrize("rate", [300.0, 999.0, 1001.0, 1999.0, 2001.0, 1e5, 250.0 * (1.0 + 1e-8)])
def test_other_rates_are_refused(rate: float) -> None:
    with pytest.raises(gough.InputError, match=r"must be a multiple of the step 0\.001 s") as e:
        sampled(Sampling(rate=rate), 1e-3)
    assert e.value.field == "sampling.rate"
