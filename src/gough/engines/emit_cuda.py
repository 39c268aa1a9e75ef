"""Traced programs as CUDA: one state per thread, parameters in constant memory.

What depends on parameters alone is computed once, on the host (`split`).  States that lie by component in one array
(element k of state i at ``k n + i``) have a kernel of their own: with one address and no strides as arguments the
compiler keeps more of the state in registers.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from gough.engines.emit_c import statements
from gough.engines.native import inputs_of
from gough.engines.tracer import Operation, Program, operands, renumbered, trace

THREADS = 128


@lru_cache(maxsize=64)
def parts(function: str, kinds: tuple[str, ...]) -> tuple[Program, Program]:
    """A machine function in two programs: of the parameters alone, and the rest."""
    return split(trace(function, kinds))


def source(
    function: str, kinds: tuple[str, ...], number: str = "double", one_array: bool = False
) -> str:
    """A module with ``kernel(n, a, y)`` over arrays by component, all inputs in a; or, for any strides, with
    ``kernel(n, a0, r0, c0, a1, ..., y, ry, cy)``: element k of state i is ``a0[i * r0 + k * c0]``.
    The constant array ``par`` holds what the first of `parts` gives."""
    return kernel(parts(function, kinds)[1], inputs_of(function, kinds), number, one_array)


def kernel(
    program: Program, inputs: tuple[tuple[str, int], ...], number: str, one_array: bool = False
) -> str:
    """The same for any program over these input blocks, the spin last."""
    n_x = program.sizes["x"]
    at, arguments = _one_array(number) if one_array else _strided(inputs, number)

    def read(code: str, i: int) -> str:
        return (
            f"par[{i}]" if code == "par" else f"__ldcs(&{at('a', i if code == 'x' else n_x + i)})"
        )

    body = statements(
        reciprocal_roots(program), number, read, lambda k, value: f"__stcs(&{at('y', k)}, {value});"
    )
    return (
        f"__constant__ {number} par[{max(program.sizes['par'], 1)}];\n"
        f'extern "C" __global__ void __launch_bounds__({THREADS}) kernel(const long long n, {arguments})\n{{\n'
        "    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    if (i >= n) return;\n" + "\n".join(body) + "\n}\n"
    )


def _one_array(number: str) -> tuple[Callable[[str, int], str], str]:
    arguments = f"const {number} *__restrict__ a, {number} *__restrict__ y"
    return lambda name, k: f"{name}[{k} * n + i]", arguments


def _strided(
    inputs: tuple[tuple[str, int], ...], number: str
) -> tuple[Callable[[str, int], str], str]:
    place = [(str(j), k) for j, (_, width) in enumerate(inputs) for k in range(width)]
    arguments = "".join(
        f"const {number} *__restrict__ a{j}, const long long r{j}, const long long c{j}, "
        for j in range(len(inputs))
    )

    def at(name: str, k: int) -> str:
        if name == "y":
            return f"y[i * ry + {k} * cy]"
        j, k = place[k]
        return f"a{j}[i * r{j} + {k} * c{j}]"

    return at, arguments + f"{number} *__restrict__ y, const long long ry, const long long cy"


def split(program: Program) -> tuple[Program, Program]:
    """What depends on parameters alone as a program of its own, whose outputs are the parameters of the other."""
    fixed = program.constant_nodes()
    used = {
        at
        for user, operation in enumerate(program.operations)
        for at in operands(operation)
        if not fixed[user]
    } | set(program.outputs)
    once = sorted(at for at in used if fixed[at] and program.operations[at].code != "const")
    place = {at: i for i, at in enumerate(once)}
    number: dict[int, int] = {}
    rest: list[Operation] = []
    for at, operation in enumerate(program.operations):
        if at in used or not fixed[at]:
            number[at] = len(rest)
            new = Operation("par", place[at]) if at in place else renumbered(operation, number)
            rest.append(new)
    sizes = {**program.sizes, "par": len(once)}
    first = Program(program.operations, once, program.sizes).select(range(len(once)))
    return first, Program(rest, [number[at] for at in program.outputs], sizes)


RECIPROCAL = """
#ifdef __CUDA_ARCH__
static __device__ __forceinline__ double reciprocal(const double x)
{
    double y;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    const double e = fma(-x, y, 1.0);
    return fma(y, fma(e, e, e), y);
}
#else
#define reciprocal(x) (1.0 / (x))
#endif
"""
"""``1/x`` of normal numbers: the card's approximation y (``e = 1 - x y`` about 2^-20) and one step of third order,
``y (1 + e + e^2)``.  The compiler's own quotient has a branch for all other numbers, which keeps it from ordering what
lies on both sides; here zero, infinity and NaN give NaN, never a number.  Other compilers get the plain quotient."""


SINGLE_RECIPROCAL = """
#ifdef __CUDA_ARCH__
static __device__ __forceinline__ float reciprocalf(const float x)
{
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
#else
#define reciprocalf(x) (1.0f / (x))
#endif
"""
"""The same in single precision, where the card's approximation is good to the last bit but one."""


def branch_free(program: Program) -> Program:
    """`reciprocal_roots`, with the function of RECIPROCAL for quotients."""
    roots = reciprocal_roots(program)
    operations = [
        Operation("reciprocal", a, b) if code == "inv" else Operation(code, a, b)
        for code, a, b in roots.operations
    ]
    return Program(operations, roots.outputs, roots.sizes)


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
