"""Paths of machines with sliders and cranks: regular, crossing and undecided, where the determinant says so."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

import gough
from gough.kinematics.path_intervals import FINEST
from gough.kinematics.regular_paths import path_check
from gough.spatial import Pose, quaternion_from_rotation, rotation_exp, rotation_from_quaternion
from gough.struts import struts
from support.forward_machines import HOME, machine


def end_of(seed: int) -> Pose:
    """Somewhere else, turned by a radian or so."""
    rng = np.random.default_rng(seed)
    shift = rng.uniform(-0.3, 0.3, 3) * [1.0, 1.0, 1.5]
    return Pose(HOME.position + shift, rotation_exp(rng.uniform(-1.2, 1.2, 3)))


def between(end: Pose, u: float) -> Pose:
    """On the straight path of position and quaternion from home."""
    q0, q1 = (quaternion_from_rotation(p.rotation) for p in (HOME, end))
    q = (1 - u) * q0 + u * q1 * np.sign(q0 @ q1)
    turn = rotation_from_quaternion(q / np.linalg.norm(q))
    return Pose((1 - u) * HOME.position + u * end.position, turn)


def determinant(platform: gough.Platform, pose: Pose) -> float:
    """Of the struts' lines: zero where the platform is not held."""
    g = struts(platform, pose)
    arm = platform.platform_joints @ pose.rotation.T
    return float(np.linalg.det(np.hstack([g.direction, np.cross(arm, g.direction)])))


@pytest.mark.parametrize(
    ("kind", "seed", "near"), [("PUS", 8, 0.77), ("mixed", 8, 0.57), ("mixed", 41, 0.62)]
)
def test_a_path_is_regular_up_to_its_singularity_and_crosses_it(
    kind: str, seed: int, near: float
) -> None:
    platform, end = machine(kind), end_of(seed)
    place = brentq(
        lambda u: determinant(platform, between(end, u)), near - 0.05, near + 0.05, xtol=1e-14
    )
    whole = path_check(platform, HOME, end)
    assert (bool(whole.regular), bool(whole.crossing)) == (False, True)
    assert place - 1e-6 < whole.at <= place + FINEST
    safe = path_check(platform, HOME, between(end, 0.8 * place))
    assert (bool(safe.regular), bool(safe.crossing)) == (True, False)
    assert np.isnan(safe.at)
    upto = path_check(platform, HOME, between(end, place))  # ends in it: neither
    assert (bool(upto.regular), bool(upto.crossing)) == (False, False)
    assert upto.at == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize(("kind", "shift"), [("PUS", (2.0, 0, 0)), ("RUS", (0, 0, 2.0))])
def test_a_path_out_of_reach_is_not_regular(kind: str, shift: tuple[float, ...]) -> None:
    found = path_check(machine(kind), HOME, Pose(HOME.position + np.array(shift)))
    assert not found.regular
    assert 0.0 < found.at < 1.0
