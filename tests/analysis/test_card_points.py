"""Positions checked on the GPU: the generated text compiled for the CPU gives the compiled kernel's answers, at the
limits too; planted errors, refusals, and the same on a card where there is one."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import gough
from gough.analysis import points_card
from gough.analysis.points import ENGINES, _tables, points_inside
from gough.analysis.volume import grid_volume, orientation_volume
from gough.spatial import rotation_exp
from oracles.card_on_cpu import COMPILER, Made, no_card, played

needs_compiler = pytest.mark.skipif(
    COMPILER is None, reason="NO C++ COMPILER: the CUDA text of positions was not compiled"
)
TURNED = rotation_exp(np.array([0.3, -0.2, 0.4]))


@pytest.fixture
def card(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Made]:
    with played(monkeypatch, tmp_path, [points_card], points_card._compiled) as made:
        yield made


def limited(**limits: object) -> gough.Platform:
    """A machine without order, whose struts cross, with these limits for each leg."""
    rng = np.random.default_rng(4)
    ends = zip(rng.normal(size=(6, 3)), 0.6 * rng.normal(size=(6, 3)), strict=True)
    legs = [gough.SPS(base=b * [1.0, 1.0, 0.2], joint=p) for b, p in ends]
    legs = [replace(leg, limits=replace(leg.limits, **limits)) for leg in legs]
    return gough.Platform(gough.Body(1.0), legs, home=gough.Pose(np.array([0.0, 0.0, 1.5])))


CASES = {
    "strokes": {"stroke": (0.7, 3.2)},
    "cones": {"base_cone": 1.3, "platform_cone": 1.2},
    "distances": {"radius": 0.03},
    "all": {"stroke": (0.7, 3.0), "base_cone": 1.4, "platform_cone": 1.4, "radius": 0.01},
}


def positions(platform: gough.Platform, n: int) -> np.ndarray:
    """Around home, some with a leg just as long as its stroke allows, to the last digit."""
    rng, home = np.random.default_rng(2), platform.require_home()
    points = home.position + 0.5 * platform.characteristic_length * rng.normal(size=(n, 3))
    base, q, low, high = _tables(platform, TURNED)[:4]
    for k in range(0, n, 3):
        leg = k % 6
        bound = (low, high)[k % 2][leg]
        d = points[k] + q[leg] - base[leg]
        if 0.0 < bound < np.inf:
            points[k] = base[leg] - q[leg] + d * bound / np.linalg.norm(d)
    return points


def mistakes(name: str, n: int) -> tuple[int, float]:
    """How many positions the two engines judge differently, and which share is inside."""
    platform = limited(**CASES[name])
    points = positions(platform, n)
    here, there = (points_inside(platform, points, TURNED, engine=e) for e in ENGINES)
    return int((here != there).sum()), float(here.mean())


@needs_compiler
@pytest.mark.parametrize("name", CASES)
def test_the_text_compiled_for_the_cpu_judges_as_the_compiled_kernel(
    card: Made, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    found = card()
    monkeypatch.setattr(points_card, "PART", 15_000)
    wrong, share = mistakes(name, 20_000)
    assert wrong == 0
    assert 0.005 < share < 0.995
    assert len(found.launched) == 2


ERRORS = {
    "a stroke without its end": ("strokes", "r <= par[", "r < par["),
    "a cone of the other end": ("cones", "+ 18 * k + 3 * i", "+ 3 * i"),
    "struts that are lines": ("distances", "s < 0.0 ? 0.0 : s > 1.0 ? 1.0 : s", "s"),
    "a pair that is left out": (
        "distances",
        "for (int j = i + 1; j < 6",
        "for (int j = i + 1; j < 5",
    ),
    "crossing struts": ("distances", "best = best + e * e", "best = 9.0"),
}


@needs_compiler
@pytest.mark.parametrize("error", ERRORS)
def test_a_planted_error_is_found(card: Made, error: str) -> None:
    name, right, wrong = ERRORS[error]

    def change(text: str) -> str:
        assert right in text
        return text.replace(right, wrong)

    card(change)
    assert mistakes(name, 20_000)[0] > 0


@needs_compiler
def test_volumes_on_the_card_are_the_cpus(card: Made) -> None:
    found = card()
    platform = gough.load("motion-base-1500")
    here, there = (grid_volume(platform, points=12, engine=e) for e in ENGINES)
    assert here.value == there.value > 0.0
    some = [np.eye(3), TURNED]
    both = [orientation_volume(platform, some, points=8, engine=e) for e in ENGINES]
    assert np.array_equal(both[0].share, both[1].share)
    assert len(found.launched) == 12 + 2
    with pytest.raises(gough.InputError, match="engine"):
        grid_volume(platform, points=4, engine="gpu")


def test_what_the_card_does_not_serve_is_refused(card: Made) -> None:
    card()
    servo, plain = gough.load("servo-hexapod"), gough.load("motion-base-1500")
    for platform, options in (
        (servo, {"engine": "cuda"}),
        (plain, {"engine": "cuda", "route": "vectorized"}),
        (plain, {"engine": "python"}),
    ):
        with pytest.raises(gough.InputError, match=r"engine: .*must be native, or cuda"):
            points_inside(platform, np.zeros(3), **options)


def test_without_cupy_the_engine_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(gough.InputError, match="cupy: not installed; needs the extra cuda"):
        points_inside(gough.load("motion-base-1500"), np.zeros((0, 3)), engine="cuda")


@pytest.mark.parametrize("name", CASES)
def test_a_card_judges_as_the_cpu(name: str) -> None:
    reason = no_card("positions on one were not compared")
    if reason:
        pytest.skip(reason)
    assert mistakes(name, 1_000_000)[0] == 0
