"""Notebooks are the tutorials: valid files whose cells are the programs that the tests run."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from handbook.blocks import blocks
from handbook.notebooks import notebook_text

ROOT = Path(__file__).parents[2]

TUTORIALS = sorted(p for p in (ROOT / "docs/tutorials").glob("*.md") if p.name != "index.md")


def check_format(notebook: dict[str, Any]) -> None:
    """What the schema of nbformat 4.5 asks of the parts that we write."""
    assert set(notebook) == {"cells", "metadata", "nbformat", "nbformat_minor"}
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert {"name", "display_name"} <= set(notebook["metadata"]["kernelspec"])
    names = [cell["id"] for cell in notebook["cells"]]
    assert len(set(names)) == len(names)
    for cell in notebook["cells"]:
        assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", cell["id"])
        assert all(isinstance(line, str) for line in cell["source"])
        if cell["cell_type"] == "markdown":
            assert set(cell) == {"cell_type", "id", "metadata", "source"}
            continue
        assert set(cell) == {"cell_type", "id", "metadata", "source", "outputs", "execution_count"}
        assert cell["execution_count"] is None
        for output in cell["outputs"]:
            assert set(output) == {"output_type", "name", "text"}
            assert (output["output_type"], output["name"]) == ("stream", "stdout")


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda p: p.stem)
def test_cells_are_the_programs_of_the_page(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    notebook = json.loads(notebook_text(text))
    check_format(notebook)
    programs = [b for b in blocks(text) if not b.skipped and b.kind != "sh"]
    cells = [c for c in notebook["cells"] if c["cell_type"] == "code"]
    code = [c for c in cells if not c["source"][0].startswith("!")]
    assert ["".join(c["source"]) for c in code] == [b.text for b in programs]
    shown = ["".join(c["outputs"][0]["text"]) if c["outputs"] else None for c in code]
    assert shown == [None if b.output is None else b.output + "\n" for b in programs]
    assert len(cells) - len(code) == sum(b.kind == "sh" for b in blocks(text))


def test_no_program_is_left_in_the_words() -> None:
    for page in TUTORIALS:
        notebook = json.loads(notebook_text(page.read_text(encoding="utf-8")))
        words = ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "markdown"]
        assert words[0].startswith("# ")
        assert not any("```" in text or "<!--" in text for text in words)


def test_commands_and_hidden_programs_become_cells() -> None:
    text = "# T\n<!-- setup\nx = 1\n-->\n```sh\npip install it\ngough presets\n```\n"
    cells = json.loads(notebook_text(text))["cells"]
    assert [c["cell_type"] for c in cells] == ["markdown", "code", "code"]
    assert ["".join(c["source"]) for c in cells[1:]] == ["x = 1", "!gough presets"]
