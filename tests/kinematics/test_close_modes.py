"""Two assembly modes less than a millimeter apart, beside a singular pose: the true one is never lost.

A random machine is turned along its softest twist to a singular pose and moved off it along the null twist, by 10 um to
0.5 mm of a machine of 1 m: another mode then lies about as far behind the singularity, and the condition number is
1e4 to 1e6.
"""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
import pytest

import gough
from gough.kinematics.assembly import AssemblyModes, assembly_modes
from gough.kinematics.forward import actuator_coordinates
from gough.spatial import Pose, rotation_exp, rotation_from_quaternion
from gough.struts import struts, wrench_rows
from support.hexapods import random_machine


def rows(platform: gough.Platform, pose: Pose) -> np.ndarray:
    g = struts(platform, pose)
    return wrench_rows(g.arm / platform.characteristic_length, g.direction)


def moved(platform: gough.Platform, pose: Pose, way: np.ndarray, by: float) -> Pose:
    turn = rotation_exp(by * way[3:] / platform.characteristic_length)
    return Pose(pose.position + by * way[:3], turn @ pose.rotation)


def softest(platform: gough.Platform, pose: Pose) -> np.ndarray:
    return np.linalg.svd(rows(platform, pose))[2][-1]


def beside(kind: str, rng: np.random.Generator) -> tuple[gough.Platform, Pose]:
    """A machine and a pose beside a singular one."""
    while True:
        platform = random_machine(kind, rng)
        pose = Pose(rng.normal(size=3), rotation_from_quaternion(rng.normal(size=4)))
        way = softest(platform, pose)

        def side(by: float) -> float:
            return np.sign(np.linalg.det(rows(platform, moved(platform, pose, way, by))))  # noqa: B023

        steps = np.linspace(-1, 1, 81)
        signs = np.array([side(by) for by in steps])
        change = np.flatnonzero(signs[1:] != signs[:-1])
        if len(change):
            k = change[np.abs(steps[change]).argmin()]
            low, high = steps[k], steps[k + 1]
            for _ in range(50):
                middle = (low + high) / 2
                low, high = (middle, high) if side(middle) == signs[k] else (low, middle)
            singular = moved(platform, pose, way, low)
            off = 10.0 ** rng.uniform(-5.0, -3.3)
            return platform, moved(platform, singular, softest(platform, singular), off)


def gaps(modes: AssemblyModes, there: Pose) -> np.ndarray:
    """Distances of the modes from `there`, the nearest first; m and rad together."""
    turned = np.linalg.norm(modes.poses.rotation - there.rotation, axis=(1, 2))
    return np.sort(np.linalg.norm(modes.poses.position - there.position, axis=1) + turned)


def lost(modes: AssemblyModes, there: Pose) -> bool:
    """True if the pose is neither among the modes nor in a cluster of modes that merge."""
    merged = [
        k
        for k in modes.clusters
        if k.pose and np.abs(k.pose.position - there.position).max() < 1e-2
    ]
    return not merged and not gaps(modes, there).min(initial=np.inf) < 1e-7


def check(kind: str, machines: int) -> None:
    close = complete = 0
    for k in range(machines):
        platform, there = beside(kind, np.random.default_rng([77, k]))
        modes = assembly_modes(platform, actuator_coordinates(platform, there), disk_cache=False)
        assert not lost(modes, there), (kind, k, modes.reason)
        assert modes.count <= modes.expected
        close += gaps(modes, there)[1:2].min(initial=np.inf) < 1e-3
        complete += modes.complete
    assert close >= 0.6 * machines
    assert complete >= 0.9 * machines


@pytest.mark.parametrize("kind", ["general", "planar"])
def test_the_true_pose_is_never_lost_beside_its_neighbor(kind: str) -> None:
    check(kind, 20)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["general", "planar", "6-4"])
def test_three_hundred_neighbors(kind: str) -> None:
    """GOUGH_MACHINES sets the number of machines of each kind."""
    check(kind, int(os.environ.get("GOUGH_MACHINES", "100")))


def test_a_planted_loss_is_seen() -> None:
    platform, there = beside("general", np.random.default_rng([77, 0]))
    modes = assembly_modes(platform, actuator_coordinates(platform, there), disk_cache=False)
    gap = np.abs(modes.poses.position - there.position).max(axis=1)
    others = modes.poses[np.arange(len(modes)) != gap.argmin()]
    assert not lost(modes, there)
    assert lost(replace(modes, poses=others), there)
    assert np.linalg.cond(rows(platform, there)) > 1e4
