"""Signs of a determinant before and after a stretch that no leg reaches: nothing is said of a singular pose between."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough import trajectory as tr
from gough.analysis.proved import BROKEN, UNDECIDED, proved_limits
from gough.analysis.singularity import singularity


def through_the_base() -> tuple[gough.Platform, tr.Trajectory]:
    """Cranks that hold the platform above, cannot follow it through the base, and hold it below."""
    machine = gough.load("servo-hexapod")
    home = machine.require_home()
    below = gough.Pose(home.position * [1.0, 1.0, -0.92], home.rotation)
    signs = [np.sign(singularity(machine, pose).determinant) for pose in (home, below)]
    assert signs[0] * signs[1] == -1.0
    ends = (below.position, below.rpy)
    parts = tr.hold(home, 1.0), tr.uniform(home, ends, 1.0), tr.hold(ends, 1.0)
    return machine, tr.sequence(*parts)


def test_a_sign_that_changes_out_of_reach_proves_nothing() -> None:
    machine, path = through_the_base()
    found = proved_limits(machine, path)
    assert {v.status for v in found.of("reach")} == {BROKEN}
    (said,) = found.of("determinant")
    assert said.status == UNDECIDED
    assert said.time == pytest.approx(1.5)


def test_reach_is_judged_where_nobody_asks_for_the_determinant() -> None:
    machine, path = through_the_base()
    found = proved_limits(machine, path, determinant=False)
    assert {v.status for v in found.of("reach")} == {BROKEN}
    assert found.of("determinant") == ()
