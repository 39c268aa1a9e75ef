"""A cell is proved by the ball around it: no corner may lie outside of that ball by a rounding."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from gough.analysis.connected import _judged_cells, drawn_in


class Watching:
    """Stands for a judge: keeps every ball that it is asked about, and decides nothing before the last level."""

    wanted, why, unchecked = 1, None, ()

    def __init__(self) -> None:
        self.balls: list[tuple[np.ndarray, float]] = []

    def judge(self, centers: np.ndarray, radius: float, last: bool) -> np.ndarray:
        self.balls.append((centers, radius))
        return np.zeros(len(centers), dtype=np.uint8)


def exact(row: np.ndarray) -> list[Fraction]:
    return [Fraction(float(x)) for x in row]


@pytest.mark.parametrize("seed", range(25))
def test_balls_hold_their_cells_exactly(seed: int) -> None:
    rng = np.random.default_rng(seed)
    low = rng.normal(size=3)
    box = np.stack([low, low + 10.0 ** rng.uniform(-2, 1, 3)])
    judge, drawing = Watching(), Watching()
    _judged_cells(judge, box, 3)
    drawn_in(drawing, box, np.ones((2, 3), dtype=bool))
    assert len(judge.balls) == 1
    assert drawing.balls
    for centers, radius in judge.balls + drawing.balls:
        n = round(len(centers) ** (1 / 3))
        assert n**3 == len(centers)
        size = [(b - a) / n for a, b in zip(*map(exact, box), strict=True)]
        cell = [exact(c) for c in centers[rng.integers(len(centers), size=5)]]
        assert Fraction(radius) ** 2 > sum(s * s for s in size) / 4
        for center in cell:  # the true cell that this rounded center stands for
            place = [(c - a) // s for c, a, s in zip(center, exact(box[0]), size, strict=True)]
            far = [
                max(abs(a + s * k - c), abs(a + s * (k + 1) - c))
                for a, s, k, c in zip(exact(box[0]), size, place, center, strict=True)
            ]
            assert sum(f * f for f in far) <= Fraction(radius) ** 2
