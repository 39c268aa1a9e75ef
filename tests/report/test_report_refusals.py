"""Pictures that cannot be drawn say why; seeds and models of controllers too."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import gough
from gough.control import ComputedForce
from gough.control.signals import Sampling
from gough.report.modes import gallery_html
from gough.report.paper_figures import _widen_flat
from gough.report.workspace import workspace_figure


def test_a_workspace_is_three_slices() -> None:
    with pytest.raises(gough.InputError, match="must be three"):
        workspace_figure([])


def test_no_modes_no_gallery() -> None:
    platform = gough.load("motion-base-1500")
    modes = gough.assembly_modes(platform, np.full(6, 0.9))
    assert not len(modes)
    with pytest.raises(gough.InputError, match="at least one real pose"):
        gallery_html(platform, modes)


@pytest.mark.parametrize(
    ("y", "window"),
    [([2.0, 2.0], (1.9, 2.1)), ([0.0, 0.0], (-1.0, 1.0)), ([np.nan], None), ([1, 2], None)],
)
def test_a_constant_curve_gets_a_window(y: list[float], window: tuple[float, float] | None) -> None:
    seen = []
    axis = SimpleNamespace(set_ylim=lambda *ends: seen.append(ends))
    _widen_flat(axis, [SimpleNamespace(y=np.array(y, dtype=float))])  # type: ignore[list-item]
    assert seen == ([] if window is None else [pytest.approx(window)])


def test_a_seed_is_a_whole_number_and_a_model_a_machine() -> None:
    with pytest.raises(gough.InputError, match="seed"):
        Sampling(rate=100.0, seed=-1)
    with pytest.raises(gough.InputError, match=r"gough\.Platform"):
        ComputedForce(3, bandwidth=10.0)
