"""The batch kernels are vector code on processors that are not here: their LLVM programs, compiled for each."""

from __future__ import annotations

import pytest
from benchmarks.targets import TARGETS, Counts, Target, assembly, counts, program


@pytest.fixture(scope="module")
def mass() -> str:
    return program("mass", ("ups",) * 6)


@pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.cpu)
def test_the_kernel_is_vector_code_of_full_length(mass: str, target: Target) -> None:
    found = counts(assembly(mass, target), target)
    assert found.full > 1000  # 1518 products and sums of a state, fused where the processor can
    assert found.full == found.vector
    assert found.vector > 10 * found.single  # those of the parameters alone, once a call


def test_a_loop_that_is_not_vector_code_is_seen(mass: str) -> None:
    """Planted: LLVM is told to leave the loops as they are."""
    host = next(t for t in TARGETS if t.cpu == "haswell")
    arm = next(t for t in TARGETS if t.cpu == "neoverse-n1")
    for target in (host, arm):
        found = counts(assembly(mass, target, vectors=False), target)
        assert found.single > 1000
        assert not found.vector > 10 * found.single


def test_instructions_are_counted_by_their_length() -> None:
    x86 = next(t for t in TARGETS if t.cpu == "znver4")
    text = "\tvmulpd\t%zmm1, %zmm2, %zmm3\n\tvaddpd\t%ymm1, %ymm2, %ymm3\n\tvfmadd231sd\t%xmm1, %xmm2, %xmm3\n"
    assert counts(text, x86) == Counts(vector=2, full=1, single=1)
    arm = next(t for t in TARGETS if t.cpu == "neoverse-n1")
    text = "\tfmla\tv0.2d, v1.2d, v2.2d\n\tfmul.2d\tv0, v1, v2\n\tfmadd\td0, d1, d2, d3\n\tfadd\tv0.4s, v1.4s, v2.4s\n"
    assert counts(text, arm) == Counts(vector=2, full=2, single=1)
    assert counts(text, arm, "float32") == Counts(vector=1, full=1, single=0)
