"""Trajectories at their edges: what each refuses and says, and forms of input that mean the same."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from gough import trajectory
from gough.trajectory.point_to_point import PointToPoint
from gough.trajectory.profile import Blend, Quintic, Uniform, blend_for_speed

A = ((0.0, 0.0, 1.15), (0.0, 0.0, 0.0))
B = ((0.1, 0.0, 1.2), (0.0, 0.1, 0.2))


@pytest.fixture(scope="module")
def machine() -> gough.Platform:
    return gough.load("motion-base-1500")


ENDS = trajectory.quintic(A, B, 1.0)
POSES = gough.Pose(np.zeros((2, 2, 3)), np.broadcast_to(np.eye(3), (2, 2, 3, 3)))
BAD: list[tuple[Callable[[], Any], str]] = [
    (lambda: ENDS.sample(dt=1e-9), "more than .* samples"),
    (lambda: trajectory.sequence(ENDS, 3), "parts"),  # type: ignore[arg-type]
    (lambda: trajectory.retimed("ENDS", 2.0), "trajectory"),  # type: ignore[arg-type]
    (lambda: trajectory.trajectory_from(3, "x"), "table"),  # type: ignore[arg-type]
    (lambda: trajectory.harmonic(A, np.zeros((2, 2, 6)), 1.0), "amplitude"),
    (lambda: trajectory.harmonic(A, np.ones((2, 6)), [1.0, 2.0], np.ones((3, 6))), "phase"),
    (lambda: trajectory.legs_harmonic(np.ones((2, 6)), np.ones(6), 1.0), "six numbers"),
    (lambda: trajectory.waypoints(POSES, [0.0, 1.0]), "one row of poses"),
    (lambda: trajectory.waypoints([A, B], [0.0, 1.0], ends="loose"), "rest or natural"),
    (lambda: trajectory.waypoints([A, B], [0.0, 1.0], kind="linear"), "cubic or quintic"),
    (lambda: PointToPoint(ENDS.start, ENDS.end, Quintic(1.0), Uniform(1.0), "screw"), "screw"),
]


@pytest.mark.parametrize(("call", "words"), BAD)
def test_what_is_wrong_is_said(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(gough.InputError, match=words):
        call()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"max_acceleration": 1.0, "points": 5}, "points"),
        ({"max_acceleration": 1.0, "points": True}, "points"),
        ({"max_acceleration": -1.0}, "positive"),
        ({"max_acceleration": [1.0, 2.0]}, "one number or six"),
        ({"max_acceleration": 1.0, "max_rate": np.ones(5)}, "one number or six"),
    ],
)
def test_paces_that_make_no_sense_are_refused(
    machine: gough.Platform, options: dict[str, Any], words: str
) -> None:
    with pytest.raises(gough.InputError, match=words):
        trajectory.time_optimal(ENDS, machine, **options)


def test_a_motion_as_an_end_is_its_pose() -> None:
    start, end = ENDS(0.0), ENDS(1.0)
    np.testing.assert_allclose(
        trajectory.quintic(start, end, 1.0)(0.37).rotation, ENDS(0.37).rotation, atol=1e-12
    )


def test_a_cruise_that_rounding_puts_over_half_is_a_triangle() -> None:
    """Twice the mean speed is the fastest; a hair less than the blend of half the duration stays half."""
    found = blend_for_speed("max_speed", 0.3, 0.7, 2.0 * 0.3 / 0.7 * (1 + 1e-14))
    assert isinstance(found, Blend)
    assert found.blend == pytest.approx(0.35, rel=1e-12)


def test_legs_that_run_through_a_singular_pose_are_infeasible(machine: gough.Platform) -> None:
    """The branch is proved along the whole way, not at the samples alone."""
    assert machine.home is not None
    center = gough.inverse_kinematics(machine, machine.home).length
    with pytest.raises(gough.InfeasibleError, match="leg motion at t = "):
        trajectory.legs_harmonic(center, [1.3, 0, 0, 0, 0, 0], 0.2).on(machine).sample(21)
    with pytest.raises(gough.InputError):
        trajectory.legs_harmonic(center, np.zeros(6), 1.0).on("motion-base-1500")  # type: ignore[arg-type]


def test_turns_far_apart_are_joined_little_by_little() -> None:
    """Knots nearly half a turn apart about changing axes, in uneven times: the spline meets them, C2."""
    rng = np.random.default_rng(4)
    turns = rng.normal(size=(7, 3))
    turns *= 3.0 / np.linalg.norm(turns, axis=1, keepdims=True)
    R = [np.eye(3)]
    for phi in turns:
        R.append(R[-1] @ gough.spatial.rotation_exp(phi))
    poses = gough.Pose(np.zeros((8, 3)), np.array(R))
    t = np.cumsum([0.0, 1.0, 0.05, 1.0, 0.04, 1.0, 0.06, 1.0])
    path = trajectory.waypoints(poses, t)
    np.testing.assert_allclose(path(t).rotation, poses.rotation, atol=1e-9)
    for knot in t[1:-1]:
        both = path(np.array([knot - 1e-9, knot + 1e-9]))
        size = np.abs(both.angular_acceleration).max()
        np.testing.assert_allclose(*both.angular_velocity, atol=1e-6 * size)
        np.testing.assert_allclose(*both.angular_acceleration, atol=1e-5 * size)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("t,x,y,z,roll,pitch,yaw\n", "no samples|at least two"),
        ("t,x,y,z,roll,pitch,yaw\n0,0,0,1,0,0\n1,0,0,1,0,0,0\n", "row 2 with 6 cells"),
        ("t,x,y,z,roll,pitch,yaw\n0,0,0,one,0,0,0\n1,0,0,1,0,0,0\n", "'one' in row 2"),
        ("t,x,y,z,roll,pitch,yaw\n0,0,0,1,0,0,0\n", "at least two"),
        ("t,x,y,z,roll,pitch,yaw\n0,0,0,1,0,0,0\n1,0,0,nan,0,0,0\n", "sample 2"),
        ("t,x,x,z,roll,pitch,yaw\n0,0,0,1,0,0,0\n1,0,0,1,0,0,0\n", "once"),
    ],
)
def test_tables_that_are_none_say_where(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "m.csv"
    file.write_text(text)
    with pytest.raises(gough.InputError, match=words):
        trajectory.recorded(file)


def test_foreign_netcdf_of_the_wrong_shape_or_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import xarray

    reader = importlib.import_module("gough.trajectory.recorded")
    monkeypatch.setattr(reader, "FOREIGN_SECONDS", 300.0)
    file = tmp_path / "m.nc"
    wrong = {"time": ("time", [0.0, 1.0]), "position": (("time", "axis"), np.zeros((2, 2)))}
    xarray.Dataset(wrong).to_netcdf(file, engine="h5netcdf")
    with pytest.raises(gough.InputError, match=r"position.*shape"):
        trajectory.recorded(file)
    (tmp_path / "d.nc").write_bytes(file.read_bytes()[:200])
    with pytest.raises(gough.InputError, match=r"d\.nc"):
        trajectory.recorded(tmp_path / "d.nc")
