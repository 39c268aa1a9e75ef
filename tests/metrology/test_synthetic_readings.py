"""Synthetic readings and residuals before: planted errors are what is found again, and nothing is said of more."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import gough
from gough.checks import InfeasibleError, InputError
from gough.kinematics.inverse import inverse_kinematics
from gough.metrology import PointSensor, PoseSensor, TiltSensor, calibrate, reachable_poses
from gough.metrology.nominal import nominal_residuals
from gough.metrology.planning import plan_poses, write_plan
from gough.metrology.trials import SyntheticReadings, synthetic_readings
from gough.metrology.unknowns import short_words, unknown_groups, unknowns
from gough.model.files import presets
from gough.model.numbers import places

TRACKER = {"tracker": PoseSensor(2e-5, 2e-5)}


def made(name: str, count: int = 30, error: float = 5e-4, **more: object) -> SyntheticReadings:
    platform = gough.load(name)
    given: dict = {"sigma": 5e-6, "seed": 3} | more
    error = error * platform.characteristic_length
    return synthetic_readings(
        platform, reachable_poses(platform, count, 1), TRACKER, error=error, **given
    )


def arguments(trial: SyntheticReadings) -> dict:
    return {"length": trial.length, "readings": trial.readings, "sigma": trial.sigma}


@pytest.mark.parametrize("name", ["motion-base-1500", "hexaglide", "servo-hexapod"])
def test_the_planted_numbers_are_those_of_the_machine_that_was_read(name: str) -> None:
    trial, nominal = made(name), gough.load(name)
    known = places(trial.platform)
    assert trial.planted == {key: known[key].value for key in unknowns(nominal).names}
    quiet = made(name, sigma=1e-12)
    coordinate = inverse_kinematics(quiet.platform, quiet.pose).length
    np.testing.assert_allclose(
        quiet.length, gough.readings(quiet.platform, coordinate), rtol=0, atol=1e-10
    )
    found = calibrate(nominal, **arguments(trial))
    low, high = found.interval()
    true = np.array([trial.planted[key] for key in found.names])
    seen = found.spectrum.seen
    assert ((low <= true) & (true <= high))[seen].mean() >= 0.85
    assert found.likelihood is not None
    assert found.likelihood > 1e-3


def test_only_what_is_looked_for_is_off() -> None:
    trial = made("motion-base-1500", find=["L2.joint", "zero"])
    nominal, now = places(gough.load("motion-base-1500")), places(trial.platform)
    off = {key for key in nominal if nominal[key].value != now[key].value}
    assert off == {f"L2.joint.{x}" for x in "xyz"} | {f"L{i}.encoder.zero" for i in range(1, 7)}


def test_the_same_seed_reads_the_same_and_another_does_not() -> None:
    one, again, other = (made("motion-base-1500", 6, seed=seed) for seed in (5, 5, 6))
    assert np.array_equal(one.length, again.length)
    assert not np.array_equal(one.length, other.length)


def test_points_and_tilts_are_read_with_their_noise() -> None:
    platform = gough.load("motion-base-1500")
    poses = reachable_poses(platform, 400, 2)
    sensors = {
        "p": PointSensor(np.array([0.1, 0.0, 0.2]), 1e-4),
        "t": TiltSensor(np.eye(3)[0], 1e-3),
    }
    trial = synthetic_readings(platform, poses, sensors, sigma=1e-6, error=0.0, seed=1)
    point = trial.readings["p"][1] - (poses.position + poses.rotation @ sensors["p"].point)
    tilt = trial.readings["t"][1][:, 0] - np.arcsin(poses.rotation[:, 2, 0])
    assert point.std() == pytest.approx(1e-4, rel=0.1)
    assert tilt.std() == pytest.approx(1e-3, rel=0.15)


def test_poses_that_the_built_machine_does_not_reach_are_left_out() -> None:
    """A servo hexapod whose parts are off by a hundredth of its size does not reach all that the drawn one reaches."""
    trial = made("servo-hexapod", 120, error=2e-2, seed=3)
    assert 0 < len(trial.pose) < 120
    assert len(trial.length) == len(trial.pose)
    assert np.isfinite(trial.length).all()


def test_errors_that_are_none_of_building_are_refused() -> None:
    with pytest.raises(InputError, match="5 % of the machine's size"):
        made("motion-base-1500", 5, error=0.06)
    with pytest.raises(InputError, match="error"):
        made("motion-base-1500", 5, error=-1e-3)


def test_a_machine_that_reaches_nothing_says_so() -> None:
    platform = gough.load("motion-base-1500")
    far = gough.Pose.from_rpy([[0.0, 0.0, 1e4]], [[0.0, 0.0, 0.0]])
    small = gough.load("servo-hexapod")
    with pytest.raises(InfeasibleError, match="reaches none of these poses"):
        synthetic_readings(small, far, TRACKER, sigma=1e-6, error=0.0)
    assert len(synthetic_readings(platform, far, TRACKER, sigma=1e-6, error=0.0).pose) == 1


@pytest.mark.parametrize("name", ["motion-base-1500", "servo-hexapod"])
def test_residuals_before_are_noise_without_errors_and_more_with_them(name: str) -> None:
    platform = gough.load(name)
    for error, low, high in ((0.0, 0.8, 1.2), (5e-4, 5.0, 1e4)):
        trial = made(name, 40, error)
        before = nominal_residuals(platform, **arguments(trial))
        after = calibrate(platform, **arguments(trial))
        assert before is not None
        spread = {"actuator": trial.sigma, "tracker": TRACKER["tracker"].spread()}
        chi = sum(float(((before[key] / s) ** 2).sum()) for key, s in spread.items())
        free = 6 * len(trial.pose)  # twelve readings a pose, of which its six numbers take six
        assert low < np.sqrt(chi / free) < high
        assert after.chi_square < chi


def test_residuals_before_do_not_depend_on_the_start() -> None:
    """The poses are fitted, not taken as read: from poses moved by millimeters the same residuals."""
    platform, trial = gough.load("motion-base-1500"), made("motion-base-1500", 8)
    moved = gough.Pose(trial.pose.position + 3e-3, trial.pose.rotation)
    one = nominal_residuals(platform, **arguments(trial))
    other = nominal_residuals(platform, **arguments(trial), start=moved)
    assert one is not None
    assert other is not None
    for key, values in one.items():
        assert np.abs(values - other[key]).max() < 1e-8


@pytest.mark.filterwarnings("ignore::gough.ModelWarning")
def test_groups_hold_every_number_once() -> None:
    for name in presets():
        platform = gough.load(name)
        groups = unknown_groups(platform)
        members = [unknowns(platform, group.name).names for group in groups]
        assert [len(names) for names in members] == [group.count for group in groups]
        together = [key for names in members for key in names]
        assert len(together) == len(set(together))
        usual = {
            k for names, group in zip(members, groups, strict=True) for k in names if group.usual
        }
        assert usual == set(unknowns(platform).names)


@pytest.mark.filterwarnings("ignore::gough.ModelWarning")
def test_short_words_mean_the_same_numbers_in_the_same_order() -> None:
    """Also where a leg is called like a group: its word would mean more."""
    rng = np.random.default_rng(3)
    for name in ("motion-base-1500", "hexaglide", "screw-hexapod", "servo-hexapod"):
        platform = gough.load(name)
        every = [key for group in unknown_groups(platform) for key in group.names]
        for share in (0.1, 0.5, 0.95, 1.0):
            chosen = [key for key in every if rng.random() < share] or every[:1]
            words = short_words(platform, chosen)
            assert unknowns(platform, words).names == unknowns(platform, chosen).names
        whole = short_words(platform, every)
        assert whole == [group.name for group in unknown_groups(platform)]
    legs = gough.load("motion-base-1500").legs
    odd = gough.load("motion-base-1500").replace(
        legs=(legs[0].replace(name="base"), *legs[1:]),
    )
    chosen = unknown_groups(odd)[0].names
    assert unknowns(odd, short_words(odd, chosen)).names == chosen
    assert unknowns(odd, "base").names != chosen, "the word means the leg too"


def test_a_plan_is_a_table_whatever_legs_are_called(tmp_path: Path) -> None:
    """Names with commas and quotes stay one column, and none starts a formula in a spreadsheet."""
    names = ["=1+2", "a, b", '"x"', "+4", "-5", "@6"]
    machine = gough.load("positioner-300")
    machine = machine.replace(
        legs=tuple(leg.replace(name=n) for leg, n in zip(machine.legs, names, strict=True))
    )
    plan = plan_poses(machine, 9, TRACKER, sigma=5e-6, seed=3)
    with write_plan(machine, plan, tmp_path / "plan.csv").open(newline="") as file:
        head, *rows = csv.reader(file)
    assert [h.split(" [")[0].removeprefix("'") for h in head[6:]] == names
    assert all(h[0] not in "=+-@" for h in head)
    assert np.array([[float(x) for x in row] for row in rows]).shape == (9, 12)
