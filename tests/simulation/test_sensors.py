"""What a controller reads: at the exact instant, with the errors that were asked for, and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xarray import Dataset

import gough
from gough.control import Decentralized, Sampling, Sensor
from gough.control.signals import Measurement, Reference
from gough.simulation import scenario
from gough.spatial import rotation_log

NAMES = ("force", "current", "acceleration", "angular_rate")


class Watching:
    """A controller that writes down what it reads."""

    def __init__(self, machine: gough.Platform, *more: str) -> None:
        self.inner = Decentralized.from_bandwidth(machine, bandwidth=30.0)
        self.more, self.kept = more, list[dict[str, np.ndarray]]()

    def __call__(self, t: float, seen: Measurement, wanted: Reference) -> np.ndarray:
        read = {name: np.array(getattr(seen, name)) for name in ("length", "rate", *self.more)}
        motion = seen.motion
        read |= {"position": motion.position.copy(), "rotation": motion.rotation.copy()}
        read |= {"velocity": motion.velocity.copy(), "turning": motion.angular_velocity.copy()}
        self.kept.append(read)
        return self.inner(t, seen, wanted)

    def read(self, name: str) -> np.ndarray:
        """(samples, ...) of the first run."""
        return np.stack([read[name][0] for read in self.kept])


@pytest.fixture(scope="module")
def machine() -> gough.Platform:
    return gough.load("motion-base-1500")


@pytest.fixture(scope="module")
def path() -> Any:
    return gough.trajectory.harmonic(
        ((0, 0, 1.15), (0.1, 0, 0)), [0.02, 0.01, 0.03, 0.02, 0, 0.01], 1.0, duration=3.0
    )


def run(
    machine: gough.Platform, path: Any, sampling: Sampling, *more: str
) -> tuple[Dataset, Watching]:
    watching = Watching(machine, *more)
    options = {"duration": 0.1, "step": 1e-3, "reactions": False, "reference": path}
    found = gough.simulate(machine, path(0.0), controller=watching, sampling=sampling, **options)
    assert found.attrs["status"] == "ok"
    return found, watching


@pytest.mark.parametrize("late", [0, 1, 3, 5, 12])
def test_the_measurement_is_that_of_its_instant(
    machine: gough.Platform, path: Any, late: int
) -> None:
    """Samples of five steps; delays of none, fractions of a sample, one, and more than two."""
    sampling = Sampling(rate=200.0, measurement_delay=late * 1e-3)
    found, watching = run(machine, path, sampling, *NAMES)
    at = np.maximum(5 * np.arange(20) - late, 0)
    for name in ("length", "rate"):
        np.testing.assert_allclose(watching.read(name), found[name].values[at], atol=1e-12)
        assert np.abs(watching.read(name) - found[name].values[at + 1]).max() > 1e-5  # one off
    np.testing.assert_allclose(watching.read("position"), found.position.values[at], atol=1e-14)
    np.testing.assert_allclose(watching.read("velocity"), found.velocity.values[at], atol=1e-14)
    R = watching.read("rotation")
    turning = np.einsum("kji,kj->ki", R, found.angular_velocity.values[at])
    np.testing.assert_allclose(watching.read("angular_rate"), turning, atol=1e-13)


@pytest.mark.parametrize("late", [0, 2, 5, 7])
def test_the_command_arrives_at_its_instant(machine: gough.Platform, path: Any, late: int) -> None:
    answers: list[np.ndarray] = []
    inner = Decentralized.from_bandwidth(machine, bandwidth=30.0)

    def controller(t: float, seen: Measurement, wanted: Reference) -> np.ndarray:
        answers.append(inner(t, seen, wanted)[0])
        return answers[-1]

    sampling = Sampling(rate=200.0, delay=late * 1e-3)
    options = {"duration": 0.1, "reactions": False, "reference": path, "sampling": sampling}
    found = gough.simulate(machine, path(0.0), controller=controller, **options)
    from_sample = np.maximum((np.arange(100) - late) // 5, 0)  # before the first arrives it is held
    np.testing.assert_array_equal(found.command.values[:100], np.array(answers)[from_sample])


def test_force_current_and_inertial_sensors(machine: gough.Platform, path: Any) -> None:
    """At a sample the drives still hold the command before; drives with friction, measured between two samples."""
    found, watching = run(machine, path, Sampling(rate=200.0, measurement_delay=2e-3), *NAMES)
    at = 5 * np.arange(1, 20) - 2
    np.testing.assert_allclose(watching.read("force")[1:], found.force.values[at], rtol=1e-9)
    ampere = np.array([leg.drive.ratio * leg.drive.torque_constant for leg in machine.legs])
    motor = found.motor_force.values[at] / ampere
    np.testing.assert_allclose(watching.read("current")[1:], motor, rtol=1e-9)
    R = watching.read("rotation")[1:]
    free = found.acceleration.values[at] - machine.gravity
    felt = np.einsum("kji,kj->ki", R, free)
    np.testing.assert_allclose(watching.read("acceleration")[1:], felt, atol=1e-9)
    assert np.abs(felt[:, 2] - 9.81).max() < 3.0  # upwards: gravity is felt as its opposite


def test_a_measurement_belongs_to_its_sample(machine: gough.Platform, path: Any) -> None:
    kept: list[Measurement] = []

    def controller(t: float, seen: Measurement, wanted: Reference) -> np.ndarray:
        kept.append(seen)
        return kept[0].force if len(kept) > 1 else np.zeros(6)

    with pytest.raises(gough.InputError, match="own sample"):
        gough.simulate(machine, path(0.0), duration=0.01, controller=controller)
    with pytest.raises(AttributeError, match="no torque"):
        kept[0].torque  # type: ignore[attr-defined]  # noqa: B018


SENSORS = {
    "rate": Sensor(noise=2e-3, bias=1e-2),
    "position": Sensor(noise=1e-4, bias=[1e-3, 0.0, -1e-3]),
    "rotation": Sensor(noise=2e-4, bias=[0.0, 2e-3, 0.0]),
    "velocity": Sensor(noise=1e-3),
    "angular_velocity": Sensor(noise=1e-3, bias=-5e-3),
    "force": Sensor(noise=5.0, bias=20.0),
    "acceleration": Sensor(noise=0.02, bias=[0.1, 0.0, 0.0]),
    "angular_rate": Sensor(noise=1e-3),
}


def test_noise_and_bias_are_as_large_as_asked(machine: gough.Platform, path: Any) -> None:
    """Mean and spread of 100 samples of each sensor (3, 6 or 18 numbers each), beside the truth of the same run."""
    found, watching = run(machine, path, Sampling(sensors=SENSORS, noise=1e-5, seed=7), *NAMES)
    true = {"rate": found.rate, "position": found.position, "velocity": found.velocity}
    true |= {"turning": found.angular_velocity, "length": found.length}
    sensors = {**SENSORS, "turning": SENSORS["angular_velocity"], "length": Sensor(noise=1e-5)}
    for name, value in true.items():
        error = watching.read(name) - value.values[:100] - sensors[name].bias
        spread = sensors[name].noise
        assert error.std() == pytest.approx(spread, rel=0.15)
        assert np.abs(error.mean()) < 5 * spread / np.sqrt(error.size)
        steps = error[1:] * error[:-1]
        assert np.abs(steps.mean()) < 0.3 * spread**2  # independent from sample to sample
    R = watching.read("rotation")
    assert np.abs(R @ np.swapaxes(R, 1, 2) - np.eye(3)).max() < 1e-12
    q = found.quaternion.values[:100]
    turn = rotation_log(R @ np.swapaxes(gough.Pose.from_quaternion(np.zeros(3), q).rotation, 1, 2))
    assert (turn - SENSORS["rotation"].bias).std() == pytest.approx(2e-4, rel=0.15)
    plain = run(machine, path, Sampling(noise=1e-5, seed=7))[1]
    first = watching.kept[0]["length"] - plain.kept[0]["length"]
    assert np.abs(first).max() == 0.0  # another sensor's noise does not change this one's


def test_quantized_readings_are_whole_steps(machine: gough.Platform, path: Any) -> None:
    step = {
        name: Sensor(quantization=1e-3) for name in ("rate", "position", "rotation", "velocity")
    }
    step |= {"force": Sensor(quantization=8.0), "angular_rate": Sensor(quantization=1e-2)}
    _, watching = run(machine, path, Sampling(sensors=step, quantization=1e-4), *NAMES)
    sizes = {"length": 1e-4, "rate": 1e-3, "position": 1e-3, "velocity": 1e-3, "force": 8.0}
    for name, size in {**sizes, "angular_rate": 1e-2}.items():
        whole = watching.read(name) / size
        assert np.abs(whole - np.round(whole)).max() < 1e-8
        assert np.abs(np.round(whole)).max() >= 1
    whole = rotation_log(watching.read("rotation")) / 1e-3
    assert np.abs(whole - np.round(whole)).max() < 1e-8


def test_bad_sensors_are_refused() -> None:
    for bad in (
        lambda: Sensor(noise=-1.0),
        lambda: Sensor(quantization=float("nan")),
        lambda: Sampling(sensors={"length": Sensor()}),
        lambda: Sampling(sensors={"height": Sensor()}),
        lambda: Sampling(sensors={"rate": 1e-3}),  # type: ignore[dict-item]
        lambda: Sampling(sensors={"position": Sensor(bias=[1.0, 2.0])}),
        lambda: Sampling(measurement_delay=-1e-3),
    ):
        with pytest.raises(gough.InputError):
            bad()


def test_a_scenario_says_its_sensors(machine: gough.Platform, tmp_path: Any) -> None:
    text = """
duration = 0.02
[controller]
kind = "gravity"
bandwidth = 20
[sampling]
measurement_delay = "2 ms"
[sampling.sensors.position]
noise = "0.1 mm"
bias = 1e-3
[sampling.sensors.angular_rate]
noise = "1 deg/s"
"""
    (tmp_path / "run.toml").write_text(text)
    seen = scenario.load_scenario(tmp_path / "run.toml").arguments(machine)["sampling"]
    assert seen.measurement_delay == pytest.approx(2e-3)
    assert seen.sensor("position").noise == pytest.approx(1e-4)
    assert float(seen.sensor("position").bias) == 1e-3
    assert seen.sensor("angular_rate").noise == pytest.approx(np.pi / 180)
