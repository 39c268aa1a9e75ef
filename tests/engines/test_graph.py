"""The tracer's graph: what is known already is not computed again."""

from __future__ import annotations

from gough.engines.tracer import Graph, record


def test_inverses_roots_and_signs_of_what_is_known() -> None:
    graph = Graph()
    a, b = graph.put("x", 0), graph.put("x", 1)
    assert graph.inv(graph.inv(a)) == a
    assert graph.neg(graph.neg(a)) == a
    forth, back = graph.sub(a, b), graph.sub(b, a)
    assert graph.neg(forth) == back
    assert graph.neg(back) == forth
    assert graph.value(graph.sqrt(graph.const(2.25))) == 1.5
    assert graph.value(graph.inv(graph.const(4.0))) == 0.25
    assert graph.value(graph.neg(graph.const(4.0))) == -4.0


def test_a_recorded_program_says_what_the_function_says() -> None:
    program = record(lambda x: [x[0] * x[1] - x[0], 1.0 / (1.0 / x[1])], {"x": 2})
    assert program.run([3.0, 5.0], []) == [12.0, 5.0]
