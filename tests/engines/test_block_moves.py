"""States and answers moved by eight: the same bits from arrays of every shape in memory, for every tail of a batch."""

from __future__ import annotations

import numpy as np
import pytest

from gough.engines import block_moves, native, pack
from gough.equations.machine import FUNCTIONS
from oracles.machines import case
from support.engine_states import blocks_of

MACHINE = case("UPS", seed=1, states=37)
KINDS, PARAMETERS = pack.kinds_of(MACHINE.platform), pack.parameters(MACHINE.platform)


def states(function: str, number: str = "float64") -> list[np.ndarray]:
    return [np.ascontiguousarray(b, number) for b in blocks_of(MACHINE, function, KINDS)]


def answers(function: str, blocks: list[np.ndarray], out: np.ndarray) -> np.ndarray:
    number = str(out.dtype)
    compiled = native.kernel(function, KINDS, number=number)
    compiled(*blocks, PARAMETERS.astype(number), out)
    return out


def empty(function: str, n: int, number: str = "float64") -> np.ndarray:
    return np.full((n, FUNCTIONS[function].n_out), np.nan, dtype=number)


def rounds(square: np.ndarray, masks: list[tuple[int, list[int], list[int]]]) -> np.ndarray:
    """What the shuffles do, by NumPy."""
    rows = [row.copy() for row in square]
    for apart, upper, lower in masks:
        for i in (i for i in range(len(rows)) if not i & apart):
            both = np.concatenate([rows[i], rows[i + apart]])
            rows[i], rows[i + apart] = both[upper], both[lower]
    return np.array(rows)


def test_the_shuffles_transpose() -> None:
    square = np.arange(64).reshape(8, 8)
    np.testing.assert_array_equal(rounds(square, block_moves.butterflies(8)), square.T)
    strip = np.arange(32).reshape(4, 8)
    halves = np.concatenate([strip[:, :4].T, strip[:, 4:].T], axis=1)
    np.testing.assert_array_equal(rounds(strip, block_moves.butterflies(4)), halves)


def test_a_round_left_out_is_no_transposition() -> None:
    square = np.arange(64).reshape(8, 8)
    for missing in range(3):
        masks = block_moves.butterflies(8)
        del masks[missing]
        assert (rounds(square, masks) != square.T).any()


@pytest.mark.parametrize("width", range(1, 31))
def test_the_pieces_cover_every_column_once(width: int) -> None:
    size = {"square": 8, "four": 4, "three": 3, "two": 2, "one": 1}
    columns = [k + i for k, move in native.pieces_in(width) for i in range(size[move])]
    assert columns == list(range(width))


@pytest.mark.parametrize("function", ["forces", "mass", "record"])
def test_every_tail_of_a_batch_has_the_bits_of_the_whole(function: str) -> None:
    blocks = states(function)
    whole = answers(function, blocks, empty(function, 37))
    assert np.isfinite(whole).all()
    for n in range(1, 37):
        part = answers(function, [b[:n] for b in blocks], empty(function, n))
        np.testing.assert_array_equal(part, whole[:n])
    for i in range(37):  # one state beside copies of itself: nothing comes from a neighbor
        alone = answers(function, [b[i : i + 1] for b in blocks], empty(function, 1))
        np.testing.assert_array_equal(alone[0], whole[i])


@pytest.mark.parametrize("function", ["forces", "mass", "record"])
def test_any_strides_give_the_same_bits(function: str) -> None:
    blocks = states(function)
    whole = answers(function, blocks, empty(function, 37))
    joined = np.concatenate(blocks, axis=1)
    slices = np.split(joined, np.cumsum([b.shape[1] for b in blocks])[:-1], axis=1)
    np.testing.assert_array_equal(answers(function, slices, empty(function, 37)), whole)
    by_columns = [np.asfortranarray(b) for b in blocks]
    np.testing.assert_array_equal(answers(function, by_columns, empty(function, 37)), whole)
    backwards = [b[::-1] for b in blocks]
    np.testing.assert_array_equal(
        answers(function, backwards, empty(function, 37)[::-1])[::-1], whole
    )
    same = [np.broadcast_to(b[3], b.shape) for b in blocks]
    np.testing.assert_array_equal(
        answers(function, same, empty(function, 37)), np.broadcast_to(whole[3], whole.shape)
    )


@pytest.mark.parametrize("function", ["forces", "mass", "record"])
def test_answers_go_into_any_array_and_beside_it_nothing_is_written(function: str) -> None:
    blocks, n_out = states(function), FUNCTIONS[function].n_out
    whole = answers(function, blocks, empty(function, 37))
    frame = np.full((39, n_out + 2), 7.0)
    answers(function, blocks, frame[1:38, 1 : n_out + 1])
    np.testing.assert_array_equal(frame[1:38, 1 : n_out + 1], whole)
    frame[1:38, 1 : n_out + 1] = 7.0
    assert (frame == 7.0).all()
    apart = np.full((37, 2 * n_out), 7.0)
    answers(function, blocks, apart[:, ::2])
    np.testing.assert_array_equal(apart[:, ::2], whole)
    assert (apart[:, 1::2] == 7.0).all()
    by_columns = np.asfortranarray(empty(function, 37))
    np.testing.assert_array_equal(answers(function, blocks, by_columns), whole)


def test_batches_beyond_the_cache_have_the_same_bits() -> None:
    """More than `native.FAR` states are asked for early."""
    few = states("forces")
    whole = answers("forces", few, empty("forces", 37))
    count = native.FAR // 37 + 2
    many = [np.concatenate([b] * count) for b in few]
    found = answers("forces", many, empty("forces", 37 * count))
    np.testing.assert_array_equal(found, np.concatenate([whole] * count))


def test_single_precision_has_the_same_bits_for_every_tail() -> None:
    blocks = states("forces", "float32")
    whole = answers("forces", blocks, empty("forces", 37, "float32"))
    for n in (1, 7, 8, 15, 16, 17, 31, 33):
        part = answers("forces", [b[:n] for b in blocks], empty("forces", n, "float32"))
        np.testing.assert_array_equal(part, whole[:n])


@pytest.mark.parametrize("count", [1, 5, 8, 37, 40])
def test_machines_in_turn_have_the_bits_of_each_alone(count: int) -> None:
    """Whether their numbers come by eight or one by one."""
    par = PARAMETERS * np.random.default_rng(0).uniform(0.9, 1.1, (count, 1))
    blocks = states("forces")
    found = native.run("forces", KINDS, blocks, par)
    apart = native.run("forces", KINDS, blocks, np.asfortranarray(par))
    np.testing.assert_array_equal(found, apart)
    for i in range(37):
        alone = native.run("forces", KINDS, [b[i : i + 1] for b in blocks], par[i % count])
        np.testing.assert_array_equal(found[i], alone[0])
