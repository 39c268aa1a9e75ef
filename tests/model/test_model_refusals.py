"""Machines, drives and documents that cannot be, and corners of the constructors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import gough
from gough.struts import segment_distance

TOML = (Path(gough.__file__).parent / "model" / "presets" / "motion-base-1500.toml").read_text()


def test_a_source_is_a_source() -> None:
    with pytest.raises(gough.InputError, match=r"gough\.Source"):
        gough.load("motion-base-1500").replace(source="a paper")


def test_defaults_of_the_legs_are_a_table(tmp_path: Path) -> None:
    (tmp_path / "machine.toml").write_text(
        "leg_defaults = 3\n" + TOML.replace("[leg_defaults", "[x")
    )
    with pytest.raises(gough.GoughError, match="leg_defaults: got 3; must be a table"):
        gough.load(tmp_path / "machine.toml")


def test_segments_of_different_batches_meet() -> None:
    """One segment against many: as if it were repeated."""
    rng = np.random.default_rng(1)
    a0, a1, b0, b1 = rng.normal(size=(4, 5, 3))
    many = segment_distance(a0[0], a1[0], b0, b1)
    assert many.shape == (5,)
    for k in range(5):
        assert many[k] == segment_distance(a0[0], a1[0], b0[k], b1[k])
