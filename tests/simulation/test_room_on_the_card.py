"""The text for the GPU has room for all that its programs write."""

from __future__ import annotations

import pytest

from gough.simulation.closed_kernels import legs_program
from gough.simulation.cuda_text import Form, _loop_numbers


@pytest.mark.parametrize(
    "kinds",
    [("ups",) * 6, ("ucu_screw",) * 6, ("ups", "ucu_screw_upper", "pus", "ups", "rus", "sps")],
)
def test_measured_legs_have_a_row_each(kinds: tuple[str, ...]) -> None:
    """Coordinates and rates, and what screws have wound where there are any."""
    outputs = legs_program(kinds, 1).program.outputs
    assert _loop_numbers(Form("rk4", kinds))["legs_rows"] == len(outputs)
