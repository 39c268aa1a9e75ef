"""Traced programs of six like legs as short C: one function of a leg, called six times (engines/by_legs.py).

Straight-line code repeats what a leg does six times; a controller with little flash takes a sixth of it and a loop.
Sums over the legs are taken in another order, so answers differ by rounding.  Numbers in which the legs differ lie in a
table, the others are constants of the code.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gough.checks import Array
from gough.engines.by_legs import LEGS, ByLegs, cut
from gough.engines.emit_c import literal, statements
from gough.engines.tracer import Graph, Program, Symbol, inputs


@dataclass(frozen=True)
class LegPlaces:
    """Where the numbers of a leg stand.

    own   first rows of the inputs x that hold a number for each leg, one behind the other
    head  the machine's own parameters;  row  parameters of a leg behind them;  tail  rows of six numbers behind these
    """

    own: tuple[int, ...]
    head: int
    row: int
    tail: int = 0

    @property
    def of_leg(self) -> int:
        """Parameters that the programs of a leg have: the machine's, the leg's, its share of the tail."""
        return self.head + self.row + self.tail

    def owner(self, code: str, k: int) -> tuple[int, int] | None:
        """As `by_legs.cut` asks."""
        if code == "x":
            found = [(k - at, j) for j, at in enumerate(self.own) if at <= k < at + LEGS]
            return found[0] if found else None
        if k < self.head:
            return None
        behind = k - self.head - LEGS * self.row
        if behind < 0:
            return (k - self.head) // self.row, self.head + (k - self.head) % self.row
        return behind % LEGS, self.head + self.row + behind // LEGS

    def numbers(self, par: Array) -> Array:
        """(6, of_leg) what the programs of the legs read."""
        legs, behind = self.head + LEGS * self.row, par[self.head + LEGS * self.row :]
        rows = par[self.head : legs].reshape(LEGS, self.row)
        tail = behind[: LEGS * self.tail].reshape(self.tail, LEGS).T
        return np.concatenate([np.tile(par[: self.head], (LEGS, 1)), rows, tail], axis=1)

    def expression(self, place: int) -> str:
        """A parameter of leg `leg` in the machine's vector."""
        if place < self.head:
            return f"par[{place}]"
        if place < self.head + self.row:
            return f"par[{place} + {self.row} * leg]"
        first = self.head + LEGS * self.row + LEGS * (place - self.head - self.row)
        return f"par[{first} + leg]"


def compact(
    program: Program, name: str, places: LegPlaces, number: str, par: Array | None, stored: bool
) -> str | None:
    """C of the program, called as the straight one; None where its legs are not alike.

    par     the parameters, as constants of the code; None: an argument
    stored  tables are read through the macro NUMBER, which knows where they lie
    """
    if "spin" in program.sizes:
        return None
    if "par" not in program.sizes:
        return None
    found = cut(program, places.owner, len(places.own), places.of_leg)
    return (
        None if found is None else _Writer(found, name, places, number, par, stored).text(program)
    )


def bound(program: Program, values: list[float | None]) -> Program:
    """The program with some parameters as constants; the others are renumbered in their order."""
    graph = Graph()
    x = inputs(graph, "x", program.sizes["x"])
    left = iter(inputs(graph, "par", sum(v is None for v in values)))
    par = [next(left) if v is None else v for v in values]
    out = program.run(x, par)
    at = [v.at if isinstance(v, Symbol) else graph.const(v) for v in out]
    return Program.of(graph, at, {"x": len(x), "par": sum(v is None for v in values)})


class _Writer:
    """The texts of one program in four."""

    def __init__(
        self,
        found: ByLegs,
        name: str,
        places: LegPlaces,
        number: str,
        par: Array | None,
        stored: bool,
    ) -> None:
        self.name, self.places, self.number = name, places, number
        self.par, self.stored, self.table = par, stored, ""
        self.varied: list[int] = []
        if par is not None:
            given = [float(v) for v in par[: found.common.sizes.get("par", 0)]]
            each = places.numbers(par)
            alike = (each == each[0]).all(axis=0)
            values = [float(v) if same else None for v, same in zip(each[0], alike, strict=True)]
            self.varied = [k for k, v in enumerate(values) if v is None]
            found = found._replace(
                common=bound(found.common, list(given)),
                leg=bound(found.leg, values),
                joint=bound(found.joint, [float(v) for v in par[: found.joint.sizes["par"]]]),
                after=bound(found.after, values),
            )
        self.found = found

    def text(self, program: Program) -> str:
        """All functions, the one that is called last."""
        f, T = self.found, self.number
        used = sorted({o.a for p in (f.leg, f.after) for o in p.operations if o.code == "par"})
        place = {k: j for j, k in enumerate(used)}
        parts = []
        if self.par is not None and used:
            each = self.places.numbers(self.par)[:, [self.varied[k] for k in used]]
            rows = ",\n    ".join(
                "{" + ", ".join(literal(float(v), T) for v in r) + "}" for r in each
            )
            where = " STORED" if self.stored else ""
            parts.append(
                f"static const {T} {self.name}_numbers[{LEGS}][{len(used)}]{where} = {{\n    {rows}\n}};\n"
            )

        def of_leg(code: str, i: int) -> str:
            if code == "x":
                return f"x[{i}]"
            if self.par is None:
                return self.places.expression(i)
            cell = f"{self.name}_numbers[leg][{place[i]}]"
            return f"NUMBER({cell})" if self.stored else cell

        def of_all(code: str, i: int) -> str:
            return f"{code}[{i}]"

        joined = f.joined

        def join(k: int, value: str) -> str:
            if k < len(joined):
                return f"y[{joined[k]}] = {value};"
            return f"p[{k - len(joined)}] = {value};"

        if f.shared:
            parts.append(self._function("common", f.common, of_all, _store, ""))
        parts.append(self._function("leg", f.leg, of_leg, _store, "leg"))
        if f.joint.outputs:
            more = f"{T} *p, " if f.passed else ""
            parts.append(self._function("joint", f.joint, of_all, join, more))
        if f.after.outputs:
            parts.append(self._function("after", f.after, of_leg, _store, "leg"))
        return "\n".join([*parts, self._whole(program)])

    def _function(
        self,
        part: str,
        program: Program,
        read: Callable[[str, int], str],
        write: Callable[[int, str], str],
        more: str,
    ) -> str:
        T, unbaked = self.number, self.par is None
        used = {operation.code for operation in program.operations}
        head = [f"const {T} *x"]
        if unbaked:
            head.append(f"const {T} *par")
        if more == "leg":
            head.append("int leg")
        elif more:
            head.append(more.removesuffix(", "))
        lines = ["    (void)x;"] if "x" not in used else []
        if unbaked and "par" not in used:
            lines.append("    (void)par;")
        if more == "leg" and not any(
            "leg" in read("par", o.a) for o in program.operations if o.code == "par"
        ):
            lines.append("    (void)leg;")
        lines += statements(program, T, read, write)
        if (
            more
            and more != "leg"
            and not any(" p[" in line or line.startswith("    p[") for line in lines)
        ):
            lines.append("    (void)p;")
        return (
            f"static void {self.name}_{part}({', '.join(head)}, {T} *y)\n{{\n"
            + "\n".join(lines)
            + "\n}\n"
        )

    def _whole(self, program: Program) -> str:
        f, T, n = self.found, self.number, self.name
        par = "" if self.par is not None else "par, "
        own, kept, passed, sums = len(self.places.own), f.kept, f.passed, f.sums
        slots, first = len(f.told[0]), f.shared + own
        arrays = [f"const {T} x[{program.sizes['x']}]"]
        if self.par is None:
            arrays.append(f"const {T} par[{program.sizes['par']}]")
        arrays.append(f"{T} y[{len(program.outputs)}]")
        lines = [f"{T} a[{max(first + kept + passed, 1)}];"]
        if f.joint.outputs:
            lines.append(f"{T} b[{max(f.shared + sums, 1)}];")
        lines.append(f"{T} z[{max(sums + kept, slots, 1)}];")
        apart = bool(sums or passed)
        if apart and kept:
            lines.append(f"{T} kept[{LEGS}][{kept}];")
        if slots:
            told = ", ".join("{" + ", ".join(map(str, row)) + "}" for row in f.told)
            size = "char" if max(max(row) for row in f.told) < 256 else "short"
            lines.append(f"static const unsigned {size} told[{LEGS}][{slots}] = {{{told}}};")
        lines.append("int leg, k;")
        if f.shared:
            lines.append(f"{n}_common(x, {par}a);")
        if f.joint.outputs and f.shared + sums:
            zero = literal(0.0, T)
            value = f"k < {f.shared} ? a[k] : {zero}" if f.shared else zero
            lines += [f"for (k = 0; k < {f.shared + sums}; k++) {{", f"    b[k] = {value};", "}"]
        loop = self._own()
        loop.append(f"{n}_leg(a, {par}leg, z);")
        if sums:
            loop += [f"for (k = 0; k < {sums}; k++) {{", f"    b[{f.shared} + k] += z[k];", "}"]
        target = "kept[leg][k]" if apart else f"a[{first} + k]"
        if kept:
            loop += [f"for (k = 0; k < {kept}; k++) {{", f"    {target} = z[{sums} + k];", "}"]
        end = [f"{n}_after(a, {par}leg, z);"]
        end += [f"for (k = 0; k < {slots}; k++) {{", "    y[told[leg][k]] = z[k];", "}"]
        lines += ["for (leg = 0; leg < 6; leg++) {", *_in(loop if apart else loop + end), "}"]
        if f.joint.outputs:
            lines.append(f"{n}_joint(b, {par}{f'a + {first + kept}, ' if passed else ''}y);")
        if apart and slots:
            again = self._own()
            if kept:
                again += [
                    f"for (k = 0; k < {kept}; k++) {{",
                    f"    a[{first} + k] = kept[leg][k];",
                    "}",
                ]
            lines += ["for (leg = 0; leg < 6; leg++) {", *_in(again + end), "}"]
        return f"static void {n}({', '.join(arrays)})\n{{\n" + "\n".join(_in(lines)) + "\n}\n"

    def _own(self) -> list[str]:
        shared = self.found.shared
        return [f"a[{shared + j}] = x[{at} + leg];" for j, at in enumerate(self.places.own)]


def _store(k: int, value: str) -> str:
    return f"y[{k}] = {value};"


def _in(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]
