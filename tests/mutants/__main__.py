"""`make mutants [ROOM=dynamics] [COUNT=40] [SEED=0]`: how many random wrong changes do the tests notice?

Each mutant is a copy of the sources with one change; a child forked from a process that has the heavy libraries
loaded runs the room's tests on it and stops at the first failure.  A mutant that survives is printed with its
place: write the test that kills it, or list it in `equivalent.toml` with the reason why nothing can.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import sys
import tempfile
import time
import tomllib
from pathlib import Path

from mutants.changes import Mutant, mutants

TESTS = Path(__file__).resolve().parents[1]
ROOT = TESTS.parent
ALSO = {  # rooms whose tests look at another room's numbers too
    "equations": ("equations", "engines", "dynamics"),
    "engines": ("engines", "dynamics", "equations"),
    "dynamics": ("dynamics", "equations"),
    "model": ("model", "equations"),
}
HEAVY = (
    "numpy",
    "scipy.optimize",
    "scipy.integrate",
    "numba",
    "xarray",
    "pytest",
    "hypothesis",
    "mpmath",
    "pinocchio",
    "mujoco",
)
KILLED, SURVIVED, TIMED_OUT = "killed", "survived", "killed (time)"


def run(mutant: Mutant, rooms: tuple[str, ...], seconds: float) -> str:
    """Fork, change the copy, run the tests; what became of the mutant."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "src"
        shutil.copytree(ROOT / "src", source, ignore=shutil.ignore_patterns("web", "__pycache__"))
        (source / mutant.path).write_text(mutant.text)
        child = os.fork()
        if child == 0:
            _child(source, rooms)
        return _wait(child, seconds)


def _child(source: Path, rooms: tuple[str, ...]) -> None:
    """Run pytest on the changed copy; the exit code tells."""
    import pytest

    os.setpgrp()
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    os.environ["PYTHONPATH"] = f"{source}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    sys.path.insert(0, str(source))
    os.chdir(ROOT)
    try:
        code = pytest.main(
            [
                "-x",
                "-q",
                "-p",
                "no:cacheprovider",
                "-p",
                "no:xdist",
                "-m",
                "not slow and not browser",
                *(str(TESTS / room) for room in rooms),
            ]
        )
    except BaseException:
        code = 1
    os._exit(int(code))


def _wait(child: int, seconds: float) -> str:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return SURVIVED if os.waitstatus_to_exitcode(status) == 0 else KILLED
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return TIMED_OUT


def equivalents() -> dict[str, str]:
    """Mutants that cannot be killed, each with its reason."""
    path = Path(__file__).with_name("equivalent.toml")
    return {
        entry["mutant"]: entry["reason"]
        for entry in tomllib.loads(path.read_text()).get("known", [])
    }


def main() -> None:
    """Print every survivor and the share that was killed; exit 1 below the gate."""
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument("--room", default="dynamics", help="folder of src/gough and of tests/")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--seconds", type=float, default=240.0, help="a mutant that runs longer counts as killed"
    )
    parser.add_argument("--gate", type=float, default=0.0, help="share that must be killed")
    options = parser.parse_args()
    for name in HEAVY:
        try:
            __import__(name)
        except ImportError:
            continue
    source = ROOT / "src"
    files = [p for p in (source / "gough" / options.room).rglob("*.py") if p.name != "__init__.py"]
    rooms, known, survivors, total = ALSO.get(options.room, (options.room,)), equivalents(), [], 0
    for mutant in mutants(source, files, options.count, options.seed):
        label = f"{mutant.path}: {mutant.what}"
        if label in known:
            continue
        began = time.monotonic()
        outcome = run(mutant, rooms, options.seconds)
        total += 1
        print(f"{outcome:14} {time.monotonic() - began:6.1f} s  {mutant}", flush=True)
        survivors += [mutant] if outcome == SURVIVED else []
    share = 1.0 - len(survivors) / total if total else 1.0
    print(f"{options.room}: {total - len(survivors)} of {total} killed ({100 * share:.0f} %)")
    raise SystemExit(0 if share >= options.gate else 1)


if __name__ == "__main__":
    main()
