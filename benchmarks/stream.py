"""Any number of states through constant memory: rate and memory of a stream that a generator feeds.

python -m benchmarks.stream [--count 1e8] [--function forces] [--number float64] [--chunk 32768]
"""

from __future__ import annotations

import argparse
import resource
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import gough
from benchmarks.ours import MACHINE
from gough.checks import Array
from gough.engines import native
from gough.engines.stream import CHUNK, columns, stream, stream_into
from gough.equations.machine import FIXED
from gough.layout import POSE


def resident() -> int:
    """Memory of this process now, bytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


class Peak:
    """The most memory of this process above what it has at the start, looked at every 5 ms, bytes."""

    def __enter__(self) -> Peak:
        self.start = self.most = resident()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def _watch(self) -> None:
        while not self._over.wait(0.005):
            self.most = max(self.most, resident())

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        self.most = max(self.most, resident())

    @property
    def above(self) -> int:
        return self.most - self.start


def states(
    platform: gough.Platform, count: int, chunk: int, function: str, number: str
) -> Iterator[Array]:
    """Chunks of states around home, each made when it is asked for: poses of a few, everything else random."""
    rng = np.random.default_rng(7)
    home, width = platform.require_home(), sum(w for _, w in columns(platform, function))
    shift, turn = rng.uniform(-1, 1, (2, chunk, 3))
    pose = gough.Pose.from_rpy(home.position + 0.05 * shift, 0.1 * turn)
    x = np.empty((chunk, width), dtype=number)
    x[:, POSE.position] = pose.position
    x[:, POSE.rotation] = pose.rotation.reshape(-1, 9)
    rest = width - POSE.size
    numbers = rng.uniform(-1, 1, (2 * chunk, rest)).astype(number)
    for low in range(0, count, chunk):
        first = int(rng.integers(chunk))
        x[:, POSE.size :] = numbers[first : first + chunk]
        yield x[: min(chunk, count - low)]


def measure(
    platform: gough.Platform, count: int, function: str, number: str, chunk: int
) -> tuple[float, float, int, float]:
    """Seconds by the clock and of the processors, most memory above the start (bytes), and the sum of the first column
    of all answers."""
    total = 0.0

    def add(low: int, answers: Array) -> None:
        nonlocal total
        total += float(answers[:, 0].sum(dtype=float))

    next(stream(platform, states(platform, 1, 1, function, number), function, number=number))
    with Peak() as peak:
        begin, used = time.perf_counter(), time.process_time()
        source = states(platform, count, chunk, function, number)
        given = {"callback": add, "chunk": chunk, "number": number}
        done = stream_into(platform, source, None, function, **given)
        spent, used = time.perf_counter() - begin, time.process_time() - used
    if done != count:
        raise AssertionError(f"{done} of {count} states came through")
    return spent, used, peak.above, total


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stream", description=__doc__)
    parser.add_argument("--count", type=float, default=1e8, help="states")
    parser.add_argument("--function", default="forces", choices=FIXED)
    parser.add_argument("--number", default="float64", choices=native.LANES)
    parser.add_argument("--chunk", type=int, default=CHUNK, help="states at a time")
    given = parser.parse_args()
    platform, count = gough.load(str(MACHINE)), int(given.count)
    spent, used, memory, total = measure(platform, count, given.function, given.number, given.chunk)
    each, megabytes = 1e9 * used / count, memory / 1e6
    sys.stdout.write(
        f"{count:.3g} states, {given.function}, {given.number}, {native.threads()} threads: {spent:.1f} s, "
        f"{count / spent:.3g} states/s, {each:.0f} ns of a processor each, generator included; "
        f"{megabytes:.0f} MB at most above the start; sum of the first column {total!r}\n"
    )


if __name__ == "__main__":
    main()
