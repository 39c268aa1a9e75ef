"""`make mutants [ROOM=dynamics] [COUNT=40] [SEED=0]`: how many random wrong changes do the tests notice?

Each mutant is a copy of the sources with one change; a child forked from a process that has the heavy libraries
loaded runs the tests that look at the changed line (see `chosen`) and stops at the first failure.  A mutant that
survives is printed with its place: write the test that kills it, or list it in `equivalent.toml` with the reason
why nothing can.
"""

from __future__ import annotations

import argparse

from mutants.campaign import SECONDS, campaign


def main() -> None:
    """Print every mutant's fate and the share that was killed; exit 1 below the gate."""
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument(
        "--room", action="append", help="folder or module of src/gough; may be repeated"
    )
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of tests for each mutant")
    parser.add_argument(
        "--quick", action="store_true", help="compile nothing anew: what survives might still die"
    )
    parser.add_argument("--gate", type=float, default=0.0, help="share that must be killed")
    options = parser.parse_args()
    total, survivors = 0, 0
    for room in options.room or ["dynamics"]:
        fates = list(campaign(room, options.count, options.seed, options.seconds, options.quick))
        alive = [fate for fate in fates if fate.survived]
        total, survivors = total + len(fates), survivors + len(alive)
        share = 100.0 * (1.0 - len(alive) / len(fates)) if fates else 100.0
        print(f"{room}: {len(fates) - len(alive)} of {len(fates)} killed ({share:.0f} %)")
    raise SystemExit(1 if total and 1.0 - survivors / total < options.gate else 0)


if __name__ == "__main__":
    main()
