"""Every engine gives the same numbers; the compiled one is vector code, splits bit for bit and survives its cache."""

from __future__ import annotations

import itertools
import re
import resource
from pathlib import Path

import numpy as np
import pytest

import gough
from gough.engines import native, pack, plain
from gough.equations import machine
from gough.equations.machine import FUNCTIONS, MOVING
from oracles.machines import KINDS, Case, case
from support.engine_states import blocks_of, relative


def setup(kind: str, seed: int = 1, states: int = 37) -> tuple[Case, tuple[str, ...], np.ndarray]:
    c = case(kind, seed=seed, states=states)
    return c, pack.kinds_of(c.platform, c.needs_spin), pack.parameters(c.platform)


SOME = {
    "forces": ("UPS", "SPS-free", "SPS-general", "PUS", "RUS", "mixed"),
    "forward": ("UPS", "SPS-general", "RUS"),
    "kinematics": ("UPS", "RUS"),
    "record": ("UPS", "RUS"),
    "mass": ("UPS", "PUS"),
    "energy": ("UPS",),
}


@pytest.mark.parametrize(("function", "kind"), [(f, k) for f, kinds in SOME.items() for k in kinds])
def test_compiled_equals_plain(kind: str, function: str) -> None:
    c, kinds, par = setup(kind)
    blocks = blocks_of(c, function, kinds)
    assert (
        relative(native.run(function, kinds, blocks, par), plain.run(function, kinds, blocks, par))
        < 1e-12
    )


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("function", list(FUNCTIONS))
def test_compiled_equals_plain_for_all_functions_and_legs(kind: str, function: str) -> None:
    for seed in (2, 3, 4):
        c, kinds, par = setup(kind, seed=seed)
        if function.startswith(MOVING):
            par = np.concatenate([par, pack.pack_mounts(c.platform)])
        blocks = blocks_of(c, function, kinds)
        assert (
            relative(
                native.run(function, kinds, blocks, par), plain.run(function, kinds, blocks, par)
            )
            < 1e-12
        )


def test_single_call_equals_batch() -> None:
    c, kinds, par = setup("UPS")
    blocks = blocks_of(c, "forces", kinds)
    wanted = native.run("forces", kinds, blocks, par)
    single, y = native.kernel("forces", kinds, "single"), np.empty(7)
    for i in range(len(wanted)):
        single(np.concatenate([b[i] for b in blocks]), par, y)
        np.testing.assert_allclose(y, wanted[i], rtol=1e-12, atol=1e-12 * np.abs(wanted).max())


def test_single_precision_error_is_that_of_single_precision() -> None:
    c, kinds, par = setup("UPS")
    blocks = blocks_of(c, "forces", kinds)
    wanted = native.run("forces", kinds, blocks, par)[:, :6]
    found = native.run("forces", kinds, blocks, par, number="float32")[:, :6]
    assert found.dtype == np.float32
    error = relative(found.astype(float), wanted)
    assert (
        1e-8 < error < 1e-4
    )  # 6e-8 times the condition of the machine; not double precision in disguise


def test_bit_identical_for_threads_and_splits() -> None:
    c, kinds, par = setup("UPS", states=50)
    blocks = [np.resize(b, (3001, b.shape[1])) for b in blocks_of(c, "forces", kinds)]
    compiled = native.kernel("forces", kinds)
    whole = np.empty((3001, 7))
    native.run_into(compiled, blocks, par, (whole,), 1)
    for workers in (2, 3):
        out = np.empty((3001, 7))
        native.run_into(compiled, blocks, par, (out,), workers)
        assert out.tobytes() == whole.tobytes()
    rng = np.random.default_rng(5)
    edges = [0, *np.sort(rng.choice(3000, 40, replace=False)) + 1, 3001]
    for low, high in itertools.pairwise(edges):
        out = np.empty((high - low, 7))
        compiled(*(b[low:high] for b in blocks), par, out)
        assert out.tobytes() == whole[low:high].tobytes()


def test_strided_and_broadcast_inputs() -> None:
    c, kinds, par = setup("UPS", states=8)
    blocks = blocks_of(c, "forces", kinds)
    wanted = native.run("forces", kinds, blocks, par)
    wide = [np.repeat(np.repeat(b, 2, axis=0), 3, axis=1)[::2, ::3] for b in blocks]
    assert not wide[0].flags.c_contiguous
    assert native.run("forces", kinds, wide, par).tobytes() == wanted.tobytes()
    still = [np.broadcast_to(b[:1], b.shape) for b in blocks]
    assert (native.run("forces", kinds, still, par) == wanted[0]).all()


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e300])
def test_a_bad_state_stays_in_its_own_row(bad: float) -> None:
    c, kinds, par = setup("UPS", states=70)
    blocks = blocks_of(c, "forces", kinds)
    wanted = native.run("forces", kinds, blocks, par)
    hurt = [b.copy() for b in blocks]
    hurt[0][23, 1] = bad
    out = native.run("forces", kinds, hurt, par)
    others = np.arange(70) != 23
    assert not np.isfinite(out[23]).all()
    assert out[others].tobytes() == wanted[others].tobytes()


def test_empty_batch() -> None:
    c, kinds, par = setup("UPS", states=2)
    blocks = [b[:0] for b in blocks_of(c, "forces", kinds)]
    assert native.run("forces", kinds, blocks, par).shape == (0, 7)


def test_memory_stays_constant() -> None:
    """A hundred large evaluations after the first few raise the peak by less than one of their inputs."""
    c, kinds, par = setup("UPS", states=50)
    blocks = [np.resize(b, (40_000, b.shape[1])) for b in blocks_of(c, "forces", kinds)]
    compiled, out = native.kernel("forces", kinds), np.empty((40_000, 7))
    for _ in range(3):
        native.run_into(compiled, blocks, par, (out,), 2)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(100):
        native.run_into(compiled, blocks, par, (out,), 2)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert after - before < 8_000  # kB; the inputs are 9,600


def packed_and_scalar(assembly: str) -> tuple[int, int]:
    """Double-precision products and sums on vectors and on single numbers."""
    arithmetic = r"\bv?(?:mul|add|sub|f(?:n)?m(?:add|sub)\d+)"
    return len(re.findall(arithmetic + "pd", assembly)), len(
        re.findall(arithmetic + "sd", assembly)
    )


def assembly(function: str, kind: str, form: str) -> str:
    """Machine code compiled here and now: numba shows none of what it read from a file."""
    space: dict = {}
    text = native.generate(function, (kind,) * 6, form)
    exec(text.replace("from gough.engines.cache import njit", "from numba import njit"), space)
    return "".join(space["kernel"].inspect_asm().values())


@pytest.mark.parametrize(
    ("function", "kind"), [("forces", "ups"), ("record", "ups"), ("kinematics", "rus")]
)
def test_batch_kernels_are_vector_code(function: str, kind: str) -> None:
    """Fails when LLVM gives up on the inner loop: speed would fall by a factor of five without a wrong number."""
    packed, scalar = packed_and_scalar(assembly(function, kind, "batch"))
    assert packed > 500
    assert packed > 5 * scalar


def vectors() -> list[tuple[str, str]]:
    """Functions and legs whose kernels are vector code.

    Fixed links are the same programs with a small system more.
    Left out: the angle of a twist (coordinates of screws, moments of torsion springs) is computed lane by lane; LLVM
    leaves the longest programs scalar: the record of legs that spin, a base that moves, moments in the joints.  Of legs
    with offset joints only the forces of UPS legs without springs are asked for.
    """
    bare = ("sps_spin", "ucs_spin", "rss_spin")
    spun = (*bare, *(kind + machine.SPRUNG for kind in bare), "rss_axial")
    spinning = {("record", kind) for kind in spun}
    lanes = {(name, kind) for kind in machine.PULLING for name in ("record", "kinematics")}
    springs = {
        (name, kind)
        for kind in machine.PULLING
        if kind.startswith("ucu_spring_") or kind == "ucu_spring"
        for name in ("forces", "forward", "energy")
    }
    legs = [
        kind for kind in machine.KINDS if not kind.endswith(machine.HELD) and "_offset" not in kind
    ]
    every = {(name, kind) for kind in legs for name in machine.FIXED} | {("forces", "ups_offset")}
    return sorted(every - spinning - lanes - springs)


@pytest.mark.slow
@pytest.mark.parametrize(("function", "kind"), vectors())
def test_all_batch_kernels_are_vector_code(function: str, kind: str) -> None:
    packed, scalar = packed_and_scalar(assembly(function, kind, "batch"))
    assert packed > 5 * scalar


def test_the_vector_check_sees_scalar_code() -> None:
    packed, scalar = packed_and_scalar(assembly("mass", "ups", "single"))
    assert not packed > 5 * scalar


def test_unknown_engine_is_refused() -> None:
    c, _, _ = setup("UPS", states=1)
    with pytest.raises(gough.InputError, match="engine"):
        gough.inverse_dynamics(c.platform, c.motion, engine="abacus")


# --- lean calls and streams --------------------------------------------------------------------------------------


def test_lean_call() -> None:
    from gough.engines.single_state import lean

    c, kinds, par = setup("UPS")
    blocks = blocks_of(c, "forces", kinds)
    wanted = native.run("forces", kinds, blocks, par)
    call = lean(c.platform)
    assert call.size == 30
    for i in range(5):
        found = call(np.concatenate([b[i] for b in blocks]))
        np.testing.assert_allclose(found, wanted[i], rtol=1e-12, atol=1e-12 * np.abs(wanted).max())
    with pytest.raises(gough.InfeasibleError, match="not made of finite numbers"):
        call(np.full(30, np.nan))
    with pytest.raises((TypeError, ValueError)):
        call(np.zeros(29))
    with pytest.raises(TypeError):
        call(np.zeros(30, dtype=np.float32))
    with pytest.raises(gough.InputError, match="function"):
        lean(c.platform, "banana")


def test_stream_equals_batch_for_arrays_and_iterables(tmp_path: Path) -> None:
    from gough.engines.stream import columns, stream, stream_into

    c, kinds, par = setup("UPS", states=50)
    x = np.resize(np.concatenate(blocks_of(c, "forces", kinds), axis=1), (1003, 30))
    wanted = native.run(
        "forces",
        kinds,
        list(np.split(x, np.cumsum([w for _, w in columns(c.platform)])[:-1], axis=1)),
        par,
    )
    found = np.concatenate([a.copy() for a in stream(c.platform, x, chunk=100)])
    assert found.tobytes() == wanted.tobytes()
    mapped = np.memmap(tmp_path / "out.bin", dtype=float, mode="w+", shape=(1003, 7))
    seen: list[int] = []
    count = stream_into(
        c.platform,
        (x[i : i + 17] for i in range(0, 1003, 17)),
        mapped,
        callback=lambda low, _: seen.append(low),
    )
    assert count == 1003
    assert seen == list(range(0, 1003, 17))
    assert mapped.tobytes() == wanted.tobytes()
    with pytest.raises(gough.InputError, match="source"):
        stream_into(c.platform, x[:, :29])


def test_stream_memory_is_constant() -> None:
    """1.5e6 states, 360 MB of input made on the way, raise the peak by less than 30 MB."""
    from gough.engines.stream import stream_into

    c, kinds, _ = setup("UPS", states=50)
    x = np.resize(np.concatenate(blocks_of(c, "forces", kinds), axis=1), (20_000, 30))
    stream_into(c.platform, (x for _ in range(3)))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert stream_into(c.platform, (x.copy() for _ in range(75))) == 1_500_000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 30_000
