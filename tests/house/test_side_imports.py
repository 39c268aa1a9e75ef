"""What lies beside the package and no other test runs (benchmarks, campaigns) asks it for names that are there."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BESIDE = ("benchmarks", "handbook", "examples", "tests/campaigns", "tests/mutants", "tests/border")
FILES = [path for folder in BESIDE for path in sorted((ROOT / folder).rglob("*.py"))]


def missing(source: str) -> list[str]:
    """Names that a source imports from gough and gough does not have."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "gough":
            for alias in node.names:
                try:
                    there = hasattr(import_module(str(node.module)), alias.name) or import_module(
                        f"{node.module}.{alias.name}"
                    )
                except ModuleNotFoundError:
                    there = None
                if not there:
                    found.append(f"{node.module}.{alias.name}")
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_names_asked_for_exist(path: Path) -> None:
    assert missing(path.read_text(encoding="utf-8")) == []


def test_a_name_that_is_gone_is_seen() -> None:
    assert missing("from gough.studio import warm, wire") == ["gough.studio.warm"]
    assert missing("from gough.nowhere import anything") == ["gough.nowhere.anything"]
