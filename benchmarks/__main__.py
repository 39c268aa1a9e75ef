"""`python -m benchmarks [--states N] [--only KEY,...] [--out FOLDER]`: one table, one run, ratios."""

from __future__ import annotations

import argparse
import json
import platform as host
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks import kinds, operations
from benchmarks.cases import CASES, KINDS, MANY, RATIOS
from benchmarks.ours import Setup
from benchmarks.timing import Skip

HOW = "best of repeats, processor time (two threads: by the clock)"


def measure(
    states: int,
    only: set[str] | None = None,
    rounds: int = 3,
    before: dict[str, float] | None = None,
) -> dict[str, Any]:
    """Run the cases; seconds per evaluation (the best of all rounds) or the reason why not.

    before  what earlier rounds with the same states on this computer found, by key
    """
    setup = Setup(states)
    seconds: dict[str, float] = dict(before or {})
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
    return described(states, seconds, skipped)


def described(states: int, seconds: dict[str, float], skipped: dict[str, str]) -> dict[str, Any]:
    """Times and ratios with all that a table of them says: the file can be printed whatever cases come later."""
    cases = [case for case in CASES if case.key in seconds or case.key in skipped]
    ratios = [r for r in RATIOS if r.fast in seconds and r.slow in seconds]
    flops = operations.efforts(("ups",) * 6)["flops"]
    return {
        "machine": {"processor": processor(), "cores": _cores(), "python": host.python_version()},
        "date": time.strftime("%Y-%m-%d"),
        "how": HOW,
        "states": states,
        "cases": [[case.key, case.group, case.name] for case in cases],
        "seconds": seconds,
        "skipped": skipped,
        "ratios": {r.name: seconds[r.slow] / seconds[r.fast] for r in ratios},
        "promised": {r.name: r.promised for r in ratios},
        "operations": {"gough": flops, "Dasgupta1998": operations.DASGUPTA_1998},
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
    """The result as Markdown tables, as on the page of benchmarks."""
    m, lines = result["machine"], []
    told = [f"{m['processor']}, {m['cores']} cores", f"{result['states']} states", result["how"]]
    told += [result["date"]] if "date" in result else []
    lines += [
        "; ".join([*told, "`python -m benchmarks`"]),
        "",
        "| inverse dynamics of a 6-UPS platform unless named | time | per second |",
        "|---|---|---|",
    ]
    for key, group, name in result["cases"]:
        t = result["seconds"].get(key)
        if group == KINDS:
            continue
        if t is None:
            lines.append(f"| {name} | skipped: {result['skipped'][key]} | |")
        else:
            shown = f"{t * 1e6:.3g} µs" if group != MANY else f"{t * 1e9:.3g} ns"
            lines.append(f"| {name} | {shown} | {1 / t:.3g} |")
    lines += kinds.table(result["seconds"])
    lines += ["", "| ratio | measured | promised |", "|---|---|---|"]
    lines += [
        f"| {name} | {value:.3g} | ≥ {result['promised'][name]:g} |"
        for name, value in result["ratios"].items()
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

    measured = [case for case in result["cases"] if case[0] in result["seconds"]]
    shown = [(key, name) for key, group, name in measured if group != KINDS]
    fig, axes = pyplot.subplots(figsize=(9, 0.34 * len(shown) + 1.2), layout="constrained")
    rates = [1 / result["seconds"][key] for key, _ in shown]
    colors = ["C0" if "gough" in name else "0.6" for _, name in shown]
    axes.barh([name for _, name in shown], rates, color=colors)
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
    parser.add_argument(
        "--before", type=Path, help="bench.json of earlier rounds on this computer, counted in"
    )
    parser.add_argument("--rounds", type=int, default=3, help="how often all cases are measured")
    arguments = parser.parse_args()
    states = arguments.states
    if arguments.table:
        sys.stdout.write(table(json.loads(arguments.table.read_text())) + "\n")
        return
    unknown = {k for k in arguments.only.split(",") if k} - {case.key for case in CASES}
    if unknown:
        parser.error(
            f"unknown cases {', '.join(sorted(unknown))}; known: {', '.join(c.key for c in CASES)}"
        )
    before = json.loads(arguments.before.read_text()) if arguments.before else None
    if before and (before["states"], before["machine"]["processor"]) != (states, processor()):
        parser.error("the earlier rounds are of another computer or of other batches")
    only = {k for k in arguments.only.split(",") if k} or None
    result = measure(states, only, arguments.rounds, before["seconds"] if before else None)
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "bench.json").write_text(json.dumps(result, indent=1) + "\n")
    figure(result, arguments.out / "bench.png")
    sys.stdout.write(table(result) + "\n")
    sys.stderr.write(f"wrote {arguments.out / 'bench.json'} and bench.png\n")


if __name__ == "__main__":
    main()
