"""The exported C: compiles without a warning, agrees with the library, touches no memory it should not."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gough
from gough.engines import emit_cuda, native, pack, plain
from gough.equations.machine import FUNCTIONS
from gough.export.c_code import c_project, identifier
from oracles.machines import case, platform
from oracles.planted_springs import SPRINGS
from support.engine_states import blocks_of, relative

needs_gcc = pytest.mark.skipif(
    shutil.which("gcc") is None, reason="NO C COMPILER: the exported C was not compiled"
)
STRICT = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"]


def build(folder: Path, *flags: str) -> Path:
    program = folder / "test"
    sources = sorted(str(path) for path in folder.glob("*.c"))
    command = ["gcc", *STRICT, *flags, *sources, "-o", str(program), "-lm"]
    found = subprocess.run(command, capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    return program


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


@needs_gcc
@pytest.mark.parametrize(
    ("kind", "precision", "baked"),
    [
        ("UPS", "double", True),
        ("UPS", "float", False),
        ("SPS-general", "double", False),
        ("PUS", "float", True),
        ("RUS", "double", True),
        ("mixed", "double", False),
        ("UPS+springs", "double", True),
        ("SPS-general+springs", "float", False),
    ],
)
def test_compiles_and_agrees(tmp_path: Path, kind: str, precision: str, baked: bool) -> None:
    c = case(kind.removesuffix(SPRINGS), seed=3, states=1, springs=kind.endswith(SPRINGS))
    c_project(c.platform, name=kind, precision=precision, baked=baked).write(tmp_path)
    found = run(str(build(tmp_path, "-O1")))
    assert found.returncode == 0, found.stdout


@needs_gcc
@pytest.mark.parametrize(
    "name",
    [
        "screw-hexapod",
        pytest.param("motion-base-ucu", marks=pytest.mark.slow),
        pytest.param("robot-head-rss", marks=pytest.mark.slow),
        pytest.param("glide-psu", marks=pytest.mark.slow),
    ],
)
def test_presets_compile_and_agree(tmp_path: Path, name: str) -> None:
    c_project(gough.load(name)).write(tmp_path)
    found = run(str(build(tmp_path, "-O1")))
    assert found.returncode == 0, found.stdout


@needs_gcc
@pytest.mark.slow
@pytest.mark.parametrize(
    "kind", ["UPS", "UPS-rotor", "SPS-free", "SPS-general", "PUS", "RUS", "mixed"]
)
@pytest.mark.parametrize("precision", ["double", "float"])
@pytest.mark.parametrize("baked", [True, False])
def test_compiles_and_agrees_with_every_option(
    tmp_path: Path, kind: str, precision: str, baked: bool
) -> None:
    for seed in (4, 5):
        folder = tmp_path / str(seed)
        c_project(
            platform(kind, seed=seed), name=kind, precision=precision, baked=baked, states=20
        ).write(folder)
        found = run(str(build(folder, "-O2")))
        assert found.returncode == 0, found.stdout


@needs_gcc
def test_the_test_program_sees_a_wrong_number(tmp_path: Path) -> None:
    """One operation turned round in the source."""
    c_project(platform("UPS", seed=3), name="mm").write(tmp_path)
    source = tmp_path / "mm.c"
    text = source.read_text()
    lines = [i for i, line in enumerate(text.splitlines()) if re.search(r"= v\d+ \+ v\d+;", line)]
    changed = text.splitlines()
    place = lines[len(lines) // 2]
    changed[place] = changed[place].replace(" + ", " - ")
    source.write_text("\n".join(changed) + "\n")
    assert run(str(build(tmp_path, "-O1"))).returncode == 1


@needs_gcc
@pytest.mark.skipif(shutil.which("valgrind") is None, reason="NO VALGRIND: memory was not checked")
def test_valgrind_finds_nothing(tmp_path: Path) -> None:
    c_project(platform("mixed", seed=3), name="mm", baked=False).write(tmp_path)
    program = build(tmp_path, "-O1", "-g")
    found = run(
        "valgrind",
        "--error-exitcode=9",
        "--leak-check=full",
        "--show-leak-kinds=all",
        "-q",
        str(program),
    )
    assert found.returncode == 0, found.stderr


def test_no_allocation_recursion_or_global_state() -> None:
    """Calls go to <math.h> and to functions above only; nothing outside functions but types, functions, constants."""
    project = c_project(platform("mixed", seed=3), name="mm")
    text = re.sub(r"/\*.*?\*/", "", project.files["mm.c"], flags=re.S)
    known = {"sqrt", "atan2", "cos", "sin", "isfinite", "fabs", "if", "for", "return"}
    for head, body in re.findall(
        r"(?m)^(?:static )?\w+ (\w+)\([^)]*\)\n\{(.*?)^\}", text, flags=re.S
    ):
        calls = set(re.findall(r"\b([a-zA-Z_]\w*)\(", body))
        assert calls <= known, (head, calls - known)
        known.add(head)
    outside = re.sub(r"(?ms)^\{.*?^\}", "", text)
    assert not re.findall(
        r"(?m)^(?!#|static \w+ \w+\(|mm_status \w+\(|void \w+\(|    const )\S.*=", outside
    )


@needs_gcc
@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cmake") is None, reason="NO CMAKE")
def test_cmake_builds_and_tests(tmp_path: Path) -> None:
    c_project(platform("UPS", seed=3), name="hexapod").write(tmp_path)
    assert run("cmake", "-S", str(tmp_path), "-B", str(tmp_path / "build")).returncode == 0
    assert run("cmake", "--build", str(tmp_path / "build")).returncode == 0
    assert run("ctest", "--test-dir", str(tmp_path / "build")).returncode == 0


@needs_gcc
@pytest.mark.filterwarnings("ignore::gough.ModelWarning")
def test_command(tmp_path: Path) -> None:
    from typer.testing import CliRunner

    import gough.cli.export
    from gough.cli.app import app

    assert gough.cli.export
    found = CliRunner().invoke(
        app, ["export", "c", "dasgupta-1998", "--out", str(tmp_path), "--json"]
    )
    assert found.exit_code == 0, found.output
    assert run(str(build(tmp_path, "-O1"))).returncode == 0


def test_names_and_bad_options() -> None:
    assert identifier("Dasgupta 1998 (corrected)") == "dasgupta_1998_corrected"
    assert identifier("6-UPS") == "machine_6_ups"
    assert identifier("m") == "machine_m"
    machine = platform("UPS", seed=3)
    with pytest.raises(gough.InputError, match="precision"):
        c_project(machine, precision="half")
    with pytest.raises(gough.InputError, match="home"):
        c_project(machine.replace(home=None))


CUDA_AS_CPP = """
#include <math.h>
#define __constant__ static
#define __global__
#define __restrict__
#define __launch_bounds__(n)
struct Index { long long x; };
static double rsqrt(double x) { return 1.0 / sqrt(x); }
static double __ldcs(const double *x) { return *x; }
static void __stcs(double *y, double x) { *y = x; }
static Index blockIdx = {0}, blockDim = {1}, threadIdx = {0};
"""


@pytest.mark.skipif(
    shutil.which("g++") is None, reason="NO C++ COMPILER: the CUDA source was not compiled"
)
@pytest.mark.parametrize(
    "kind", ["UPS", "SPS-general", "SPS-axial-rotor", "RUS", "RUS+springs", "UCU-upper"]
)
@pytest.mark.parametrize("one_array", [False, True])
def test_the_cuda_source_compiled_for_the_cpu_agrees(
    tmp_path: Path, kind: str, one_array: bool
) -> None:
    """The very text that a GPU gets, its indices played by a loop; with strides: inputs by rows, outputs by
    component."""
    c = case(kind.removesuffix(SPRINGS), seed=3, states=5, springs=kind.endswith(SPRINGS))
    kinds, par = pack.kinds_of(c.platform, c.needs_spin), pack.parameters(c.platform)
    inputs, blocks = (
        native.inputs_of("record", kinds),
        [np.ascontiguousarray(b) for b in blocks_of(c, "record", kinds)],
    )
    call = "".join(f", a[{j}], {width}, 1" for j, (_, width) in enumerate(inputs))
    call = ", a[0], y" if one_array else call + ", y, 1, n"
    given = [np.ascontiguousarray(np.concatenate([b.T for b in blocks]))] if one_array else blocks
    constants = np.array(emit_cuda.parts("record", kinds)[0].run((), par))
    (tmp_path / "k.cpp").write_text(
        CUDA_AS_CPP
        + emit_cuda.source("record", kinds, one_array=one_array)
        + f"""
extern "C" void all(long long n, const double **a, const double *p, double *y)
{{
    for (int k = 0; k < {constants.size}; k++) par[k] = p[k];
    for (blockIdx.x = 0; blockIdx.x < n + 3; blockIdx.x++) kernel(n{call});
}}
"""
    )
    command = [
        "g++",
        "-O1",
        "-shared",
        "-fPIC",
        "-w",
        str(tmp_path / "k.cpp"),
        "-o",
        str(tmp_path / "k.so"),
    ]
    subprocess.run(command, check=True)
    pointers = (ctypes.c_void_p * len(given))(*(b.ctypes.data for b in given))
    out = np.empty((FUNCTIONS["record"].n_out, 5))
    ctypes.CDLL(str(tmp_path / "k.so")).all(
        ctypes.c_longlong(5),
        pointers,
        constants.ctypes.data_as(ctypes.c_void_p),
        out.ctypes.data_as(ctypes.c_void_p),
    )
    assert relative(out.T, plain.run("record", kinds, blocks, par)) < 1e-12


def test_cuda_without_cupy_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    c = case("UPS", seed=3, states=1)
    with pytest.raises(
        gough.InputError, match=r"cupy: not installed; needs the extra cuda.*engine='native'"
    ):
        gough.inverse_dynamics(c.platform, c.motion, engine="cuda")
