"""Reverse mode on traced programs: the gradient of a weighted sum of outputs, as further operations."""

from __future__ import annotations

from gough.engines.tracer import INPUTS, Graph, Operation, Program, renumbered


def pulled_back(program: Program, parameters: bool = False) -> Program:
    """The program of the slopes of ``sum_j weight_j output_j`` (a vector-Jacobian product).

    x: the inputs x of `program`, then a weight for each of its outputs -> slopes over these inputs, and behind them
    over its parameters where they are asked for
    """
    graph, number = Graph(), dict[int, int]()
    for at, operation in enumerate(program.operations):
        number[at] = graph.put(*renumbered(operation, number))
    first, weights = program.sizes["x"], dict[int, int]()
    for j, output in enumerate(program.outputs):
        at, weight = number[output], graph.put("x", first + j)
        weights[at] = graph.add(weights[at], weight) if at in weights else weight
    wanted = [("x", i) for i in range(first)]
    if parameters:
        wanted += [("par", i) for i in range(program.sizes["par"])]
    sizes = program.sizes | {"x": first + len(program.outputs)}
    return Program.of(graph, gradient(graph, weights, wanted), sizes)


def gradient(graph: Graph, outputs: dict[int, int], wanted: list[tuple[str, int]]) -> list[int]:
    """``d(sum_j weight_j output_j)/d input`` for each wanted (array, index).

    outputs  output operation -> weight operation, both in `graph`
    """
    adjoint: dict[int, int] = {}

    def add(at: int, value: int) -> None:
        adjoint[at] = graph.add(adjoint[at], value) if at in adjoint else value

    for at, weight in outputs.items():
        add(at, weight)
    for at in range(max(outputs), -1, -1):
        bar = adjoint.get(at)
        if bar is None or graph.value(bar) == 0.0:
            continue
        _pull(graph, graph.operations[at], at, bar, add)
    zero = graph.const(0.0)
    return [adjoint.get(graph.put(code, i), zero) for code, i in wanted]


def _pull(graph: Graph, operation: Operation, at: int, bar: int, add) -> None:  # type: ignore[no-untyped-def]
    """Hand the adjoint `bar` of one operation on to its operands."""
    code, a, b = operation
    if code in ("const", "restart", *INPUTS):
        return
    if code in ("add", "sub"):
        add(a, bar)
        add(b, bar if code == "add" else graph.neg(bar))
    elif code == "mul":
        add(a, graph.mul(bar, b))
        add(b, graph.mul(bar, a))
    elif code == "neg":
        add(a, graph.neg(bar))
    elif code == "inv":  # d(1/a) = -da/a^2
        add(a, graph.neg(graph.mul(bar, graph.mul(at, at))))
    elif code == "sqrt":  # d sqrt(a) = da/(2 sqrt(a))
        add(a, graph.mul(bar, graph.mul(graph.const(0.5), graph.inv(at))))
    elif code != "atan2":
        raise ValueError(f"{code} has no slope where its branches meet")
    else:  # atan2(s, c): (c ds - s dc)/(s^2 + c^2)
        share = graph.mul(bar, graph.inv(graph.add(graph.mul(a, a), graph.mul(b, b))))
        add(a, graph.mul(share, b))
        add(b, graph.neg(graph.mul(share, a)))
