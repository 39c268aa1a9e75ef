"""Sweeps of any size: killed at random, and their rates and memory on every executor.

    cd tests && python -m campaigns.sweep_campaign kills --count 20 --cases 20000 --seed 0 --on dask
    cd tests && python -m campaigns.sweep_campaign rates --cases 100000

`kills` stops the client or one of its workers (SIGKILL) at random moments and resumes; no finished case may be lost,
and the tables must be those of an undisturbed run to the last byte.  `rates` prints cases a second and the
largest resident memory of the client for each executor.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from gough.design.journal import record_of, span_of
from support.sweeps import command, tables, workers_of

SPEC = """
metrics = ["dexterity", "stroke", "footprint"]
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
HOW = {
    "serial": [],
    "processes": ["--workers", "2"],
    "dask": ["--dask", "local", "--workers", "2"],
}
FORMATS = ["--format", "csv,parquet"]


def started(spec: Path, out: Path, on: str) -> subprocess.Popen[bytes]:
    """The command, resumed if it was begun before."""
    journal = out / "journal"
    more = ["--resume"] if journal.exists() and journal.stat().st_size else []
    words = command(spec, "--out", out, *FORMATS, *HOW[on], *more)
    return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


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
    least = 0
    process = started(spec, out, on)
    while True:
        if len(killed) >= kills:
            process.wait()
        else:
            time.sleep(rng.uniform(1.0, 6.0))
        if process.poll() is not None:
            if process.returncode == 0:
                return killed
            process = started(spec, out, on)
            continue
        if rng.random() < 0.5:
            workers = workers_of(process.pid)  # none as long as the client is starting
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


def rates(folder: Path, given: argparse.Namespace) -> int:
    """Cases a second of each executor, start and tables included; memory of the client."""
    spec, first = folder / "spec.toml", 0.0
    for on in HOW:
        began = time.monotonic()
        process = started(spec, folder / on, on)
        _, code, used = os.wait4(process.pid, 0)
        seconds = time.monotonic() - began
        if code:
            raise AssertionError(f"{on}: exit {os.waitstatus_to_exitcode(code)}")
        first = first or seconds
        print(
            f"{on:10} {given.cases / seconds:8.1f} cases/s, {first / seconds:.2f} x serial, "
            f"client {used.ru_maxrss / 1024:.0f} MiB"
        )
    return 0


def main() -> int:
    """Read the words of the command line and run."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("what", choices=("kills", "rates"))
    words.add_argument("--count", type=int, default=20)
    words.add_argument("--cases", type=int, default=20_000)
    words.add_argument("--seed", type=int, default=0)
    words.add_argument("--on", choices=("processes", "dask"), default="dask")
    given = words.parse_args()
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "spec.toml").write_text(SPEC % given.cases)
        return {"kills": kills, "rates": rates}[given.what](Path(name), given)


if __name__ == "__main__":
    sys.exit(main())
