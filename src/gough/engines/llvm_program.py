"""Traced programs as machine code: numba intrinsics that write a program's operations straight into LLVM.

No statement passes through numba's front end, so a kernel compiles in the time LLVM needs.  Operations that need
parameters only are computed once per call (`prepare`), the others once per state (`evaluate`).  Where every column is
a machine of its own, the parameters' part lies in rows beside the states (`prepare_rows`): same operations, same bits.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from gough.engines.tracer import Program, operands, trace

FLAGS = ("contract",)
COMPARE = {"smaller": "<", "larger": ">"}
SMALLEST_FLOAT = 1e-30  # stands for the equations' 1e-300 where that would be zero


@lru_cache(maxsize=64)
def lowered(function: str, kinds: tuple[str, ...]) -> Lowered:
    """Intrinsics of a machine function; generated kernel modules import this."""
    return Lowered(trace(function, kinds))


class Lowered:
    """The intrinsics of one program.

    prepare(par)                 -> tuple of the numbers that only depend on the parameters
    prepare_rows(P, i, D)        the same of the parameters P[k, i], a machine per column, as rows D[k, i] (`kept`)
    evaluate(X, i, prepared, Y)  reads X[k, i] (inputs x then spin), writes Y[k, i]; `prepared`: such a tuple, the same
                                 as an array (LLVM then keeps no vector of each number), or rows
    start, finish                evaluate in two steps, ``start(X, i, prepared, Y)`` for all i and then
                                 ``finish(Y, i, prepared)``: a call of atan2 inside would keep LLVM from making
                                 vector code, so Y[k, i] first holds the sine and a row of its own after all outputs
                                 the cosine; an output may be such an angle plus a number of the parameters
    """

    def __init__(self, program: Program, width: int = 0, lanes: int = 1) -> None:
        """`width`: length of the rows of X and Y where it is known; else it is read from the arrays, and LLVM can
        only make vector code if it sees how they were made.

        `lanes`: with more than one, `evaluate` and `start` serve that many columns from i on at once, in vector
        instructions written here; LLVM then neither searches for vector code nor keeps a scalar copy beside it,
        which halves the time to compile."""
        self.program, self.width, self.lanes = program, width, lanes
        fixed = program.constant_nodes()
        used: dict[int, int] = {}
        for at, operation in enumerate(program.operations):
            for i in operands(operation) if not fixed[at] else ():
                if fixed[i] and program.operations[i].code != "const":
                    used.setdefault(i, len(used))
        for i in program.outputs:
            if fixed[i] and program.operations[i].code != "const":
                used.setdefault(i, len(used))
        self.fixed, self.kept = fixed, used
        self.angles = self._angles()
        self.later = self._later()
        self.prepare, self.evaluate = self._prepare(), self._evaluate(inline=True)
        self.prepare_rows = self._prepare_rows()
        self.start, self.finish = self._evaluate(inline=False), self._finish()

    def _angles(self) -> list[tuple[int, int, int | None]]:
        """Outputs that are angles: which, their atan2, and the parameters' number added to it (None: nothing)."""
        operations, found = self.program.operations, []
        for k, at in enumerate(self.program.outputs):
            code, a, b = operations[at]
            if code == "atan2":
                found.append((k, at, None))
            elif code == "add":
                for angle, offset in ((a, b), (b, a)):
                    if operations[angle].code == "atan2" and self.fixed[offset]:
                        found.append((k, angle, offset))
        return found

    def _later(self) -> frozenset[int]:
        """Operations that `finish` does: the outputs that are angles and their atan2, where nothing else reads them."""
        wanted = {self.program.outputs[k] for k, _, _ in self.angles}
        wanted |= {angle for _, angle, _ in self.angles}
        read = {
            i
            for at, operation in enumerate(self.program.operations)
            if at not in wanted
            for i in operands(operation)
        }
        return frozenset(wanted - read)

    def _prepare(self) -> Any:
        @intrinsic
        def prepare(typingctx: Any, par: Any) -> Any:
            number = par.dtype
            kept = types.UniTuple(number, len(self.kept))

            def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
                kind = context.get_value_type(number)
                pointer = cgutils.create_struct_proxy(sig.args[0])(context, builder, args[0]).data
                load = {"par": lambda i: builder.load(builder.gep(pointer, [_at(i)]))}
                values = _emit(builder, kind, self.program, load, {}, self.fixed, 1)
                return context.make_tuple(builder, sig.return_type, [values[i] for i in self.kept])

            return kept(par), codegen

        return prepare

    def _prepare_rows(self) -> Any:
        @intrinsic
        def prepare_rows(typingctx: Any, P: Any, i: Any, D: Any) -> Any:
            def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
                kind = _wide(context.get_value_type(sig.args[0].dtype), self.lanes)
                row = _rows(context, builder, sig.args[0], args[0], args[1], self.width)
                out = _rows(context, builder, sig.args[2], args[2], args[1], self.width)
                read, write = _separate(builder.module, ("gough P", "gough D"))
                load = {"par": lambda k: read(_load(builder, row(k), kind))}
                values = _emit(builder, kind, self.program, load, {}, self.fixed, 1)
                for at, place in self.kept.items():
                    pointer = builder.bitcast(out(place), kind.as_pointer())
                    write(builder.store(values[at], pointer, align=8))
                return context.get_dummy_value()

            return types.void(P, i, D), codegen

        return prepare_rows

    def _evaluate(self, inline: bool) -> Any:
        n_x, outputs, operations = (
            self.program.sizes["x"],
            list(self.program.outputs),
            self.program.operations,
        )
        if not inline:
            outputs += [operations[angle].b for _, angle, _ in self.angles]
            for k, angle, _ in self.angles:
                outputs[k] = operations[angle].a

        @intrinsic
        def evaluate(typingctx: Any, X: Any, i: Any, prepared: Any, Y: Any) -> Any:
            def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
                kind = _wide(context.get_value_type(sig.args[0].dtype), self.lanes)
                row = _rows(context, builder, sig.args[0], args[0], args[1], self.width)
                out = _rows(context, builder, sig.args[3], args[3], args[1], self.width)
                read, write = _separate(builder.module)
                pointer = kind.as_pointer()

                def load_row(k: int) -> Any:
                    return read(_load(builder, row(k), kind))

                load = {"x": load_row, "spin": lambda k: load_row(n_x + k)}
                number = _prepared(context, builder, sig, args, self.width)
                rows = isinstance(sig.args[2], types.Array) and sig.args[2].ndim == 2
                known = {
                    at: read(_load(builder, number(place), kind))
                    if rows
                    else _splat(builder, number(place), kind)
                    for at, place in self.kept.items()
                }
                later = frozenset() if inline else self.later
                values = _emit(builder, kind, self.program, load, known, self.fixed, 0, later)
                for k, at in enumerate(outputs):
                    write(builder.store(values[at], builder.bitcast(out(k), pointer), align=8))
                return context.get_dummy_value()

            return types.void(X, i, prepared, Y), codegen

        return evaluate

    def _finish(self) -> Any:
        @intrinsic
        def finish(typingctx: Any, Y: Any, i: Any, prepared: Any) -> Any:
            def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
                out = _rows(context, builder, sig.args[0], args[0], args[1], self.width)
                number = _prepared(context, builder, sig, args, self.width)
                for j, (k, _, offset) in enumerate(self.angles):
                    cosine = builder.load(out(len(self.program.outputs) + j))
                    angle = _atan2(builder, builder.load(out(k)), cosine)
                    if offset is not None:
                        shift = number(self.kept[offset])
                        if isinstance(shift.type, ir.PointerType):
                            shift = builder.load(shift)
                        angle = builder.fadd(angle, shift, flags=FLAGS)
                    builder.store(angle, out(k))
                return context.get_dummy_value()

            return types.void(Y, i, prepared), codegen

        return finish


def _atan2(builder: Any, sine: Any, cosine: Any) -> Any:
    """Of vectors lane by lane."""
    kind = sine.type
    if isinstance(kind, ir.VectorType):
        out = ir.Constant(kind, ir.Undefined)
        for lane in range(kind.count):
            at = ir.Constant(ir.IntType(32), lane)
            one = _atan2(builder, *(builder.extract_element(v, at) for v in (sine, cosine)))
            out = builder.insert_element(out, one, at)
        return out
    name = "atan2f" if isinstance(kind, ir.FloatType) else "atan2"
    f = cgutils.get_or_insert_function(builder.module, ir.FunctionType(kind, [kind, kind]), name)
    return builder.call(f, [sine, cosine])


def _at(i: int) -> ir.Constant:
    return ir.Constant(ir.IntType(64), i)


def _separate(module: Any, names: tuple[str, str] = ("gough X", "gough Y")) -> tuple[Any, Any]:
    """Marks for loads and stores: X and Y never overlap (else LLVM gives up on functions with many outputs).

    Rows that one intrinsic writes and another reads need names of their own: nothing may keep the two apart."""
    domain = module.add_metadata(["gough"])
    marks = [module.add_metadata([module.add_metadata([name, domain])]) for name in names]

    def mark(own: int) -> Any:
        def apply(instruction: Any) -> Any:
            instruction.set_metadata("alias.scope", marks[own])
            instruction.set_metadata("noalias", marks[1 - own])
            return instruction

        return apply

    return mark(0), mark(1)


def _rows(context: Any, builder: Any, kind: Any, value: Any, i: Any, known: int) -> Any:
    """A function k -> pointer to array[k, i] of a C-contiguous 2-d array."""
    array = cgutils.create_struct_proxy(kind)(context, builder, value)
    width = _at(known) if known else cgutils.unpack_tuple(builder, array.shape, 2)[1]

    def pointer(k: int) -> Any:
        return builder.gep(array.data, [builder.add(builder.mul(_at(k), width), i)])

    return pointer


def _prepared(context: Any, builder: Any, sig: Any, args: Any, known: int) -> Any:
    """A function place -> prepared number (tuple, array), or pointer to it in column i (rows): arguments 2 and 1."""
    kind = sig.args[2]
    if not isinstance(kind, types.Array):
        return lambda place: builder.extract_value(args[2], place)
    if kind.ndim == 2:
        return _rows(context, builder, kind, args[2], args[1], known)
    first = cgutils.create_struct_proxy(kind)(context, builder, args[2]).data
    return lambda place: builder.load(builder.gep(first, [_at(place)]))


def _load(builder: Any, pointer: Any, kind: Any) -> Any:
    return builder.load(builder.bitcast(pointer, kind.as_pointer()), align=8)


def _wide(kind: Any, lanes: int) -> Any:
    return ir.VectorType(kind, lanes) if lanes > 1 else kind


def _splat(builder: Any, value: Any, kind: Any) -> Any:
    """A number in all lanes."""
    if not isinstance(kind, ir.VectorType):
        return value
    one = builder.insert_element(
        ir.Constant(kind, ir.Undefined), value, ir.Constant(ir.IntType(32), 0)
    )
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), kind.count), [0] * kind.count)
    return builder.shuffle_vector(one, ir.Constant(kind, ir.Undefined), zeros)


def _constant(kind: Any, value: float) -> Any:
    return ir.Constant(kind, [value] * kind.count if isinstance(kind, ir.VectorType) else value)


def _square_root(module: Any, kind: Any) -> Any:
    number = kind.element if isinstance(kind, ir.VectorType) else kind
    name = "f32" if isinstance(number, ir.FloatType) else "f64"
    lanes = f"v{kind.count}" if isinstance(kind, ir.VectorType) else ""
    return cgutils.get_or_insert_function(
        module, ir.FunctionType(kind, [kind]), f"llvm.sqrt.{lanes}{name}"
    )


def _emit(
    builder: Any,
    kind: Any,
    program: Program,
    load: Any,
    known: dict[int, Any],
    fixed: bytearray,
    part: int,
    later: frozenset[int] = frozenset(),
) -> dict[int, Any]:
    """Write the operations with ``fixed[at] == part``; constants always; none of `later`."""
    values = dict(known)
    single = isinstance(kind.element if isinstance(kind, ir.VectorType) else kind, ir.FloatType)
    root, one = _square_root(builder.module, kind), _constant(kind, 1.0)
    for at, (code, a, b) in enumerate(program.operations):
        if code == "const":
            values[at] = _constant(kind, SMALLEST_FLOAT if single and 0.0 < abs(a) < 1e-37 else a)
        elif fixed[at] != part or at in later:
            continue
        elif code in load:
            values[at] = load[code](a)
        elif code == "add":
            values[at] = builder.fadd(values[a], values[b], flags=FLAGS)
        elif code == "sub":
            values[at] = builder.fsub(values[a], values[b], flags=FLAGS)
        elif code == "mul":
            values[at] = builder.fmul(values[a], values[b], flags=FLAGS)
        elif code == "neg":
            values[at] = builder.fneg(values[a], flags=FLAGS)
        elif code == "inv":
            values[at] = builder.fdiv(one, values[a], flags=FLAGS)
        elif code == "sqrt":
            values[at] = builder.call(root, [values[a]])
        elif code == "restart":
            values[at] = values[a]
        elif code in COMPARE:  # a choice without a branch: vector code stays vector code
            bound = builder.fcmp_ordered(COMPARE[code], values[b], values[a])
            values[at] = builder.select(bound, values[b], values[a])
        else:
            values[at] = _atan2(builder, values[a], values[b])
    return values


@intrinsic
def wide_vectors(typingctx: Any) -> Any:
    """Asks LLVM for 512-bit vectors in the function being built (ignored where the processor has none)."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        # llvmlite's own add knows no string attributes
        set.add(builder.function.attributes, '"prefer-vector-width"="512"')
        return context.get_dummy_value()

    return types.void(), codegen
