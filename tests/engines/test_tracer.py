"""The tracer: same numbers as the equations, no operation twice, folded, and counts that never grow unnoticed."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from gough.engines import pack, plain
from gough.engines.tracer import Graph, Program, Symbol, inputs, record, trace
from gough.equations.scalar import sqrt
from oracles.machines import KINDS, case
from support.engine_states import blocks_of, relative

sys.path.insert(0, str(Path(__file__).parents[2]))
from benchmarks.operations import BASELINE, DASGUPTA_1998, table


def counts_of(f, n: int = 3) -> tuple[int, int, int, int]:  # type: ignore[no-untyped-def]
    c = record(f, {"x": n}).counts()
    return c.multiplications, c.additions, c.divisions, c.roots


def test_equal_expressions_are_recorded_once() -> None:
    assert counts_of(lambda x: [x[0] * x[1] + x[2], x[2] + x[1] * x[0]]) == (1, 1, 0, 0)
    assert counts_of(lambda x: [x[0] - x[1], x[1] - x[0]]) == (0, 1, 0, 0)
    assert counts_of(lambda x: [x[0] / x[2], x[1] / x[2]]) == (2, 0, 1, 0)
    assert counts_of(lambda x: [1.0 / (x[0] * x[0]), 1.0 / x[0]]) == (1, 0, 1, 0)


def test_zeros_ones_and_signs_are_folded() -> None:
    assert counts_of(lambda x: [x[0] * 0.0 + x[1] * 1.0 - 0.0]) == (0, 0, 0, 0)
    assert counts_of(lambda x: [x[0] + -x[1], x[0] - x[1]]) == (0, 1, 0, 0)
    assert counts_of(lambda x: [(-x[0]) * x[1], x[0] * x[1]]) == (1, 0, 0, 0)
    assert counts_of(lambda x: [x[0] - x[0], 2.0 * 3.0 * x[1]]) == (1, 0, 0, 0)


def test_unused_operations_are_dropped() -> None:
    def f(x):  # type: ignore[no-untyped-def]
        _ = sqrt(x[0]) / x[1]
        return [x[0] + x[1]]

    assert counts_of(f) == (0, 1, 0, 0)


def test_folding_keeps_values() -> None:
    """Random expressions over every operation, traced and direct."""
    rng = np.random.default_rng(3)
    for _ in range(200):
        graph = Graph()
        symbols: list = list(inputs(graph, "x", 3))
        point = list(rng.uniform(0.5, 2.0, 3))
        values = list(point)
        for _ in range(25):
            i, j = rng.integers(len(values), size=2)
            a, b, u, v = symbols[i], symbols[j], values[i], values[j]
            if rng.random() < 0.3:
                b = v = float(rng.choice([-2.0, -1.0, 0.0, 1.0, 0.5]))
            which = rng.integers(5)
            if which == 3 and v == 0.0:
                continue
            new = (
                lambda p, q: p + q,
                lambda p, q: p - q,
                lambda p, q: p * q,
                lambda p, q: p / q,
                lambda p, q: -p,
            )[which]
            with np.errstate(all="ignore"):
                symbol, value = new(a, b), new(np.float64(u), v)
            if np.isfinite(value) and 1e-8 < abs(value) < 1e8:
                symbols.append(symbol)
                values.append(value)
        program = Program.of(
            graph, [s.at if isinstance(s, Symbol) else graph.const(s) for s in symbols], {"x": 3}
        )
        np.testing.assert_allclose(program.run(point, ()), values, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_traced_program_equals_the_equations(kind: str) -> None:
    c = case(kind, seed=21, states=5)
    kinds, par = pack.kinds_of(c.platform, c.needs_spin), pack.parameters(c.platform)
    for function in ("forces", "record", "kinematics", "mass", "forward", "energy"):
        blocks = blocks_of(c, function, kinds)
        columns = [column for block in blocks for column in block.T]
        n_x = trace(function, kinds).sizes["x"]
        out = trace(function, kinds).run(columns[:n_x], par, columns[n_x:])
        found = np.stack(np.broadcast_arrays(*out), axis=-1)
        assert relative(found, plain.run(function, kinds, blocks, par)) < 1e-12


def test_counts_are_those_of_the_committed_table() -> None:
    """A change of the equations that costs operations shows here; `python -m benchmarks.operations --write`."""
    assert table() == json.loads(BASELINE.read_text())


def test_inverse_dynamics_is_cheaper_than_published() -> None:
    efforts = trace("forces", ("ups",) * 6).select(range(6)).counts()
    assert efforts.flops <= 3800 < DASGUPTA_1998


def test_mixed_legs_cost_their_share() -> None:
    """A machine of two kinds costs the mean of both: legs do not know of each other."""

    def flops(*kinds: str) -> int:
        return trace("forces", kinds).counts().flops

    assert 2 * flops("ups", "ups", "ups", "rus", "rus", "rus") == flops(*["ups"] * 6) + flops(
        *["rus"] * 6
    )
