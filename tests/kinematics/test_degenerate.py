"""Continua of poses and machines close to them: no false `complete`, `certified` or `count`."""

from __future__ import annotations

import os
import warnings
from dataclasses import replace

import numpy as np
import pytest

import gough
from gough.kinematics.assembly import AssemblyModes, assembly_modes, explain
from gough.kinematics.assembly import start as starts
from gough.kinematics.assembly.geometry import normalize
from gough.kinematics.forward import actuator_coordinates
from gough.spatial import Pose
from support.degenerate import CLASSES, Machine, deviated
from support.hexapods import hexapod, pairs

EVERYWHERE = [name for name in CLASSES if name != "congruent"]


@pytest.fixture(autouse=True)
def no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """Starts are built anew."""
    monkeypatch.setattr(starts, "cache_folder", lambda: None)
    starts.clear_memory()


def modes_of(machine: Machine) -> tuple[gough.Platform, np.ndarray, AssemblyModes]:
    base, joint, there = machine
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gough.ModelWarning)
        platform = hexapod(base, joint)
    length = actuator_coordinates(platform, there)
    return platform, length, assembly_modes(platform, length, disk_cache=False)


def check(name: str, modes: AssemblyModes, there: Pose, deviation: float) -> None:
    """What may be said: never more than 40, complete only with the pose the machine stands in, count with a proof."""
    assert modes.count <= modes.expected <= 40
    assert modes.complete or not modes.certified
    if modes.complete:
        assert deviation > 0, name
        assert modes.dimension == 0
        assert modes.count == 40, (name, deviation, modes.reason)
        gap = np.abs(modes.poses.position - there.position).max(axis=1)
        merged = [k for k in modes.clusters if k.pose is not None]
        assert merged or gap.min(initial=np.inf) < 1e-12 / deviation + 1e-6
        assert len(modes) % 2 == 0


@pytest.mark.parametrize("name", CLASSES)
def test_a_continuum_is_found_and_never_complete(name: str) -> None:
    for seed in range(3):
        rng = np.random.default_rng(seed)
        machine = CLASSES[name](rng)
        platform, length, modes = modes_of(machine)
        check(name, modes, machine[2], 0.0)
        assert not modes.complete
        assert not modes.certified
        assert modes.dimension == (2 if name == "congruent" else 1)
        assert len(modes.continuum.position) > 0
        back = actuator_coordinates(platform, modes.continuum)
        np.testing.assert_allclose(back, np.broadcast_to(length, back.shape), atol=1e-9)
        assert "continuum" in modes.reason
        assert "not determined" in explain(platform, length)
        if name in EVERYWHERE:
            assert "singular in every pose" in modes.reason
            assert modes.count == 0


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("deviation", [1e-3, 1e-2])
def test_a_machine_beside_a_continuum(name: str, deviation: float) -> None:
    rng = np.random.default_rng(3)
    machine = deviated(CLASSES[name](rng), deviation, rng)
    check(name, modes_of(machine)[2], machine[2], deviation)


@pytest.mark.parametrize("name", EVERYWHERE)
def test_singular_in_every_pose_is_said_of_exact_machines_only(name: str) -> None:
    """Whatever the frames; a machine 1e-12 beside it has solutions, and is not said to have none."""
    for seed in range(20):
        rng = np.random.default_rng([seed, 7])
        machine = CLASSES[name](rng)
        near = deviated(machine, 1e-12, rng, ("all", "flat")[seed % 2])
        turns = np.linalg.qr(rng.normal(size=(2, 3, 3)))[0]
        base, joint = (
            x @ turn + rng.normal(size=3) for x, turn in zip(machine, turns, strict=False)
        )
        assert normalize(base, joint).singular
        assert not normalize(near[0], near[1]).singular


def broken(problems: int, seed: int) -> list[str]:
    from campaigns.modes_campaign import campaign

    return [line for tally in campaign(problems, seed).values() for line in tally.broken]


def test_a_small_campaign_breaks_no_word() -> None:
    assert broken(15, 2) == []


@pytest.mark.slow
def test_a_campaign_breaks_no_word() -> None:
    """GOUGH_MACHINES sets the number of machines; a third exact, the others 1e-12 to 1e-2 beside their class."""
    assert broken(int(os.environ.get("GOUGH_MACHINES", "60")), 3) == []


def test_an_overflow_is_no_proof() -> None:
    """A path of this 6-3 machine was driven to 1e58 m by its last corrections, and proved there."""
    from campaigns.modes_campaign import Problem, Tally, one_problem

    tally = Tally(problems=3)  # every fourth is compared with paths from another general machine
    one_problem(tally, Problem("6-3", "all", 0.0, (13, 1229)))
    assert tally.complete == 1
    assert tally.broken == []


def test_planted_false_answers_are_seen() -> None:
    """The campaign's judge sees a missing solution, a missing pose, a count too high, a certificate too many."""
    from campaigns.modes_campaign import broken_words

    base, joint = pairs(0.5, 12.0, 0.0), np.roll(pairs(0.3, 15.0, 60.0), 1, axis=0)
    there = Pose.from_rpy([0.1, 0.0, 0.55], [0.1, 0.2, 0.3])
    modes = modes_of((base, joint, there))[2]
    at = np.abs(modes.poses.position - there.position).max(axis=1).argmin()

    def words(true: int | None = 28, **change: object) -> list[str]:
        return broken_words(true, 0.0, replace(modes, **change), there, 0.5)  # type: ignore[arg-type]

    assert words() == words(None) == []
    assert "there are 28" in words(count=27)[0]
    assert "expected 28, there are 40" in words(40)[0]
    assert "expected 28, there are 0" in words(0, complete=False, certified=False)[0]
    assert "expected 40, there are 28" in words(expected=40)[0]
    assert "stands in" in words(poses=modes.poses[np.arange(len(modes)) != at])[0]
    assert "count 29 of 28" in words(count=29)[0]
    assert "certified" in words(complete=False)[0]
    assert "residual" in words(residual=modes.residual + 1e-6)[0]


def test_far_finite_solutions_are_not_taken_for_infinite_ones() -> None:
    """Rings of nearly the same size: six solutions are far, and solutions at infinity lie not far behind them."""
    for half, other, radius in ((36.78, 38.79, 0.9734), (12.0, 15.0, 0.98), (25.0, 20.0, 0.99)):
        base, joint = pairs(1.0, half, 0.0), np.roll(pairs(radius, other, 60.0), 1, axis=0)
        modes = modes_of((base, joint, Pose.from_rpy([0.1, 0.05, 0.8], [0.1, 0.2, 0.3])))[2]
        assert modes.count == 28 or not modes.complete
        assert modes.expected in (28, 40)


@pytest.mark.parametrize("off", [1e-2, 1e-3, 1e-4, 1e-8])
def test_nearly_equal_rings_do_not_have_the_count_of_equal_ones(off: float) -> None:
    """Equal rings have 22 solutions, others 28; six of them are too far to be seen where the rings are nearly equal."""
    base = pairs(1.0, 12.0, 0.0)
    there = Pose.from_rpy([0.1, 0.05, 0.8], [0.1, 0.2, 0.3])
    joint = np.roll(pairs(1.0 - off, 12.0 + 30.0 * off, 60.0), 1, axis=0)
    modes = modes_of((base, joint, there))[2]
    assert modes.count == 28 or not modes.complete
    exact = modes_of((base, np.roll(pairs(1.0, 12.0, 60.0), 1, axis=0), there))[2]
    assert exact.count == 22


@pytest.mark.parametrize("gap", [1e-12, 1e-9, 1e-7])
def test_an_octahedral_machine_with_split_joints_is_not_sixteen(gap: float) -> None:
    """The residual at infinity is of second order in the gap: it alone would call the count of 16 established."""
    rng = np.random.default_rng(7)
    base, joint = pairs(1.0, 0.0, 0.0), np.roll(pairs(0.6, 0.0, 60.0), 1, axis=0)
    there = Pose.from_rpy([0.1, 0.0, 0.9], [0.1, 0.2, 0.3])
    assert modes_of((base, joint, there))[2].count == 16
    modes = modes_of(deviated((base, joint, there), gap, rng))[2]
    assert modes.count == 40 or not modes.complete
    assert np.abs(modes.poses.position - there.position).max(axis=1).min() < 1e-9


@pytest.mark.parametrize("deviation", [1e-12, 1e-9, 1e-6, 1e-5, 1e-4])
def test_a_calibrated_hexapod_has_forty_solutions_or_is_not_complete(deviation: float) -> None:
    """A semi-regular hexapod has 28; a hair beside it there are 40, twelve of them far away."""
    rng = np.random.default_rng(5)
    base, joint = pairs(0.5, 12.0, 0.0), np.roll(pairs(0.3, 15.0, 60.0), 1, axis=0)
    there = Pose.from_rpy([0.1, 0.0, 0.55], [0.1, 0.2, 0.3])
    for _ in range(2):
        modes = modes_of(deviated((base, joint, there), deviation, rng))[2]
        assert modes.count == 40 or not modes.complete
        assert modes.complete or not modes.certified
        assert np.abs(modes.poses.position - there.position).max(axis=1).min() < 1e-9
        assert modes.complete or deviation < 1e-6  # where 40 are found, it is said
    exact = modes_of((base, joint, there))[2]
    assert exact.certified
    assert exact.count == exact.expected == 28


def test_ends_at_infinity_are_told_from_far_ones() -> None:
    """The residual at infinity grows with the deviation from the special geometry: that is what the count rests on."""
    from gough.kinematics.assembly.generic import generic_start
    from gough.kinematics.assembly.infinity import ROUNDING, infinite_residual
    from gough.kinematics.assembly.paths import Legs, track

    rng = np.random.default_rng(6)
    base, joint = pairs(0.5, 12.0, 0.0), np.roll(pairs(0.3, 15.0, 60.0), 1, axis=0)
    for deviation in (0.0, 1e-12, 1e-9, 1e-6):
        move = deviation * rng.normal(size=(2, 6, 3))
        g = normalize(base + move[0], joint + move[1])
        legs, X = generic_start()
        ends = track(legs, Legs(g.b, g.p, starts.random_lengths(g, 0)), X)
        far = infinite_residual(g.own_b, g.own_p, ends.X[~ends.finite])[0]
        assert len(far) == 12
        if deviation == 0.0:
            assert far.max() < ROUNDING
        else:
            assert far.min() > 0.01 * deviation
            assert far.max() < 10 * deviation


def test_undecided_realness_is_said() -> None:
    """A pose a hair from a singular one: two solutions that rounding may make real or complex are never dropped."""
    platform = hexapod(pairs(0.5, 12.0, 0.0), np.roll(pairs(0.3, 15.0, 60.0), 1, axis=0))
    for angle in (0.0, 1e-9, 1e-8, 1e-7, 1e-6):
        there = Pose.from_rpy([0.0, 0.0, 0.55], [0.0, 0.0, np.pi / 2 - angle])
        modes = assembly_modes(platform, actuator_coordinates(platform, there), disk_cache=False)
        gap = np.abs(modes.poses.rotation - there.rotation).max(axis=(1, 2)).min(initial=np.inf)
        merged = [
            np.abs(k.pose.rotation - there.rotation).max()
            for k in modes.clusters
            if k.pose is not None
        ]
        assert modes.count <= modes.expected
        assert min([gap, *merged]) < 1e-4 or modes.undecided or not modes.complete
