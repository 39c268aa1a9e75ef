"""The compiled loops on as few problems as show what each must do: Newton, certificates, tracks, paths and proofs.

Small enough to run as plain Python too (tests/mutants/interpreted.py).
"""

from __future__ import annotations

import numpy as np
import pytest

from gough.kinematics.assembly import paths
from gough.kinematics.assembly.forms import leg_rows, psi
from gough.kinematics.assembly.generic import generic_start
from gough.kinematics.assembly.lane_tracker import LANES
from gough.kinematics.assembly.lanes import LONG, REACHED
from gough.kinematics.forward import (
    actuator_coordinates,
    flat_pose,
    forward_kinematics,
    track,
)
from gough.kinematics.forward_kernel import CONVERGED, SINGULAR, UNREACHABLE, answer
from gough.spatial import Pose, rotation_exp
from gough.struts import leg_table
from support.forward_machines import HOME, machine

KINDS = ("UPS", "PUS", "RUS")


def near(pose: Pose, shift: float, turn: float, seed: int) -> Pose:
    """A pose this far away."""
    rng = np.random.default_rng(seed)
    move, spin = rng.uniform(-1, 1, (2, 3))
    return Pose(pose.position + shift * move, rotation_exp(turn * spin) @ pose.rotation)


def stacked(some: list[Pose]) -> Pose:
    return Pose(np.array([p.position for p in some]), np.array([p.rotation for p in some]))


def alone(table: np.ndarray, length: np.ndarray, guess: Pose) -> tuple[int, int, float, np.ndarray]:
    """Newton with pivots and halving on one problem: status, iterations, residual, pose."""
    room = np.empty((6, 3)), np.empty(6), np.empty((7, 7)), np.empty(6), np.empty(12)
    pose = np.empty(12)
    scale = machine("UPS").characteristic_length
    return *answer(table, length, flat_pose(guess), scale, pose, *room), pose


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("shift", "turn", "least", "most"), [(1e-10, 1e-10, 1, 1), (1e-4, 1e-4, 2, 3), (0.1, 0.4, 4, 9)]
)
def test_newton_finds_the_pose_it_started_near(
    kind: str, shift: float, turn: float, least: int, most: int
) -> None:
    """Quadratic: the nearer, the fewer steps; the answer fulfills the legs to rounding."""
    there, table = near(HOME, 0.05, 0.2, 1), leg_table(machine(kind))
    length = actuator_coordinates(machine(kind), there)
    status, iterations, residual, pose = alone(table, length, near(there, shift, turn, 2))
    assert status == CONVERGED
    assert least <= iterations <= most
    assert residual < 1e-14
    np.testing.assert_allclose(pose, flat_pose(there), atol=1e-12)


def test_what_is_no_pose_is_none() -> None:
    """A leg that no pose has, and six times the same leg: the reason, and NaN for a pose."""
    table, length = leg_table(machine("UPS")), actuator_coordinates(machine("UPS"), HOME)
    status, *_, pose = alone(table, length + 3.0 * np.eye(6)[0], HOME)
    assert status == UNREACHABLE
    assert np.isnan(pose).all()
    same = np.repeat(table[:1], 6, axis=0)
    status, iterations, _, pose = alone(same, np.repeat(length[:1], 6), HOME)
    assert (status, iterations) == (SINGULAR, 1)
    assert np.isnan(pose).all()


@pytest.mark.parametrize("kind", KINDS)
def test_a_small_step_is_certified_and_a_large_one_followed_in_pieces(kind: str) -> None:
    """Nine problems fill a row of lanes and begin another; each answer is that of its own problem."""
    platform = machine(kind)
    there = stacked([near(HOME, 1e-3, 1e-3, k) for k in range(LANES)] + [near(HOME, 0.06, 0.3, 9)])
    fk = forward_kinematics(platform, actuator_coordinates(platform, there), HOME)
    assert fk.success.all()
    np.testing.assert_allclose(flat_pose(fk.pose), flat_pose(there), atol=1e-12)
    assert (fk.residual < 1e-14).all()
    assert fk.certified[:LANES].all()
    assert not fk.certified[LANES]
    assert fk.straight.all()
    assert (fk.pieces[:LANES] == 1).all()
    assert 2 <= fk.pieces[LANES] <= 40


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("jump", [0.0, 0.04])
def test_a_track_goes_on_from_its_last_pose(kind: str, jump: float) -> None:
    """Small steps are certified, a large one is followed in pieces, and nothing is certified behind it."""
    platform = machine(kind)
    there = stacked([near(HOME, s, 3 * s, 4) for s in (1e-3, 2e-3, 3e-3 + jump, 4e-3 + jump)])
    found = track(platform, actuator_coordinates(platform, there), HOME)
    assert found.success.all()
    np.testing.assert_allclose(flat_pose(found.pose), flat_pose(there), atol=1e-12)
    assert (found.residual < 1e-14).all()
    assert found.certified[0]
    assert found.certified.all() == (jump == 0.0)
    assert found.straight.all()
    assert (found.pieces == 1).all() == (jump == 0.0)


def start_of(n: int) -> tuple[paths.Legs, paths.Legs, np.ndarray]:
    """n roots of the general machine, and a machine a little way off."""
    legs, X = generic_start()
    rng = np.random.default_rng(3)
    K = legs.K * (1 + 0.01 * (rng.normal(size=6) + 1j * rng.normal(size=6)))
    target = paths.Legs(legs.b + 0.003 * rng.normal(size=(6, 3)), legs.p, K)
    return paths.Legs(*legs), target, np.ascontiguousarray(X[:n])


def misfit(target: paths.Legs, X: np.ndarray) -> float:
    """How far roots are from the six conditions, against the size of their terms."""
    rows, y = leg_rows(target.b, target.p, target.K), psi(X).T
    return float((np.abs(rows @ y) / (np.abs(rows) @ np.abs(y))).max())


def test_paths_lead_to_roots_that_are_proved() -> None:
    """More paths than lanes; the ends solve the target to rounding, the starts do not, and each is its own root."""
    start, target, X = start_of(LANES + 1)
    ends = paths.track(start, target, X)
    assert (ends.status == REACHED).all()
    assert (ends.left == 0.0).all()
    assert ends.finite.all()
    assert misfit(target, X) > 1e-5
    assert misfit(target, ends.X) < 1e-13
    assert (ends.radius < 1e-9).all()
    assert (ends.unique > 1e3 * ends.radius).all()
    assert np.abs(ends.X - X / X[np.arange(len(X)), ends.charts][:, None]).max() < 1.0
    assert (ends.real == 0).all()


def test_a_path_in_doubled_precision_ends_at_the_same_root() -> None:
    start, target, X = start_of(1)
    plain, doubled = paths.track(start, target, X), paths.track_doubled(start, target, X)
    assert doubled.status[0] == REACHED
    assert doubled.finite.all()
    a, b = (e.X[0] / e.X[0][e.charts[0]] for e in (plain, doubled))
    np.testing.assert_allclose(a, b, atol=1e-12)
    assert doubled.radius[0] < 1e-15 < plain.radius[0]


def test_paths_that_take_too_many_steps_say_how_far_they_came(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(paths, "LEVELS", ((1e-9, 0.1, 2),))
    start, target, X = start_of(2)
    ends = paths.track(start, target, X)
    assert (ends.status == LONG).all()
    assert ((ends.left > 0.0) & (ends.left < 1.0)).all()
    assert (ends.radius < 0).all()


def test_only_what_is_dull_and_has_arrived_is_proved_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """No proof, a wide one, real or not undecided, perhaps at infinity: each alone is a reason; a lost path is none."""
    _, target, X = start_of(7)
    ends = paths.empty(X)
    ends.status[:], ends.radius[:], ends.real[:], ends.proper[:] = (
        REACHED,
        1e-3 * paths.SHARP,
        0,
        True,
    )
    ends.radius[1] = -1.0
    ends.radius[2] = 2.0 * paths.SHARP
    ends.real[3] = -1
    ends.proper[4] = False
    ends.real[5], ends.status[5] = -1, LONG
    ends.real[6] = 1
    asked: list[int] = []
    monkeypatch.setattr(paths, "_prove_doubled", lambda *given: asked.append(given[2]))
    paths.sharpen(target, ends)
    assert asked == [1, 2, 3, 4]
