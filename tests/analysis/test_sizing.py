"""Sizing against closed forms: dead weight, energy and power balance, drives, payloads; planted errors."""

from __future__ import annotations

import json

import numpy as np
import pytest

import gough
from gough.analysis import sizing
from gough.analysis.sizing import Sizing, actuator_inertia, size, with_payload
from gough.spatial import Motion, Pose


@pytest.fixture(scope="module")
def machine() -> gough.Platform:
    return gough.load("motion-base-1500")


def heave(
    machine: gough.Platform, amplitude: float = 0.08, frequency: float = 0.5, samples: int = 401
) -> Motion:
    assert machine.home is not None
    wave = gough.trajectory.harmonic(
        machine.home, [0, 0, amplitude, 0, 0, 0], [frequency], duration=2 / frequency
    )
    return wave.sample(samples)


def test_static_hold_is_the_dead_weight(machine: gough.Platform) -> None:
    """At rest: no speed, no power, rms = peak, and the vertical joint forces carry the platform's weight."""
    assert machine.home is not None
    still = gough.trajectory.hold(machine.home, 1.0).sample(5)
    legs = size(machine, [still]).legs
    for leg in legs:
        assert leg.peak_speed == 0.0
        assert leg.stroke == 0.0
        assert leg.peak_power == 0.0
        assert leg.rms_force == pytest.approx(abs(leg.peak_force), rel=1e-12)
        assert leg.duty == 1.0
        assert leg.joint_equivalent == pytest.approx(leg.joint_force, rel=1e-12)
    r = gough.inverse_dynamics(machine, machine.home).reactions
    assert r.spherical_force[:, 2].sum() == pytest.approx(machine.body.mass * 9.81, rel=1e-12)


def test_mean_power_is_what_friction_takes(machine: gough.Platform) -> None:
    """Over whole periods energy returns to its start: the mean of all legs' power is the friction's."""
    motion = heave(machine, samples=2001)
    total = sum(leg.mean_power for leg in size(machine, [motion]).legs)
    free = machine.replace(legs=[leg.replace(friction=gough.Friction()) for leg in machine.legs])
    nothing = sum(leg.mean_power for leg in size(free, [motion]).legs)
    peak = max(leg.peak_power for leg in size(machine, [motion]).legs)
    assert abs(nothing) < 1e-6 * peak
    assert total > 1e-3 * peak
    v = gough.inverse_kinematics(machine, motion).rate
    t = motion.time
    assert t is not None
    loss = 500.0 * (v**2).sum(axis=1)
    prismatic = float(((loss[1:] + loss[:-1]) / 2 * np.diff(t)).sum() / t[-1])
    assert prismatic < total < 1.2 * prismatic  # the rest is the joints' friction


def test_payload_is_the_parallel_axis_theorem(machine: gough.Platform) -> None:
    """Two bodies merged weigh and turn like both: kinetic energy is additive at any twist."""
    load = gough.Body(300.0, (0.2, -0.1, 0.8), (20.0, 30.0, 25.0))
    loaded = with_payload(machine, load)
    rng = np.random.default_rng(5)
    bare_load = machine.replace(
        body=load,
        legs=[
            leg.replace(lower=gough.Body(0.0), upper=gough.Body(0.0), drive=None)
            for leg in machine.legs
        ],
    )
    assert machine.home is not None
    motion = Motion(
        machine.home.position, machine.home.rotation, rng.normal(size=3), rng.normal(size=3)
    )
    both = gough.energy(machine, motion).kinetic + gough.energy(bare_load, motion).kinetic
    assert gough.energy(loaded, motion).kinetic == pytest.approx(both, rel=1e-12)


def test_envelope_covers_each_case(machine: gough.Platform) -> None:
    small, large = heave(machine, 0.03), heave(machine, 0.09)
    load = {"empty": gough.Body(0.0), "full": gough.Body(400.0, (0, 0, 0.6), (30, 30, 30))}
    whole = size(machine, {"small": small, "large": large}, load)
    assert whole.cases == ("small, empty", "small, full", "large, empty", "large, full")
    for i, leg in enumerate(whole.legs):
        alone = [
            size(with_payload(machine, body), [motion]).legs[i]
            for motion in (small, large)
            for body in load.values()
        ]
        assert abs(leg.peak_force) == max(abs(a.peak_force) for a in alone)
        assert leg.min_length == min(a.min_length for a in alone)
        assert leg.joint_force == max(a.joint_force for a in alone)
        assert leg.worst_case == "large, full"
    assert json.loads(json.dumps(whole.as_dict()))["legs"][0]["drive"]["peak_torque"] > 0


def test_motor_torque_holds_rotor_inertia_friction_and_gear_loss(machine: gough.Platform) -> None:
    """``T nu = F_0/eta + nu^2 I_r ldd + friction`` while driving, F_0 of the same machine without rotors."""
    motion = heave(machine)
    drive = machine.legs[0].drive
    assert drive is not None
    legs = gough.inverse_kinematics(machine, motion)
    bare = machine.replace(legs=[leg.replace(drive=None) for leg in machine.legs])
    F0 = gough.inverse_dynamics(bare, motion).force[:, 0]
    v, a = legs.rate[:, 0], legs.acceleration[:, 0]
    share = np.where(F0 * v > 0, 1 / 0.9, np.where(v == 0, 1.0, 2 - 1 / 0.9))
    u = F0 * share + drive.ratio**2 * drive.rotor_inertia * a + drive.friction(v)
    found = size(machine, [motion]).legs[0].drive
    assert found is not None
    assert found.peak_torque == pytest.approx(np.abs(u).max() / drive.ratio, rel=1e-9)
    assert found.peak_speed == pytest.approx(drive.ratio * np.abs(v).max(), rel=1e-12)
    assert found.peak_current == pytest.approx(found.peak_torque / 1.2, rel=1e-12)
    assert found.copper_loss == pytest.approx(0.4 * (found.rms_torque / 1.2) ** 2, rel=1e-12)


def test_efficiency_of_a_driving_gear_is_output_over_input() -> None:
    drive = gough.Drive(ratio=100.0, efficiency=0.8)
    F, v = np.array([10.0, 10.0, -10.0]), np.array([0.1, -0.1, 0.1])
    u = drive.motor_force(F, v)
    assert F[0] * v[0] / (u[0] * v[0]) == pytest.approx(0.8)
    assert abs(u[1]) < abs(F[1])  # the load drives: the gear's friction helps to brake
    assert u[1] == pytest.approx(10 * (2 - 1 / 0.8))
    given = drive.replace(back_efficiency=0.6).motor_force(F, v)
    assert given[1] == pytest.approx(6.0)
    assert given[0] == u[0]


def test_actuator_inertia_is_the_effort_of_unit_acceleration() -> None:
    """One leg accelerated alone, at rest and without gravity: its effort is the diagonal entry."""
    base = gough.load("motion-base-1500")
    machine = base.replace(gravity=np.zeros(3))
    pose = Pose.from_rpy((0.05, -0.03, 1.2), (0.05, 0.02, -0.1))
    J = gough.jacobian(machine, pose)
    inertia = actuator_inertia(machine, Motion.at_rest(pose))
    for i in range(6):
        acc = np.linalg.solve(J, np.eye(6)[i])
        motion = Motion(
            pose.position, pose.rotation, acceleration=acc[:3], angular_acceleration=acc[3:]
        )
        assert gough.inverse_dynamics(machine, motion).force[i] == pytest.approx(
            inertia[i], rel=1e-10
        )


def test_buckling_uses_push_and_length(machine: gough.Platform) -> None:
    motion = heave(machine)
    leg = size(machine, [motion]).legs[0]
    legs, r = (
        gough.inverse_kinematics(machine, motion),
        gough.inverse_dynamics(machine, motion).reactions,
    )
    push = (r.spherical_force[:, 0] * legs.direction[:, 0]).sum(-1)
    assert leg.bending_stiffness == pytest.approx(
        (push * legs.length[:, 0] ** 2).max() / np.pi**2, rel=1e-12
    )
    assert leg.strut_push > 0  # a standing machine pushes


def test_overload_is_said(machine: gough.Platform) -> None:
    weak = machine.replace(
        legs=[leg.replace(limits=leg.limits.replace(force=100.0)) for leg in machine.legs]
    )
    assert size(machine, [heave(machine)]).overload == ()
    said = size(weak, [heave(machine)]).overload
    assert any("effort" in s and "exceeds 100" in s for s in said)
    drives = machine.replace(
        legs=[
            leg.replace(drive=leg.drive.replace(max_current=1.0))
            for leg in machine.legs
            if leg.drive is not None
        ]
    )
    assert any("motor current" in s for s in size(drives, [heave(machine)]).overload)


@pytest.mark.parametrize("name", ["lopes-6pus", "servo-hexapod"])
def test_sliders_and_cranks_too(name: str) -> None:
    machine = gough.load(name)
    assert machine.home is not None
    motion = gough.trajectory.harmonic(
        machine.home, [0, 0, 0.005, 0, 0, 0], [1.0], duration=1.0
    ).sample(51)
    legs = size(machine, [motion]).legs
    assert all(leg.stroke > 0 and np.isfinite(leg.bending_stiffness) for leg in legs)


def test_bad_input_is_named(machine: gough.Platform) -> None:
    assert machine.home is not None
    with pytest.raises(gough.InputError, match="at least one motion"):
        size(machine, [])
    with pytest.raises(gough.InputError, match="one time axis"):
        size(machine, [Motion.at_rest(machine.home)])
    with pytest.raises(gough.InputError, match=r"payload 1.*gough.Body"):
        size(machine, [heave(machine)], [3.0])  # type: ignore[list-item]


def test_a_wrong_payload_shift_is_caught(
    machine: gough.Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planted: the parallel-axis term left out."""
    monkeypatch.setattr(sizing, "_about", lambda r: np.zeros((3, 3)))
    with pytest.raises(AssertionError):
        test_payload_is_the_parallel_axis_theorem(machine)


def test_a_wrong_loss_direction_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: the gear's loss helps while driving."""

    def wrong(drive: gough.Drive, F: np.ndarray, v: np.ndarray, a: float = 0.0) -> np.ndarray:
        return F * drive.efficiency

    monkeypatch.setattr(gough.Drive, "motor_force", wrong)
    with pytest.raises(AssertionError):
        test_efficiency_of_a_driving_gear_is_output_over_input()


def test_result_is_a_sizing(machine: gough.Platform) -> None:
    assert isinstance(size(machine, [heave(machine)]), Sizing)
