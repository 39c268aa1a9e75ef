"""Traced programs as CUDA: one state per thread, parameters in constant memory.

Blocks that lie by component (element k of state i at ``k n + i``) have a kernel of their own: with strides that are no
arguments the compiler keeps more of the state in registers.
"""

from __future__ import annotations

from gough.engines.emit_c import statements
from gough.engines.native import inputs_of
from gough.engines.tracer import Operation, Program, renumbered, trace

THREADS = 128


def source(
    function: str, kinds: tuple[str, ...], number: str = "double", by_component: bool = False
) -> str:
    """A module with ``kernel(n, a0, ..., y)`` over arrays by component, or with the strides of each behind it
    (``a0, r0, c0``: element k of state i is ``a0[i * r0 + k * c0]``), and the constant array ``par``."""
    return kernel(trace(function, kinds), inputs_of(function, kinds), number, by_component)


def kernel(
    program: Program, inputs: tuple[tuple[str, int], ...], number: str, by_component: bool = False
) -> str:
    """The same for any program over these input blocks, the spin last."""
    place: list[tuple[int, int]] = []
    for j, (_, width) in enumerate(inputs):
        place += [(j, k) for k in range(width)]
    n_x = program.sizes["x"]

    def at(name: str, j: str, k: int) -> str:
        return f"{name}[{k} * n + i]" if by_component else f"{name}[i * r{j} + {k} * c{j}]"

    def read(code: str, i: int) -> str:
        if code == "par":
            return f"par[{i}]"
        j, k = place[i if code == "x" else n_x + i]
        return at(f"a{j}", str(j), k)

    def strided(j: str) -> str:
        return "" if by_component else f", const long long r{j}, const long long c{j}"

    arguments = ", ".join(
        f"const {number} *__restrict__ a{j}{strided(str(j))}" for j in range(len(inputs))
    )
    body = statements(
        reciprocal_roots(program), number, read, lambda k, value: f"{at('y', 'y', k)} = {value};"
    )
    return (
        f"__constant__ {number} par[{program.sizes['par']}];\n"
        f'extern "C" __global__ void __launch_bounds__({THREADS}) kernel(const long long n, {arguments},\n'
        f"    {number} *__restrict__ y{strided('y')})\n{{\n"
        "    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    if (i >= n) return;\n" + "\n".join(body) + "\n}\n"
    )


def reciprocal_roots(program: Program) -> Program:
    """``1/sqrt(x)`` as ``rsqrt(x)`` and its ``sqrt(x)`` as ``x rsqrt(x)``: one instruction sequence for both.

    Only roots that the program also divides by are changed: at x = 0 these have no finite answer either way.
    """
    operations = program.operations
    divided = {a for code, a, _ in operations if code == "inv" and operations[a].code == "sqrt"}
    number: dict[int, int] = {}
    root: dict[int, int] = {}
    out: list[Operation] = []
    for at, operation in enumerate(operations):
        if at in divided:
            x = number[operation.a]
            root[at] = len(out)
            out += [Operation("rsqrt", x), Operation("mul", x, len(out))]
        elif operation.code == "inv" and operation.a in root:
            number[at] = root[operation.a]
            continue
        else:
            out.append(renumbered(operation, number))
        number[at] = len(out) - 1
    return Program(out, [number[at] for at in program.outputs], program.sizes)
