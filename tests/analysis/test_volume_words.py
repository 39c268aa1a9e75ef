"""Whatever reports a volume or an area says what of it lies beyond a singularity, or that it does not ask."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import gough
from gough.analysis.connected import reachable_volume
from gough.analysis.drawing import slice_drawing
from gough.analysis.volume import NOT_ASKED, certified_volume, exact_volume, grid_volume
from gough.analysis.workspace import WorkspaceSlice, workspace_slice
from gough.export.facts import workspace_facts
from gough.model import Limits, Plate, Platform
from gough.report.workspace import NAMES, workspace_figure
from gough.spatial import Pose, rotation_from_rpy
from gough.struts import struts

TILTED = rotation_from_rpy((0.8, 0.0, 0.3))


def wide() -> Platform:
    """Strokes that go far beyond the singular poses at a tilted orientation."""
    return gough.hexapod(0.5, 0.3, 0.4, 0.4, 0.6, limits=Limits(stroke=np.array([0.4, 1.0])))


def sliced(rotation: np.ndarray | None = None, plane: str = "xy") -> WorkspaceSlice:
    return workspace_slice(wide(), rotation, plane=plane, points=31)


def test_a_slice_says_how_much_lies_beyond_a_singularity() -> None:
    one, found = wide(), sliced(TILTED)
    assert found.beyond is not None
    assert 0.05 < found.beyond.sum() / found.inside.sum() < 0.9
    assert not (found.beyond & ~found.inside).any()
    share = f"{100 * found.beyond.sum() / found.inside.sum():.3g} %"
    assert share in found.words()
    assert "beyond a singularity" in slice_drawing(found)["text"]
    v, u = np.argwhere(found.beyond)[0]
    at = Pose([found.u[u], found.v[v], found.level], TILTED)
    home = one.require_home()
    signs = [np.linalg.det(struts(one, pose).rows_over(0.3)) for pose in (home, at)]
    assert signs[0] * signs[1] < 0.0
    assert gough.reach(one, at).reachable is False
    level = sliced()
    assert "singularity" not in level.words()
    assert "without a home pose" in workspace_slice(wide().replace(home=None), points=3).words()
    bare = dataclasses.replace(found, limited=False)
    assert "reach only" in bare.words()


def test_the_figure_colors_what_lies_beyond() -> None:
    slices = [sliced(TILTED, plane) for plane in ("xy", "xz", "yz")]
    names = [text.get_text() for text in workspace_figure(slices).legends[0].get_texts()]
    assert NAMES[-1] == "inside, beyond a singularity"
    assert NAMES[-1] in names
    plain = [sliced()] * 3  # the others see the mirror image below the base: beyond one, too
    names = [text.get_text() for text in workspace_figure(plain).legends[0].get_texts()]
    assert NAMES[-1] not in names


def test_volumes_say_that_they_do_not_ask() -> None:
    one = wide()
    for volume in (exact_volume, lambda *a: certified_volume(*a, depth=3)):
        assert volume(one, TILTED).sentence().endswith(f"within strokes and cones; {NOT_ASKED}")
    assert "all limits of a pose" in grid_volume(one, TILTED, points=8).sentence()


@pytest.mark.parametrize("shape", [False, True])
def test_the_command_says_what_its_volumes_leave_out(shape: bool) -> None:
    one = wide()
    if shape:
        legs = [x.replace(limits=x.limits.replace(radius=0.002)) for x in one.legs]
        body = Plate(bottom=-0.1, top=0.0, radius=0.6, spared=0.1)
        one = one.replace(legs=legs, base_shape=body)
    facts = workspace_facts(one, TILTED, (0.05, 0.0, 0.0), 12)
    said = " ".join(facts["judged"])
    assert f"some_orientation_m3: {NOT_ASKED}" in said
    assert ("volume_m3 is within strokes and cones alone" in said) == shape
    assert "beyond a singularity" in said
    assert (
        facts["beyond_singularity_m3"]
        == reachable_volume(one, Pose(one.require_home().position, TILTED), depth=4).beyond
    )
