"""Samples by number: the points of the whole sequence, wherever it is entered; samples in a sweep."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import qmc

import gough
from gough.checks import Array
from gough.design import read_sweep
from gough.design.drawing import BLOCK, METHODS, Draw, unit_points
from gough.design.parameter_sweep import run_case
from support.sweeps import SPEC

RANGES = {"base_radius": (0.3, 0.6), "height": (0.4, 0.5), "payload": (0.0, 10.0)}
DRAWN = """
[draw]
method = "halton"
count = 5
seed = 3
[draw.ranges]
height = ["0.45 m", "0.55 m"]
platform_mass = ["10 kg", "20 kg"]
"""


def sequence(method: str, seed: int, count: int) -> Array:
    """The first points, as SciPy and NumPy give them in one piece."""
    if method == "random":
        return np.random.Generator(np.random.PCG64(seed)).random((count, 3))
    kind = {"sobol": qmc.Sobol, "halton": qmc.Halton}[method]
    return kind(3, seed=np.random.default_rng(seed)).random(count)


@pytest.mark.parametrize("method", METHODS)
def test_blocks_are_the_sequence(method: str) -> None:
    blocks = 4
    whole = sequence(method, 5, blocks * BLOCK)
    for block in range(blocks):
        found = unit_points(method, 5, 3, block)
        np.testing.assert_array_equal(found, whole[block * BLOCK : (block + 1) * BLOCK])
    assert not np.array_equal(unit_points(method, 6, 3, 0), whole[:BLOCK])


@pytest.mark.parametrize("method", METHODS)
def test_points_lie_in_their_ranges_and_fill_them(method: str) -> None:
    draw = Draw(method, 3 * BLOCK, 0, RANGES)
    points = np.array([list(draw.values(k).values()) for k in range(draw.count)])
    low, high = np.array(list(RANGES.values())).T
    assert list(draw.values(0)) == list(RANGES)
    assert (points >= low).all()
    assert (points <= high).all()
    middle = ((points - low) / (high - low)).mean(axis=0)
    np.testing.assert_allclose(middle, 0.5, atol=0.02)


def test_sobol_points_are_a_net_from_block_to_block() -> None:
    """Every 1024 consecutive points put 64 into each sixteenth of each side; random ones do not."""
    for block in (0, 5):
        cells = np.floor(16 * unit_points("sobol", 1, 3, block)).astype(int)
        assert all((np.bincount(column) == 64).all() for column in cells.T)
    chance = np.floor(16 * unit_points("random", 1, 3, 5)).astype(int)
    assert not all((np.bincount(column) == 64).all() for column in chance.T)


def test_a_sweep_takes_each_sample_with_each_value_of_the_axes(tmp_path: Path) -> None:
    text = SPEC.replace('height = "0.5 m"\n', "").replace('platform_mass = "20 kg"\n', "")
    (tmp_path / "spec.toml").write_text(text + DRAWN)
    plan = read_sweep(tmp_path / "spec.toml")
    assert plan.shape == (1, 2, 4, 2, 5)
    assert plan.columns[2:6] == ("base_radius", "payload", "height", "platform_mass")
    rows = [run_case(plan, k) for k in (3, 8, 79)]
    assert [row[-1] for row in rows] == ["ok"] * 3
    u = unit_points("halton", 3, 2, 0)[:5]
    drawn = [0.45, 10.0] + u * [0.1, 10.0]
    np.testing.assert_allclose([row[4:6] for row in rows], drawn[[3, 3, 4]], rtol=1e-14)
    np.testing.assert_allclose([row[2:4] for row in rows], [[0.3, 0], [0.3, 10], [0.6, 10]])
    (tmp_path / "other.toml").write_text(text + DRAWN.replace("seed = 3", "seed = 4"))
    assert read_sweep(tmp_path / "other.toml").identity != plan.identity


@pytest.mark.parametrize(
    ("old", "new", "match"),
    [
        ("halton", "holton", "did you mean halton"),
        ("count = 5", "count = 0", "draw.count"),
        ("count = 5", "", "draw.count: is missing"),
        ("seed = 3", "seed = -1", "draw.seed"),
        ('["0.45 m", "0.55 m"]', '["0.55 m", "0.45 m"]', "low < high"),
        ("height =", "base_radius =", r"draw.ranges.base_radius.*stands in \[axes\] already"),
        ("height =", "edge =", r"draw.ranges.edge.*this machine has"),
        ('height = ["0.45 m", "0.55 m"]\nplatform_mass = ["10 kg", "20 kg"]', "", "at least one"),
    ],
)
def test_bad_draws_are_refused(tmp_path: Path, old: str, new: str, match: str) -> None:
    assert old in DRAWN
    (tmp_path / "spec.toml").write_text(SPEC + DRAWN.replace(old, new))
    with pytest.raises(gough.InputError, match=match):
        read_sweep(tmp_path / "spec.toml")
