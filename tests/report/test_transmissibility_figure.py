"""The figure of a transmissibility: one line per axis, drawn from its own numbers."""

from __future__ import annotations

import numpy as np
import pytest

from gough.analysis.base_excitation import AXES, Transmissibility
from gough.checks import InputError
from gough.report import transmissibility_figure


def test_every_axis_is_a_line_of_its_gain() -> None:
    f = np.geomspace(1.0, 100.0, 7)
    response = np.arange(1.0, 7 * 36 + 1).reshape(7, 6, 6) * (1 + 1j)
    found = Transmissibility(f, response)
    lines = transmissibility_figure(found, "table").axes[0].get_lines()[:6]
    assert [line.get_label() for line in lines] == list(AXES)
    for i, line in enumerate(lines):
        assert np.array_equal(line.get_ydata(), np.abs(response[:, i, i]))
    for wrong in (Transmissibility(f * 0, response), Transmissibility(f, response[None])):
        with pytest.raises(InputError, match="one pose, at frequencies above zero"):
            transmissibility_figure(wrong)
