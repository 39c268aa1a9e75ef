"""Corrections for heat and load bring the machine back where it should stand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import gough
from gough.checks import InputError
from gough.kinematics.forward import forward_kinematics
from gough.kinematics.inverse import inverse_kinematics
from gough.metrology import heated, load_compensation, reachable_poses, thermal_compensation

STEEL = 12e-6


@pytest.mark.parametrize("name", ["motion-base-1500", "hexaglide", "servo-hexapod"])
def test_a_warm_machine_stands_right_with_its_corrections(name: str) -> None:
    platform = gough.load(name)
    poses = reachable_poses(platform, 6, 3)
    rise = {"base": 5.0, "plate": 12.0, "legs": [20.0, 21.0, 22.0, 23.0, 24.0, 25.0]}
    found = thermal_compensation(platform, poses, expansion=STEEL, **rise)
    warm, scale = heated(platform, expansion=STEEL, **rise)
    read = found.nominal + found.change  # what the encoders are driven to
    stands = forward_kinematics(warm, read * scale, poses).pose
    assert np.abs(stands.position - poses.position).max() < 1e-9
    without = forward_kinematics(warm, found.nominal * scale, poses).pose
    assert np.allclose(without.position - poses.position, found.error[:, :3], atol=1e-9)
    assert np.abs(found.error[:, :3]).max() > 1e-5 * platform.characteristic_length


def test_a_machine_that_swells_evenly_keeps_its_angles() -> None:
    """Everything 1 + a larger: the platform stands 1 + a farther from the origin, turned as it was."""
    platform = gough.load("motion-base-1500")
    poses = reachable_poses(platform, 5, 1)
    same = {"base": 30.0, "plate": 30.0, "legs": 30.0}
    found = thermal_compensation(platform, poses, expansion=STEEL, **same)
    assert np.abs(found.error[:, 3:]).max() < 1e-12
    assert np.allclose(found.error[:, :3], STEEL * 30.0 * poses.position, atol=1e-12)
    none = thermal_compensation(platform, poses, expansion=STEEL)
    assert np.abs(none.change).max() == 0.0


def test_a_loaded_machine_is_lifted_back(tmp_path: Path) -> None:
    platform = gough.load("motion-base-1500")
    poses = reachable_poses(platform, 4, 2)
    weight = np.array([0.0, 0.0, -5000.0, 100.0, 0.0, 0.0])
    found = load_compensation(platform, poses, weight, stiffness=1e7)
    K = gough.analysis.stiffness_matrix(platform, poses, stiffness=1e7)
    assert np.allclose((K @ found.error[..., None])[..., 0], weight, atol=1e-6)
    moved = forward_kinematics(platform, found.nominal + found.change, poses).pose
    lift = moved.position - poses.position
    size = np.abs(found.error[:, :3]).max()
    assert np.abs(lift + found.error[:, :3]).max() < 1e-3 * size
    found.write(tmp_path / "load.csv")
    table = np.genfromtxt(tmp_path / "load.csv", delimiter=",", skip_header=1)
    assert np.array_equal(table[:, 12:], found.change)
    assert np.array_equal(inverse_kinematics(platform, poses).length, table[:, 6:12])


def test_absurd_heat_is_refused() -> None:
    with pytest.raises(InputError, match="screws or offset joints"):
        heated(gough.load("screw-hexapod"), expansion=STEEL, base=1.0)
    platform = gough.load("motion-base-1500")
    for given in (
        {"base": 1e5},
        {"legs": [1.0, 2.0]},
        {"expansion": -1.0},
        {"plate": float("nan")},
    ):
        with pytest.raises(InputError):
            thermal_compensation(
                platform, reachable_poses(platform, 2, 0), **({"expansion": STEEL} | given)
            )
