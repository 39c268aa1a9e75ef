"""`cd tests && python -m border calls|files|damage --count 10000 --seed 0`: what hostile input gets past the border?

Prints every failure once, with an example; exit 1 if there is any.
"""

from __future__ import annotations

import argparse
import resource
import time

from border import calls, damage, files

MEMORY = 8 << 30  # bytes of address space


def main() -> None:
    """One campaign."""
    parser = argparse.ArgumentParser(prog="python -m border", description=__doc__)
    parser.add_argument("kind", choices=("calls", "files", "damage"))
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))  # what asks for more is a MemoryError
    began = time.monotonic()
    campaigns = {"calls": calls, "files": files, "damage": damage}
    failures = campaigns[options.kind].campaign(options.count, options.seed)
    for problem, examples in sorted(failures.items()):
        print(problem)
        for example in examples:
            print(f"      {example}")
    seconds = time.monotonic() - began
    print(f"{options.count} hostile {options.kind}, seed {options.seed}, {seconds:.0f} s:", end=" ")
    print(f"{len(failures)} kinds of failure (none: below {3 / options.count:.1g} at 95 %)")
    raise SystemExit(1 if failures else 0)


if __name__ == "__main__":
    main()
