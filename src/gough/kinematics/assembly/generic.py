"""The general start section with its 40 poses: made once by monodromy, shipped as data/generic_start.npz.

    python -m gough.kinematics.assembly.generic        makes the file again and prints the trace test

Six random complex rows through one random complex pose; loops to other random sections and back permute the
40 solutions and reveal them one by one.  The trace test proves that none is missing: when the section moves
parallel to itself (the coefficient of h grows with tau), the sum over *all* solutions of any affine coordinate
of psi/h is linear in tau, and no proper subset of an irreducible variety has that property.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np

from gough.checks import Array
from gough.kinematics.assembly.forms import FORMS, Complex, psi

DATA = Path(__file__).resolve().parent.parent / "data" / "generic_start.npz"
DEGREE = 40


@lru_cache(maxsize=1)
def generic_start() -> tuple[Complex, Complex]:
    """Rows (6, 17), orthonormal, and their 40 poses X (40, 8)."""
    with np.load(DATA, allow_pickle=False) as file:
        return file["rows"], file["X"]


def _random(rng: np.random.Generator, *shape: int) -> Complex:
    return rng.normal(size=shape) + 1j * rng.normal(size=shape)


def monodromy(seed: int = 1998, loops: int = 60) -> tuple[Complex, Complex]:
    """All solutions of a random section, found from one of them."""
    from gough.kinematics.assembly.paths import follow, orthonormal, section

    rng = np.random.default_rng(seed)
    X = _random(rng, 8)
    q, g = X[:4], X[4:]
    X[4:] = g - q * ((q @ g) / (q @ q))
    f = psi(X)
    rows = _random(rng, 6, FORMS)
    rows = orthonormal(rows - np.outer(rows @ f, f.conj()) / (np.abs(f) ** 2).sum())
    found = X[None]
    home = section(rows)
    for _ in range(loops):
        a, b = (
            section(orthonormal(_random(rng, 6, FORMS))),
            section(orthonormal(_random(rng, 6, FORMS))),
        )
        ends = follow(home, a, found)
        ends = follow(a, b, ends.X[ends.finite])
        ends = follow(b, home, ends.X[ends.finite])
        both = np.concatenate([found, ends.X[ends.finite]])
        ends = follow(home, home, both, expected=0)
        found = ends.X[ends.finite]
        if len(found) >= DEGREE:
            break
    return rows, found


def trace(rows: Complex, X: Complex) -> Array:
    """Second difference of the sums of psi/h over X while the section moves, relative to the sums."""
    from gough.kinematics.assembly.paths import follow, section

    direction = np.zeros_like(rows)
    direction[:, 0] = np.exp(1j * np.arange(6)) / 3
    sums = []
    for tau in (-1.0, 0.0, 1.0):
        f = psi(follow(section(rows), section(rows + tau * direction), X).X)
        sums.append((f[:, 1:] / f[:, :1]).sum(0))
    return np.abs(sums[0] - 2 * sums[1] + sums[2]) / np.abs(sums).max()


def make(path: Path = DATA) -> str:
    """Write the data file; says what was found."""
    rows, X = monodromy()
    whole, part = trace(rows, X).max(), trace(rows, X[1:]).max()
    np.savez(path, rows=rows, X=X)
    return f"{len(X)} solutions; trace test {whole:.1e}, with one solution removed {part:.1e}"


if __name__ == "__main__":
    import sys

    sys.stdout.write(make() + "\n")
