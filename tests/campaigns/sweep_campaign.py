"""Sweeps of any size: killed at random, poisoned, and their rates and memory on every executor.

    cd tests && python -m campaigns.sweep_campaign kills --count 20 --cases 1000000 --seed 0 --on dask
    cd tests && python -m campaigns.sweep_campaign poison --cases 2000 --on dask
    cd tests && python -m campaigns.sweep_campaign rates --cases 1000000

`kills` stops the client or one of its workers (SIGKILL) in turn at random moments and resumes; no finished case may be
lost, and the tables must be those of an undisturbed run to the last byte.  `poison`: one design, drawn at random, kills
the process that computes it, every time: its row says so, all others are those of the run without poison.  `rates`
prints cases a second of each executor, and the largest resident memory of the client for all cases and for a tenth.
"""

from __future__ import annotations

import argparse
import csv
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from gough.design.journal import record_of, span_of
from gough.design.parameter_sweep import GIVEN_UP
from support.sweeps import command, tables, workers_of

SPEC = """
metrics = ["dexterity", "error_gain", "stroke", "clearance", "footprint"]
[machine]
family = "hexapod"
platform_radius = "0.25 m"
platform_pair_angle = "30 deg"
[draw]
count = %d
[draw.ranges]
base_radius = ["0.3 m", "0.6 m"]
base_pair_angle = ["10 deg", "50 deg"]
height = ["0.4 m", "0.6 m"]
[task]
box = "30 30 30 mm"
"""
POISON = """
import os, signal
from gough.design import metric


@metric("m", "small", "base radius, from a process that may die of it")
def deadly(trial):
    radius = float(abs(trial.platform.base_joints[0] @ trial.platform.base_joints[0]) ** 0.5)
    if abs(radius - float(os.environ.get("SWEEP_POISON", "nan"))) < 1e-12:
        os.kill(os.getpid(), signal.SIGKILL)
    return radius
"""
HOW = {
    "serial": [],
    "processes": ["--workers", "2"],
    "dask": ["--dask", "local", "--workers", "2"],
}
BETWEEN = (1.0, 6.0)  # seconds from one kill to the next
FORMATS = ["--format", "csv,parquet"]


def started(
    spec: Path, out: Path, on: str, *words: str, poison: str = ""
) -> subprocess.Popen[bytes]:
    """The command, resumed if it was begun before."""
    journal = out / "journal"
    more = ["--resume"] if journal.exists() and journal.stat().st_size else []
    said = command(spec, "--out", out, *FORMATS, *HOW[on], *more, *words)
    given = {**os.environ, "SWEEP_POISON": poison or "nan"}
    return subprocess.Popen(said, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=given)


def cases_kept(out: Path) -> int:
    """Cases in whole lines of the journal."""
    try:
        lines = (out / "journal").read_bytes().splitlines(keepends=True)
    except OSError:
        return 0
    spans = [span_of(record_of(line)) for line in lines]
    return sum(span.size for span in spans if span is not None)


def disturbed(spec: Path, out: Path, on: str, kills: int, rng: random.Random) -> list[str]:
    """Whom it killed, until there is nothing left to kill; the sweep is finished then."""
    killed: list[str] = []
    least, process = 0, started(spec, out, on)
    while True:
        if len(killed) >= kills:
            process.wait()
        else:
            time.sleep(rng.uniform(*BETWEEN))
        if process.poll() is not None:
            if process.returncode == 0:
                return killed
            process = started(spec, out, on)
            continue
        if cases_kept(out) == least:
            continue  # still starting, or nothing new to lose
        if len(killed) % 2 == 0:
            workers = workers_of(process.pid)
            for pid in rng.sample(workers, min(1, len(workers))):
                os.kill(pid, signal.SIGKILL)
                killed.append("worker")
            continue
        process.kill()
        process.wait()
        killed.append("client")
        kept = cases_kept(out)
        assert kept >= least, f"{least - kept} finished cases were lost"
        least = kept
        process = started(spec, out, on)


def kills(folder: Path, given: argparse.Namespace) -> int:
    """0 when the tables are the same."""
    spec, rng = folder / "spec.toml", random.Random(given.seed)
    if started(spec, folder / "whole", "processes").wait():
        raise AssertionError("the undisturbed sweep failed")
    killed = disturbed(spec, folder / "out", given.on, given.count, rng)
    same = tables(folder / "out") == tables(folder / "whole")
    told = f"{killed.count('worker')} workers and {killed.count('client')} clients killed"
    print(f"{given.cases} cases on {given.on}: {told}; tables {'the same' if same else 'DIFFER'}")
    return 0 if same else 1


def poison(folder: Path, given: argparse.Namespace) -> int:
    """0 when one row is given up and no other one differs."""
    spec, functions = folder / "spec.toml", folder / "deadly.py"
    functions.write_text(POISON)
    spec.write_text(spec.read_text().replace("metrics = [", 'metrics = ["deadly", '))
    words = ("--metrics", str(functions))
    if started(spec, folder / "whole", "processes", *words).wait():
        raise AssertionError("the sweep without poison failed")
    rows = list(csv.DictReader((folder / "whole" / "results.csv").open()))
    victim = random.Random(given.seed).randrange(len(rows))
    process = started(
        spec, folder / "out", given.on, *words, poison=rows[victim]["base_radius [m]"]
    )
    if process.wait():
        raise AssertionError("the poisoned sweep failed")
    found = list(csv.DictReader((folder / "out" / "results.csv").open()))
    off = [k for k, (a, b) in enumerate(zip(rows, found, strict=True)) if a != b]
    print(f"{given.cases} cases on {given.on}, case {victim} poisoned: rows {off} differ")
    print(f"its status: {found[victim]['status']}")
    return 0 if off == [victim] and found[victim]["status"] == GIVEN_UP else 1


def rates(folder: Path, given: argparse.Namespace) -> int:
    """Cases a second of each executor, start and tables included; memory of the client."""
    spec, small, first = folder / "spec.toml", folder / "tenth.toml", 0.0
    small.write_text(SPEC % max(1, given.cases // 10))
    for on in HOW:
        _, little = timed(small, folder / f"{on}-tenth", on)
        seconds, memory = timed(spec, folder / on, on)
        first = first or seconds
        print(
            f"{on:10} {given.cases / seconds:8.1f} cases/s, {first / seconds:.2f} x serial, "
            f"client {memory:.0f} MiB, for a tenth of the cases {little:.0f} MiB",
            flush=True,
        )
    return 0


def timed(spec: Path, out: Path, on: str) -> tuple[float, float]:
    """Seconds, and MiB of the client at most."""
    began = time.monotonic()
    process = started(spec, out, on)
    _, code, used = os.wait4(process.pid, 0)
    if code:
        raise AssertionError(f"{on}: exit {os.waitstatus_to_exitcode(code)}")
    return time.monotonic() - began, used.ru_maxrss / 1024


def main() -> int:
    """Read the words of the command line and run."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("what", choices=("kills", "poison", "rates"))
    words.add_argument("--count", type=int, default=20)
    words.add_argument("--cases", type=int, default=20_000)
    words.add_argument("--seed", type=int, default=0)
    words.add_argument("--on", choices=("processes", "dask"), default="dask")
    given = words.parse_args()
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "spec.toml").write_text(SPEC % given.cases)
        return {"kills": kills, "poison": poison, "rates": rates}[given.what](Path(name), given)


if __name__ == "__main__":
    sys.exit(main())
