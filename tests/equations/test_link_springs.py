"""Springs at both ends of a link: what they store and risk adds up, and nothing at rest is stored."""

from __future__ import annotations

import numpy as np
import pytest

from gough.equations.slider_springs import slider_load, slider_springs
from gough.equations.springs import hinges, turn
from gough.equations.vec import Frame, Sym, Vec
from gough.spatial import rotation_exp


def frame(R: np.ndarray) -> Frame:
    return Frame(*(Vec(*column) for column in R.T))


@pytest.mark.parametrize("seed", range(6))
def test_both_ends_add_up(seed: int) -> None:
    rng = np.random.default_rng(seed)
    R, T, rest, seat = (rotation_exp(0.6 * rng.normal(size=3)) for _ in range(4))
    kp = np.array([0.0, *rng.normal(size=2)])
    kp = seat @ (kp / np.linalg.norm(kp))
    ball = Sym(3.0, 2.0, 4.0, 0.1, -0.2, 0.3)
    columns = [Vec(*column) for frame in (rest, seat) for column in frame.T]
    springs = slider_springs(ball, 5.0, 7.0, *columns)
    found = slider_load(springs, Vec(*kp), frame(T), frame(R))
    foot = turn(frame(T), frame(rest))
    y = Vec(*(R @ seat[:, 1]))
    top = hinges((5.0, 7.0), Vec(*(R @ kp)), frame(T), Vec(*kp), frame(seat), y)
    assert foot.risk > 0.0
    assert top.risk > 0.0
    assert found.risk == pytest.approx(foot.risk + top.risk)
    assert found.energy == pytest.approx(foot.energy(ball) + top.energy)
