"""The instrument that measures the tests: it sees what a test notices and what none does; and the gate itself."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mutants import branches
from mutants.campaign import noticed
from mutants.changes import Mutant, mutants
from mutants.chosen import ROOT, TESTS, varied
from mutants.interpreted import is_kernel, leaning_on

SEEDS = {"equations": 15, "dynamics": 20, "kinematics": 15, "formulations": 15, "analysis": 15,
         "simulation": 25, "model": 15}  # fmt: skip
SHARE = 0.95  # of the mutants that are not listed as equivalent
PER_ROOM = int(os.environ.get("GOUGH_MUTANTS", "1"))

SOURCE = """
LIMIT = 3

def area(width: float, height: float = 2.0) -> float:
    if width < 0 and height > 1:
        raise ValueError(f"{width + 1} is below {0}")
    total = (
        width * height
        + LIMIT
    )
    return total
"""


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    (tmp_path / "sample.py").write_text(SOURCE)
    return tmp_path / "sample.py"


def made(path: Path, seed: int = 0, count: int = 100) -> list[Mutant]:
    return list(mutants(path.parent, [path], count, seed))


def test_every_mutant_differs_in_one_place_and_still_parses(sample: Path) -> None:
    found = made(sample)
    whats = {m.what for m in found}
    assert len(found) == len(whats) == 9
    assert "LIMIT = 3 => LIMIT = (4)" in {" ".join(w.split()) for w in whats}
    for mutant in found:
        ast.parse(mutant.text)
        changed = [
            k
            for k, (old, new) in enumerate(
                zip(SOURCE.splitlines(), mutant.text.splitlines(), strict=False), 1
            )
            if old != new
        ]
        assert changed[0] == mutant.line
        assert "below" not in mutant.what  # sentences of errors are left alone


def test_a_mutant_knows_its_statement(sample: Path) -> None:
    lines = {m.what: m.lines for m in made(sample)}
    outside = [what for what, where in lines.items() if not len(where)]
    assert sorted(what.split()[0] for what in outside) == ["LIMIT", "def"]
    assert next(where for what, where in lines.items() if "width / height" in what) == range(7, 11)


def test_the_sample_depends_on_the_seed_and_not_on_edits_elsewhere(sample: Path) -> None:
    before = [m.what for m in made(sample, seed=1, count=4)]
    assert before == [m.what for m in made(sample, seed=1, count=4)]
    assert before != [m.what for m in made(sample, seed=2, count=4)]
    sample.write_text("import math\n\n" + SOURCE)
    assert before == [m.what for m in made(sample, seed=1, count=4)]


def test_what_only_guards_later_edits_is_left_alone(tmp_path: Path) -> None:
    """`strict` of a zip over sides of one length can be noticed by nobody; the rest of its line can."""
    (tmp_path / "sample.py").write_text(
        "def f(a, b):\n    return [x - y for x, y in zip(a, b, strict=True)]\n"
    )
    assert [m.what.count("strict=True") for m in made(tmp_path / "sample.py")] == [2]


def test_every_mutant_of_the_gate_names_a_test_that_exists() -> None:
    for mutant, test in noticed().items():
        assert (ROOT / test.split("::")[0]).is_file(), mutant
        assert (ROOT / "src" / mutant.split(": ")[0]).is_file(), mutant


@pytest.mark.parametrize(("taken", "code"), [(949, 1), (950, 0)])
def test_too_few_branches_fail(tmp_path: Path, taken: int, code: int) -> None:
    totals = {
        "covered_branches": taken,
        "num_branches": 1000,
        "covered_lines": 9,
        "num_statements": 9,
    }
    (tmp_path / "coverage.json").write_text(json.dumps({"totals": totals}))
    assert branches.main(95.0, tmp_path / "coverage.json") == code


def test_one_case_of_every_test_comes_before_the_second_of_any() -> None:
    tests = [("a[1]", 0.1), ("a[2]", 0.2), ("b[1]", 5.0), ("c", 1.0)]
    assert [name for name, _ in varied(tests)] == ["a[1]", "c", "b[1]", "a[2]"]


FATES = """
from pathlib import Path
from mutants.campaign import run
from mutants.changes import Mutant
from mutants.chosen import ROOT, TESTS
path = Path("gough/{module}.py")
text = (ROOT / "src" / path).read_text()
assert {old!r} in text
for wrong in (text, text.replace({old!r}, {new!r}, 1)):
    print(run(Mutant(path, 1, range(1), "", wrong), [str(TESTS / {test!r})], plain={plain})[0])
"""
SOLVES = "kinematics/test_forward_kernels.py::test_elimination_solves_and_inverts[0]"


@pytest.mark.parametrize(
    "planted",
    [
        {"module": "rotations", "old": "def skew(", "new": "def skew_of(", "plain": False,
         "test": "house/test_spatial.py"},
        {"module": "kinematics/forward_kernel", "old": "abs(x[k])", "new": "x[k]", "plain": True,
         "test": SOLVES},
        {"module": "rotations", "old": "def skew(", "new": "def skew(", "plain": False,
         "test": "house/test_spatial.py::no_such_test", "fates": ["survived", "survived"]},
    ],
    ids=["a name", "a kernel as plain Python", "no test at all"],
)  # fmt: skip
def test_what_a_test_notices_is_killed_and_nothing_else(planted: dict[str, Any]) -> None:
    """Planted: an unchanged source survives, a wrong one dies; what no test looks at survives."""
    code = FATES.format(**planted)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=TESTS, capture_output=True, text=True, check=False
    )
    fates = planted.get("fates", ["survived", "killed"])
    assert done.stdout.split() == fates, done.stderr


def test_what_leans_on_a_kernel_is_interpreted_with_it() -> None:
    """Everything that imports it, directly or not; nothing that it imports itself."""
    found = leaning_on(Path("gough/kinematics/certificate.py"))
    assert {"gough.kinematics.certificate", "gough.kinematics.forward_batch"} <= found
    assert "gough.kinematics.path_intervals" in found
    assert "gough.kinematics.forward_kernel" not in found
    assert is_kernel(Path("gough/kinematics/certificate.py"))
    assert not is_kernel(Path("gough/kinematics/forward.py"))


@pytest.mark.slow
@pytest.mark.parametrize("room", SEEDS)
def test_gate(room: str) -> None:
    """A seeded sample of every room, judged first by the test that `noticed.toml` names: what was noticed once stays
    so.  ``GOUGH_MUTANTS=70`` takes 70 of each room and tries whatever looks at them."""
    command = [sys.executable, "-m", "mutants", "--room", room, "--gate", str(SHARE)]
    done = subprocess.run(
        [*command, "--count", str(PER_ROOM), "--seed", str(SEEDS[room])],
        cwd=TESTS,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )
    assert done.returncode == 0, done.stdout + done.stderr
