"""Random machines with offset universal joints against Pinocchio, whose cross pieces are bodies of their own, each kind
without springs in its joints and with them:
``cd tests && python -m campaigns.offset_campaign --machines 200 --states 3``.
"""

from __future__ import annotations

import argparse

from campaigns.ucu_campaign import worst_of
from oracles.offset_machines import KINDS, offset_cases

SPRINGS = "+springs"  # suffix: springs in all joints
EVERY = [kind + more for kind in KINDS for more in ("", SPRINGS)]


def worst(kind: str, count: int, *, states: int, seed: int, **options: bool) -> dict[str, float]:
    """Largest error of every quantity over `count` machines, and of the power balance."""
    name, sprung = kind.removesuffix(SPRINGS), kind.endswith(SPRINGS)
    sample = offset_cases(name, count, states=states, seed=seed, springs=sprung, **options)
    if sprung != any(leg.springs.any for case in sample for leg in case.platform.legs):
        raise AssertionError("not the machines that were asked for")
    return worst_of(sample)


def main() -> None:
    """Print the worst error of every quantity for every kind of machine."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--machines", type=int, default=200)
    parser.add_argument("--states", type=int, default=3)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--kinds", nargs="+", default=EVERY, choices=EVERY)
    given = parser.parse_args()
    for kind in given.kinds:
        found = worst(kind, given.machines, states=given.states, seed=given.seed)
        print(
            kind,
            f"{given.machines} machines x {given.states} states:",
            ", ".join(f"{name} {value:.1e}" for name, value in sorted(found.items())),
            flush=True,
        )


if __name__ == "__main__":
    main()
