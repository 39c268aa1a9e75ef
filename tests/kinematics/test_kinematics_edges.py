"""Refusals and quiet corners of the kinematic verbs: every leg, every place in a batch, every sensor."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from gough.kinematics.assembly import generic
from gough.kinematics.assembly.examples import EXAMPLES, example
from gough.kinematics.assembly.geometry import normalize
from gough.kinematics.estimation import Distance, Inclinometer, estimate_pose
from gough.kinematics.jacobian import wrench_matrix
from gough.kinematics.mode_boxes import data_error, modes_within
from gough.kinematics.regular_paths import path_check
from gough.kinematics.uncertainty import pose_uncertainty
from gough.layout import LEG_GEOMETRY as LEG
from gough.spatial import Motion, Pose, rotation_exp
from gough.struts import drive_vectors, leg_table, struts
from support.forward_machines import HOME, KINDS, machine, poses


def moving(n: int, seed: int = 0) -> Motion:
    """Random motions near home."""
    rng = np.random.default_rng(seed)
    at = poses(n, seed=seed)
    return Motion(at.position, at.rotation, *rng.normal(size=(4, n, 3)))


@pytest.mark.parametrize("kind", KINDS)
def test_the_rate_of_the_jacobian_is_its_difference(kind: str) -> None:
    """dJ/dt by central differences along a screw; J xdd + Jdot xd are the legs' accelerations."""
    platform, m = machine(kind), moving(5)
    Jd, h = gough.jacobian_dot(platform, m), 1e-6
    ends = [
        gough.jacobian(
            platform,
            Pose.trusted(
                m.position + s * h * m.velocity,
                rotation_exp(s * h * m.angular_velocity) @ m.rotation,
            ),
        )
        for s in (1, -1)
    ]
    np.testing.assert_allclose(Jd, (ends[0] - ends[1]) / (2 * h), atol=1e-6 * np.abs(Jd).max())
    legs = gough.inverse_kinematics(platform, m)
    xd = np.concatenate([m.velocity, m.angular_velocity], axis=-1)
    xdd = np.concatenate([m.acceleration, m.angular_acceleration], axis=-1)
    found = np.einsum("nij,nj->ni", gough.jacobian(platform, m), xdd) + np.einsum(
        "nij,nj->ni", Jd, xd
    )
    np.testing.assert_allclose(found, legs.acceleration, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("leg", range(6))
@pytest.mark.parametrize("place", [0, 2])
@pytest.mark.parametrize("kind", ["UPS", "PUS"])
@pytest.mark.parametrize("verb", [gough.jacobian, gough.jacobian_dot, gough.inverse_kinematics])
def test_a_leg_without_length_or_reach_is_refused_in_any_place(
    verb: Callable[..., Any], kind: str, place: int, leg: int
) -> None:
    platform, m = machine(kind), moving(3)
    q = m.rotation[place] @ platform.legs[leg].joint
    position = m.position.copy()
    position[place] = platform.legs[leg].base - q  # the joint on the base point
    if kind == "PUS":
        position[place] += [3.0, 0.0, 0.0]  # beyond the link
    bad = Motion(position, m.rotation, m.velocity, m.angular_velocity)
    with pytest.raises(gough.InfeasibleError):
        verb(platform, bad)


@pytest.mark.parametrize("kind", KINDS)
def test_the_wrench_matrix_carries_the_load(kind: str) -> None:
    platform, pose = machine(kind), poses(3)
    g = struts(platform, pose)
    H = wrench_matrix(platform, pose)
    f = np.random.default_rng(1).normal(size=(3, 6))
    force = (f[..., None] * g.direction).sum(axis=1)
    moment = np.cross(g.arm, f[..., None] * g.direction).sum(axis=1)
    np.testing.assert_allclose(
        np.einsum("nij,nj->ni", H, f), np.concatenate([force, moment], axis=1), atol=1e-12
    )


SENSORS = {
    "distance": lambda v: Distance([0.4, 0.1, 0.0], [0.1, -0.1, 0.05], v, 2e-4),
    "inclinometer": lambda v: Inclinometer([0.1, 0.2, 1.0], 3e-4, vertical=[0.1, 0.0, 0.9]),
}


@pytest.mark.parametrize("name", SENSORS)
def test_rows_of_a_sensor_are_its_derivative(name: str) -> None:
    sensor, pose, h = SENSORS[name](0.5), poses(1)[0], 1e-6
    value, D = sensor.rows(pose)
    for k, x in enumerate(h * np.eye(6)):
        ends = [
            sensor.rows(
                Pose.trusted(pose.position + s * x[:3], rotation_exp(s * x[3:]) @ pose.rotation)
            )[0]
            for s in (1, -1)
        ]
        np.testing.assert_allclose(-(ends[0] - ends[1]) / (2 * h), D[:, k], rtol=1e-4, atol=1e-4)
    if name == "distance":
        S = pose.position + pose.rotation @ sensor.joint - sensor.base
        assert value[0] == pytest.approx((0.5 - np.linalg.norm(S)) / 2e-4)
    else:
        seen = pose.rotation @ (np.array([0.1, 0.2, 1.0]) / np.linalg.norm([0.1, 0.2, 1.0]))
        up = np.array([0.1, 0.0, 0.9]) / np.linalg.norm([0.1, 0.0, 0.9])
        across = np.linalg.norm(seen - (seen @ up) * up)
        assert np.linalg.norm(value) == pytest.approx(across / 3e-4)


@pytest.mark.parametrize("lost", range(6))
@pytest.mark.parametrize("kind", ["UPS", "mixed"])
def test_any_leg_may_lose_its_sensor(kind: str, lost: int) -> None:
    """A wire and a level stand in; cranks a whole turn away are no fault; the covariance is (D^T D)^-1."""
    platform, there = machine(kind), poses(1, seed=3)[0]
    lam = struts(platform, there).coordinate.copy()
    lam += np.where(np.array(platform.kinds) == "RUS", 2 * np.pi, 0.0)
    lam[lost] = np.nan
    base, joint = np.array([0.3, 0.3, 0.0]), np.array([0.1, -0.2, 0.0])
    wire = float(np.linalg.norm(there.position + there.rotation @ joint - base))
    level = Inclinometer(there.rotation.T @ [0.0, 0.0, 1.0], 1e-4)
    found = estimate_pose(
        platform, lam, HOME, actuator=1e-5, sensors=[Distance(base, joint, wire, 1e-5), level]
    )
    assert found.consistent
    assert found.redundancy == 2
    assert found.outliers == ()
    assert "chi2" in repr(found)
    assert "all sensors" in repr(found)
    np.testing.assert_allclose(found.pose.position, there.position, atol=1e-8)
    np.testing.assert_allclose(found.pose.rotation, there.rotation, atol=1e-8)
    assert found.test[f"leg {platform.leg_names[lost]}"].size == 0
    assert len(found.test["inclinometer 2"]) == 2
    g = struts(platform, there)
    rows = (g.rows / g.eta[:, None] / 1e-5)[np.arange(6) != lost]
    extra = [s.rows(there)[1] for s in (Distance(base, joint, wire, 1e-5), level)]
    D = np.concatenate([rows, *extra])
    np.testing.assert_allclose(found.covariance, np.linalg.inv(D.T @ D), rtol=1e-3)


def test_too_few_sensors_determine_nothing() -> None:
    platform = machine("UPS")
    lam = struts(platform, HOME).coordinate.copy()
    lam[2] = np.nan
    found = estimate_pose(platform, lam, HOME, actuator=1e-5)
    assert not found.consistent
    assert np.isnan(found.pose.position).all()
    assert np.isinf(found.covariance).all()
    assert found.status.code == "singular"


UPS = machine("UPS")
LENGTH = struts(UPS, HOME).coordinate
TWO = np.stack([LENGTH, LENGTH])
REFUSALS: list[tuple[Callable[[], Any], str]] = [
    (lambda: estimate_pose(UPS, TWO, actuator=1e-5), "six numbers"),
    (lambda: estimate_pose(UPS, LENGTH, actuator=0.0), "positive"),
    (lambda: estimate_pose(UPS, LENGTH, actuator=[1, 1, 1, 1, 1, -1]), "positive"),
    (lambda: estimate_pose(UPS, LENGTH, actuator=1e-5, sensors=[3]), "Distance or Inclinometer"),
    (lambda: estimate_pose(UPS, LENGTH, poses(2), actuator=1e-5), "single pose"),
    (lambda: estimate_pose(UPS, LENGTH, actuator=1e-5, significance=0.0), "significance"),
    (lambda: Distance([0, 0, 0], [0, 0, 0], 0.0, 1.0), "positive"),
    (lambda: Distance([0, 0, 0], [0, 0, 0], 1.0, -1.0), "positive"),
    (lambda: Inclinometer([0, 0, 0], 1.0), "not zero"),
    (lambda: Inclinometer([0, 0, 1], 1.0, vertical=[0, 0, 0]), "not zero"),
    (lambda: Inclinometer([[0, 0, 1]], 1.0), "one vector"),
    (lambda: modes_within(UPS, TWO), "six numbers"),
    (lambda: modes_within(UPS, LENGTH, actuator=-1e-3), "negative"),
    (lambda: modes_within(UPS, LENGTH, base=-1e-3), "base"),
    (lambda: modes_within(UPS, LENGTH, joint=-1e-3), "joint"),
    (lambda: pose_uncertainty(UPS, TWO), "six numbers"),
    (lambda: path_check(UPS, HOME, HOME, "round"), "one of"),
    (lambda: path_check(UPS, poses(2), poses(3)), "must fit"),
    (lambda: path_check(UPS, HOME, poses(1)[0], "translation"), "same rotation"),
]


@pytest.mark.parametrize("number", range(len(REFUSALS)))
def test_bad_questions_are_refused_in_a_sentence(number: int) -> None:
    ask, word = REFUSALS[number]
    with pytest.raises(gough.InputError, match=word):
        ask()


@pytest.mark.parametrize("kind", KINDS)
def test_errors_of_the_data_are_those_of_the_spheres(kind: str) -> None:
    """A strut's error is its radius, a slider's moves its center along the rail, a crank's along the arc."""
    platform = machine(kind)
    lam, act = struts(platform, HOME).coordinate, np.linspace(1e-3, 6e-3, 6)
    found = data_error(platform, lam, act, 1e-4, 2e-4)
    table = leg_table(platform)
    strut = table[:, LEG.kind] == 0
    np.testing.assert_allclose(found.radius, np.where(strut, act, 0.0))
    np.testing.assert_allclose(found.joint, 2e-4)
    np.testing.assert_allclose(found.center[strut], 1e-4)
    w = np.abs(drive_vectors(platform, lam, np.zeros((6, 3)))) * act[:, None]
    bend = np.where(table[:, LEG.kind] == 2, table[:, LEG.rho] * act**2 / 2, 0.0)[:, None]
    np.testing.assert_allclose(found.center[~strut], (w + bend + 1e-4)[~strut])


def test_modes_within_can_be_read() -> None:
    away = struts(UPS, poses(1, seed=3)[0]).coordinate
    found = modes_within(UPS, away, actuator=1e-8)
    assert found.settled
    assert f"{len(found.always)} poses for all values, 0 for some, 0 possible" in repr(found)
    assert "nothing else" in repr(found)
    moved = modes_within(UPS, away, actuator=0.3)
    assert not moved.settled
    assert len(moved.sometimes)
    assert "perhaps others" in repr(moved)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_machine_with_forty_poses_is_shipped(name: str) -> None:
    platform, length = example(name)
    modes = gough.assembly_modes(platform, length)
    assert len(modes) == 40
    assert platform.source is not None
    assert platform.name == name


def test_a_general_start_can_be_made_again(tmp_path: Path) -> None:
    """Loops through random machines reveal the solutions one by one; more loops, more of them, all distinct."""
    legs, few = generic.monodromy(seed=1998, loops=1)
    assert 1 <= len(few) < generic.DEGREE
    said = generic.make(tmp_path / "start.npz")
    assert said.startswith("40 solutions")
    with np.load(tmp_path / "start.npz") as file:
        assert generic.known(generic.Legs(file["b"], file["p"], file["K"]), file["X"]).finite.all()
        np.testing.assert_array_equal(file["b"], legs.b)
    assert np.iscomplexobj(legs.K)
    assert np.abs(legs.K.imag).min() > 0


def test_joints_in_one_point_have_a_size_too() -> None:
    g = normalize(np.ones((6, 3)), 2 * np.ones((6, 3)))
    assert g.size == 1.0
    assert g.singular
