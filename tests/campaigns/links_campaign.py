"""Random machines with fixed links against Pinocchio: ``cd tests && python -m campaigns.links_campaign``.

One to three links of mixed types: efforts, forces in the links, reactions, mass, motion under other efforts, power.
"""

from __future__ import annotations

import argparse

import numpy as np

from oracles.compare import errors
from oracles.links import KINDS, fixed_links, inside, linked, outside
from oracles.source import energy_rate, equations, power

TOLERANCE = 1e-11  # relative to the largest entry of a quantity in its state; power: to the sum of its terms


def worst(
    kind: str, machines: int, *, states: int, seed: int, springs: bool = False
) -> dict[str, float]:
    """Largest error of every quantity over `machines` of them, of the power balance and of the power of the links."""
    out: dict[str, float] = {}
    made = 0
    for i in range(20 * machines):
        given = linked(
            kind, seed=seed * 100_000 + i, count=1 + i % 3, states=states, springs=springs
        )
        if given is None:
            continue
        effort = np.random.default_rng([seed, i, 6]).uniform(-900.0, 900.0, (states, 6))
        theirs, mine = outside(given, effort), equations(given) | inside(given, effort)
        found = errors(mine, theirs)
        if len(found) != len(theirs):
            raise AssertionError("a quantity was not compared")
        expected, scale = power(given, mine)
        found["power"] = float(np.abs((energy_rate(given, mine) - expected) / scale).max())
        held = fixed_links(given.platform)
        found["link_power"] = float(
            np.abs((mine["force"] * mine["rate"])[:, held] / scale[:, None]).max()
        )
        out = {name: max(value, out.get(name, 0.0)) for name, value in found.items()}
        made += 1
        if made == machines:
            return out
    raise AssertionError(f"only {made} machines of {kind} found")


def main() -> None:
    """Print the worst error of every quantity for every kind of machine."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--machines", type=int, default=200)
    parser.add_argument("--states", type=int, default=3)
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    for kind in KINDS:
        found = worst(kind, given.machines, states=given.states, seed=given.seed)
        told = ", ".join(f"{name} {value:.1e}" for name, value in sorted(found.items()))
        print(f"{kind} {given.machines} machines x {given.states} states: {told}", flush=True)


if __name__ == "__main__":
    main()
