"""Lower bounds of the dependencies: each is stated, once, and `make test-lowest` installs exactly these."""

from __future__ import annotations

import pytest

from lowest import PROJECT, constraints


def test_every_dependency_has_one_lower_bound() -> None:
    found = constraints(PROJECT.read_text(encoding="utf-8"))
    assert {"numpy==2.0", "pyarrow==17", "starlette==0.49"} <= set(found)
    assert not any(line.startswith(("ruff", "pytest", "cupy")) for line in found)


@pytest.mark.parametrize("planted", ['"numpy"', '"numpy<3"', '"numpy>=2.0", "numpy>=2.1"'])
def test_a_planted_requirement_without_its_bound_is_seen(planted: str) -> None:
    with pytest.raises(ValueError, match=r"lower bound|name>=version"):
        constraints(f"[project]\ndependencies = [{planted}]\n[project.optional-dependencies]\n")
