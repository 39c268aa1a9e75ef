"""A studio in its own process under lasting load: is its memory flat, and how many poses does it answer?

    PYTHONPATH=src:tests python -m campaigns.studio_soak poses --count 100000
    PYTHONPATH=src:tests python -m campaigns.studio_soak together --clients 32 --seconds 10
    PYTHONPATH=src:tests python -m campaigns.studio_soak mixed --seconds 600
    PYTHONPATH=src:tests python -m campaigns.studio_soak cancels --count 200

poses     one page, one pose after the other
together  so many pages at once, each asking for its next pose when it has its answer
mixed     pages that move, edit, slice, compute motions, simulate and stop them, come and go
cancels   a long request, stopped as soon as its process works: how long until it is told, and what is left behind

Prints resident memory of the server after each tenth of the work, and the load of the computer; exit code 1 where it
grew by more than `GROWN` MB from the first to the last, or a process was left behind.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from support.studio_process import Page, Studio, furnish

GROWN = 20.0  # MB
LONGEST = {
    "kind": "demo",
    "duration": 400.0,
}  # simulated by steps of 1 ms: more than a stop waits for


class Watched:
    """Memory of a server after each tenth of what is done, MB."""

    def __init__(self, studio: Studio) -> None:
        self.studio = studio
        self.seen: list[float] = []

    def look(self, share: float) -> None:
        """Call with the share of the work that is done."""
        while len(self.seen) < int(10.0 * share + 1e-9):
            self.seen.append(self.studio.memory())

    def tell(self, what: str) -> bool:
        """Print it; whether it is flat."""
        grown, later = self.seen[-1] - self.seen[0], self.seen[-1] - self.seen[len(self.seen) // 2]
        listed = ", ".join(f"{size:.1f}" for size in self.seen)
        load, cores = os.getloadavg()[0], os.cpu_count()
        sys.stdout.write(
            f"{what}; memory after each tenth {listed} MB ({grown:+.1f} MB, {later:+.1f} of them in the second half); "
            f"load {load:.1f} on {cores} cores\n"
        )
        sys.stdout.flush()
        return grown <= GROWN


def poses(studio: Studio, count: int) -> bool:
    """One page, one pose after the other."""
    page, watched, began = studio.page(), Watched(studio), time.perf_counter()
    for i in range(count):
        state = page.pose(0.05 * ((i % 200) / 100.0 - 1.0))
        assert state["type"] == "PoseState"
        assert None not in state["force"]
        watched.look((i + 1) / count)
    page.close()
    seconds = time.perf_counter() - began
    return watched.tell(f"{count} poses of one page in {seconds:.0f} s, {count / seconds:.0f}/s")


def together(studio: Studio, clients: int, seconds: float) -> bool:
    """So many pages at once."""
    pages = [studio.page() for _ in range(clients)]
    for page in pages:
        page.pose()
    counts, end = [0] * clients, time.perf_counter() + seconds

    def work(i: int) -> None:
        while time.perf_counter() < end:
            assert pages[i].pose(1e-4 * (counts[i] % 100))["type"] == "PoseState"
            counts[i] += 1

    watched, began = Watched(studio), time.perf_counter()
    used = ticks(studio.process.pid)
    threads = [threading.Thread(target=work, args=(i,)) for i in range(clients)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        watched.look(min(0.99, (time.perf_counter() - began) / seconds))
        time.sleep(0.05)
    took = time.perf_counter() - began
    watched.look(1.0)
    spent = (ticks(studio.process.pid) - used) / os.sysconf("SC_CLK_TCK")
    for page in pages:
        page.close()
    total, least = sum(counts), min(counts)
    return watched.tell(
        f"{clients} pages together: {total} poses in {took:.1f} s, {total / took:.0f}/s, the least served {least}, "
        f"{1e3 * spent / total:.2f} ms of the server's processor time each"
    )


def one_of_all(page: Page, rng: random.Random) -> None:
    """One thing that a user does."""
    at = {"position": page.opened["document"]["home"]["position"]}
    roll = rng.random()
    if roll < 0.70:
        for _ in range(20):
            page.pose(rng.uniform(-0.05, 0.05))
    elif roll < 0.80:
        document = page.opened["document"]
        document["body"]["mass"] = rng.uniform(100.0, 900.0)
        page.opened = page.ask("SetMachine", document=document)
    elif roll < 0.86:
        page.ask("SliceWorkspace", pose=at, points=61)
    elif roll < 0.91:
        page.ask("MakeMotion", kind="demo", samples=201)
    elif roll < 0.94:
        page.ask("FindModes", pose=at)
    elif roll < 0.97:
        page.ask("Simulate", motion={"id": 1, "kind": "demo", "duration": 0.5})
    else:
        stopped(page, lambda: None)


def stopped(page: Page, begun: Callable[[], None]) -> float:
    """Seconds from the stop of a long simulation until it is told."""
    id_ = page.send("Simulate", motion={"id": 1, **LONGEST})
    begun()
    began = time.perf_counter()
    page.send("Cancel")
    said = page.answer(id_)
    assert said["type"] == "Failure", said["type"]
    assert "stopped" in said["text"], said["text"]
    return time.perf_counter() - began


def mixed(studio: Studio, seconds: float, clients: int = 4) -> bool:
    """Pages that do everything, come and go."""
    rng, done = random.Random(5), 0
    pages = [studio.page() for _ in range(clients)]
    watched, began = Watched(studio), time.perf_counter()
    while (passed := time.perf_counter() - began) < seconds:
        watched.look(passed / seconds)
        i = rng.randrange(clients)
        if rng.random() < 0.05:
            pages[i].close()
            pages[i] = studio.page()
        one_of_all(pages[i], rng)
        done += 1
    watched.look(1.0)
    for page in pages:
        page.close()
    return watched.tell(f"{done} things done by {clients} pages in {seconds:.0f} s")


def working(studio: Studio, idle: set[int]) -> Iterator[bool]:
    """Whether a process of the server other than those computes (Linux): its time grows."""
    before: dict[int, int] = {}
    while True:
        now = {pid: ticks(pid) for pid in studio.family()[1:]}
        yield any(now[pid] > before.get(pid, now[pid]) + 2 for pid in now if pid not in idle)
        before = {pid: before.get(pid, used) for pid, used in now.items()}


def ticks(pid: int) -> int:
    """Processor time of a process in ticks; 0 when it is gone."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[11])
    except OSError:
        return 0


def cancels(studio: Studio, count: int) -> bool:
    """Stop long requests while their process works."""
    page, watched, waits = studio.page(), Watched(studio), list[float]()
    page.ask("MakeMotion", kind="demo", samples=21)
    for i in range(count):
        at_work = working(studio, set())

        def begun(looks: Iterator[bool] = at_work) -> None:
            end = time.perf_counter() + 5.0
            while not next(looks) and time.perf_counter() < end:
                time.sleep(0.02)

        waits.append(stopped(page, begun))
        watched.look((i + 1) / count)
    good = page.ask("MakeMotion", kind="demo", samples=21)["type"] == "Timeline"
    page.close()
    time.sleep(3.0)
    left = len(studio.family()) - 1
    waits.sort()
    flat = watched.tell(
        f"{count} simulations stopped: told after {1e3 * waits[count // 2]:.0f} ms, at most {1e3 * waits[-1]:.0f} ms; "
        f"{left} processes beside the server"
    )
    return flat and good and left <= 4


def main() -> int:
    """Start a studio, do it, say what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("poses", "together", "mixed", "cancels"))
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=10.0)
    o = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        studio = Studio(furnish(Path(root)))
        try:
            if o.what == "poses":
                flat = poses(studio, o.count)
            elif o.what == "cancels":
                flat = cancels(studio, o.count)
            elif o.what == "mixed":
                flat = mixed(studio, o.seconds)
            else:
                flat = together(studio, o.clients, o.seconds)
        finally:
            studio.stop()
    return int(not flat)


if __name__ == "__main__":
    sys.exit(main())
