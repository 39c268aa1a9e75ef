"""Traced programs as CUDA: one state per thread, parameters in constant memory, inputs of any strides."""

from __future__ import annotations

from gough.engines.emit_c import statements
from gough.engines.native import inputs_of
from gough.engines.tracer import Program, trace

THREADS = 128


def source(function: str, kinds: tuple[str, ...], number: str = "double") -> str:
    """A module with ``kernel(n, a0, r0, c0, a1, ..., y, ry, cy)`` and the constant array ``par``.

    Element k of state i of input block j is ``aj[i * rj + k * cj]``; output k is ``y[i * ry + k * cy]``.
    """
    return kernel(trace(function, kinds), inputs_of(function, kinds), number)


def kernel(program: Program, inputs: tuple[tuple[str, int], ...], number: str) -> str:
    """The same for any program over these input blocks, the spin last."""
    place: list[tuple[int, int]] = []
    for j, (_, width) in enumerate(inputs):
        place += [(j, k) for k in range(width)]
    n_x = program.sizes["x"]

    def read(code: str, i: int) -> str:
        if code == "par":
            return f"par[{i}]"
        j, k = place[i if code == "x" else n_x + i]
        return f"a{j}[i * r{j} + {k} * c{j}]"

    arguments = ", ".join(
        f"const {number} *__restrict__ a{j}, const long long r{j}, const long long c{j}"
        for j in range(len(inputs))
    )
    body = statements(program, number, read, lambda k, value: f"y[i * ry + {k} * cy] = {value};")
    return (
        f"__constant__ {number} par[{program.sizes['par']}];\n"
        f'extern "C" __global__ void __launch_bounds__({THREADS}) kernel(const long long n, {arguments},\n'
        f"    {number} *__restrict__ y, const long long ry, const long long cy)\n{{\n"
        "    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    if (i >= n) return;\n" + "\n".join(body) + "\n}\n"
    )
