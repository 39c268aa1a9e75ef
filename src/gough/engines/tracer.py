"""Records the equations as straight-line programs: operation counts, and the source of every compiled engine.

`Symbol` is one more kind of number.  Running a machine function on symbols leaves a `Program` whose operations are
unique (equal expressions are recorded once), folded (0, 1, signs) and needed by some output.
A quotient ``a/b`` becomes ``a (1/b)`` so that equal denominators are inverted once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from gough.engines.plain import NO_SPIN, machine
from gough.equations import scalar
from gough.equations.machine import FUNCTIONS, MOVING, parameter_count, spinning

INPUTS = ("x", "spin", "par")


class Operation(NamedTuple):
    """``code`` const, x, spin, par (a: value or index); neg, inv, sqrt, restart (a); add, sub, mul, atan2, smaller,
    larger (a, b)."""

    code: str
    a: Any
    b: int = -1


class Graph:
    """Unique operations in the order of their making; operands always come before their users."""

    def __init__(self) -> None:
        self.operations: list[Operation] = []
        self._known: dict[Operation, int] = {}

    def put(self, code: str, a: Any, b: int = -1) -> int:
        """Index of the operation, recorded if it is new."""
        operation = Operation(code, a, b)
        at = self._known.get(operation)
        if at is None:
            at = self._known[operation] = len(self.operations)
            self.operations.append(operation)
        return at

    def const(self, value: float) -> int:
        return self.put("const", float(value))

    def value(self, at: int) -> float | None:
        """The number behind a constant, else None."""
        operation = self.operations[at]
        return operation.a if operation.code == "const" else None

    def _negated(self, at: int) -> int | None:
        """The operand if `at` is a negation."""
        operation = self.operations[at]
        return operation.a if operation.code == "neg" else None

    def neg(self, a: int) -> int:
        inner, value = self._negated(a), self.value(a)
        if inner is not None:
            return inner
        if value is not None:
            return self.const(-value)
        operation = self.operations[a]
        if operation.code == "sub":
            mirrored = self._known.get(Operation("sub", operation.b, operation.a))
            if mirrored is not None:
                return mirrored
        return self.put("neg", a)

    def add(self, a: int, b: int) -> int:
        va, vb, na, nb = self.value(a), self.value(b), self._negated(a), self._negated(b)
        if va is not None and vb is not None:
            return self.const(va + vb)
        if va == 0.0:
            return b
        if vb == 0.0:
            return a
        if na is not None and nb is not None:
            return self.neg(self.add(na, nb))
        if nb is not None:
            return self.sub(a, nb)
        if na is not None:
            return self.sub(b, na)
        return self.put("add", *sorted((a, b)))

    def sub(self, a: int, b: int) -> int:
        va, vb, na, nb = self.value(a), self.value(b), self._negated(a), self._negated(b)
        if va is not None and vb is not None:
            return self.const(va - vb)
        if a == b:
            return self.const(0.0)
        if va == 0.0:
            return self.neg(b)
        if vb == 0.0:
            return a
        if nb is not None:
            return self.add(a, nb)
        if na is not None:
            return self.neg(self.add(na, b))
        if Operation("sub", b, a) in self._known:
            return self.put("neg", self.put("sub", b, a))
        return self.put("sub", a, b)

    def mul(self, a: int, b: int) -> int:
        va, vb, na, nb = self.value(a), self.value(b), self._negated(a), self._negated(b)
        if va is not None and vb is not None:
            return self.const(va * vb)
        if va is not None:
            return self._scale(b, va)
        if vb is not None:
            return self._scale(a, vb)
        if na is not None or nb is not None:
            product = self.mul(a if na is None else na, b if nb is None else nb)
            return product if na is not None and nb is not None else self.neg(product)
        return self.put("mul", *sorted((a, b)))

    def _scale(self, a: int, factor: float) -> int:
        if factor == 0.0:
            return self.const(0.0)
        if factor == 1.0:
            return a
        if factor < 0.0:
            return self.neg(self._scale(a, -factor))
        inner = self._negated(a)
        if inner is not None:
            return self.neg(self._scale(inner, factor))
        return self.put("mul", *sorted((a, self.const(factor))))

    def inv(self, a: int) -> int:
        value, inner, operation = self.value(a), self._negated(a), self.operations[a]
        if value is not None and value != 0.0:
            return self.const(1.0 / value)
        if inner is not None:
            return self.neg(self.inv(inner))
        if operation.code == "inv":
            return operation.a
        if operation.code == "mul" and operation.a == operation.b:
            root = self.inv(operation.a)
            return self.mul(root, root)
        return self.put("inv", a)

    def sqrt(self, a: int) -> int:
        value = self.value(a)
        if value is not None and value >= 0.0:
            return self.const(value**0.5)
        return self.put("sqrt", a)


class Symbol:
    """A traced number."""

    __slots__ = ("at", "graph")
    __array_ufunc__ = None

    def __init__(self, graph: Graph, at: int) -> None:
        self.graph = graph
        self.at = at

    def _other(self, value: Any) -> int:
        return value.at if isinstance(value, Symbol) else self.graph.const(value)

    def __add__(self, other: Any) -> Symbol:
        return Symbol(self.graph, self.graph.add(self.at, self._other(other)))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Symbol:
        return Symbol(self.graph, self.graph.sub(self.at, self._other(other)))

    def __rsub__(self, other: Any) -> Symbol:
        return Symbol(self.graph, self.graph.sub(self._other(other), self.at))

    def __mul__(self, other: Any) -> Symbol:
        return Symbol(self.graph, self.graph.mul(self.at, self._other(other)))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Symbol:
        return Symbol(self.graph, self.graph.mul(self.at, self.graph.inv(self._other(other))))

    def __rtruediv__(self, other: Any) -> Symbol:
        return Symbol(self.graph, self.graph.mul(self._other(other), self.graph.inv(self.at)))

    def __neg__(self) -> Symbol:
        return Symbol(self.graph, self.graph.neg(self.at))

    def sqrt(self) -> Symbol:
        return Symbol(self.graph, self.graph.sqrt(self.at))


@scalar.sqrt.register
def _(x: Symbol) -> Symbol:
    return x.sqrt()


@scalar.angle.register
def _(sine: Symbol, cosine: Any) -> Symbol:
    return Symbol(sine.graph, sine.graph.put("atan2", sine.at, sine._other(cosine)))


@scalar.restart.register
def _(x: Symbol) -> Symbol:
    return Symbol(x.graph, x.graph.put("restart", x.at))


@scalar.smaller.register
def _(x: Symbol, bound: Any) -> Symbol:
    return Symbol(x.graph, x.graph.put("smaller", x.at, x._other(bound)))


@scalar.larger.register
def _(x: Symbol, bound: Any) -> Symbol:
    return Symbol(x.graph, x.graph.put("larger", x.at, x._other(bound)))


@dataclass(frozen=True)
class Counts:
    """Operations of a program; a sign change costs nothing.  `once`: those that need parameters only."""

    multiplications: int
    additions: int
    divisions: int
    roots: int
    angles: int
    once: int

    @property
    def flops(self) -> int:
        """Per state: products, sums, quotients, roots and angles."""
        return self.multiplications + self.additions + self.divisions + self.roots + self.angles


class Program:
    """A straight-line program: operations, and which of them are the outputs."""

    def __init__(
        self, operations: Sequence[Operation], outputs: Sequence[int], sizes: dict[str, int]
    ) -> None:
        self.operations, self.outputs, self.sizes = tuple(operations), tuple(outputs), dict(sizes)

    @classmethod
    def of(cls, graph: Graph, outputs: Iterable[int], sizes: dict[str, int]) -> Program:
        """What `outputs` need, renumbered; everything else is dropped."""
        outputs = list(outputs)
        needed = bytearray(len(graph.operations))
        stack = list(outputs)
        while stack:
            at = stack.pop()
            if not needed[at]:
                needed[at] = 1
                stack.extend(operands(graph.operations[at]))
        number: dict[int, int] = {}
        kept = []
        for at, operation in enumerate(graph.operations):
            if needed[at]:
                number[at] = len(kept)
                kept.append(renumbered(operation, number))
        return cls(kept, [number[at] for at in outputs], sizes)

    def select(self, outputs: Sequence[int]) -> Program:
        """Only some of the outputs, by their place."""
        graph = Graph()
        graph.operations = list(self.operations)
        return Program.of(graph, [self.outputs[i] for i in outputs], self.sizes)

    def constant_nodes(self) -> bytearray:
        """1 where an operation needs no state, only parameters and constants."""
        fixed = bytearray(len(self.operations))
        for at, operation in enumerate(self.operations):
            if operation.code in ("const", "par"):
                fixed[at] = 1
            elif operation.code not in ("x", "spin"):
                fixed[at] = all(fixed[i] for i in operands(operation))
        return fixed

    def counts(self) -> Counts:
        """How many operations one state costs."""
        fixed = self.constant_nodes()
        tally = dict.fromkeys(("mul", "add", "sub", "inv", "sqrt", "atan2"), 0)
        once = 0
        for at, operation in enumerate(self.operations):
            if operation.code in tally:
                if fixed[at]:
                    once += 1
                else:
                    tally[operation.code] += 1
        return Counts(
            tally["mul"],
            tally["add"] + tally["sub"],
            tally["inv"],
            tally["sqrt"],
            tally["atan2"],
            once,
        )

    def run(
        self,
        x: Sequence[Any],
        par: Sequence[Any],
        spin: Sequence[Any] = NO_SPIN,
        calls: dict[str, Callable[[Any, Any], Any]] | None = None,
    ) -> list[Any]:
        """Evaluate on any kind of number: floats, arrays, complex; `calls` gives other roots and angles (JAX)."""
        given = {"x": x, "spin": spin, "par": par}
        apply = APPLY if calls is None else {**APPLY, **calls}
        v: list[Any] = []
        for code, a, b in self.operations:
            if code == "const":
                v.append(a)
            elif code in given:
                v.append(given[code][a])
            else:
                v.append(apply[code](v[a], v[b] if b >= 0 else None))
        return [v[at] for at in self.outputs]


APPLY: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "neg": lambda a, _: -a,
    "inv": lambda a, _: 1.0 / a,
    "sqrt": lambda a, _: scalar.sqrt(a),
    "atan2": lambda a, b: scalar.angle(a, b),
    "restart": lambda a, _: scalar.restart(a),
    "smaller": lambda a, b: scalar.smaller(a, b),
    "larger": lambda a, b: scalar.larger(a, b),
}


def operands(operation: Operation) -> tuple[int, ...]:
    """Indices an operation reads."""
    if operation.code in ("const", *INPUTS):
        return ()
    return (operation.a,) if operation.b < 0 else (operation.a, operation.b)


def renumbered(operation: Operation, number: dict[int, int]) -> Operation:
    """The same operation on renumbered operands."""
    if operation.code in ("const", *INPUTS):
        return operation
    return Operation(
        operation.code, number[operation.a], -1 if operation.b < 0 else number[operation.b]
    )


def inputs(graph: Graph, code: str, size: int) -> tuple[Symbol, ...]:
    """Symbols for one input array."""
    return tuple(Symbol(graph, graph.put(code, i)) for i in range(size))


def record(function: Callable[..., Sequence[Any]], sizes: dict[str, int]) -> Program:
    """Trace ``function(x, spin, par)`` over input arrays of these sizes; missing ones are not passed."""
    graph = Graph()
    out = function(*(inputs(graph, code, sizes[code]) for code in INPUTS if code in sizes))
    at = [value.at if isinstance(value, Symbol) else graph.const(value) for value in out]
    return Program.of(graph, at, sizes)


@lru_cache(maxsize=128)
def trace(function: str, kinds: tuple[str, ...]) -> Program:
    """A machine function (`forces`, `record`, `kinematics`, `mass`, `forward`, `energy`) of six leg kinds."""
    functions = machine(kinds)
    f = getattr(functions, function.removeprefix(MOVING))
    n_par = parameter_count(function, kinds)
    sizes = {"x": FUNCTIONS[function].inputs.size, "spin": 18, "par": n_par}
    if not spinning(kinds):
        sizes.pop("spin")
        return record(lambda x, par: f(x, NO_SPIN, functions.unpack(par)), sizes)
    return record(lambda x, spin, par: f(x, spin, functions.unpack(par)), sizes)
