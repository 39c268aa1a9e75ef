"""Parts of runs that need no kernel: curves inside steps, turns of spins, shares of threads, the usual trajectory."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gough
from gough.checks import Array
from gough.layout import SPINNING, STATE
from gough.simulation.compiled import BLOCK, parts_of, tableau_of
from gough.simulation.gym.goals import FREQUENCIES, USUAL, usual_trajectory
from gough.simulation.lookout import Slots
from gough.simulation.paths import Path, hermite, states_and_rates
from gough.simulation.programs import METHODS
from gough.simulation.state import spin_angle
from gough.spatial import Motion, Pose, rotation_exp, rpy_from_rotation

PLAIN = [k for k in range(STATE.size) if k not in range(STATE.size)[STATE.rotation]]


def cubic(t: Array) -> tuple[Array, Array]:
    """(K, STATE.size) third powers of time and their rates; rotations at rest."""
    c = np.random.default_rng(3).normal(size=(4, STATE.size))
    powers = np.stack([t**k for k in range(4)], axis=1)
    slopes = np.stack([k * t ** max(k - 1, 0) for k in range(4)], axis=1)
    X, rate = powers @ c, slopes @ c
    X[:, STATE.rotation], rate[:, STATE.rotation] = np.eye(3).ravel(), 0.0
    return X, rate


def test_third_powers_are_known_inside_their_steps() -> None:
    h = 0.2
    X, rate = cubic(h * np.arange(5))
    step, part = np.array([0, 1, 3, 3]), np.array([0.3, 0.0, 0.75, 1.0])
    found = hermite(X, rate, h, step, part)
    np.testing.assert_allclose(found.T, cubic(h * (step + part))[0], atol=1e-12)


def test_rotations_inside_a_step_are_rotations() -> None:
    R = rotation_exp(np.array([[0.0, 0, 0], [0.3, -0.2, 0.1]]))
    X = np.zeros((2, STATE.size))
    X[:, STATE.rotation] = R.reshape(2, 9)
    found = hermite(X, np.zeros_like(X), 0.1, np.zeros(3, dtype=int), np.array([0.2, 0.5, 0.9]))
    inside = found[STATE.rotation].T.reshape(3, 3, 3)
    gap = inside @ np.swapaxes(inside, 1, 2) - np.eye(3)
    assert np.abs(gap).max() < 1e-12
    np.testing.assert_allclose(np.linalg.det(inside), 1.0)


def test_rates_of_states_are_their_differences() -> None:
    path = gough.trajectory.harmonic(
        Pose([0.1, 0.2, 0.9], rotation_exp([0.1, 0.2, -0.1])), [0.1, 0.2, 0.05, 0.2, 0.1, 0.3], 0.8
    )
    h, t = 1e-5, np.array([0.1, 0.5, 0.9])
    X, rate = states_and_rates(path(t))
    ahead, behind = (states_and_rates(path(t + s * h))[0] for s in (1.0, -1.0))
    np.testing.assert_allclose(rate, (ahead - behind) / (2 * h), atol=1e-6)
    np.testing.assert_array_equal(X[:, STATE.position], path(t).position)


def test_times_inside_uneven_steps() -> None:
    times = np.array([0.0, 0.5, 2.0, 2.25])
    given: Any = SimpleNamespace()
    path = Path(given, times, given, given)
    none = np.zeros((0, 3))
    step, part = np.array([0, 1, 2]), np.array([0.5, 0.2, 1.0])
    slots = Slots(np.zeros(3, dtype=int), step, np.zeros(3, dtype=int), part > 2, none, none)
    np.testing.assert_allclose(path.time(slots, part), [0.25, 0.8, 2.25])
    assert path.time(slots, part)[2] == times[3]


@pytest.mark.parametrize("n", [0, 1, 2 * BLOCK - 1, 2 * BLOCK, 4 * BLOCK, 11 * BLOCK + 3])
@pytest.mark.parametrize("workers", [1, 2, 5])
def test_runs_are_shared_by_threads_once_each(n: int, workers: int) -> None:
    """In order, evenly, no thread without two blocks of its own, and none more than there are."""
    parts = parts_of(n, workers)
    assert [k for part in parts for k in range(n)[part]] == list(range(n))
    assert 1 <= len(parts) <= workers
    sizes = [part.stop - part.start for part in parts]
    assert max(sizes) - min(sizes) <= 1
    assert len(parts) == 1 or min(sizes) >= 2 * BLOCK
    assert len(parts) == workers or n < 2 * BLOCK * (len(parts) + 1)


@pytest.mark.parametrize("name", METHODS)
def test_a_tableau_tells_every_stage_its_weight_and_its_inputs(name: str) -> None:
    """Where the next stage lies, what this one counts, and whether it sees the start, the middle or the end."""
    method = METHODS[name]
    rows = np.array(tableau_of(method))
    assert len(rows) == len(method.nodes) == len(method.weights)
    np.testing.assert_array_equal(rows[:, 1], method.weights)
    np.testing.assert_array_equal(rows[:-1, 0], method.nodes[1:])
    np.testing.assert_array_equal(rows[:, 2], 2.0 * np.array(method.nodes))
    np.testing.assert_array_equal(rows[:, 3], [6, *[0] * (len(rows) - 1)])


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_spins_keep_their_whole_turns(axis: int | None) -> None:
    """Cosine and sine tell the angle, its integral the turns, even where that has drifted by a tenth."""
    rng = np.random.default_rng(1)
    angle = rng.uniform(-30.0, 30.0, size=(4, 6, 3))
    X = np.zeros((4, SPINNING.size, 3))
    X[:, SPINNING.spin_cosine], X[:, SPINNING.spin_sine] = np.cos(angle), np.sin(angle)
    X[:, SPINNING.spin_angle] = angle + rng.uniform(-0.1, 0.1, size=angle.shape)
    if axis == 1:
        np.testing.assert_allclose(spin_angle(X, 1), angle, atol=1e-12)
        return
    found = spin_angle(X[2]) if axis is None else spin_angle(X[2], axis)
    np.testing.assert_allclose(found, angle[2], atol=1e-12)


def test_the_usual_trajectory_is_three_sines_within_the_reach() -> None:
    """Each coordinate by its own phase, a sixth of a turn after the one before; positions by the reach, angles by the
    tilt, of which the amplitudes are shares."""
    home = Pose([0.1, -0.2, 0.8])
    ranges: Any = SimpleNamespace(reach=0.05, tilt=0.12)
    path = usual_trajectory(home, ranges, 7.0)
    assert path.duration == 7.0
    t = np.arange(400) * 0.01  # two periods of the slowest
    motion = path(t)
    away = np.concatenate([motion.position - home.position, rpy_from_rotation(motion.rotation)], 1)
    lines = np.fft.rfft(away, axis=0)[1:] * 2.0 / len(t)
    size = np.repeat([ranges.reach, ranges.tilt], 3)
    places = [round(4.0 * f) - 1 for f in FREQUENCIES]
    np.testing.assert_allclose(np.abs(lines[places]), np.outer(USUAL, size), rtol=1e-9)
    others = np.delete(np.abs(lines), places, axis=0)
    assert others.max() < 1e-9
    assert (np.abs(away) <= size * (1 + 1e-9)).all()
    slowest = np.unwrap(np.angle(lines[places[0]]))
    np.testing.assert_allclose(np.diff(slowest), np.pi / 3, atol=1e-9)


def test_a_motion_of_a_state_is_that_motion() -> None:
    motion = Motion(
        [0.1, 0.2, 0.3], rotation_exp([0.1, 0.0, 0.2]), [1.0, 2.0, 3.0], [0.1, 0.2, 0.3]
    )
    state = gough.simulation.State(motion)
    for name in STATE.names:
        np.testing.assert_array_equal(getattr(state.motion, name), getattr(motion, name))
    assert not state.motion.acceleration.any()
    plain = gough.simulation.State([0.0, 0.0, 1.0])
    np.testing.assert_array_equal(plain.rotation, np.eye(3))
    assert not plain.velocity.any()
    assert not plain.angular_velocity.any()
