"""Streams in single precision against double: every function, random machines, states near their singularities too.

python -m campaigns.single_campaign [--count 20] [--seed 0] [--kinds UPS,RUS,...]      (in tests/)
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from gough.checks import Array
from gough.engines.pack import packed
from gough.engines.stream import stream_into
from gough.equations.machine import FIXED, FUNCTIONS
from gough.layout import Layout
from gough.model import Platform
from oracles.machines import KINDS, Case, case
from support.engine_states import blocks_of
from support.near_singular import APPLIES, applies, near

DISTANCES = (0.1, 1e-2, 3e-3, 1e-3, 1e-4, 1e-5)
STATES = 16


@dataclass
class Tally:
    """States answered and refused; largest error of an answer over the largest number of its block in the batch."""

    answered: int = 0
    refused: int = 0
    worst: dict[str, float] = field(default_factory=dict)


def machines(c: Case) -> Iterator[Platform]:
    """The machine, and ones whose first state is near a singularity of the platform or of a leg."""
    yield c.platform
    for what in (what for what in APPLIES if applies(c.platform, 0, what)):
        for distance in DISTANCES:
            yield near(c, 0, 0, what, distance)


def blocks(layout: Layout, row: Array) -> dict[str, Array]:
    """Blocks of the answers (N, ..., size) by name, the risk left out."""
    turned = np.moveaxis(row, -1, 0)
    return {name: part for name, part in layout.named(turned).items() if name != "risk"}


def compare(function: str, c: Case, tally: Tally) -> None:
    """Single against double precision on one case."""
    answer = FUNCTIONS[function]
    for machine in machines(c):
        x = np.concatenate(blocks_of(c, function, packed(machine, None).kinds), axis=1)
        found = {n: np.empty((len(x), answer.n_out), dtype=n) for n in ("float64", "float32")}
        for number, out in found.items():
            stream_into(machine, x, out, function, number=number, refuse=False)
        double, single = found["float64"], found["float32"].astype(float)
        good = np.isfinite(single).all(axis=-1)
        tally.answered += int(good.sum())
        tally.refused += int((~good).sum())
        assert np.isfinite(double[good]).all()
        if not good.any():
            continue
        shape = (-1, 6, answer.outputs.size) if answer.per_leg else (-1, answer.outputs.size)
        wanted = blocks(answer.outputs, double[good].reshape(shape))
        for name, part in blocks(answer.outputs, single[good].reshape(shape)).items():
            size = np.abs(wanted[name]).max()
            error = np.abs(part - wanted[name]).max() / size if size > 0.0 else 0.0
            tally.worst[name] = max(tally.worst.get(name, 0.0), float(error))


def campaign(
    count: int, seed: int, kinds: Sequence[str], functions: Sequence[str] = FIXED
) -> dict[str, Tally]:
    """Each function on `count` machines of every kind."""
    found = {function: Tally() for function in functions}
    for kind in kinds:
        for i in range(count):
            c = case(kind, seed=1000 * seed + i, states=STATES)
            for function, tally in found.items():
                compare(function, c, tally)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kinds", default=",".join(KINDS))
    given = parser.parse_args()
    for name, t in campaign(given.count, given.seed, given.kinds.split(",")).items():
        worst = ", ".join(f"{block} {error:.1e}" for block, error in t.worst.items())
        sys.stdout.write(f"{name}: {t.answered} answered, {t.refused} refused; {worst}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
