"""Drives from a catalogue: torques against the dynamics, power, verdicts on either side of a bound, files; life."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from gough.analysis import bearing_life, load_catalogue, rating_life, select_drives
from gough.analysis.catalogue import Catalogue, GearData, MotorData, ScrewData
from gough.analysis.drive_verdicts import SAMPLED, DriveChoice
from gough.analysis.proved import BROKEN, HOLDS, UNDECIDED

EXAMPLE = Path(__file__).parents[2] / "examples" / "drives" / "catalogue.toml"
MOTOR = MotorData(15.0, 260.0, 45.0, 420.0, 0.004, drag=0.1)
GEAR = GearData(2.0, 0.9, 1e3, 1e4, 5e-4, drag=0.05)
SCREW = ScrewData(0.02, 0.8, 3e4, 5e4, 200.0, 9e-4, root_diameter=0.027)
ONE = Catalogue({"M": MOTOR}, {"G": GEAR}, {"S": SCREW})


@pytest.fixture(scope="module")
def machine() -> gough.Platform:
    return gough.load("motion-base-1500")


@pytest.fixture(scope="module")
def path(machine: gough.Platform) -> Any:
    assert machine.home is not None
    return gough.trajectory.harmonic(
        machine.home, [0.03, 0.0, 0.06, 0.02, 0.0, 0.0], [1.0], duration=1.0
    )


@pytest.fixture(scope="module")
def choice(machine: gough.Platform, path: Any) -> DriveChoice:
    return select_drives(machine, {"heave": path}, ONE)


def _check(found: DriveChoice, name: str) -> Any:
    return next(c for c in found.options[0].checks if c.name == name)


def _torque(machine: gough.Platform, found: DriveChoice, motion: gough.Motion) -> Any:
    """Of the drive on the machine, by the dynamics that know it."""
    driven = found.options[0].on(machine)
    legs = gough.inverse_kinematics(driven, motion)
    force = gough.inverse_dynamics(driven, motion).force
    return found.options[0].drive.motor_torque(force, legs.rate, legs.acceleration), legs


def test_torque_and_speed_are_those_of_the_dynamics(
    machine: gough.Platform, path: Any, choice: DriveChoice
) -> None:
    """No dense sample passes what is said to be needed at most; what is needed for sure is reached; so with the rms."""
    option = choice.options[0]
    assert option.status == HOLDS
    assert option.proved
    assert choice.judged == ("heave: bounded at every instant",)
    motion = path.sample(4001)
    torque, legs = _torque(machine, choice, motion)
    speed = option.drive.ratio * np.abs(legs.rate)
    rms = np.sqrt((torque[:-1] ** 2).mean(axis=0)).max()  # one period
    for name, seen in (
        ("motor speed", speed.max()),
        ("motor rms torque", rms),
        ("motor rms speed", np.sqrt((speed[:-1] ** 2).mean(axis=0)).max()),
    ):
        check = _check(choice, name)
        assert check.least * (1.0 - 1e-9) <= seen <= check.need * (1.0 + 1e-9)
        assert check.need < 1.06 * seen
    at_speed = _check(choice, "motor torque at its speed")
    used = (np.abs(torque) / MOTOR.torque_at(speed)).max()
    assert used <= at_speed.use < 1.05 * used


def test_power_goes_in_and_losses_stay(
    machine: gough.Platform, path: Any, choice: DriveChoice
) -> None:
    """What the motor gives is what the leg takes, and the losses, which never give; without losses they are equal."""
    motion = path.sample(401)
    torque, legs = _torque(machine, choice, motion)
    drive = choice.options[0].drive
    load = gough.inverse_dynamics(choice.options[0].on(machine), motion).force
    lost = torque * drive.ratio * legs.rate - load * legs.rate
    assert (lost >= -1e-9).all()
    assert lost.max() > 1.0
    lossless = Catalogue(
        {"M": replace(MOTOR, drag=0.0, curve=None)},
        {"G": replace(GEAR, efficiency=1.0, drag=0.0)},
        {"S": replace(SCREW, efficiency=1.0)},
    )
    free = select_drives(machine, [motion], lossless)
    torque, legs = _torque(machine, free, motion)
    load = gough.inverse_dynamics(free.options[0].on(machine), motion).force
    assert np.allclose(torque * free.options[0].drive.ratio * legs.rate, load * legs.rate)


def test_verdicts_on_either_side_of_what_is_needed(
    machine: gough.Platform, path: Any, choice: DriveChoice
) -> None:
    """A motor that gives what is needed at most holds; less than what is needed for sure is broken; between: open."""
    need = _check(choice, "motor rms torque")
    given = {
        HOLDS: need.need * 1.001,
        UNDECIDED: 0.5 * (need.need + need.least),
        BROKEN: need.least * 0.999,
    }
    motors = {
        status: replace(MOTOR, continuous_torque=torque, curve=None)
        for status, torque in given.items()
    }
    found = select_drives(machine, [path], Catalogue(motors, {"G": GEAR}, {"S": SCREW}))
    assert [o.status for o in found.options] == [HOLDS, UNDECIDED, BROKEN]
    assert [o.motor for o in found.options] == [HOLDS, UNDECIDED, BROKEN]
    assert found.options[0].reasons() == ()
    assert "motor rms torque: undecided: between" in found.options[1].reasons()[0]
    assert "motor rms torque: broken: at least" in found.options[2].reasons()[0]
    assert found.holding == found.options[:1]


def test_samples_are_never_called_a_proof(machine: gough.Platform, path: Any) -> None:
    found = select_drives(machine, [path.sample(51)], ONE)
    assert found.options[0].status == SAMPLED
    assert "proved" not in found.options[0].status
    assert "sampled at 51 instants" in found.judged[0]


def test_each_part_is_judged_by_what_it_bears(machine: gough.Platform, path: Any) -> None:
    """Planted: one number of a part too small breaks exactly its own check."""
    spoiled = {
        "motor speed": {"motor": replace(MOTOR, peak_speed=20.0, curve=None)},
        "motor rms speed": {"motor": replace(MOTOR, rated_speed=5.0)},
        "motor torque at its speed": {"motor": replace(MOTOR, peak_torque=1.0, curve=None)},
        "gear output torque": {"gear": replace(GEAR, peak_torque=1.0)},
        "gear input speed": {"gear": replace(GEAR, max_speed=1.0)},
        "screw load": {"screw": replace(SCREW, max_load=100.0)},
        "screw speed": {"screw": replace(SCREW, max_speed=1.0)},
        "buckling": {"screw": replace(SCREW, root_diameter=0.005)},
        "screw life": {"screw": replace(SCREW, dynamic_load=100.0)},
    }
    motion = path.sample(41)
    for name, part in spoiled.items():
        parts = {"motor": MOTOR, "gear": GEAR, "screw": SCREW} | part
        catalogue = Catalogue({"M": parts["motor"]}, {"G": parts["gear"]}, {"S": parts["screw"]})
        option = select_drives(machine, [motion], catalogue, life=100.0).options[0]
        broken = {c.name for c in option.checks if c.use > 1.0}
        extra = {"motor torque at its speed"} if name == "motor speed" else set()
        assert broken == {name} | extra


def test_cranks_get_no_screw_and_mixed_machines_two_choices(path: Any) -> None:
    cranks = gough.load("servo-hexapod")
    assert cranks.home is not None
    motion = gough.trajectory.harmonic(
        cranks.home, [0, 0, 0.005, 0, 0, 0], [1.0], duration=1.0
    ).sample(41)
    found = select_drives(cranks, [motion], ONE)
    option = found.options[0]
    assert option.screw == ""
    assert option.life_h is None
    assert option.as_dict()["drive"]["ratio_unit"] == "rad/rad"
    assert option.drive.ratio == GEAR.ratio
    torque, _ = _torque(cranks, found, motion)
    assert np.abs(torque).max() <= _check(found, "motor torque at its speed").need * (1 + 1e-9)
    with pytest.raises(gough.InputError, match="move along a line"):
        select_drives(gough.load("motion-base-1500"), [motion], Catalogue({"M": MOTOR}))


def test_the_example_file_is_read_and_its_mistakes_are_named(tmp_path: Path) -> None:
    found = load_catalogue(EXAMPLE)
    assert found.note == "every number is invented"
    assert found.screws["32x10"].lead == pytest.approx(0.01)
    assert found.motors["servo-2"].torque_at(np.array([0.0, 1e4]))[1] == 0.0
    text = EXAMPLE.read_text(encoding="utf-8")
    bad = tmp_path / "bad.toml"
    wrong = text.replace('["3000 rpm", "18 N m"]', '["3000 rpm", "25 N m"]').replace(
        "lead =", "leed =", 1
    )
    bad.write_text(wrong, encoding="utf-8")
    with pytest.raises(gough.InputError) as error:
        load_catalogue(bad)
    said = str(error.value)
    assert "motors.servo-2.curve" in said
    assert "torques never rising" in said
    assert "leed" in said


def test_rating_life_is_the_standards_formula() -> None:
    """A load of C lasts a million turns, half of it eight times as long (balls); the mean is cubic over turns."""
    turns = np.full(4, 0.25)
    assert rating_life.cycles(1e4, np.full(4, 1e4), turns, 3.0) == pytest.approx(1e6)
    assert rating_life.cycles(1e4, np.full(4, 5e3), turns, 3.0) == pytest.approx(8e6)
    mixed = np.array([1e3, 1e3, 4e3, 4e3])
    mean = ((mixed**3).mean()) ** (1 / 3)
    assert rating_life.cycles(1e4, mixed, turns, 3.0) == pytest.approx(1e6 * (1e4 / mean) ** 3)


def test_bearings_of_a_motion(machine: gough.Platform, path: Any) -> None:
    found = bearing_life(machine, path, base_rating=2e4, platform_rating=1e4)
    t = np.linspace(0.0, 1.0, 2001)
    motion = path(t)
    legs = gough.inverse_kinematics(machine, motion)
    load = np.linalg.norm(
        gough.inverse_dynamics(machine, motion).reactions.spherical_force, axis=-1
    )
    w = np.linalg.norm(motion.angular_velocity[:, None] - legs.angular_velocity, axis=-1)
    swept = w[:-1].mean(axis=0)
    P = ((load**3 * w)[:-1].mean(axis=0) / swept) ** (1 / 3)
    assert np.allclose(found.turn[1], swept, rtol=1e-3)
    assert np.allclose(found.load[1], P, rtol=1e-3)
    hours = 1e6 * (1e4 / P) ** 3 * 2 * np.pi / swept / 3600.0
    assert np.allclose(found.hours[1], hours, rtol=3e-3)
    assert "no proof between them" in found.judged
    roller = bearing_life(machine, path, base_rating=2e4, platform_rating=1e4, kind="roller")
    assert (roller.hours > found.hours).all()  # loads are below the rating
    assert found.as_dict()["legs"][0]["base"]["life_h"] > 0.0
    with pytest.raises(gough.InputError, match="kind"):
        bearing_life(machine, path, base_rating=1.0, platform_rating=1.0, kind="needle")


def test_what_never_turns_never_tires(machine: gough.Platform) -> None:
    assert machine.home is not None
    still = gough.trajectory.hold(machine.home, 1.0)
    found = bearing_life(machine, still, base_rating=2e4, platform_rating=1e4)
    assert np.isinf(found.hours).all()
    assert found.as_dict()["legs"][0]["base"]["life_h"] is None
