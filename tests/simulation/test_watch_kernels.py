"""The compiled look after a step, margin by margin and leg by leg: bits, suspicions, what is kept and counted."""

from __future__ import annotations

import numpy as np
import pytest

from gough.checks import Array
from gough.simulation import watch_kernel
from gough.simulation.events import BASE, FORCE, HIGH, LOW, MARGINS, PLATFORM, SINGULAR, SPEED
from gough.simulation.watch import LIMITS, MARKS, SLOTS, WATCH
from gough.simulation.watch_kernel import bits_of, condition, look

H = 0.01  # s
ROWS = 4  # of a state
ELEVEN = 11  # steps of a call find room for suspicions: docs/simulation.md tells users so
PASSED = {
    "low": LOW,
    "high": HIGH,
    "speed": SPEED,
    "base": BASE,
    "platform": PLATFORM,
    "force": FORCE,
}


def limits(columns: int = 2) -> Array:
    """(LIMITS, columns): strokes 1 to 2, speeds to 3, cones of cosine 0.5, condition 10; different for every leg."""
    out, more = np.zeros(LIMITS.size), 0.01 * np.arange(6)
    out[LIMITS.low], out[LIMITS.high], out[LIMITS.speed] = 1.0 + more, 2.0 + more, 3.0 + more
    out[LIMITS.base], out[LIMITS.platform] = 0.5 + more, 0.6 + more
    out[LIMITS.screen], out[LIMITS.condition] = 8.0, 10.0
    return np.repeat(out[:, None], columns, axis=1)


def calm(columns: int = 1) -> tuple[Array, Array]:
    """Rows of WATCH and excess of commands, well inside everything; the wrench rows are a diagonal of condition 4."""
    W, C = np.zeros((WATCH.size + 1, columns)), np.full((6, columns), -1.0)
    W[WATCH.coordinate], W[WATCH.base], W[WATCH.platform] = 1.5, 0.9, 0.9
    W[WATCH.wrench] = np.diag([4.0, 3.0, 2.0, 1.0, 1.0, 1.0]).reshape(36, 1)
    W[WATCH.bound] = 6.0
    return W, C


def beyond(W: Array, C: Array, what: str, leg: int, column: int = 0) -> None:
    """Put one leg a hair beyond one limit, at rest."""
    at = limits()[:, column]
    if what == "low":
        W[WATCH.at("coordinate") + leg, column] = at[LIMITS.low][leg] - 1e-9
    elif what == "high":
        W[WATCH.at("coordinate") + leg, column] = at[LIMITS.high][leg] + 1e-9
    elif what == "speed":
        W[WATCH.at("rate") + leg, column] = (-1) ** leg * (at[LIMITS.speed][leg] + 1e-9)
    elif what == "force":
        C[leg, column] = 1e-9
    else:
        W[WATCH.at(what) + leg, column] = at[getattr(LIMITS, what)][leg] - 1e-9


def found(W: Array, C: Array, column: int = 0) -> tuple[int, int]:
    return bits_of(W, C, column, H, limits(), np.empty((6, 6)))


@pytest.mark.parametrize("leg", range(6))
@pytest.mark.parametrize("what", PASSED)
def test_each_margin_has_its_bit(what: str, leg: int) -> None:
    W, C = calm()
    assert found(W, C) == (0, 0)
    beyond(W, C, what, leg)
    assert found(W, C)[0] == 1 << (PASSED[what] + leg)


@pytest.mark.parametrize("leg", range(6))
@pytest.mark.parametrize("what", ["low", "high", "base", "platform"])
@pytest.mark.parametrize("share", [0.99, 1.01])
def test_what_came_back_fast_enough_is_suspected(what: str, leg: int, share: float) -> None:
    """Inside by less than it moves in a step, moving inwards: it may have been beyond; outwards never."""
    gap, rate = share * H * 2.0, 2.0
    for inwards in (True, False):
        W, C = calm()
        row = "coordinate" if what in ("low", "high") else what
        slope = {"low": "rate", "high": "rate", "base": "base_slope"}.get(what, "platform_slope")
        sign = -1.0 if what == "high" else 1.0
        W[WATCH.at(row) + leg] = limits()[getattr(LIMITS, what), 0][leg] + sign * gap
        W[WATCH.at(slope) + leg] = sign * rate * (1.0 if inwards else -1.0)
        bits, dips = found(W, C)
        assert bits == 0
        assert dips == ((1 << (PASSED[what] + leg)) if inwards and share < 1.0 else 0)


@pytest.mark.parametrize(
    ("bound", "factor", "seen"), [(7.9, 5.0, 0), (8.1, 2.0, 0), (8.1, 5.0, 1), (np.nan, 5.0, 1)]
)
def test_the_condition_is_computed_where_its_bound_does_not_do(
    bound: float, factor: float, seen: int
) -> None:
    W, C = calm()
    W[WATCH.wrench] = np.diag([factor * 4.0, 3.0, 2.0, 1.5, 1.2, 1.0]).reshape(36, 1)
    W[WATCH.bound] = bound
    assert found(W, C)[0] == seen << SINGULAR


class Run:
    """Steps of three runs, of which the kernel is given the last two."""

    def __init__(self) -> None:
        self.marks = np.zeros((MARKS.size, 3), dtype=np.int64)
        self.before = np.full((SLOTS, ROWS, 3), np.nan)
        self.step = -1

    def look(self, W: Array, C: Array) -> Array:
        self.step += 1
        self.states = np.arange(ROWS * 2.0).reshape(ROWS, 2) + 100.0 * self.step
        look(
            W,
            C,
            self.states,
            self.step,
            1,
            2,
            H,
            limits(),
            np.empty((6, 6)),
            self.marks,
            self.before,
        )
        return self.marks

    def of(self, name: str, run: int) -> Array:
        return self.marks[getattr(MARKS, name), run]


@pytest.mark.parametrize("what", PASSED)
def test_the_first_step_beyond_is_kept_with_the_state_before_it(what: str) -> None:
    run, (W, C) = Run(), calm(2)
    run.look(W, C)
    assert not run.marks.any()
    beyond(W, C, what, 3, column=1)
    for _ in range(2):  # beyond for two steps: once passed, once kept
        run.look(W, C)
    bit = 1 << (PASSED[what] + 3)
    assert not run.marks[:, :2].any()
    assert (run.of("now", 2), run.of("ever", 2), run.of("used", 2)) == (bit, bit, 1)
    assert run.of("step", 2)[0] == 1
    assert run.of("bits", 2)[0] == bit
    np.testing.assert_array_equal(run.of("count", 2), [bit >> b & 1 for b in range(MARGINS)])
    np.testing.assert_array_equal(run.before[0, :, 2], [101.0, 103.0, 105.0, 107.0])
    assert np.isnan(run.before[1:]).all()
    run.look(*calm(2))
    run.look(W, C)  # again: counted, not kept
    assert (run.of("now", 2), run.of("used", 2)) == (bit, 1)
    assert run.of("count", 2).sum() == 2
    run.look(*calm(2))
    assert run.of("now", 2) == 0


def suspected() -> tuple[Array, Array]:
    """Two runs, the first a little inside the low end of a leg's stroke and on the way back."""
    W, C = calm(2)
    W[WATCH.at("coordinate"), 0] = limits()[LIMITS.low, 0][0] + 0.5 * H
    W[WATCH.at("rate"), 0] = 1.0
    return W, C


def test_suspicions_are_kept_while_there_is_room_and_then_counted() -> None:
    run, (W, C) = Run(), suspected()
    for _ in range(ELEVEN + 3):
        run.look(W, C)
    assert (run.of("used", 1), run.of("missed", 1)) == (ELEVEN, 3)
    assert (run.of("now", 1), run.of("ever", 1)) == (0, 0)
    np.testing.assert_array_equal(run.of("dips", 1)[:ELEVEN], 1 << LOW)
    np.testing.assert_array_equal(run.of("step", 1)[:ELEVEN], range(ELEVEN))
    beyond(W, C, "speed", 2, column=0)  # a first time always finds a slot
    run.look(W, C)
    assert run.of("used", 1) == ELEVEN + 1
    assert run.of("bits", 1)[ELEVEN] == 1 << (SPEED + 2)


def test_first_times_take_room_from_suspicions() -> None:
    run, (W, C) = Run(), suspected()
    beyond(W, C, "speed", 2, column=0)
    run.look(W, C)
    assert (run.of("bits", 1)[0], run.of("dips", 1)[0]) == (1 << (SPEED + 2), 1 << LOW)
    for _ in range(ELEVEN):
        run.look(W, C)  # beyond still: no first time, a suspicion each
    assert (run.of("used", 1), run.of("missed", 1)) == (ELEVEN, 1)


@pytest.mark.parametrize("column", [0, 1])
@pytest.mark.parametrize("worst", [1.5, 30.0, 1e4])
def test_condition_numbers_are_those_of_the_singular_values(worst: float, column: int) -> None:
    """Rows in any direction and of any length, two of them alike, a diagonal: by NumPy's decomposition."""
    rng, scratch = np.random.default_rng(8), np.empty((6, 6))
    for trial in range(12):
        U, V = (np.linalg.qr(rng.normal(size=(6, 6)))[0] for _ in range(2))
        values = np.concatenate([[1.0, worst], rng.uniform(1.0, worst, 4)])
        matrix = U @ np.diag(values) @ V * 10.0 ** rng.uniform(-3, 3)
        if trial == 0:
            matrix = np.diag(values)
        W, _ = calm(2)
        W[WATCH.wrench, column] = matrix.ravel()
        assert condition(W, column, scratch) == pytest.approx(worst, rel=1e-9)


def test_rotations_converge_quadratically(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five sweeps are enough, as Python (the compiled kernel may take 30)."""
    monkeypatch.setattr(watch_kernel, "SWEEPS", 5)
    plain = getattr(condition, "py_func", condition)
    rng = np.random.default_rng(9)
    for _ in range(6):
        W, _ = calm()
        W[WATCH.wrench, 0] = rng.normal(size=36)
        exact = np.linalg.cond(W[WATCH.wrench, 0].reshape(6, 6))
        assert plain(W, 0, np.empty((6, 6))) == pytest.approx(exact, rel=1e-11)


def test_what_is_left_to_the_nearest_limit_is_known_to_rounding() -> None:
    """Of every leg: strokes and cones less what may be moved in a step, speeds, commands; and the bound of the
    condition number.  By NumPy, of runs in which each limit of each leg is the nearest once."""
    kinds = ("low", "high", "speed", "base", "platform", "force", "bound")
    each = [(kind, leg) for kind in kinds for leg in range(6)]
    rng, columns = np.random.default_rng(6), len(each)
    at, (W, C) = limits(columns), calm(columns)
    W[WATCH.rate] = rng.uniform(-1.0, 1.0, (6, columns))
    for name in ("base", "platform"):
        W[getattr(WATCH, f"{name}_slope")] = rng.uniform(-4.0, 4.0, (6, columns))
    for j, (kind, leg) in enumerate(each):
        limit = at[getattr(LIMITS, kind), j][leg] if kind not in ("force", "bound") else 0.0
        if kind == "speed":
            W[WATCH.at("rate") + leg, j] = (-1) ** leg * (limit - 0.01)
        elif kind == "force":
            C[leg, j] = -0.01
        elif kind == "bound":
            W[WATCH.at("bound"), j] = 7.99
        elif kind in ("low", "high"):
            W[WATCH.at("coordinate") + leg, j] = limit + (0.02 if kind == "low" else -0.02)
        else:
            W[WATCH.at(kind) + leg, j] = limit + 0.045
    c, r = W[WATCH.coordinate].copy(), np.abs(W[WATCH.rate])
    left = [c - at[LIMITS.low] - H * r, at[LIMITS.high] - c - H * r, at[LIMITS.speed] - r]
    for name in ("base", "platform"):
        moved = H * np.abs(W[getattr(WATCH, f"{name}_slope")])
        left.append(W[getattr(WATCH, name)] - at[getattr(LIMITS, name)] - moved)
    left += [-C, np.broadcast_to(at[LIMITS.screen] - W[WATCH.bound], (6, columns))]
    marks = np.zeros((MARKS.size, columns), dtype=np.int64)
    room, scratch = np.zeros((SLOTS, ROWS, columns)), np.empty((6, 6))
    look(W, C, np.zeros((ROWS, columns)), 0, 0, columns, H, at, scratch, marks, room)
    nearest = np.stack([value.min(axis=0) for value in left])
    np.testing.assert_allclose(W[-1], nearest.min(axis=0), rtol=1e-12, atol=1e-12)
    assert [kinds[k] for k in nearest.argmin(axis=0)] == [kind for kind, _ in each]
