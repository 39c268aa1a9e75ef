"""Efforts anywhere in a box: models at random points, bounds against brute force, masses, springs; planted errors."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

import gough
from gough import quadratic
from gough.analysis import (
    choose_springs,
    effort_boxes,
    payload_capacity,
    with_payload,
    worst_effort,
)
from gough.analysis.effort_bounds import WorstEffort
from gough.checks import Array
from gough.simulation import Springs
from gough.spatial import Motion, rotation_from_rpy
from gough.taylor import Model
from oracles.machines import case

BOX, TILT = (0.05, 0.04, 0.06), (0.05, 0.04, 0.03)
BALLS: dict[str, Any] = {"acceleration": 2.0, "angular_acceleration": 1.0, "force": 300.0}
BALLS |= {"moment": 80.0, "point": (0.1, 0.0, 0.4)}


@pytest.fixture(scope="module")
def machine() -> gough.Platform:
    return gough.load("motion-base-1500")


@pytest.fixture(scope="module")
def worst(machine: gough.Platform) -> WorstEffort:
    return worst_effort(machine, BOX, TILT, **BALLS, tolerance=0.03, boxes=20_000)


def _directions(rng: np.random.Generator, n: int) -> Array:
    u = rng.normal(size=(n, 3))
    return u / np.linalg.norm(u, axis=1, keepdims=True)


def _poses(
    machine: gough.Platform, rng: np.random.Generator, n: int, box: Any, tilt: Any
) -> gough.Pose:
    assert machine.home is not None
    at = machine.home.position + rng.uniform(-1.0, 1.0, (n, 3)) * box
    angles = rng.uniform(-1.0, 1.0, (n, 3)) * tilt
    return gough.Pose(at, rotation_from_rpy(angles) @ machine.home.rotation)


def _function(x: list[Any], sine_cosine: Any, root: Any, angle: Any) -> list[Any]:
    s, c = sine_cosine(x[0] * x[1])
    y = root(x[0] * x[0] + x[1] * x[1] + 0.5)
    return [s * x[2] - c * y, x[1] / (y + x[2]), 1.0 / (s - 3.0), angle(s + 0.1 * x[2], c + x[1])]


def test_models_hold_at_random_points_of_their_boxes() -> None:
    """Value, slopes, bends and remainder enclose sums, products, roots, shares, sines and angles; remainders fall with
    the third power of the box."""
    rng = np.random.default_rng(3)
    middle, half = rng.uniform(0.2, 0.8, (5, 3)), np.array([0.1, 0.05, 0.2])
    remainders = []
    for scale in (1.0, 0.5, 0.25):
        width = np.broadcast_to(half * scale, middle.shape)
        x: list[Any] = [quadratic.variable(middle[:, k], width[:, k], k, 3) for k in range(3)]
        models: list[Model] = _function(
            x, quadratic.sine_and_cosine, quadratic.root, quadratic.angle_of
        )
        e = rng.uniform(-1.0, 1.0, (400, 3))
        points = [middle[None, :, k] + e[:, None, k] * width[:, k] for k in range(3)]
        truth = _function(points, lambda a: (np.sin(a), np.cos(a)), np.sqrt, np.arctan2)
        _, i, j = quadratic.pairs(10)
        terms = np.concatenate([np.ones((400, 1)), e, e[:, i] * e[:, j]], axis=1)
        for model, exact in zip(models, truth, strict=True):
            off = np.abs(terms @ model.c - exact)
            assert (off <= model.r * (1.0 + 1e-9)).all()
            assert off.max() > 1e-3 * model.r.max()  # not by far
            assert (exact <= quadratic.upper(model) + 1e-15).all()
        remainders.append([m.r.max() for m in models])
    shrunk = np.array(remainders)
    assert (shrunk[1] < shrunk[0] / 6.0).all()
    assert (shrunk[2] < shrunk[1] / 6.0).all()


def test_no_random_case_passes_the_bound_and_the_witness_is_real(
    machine: gough.Platform, worst: WorstEffort
) -> None:
    rng = np.random.default_rng(1)
    n = 4000
    pose = _poses(machine, rng, n, BOX, TILT)
    a, al, f, m = (_directions(rng, n) * size for size in (2.0, 1.0, 300.0, 80.0))
    still = np.zeros((n, 3))
    wrench = np.concatenate([f, m + np.cross(BALLS["point"], f)], axis=1)
    effort = gough.inverse_dynamics(
        machine, Motion(pose.position, pose.rotation, still, still, a, al), wrench
    ).force
    assert (np.abs(effort) <= worst.bound).all()
    assert (np.abs(worst.found) <= worst.bound).all()
    assert (worst.bound <= 1.03 * np.abs(worst.found) * (1.0 + 1e-6)).all()
    again = gough.inverse_dynamics(machine, worst.motion, worst.external).force
    assert np.allclose(again[np.arange(6), np.arange(6)], worst.found, rtol=1e-12)
    assert machine.home is not None
    off = np.abs(worst.motion.position - machine.home.position)
    assert (off <= np.array(BOX) + 1e-12).all()
    assert np.abs(effort).max() > 0.6 * worst.bound.max()
    assert "proved" in worst.sentences()[0]
    assert worst.units == ("N",) * 6


def _misfit(machine: gough.Platform, n: int = 300) -> float:
    """Largest difference of efforts and their model over a box, over the remainder; above 1 the model is wrong."""
    assert machine.home is not None
    rng = np.random.default_rng(1)
    e, half = rng.uniform(-1.0, 1.0, (n, 6)), 0.1 * np.array([*BOX, *TILT])
    middle = np.concatenate([machine.home.position, np.zeros(3)])
    x = middle + e * half
    model = effort_boxes.box_efforts(
        machine, machine.home.rotation, middle[None], half[None], effort_boxes.Asked()
    ).own
    pose = gough.Pose(x[:, :3], rotation_from_rpy(x[:, 3:]) @ machine.home.rotation)
    _, i, j = quadratic.pairs(len(model.c))
    terms = np.concatenate([np.ones((n, 1)), e, e[:, i] * e[:, j]], axis=1)
    off = np.abs(terms @ model.c[:, 0] - gough.inverse_dynamics(machine, pose).force)
    return float((off / model.r[0]).max())


def test_models_of_efforts_enclose_them_and_lost_terms_are_caught(
    machine: gough.Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planted: without the correction of the inverse in the middle the efforts leave their models."""
    assert 1e-6 < _misfit(machine) <= 1.0
    own = effort_boxes._product  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(effort_boxes, "_product", lambda A, B: own(A, B) * 0.9)
    assert _misfit(machine) > 1.0


def test_a_single_pose_has_the_efforts_of_its_weight(machine: gough.Platform) -> None:
    assert machine.home is not None
    found = worst_effort(machine, (0, 0, 0))
    there = gough.inverse_dynamics(machine, machine.home).force
    assert np.allclose(found.bound, np.abs(there), rtol=1e-6)
    assert np.allclose(found.found, there, rtol=1e-12)


def test_cranks_are_bounded_in_their_own_unit() -> None:
    machine = gough.load("servo-hexapod")
    box = (0.002, 0.002, 0.003)
    found = worst_effort(machine, box, (0.02, 0.0, 0.0), force=3.0)
    rng = np.random.default_rng(5)
    pose = _poses(machine, rng, 2000, box, (0.02, 0.0, 0.0))
    wrench = np.concatenate([3.0 * _directions(rng, 2000), np.zeros((2000, 3))], axis=1)
    effort = gough.inverse_dynamics(machine, pose, wrench).force
    assert (np.abs(effort) <= found.bound).all()
    assert found.units == ("N m",) * 6
    assert all(leg["unit"] == "N m" for leg in found.as_dict()["legs"])
    assert " N m, proved" in found.sentences()[0]


def test_no_bound_where_the_box_holds_a_singular_pose(machine: gough.Platform) -> None:
    found = worst_effort(machine, (0, 0, 0), (0.0, 0.0, 2.0), boxes=100)
    assert np.isinf(found.bound).all()
    assert "singular" in found.why
    assert found.as_dict()["legs"][0]["bound"] is None
    assert "no bound is known" in found.sentences()[0]
    assert "proved" not in found.sentences()[0]


def test_legs_without_bounds_are_refused(machine: gough.Platform) -> None:
    assert machine.home is not None
    length = gough.inverse_kinematics(machine, machine.home).length
    first, *rest = machine.legs
    free = {"drive": None, "limits": gough.Limits(), "friction": gough.Friction()}
    held = first.replace(fixed=float(length[0]), **free)
    with pytest.raises(gough.InputError, match="fixed links are not bounded over boxes"):
        worst_effort(machine.replace(legs=[held, *rest]), BOX)


def test_the_mass_that_is_held_everywhere(machine: gough.Platform) -> None:
    """`low` holds in random poses, a little more than `high` does not at the pose that is named."""
    most = [leg.limits.force for leg in machine.legs]
    assert all(m is not None for m in most)
    center = (0.1, 0.0, 0.3)
    found = payload_capacity(machine, BOX, TILT, center=center, force=500.0, boxes=20_000)
    assert 0.0 < found.low <= found.high <= 1.03 * found.low
    rng = np.random.default_rng(2)
    pose = _poses(machine, rng, 1000, BOX, TILT)
    wrench = np.concatenate([500.0 * _directions(rng, 1000), np.zeros((1000, 3))], axis=1)
    loaded = with_payload(machine, gough.Body(found.low, center))
    assert (np.abs(gough.inverse_dynamics(loaded, pose, wrench).force) <= np.array(most)).all()

    def worst_there(mass: float) -> float:
        more = with_payload(machine, gough.Body(mass, center))
        case = worst_effort(more, (0, 0, 0), at=found.at, force=500.0)
        leg = machine.leg_names.index(found.leg)
        return abs(float(case.found[leg])) / float(np.array(most, dtype=float)[leg])

    assert worst_there(1.001 * found.high) > 1.0
    assert worst_there(0.999 * found.high) <= 1.0
    assert f"{found.low:.6g} kg are held everywhere, proved" in found.sentence()


def test_no_mass_where_the_machine_does_not_bear_itself(machine: gough.Platform) -> None:
    weak = machine.replace(
        legs=[leg.replace(limits=gough.Limits(force=100.0)) for leg in machine.legs]
    )
    found = payload_capacity(weak, BOX)
    assert (found.low, found.high) == (0.0, 0.0)
    assert "proved" not in found.sentence().replace("nothing is proved", "")
    bare = machine.replace(legs=[leg.replace(limits=gough.Limits()) for leg in machine.legs])
    with pytest.raises(gough.InputError, match="largest effort"):
        payload_capacity(bare, BOX)


@pytest.mark.parametrize("wish", ["peak", "rms"])
def test_springs_are_the_best_at_their_poses(machine: gough.Platform, wish: str) -> None:
    """No spring beside the chosen ones is better: the problem is convex, so that a look around it is a proof."""
    found = choose_springs(machine, BOX, wish=wish, prove=False)
    assert (found.peak_after < 0.5 * found.peak_before).all()
    assert machine.home is not None
    levels = np.array(np.meshgrid(*[(-1.0, 0.0, 1.0)] * 3)).reshape(3, -1).T
    poses = gough.Pose(
        machine.home.position + levels * BOX, np.broadcast_to(machine.home.rotation, (27, 3, 3))
    )
    F = gough.inverse_dynamics(machine, poses).force
    length = gough.inverse_kinematics(machine, poses).length

    def cost(stiffness: Array, rest: Array) -> Array:
        u = F + stiffness * (length - rest)
        return np.abs(u).max(axis=0) if wish == "peak" else np.sqrt((u * u).mean(axis=0))

    best = cost(found.stiffness, found.rest)
    assert np.allclose(best, found.peak_after if wish == "peak" else found.rms_after, rtol=1e-9)
    rng = np.random.default_rng(4)
    for _ in range(40):
        k = found.stiffness * (1.0 + 0.05 * rng.normal(size=6))
        rest = found.rest * (1.0 + 0.02 * rng.normal(size=6))
        assert (cost(np.maximum(k, 1e-6), rest) >= best * (1.0 - 1e-6)).all()


def test_springs_of_the_simulation_leave_what_is_said(machine: gough.Platform) -> None:
    """The actuator's effort and the slope of the springs' own energy are together what holds the machine."""
    assert machine.home is not None
    found = choose_springs(machine, (0.02, 0.02, 0.02), tolerance=0.1)
    assert found.before is not None
    assert found.after is not None
    assert (found.after.bound < 0.5 * found.before.bound).all()
    springs = Springs(found.stiffness, found.rest)
    at = found.after.motion
    length = gough.inverse_kinematics(machine, at.pose).length
    hold = gough.inverse_dynamics(machine, at.pose).force
    for i in range(6):
        step = np.zeros(6)
        step[i] = 1e-4
        slope = (springs.energy(length[i] + step) - springs.energy(length[i] - step)) / 2e-4
        assert found.after.found[i] - slope == pytest.approx(hold[i, i], rel=1e-6, abs=1e-3)
    assert "N/m" in found.sentences()[0]
    assert found.as_dict()["after"] is not None


def test_springs_of_cranks_have_their_units() -> None:
    found = choose_springs(gough.load("servo-hexapod"), (0.002, 0.002, 0.002), prove=False)
    assert "N m/rad" in found.sentences()[0]
    assert found.as_dict()["legs"][0]["coordinate_unit"] == "rad"


def test_what_is_no_box_or_no_wish_is_refused(machine: gough.Platform) -> None:
    for field, call in (
        ("box", lambda: worst_effort(machine, (1.0, 2.0))),
        ("tilt", lambda: worst_effort(machine, BOX, (0.0, 0.0, 3.5))),
        ("rest", lambda: worst_effort(machine, BOX, stiffness=10.0)),
        ("wish", lambda: choose_springs(machine, BOX, wish="mean")),
        ("softest", lambda: choose_springs(machine, BOX, softest=10.0, stiffest=1.0)),
        ("home", lambda: worst_effort(machine.replace(home=None), BOX)),
    ):
        with pytest.raises(gough.InputError) as error:
            call()
        assert error.value.field == field


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["UPS", "PUS", "RUS", "UCU"])
def test_random_machines_never_pass_their_bounds(kind: str) -> None:
    """Boxes about random states of random machines; GOUGH_WORST_CASES of each kind."""
    rng = np.random.default_rng(11)
    closed = 0
    count = int(os.environ.get("GOUGH_WORST_CASES", "2"))
    for seed in range(count):
        found = case(kind, seed=seed)
        machine, middle = found.platform, found.motion.pose[0]
        box, tilt = rng.uniform(0.0, 0.02, 3), rng.uniform(0.0, 0.02, 3)
        worst = worst_effort(machine, box, tilt, at=middle, force=50.0, tolerance=0.1)
        at = middle.position + rng.uniform(-1.0, 1.0, (1000, 3)) * box
        turn = rotation_from_rpy(rng.uniform(-1.0, 1.0, (1000, 3)) * tilt) @ middle.rotation
        push = np.concatenate([50.0 * _directions(rng, 1000), np.zeros((1000, 3))], axis=1)
        effort = gough.inverse_dynamics(machine, gough.Pose(at, turn), push).force
        assert (np.abs(effort) <= worst.bound).all()
        closed += int(np.isfinite(worst.bound).all())
    assert closed > 0.5 * count


def test_what_depends_on_nothing_unknown_is_bounded_by_itself() -> None:
    """``|Y| <= Z + E |Y|``: proved for E = 0 and for some rows of zeros, with the solution of ``B = Z + E B``; not
    where the largest eigenvalue of E is 1 or more, however small all its other rows are."""
    rng = np.random.default_rng(4)
    Z, E = rng.uniform(1.0, 2.0, (4, 6, 3)), np.zeros((4, 6, 6))
    E[1, 2, 4] = 0.7
    E[2] = rng.uniform(0.0, 0.15, (6, 6))
    E[3, 1, 1] = 1.0001
    B, proved = effort_boxes._largest(E, Z)
    assert proved.tolist() == [True, True, True, False]
    due = np.linalg.solve(np.eye(6) - E[:3], Z[:3])
    assert (B[:3] >= due).all()
    np.testing.assert_allclose(B[:3], due, rtol=1e-8)
