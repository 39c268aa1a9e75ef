"""The optimum that docs/design.md tells is the one that the example gives."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gough.design import optimize, read_problem

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_the_documented_optimum_is_that_of_the_example() -> None:
    found = optimize(read_problem(ROOT / "examples" / "design" / "hexapod.toml"))
    told = " ".join((ROOT / "docs" / "design.md").read_text().split())
    assert (
        f"a base radius of {found.best.parameters['base_radius']:.6g} m and "
        f"a height of {found.best.parameters['height']:.6g} m with dexterity {found.best.metrics['dexterity']:.6g}"
    ) in told
    count = re.search(r"after some (\d+) designs", told)
    assert count is not None
    assert found.evaluations == pytest.approx(
        int(count[1]), rel=0.1
    )  # rounding decides when the search stops
    assert found.best.metrics["extension"] == pytest.approx(1.6, abs=1e-6)
    assert found.best.metrics["clearance"] == pytest.approx(0.06, abs=1e-6)
