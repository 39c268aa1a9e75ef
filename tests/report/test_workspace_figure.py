"""The figure of the workspace shows what the slices say: areas, levels, edges, and every limit that ends them."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.analysis.volume import slice_profile
from gough.analysis.workspace import PLANES, workspace_slice
from gough.limits import KINDS
from gough.report.workspace import INSIDE, REFUSED, workspace_figure


@pytest.fixture(scope="module")
def machine() -> gough.Platform:
    return gough.load("motion-base-1500")


def test_slices_profile_and_legend_say_what_they_show(machine: gough.Platform) -> None:
    slices = [workspace_slice(machine, plane=plane, points=31) for plane in PLANES]
    heights, areas = profile = slice_profile(machine, levels=9)
    figure = workspace_figure(slices, profile, machine.name)
    top, side = figure.axes[0], figure.axes[1]
    shown = [top, figure.axes[2], figure.axes[3]]
    for axes, one in zip(shown, slices, strict=True):
        a, b = one.plane
        assert (axes.get_xlabel(), axes.get_ylabel()) == (f"{a} (mm)", f"{b} (mm)")
        third = next(c for c in "xyz" if c not in one.plane)
        assert axes.get_title() == f"{third} = {1e3 * one.level:.4g} mm, area {one.area:.4g} m²"
        mesh = axes.collections[0]
        np.testing.assert_array_equal(
            np.asarray(mesh.get_array()).reshape(one.reason.shape), one.reason
        )
        low, high = mesh.get_datalim(axes.transData).intervalx
        assert low < 1e3 * one.u[0] < 1e3 * one.u[-1] < high
    line = side.lines[0]
    np.testing.assert_allclose(line.get_xdata(), areas)
    np.testing.assert_allclose(line.get_ydata(), 1e3 * heights)
    seen = {int(k) for one in slices for k in np.unique(one.reason)}
    wanted = ["inside" if k == 0 else f"ended by {KINDS[k - 1]}" for k in sorted(seen)]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == wanted
    assert figure.get_suptitle() == machine.name


def test_without_a_profile_its_place_is_empty(machine: gough.Platform) -> None:
    slices = [workspace_slice(machine, plane=plane, points=9) for plane in PLANES]
    figure = workspace_figure(slices)
    assert not figure.axes[1].axison
    assert figure.get_suptitle() == "workspace"


def test_every_limit_has_a_color_of_its_own_beside_the_inside() -> None:
    assert set(REFUSED) == set(KINDS)
    assert INSIDE not in REFUSED.values()
