"""Traced programs as C99: straight-line functions of arrays, in double or single precision.

No allocation, recursion, globals or branches; only `sqrt` and, for cranks, `atan2` are called.
"""

from __future__ import annotations

from collections.abc import Callable

from gough.engines.tracer import Program

SMALLEST_FLOAT = "1e-30f"  # stands for the equations' 1e-300 where that would be zero


def literal(value: float, number: str) -> str:
    """A constant that reads back as the same number."""
    if number == "double":
        return repr(value)
    return SMALLEST_FLOAT if 0.0 < abs(value) < 1e-37 else f"{value!r}f"


def statements(
    program: Program,
    number: str,
    read: Callable[[str, int], str],
    write: Callable[[int, str], str],
    indent: str = "    ",
) -> list[str]:
    """One line per operation: ``const double v7 = v3 * v5;`` and one per output.

    read(code, i)    expression for input `i` of the array `code` (x, spin, par)
    write(k, value)  statement that stores output k
    """
    suffix = "" if number == "double" else "f"
    names: list[str] = []
    lines: list[str] = []
    for at, (code, a, b) in enumerate(program.operations):
        if code == "const":
            text = literal(a, number)
            names.append(f"({text})" if a < 0.0 else text)
            continue
        if code == "restart":
            names.append(names[a])
            continue
        if code in ("x", "spin", "par"):
            text = read(code, a)
        elif code in SIGNS:
            text = f"{names[a]} {SIGNS[code]} {names[b]}"
        elif code == "neg":
            text = f"-{names[a]}"
        elif code == "inv":
            text = f"{literal(1.0, number)} / {names[a]}"
        elif code in CHOICES:  # as `scalar.smaller` and `larger`: a NaN in the first stays
            text = f"{names[b]} {CHOICES[code]} {names[a]} ? {names[b]} : {names[a]}"
        else:
            text = f"{CALLS[code]}{suffix}({names[a]}{'' if b < 0 else ', ' + names[b]})"
        names.append(f"v{at}")
        lines.append(f"{indent}const {number} v{at} = {text};")
    lines += [indent + write(k, names[at]) for k, at in enumerate(program.outputs)]
    return lines


SIGNS = {"add": "+", "sub": "-", "mul": "*"}
CHOICES = {"smaller": "<", "larger": ">"}
CALLS = {code: code for code in ("sqrt", "rsqrt", "atan2", "reciprocal")}  # in CUDA: see emit_cuda


def function(program: Program, name: str, number: str = "double", static: bool = False) -> str:
    """A C function ``void name(const double x[], const double spin[], const double par[], double y[])``; inputs
    that the program does not have are left out."""
    arrays = [f"const {number} {code}[{size}]" for code, size in program.sizes.items()]
    arrays.append(f"{number} y[{len(program.outputs)}]")
    used = {operation.code for operation in program.operations}
    unused = [f"    (void){code};" for code in program.sizes if code not in used]
    head = f"{'static ' if static else ''}void {name}({', '.join(arrays)})\n{{\n"
    body = statements(
        program, number, lambda code, i: f"{code}[{i}]", lambda k, value: f"y[{k}] = {value};"
    )
    return head + "\n".join(unused + body) + "\n}\n"


def batch(program: Program, name: str, number: str = "double", width: int = 0) -> str:
    """A loop over states in component rows that a C compiler turns into vector code: ``X[k * width + i]``."""
    n_x = program.sizes["x"]
    rows = {"x": 0, "spin": n_x}
    stride = str(width) if width else "width"

    def read(code: str, i: int) -> str:
        return f"par[{i}]" if code == "par" else f"X[{rows[code] + i} * {stride} + i]"

    body = statements(
        program, number, read, lambda k, value: f"Y[{k} * {stride} + i] = {value};", " " * 8
    )
    return (
        f"void {name}(long n, long width, const {number} *restrict X, const {number} *restrict par,\n"
        f"    {number} *restrict Y)\n{{\n    (void)width;\n    for (long i = 0; i < n; i++) {{\n"
        + "\n".join(body)
        + "\n    }\n}\n"
    )
