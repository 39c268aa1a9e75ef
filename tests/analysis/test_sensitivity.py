"""Sensitivities against finite changes of the machine itself; error budget against disturbed machines."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.analysis.sensitivity import (
    actuator_sensitivity,
    error_budget,
    force_sensitivity,
    monte_carlo,
    pose_sensitivity,
)
from gough.dynamics import packed_names
from gough.engines.pack import parameters
from gough.spatial import Motion, Pose, rotation_log

POSE = Pose.from_rpy((0.05, -0.03, 1.2), (0.05, 0.02, -0.1))


@pytest.fixture(scope="module")
def machine() -> gough.Platform:
    return gough.load("motion-base-1500")


def moving(pose: Pose) -> Motion:
    rng = np.random.default_rng(3)
    return Motion(pose.position, pose.rotation, *(0.3 * rng.normal(size=(4, 3))))


@pytest.mark.parametrize("name", ["motion-base-1500", "lopes-6pus", "servo-hexapod"])
def test_one_list_of_parameter_names(name: str) -> None:
    """Sensitivities speak of parameters as `gough.parameter_names` does (60 of 229 names once differed)."""
    platform = gough.load(name)
    assert platform.home is not None
    assert list(force_sensitivity(platform, platform.home)[1]) == list(
        gough.parameter_names(platform)
    )


def test_packed_names_point_at_their_number(machine: gough.Platform) -> None:
    names, par = packed_names(machine), parameters(machine)
    assert len(names) == len(par) == len(set(names))
    look = dict(zip(names, par, strict=True))
    leg = machine.legs[2]
    assert look["body.mass"] == machine.body.mass
    assert [look[f"L3.base.{c}"] for c in "xyz"] == leg.base.tolist()
    assert [look[f"L3.joint.{c}"] for c in "xyz"] == leg.joint.tolist()
    assert look["L3.lower.mass"] == 55.0
    assert look["L3.upper.mass"] == 20.0
    assert look["L3.friction.prismatic"] == 500.0
    assert leg.drive is not None
    assert look["L3.drive.reflected"] == leg.drive.reflected_inertia


@pytest.mark.parametrize("name", ["motion-base-1500", "lopes-6pus", "servo-hexapod"])
def test_force_sensitivity_to_a_joint_is_that_of_another_machine(name: str) -> None:
    """Central difference over machines whose base joint has moved."""
    machine = gough.load(name)
    assert machine.home is not None
    motion = moving(machine.home)
    label = machine.leg_names[1]
    D, names = force_sensitivity(
        machine, motion, [f"{label}.base.y", "body.mass", f"{label}.joint.z"]
    )
    assert D.shape == (6, 3)
    assert names[0] == f"{label}.base.y"

    def shifted(h: float, field: str, axis: int) -> np.ndarray:
        legs = list(machine.legs)
        legs[1] = legs[1].replace(**{field: getattr(legs[1], field) + h * np.eye(3)[axis]})
        return gough.inverse_dynamics(machine.replace(legs=legs), motion).force

    for column, (field, axis) in ((0, ("base", 1)), (2, ("joint", 2))):
        h = 1e-6
        numeric = (shifted(h, field, axis) - shifted(-h, field, axis)) / (2 * h)
        np.testing.assert_allclose(
            D[:, column], numeric, rtol=2e-5, atol=1e-6 * np.abs(numeric).max()
        )


def test_a_mass_is_the_one_that_the_user_wrote(machine: gough.Platform) -> None:
    """dF/dm times a finite change of mass, its center and tensor as they were, is the whole change."""
    motion = moving(POSE)
    D, _ = force_sensitivity(machine, motion, ["body.mass"])
    b = machine.body
    more = machine.replace(body=gough.Body(b.mass + 100.0, b.center, b.inertia))
    change = (
        gough.inverse_dynamics(more, motion).force - gough.inverse_dynamics(machine, motion).force
    )
    np.testing.assert_allclose(D[:, 0] * 100.0, change, rtol=1e-9, atol=1e-7)


@pytest.mark.parametrize("name", ["motion-base-1500", "lopes-6pus", "servo-hexapod"])
def test_sensitivities_are_the_derivatives(name: str) -> None:
    """Complex steps along the parameters and compiled reverse mode with the chain rule: one answer."""
    machine = gough.load(name)
    assert machine.home is not None
    motion = moving(machine.home)
    D, names = force_sensitivity(machine, motion)
    d = gough.inverse_dynamics_derivatives(machine, motion)
    assert names == d.names
    scale = np.abs(D).max(axis=0) + 1e-3
    assert (np.abs(D - d.parameters) / scale).max() < 1e-9


@pytest.mark.parametrize("name", ["motion-base-1500", "lopes-6pus", "servo-hexapod"])
def test_pose_sensitivity_is_what_forward_kinematics_does(name: str) -> None:
    machine = gough.load(name)
    pose = machine.home
    assert pose is not None
    D, names = pose_sensitivity(machine, pose)
    assert D.shape == (6, 36)
    length = gough.inverse_kinematics(machine, pose).length
    for column in (0, 4, 20):
        leg, field, axis = names[column].split(".")
        i, size = machine.leg_names.index(leg), 1e-4 * machine.characteristic_length

        def moved(h: float, i: int = i, field: str = field, axis: str = axis) -> np.ndarray:
            legs = list(machine.legs)
            legs[i] = legs[i].replace(
                **{field: getattr(legs[i], field) + h * np.eye(3)["xyz".index(axis)]}
            )
            fk = gough.forward_kinematics(machine.replace(legs=legs), length, guess=pose)
            assert fk.success
            return np.concatenate(
                [fk.pose.position - pose.position, rotation_log(fk.pose.rotation @ pose.rotation.T)]
            )

        numeric = (moved(size) - moved(-size)) / (2 * size)
        np.testing.assert_allclose(
            D[:, column], numeric, rtol=1e-4, atol=1e-4 * np.abs(numeric).max()
        )


def test_a_common_shift_of_all_joints_moves_the_platform_along(machine: gough.Platform) -> None:
    """All base joints shifted by d move the platform by d; all platform joints by d move it by -R d."""
    D, names = pose_sensitivity(machine, POSE)
    for k, c in enumerate("xyz"):
        base = sum(D[:, n] for n, name in enumerate(names) if name.endswith(f"base.{c}"))
        joint = sum(D[:, n] for n, name in enumerate(names) if name.endswith(f"joint.{c}"))
        np.testing.assert_allclose(base, [*np.eye(3)[k], 0, 0, 0], atol=1e-10)
        np.testing.assert_allclose(joint, [*(-POSE.rotation[:, k]), 0, 0, 0], atol=1e-10)


def test_error_budget_agrees_with_disturbed_machines(machine: gough.Platform) -> None:
    """600 machines: sample standard deviations are within 4 standard errors (1/sqrt(2 n)) of the budget."""
    budget = error_budget(machine, POSE, base=1e-4, joint=5e-5, actuator=2e-5)
    n = 600
    errors = monte_carlo(machine, POSE, base=1e-4, joint=5e-5, actuator=2e-5, samples=n, seed=1)
    np.testing.assert_allclose(errors.std(axis=0) / budget.sigma, 1.0, atol=4 / np.sqrt(2 * n))
    np.testing.assert_allclose(sum(budget.share.values()), budget.sigma**2, rtol=1e-12)
    wrong = error_budget(
        machine, POSE, base=1e-4, joint=0.0, actuator=2e-5
    )  # planted: a source forgotten
    assert np.abs(errors.std(axis=0) / wrong.sigma - 1).max() > 4 / np.sqrt(2 * n)


def test_backlash_adds_its_variance(machine: gough.Platform) -> None:
    plain = error_budget(machine, POSE, actuator=1e-5)
    play = error_budget(machine, POSE, actuator=1e-5, backlash=True)
    ratio = (1e-10 + (20e-6) ** 2 / 12) / 1e-10
    np.testing.assert_allclose(play.covariance, ratio * plain.covariance, rtol=1e-9)


def test_batches_are_rows(machine: gough.Platform) -> None:
    batch = Pose(np.stack([POSE.position, POSE.position + 0.02]), np.stack([POSE.rotation] * 2))
    D, _ = pose_sensitivity(machine, batch)
    one, _ = pose_sensitivity(machine, POSE)
    assert D.shape == (2, 6, 36)
    np.testing.assert_allclose(D[0], one, rtol=1e-12, atol=1e-12)
    assert actuator_sensitivity(machine, batch).shape == (2, 6, 6)


def test_parameters_that_move_nothing(machine: gough.Platform) -> None:
    """No name at all, and names that the geometry does not know: columns of the right number, all zero."""
    assert pose_sensitivity(machine, POSE, [])[0].shape == (6, 0)
    assert force_sensitivity(machine, POSE, [])[0].shape == (6, 0)
    found, _ = pose_sensitivity(machine, POSE, ["body.mass", "gravity.x", "L1.friction.prismatic"])
    np.testing.assert_array_equal(found, np.zeros((6, 3)))


def test_unknown_parameter_is_refused(machine: gough.Platform) -> None:
    with pytest.raises(gough.InputError, match="L9"):
        force_sensitivity(machine, POSE, ["L9.base.x"])


def test_backlash_of_legs_without_a_drive_is_none() -> None:
    """A budget with backlash counts gears that are there: b^2/12 of each, nothing where there is no drive."""
    machine = gough.load("motion-base-1500")
    bare = machine.replace(legs=[leg.replace(drive=None) for leg in machine.legs])
    pose = machine.likely_home
    plain, asked = (error_budget(bare, pose, actuator=1e-5, backlash=b) for b in (False, True))
    np.testing.assert_array_equal(plain.covariance, asked.covariance)
    loose = bare.replace(
        legs=[leg.replace(drive=gough.Drive(ratio=100.0, backlash=6e-5)) for leg in bare.legs]
    )
    found = error_budget(loose, pose, backlash=True).covariance
    alone = error_budget(bare, pose, actuator=6e-5 / np.sqrt(12.0)).covariance
    np.testing.assert_allclose(found, alone, rtol=1e-12)
