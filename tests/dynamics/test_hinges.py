"""Rates about the two axes of a universal joint: what they and a turn about the strut make is the whole turn."""

from __future__ import annotations

import numpy as np
import pytest

from gough.dynamics.dry_joints import _hinges


def test_rates_about_the_axes_make_the_turn() -> None:
    """``relative = a k + b y + c s`` with y across both, also where the strut leans far over the first axis."""
    rng = np.random.default_rng(2)
    k, s, relative = rng.normal(size=(3, 200, 3))
    k, s = (v / np.linalg.norm(v, axis=1, keepdims=True) for v in (k, s))
    pair, rate = _hinges(k, s, relative)
    assert pair[:, 0] == pytest.approx(k)
    assert np.linalg.norm(pair[:, 1], axis=1) == pytest.approx(np.ones(200))
    for other in (k, s):
        assert np.abs((pair[:, 1] * other).sum(axis=1)).max() < 1e-12
    left = relative - (rate[..., None] * pair).sum(axis=1)
    along = (left * s).sum(axis=1, keepdims=True) * s
    assert np.abs(left - along).max() < 1e-11
