"""The launch of CUDA kernels on a stand-in for CuPy: a device that runs the plain equations and counts its threads."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gough
from gough.engines import cuda
from gough.engines.emit_cuda import parts, reciprocal_roots, split
from gough.engines.evaluate import motion_blocks
from gough.engines.native import inputs_of
from gough.engines.pack import packed
from gough.engines.plain import run
from gough.engines.tracer import Program, record, trace
from oracles.machines import case

CASE = case("UPS", seed=3, states=5)
KINDS = packed(CASE.platform, None).kinds


class Device:
    """What the launch asks of CuPy: arrays of NumPy, one module, its constants, its kernel."""

    def __init__(self) -> None:
        runtime = SimpleNamespace(deviceSynchronize=lambda: None)
        self.cuda = SimpleNamespace(Device=lambda: SimpleNamespace(id=0), runtime=runtime)
        self.constants = np.zeros(0)
        self.written = 0
        self.launched: list[int] = []
        self.sources: list[str] = []

    def RawModule(self, code: str, options: tuple[str, ...]) -> Any:
        self.sources.append(code)
        return SimpleNamespace(
            get_function=lambda _: partial(self.kernel, "r0" in code), get_global=lambda _: self
        )

    def ndarray(self, shape: tuple[int, ...], dtype: str, memptr: Any) -> Any:
        assert memptr is self

        def keep(values: np.ndarray) -> None:
            assert values.shape == shape
            assert values.dtype == dtype
            self.constants = values
            self.written += 1

        return SimpleNamespace(set=keep)

    def empty(self, shape: tuple[int, ...], dtype: str) -> np.ndarray:
        return np.empty(shape, dtype=dtype)

    def kernel(
        self,
        strided: bool,
        grid: tuple[int, ...],
        block: tuple[int, ...],
        arguments: tuple[Any, ...],
    ) -> None:
        n, rest = int(arguments[0]), list(arguments[1:])
        self.launched.append(grid[0] * block[0])
        arrays = [a for a in rest if isinstance(a, np.ndarray)]
        *blocks, out = arrays
        if strided:
            strides = [
                [s * a.itemsize for s in rest[3 * k + 1 : 3 * k + 3]] for k, a in enumerate(arrays)
            ]
            assert strides == [list(a.strides) for a in arrays]
        else:
            assert len(arrays) == len(rest)
            size = out.itemsize
            assert out.strides == (size, n * size)
            width = sum(w for _, w in inputs_of("forces", KINDS))
            blocks = [np.lib.stride_tricks.as_strided(blocks[0], (n, width), (size, n * size))]
        assert all(len(b) == n for b in arrays)
        x = np.concatenate(blocks, axis=1).astype(float).T
        found = parts("forces", KINDS)[1].run(x, self.constants.astype(float))
        out[:] = np.stack(np.broadcast_arrays(*found), axis=1)


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> Iterator[Device]:
    found = Device()
    cuda._compiled.cache_clear()
    monkeypatch.setattr(cuda, "cupy", lambda: found)
    monkeypatch.setattr(cuda, "address", lambda block: block.ctypes.data)
    yield found
    cuda._compiled.cache_clear()


def blocks(number: str = "float64") -> list[np.ndarray]:
    rows = [*motion_blocks(CASE.motion, 6), CASE.external]
    return [np.array(b, dtype=number) for b in rows]


def one_array(given: list[np.ndarray]) -> list[np.ndarray]:
    """The same states as views of one array by component."""
    rows = np.ascontiguousarray(np.concatenate([b.T for b in given]))
    edges = np.cumsum([0, *(b.shape[1] for b in given)])
    return [rows[a:b].T for a, b in pairwise(edges)]


@pytest.mark.parametrize("lies", ["by rows", "by component", "in one array"])
def test_a_launch_hands_over_every_block_and_covers_every_state(device: Device, lies: str) -> None:
    given = blocks()
    if lies == "by component":
        given = [np.ascontiguousarray(b.T).T for b in given]
    if lies == "in one array":
        given = one_array(given)
    found = cuda.evaluate("forces", CASE.platform, given)
    wanted = run("forces", KINDS, given, packed(CASE.platform, None).parameters)
    np.testing.assert_allclose(found, wanted, rtol=1e-13)
    assert device.launched[0] >= 5
    assert "double" in device.sources[0]
    assert ("r0" in device.sources[0]) == (lies != "in one array")
    mine = np.empty_like(wanted)
    assert cuda.evaluate("forces", CASE.platform, given, out=mine) is mine
    np.testing.assert_array_equal(mine, found)
    cuda.evaluate("forces", CASE.platform, given)
    assert len(device.sources) == 1 + (lies == "in one array")  # once for each way to lie


def test_blocks_out_of_order_in_one_array_are_not_taken_for_one(device: Device) -> None:
    """Velocity and angular velocity have the same size: changed places must not change the answer."""
    given = one_array([blocks()[k] for k in (0, 1, 3, 2, 4, 5, 6)])
    given[2], given[3] = given[3], given[2]
    found = cuda.evaluate("forces", CASE.platform, given)
    wanted = run("forces", KINDS, blocks(), packed(CASE.platform, None).parameters)
    np.testing.assert_allclose(found, wanted, rtol=1e-13)
    assert "r0" in device.sources[0]


def test_a_place_for_the_answer_that_does_not_fit_is_refused(device: Device) -> None:
    for wrong in (np.empty((5, 6)), np.empty((4, 7)), np.empty((5, 7), dtype="float32")):
        with pytest.raises(gough.InputError, match="out"):
            cuda.evaluate("forces", CASE.platform, blocks(), out=wrong)
    assert device.launched == []


def test_a_root_that_is_divided_by_is_a_reciprocal_root_and_no_other() -> None:
    """sqrt(x), 1/sqrt(x) and sqrt(y): the last keeps its value at y = 0."""

    def f(x: Any) -> list[Any]:
        root = x[0].sqrt()
        return [root, 1.0 / root, 3.0 / root + root, x[1].sqrt()]

    program = reciprocal_roots(record(f, {"x": 2}))
    codes = [operation.code for operation in program.operations]
    assert [codes.count(code) for code in ("rsqrt", "sqrt", "inv")] == [1, 1, 0]
    found = program.run([9.0, 0.0], [], calls={"rsqrt": lambda a, _: a**-0.5})
    np.testing.assert_allclose(found, [3.0, 1.0 / 3.0, 4.0, 0.0], rtol=1e-15)


@pytest.mark.parametrize("kind", ["UPS", "RUS", "UCU-screw"])
def test_neither_reciprocal_roots_nor_the_split_change_a_number(kind: str) -> None:
    c = case(kind, seed=4, states=1)
    machine = packed(c.platform, None)
    program = trace("forces", machine.kinds)
    x = [*np.concatenate([b[0] for b in motion_blocks(c.motion, 6)]), *c.external[0]]
    wanted, calls = program.run(x, list(machine.parameters)), {"rsqrt": lambda a, _: a**-0.5}
    once, rest = split(program)
    constants = once.run((), list(machine.parameters))
    assert not any(
        rest.constant_nodes()[at] for at in range(len(rest.operations)) if computed(rest, at)
    )
    np.testing.assert_array_equal(rest.run(x, constants), wanted)
    np.testing.assert_allclose(
        reciprocal_roots(rest).run(x, constants, calls=calls), wanted, rtol=1e-11
    )


def computed(program: Program, at: int) -> bool:
    """Neither a number nor an input."""
    return program.operations[at].code not in ("const", "par", "x", "spin")


def test_single_precision_has_a_kernel_of_its_own(device: Device) -> None:
    found = cuda.evaluate("forces", CASE.platform, blocks("float32"))
    assert found.dtype == np.float32
    assert device.constants.dtype == np.float32
    assert "double" not in device.sources[0].split("kernel")[1]


def test_parameters_are_written_when_they_change_and_only_then(device: Device) -> None:
    heavy = CASE.platform.replace(
        body=CASE.platform.body.replace(mass=9.0 * CASE.platform.body.mass)
    )
    for platform, written in (
        (CASE.platform, 1),
        (CASE.platform, 1),
        (heavy, 2),
        (CASE.platform, 3),
    ):
        found = cuda.evaluate("forces", platform, blocks())
        assert device.written == written
        wanted = run("forces", KINDS, blocks(), packed(platform, None).parameters)
        np.testing.assert_allclose(found, wanted, rtol=1e-13)


def test_no_states_launch_nothing(device: Device) -> None:
    found = cuda.evaluate("forces", CASE.platform, [b[:0] for b in blocks()])
    assert len(found) == 0
    assert device.launched == []


def test_blocks_that_do_not_fit_are_named(device: Device) -> None:
    names = [name for name, _ in inputs_of("forces", KINDS)]
    with pytest.raises(gough.InputError, match=names[-1]):
        cuda.evaluate("forces", CASE.platform, blocks()[:-1])
    with pytest.raises(gough.InputError, match="float64 or float32"):
        cuda.evaluate("forces", CASE.platform, blocks("int64"))
    for k, name in enumerate(names[1:], start=1):
        narrow, mixed = blocks(), blocks()
        narrow[k], mixed[k] = narrow[k][:, :-1], mixed[k].astype("float32")
        for wrong in (narrow, mixed):
            with pytest.raises(gough.InputError, match=name):
                cuda.evaluate("forces", CASE.platform, wrong)


class NoDriverError(Exception):
    """What CuPy raises without a driver."""


@pytest.mark.parametrize("count", [0, NoDriverError("no driver")])
def test_a_machine_without_a_device_says_so(monkeypatch: pytest.MonkeyPatch, count: Any) -> None:
    def devices() -> int:
        if isinstance(count, Exception):
            raise count
        return count

    runtime = SimpleNamespace(getDeviceCount=devices, CUDARuntimeError=NoDriverError)
    fake = SimpleNamespace(cuda=SimpleNamespace(runtime=runtime))
    monkeypatch.setitem(__import__("sys").modules, "cupy", fake)
    with pytest.raises(gough.InputError, match="NVIDIA GPU"):
        cuda.cupy()
    monkeypatch.setitem(__import__("sys").modules, "cupy", None)
    with pytest.raises(gough.InputError, match="needs the extra cuda"):
        cuda.cupy()


def test_a_device_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    runtime = SimpleNamespace(getDeviceCount=lambda: 1, CUDARuntimeError=NoDriverError)
    fake = SimpleNamespace(cuda=SimpleNamespace(runtime=runtime))
    monkeypatch.setitem(__import__("sys").modules, "cupy", fake)
    assert cuda.cupy() is fake
