"""What residuals of more sensors than six amount to: consistent, one sensor out, a fault of nobody, or no pose."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2

from gough import status
from gough.checks import Array
from gough.kinematics.estimation import FAULT, UNDETERMINED, WORST, PoseEstimate, _Sensors
from gough.spatial import Pose, rotation_exp, rotation_log
from support.forward_machines import HOME, machine

LEVEL = 1e-3


class Wire:
    """Stands for a sensor with a name."""

    name = "wire"


def task(extra: int = 4) -> _Sensors:
    return _Sensors(machine("UPS"), np.zeros(6), np.ones(6), (Wire(),) * extra)


def judged(
    monkeypatch: pytest.MonkeyPatch, e: Array, D: Array, owner: list[int], then: Any = None
) -> tuple[PoseEstimate, list[list[int]]]:
    """The verdict about least residuals e of rows D; `then` is what is left without the first that is taken out."""
    asked: list[list[int]] = []

    def least(self: Any, start: Pose, out: list[int]) -> Any:
        asked.append(list(out))
        return then if out else (HOME, e, D, np.array(owner))

    monkeypatch.setattr(_Sensors, "_least", least)
    return task().estimate(HOME, LEVEL), asked


def repeated(times: int) -> Array:
    """(5 + times, 6): one row for each unknown, the first of them measured this many times."""
    return np.vstack([np.eye(6), np.tile(np.eye(6)[0], (times - 1, 1))])


def test_six_rows_have_nothing_to_contradict(monkeypatch: pytest.MonkeyPatch) -> None:
    """However large their residuals: the pose is what they say, its covariance is (D^T D)^-1."""
    D = np.diag([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]) + 0.3
    found, _ = judged(monkeypatch, np.full(6, 1e3), D, list(range(6)))
    assert found.status is status.CONVERGED
    assert found.consistent
    assert found.redundancy == 0
    assert found.chi2 == pytest.approx(6e6)
    np.testing.assert_allclose(found.covariance, np.linalg.inv(D.T @ D), rtol=1e-9)
    assert all(np.isnan(w).all() for w in found.test.values())
    assert repr(found) == "<PoseEstimate: converged; chi2 6e+06 of 0, all sensors in use>"


@pytest.mark.parametrize("direction", [0, 2, 3, 5])
def test_rows_that_leave_a_direction_open_determine_no_pose(
    direction: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the smallest of all singular values over the largest, in units of the machine's size."""
    for share, determined in ((1.1, True), (0.9, False), (0.0, False)):
        values = np.where(np.arange(6) == direction, share * WORST, 1.0)
        found, _ = judged(monkeypatch, np.zeros(6), np.diag(values / task().unit), list(range(6)))
        assert (found.status is status.CONVERGED) is determined
        if not determined:
            assert found.status is UNDETERMINED
            assert found.pose.position.shape == (3,)
            assert found.pose.rotation.shape == (3, 3)
            assert np.isnan(found.pose.rotation).all()
            assert np.isinf(found.covariance).all()
            assert found.covariance.shape == (6, 6)
            assert (found.chi2, found.redundancy, found.test) == (np.inf, 0, {})
            assert not found.consistent


def test_residuals_are_tested_by_what_they_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of three equal sensors each residual has the variance 2/3; what is measured once cannot be tested."""
    e = np.array([0.2, 0.0, 0.0, 0.0, 0.0, 0.0, -0.5, 0.3])
    found, _ = judged(monkeypatch, e, repeated(3), list(range(8)))
    assert found.consistent
    assert found.redundancy == 2
    assert found.chi2 == pytest.approx(e @ e)
    first = f"leg {machine('UPS').leg_names[0]}"
    for name, due in ((first, 0.2), ("wire 1", -0.5), ("wire 2", 0.3)):
        assert found.test[name] == pytest.approx([due / np.sqrt(2 / 3)])
    alone = list(found.test.values())[1:6]
    assert all(np.isnan(w).all() and w.shape == (1,) for w in alone)
    assert found.test["wire 3"].shape == (0,)


@pytest.mark.parametrize("share", [0.99, 1.01])
def test_the_limit_is_that_of_the_degrees_of_freedom(
    share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beyond it the sensor with the largest test goes, and the rest is solved again."""
    e = np.zeros(9)
    e[[0, 6, 7, 8]] = [-3.0, 1.0, 1.0, 1.0]
    e *= np.sqrt(share * chi2.isf(LEVEL, 3) / (e @ e))
    rest = (HOME, np.zeros(8), np.delete(repeated(4), 0, axis=0), np.arange(1, 9))
    found, asked = judged(monkeypatch, e, repeated(4), list(range(9)), rest)
    assert found.consistent
    if share < 1.0:
        assert asked == [[]]
        assert found.outliers == ()
        assert found.redundancy == 3
    else:
        assert asked == [[], [0]]
        assert found.outliers == (f"leg {machine('UPS').leg_names[0]}",)
        assert f"without leg {machine('UPS').leg_names[0]}" in repr(found)
        assert found.redundancy == 2
        assert found.chi2 == 0.0


def test_two_sensors_that_contradict_each_other_are_not_told_apart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    e = np.zeros(7)
    e[[0, 6]] = [30.0, -30.0]
    found, asked = judged(monkeypatch, e, repeated(2), list(range(7)))
    assert asked == [[]]
    assert found.status is FAULT
    assert not found.consistent
    assert found.outliers == ()
    assert found.pose is HOME
    assert found.chi2 == pytest.approx(1800.0)


@pytest.mark.parametrize("redundant", [1, 2, 3])
def test_a_sensor_goes_with_all_its_rows_where_enough_remain(
    redundant: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two rows of one sensor see the same unknown as `redundant` - 1 others: with none or too few it cannot go."""
    D = np.vstack([np.eye(6)[1:], np.tile(np.eye(6)[0], (redundant + 1, 1))])
    e = np.zeros(len(D))
    e[5:7] = [40.0, -40.0] if redundant == 1 else [40.0, 41.0]
    e[7:] = -e[5:7].sum() / max(redundant - 1, 1)
    owner = [*range(5), 6, 6, *range(7, 6 + redundant)]
    rest = (HOME, np.zeros(7), repeated(2), np.arange(7))
    found, asked = judged(monkeypatch, e, D, owner, rest)
    if redundant == 1:
        assert found.status is FAULT
        assert asked == [[]]
    elif redundant == 2:  # without it the third alone says where: nothing is redundant then
        assert asked[1:] in ([[6]], [[7]])
    else:
        assert len(asked) == 2
        assert len(found.outliers) == 1


def linear(monkeypatch: pytest.MonkeyPatch, D: Array, e: Array) -> None:
    """Sensors whose residuals are ``e - D x`` of shift and rotation vector x."""

    def used(self: Any, pose: Pose, out: list[int]) -> tuple[Array, Array, Array]:
        x = np.concatenate([pose.position, rotation_log(pose.rotation)])
        with np.errstate(invalid="ignore"):
            return e - D @ x, D, np.arange(len(e))

    monkeypatch.setattr(_Sensors, "_used", used)


def test_least_squares_are_found_and_too_few_or_spoiled_rows_are_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(2)
    D, e = rng.normal(size=(8, 6)), 0.1 * rng.normal(size=8)
    start = Pose(np.zeros(3), np.eye(3))
    linear(monkeypatch, D, e)
    found = task()._least(start, [])
    assert found is not None
    np.testing.assert_allclose(D.T @ found[1], 0.0, atol=1e-6)
    for rows in (5, 6):
        linear(monkeypatch, D[:rows], e[:rows])
        assert (task()._least(start, []) is None) is (rows < 6)
    for spoiled in (np.nan, np.inf):
        bad = D.copy()
        bad[7, 3] = spoiled
        linear(monkeypatch, bad, e)
        assert task()._least(start, []) is None
        linear(monkeypatch, D, np.where(np.arange(8) == 2, spoiled, e))
        assert task()._least(start, []) is None
    flat = D.copy()
    flat[:, 4] = 0.0
    linear(monkeypatch, flat, e)
    assert task()._least(start, []) is None


@pytest.mark.parametrize("worse", [np.nan, 1.0])
def test_a_step_that_no_halving_makes_better_is_no_answer(
    worse: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Residuals that grow, or are none, wherever one goes from the start."""

    def used(self: Any, pose: Pose, out: list[int]) -> tuple[Array, Array, Array]:
        away = float(np.abs(pose.position).max()) > 0.0
        return np.full(6, 1.0 + (worse if away else 0.0)), np.eye(6), np.arange(6)

    monkeypatch.setattr(_Sensors, "_used", used)
    assert task()._least(Pose(np.zeros(3), rotation_exp([0.0, 0.0, 0.0])), []) is None


def test_steps_without_end_are_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Residuals that never become smaller, nor larger: after some steps nobody believes in them."""
    asked = []

    def used(self: Any, pose: Pose, out: list[int]) -> tuple[Array, Array, Array]:
        asked.append(pose.position[0])
        return np.full(6, 1e-3), np.eye(6), np.arange(6)

    monkeypatch.setattr(_Sensors, "_used", used)
    assert task()._least(Pose(np.zeros(3), np.eye(3)), []) is None
    np.testing.assert_allclose(np.diff(asked), 1e-3)  # whole steps
