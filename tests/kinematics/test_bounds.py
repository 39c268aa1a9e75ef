"""Compiled kernels with every index checked: none reaches beyond its arrays, and the numbers stay the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest

WORK = """
import json
import numpy as np
import gough
from gough.analysis.points import points_inside
from gough.analysis.volume import exact_volume
from gough.analysis.singularity import path_check

machine = gough.load("motion-base-1500")
home = machine.home
length = gough.inverse_kinematics(machine, home).length
shift = np.linspace(-0.1, 0.1, 7)[:, None] * [1.0, 0.5, 0.25]
poses = gough.Pose(home.position + shift, np.broadcast_to(home.rotation, (7, 3, 3)))
batch = gough.inverse_kinematics(machine, poses)
found = gough.forward_kinematics(machine, batch.length, guess=home)
motion = gough.Motion(poses.position, poses.rotation, shift, shift)
out = [
    np.asarray(found.pose.position),
    gough.inverse_dynamics(machine, motion).force,
    gough.assembly_modes(machine, length).poses.position,
    points_inside(machine, poses.position).astype(float),
    path_check(machine, poses[0], poses[6]).regular,
    exact_volume(machine, tolerance=1e-3).value,
]
print(json.dumps([np.asarray(x, dtype=float).ravel().tolist() for x in out]))
"""


def answers(**settings: str) -> list[np.ndarray]:
    done = subprocess.run(
        [sys.executable, "-c", WORK],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **settings},
    )
    assert done.returncode == 0, done.stderr
    return [np.array(x) for x in json.loads(done.stdout)]


@pytest.mark.slow
def test_no_kernel_reaches_beyond_its_arrays() -> None:
    """``NUMBA_BOUNDSCHECK=1`` turns a wrong index into an IndexError."""
    for found, wanted in zip(answers(NUMBA_BOUNDSCHECK="1"), answers(), strict=True):
        np.testing.assert_allclose(np.sort(found), np.sort(wanted), rtol=1e-9, atol=1e-9)
