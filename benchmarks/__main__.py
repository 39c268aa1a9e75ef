"""`python -m benchmarks [--states N] [--only KEY,...] [--out FOLDER]`: one table, one run, ratios."""

from __future__ import annotations

import argparse
import json
import platform as host
import sys
from pathlib import Path
from typing import Any

from benchmarks import kinds, operations
from benchmarks.cases import CASES, KINDS, MANY, RATIOS
from benchmarks.ours import Setup
from benchmarks.timing import Skip


def measure(states: int, only: set[str] | None = None, rounds: int = 3) -> dict[str, Any]:
    """Run the cases; seconds per evaluation (the best of all rounds) or the reason why not."""
    setup = Setup(states)
    seconds: dict[str, float] = {}
    skipped: dict[str, str] = {}
    for turn in range(rounds):  # other programs on the computer disturb one round, seldom all
        for case in CASES:
            if (only and case.key not in only) or case.key in skipped:
                continue
            sys.stderr.write(f"{turn + 1}/{rounds} {case.name}\n")
            sys.stderr.flush()
            try:
                seconds[case.key] = min(case.measure(setup), seconds.get(case.key, float("inf")))
            except Skip as reason:
                skipped[case.key] = str(reason)
    counts = operations.table()["efforts"]["ups"]
    return {
        "machine": {"processor": processor(), "cores": _cores(), "python": host.python_version()},
        "states": states,
        "seconds": seconds,
        "skipped": skipped,
        "ratios": {
            r.name: seconds[r.slow] / seconds[r.fast]
            for r in RATIOS
            if r.fast in seconds and r.slow in seconds
        },
        "operations": {"gough": counts["flops"], "Dasgupta1998": operations.DASGUPTA_1998},
    }


def processor() -> str:
    """The processor's name where the system tells it."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return host.processor() or host.machine()


def _cores() -> int:
    from gough.engines.native import threads

    return threads()


def table(result: dict[str, Any]) -> str:
    """The result as a Markdown table, as in the README."""
    m, lines = result["machine"], []
    lines.append(
        f"{m['processor']}, {m['cores']} cores; {result['states']} states; best of repeats, processor time "
        "(two threads, JAX: by the clock); `python -m benchmarks`"
    )
    lines += [
        "",
        "| inverse dynamics of a 6-UPS platform unless named | time | per second |",
        "|---|---|---|",
    ]
    for case in (case for case in CASES if case.group != KINDS):
        t = result["seconds"].get(case.key)
        if t is not None:
            shown = f"{t * 1e6:.3g} µs" if case.group != MANY else f"{t * 1e9:.3g} ns"
            lines.append(f"| {case.name} | {shown} | {1 / t:.3g} |")
        elif case.key in result["skipped"]:
            lines.append(f"| {case.name} | skipped: {result['skipped'][case.key]} | |")
    lines += kinds.table(result["seconds"])
    lines += ["", "| ratio | measured | promised |", "|---|---|---|"]
    lines += [
        f"| {r.name} | {result['ratios'][r.name]:.3g} | ≥ {r.promised:g} |"
        for r in RATIOS
        if r.name in result["ratios"]
    ]
    o = result["operations"]
    lines += [
        "",
        f"Operations of one inverse dynamics: {o['gough']} flops; [Dasgupta1998] counts {o['Dasgupta1998']}.",
    ]
    return "\n".join(lines)


def figure(result: dict[str, Any], path: Path) -> None:
    """A bar for each case, evaluations per second on a logarithmic axis."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    drawn = [case for case in CASES if case.group != KINDS]
    shown = [case for case in drawn if case.key in result["seconds"]]
    fig, axes = pyplot.subplots(figsize=(9, 0.34 * len(shown) + 1.2), layout="constrained")
    rates = [1 / result["seconds"][case.key] for case in shown]
    colors = ["C0" if "gough" in case.name else "0.6" for case in shown]
    axes.barh([case.name for case in shown], rates, color=colors)
    axes.set_xscale("log")
    axes.set_xlabel("evaluations per second")
    axes.invert_yaxis()
    axes.set_title(f"{result['machine']['processor']}, {result['machine']['cores']} cores")
    fig.savefig(path, dpi=150)
    pyplot.close(fig)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--states", type=int, default=1_000_000, help="size of the batches")
    parser.add_argument("--only", default="", help="keys of cases, separated by commas")
    parser.add_argument(
        "--out", type=Path, default=Path("out/bench"), help="folder for bench.json and bench.png"
    )
    parser.add_argument(
        "--table", type=Path, help="measure nothing, print the table of this JSON file"
    )
    parser.add_argument("--rounds", type=int, default=3, help="how often all cases are measured")
    arguments = parser.parse_args()
    if arguments.table:
        sys.stdout.write(table(json.loads(arguments.table.read_text())) + "\n")
        return
    unknown = {k for k in arguments.only.split(",") if k} - {case.key for case in CASES}
    if unknown:
        parser.error(
            f"unknown cases {', '.join(sorted(unknown))}; known: {', '.join(c.key for c in CASES)}"
        )
    result = measure(
        arguments.states, {k for k in arguments.only.split(",") if k} or None, arguments.rounds
    )
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "bench.json").write_text(json.dumps(result, indent=1) + "\n")
    figure(result, arguments.out / "bench.png")
    sys.stdout.write(table(result) + "\n")
    sys.stderr.write(f"wrote {arguments.out / 'bench.json'} and bench.png\n")


if __name__ == "__main__":
    main()
