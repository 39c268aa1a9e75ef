"""Forward kinematics of all leg types: round trips, rates, refusals, tracking."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough import status
from gough.kinematics.assembly import assembly_modes, explain
from gough.kinematics.forward import (
    actuator_coordinates,
    forward_accelerations,
    forward_kinematics,
    forward_rates,
    track,
)
from gough.spatial import Pose, rotation_exp
from support.forward_machines import HOME, KINDS, joints, machine, poses


@pytest.mark.parametrize("kind", KINDS)
def test_round_trip(kind: str) -> None:
    platform, there = machine(kind), poses(300)
    length = actuator_coordinates(platform, there)
    assert np.isfinite(length).all()
    fk = forward_kinematics(platform, length)
    assert fk.success.all()
    assert fk.residual.max() < 1e-14
    np.testing.assert_allclose(fk.pose.position, there.position, atol=2e-13)
    np.testing.assert_allclose(fk.pose.rotation, there.rotation, atol=1e-12)


def test_batch_axes_and_single_call_agree_bit_for_bit() -> None:
    platform, there = machine("UPS"), poses(12)
    length = actuator_coordinates(platform, there).reshape(3, 4, 6)
    fk = forward_kinematics(platform, length)
    assert fk.pose.shape == (3, 4) == fk.status.shape == fk.certified.shape == fk.iterations.shape
    one = forward_kinematics(platform, length[1, 2])
    assert one.status is status.CONVERGED
    np.testing.assert_array_equal(one.pose.rotation, fk.pose.rotation[1, 2])
    guesses = Pose(np.broadcast_to(HOME.position, (3, 1, 3)))
    same = forward_kinematics(platform, length, guesses)
    np.testing.assert_array_equal(same.pose.position, fk.pose.position)


@pytest.mark.parametrize("kind", KINDS)
def test_rates_and_accelerations_are_derivatives(kind: str) -> None:
    """Leg coordinates along a smooth motion, differentiated, give back its twist and acceleration."""
    platform = machine(kind)
    v, w = np.array([0.11, -0.07, 0.05]), np.array([0.3, 0.2, -0.4])
    a, al = np.array([0.2, 0.1, -0.3]), np.array([-0.5, 0.4, 0.1])

    def coordinate(
        t: float,
    ) -> np.ndarray:  # R = exp(w t + al t^2/2) has rate w and acceleration al at t = 0
        R = rotation_exp(w * t + al * t * t / 2)
        return actuator_coordinates(platform, Pose(HOME.position + v * t + a * t * t / 2, R))

    h = 1e-3
    f = [coordinate(k * h) for k in (-2, -1, 0, 1, 2)]
    rate = (f[0] - 8 * f[1] + 8 * f[3] - f[4]) / (12 * h)
    acceleration = (-f[0] + 16 * f[1] - 30 * f[2] + 16 * f[3] - f[4]) / (12 * h * h)
    np.testing.assert_allclose(forward_rates(platform, HOME, rate), np.r_[v, w], atol=1e-9)
    twist, second = forward_accelerations(platform, HOME, rate, acceleration)
    np.testing.assert_allclose(twist, np.r_[v, w], atol=1e-9)
    np.testing.assert_allclose(second, np.r_[a, al], atol=1e-7)
    wrong = acceleration + np.r_[1e-3, np.zeros(5)]
    assert np.abs(forward_accelerations(platform, HOME, rate, wrong)[1] - second).max() > 1e-4


@pytest.mark.parametrize(
    ("value", "word"),
    [(np.nan, "finite"), (np.inf, "finite"), (-0.5, "positive"), (0.0, "positive")],
)
def test_lengths_that_are_no_lengths_are_refused(value: float, word: str) -> None:
    platform = machine("UPS")
    length = actuator_coordinates(platform, HOME).copy()
    length[2] = value
    with pytest.raises(gough.InputError, match=word):
        forward_kinematics(platform, length)
    if np.isfinite(value):
        with pytest.raises(gough.InputError, match=word):
            track(platform, np.stack([length, length]))
    else:  # a lost sample spoils its own row of a sequence only
        assert (track(platform, np.stack([length, length])).status == gough.status.NO_SAMPLE).all()


def test_shapes_and_missing_guess_are_refused() -> None:
    platform = machine("UPS")
    with pytest.raises(gough.InputError, match=r"\(\.\.\., 6\)"):
        forward_kinematics(platform, np.ones(5))
    with pytest.raises(gough.InputError, match="numbers"):
        forward_kinematics(platform, ["long"] * 6)  # type: ignore[arg-type]
    with pytest.raises(gough.InputError, match="platform"):
        forward_kinematics("motion-base-1500", np.ones(6))  # type: ignore[arg-type]
    with pytest.raises(gough.InputError, match="broadcast"):
        forward_kinematics(platform, np.ones((4, 6)), Pose(np.zeros((3, 3))))
    for margin in (-1.0, np.nan):
        with pytest.raises(gough.InputError, match="margin"):
            forward_kinematics(platform, np.ones(6), margin=margin)
    with pytest.raises(gough.InputError, match="single pose"):
        track(platform, np.ones((2, 6)), Pose(np.zeros((3, 3))))
    with pytest.raises(gough.InputError, match=r"\(N, 6\)"):
        track(platform, np.ones(6))
    with pytest.raises(gough.InputError, match="home"):
        forward_kinematics(platform.replace(home=None), np.ones(6))
    with pytest.raises(gough.InputError, match="guess"):
        forward_kinematics(platform, np.ones(6), guess=np.eye(4))  # type: ignore[arg-type]


def test_impossible_lengths_say_so_and_give_no_pose() -> None:
    platform = machine("UPS")
    length = actuator_coordinates(platform, HOME).copy()
    length[0] += 2.0  # its neighbor is 0.2 m away on the base and 0.3 m on the platform
    fk = forward_kinematics(platform, length)
    assert fk.status is status.UNREACHABLE
    assert "contradict" in fk.status.value
    assert np.isnan(fk.pose.position).all()
    assert not fk.certified
    fk = forward_kinematics(
        platform, np.full(6, 0.05)
    )  # shorter than the joints are apart: no assembly
    assert fk.status is not status.CONVERGED
    assert np.isnan(fk.pose.rotation).all()


def test_a_failed_pose_is_no_guess() -> None:
    platform = machine("UPS")
    failed = forward_kinematics(platform, np.full(6, 0.05)).pose
    for call in (
        lambda: forward_kinematics(platform, np.full(6, 0.6), failed),
        lambda: track(platform, np.full((2, 6), 0.6), failed),
    ):
        with pytest.raises(gough.InputError, match="guess"):
            call()


def test_a_failed_problem_does_not_disturb_its_neighbors() -> None:
    platform = machine("UPS")
    length = np.stack([actuator_coordinates(platform, HOME)] * 3)
    length[1] = 0.05
    fk = forward_kinematics(platform, length)
    assert fk.success.tolist() == [True, False, True]
    assert [s is status.CONVERGED for s in fk.status] == [True, False, True]
    np.testing.assert_allclose(fk.pose.position[[0, 2]], [HOME.position] * 2, atol=1e-14)


@pytest.mark.parametrize("kind", ["PUS", "RUS"])
def test_a_solution_on_the_other_branch_is_not_an_answer(kind: str) -> None:
    """One leg declared on its other branch: the old pose fulfils the spheres, not the leg."""
    platform = machine(kind)
    length = actuator_coordinates(platform, HOME)
    name = {"PUS": "assembly", "RUS": "elbow"}[kind]
    legs = list(platform.legs)
    legs[3] = legs[3].replace(**{name: -getattr(legs[3], name)})
    other = forward_kinematics(gough.Platform(platform.body, legs, home=HOME), length)
    assert other.status is status.WRONG_BRANCH
    assert np.isnan(other.pose.position).all()
    assert forward_kinematics(platform, length).status is status.CONVERGED


def test_a_guess_with_rounded_rotation_still_gives_a_rotation() -> None:
    platform = machine("UPS")
    rounded = Pose(HOME.position, np.round(rotation_exp([0.1, 0.2, 0.3]), 7))
    fk = forward_kinematics(platform, actuator_coordinates(platform, HOME), rounded)
    R = fk.pose.rotation
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-15)


@pytest.mark.parametrize("kind", KINDS)
def test_track_follows_a_smooth_motion(kind: str) -> None:
    platform = machine(kind)
    t = np.linspace(0, 2 * np.pi, 400)[:, None]
    there = Pose(
        HOME.position + 0.05 * np.sin(t * [1, 2, 3]), rotation_exp(0.15 * np.sin(t * [2, 1, 3]))
    )
    tr = track(platform, actuator_coordinates(platform, there), there[0])
    assert tr.success.all()
    assert tr.connected.all()
    np.testing.assert_allclose(tr.pose.position, there.position, atol=1e-13)
    np.testing.assert_allclose(tr.pose.rotation, there.rotation, atol=1e-13)


def test_track_subdivides_a_large_step() -> None:
    platform, there = machine("UPS"), poses(20, shift=0.1, turn=0.4, seed=3)
    tr = track(platform, actuator_coordinates(platform, there), HOME)
    assert not tr.certified.any()
    assert tr.straight.all()
    assert (tr.pieces > 2).all()
    np.testing.assert_allclose(tr.pose.rotation, there.rotation, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_whatever_is_asked_an_answer_fulfils_the_legs_or_is_nan(kind: str) -> None:
    """Random coordinates, most of them impossible, from random guesses: 3,000 for each kind of leg."""
    platform = machine(kind)
    rng = np.random.default_rng(8)
    n = 3000
    length = rng.uniform(0.01, 2.0, (n, 6)) * 10.0 ** rng.choice([-3, 0, 0, 0, 3], (n, 1))
    if kind == "RUS":
        length = rng.uniform(-20, 20, (n, 6))
    length[:500] = actuator_coordinates(platform, poses(500, seed=9))  # some that can be done
    guess = Pose(rng.normal(size=(n, 3)), rotation_exp(2 * rng.normal(size=(n, 3))))
    fk = forward_kinematics(platform, length, guess)
    good = fk.success
    assert 0 < good.sum() < n
    assert np.isnan(fk.pose.position[~good]).all()
    assert np.isnan(fk.pose.rotation[~good]).all()
    assert not fk.certified[~good].any()
    R = fk.pose.rotation[good]
    np.testing.assert_allclose(
        R @ np.swapaxes(R, 1, 2), np.broadcast_to(np.eye(3), R.shape), atol=1e-13
    )
    np.testing.assert_allclose(np.linalg.det(R), 1.0, atol=1e-13)
    error = actuator_coordinates(platform, fk.pose[good]) - length[good]
    crank = np.array([isinstance(leg, gough.RUS) for leg in platform.legs])
    error = np.where(crank, np.angle(np.exp(1j * error)), error)
    assert np.abs(error).max() < 1e-6 * np.abs(length[good]).max()
    assert fk.residual[good].max() < 1e-11


@pytest.mark.parametrize("value", [1e300, 1e-300, 1e150, 5e-324])
def test_absurd_lengths_have_no_pose(value: float) -> None:
    platform = machine("UPS")
    length = actuator_coordinates(platform, HOME).copy()
    length[1] = value
    for fk in (
        forward_kinematics(platform, length),
        forward_kinematics(platform, np.full(6, value)),
    ):
        assert fk.status is not status.CONVERGED
        assert np.isnan(fk.pose.position).all()


def test_newton_from_home_is_right_in_the_usual_workspace() -> None:
    """3,000 poses within 0.2 m and 40 degrees of the home of a 1 m machine: all found from home, in few steps."""
    rng = np.random.default_rng(10)
    legs = [
        gough.UPS(base=b, joint=p, axis=[0, 1, 0])
        for b, p in zip(
            joints(1.0, 12.0, 0.0), np.roll(joints(0.6, 15.0, 60.0), 1, axis=0), strict=True
        )
    ]
    home = Pose([0.0, 0.0, 1.1])
    platform = gough.Platform(gough.Body(1.0), legs, home=home)
    shift, turn = rng.normal(size=(2, 3000, 3))
    shift *= 0.2 * rng.uniform(size=(3000, 1)) / np.linalg.norm(shift, axis=1, keepdims=True)
    turn *= (
        np.radians(40) * rng.uniform(size=(3000, 1)) / np.linalg.norm(turn, axis=1, keepdims=True)
    )
    there = Pose(home.position + shift, rotation_exp(turn))
    fk = forward_kinematics(platform, actuator_coordinates(platform, there))
    assert fk.success.all()
    np.testing.assert_allclose(fk.pose.rotation, there.rotation, atol=1e-10)
    assert fk.iterations.max() <= 8


def test_from_afar_the_straight_way_is_proved_piece_by_piece() -> None:
    """Home is too far for one box; the straight motion of the legs is proved in pieces, as `track` does it."""
    platform, there = machine("UPS"), poses(300, shift=0.1, turn=0.4, seed=3)
    length = actuator_coordinates(platform, there)
    fk = forward_kinematics(platform, length)
    assert not fk.certified.any()
    assert fk.straight.all()
    assert (fk.pieces > 1).all()
    assert all("straight motion" in sentence for sentence in fk.proof)
    np.testing.assert_allclose(fk.pose.rotation, there.rotation, atol=1e-11)
    bare = forward_kinematics(platform, length, certify=False)
    assert not bare.straight.any()
    assert "not proved" in bare.proof[0]


def test_the_straight_way_is_the_answer_where_newton_lands_elsewhere() -> None:
    """Far guesses: what is called straight is what small steps along the straight leg motion lead to."""
    platform = machine("UPS")
    rng = np.random.default_rng(4)
    far = poses(200, shift=0.2, turn=1.2, seed=5)
    length = actuator_coordinates(platform, far)
    home = actuator_coordinates(platform, HOME)
    fk = forward_kinematics(platform, length)
    newton = forward_kinematics(platform, length, certify=False)
    assert (newton.success <= fk.success).all()
    elsewhere = np.abs(newton.pose.rotation - fk.pose.rotation).max(axis=(1, 2)) > 1e-6
    assert (elsewhere & fk.straight).any()
    assert not fk.straight.all()
    for k in rng.permutation(np.flatnonzero(fk.straight))[:12]:
        steps = home + np.linspace(0, 1, 400)[1:, None] * (length[k] - home)
        slow = track(platform, steps, HOME)
        assert slow.straight.all()
        np.testing.assert_allclose(slow.pose.rotation[-1], fk.pose.rotation[k], atol=1e-9)
    lost = fk.success & ~fk.straight
    assert all("singularity" in sentence for sentence in fk.proof[lost])


def test_lengths_in_millimeters_are_recognized() -> None:
    platform = machine("UPS")
    length = actuator_coordinates(platform, HOME)
    for wrong in (1e3 * length, np.full(6, 600.0)):
        fk = forward_kinematics(platform, wrong)
        assert not fk.success
        assert "millimeters" in fk.status
        assert fk.status.code in ("unreachable", "no-convergence")
        assert "millimeters" in track(platform, [wrong]).status[0]
    for other in (1e5 * length, np.full(6, 0.05)):  # wrong, but not by a thousand
        assert "millimeters" not in forward_kinematics(platform, other).status
    uneven = length * [1.0, 1.1, 1.2, 1.0, 1.1, 1.2]
    modes = assembly_modes(platform, 1e3 * uneven)
    assert len(modes) == 0
    assert "millimeters" in modes.reason
    both = assembly_modes(platform, [1e5 * uneven, 1e3 * uneven, length])
    assert ["millimeters" in one.reason for one in both.answers] == [False, True, False]
    assert "millimeters" in explain(platform, 1e3 * uneven)


def test_answers_can_be_read() -> None:
    platform, there = machine("UPS"), poses(5)
    length = actuator_coordinates(platform, there)
    one = repr(forward_kinematics(platform, length[0], there[0]))
    for word in ("converged", "position", "rpy", "proved for every motion"):
        assert word in one
    assert "5 converged; 0 certified, 5 straight" in repr(forward_kinematics(platform, length))
    assert "Track of 5" in repr(track(platform, length, there[0]))
    assert "no pose" in repr(forward_kinematics(platform, np.full(6, 0.05)))
