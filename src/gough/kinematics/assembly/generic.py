"""General starts: machines without any symmetry, complex leg lengths and all 40 poses; one is shipped as a file.

    python -m gough.kinematics.assembly.generic        makes the file again and prints the trace test

Six random joints and one random complex pose give the squares of the lengths; loops through other random machines
and back permute the 40 solutions and reveal them one by one.  The trace test proves that none is missing: when all
K = L^2 grow in proportion to tau, the sum over *all* solutions of any affine coordinate of psi/h is linear in tau,
and no proper subset of an irreducible variety has that property.  40 is the degree of the variety: no machine has
more finite solutions.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np

from gough.checks import Array
from gough.kinematics.assembly.forms import FORMS, Complex, leg_rows, psi
from gough.kinematics.assembly.geometry import normalize
from gough.kinematics.assembly.paths import Legs, follow, known

DATA = Path(__file__).resolve().parent.parent / "data" / "generic_start.npz"
DEGREE = 40
STARTS = 3  # general starts that are tried


@lru_cache(maxsize=STARTS)
def generic_start(which: int = 0) -> tuple[Legs, Complex]:
    """A general machine and its 40 poses X (40, 8): the shipped one, or others, reached from it."""
    with np.load(DATA, allow_pickle=False) as file:
        legs, X = Legs(file["b"], file["p"], file["K"]), file["X"]
    if which == 0:
        return legs, X
    other = random_legs(np.random.default_rng([which, 40]))
    ends = follow(legs, other, X)
    return (other, ends.X) if ends.finite.all() else (legs, X)


def random_legs(rng: np.random.Generator) -> Legs:
    """Random joints, normalized, and random complex K."""
    g = normalize(rng.normal(size=(6, 3)), rng.normal(size=(6, 3)))
    return Legs(g.b, g.p, 1.5 + 0.5 * (rng.normal(size=6) + 1j * rng.normal(size=6)))


def monodromy(seed: int = 1998, loops: int = 60) -> tuple[Legs, Complex]:
    """All solutions of a random machine, found from one of them."""
    rng = np.random.default_rng(seed)
    home = random_legs(rng)
    X = rng.normal(size=8) + 1j * rng.normal(size=8)
    q, g = X[:4], X[4:]
    X[4:] = g - q * ((q @ g) / (q @ q))
    f = psi(X)
    home = home._replace(K=(leg_rows(home.b, home.p, np.zeros(6)) @ f) / f[0])
    found = X[None]
    for _ in range(loops):
        at, ends = home, known(home, found)
        for there in (random_legs(rng), random_legs(rng), home):
            ends = follow(at, there, ends.X[ends.finite])
            at = there
        ends = known(home, np.concatenate([found, ends.X[ends.finite]]))
        found = ends.X[ends.finite]
        if len(found) >= DEGREE:
            break
    return home, found


def trace(legs: Legs, X: Complex) -> Array:
    """Second difference of the sums of psi/h over X while K moves, relative to the sums."""
    direction = np.exp(1j * np.arange(6)) / 3
    sums = []
    for tau in (-1.0, 0.0, 1.0):
        f = psi(follow(legs, legs._replace(K=legs.K + tau * direction), X).X)
        sums.append((f[:, 1:FORMS] / f[:, :1]).sum(0))
    return np.abs(sums[0] - 2 * sums[1] + sums[2]) / np.abs(sums).max()


def make(path: Path = DATA) -> str:
    """Write the data file; says what was found."""
    legs, X = monodromy()
    whole, part = trace(legs, X).max(), trace(legs, X[1:]).max()
    np.savez(path, b=legs.b, p=legs.p, K=legs.K, X=X)
    return f"{len(X)} solutions; trace test {whole:.1e}, with one solution removed {part:.1e}"


if __name__ == "__main__":
    import sys

    sys.stdout.write(make() + "\n")
