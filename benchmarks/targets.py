"""Vector instructions of the batch kernels on other processors: their own LLVM programs compiled for each, nothing run.

python -m benchmarks.targets [--function forces,forward,...] [--kind ups] [--number float64]
"""

from __future__ import annotations

import argparse
import re
import sys
from typing import NamedTuple

from llvmlite import binding
from numba.core import codegen

from gough.engines import native
from gough.equations.machine import FIXED


class Target(NamedTuple):
    """A processor by its LLVM names, and the bits of its vectors."""

    name: str
    triple: str
    cpu: str
    bits: int


TARGETS = (
    Target("x86-64, SSE2 (2003)", "x86_64-unknown-linux-gnu", "x86-64", 128),
    Target("x86-64, AVX2 (Haswell)", "x86_64-unknown-linux-gnu", "haswell", 256),
    Target("x86-64, AVX-512 (Skylake-X)", "x86_64-unknown-linux-gnu", "skylake-avx512", 512),
    Target("x86-64, AVX-512 (Zen 4)", "x86_64-unknown-linux-gnu", "znver4", 512),
    Target("ARM, NEON (Neoverse N1)", "aarch64-unknown-linux-gnu", "neoverse-n1", 128),
    Target("ARM, NEON (Apple M1)", "arm64-apple-darwin", "apple-m1", 128),
)
X86 = r"\bv?(?:mul|add|sub|f(?:n)?m(?:add|sub)\d+)"
ARM = r"\bf(?:mul|add|sub|mla|mls|madd|msub|nmul|nmadd|nmsub)"

BODY = re.compile(r"^define [^\n]*@(\w+)\([^\n]*\{\n.*?^\}\n", re.MULTILINE | re.DOTALL)


class Counts(NamedTuple):
    """Products, sums and both in one: on vectors, of the target's full length, on single numbers."""

    vector: int
    full: int
    single: int


def program(function: str, kinds: tuple[str, ...], number: str = "float64") -> str:
    """The kernel's LLVM text as numba hands it to LLVM's optimizer, everything it calls included."""
    kept: list[str] = []
    library = codegen.CPUCodeLibrary
    optimize = library._optimize_final_module

    def keep(self: codegen.CPUCodeLibrary) -> None:
        kept.append(str(self._final_module))
        optimize(self)

    text = native.generate(function, kinds, "batch", number)
    space: dict[str, object] = {}
    library._optimize_final_module = keep
    try:
        exec(text.replace("from gough.engines.cache import njit", "from numba import njit"), space)
    finally:
        library._optimize_final_module = optimize
    return max(kept, key=len)  # the others are what it calls


def _without_host(function: re.Match[str]) -> str:
    """numba's reference counting comes compiled for this processor: declared only."""
    own = "@llvm.x86." in function[0]
    return f"declare void @{function[1]}(ptr)\n" if own else function[0]


def assembly(text: str, target: Target, vectors: bool = True) -> str:
    """Machine code of an LLVM program for a processor, by numba's own settings of the optimizer; `vectors` False: loops
    are left as they are."""
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    made = binding.Target.from_triple(target.triple)
    machine = made.create_target_machine(cpu=target.cpu, opt=3, reloc="pic")
    text = BODY.sub(_without_host, text)
    text = re.sub(
        r'target datalayout = "[^"]*"', f'target datalayout = "{machine.target_data}"', text
    )
    text = re.sub(r'target triple = "[^"]*"', f'target triple = "{target.triple}"', text)
    module = binding.parse_assembly(text)
    for _ in range(2):  # the first brings everything into one function
        options = binding.create_pipeline_tuning_options(speed_level=3)
        options.loop_vectorization = vectors
        builder = binding.create_pass_builder(machine, options)
        builder.getModulePassManager().run(module, builder)
    return machine.emit_assembly(module)


def counts(code: str, target: Target, number: str = "float64") -> Counts:
    """Instructions of the arithmetic by the length of what they work on."""
    double = number == "float64"
    if target.triple.startswith("x86"):
        packed = re.findall(X86 + ("pd" if double else "ps") + r"\b[^\n]*%(x|y|z)mm", code)
        full = {128: "x", 256: "y", 512: "z"}[target.bits]
        single = re.findall(X86 + ("sd" if double else "ss") + r"\b", code)
        return Counts(len(packed), packed.count(full), len(single))
    shape = r"\.2d" if double else r"\.4s"
    packed = re.findall(ARM + r"(?:" + shape + r"|\s+v\d+" + shape + r")", code)
    single = re.findall(ARM + r"\s+" + ("d" if double else "s") + r"\d", code)
    return Counts(len(packed), len(packed), len(single))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.targets", description=__doc__)
    parser.add_argument("--function", default="forces,forward,kinematics,mass,record")
    parser.add_argument("--kind", default="ups", help="the kind of all six legs")
    parser.add_argument("--number", default="float64", choices=native.LANES)
    given = parser.parse_args()
    functions = given.function.split(",")
    if unknown := set(functions) - set(FIXED):
        parser.error(f"unknown functions {', '.join(sorted(unknown))}; known: {', '.join(FIXED)}")
    write = sys.stdout.write
    write(
        f"six {given.kind} legs, {given.number}: products and sums on vectors / on single numbers\n\n"
    )
    write(f"| processor | {' | '.join(functions)} |\n|---|{'---|' * len(functions)}\n")
    texts = [program(f, (given.kind,) * 6, given.number) for f in functions]
    for target in TARGETS:
        found = [counts(assembly(text, target), target, given.number) for text in texts]
        cells = (
            f"{c.full} of {target.bits} bits, {c.vector - c.full} shorter / {c.single}"
            for c in found
        )
        write(f"| {target.name} | {' | '.join(cells)} |\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
