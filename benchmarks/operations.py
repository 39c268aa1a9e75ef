"""Operation counts of every machine function and leg kind: `python -m benchmarks.operations [--write]`.

The counts are exact and the same on every computer; the tests compare them with the committed file.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

from gough.engines.derivative_programs import body_stage, forward_stage, inverse_stage, leg_stage
from gough.engines.tracer import Program, trace
from gough.equations.machine import FUNCTIONS, HELD, KINDS

BASELINE = Path(__file__).with_name("operation_counts.json")
DASGUPTA_1998 = 4889  # flops of one inverse dynamics by the count of that paper


def entry(program: Program) -> dict[str, int]:
    """Counts of one program as plain numbers."""
    counts = program.counts()
    return {"flops": counts.flops, **asdict(counts)}


def efforts(six: tuple[str, ...]) -> dict[str, int]:
    """Counts of inverse dynamics without the singularity measure."""
    return entry(trace("forces", six).select(range(6)))


def table() -> dict[str, dict[str, dict[str, int]]]:
    """function -> leg kind -> counts; `efforts` is inverse dynamics without the singularity measure."""
    out: dict[str, dict[str, dict[str, int]]] = {"efforts": {}}
    for kind in KINDS:
        six = (kind.removesuffix(HELD),) * 5 + (kind,)  # one fixed link beside five driven legs
        out["efforts"][kind] = efforts(six)
        for function in FUNCTIONS:
            out.setdefault(function, {})[kind] = entry(trace(function, six))
        for name, stage in (("inverse_stage", inverse_stage), ("forward_stage", forward_stage)):
            if kind.endswith(HELD) and stage is forward_stage:
                continue  # reverse mode does not know constraints
            out.setdefault(name, {})[kind] = entry(stage(six))
        out.setdefault("leg_stage", {})[kind] = entry(leg_stage(kind))
    out["body_stage"] = {"any": entry(body_stage())}
    return out


def lines(counts: dict[str, dict[str, dict[str, int]]]) -> list[str]:
    """The table as text."""
    rows = [
        f"{'function':14} {'legs':10} {'flops':>6} {'mul':>6} {'add':>6} {'div':>4} {'root':>4} {'once':>5}"
    ]
    for function, kinds in counts.items():
        for kind, c in kinds.items():
            rows.append(
                f"{function:14} {kind:10} {c['flops']:6} {c['multiplications']:6} {c['additions']:6} "
                f"{c['divisions']:4} {c['roots']:4} {c['once']:5}"
            )
    efforts = counts["efforts"]["ups"]["flops"]
    rows.append(
        f"UPS inverse dynamics: {efforts} flops; [Dasgupta1998] counts {DASGUPTA_1998}: "
        f"ratio {efforts / DASGUPTA_1998:.2f}"
    )
    return rows


def main() -> None:
    counts = table()
    sys.stdout.write("\n".join(lines(counts)) + "\n")
    if "--write" in sys.argv:
        BASELINE.write_text(json.dumps(counts, indent=1) + "\n")


if __name__ == "__main__":
    main()
