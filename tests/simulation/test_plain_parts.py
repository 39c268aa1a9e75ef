"""Parts of runs that need no kernel: turns of spins, shares of threads, first times, the usual trajectory."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gough
from gough.layout import SPINNING, STATE
from gough.simulation import lookout as watching
from gough.simulation.compiled import BLOCK, advance, parts_of, tableau_of
from gough.simulation.events import MARGINS, NAME, Events
from gough.simulation.gym.goals import FREQUENCIES, USUAL, usual_trajectory
from gough.simulation.lookout import Lookout, Slots
from gough.simulation.programs import METHODS
from gough.simulation.state import spin_angle
from gough.simulation.watch import MARKS, SLOTS
from gough.spatial import Motion, Pose, rotation_exp, rpy_from_rotation


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


@pytest.mark.parametrize("machines", [False, True], ids=["one machine", "a machine each"])
@pytest.mark.parametrize("watched", [False, True])
def test_a_thread_gets_the_rows_of_its_own_runs(machines: bool, watched: bool) -> None:
    """What all runs share goes to every thread whole, what each run has of its own goes with the run."""
    n, own = 4 * BLOCK, np.arange(4.0 * BLOCK)
    par = np.tile(own[:, None], (1, 2)) if machines else np.array([7.0, 8.0])
    limits = np.tile(own[:, None], (1, 3)) if machines else np.full((1, 3), 5.0)
    marks, before = np.tile(np.arange(n), (2, 1)), np.tile(own, (1, 2, 1))
    seen: list[np.ndarray] = []

    def kernel(steps: int, every: int, step: float, *given: Any) -> None:
        state, effort, external, law, par, out, bad, first, limits, marks, before = given
        assert first == 0  # steps are counted from the start of the call
        runs = state[0]
        seen.append(runs)
        assert out.shape == (steps // every, 1, len(runs))
        assert len(bad) == len(runs)
        assert np.array_equal(effort[0, 0], runs)
        assert law.shape == external.shape == (1, 6, 1)
        for shared in (par, limits) if watched else (par,):
            assert np.array_equal(shared[:, 0], runs) if machines else len(shared) == 1
        if watched:
            assert np.array_equal(marks[0], runs)
            assert np.array_equal(before[0, 0], runs)

    alike = np.zeros((1, 6, 1))
    effort = np.tile(own, (1, 6, 1))
    watch = (limits, marks, before) if watched else None
    rest = {"external": alike, "law": alike, "par": par, "watch": watch, "workers": 2}
    out, _ = advance(kernel, own[None], 4, 2, 1e-3, effort=effort, **rest)  # type: ignore[arg-type]
    assert np.array_equal(np.sort(np.concatenate(seen)), own)
    assert len(seen) == 2
    assert out.shape == (2, 1, n)
    for alone in ({"workers": 1}, {}):
        seen.clear()
        _, bad = advance(kernel, own[None], 4, 2, 1e-3, effort=effort, **{**rest, **alone})  # type: ignore[arg-type]
        assert len(seen) == (1 if alone else 2)
        assert (bad == -1).all()


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


def test_first_times_are_read_from_their_slots_and_the_slots_are_emptied() -> None:
    """Run by run, slot by slot, margin by margin; what is off is not told; what was only suspected is a dip."""
    rows, runs = 5, 3
    lookout = Lookout.__new__(Lookout)
    lookout.events = Events(speed="off")
    lookout.marks = np.zeros((MARKS.size, runs), dtype=np.int64)
    lookout.before = np.arange(float(SLOTS * (rows + 6) * runs)).reshape(SLOTS, rows + 6, runs)
    speed, stroke, cone = NAME.index("speed"), NAME.index("stroke"), NAME.index("cone")
    last = MARGINS - 1
    kept = {  # run, slot: step, bits, dips
        (0, 0): (7, 1 << stroke | 1 << speed, 1 << cone),
        (0, 1): (9, 1 << last, 0),
        (2, 0): (4, 0, 1 << stroke | 1 << (stroke + 3)),
    }
    lookout.marks[MARKS.used] = [2, 0, 1]
    for (run, slot), values in kept.items():
        for name, value in zip(("step", "bits", "dips"), values, strict=True):
            lookout.marks[MARKS.at(name) + slot, run] = value
    assert lookout.saw
    found = lookout._slots()
    assert not lookout.saw
    told = list(zip(found.run, found.step, found.margin, found.dip, strict=True))
    assert told == [
        (0, 7, stroke, False),
        (0, 7, cone, True),
        (0, 9, last, False),
        (2, 4, stroke, True),
        (2, 4, stroke + 3, True),
    ]
    for k, slot in enumerate((0, 0, 1, 0, 0)):
        whole = lookout.before[slot, :, told[k][0]]
        np.testing.assert_array_equal(found.before[:, k], whole[:rows])
        np.testing.assert_array_equal(found.command[:, k], whole[rows:])
    assert len(lookout._slots().run) == 0


@pytest.mark.parametrize("dips", [True, False])
def test_a_dip_is_an_event_only_where_it_goes_beyond(
    dips: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two suspicions within a step, one of which stays short of the limit, and a margin that was surely passed: each
    located where it is zero, counted once where it was a dip, and marked as ever passed."""
    low = np.array(
        [0.01, -0.01, 0.0]
    )  # what is left at the deepest place; the third falls for good

    def margins(rows: Any, X: Any, events: Any) -> tuple[Any, Any]:
        which, part = X[0].astype(int), X[1]
        depth = np.where(which == 2, 0.3 - part, (part - 0.5) ** 2 + low[which])
        out = np.full((len(part), MARGINS), np.nan)
        out[np.arange(len(part)), 4 + which] = depth
        return out, 10.0 + out

    monkeypatch.setattr(watching, "judged", margins)
    lookout = Lookout.__new__(Lookout)
    lookout.rows, lookout.events = None, Events()  # type: ignore[assignment]
    lookout.marks = np.zeros((MARKS.size, 2), dtype=np.int64)
    pick = np.arange(3) if dips else np.array([2])
    slots = Slots(
        np.array([1, 1, 0])[pick],
        np.array([5, 6, 7])[pick],
        4 + np.arange(3)[pick],
        np.array([True, True, False])[pick],
        np.arange(3.0)[None, pick],
        np.zeros((6, len(pick))),
    )
    steps: Any = SimpleNamespace(
        states=lambda slots, part: np.stack([slots.before[0], part]),
        time=lambda slots, part: slots.step + part,
    )
    found = lookout._located(slots, steps)
    due = [(1, 5, 6.4), (0, 6, 7.3)] if dips else [(0, 6, 7.3)]
    assert [(x.event.run, x.event.margin) for x in found] == [(run, at) for run, at, _ in due]
    for x, (_, _, when) in zip(found, due, strict=True):
        assert x.event.time == pytest.approx(when, abs=1e-8)
        assert x.event.value == pytest.approx(10.0, abs=1e-8)
        assert x.state[1, 0] == pytest.approx(when % 1.0, abs=1e-8)
    counts = np.zeros((MARGINS, 2), dtype=int)
    counts[5, 1] = int(dips)
    np.testing.assert_array_equal(lookout.count, counts)
    assert lookout.marks[MARKS.ever].tolist() == [0, (1 << 5) * dips]
