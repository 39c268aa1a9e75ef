"""Random UCU, UCS, PSU and RSS machines against Pinocchio:
``cd tests && python -m campaigns.ucu_campaign --machines 200 --states 3 [--springs] [--kinds PSU RSS-general ...]``;
`--springs`: with springs in all joints."""

from __future__ import annotations

import argparse

import numpy as np

import gough
from oracles.compare import answers, engine_arrays, errors, joined
from oracles.machines import CYLINDERS, RODS, Case, cases
from oracles.pinocchio_model import PinocchioEngine
from oracles.source import energy_rate, equations, power

TOLERANCE = 1e-11  # relative to the largest entry of a quantity in its state; power: to the sum of its terms
CLOSURE = 1e-14  # m and rad, by which the legs miss the platform in the engine


def worst(kind: str, count: int, *, states: int, seed: int, **options: bool) -> dict[str, float]:
    """Largest error of every quantity over `count` machines, and of the power balance."""
    return worst_of(cases(kind, count, states=states, seed=seed, **options))


def worst_of(sample: list[Case]) -> dict[str, float]:
    """The same of a sample whose machines have the same leg types; those that the verbs refuse are left out."""
    theirs, mine, balance = [], [], [0.0]
    for case in sample:
        own = equations(case)
        if not all(np.isfinite(v).all() for v in own.values()):
            assert refused(case)
            continue
        found = answers(PinocchioEngine(case.platform), case)
        if not max(a.closure_error for a in found) < CLOSURE:
            raise AssertionError("the engine's legs do not close")
        theirs.append(engine_arrays(case, found))
        mine.append(own)
        expected, scale = power(case, mine[-1])
        balance.append(float(np.abs((energy_rate(case, mine[-1]) - expected) / scale).max()))
    out = errors(joined(mine), joined(theirs))
    if len(out) != len(theirs[0]):
        raise AssertionError("a quantity was not compared")
    return {**out, "power": max(balance)}


def refused(case: Case) -> bool:
    """Joints with springs have turned too far from rest: `inverse_dynamics` says so."""
    spin = gough.Spin(case.spin_angle, case.spin_rate) if case.needs_spin else None
    try:
        gough.inverse_dynamics(case.platform, case.motion, spin=spin, engine="python")
    except gough.InfeasibleError as error:
        return "turned more than 150 degrees" in str(error)
    return False


def main() -> None:
    """Print the worst error of every quantity for every kind of machine."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--machines", type=int, default=200)
    parser.add_argument("--states", type=int, default=3)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--kinds", nargs="*", default=[*CYLINDERS, *RODS])
    parser.add_argument("--springs", action="store_true")
    given = parser.parse_args()
    for kind in given.kinds:
        size = {"states": given.states, "seed": given.seed}
        found = worst(kind, given.machines, **size, springs=given.springs)
        print(
            kind + " with springs" * given.springs,
            f"{given.machines} machines x {given.states} states:",
            ", ".join(f"{name} {value:.1e}" for name, value in sorted(found.items())),
            flush=True,
        )


if __name__ == "__main__":
    main()
