"""How the cost grows: with states, threads, runs, steps and machines.  One run, tables and a figure.

python -m benchmarks.growth [--out out/bench] [--most 1e6]
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

import gough
from benchmarks import steps
from benchmarks.__main__ import processor
from benchmarks.ours import Setup
from benchmarks.timing import best
from gough.engines import native
from gough.engines.pack import packed
from gough.equations.machine import FUNCTIONS

LONGEST = 0.3  # seconds spent on a point, at least
FEW = 20_000  # states that take two milliseconds


class Growth(NamedTuple):
    """Seconds per unit of work at each size, for each of a few ways."""

    title: str
    size: str
    unit: str
    sizes: list[int]
    seconds: dict[str, list[float]]


def over_states(s: Setup, sizes: Sequence[int]) -> Growth:
    """Per state: the compiled batch, and the verb with all its checks."""
    compiled = native.kernel("forces", s.kinds)
    found: dict[str, list[float]] = {"compiled batch": [], "gough.inverse_dynamics": []}
    for n in sizes:
        blocks, out = s.blocks(x=s.rows(n=n)), np.empty((n, 7))
        few = max(1, 2000 // n)

        def kernel(
            blocks: list[np.ndarray] = blocks, out: np.ndarray = out, few: int = few
        ) -> None:
            for _ in range(few):
                compiled(*blocks, s.par, out)

        motion = s.motion(n)

        def verb(motion: gough.Motion = motion, few: int = few) -> None:
            for _ in range(few):
                gough.inverse_dynamics(s.platform, motion)

        found["compiled batch"].append(best(kernel, n * few, seconds=LONGEST))
        found["gough.inverse_dynamics"].append(best(verb, n * few, seconds=LONGEST))
    return Growth("inverse dynamics over states, one thread", "states", "state", list(sizes), found)


def over_threads(s: Setup, sizes: Sequence[int]) -> Growth:
    """Per state, by the clock; few states, many repeats: one of them finds the processors free."""
    found: dict[str, list[float]] = {}
    n = min(s.states, FEW)
    for function in ("forces", "forward"):
        compiled, blocks = native.kernel(function, s.kinds), s.blocks(function, s.rows(function, n))
        out = np.empty((n, FUNCTIONS[function].n_out))
        calls = [partial(native.run_into, compiled, blocks, s.par, (out,), k) for k in sizes]
        found[function] = [
            best(call, n, seconds=20 * LONGEST, repeats=4000, threads=2) for call in calls
        ]
    return Growth(f"{n} states over threads, by the clock", "threads", "state", list(sizes), found)


def over_runs(s: Setup, sizes: Sequence[int]) -> Growth:
    """Per step of a run."""
    methods = {"RK4": "rk4", "semi-implicit": "semi-implicit"}
    found = {
        name: [steps.ours(s, runs, method, seconds=LONGEST) for runs in sizes]
        for name, method in methods.items()
    }
    return Growth("a simulation's step over runs", "runs", "step of a run", list(sizes), found)


def over_steps(s: Setup, sizes: Sequence[int]) -> Growth:
    """Per step of one of 64 runs."""
    found = [steps.ours(s, 64, "rk4", steps=count, seconds=LONGEST) for count in sizes]
    return Growth("RK4 over steps, 64 runs", "steps", "step of a run", list(sizes), {"RK4": found})


def over_machines(s: Setup, sizes: Sequence[int]) -> Growth:
    """Per state of a batch of the largest size, in which that many machines take turns."""
    states = max(sizes)
    own, batch = (native.kernel("forces", s.kinds, form) for form in ("machines", "batch"))
    blocks, out = s.blocks(x=s.rows(n=states)), np.empty((states, 7))
    one = packed(s.platform).parameters
    rng = np.random.default_rng(0)
    found: dict[str, list[float]] = {"a machine each in turn": [], "one machine": []}
    alone = best(lambda: batch(*blocks, one, out), states, seconds=LONGEST)
    for count in sizes:
        par = one * rng.uniform(0.99, 1.01, (count, len(one)))
        turns: Callable[[], None] = lambda par=par: own(*blocks, par, out)  # noqa: E731
        found["a machine each in turn"].append(best(turns, states, seconds=LONGEST))
        found["one machine"].append(alone)
    title = f"{states} states over machines"
    return Growth(title, "machines", "state", list(sizes), found)


def table(g: Growth) -> str:
    """Markdown: a line for each size."""
    lines = [f"{g.title}, per {g.unit}:", "", f"| {g.size} | {' | '.join(g.seconds)} |"]
    lines.append("|---|" + "---|" * len(g.seconds))
    for at, size in enumerate(g.sizes):
        cells = (f"{found[at] * 1e9:.4g} ns" for found in g.seconds.values())
        lines.append(f"| {size} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def figure(all_of_it: Sequence[Growth], path: Path) -> None:
    """One panel for each kind of growth."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    shape = (2, -(-len(all_of_it) // 2))
    fig, axes = pyplot.subplots(*shape, figsize=(4.2 * shape[1], 6.4), layout="constrained")
    for g, panel in zip(all_of_it, axes.ravel(), strict=False):
        for name, found in g.seconds.items():
            panel.plot(g.sizes, 1e9 * np.array(found), marker="o", markersize=3, label=name)
        cost = np.array(list(g.seconds.values()))
        if g.size == "threads":
            panel.set_xticks(g.sizes)
        else:
            panel.set_xscale("log")
        if cost.max() > 5.0 * cost.min():
            panel.set_yscale("log")
        else:
            panel.set_ylim(0.0, 1.1e9 * cost.max())
        panel.set_xlabel(g.size)
        panel.set_ylabel(f"ns per {g.unit}")
        panel.set_title(g.title, fontsize="medium")
        panel.legend(fontsize="small")
    for panel in axes.ravel()[len(all_of_it) :]:
        panel.set_visible(False)
    fig.suptitle(f"{processor()}, {native.processors()} cores")
    fig.savefig(path, dpi=130)
    pyplot.close(fig)


def powers(most: float, base: int = 10) -> list[int]:
    """1, base, base^2, ... up to `most`."""
    found = [1]
    while found[-1] * base <= most:
        found.append(found[-1] * base)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("out/bench"), help="folder of growth.png")
    parser.add_argument("--most", type=float, default=1e6, help="states of the largest batch")
    given = parser.parse_args()
    os.environ["GOUGH_THREADS"] = "1"  # but where threads are counted
    s, most = Setup(int(given.most)), given.most
    parts: list[Callable[[], Growth]] = [
        lambda: over_states(s, powers(most)),
        lambda: over_threads(s, list(range(1, native.processors() + 1))),
        lambda: over_runs(s, powers(most / 100, 4)),
        lambda: over_steps(s, powers(most / 100)[1:]),
        lambda: over_machines(s, powers(most / 10)),
    ]
    sys.stdout.write(f"{processor()}, {native.processors()} cores; best of repeats\n\n")
    found = []
    for part in parts:
        found.append(part())
        sys.stdout.write(table(found[-1]) + "\n")
        sys.stdout.flush()
    given.out.mkdir(parents=True, exist_ok=True)
    figure(found, given.out / "growth.png")
    sys.stderr.write(f"wrote {given.out / 'growth.png'}\n")


if __name__ == "__main__":
    main()
