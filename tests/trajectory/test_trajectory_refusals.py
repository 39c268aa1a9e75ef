"""What a trajectory cannot be, in one sentence each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from gough.trajectory import harmonic, hold, retimed, sequence
from gough.trajectory.definition import load_trajectory
from gough.trajectory.legs import legs_harmonic
from gough.trajectory.recorded import recorded

HOME = gough.Pose([0.0, 0.0, 1.0])
REFUSED: list[tuple[Callable[[], Any], str]] = [
    (lambda: sequence(), "at least one trajectory"),
    (lambda: sequence(hold(HOME, 1.0), 3), "must be a gough.Trajectory"),
    (lambda: retimed(3, 1.0), "gough.Trajectory"),
    (lambda: harmonic(HOME, [0.1] * 6, 1.0, duration=1.0, orientation="euler"), "rpy or vector"),
    (
        lambda: legs_harmonic(np.ones(6), np.full(6, 0.01), 1.0, duration=1.0).on(3),
        "gough.Platform",
    ),
]


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_refusals(number: int) -> None:
    ask, word = REFUSED[number]
    with pytest.raises(gough.InputError, match=word):
        ask()


def test_a_table_without_samples_is_said(tmp_path: Path) -> None:
    (tmp_path / "empty.csv").write_text("t,x,y,z\n")
    with pytest.raises(gough.InputError, match="samples"):
        recorded(tmp_path / "empty.csv")


def test_a_definition_is_a_table(tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("trajectory = 3\n")
    with pytest.raises(gough.InputError, match="must be a table"):
        load_trajectory(tmp_path / "bad.toml")
