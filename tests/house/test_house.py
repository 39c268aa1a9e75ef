"""The house keeps its own rules: one class per name, files of one subject, names that explain themselves."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import gough

SOURCE = Path(gough.__file__).parent
FILES = sorted(SOURCE.rglob("*.py"))
UNEXPLAINED = {
    "teach",
    "pieces",
    "lean",
    "lower",
    "laws",
    "stages",
    "routes",
    "between",
    "arms",
    "pods",
}
LONGEST = 400


def test_one_class_per_name() -> None:
    names = Counter(
        node.name
        for path in FILES
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef)
    )
    assert names["Platform"] == 1
    assert [name for name, count in names.items() if count > 1] == []


def test_files_are_short_and_named() -> None:
    assert len(FILES) > 200
    assert [p.name for p in FILES if p.stem in UNEXPLAINED] == []
    assert [p.name for p in FILES if len(p.read_text("utf-8").splitlines()) > LONGEST] == []


def test_records_of_legs_are_read_by_name() -> None:
    """No slice of constant columns beyond a vector's three on kernel answers: `gough.layout` names them.

    The formulations number their own unknowns, the pages the rows of printed tables.
    """
    found = []
    for path in FILES:
        if path.name == "layout.py" or {"formulations", "reproduce"} & set(path.parts):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Subscript)
                and isinstance(node.slice, ast.Tuple)
                and node.slice.elts
            ):
                last = node.slice.elts[-1]
                ends = (last.lower, last.upper) if isinstance(last, ast.Slice) else (last,)
                numbers = [e.value for e in ends if isinstance(e, ast.Constant)]
                if any(isinstance(n, int) and not isinstance(n, bool) and n > 7 for n in numbers):
                    found.append(f"{path.name}:{node.lineno}")
    assert found == []
