"""Random machines of every kind near every kind of singularity, against 50 digits: does each answer keep its word?

    PYTHONPATH=src:tests python -m campaigns.guard_campaign --states 2000 --seed 0

For each state inverse dynamics (guarded, and with ``max_condition=inf``), forward dynamics and energy are asked.  An
answer breaks its word if it is NaN, or if its true error (mpmath, 50 digits, on the same numbers) exceeds the bound it
claims; refusals are counted.  Prints one line per kind of singularity, exit code 1 if a word was broken.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import mpmath
import numpy as np

import gough
from gough.checks import LARGEST, Array
from gough.engines import plain
from gough.engines.evaluate import Evaluation, evaluation
from gough.engines.pack import packed
from gough.layout import ENERGY, FORCES, FORWARD
from gough.model import Platform
from gough.results import Marked, Spin
from gough.spatial import Motion
from oracles.machines import KINDS, case
from support.near_singular import APPLIES, applies, near

DIGITS = 50
ANSWERS = {
    "forces": FORCES.effort,
    "forward": slice(0, FORWARD.at("spin_acceleration")),
    "energy": slice(0, ENERGY.risk),
}


@dataclass
class Tally:
    """What happened near one kind of singularity; `worst` is the largest true error per claimed bound."""

    answers: int = 0
    refused: int = 0
    broken: int = 0
    worst: float = 0.0
    fewest: float = 16.0
    examples: list[str] = field(default_factory=list)

    def add(self, what: str, answer: Array, error: Array, truth: list[Any]) -> None:
        """One answer (n,) with its claimed bounds."""
        self.answers += 1
        if not np.isfinite(answer).all():
            self.broken += 1
            self.examples.append(f"{what}: not finite")
            return
        true = [abs(mpmath.mpf(float(a)) - t) for a, t in zip(answer, truth, strict=True)]
        share = np.max(
            [
                0.0
                if b == np.inf or e == 0
                else float(e / mpmath.mpf(float(b)))
                if b > 0
                else np.inf
                for e, b in zip(true, error, strict=True)
            ]
        )
        size = max(abs(t) for t in truth)
        if size > 0 and max(true) > 0 and np.isfinite(error).all():
            self.fewest = min(self.fewest, float(-mpmath.log10(max(true) / size)))
        self.worst = max(self.worst, share)
        if not share <= 1.0:
            self.broken += 1
            self.examples.append(f"{what}: true error {share:.3g} times the bound")


def truth(e: Evaluation) -> list[Any]:
    """The machine function of one state with 50 digits, on the very numbers that the engines read."""
    machine = packed(e.platform, e.spins is not None)
    x = [mpmath.mpf(float(v)) for block in e.blocks for v in np.ravel(block)]
    spin: Any = plain.NO_SPIN
    if e.spins is not None:
        spin = [mpmath.mpf(float(v)) for v in e.spins.ravel()]
    par = [mpmath.mpf(float(v)) for v in machine.parameters]
    out = plain.evaluate(e.function, machine.kinds, x, par, spin)
    return list(out[ANSWERS[e.function]])


def ask(tally: Tally, what: str, e: Evaluation, verb: Callable[[], Marked]) -> Marked | None:
    """One verb on one state."""
    try:
        found = verb()
    except gough.GoughError:
        tally.refused += 1
        return None
    try:
        exact = truth(e)
    except (
        ZeroDivisionError,
        AttributeError,
    ):  # singular or out of reach (complex) by the exact numbers
        exact = [mpmath.mpf("nan")] * found.answer.size
    tally.add(what, found.answer, found.error, exact)
    return found


def one_state(
    tally: Tally, what: str, machine: Platform, motion: Motion, external: Array, spin: Spin | None
) -> None:
    """All verbs on one state of one machine."""
    inverse = evaluation("forces", machine, motion, spin, external=external)
    ask(tally, what, inverse, lambda: gough.inverse_dynamics(machine, motion, external, spin=spin))
    found = ask(
        tally,
        f"{what}, unlimited",
        inverse,
        lambda: gough.inverse_dynamics(machine, motion, external, spin=spin, max_condition=np.inf),
    )
    given = found is not None and np.abs(found.answer).max() < LARGEST
    force = found.answer if found is not None and given else np.zeros(6)
    driven = evaluation("forward", machine, motion, spin, force=force, external=external)
    ask(
        tally,
        f"{what}, forward",
        driven,
        lambda: gough.forward_dynamics(machine, motion, force, external, spin=spin),
    )
    moving = evaluation("energy", machine, motion, spin)
    ask(tally, f"{what}, energy", moving, lambda: gough.energy(machine, motion, spin=spin))


def campaign(
    states: int,
    seed: int,
    kinds: tuple[str, ...] = KINDS,
    nearest: float = 1e-14,
    seconds: float = math.inf,
) -> dict[str, Tally]:
    """About `states` states (fewer if `seconds` end first), spread over kinds of machines and of singularities."""
    rng = np.random.default_rng(seed)
    tallies = {name: Tally() for name in APPLIES}
    mpmath.mp.dps = DIGITS
    done = number = 0
    end = time.monotonic() + seconds
    while done < states and time.monotonic() < end:
        kind = kinds[number % len(kinds)]
        c = case(kind, seed=seed * 1_000_000 + number, states=1)
        number += 1
        for name, tally in tallies.items():
            leg = int(rng.integers(6))
            distance = 10 ** rng.uniform(np.log10(nearest), -1)
            if not applies(c.platform, leg, name):
                continue
            machine = near(c, 0, leg, name, distance)
            spin = gough.Spin(c.spin_angle[0], c.spin_rate[0]) if c.needs_spin else None
            what = f"{kind} {number - 1}, leg {leg}, {name} {distance:.2e}"
            one_state(tally, what, machine, c.motion[0], c.external[0], spin)
            done += 1
    return tallies


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--states", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=math.inf)
    parser.add_argument("--kinds", nargs="*", default=KINDS, choices=KINDS)
    given = parser.parse_args()
    tallies = campaign(given.states, given.seed, tuple(given.kinds), seconds=given.seconds)
    for name, t in tallies.items():
        print(
            f"{name:12} answers {t.answers:6} refused {t.refused:6} broken {t.broken:4}  "
            f"worst error per bound {t.worst:.2e}  fewest true digits {t.fewest:.1f}"
        )
        for line in t.examples[:5]:
            print(f"    {line}")
    return int(any(t.broken for t in tallies.values()))


if __name__ == "__main__":
    sys.exit(main())
