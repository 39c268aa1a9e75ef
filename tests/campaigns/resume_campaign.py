"""Kills of runs with stateful controllers: what goes on from the pieces ends with the same bytes.

    python -m campaigns.resume_campaign --kills 100 --seed 1 [--fresh]       # from tests/

Each round starts a run in a process of its own, kills it (SIGKILL) after a random number of finished pieces, and does
so again until it has been killed as often as the round asks; then the run is finished and its file compared, byte by
byte, with that of a run that nobody disturbed.  Prints one line per round and the total; exit code 1 if one differs.
The processes are forks of this one, which has its kernels ready; with `--fresh` each begins with a new interpreter.
"""

from __future__ import annotations

import argparse
import hashlib
import multiprocessing
import random
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import gough
from gough.checks import Array
from gough.control import Sampling
from gough.export.tables import write_netcdf
from gough.simulation import Brake, Events, Springs

DURATION = 3.0  # s: six pieces of 512 steps
PIECES = 5
PATIENCE = 600.0  # s that a process may need for its next piece


class Adaptive:
    """Learns the load of each leg, filters what it measures and counts its samples: three kinds of memory."""

    def __init__(self, stiffness: float, rate: float) -> None:
        self.stiffness, self.rate = stiffness, rate

    def init(self, runs: int) -> dict[str, Array]:
        return {name: np.zeros((runs, 6)) for name in ("load", "filtered", "count")}

    def update(
        self, t: float, measurement: Any, reference: Any, memory: dict[str, Array]
    ) -> tuple[Array, dict[str, Array]]:
        error = reference.length - measurement.length
        slope = reference.rate - measurement.rate
        filtered = 0.9 * memory["filtered"] + 0.1 * slope
        load = memory["load"] + self.rate * error
        command = load + self.stiffness * (error + 0.05 * filtered) + 1e-3 * np.sin(memory["count"])
        return command, {"load": load, "filtered": filtered, "count": memory["count"] + 1.0}


def play(kind: int, folder: Path | None) -> Any:
    """One of the campaign's runs: noise, delay, observer, springs, faults and events beside the controller."""
    machine = gough.load("motion-base-1500")
    path = gough.trajectory.harmonic(
        (machine.home.position, (0, 0, 0)), [0.02, 0, 0.03, 0.02, 0, 0], 0.5, duration=10.0
    )
    sampling = Sampling(
        rate=(250.0, 500.0)[kind % 2],
        delay=(0.0, 4e-3)[kind // 2 % 2],
        noise=1e-6,
        quantization=1e-6,
        velocity=("measured", "observed")[kind // 4 % 2],
        seed=kind,
    )
    return gough.simulate(
        machine,
        path(0.0),
        duration=DURATION,
        controller=Adaptive(3e5, 2e3 + kind),
        reference=path,
        sampling=sampling,
        external=lambda t: np.array([100.0 * np.sin(9 * t), 0, 0, 0, 50.0 * (t > 1), 0]),
        springs=Springs(1e3, 1.4, 20.0),
        faults=[Brake(2.8, 1e4)],
        events=Events(condition=6.0),
        output=4e-3,
        reactions=False,
        checkpoint=folder,
        resume=folder is not None,
    )


def digest(run: Any, file: Path) -> str:
    """Of the file that a user would keep."""
    return hashlib.sha256(write_netcdf(run, file).read_bytes()).hexdigest()


def killed(start: str, kind: int, folder: Path, wanted: int) -> bool:
    """Start the run in a process of its own and kill it when `wanted` pieces are there; False: it was done before."""
    from campaigns.resume_campaign import play  # not of __main__: its controller has this name

    child = multiprocessing.get_context(start).Process(target=play, args=(kind, folder))
    child.start()
    deadline = time.monotonic() + PATIENCE
    try:
        while len(list(folder.glob("piece-*.npz"))) < wanted and child.is_alive():
            if time.monotonic() > deadline:
                raise TimeoutError(f"no piece {wanted} within {PATIENCE} s")
            time.sleep(0.002)
        running = child.is_alive()
    finally:
        child.kill()
        child.join()
    if child.exitcode not in (0, -signal.SIGKILL):
        raise RuntimeError(f"the run of round {kind} failed by itself")
    return running


def campaign(kills: int, seed: int, start: str) -> int:
    """Number of rounds whose file differs."""
    from campaigns.resume_campaign import play

    rng, done, rounds, different, began = random.Random(seed), 0, 0, 0, time.monotonic()
    with tempfile.TemporaryDirectory() as where:
        while done < kills:
            kind, folder = rounds, Path(where) / f"run-{rounds}"
            whole = digest(play(kind, None), Path(where) / "whole.nc")
            pieces = 0
            while pieces < PIECES and done < kills:
                pieces = rng.randint(pieces + 1, min(PIECES, pieces + 2))
                done += killed(start, kind, folder, pieces)
            resumed = digest(play(kind, folder), Path(where) / "resumed.nc")
            different += resumed != whole
            rounds += 1
            verdict = "same bytes" if resumed == whole else "DIFFERENT"
            each = (time.monotonic() - began) / max(done, 1)
            told = f"{done} kills so far, {each:.2f} s each"
            print(f"round {rounds}: {told}, {verdict}", flush=True)
    print(f"{done} kills in {rounds} runs, {different} different")
    return different


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--fresh", action="store_true", help="a new interpreter for every process")
    given = parser.parse_args()
    sys.exit(campaign(given.kills, given.seed, "spawn" if given.fresh else "fork") > 0)
