"""One run of a batch that cannot go on ends with its own status; the runs beside it do not notice."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import gough
from gough.control import ComputedForce, Sampling
from gough.control.signals import Measurement, Reference

PUSH = 1e9  # times the static efforts: a run so pushed diverges at once


@pytest.fixture(scope="module")
def machine() -> gough.Platform:
    return gough.load("motion-base-1500")


def run_batch(
    machine: gough.Platform, controller: Callable[..., np.ndarray], runs: int, **seen: object
) -> gough.simulation.Dataset:
    home = machine.require_home()
    shift = 0.01 * np.arange(runs)[:, None] * np.array([1.0, 0.0, 0.0])
    start = gough.Pose(home.position + shift, np.broadcast_to(home.rotation, (runs, 3, 3)))
    sampling = Sampling(rate=100.0, **seen)  # type: ignore[arg-type]
    options = {"duration": 0.15, "drives": False, "reactions": False}
    return gough.simulate(machine, start, controller=controller, sampling=sampling, **options)


def pushed(machine: gough.Platform, which: int | None) -> Callable[..., np.ndarray]:
    inner, hold = ComputedForce(machine, 60.0), gough.inverse_dynamics(machine, machine.home).force

    def controller(t: float, measurement: Measurement, reference: Reference) -> np.ndarray:
        command = inner(t, measurement, reference).copy()
        if which is not None and t < 0.05:
            command[which] -= PUSH * hold
        return command

    return controller


@pytest.mark.parametrize("which", [0, 1, 2])
def test_a_diverging_run_with_forward_kinematics_ends_alone(
    machine: gough.Platform, which: int
) -> None:
    seen = {"pose": "forward-kinematics"}
    found = run_batch(machine, pushed(machine, which), 3, **seen)
    calm = run_batch(machine, pushed(machine, None), 3, **seen)
    for run in range(3):
        status = str(found.status.values[run])
        if run == which:
            assert status != "ok"
            assert found.end_time.values[run] < 0.15
        else:
            assert status == "ok"
            np.testing.assert_array_equal(found.position.values[run], calm.position.values[run])


def test_lengths_that_no_pose_has_end_their_run(machine: gough.Platform) -> None:
    """Noise of a meter: some leg is measured shorter than nothing, each run ends at its own time.

    It was an InputError of the forward kinematics out of `simulate`.
    """
    found = run_batch(machine, pushed(machine, None), 4, pose="forward-kinematics", noise=1.0)
    assert all("the measured coordinates belong to no pose" in s for s in found.status.values)
    assert len(set(found.end_time.values)) > 1


def test_only_the_run_with_such_lengths_ends(machine: gough.Platform) -> None:
    """Encoders so coarse that the legs of one run, a millimeter shorter than the others, are read as zero."""
    home, runs = machine.require_home(), 3
    lower = np.where(np.arange(runs) == 1, 1e-3, 0.0)[:, None] * np.array([0.0, 0.0, 1.0])
    start = gough.Pose(home.position - lower, np.broadcast_to(home.rotation, (runs, 3, 3)))
    length = gough.inverse_kinematics(machine, start).length
    coarse = 2.0 * (length[1].max() + 1e-5)
    assert (length[[0, 2]] > coarse / 2).all()
    sampling = Sampling(rate=100.0, quantization=coarse, pose="forward-kinematics")
    options = {"duration": 0.05, "drives": False, "reactions": False, "sampling": sampling}
    found = gough.simulate(machine, start, controller=Fragile(machine, ()), **options)
    told = [str(s) for s in found.status.values]
    assert told[0] == told[2] == "ok"
    assert "t = 0 s: the measured coordinates belong to no pose" in told[1]


class Fragile:
    """Holds the machine, and refuses a batch in which run `which` is seen more than `far` from its reference."""

    def __init__(
        self, machine: gough.Platform, which: tuple[int, ...], error: Exception | None = None
    ) -> None:
        self.hold = gough.inverse_dynamics(machine, machine.home).force
        self.which, self.error, self.calls = which, error, 0

    def __call__(self, t: float, measurement: Measurement, reference: Reference) -> np.ndarray:
        self.calls += 1
        off = np.abs(measurement.length - reference.length).max(axis=1)
        if any(off[run] > 1e-9 for run in self.which):
            assert self.error is not None
            raise self.error
        return np.broadcast_to(self.hold, measurement.length.shape)


@pytest.mark.parametrize(
    "error",
    [
        gough.InfeasibleError("too far"),
        gough.InputError("pose", 1, "too far"),
        np.linalg.LinAlgError("too far"),
    ],
)
def test_a_controller_that_refuses_some_runs(machine: gough.Platform, error: Exception) -> None:
    """The culprits are found among nine by halves; all others go on as if these had never been there."""
    controller = Fragile(machine, (2, 7), error)
    found = run_batch(machine, controller, 9)
    calm = run_batch(machine, Fragile(machine, (), error), 9)
    ended = ["too far" in str(s) for s in found.status.values]
    assert ended == [run in (2, 7) for run in range(9)]
    assert controller.calls < 15 + 2 * 2 * 5 + 3
    kept = [run for run in range(9) if run not in (2, 7)]
    np.testing.assert_array_equal(found.length.values[kept], calm.length.values[kept])


def test_a_controller_that_fails_everywhere_is_no_run_s_fault(machine: gough.Platform) -> None:
    def broken(t: float, measurement: Measurement, reference: Reference) -> np.ndarray:
        raise gough.InputError("gain", -1.0, "must be positive")

    with pytest.raises(gough.InputError, match="gain"):
        run_batch(machine, broken, 3)
    with pytest.raises(gough.InputError, match="answered shape"):
        run_batch(machine, lambda t, measurement, reference: np.zeros((2, 6)), 3)
