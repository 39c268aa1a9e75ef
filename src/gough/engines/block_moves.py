"""How batch kernels move numbers between rows and components, and ask for memory early.

States and answers lie by rows in the caller's arrays, by components in a kernel's block.  `square` and `strip` move
eight states at once through rounds of shuffles inside the registers; `fetch` asks for the memory of states that come
next while the present ones are computed.  None of them touches a number's bits.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from gough.engines.widths import SIDE, STRIP


def butterflies(rows: int) -> list[tuple[int, list[int], list[int]]]:
    """Rounds that transpose `rows` (a power of two, at most 8) vectors of eight in squares of that size: how far apart
    the two vectors are that exchange, and where each takes its numbers from (those of both counted through)."""
    rounds, apart = [], 1
    while apart < rows:
        upper = [c if not c & apart else SIDE + c - apart for c in range(SIDE)]
        lower = [c + apart if not c & apart else SIDE + c for c in range(SIDE)]
        rounds.append((apart, upper, lower))
        apart *= 2
    return rounds


def _shuffled(builder: Any, a: Any, b: Any, places: list[int]) -> Any:
    return builder.shuffle_vector(
        a, b, ir.Constant(ir.VectorType(ir.IntType(32), len(places)), places)
    )


def _transposed(builder: Any, vectors: list[Any]) -> list[Any]:
    rows = list(vectors)
    for apart, upper, lower in butterflies(len(rows)):
        for i in (i for i in range(len(rows)) if not i & apart):
            pair = rows[i], rows[i + apart]
            rows[i] = _shuffled(builder, *pair, upper)
            rows[i + apart] = _shuffled(builder, *pair, lower)
    return rows


class _Rows:
    """An array whose rows lie closely, from one of its places on."""

    def __init__(
        self, context: Any, builder: Any, kind: Any, value: Any, row: Any, column: Any
    ) -> None:
        array = cgutils.create_struct_proxy(kind)(context, builder, value)
        self.builder, self.number = builder, context.get_value_type(kind.dtype)
        self.size = context.get_abi_sizeof(self.number)
        self.apart = cgutils.unpack_tuple(builder, array.strides, 2)[0]
        start = builder.add(
            builder.mul(row, self.apart), builder.mul(column, self._word(self.size))
        )
        self.first = builder.gep(builder.bitcast(array.data, cgutils.voidptr_t), [start])

    def _word(self, value: int) -> Any:
        return ir.Constant(self.apart.type, value)

    def at(self, row: int, column: int = 0) -> Any:
        """Pointer to a number of it."""
        shift = self.builder.mul(self._word(row), self.apart)
        return self.builder.gep(
            self.first, [self.builder.add(shift, self._word(column * self.size))]
        )

    def _pointer(self, row: int, column: int, count: int) -> Any:
        kind = self.number if count == 1 else ir.VectorType(self.number, count)
        return self.builder.bitcast(self.at(row, column), kind.as_pointer())

    def load(self, row: int, count: int, column: int = 0) -> Any:
        """`count` numbers of a row side by side (one: no vector)."""
        return self.builder.load(self._pointer(row, column, count), align=self.size)

    def store(self, row: int, value: Any, count: int) -> None:
        self.builder.store(value, self._pointer(row, 0, count), align=self.size)


@intrinsic
def square(typingctx: Any, source: Any, a: Any, b: Any, target: Any, c: Any, d: Any) -> Any:
    """``target[c + x, d + y] = source[a + y, b + x]`` for x, y < 8; rows of both lie closely."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        given = _Rows(context, builder, sig.args[0], *args[:3])
        out = _Rows(context, builder, sig.args[3], *args[3:])
        rows = [given.load(k, SIDE) for k in range(SIDE)]
        for k, row in enumerate(_transposed(builder, rows)):
            out.store(k, row, SIDE)
        return context.get_dummy_value()

    return types.void(source, a, b, target, c, d), codegen


def _four(rows: _Rows, row: int, count: int) -> Any:
    """The first `count` numbers of a row in a vector of four; nothing behind them is read."""
    builder, four = rows.builder, ir.VectorType(rows.number, STRIP)
    if count == STRIP:
        return rows.load(row, STRIP)
    none = ir.Constant(four, ir.Undefined)
    if count == 1:
        return builder.insert_element(none, rows.load(row, 1), ir.Constant(ir.IntType(32), 0))
    two = rows.load(row, 2)
    found = _shuffled(builder, two, two, [0, 1, 0, 1])
    if count == 3:
        third = rows.load(row, 1, column=2)
        found = builder.insert_element(found, third, ir.Constant(ir.IntType(32), 2))
    return found


def strip_in(count: int) -> Any:
    """``move(source, a, b, target, c, d)``: ``target[c + x, d + y] = source[a + y, b + x]`` for y < 8 and x < `count`
    of one to four; rows of both lie closely."""

    @intrinsic
    def move(typingctx: Any, source: Any, a: Any, b: Any, target: Any, c: Any, d: Any) -> Any:
        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            given = _Rows(context, builder, sig.args[0], *args[:3])
            out = _Rows(context, builder, sig.args[3], *args[3:])
            half = [_four(given, k, count) for k in range(SIDE)]
            both = list(range(SIDE))
            wide = [_shuffled(builder, half[k], half[k + STRIP], both) for k in range(STRIP)]
            for k, row in enumerate(_transposed(builder, wide)[:count]):
                out.store(k, row, SIDE)
            return context.get_dummy_value()

        return types.void(source, a, b, target, c, d), codegen

    return move


@intrinsic
def strip_out(typingctx: Any, source: Any, a: Any, b: Any, target: Any, c: Any, d: Any) -> Any:
    """``target[c + x, d + y] = source[a + y, b + x]`` for x < 8 and y < 4; rows of both lie closely."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        given = _Rows(context, builder, sig.args[0], *args[:3])
        out = _Rows(context, builder, sig.args[3], *args[3:])
        rows = _transposed(builder, [given.load(k, SIDE) for k in range(STRIP)])
        low, high = list(range(STRIP)), list(range(STRIP, SIDE))
        for k, row in enumerate(rows):
            out.store(k, _shuffled(builder, row, row, low), STRIP)
            out.store(k + STRIP, _shuffled(builder, row, row, high), STRIP)
        return context.get_dummy_value()

    return types.void(source, a, b, target, c, d), codegen


one, two, three, four = (strip_in(count) for count in (1, 2, 3, 4))


def fetcher(write: int) -> Any:
    """``fetch(array, row, column)`` asks for the memory of ``array[row, column]``, to write it if `write` is 1."""

    @intrinsic
    def fetch(typingctx: Any, array: Any, row: Any, column: Any) -> Any:
        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            word = ir.IntType(32)
            kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, word, word, word])
            ask = builder.module.declare_intrinsic("llvm.prefetch", [cgutils.voidptr_t], kind)
            place = _Rows(context, builder, sig.args[0], *args).at(0)
            near, data = 3, 1
            builder.call(ask, [place, *(ir.Constant(word, v) for v in (write, near, data))])
            return context.get_dummy_value()

        return types.void(array, row, column), codegen

    return fetch


fetch_to_read, fetch_to_write = fetcher(0), fetcher(1)
