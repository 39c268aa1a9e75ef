"""``python -m mutants.branches 95``: the share of all branches that the tests took; exit 1 below what is asked, %.

Reads the JSON report that `make coverage` leaves; lines are not counted.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from mutants.chosen import MAP

REPORT = MAP.with_name("coverage.json")


def share(report: Path = REPORT) -> float:
    """Percent of the branches taken."""
    totals = json.loads(report.read_text())["totals"]
    return 100.0 * totals["covered_branches"] / totals["num_branches"]


def main(wanted: float, report: Path = REPORT) -> int:
    found = share(report)
    print(f"{found:.1f} % of the branches are taken; {wanted:g} % are asked for")
    return int(found < wanted)


if __name__ == "__main__":
    raise SystemExit(main(float(sys.argv[1])))
