"""Every program on every page runs, and prints what its page shows."""

from __future__ import annotations

from pathlib import Path

import pytest
from handbook.blocks import NOT_RUN, PageError, blocks, pages
from handbook.running import BlockError, run_page

ROOT = Path(__file__).parents[2]

LONG = {  # many kernels, or many runs
    *("docs/control.md", "docs/simulation.md", "docs/performance.md", "docs/metrology.md"),
    "docs/tutorials/control.md",
}


def with_programs() -> list[object]:
    found: list[object] = []
    for page in pages(ROOT):
        name = page.relative_to(ROOT).as_posix()
        if any(not block.skipped for block in blocks(page.read_text(encoding="utf-8"))):
            found.append(pytest.param(name, marks=pytest.mark.slow) if name in LONG else name)
    return found


@pytest.mark.parametrize("name", with_programs())
@pytest.mark.filterwarnings("ignore::gough.ModelWarning")
def test_a_page_prints_what_it_shows(name: str) -> None:
    assert run_page(ROOT / name) > 0


def test_the_pages_that_must_run_do() -> None:
    names = {getattr(name, "values", (name,))[0] for name in with_programs()}
    tutorials = {f"docs/tutorials/{p.name}" for p in (ROOT / "docs/tutorials").glob("*.md")}
    assert len(tutorials) == 6
    assert tutorials - {"docs/tutorials/index.md"} <= names
    assert {"README.md", "docs/how-do-i.md", "docs/index.md", *LONG} <= names


def test_every_python_block_is_a_program_or_says_why_not() -> None:
    """No fence that the runner does not see: none is indented or written in another way."""
    for page in pages(ROOT):
        text = page.read_text(encoding="utf-8")
        fences = sum(line.strip().startswith("```python") for line in text.splitlines())
        seen = [block for block in blocks(text) if block.kind == "python"]
        assert fences == len(seen), page
        reasons = sum(NOT_RUN.fullmatch(line) is not None for line in text.splitlines())
        assert reasons == sum(bool(block.skipped) for block in blocks(text)), page


def page_of(folder: Path, text: str) -> Path:
    page = folder / "page.md"
    page.write_text(text, encoding="utf-8")
    return page


def test_blocks_continue_one_another_and_outputs_count(tmp_path: Path) -> None:
    text = "<!-- setup\nx = 1\n-->\n```python\ny = x + 1\n```\nwords\n```python\nprint(y)\n```\n```\n2\n```\n"
    assert run_page(page_of(tmp_path, text)) == 3
    wrong = page_of(tmp_path, text.replace("\n2\n", "\n3\n"))
    with pytest.raises(BlockError, match="the block prints\n2"):
        run_page(wrong)
    assert run_page(wrong, write=True) == 3
    assert wrong.read_text(encoding="utf-8") == text


def test_a_block_that_fails_is_told_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(BlockError, match=r"page.md:4: (.|\n)*ZeroDivisionError"):
        run_page(page_of(tmp_path, "words\n\n```python\n1 / 0\n```\n"))
    skipped = "<!-- not run: no such thing -->\n```python\n1 / 0\n```\n"
    assert run_page(page_of(tmp_path, skipped)) == 0


def test_commands_run_and_fail(tmp_path: Path) -> None:
    reads = "```python\nprint('hexaglide' in open('list.txt').read())\n```\n```\nTrue\n```\n"
    shown = "```sh\ngough presets > list.txt\n```\n" + reads
    assert run_page(page_of(tmp_path, shown)) == 2
    with pytest.raises(BlockError, match="no-such-machine"):
        run_page(page_of(tmp_path, "```sh\ngough show no-such-machine\n```\n"))


def test_a_fence_that_never_closes_is_refused() -> None:
    with pytest.raises(PageError, match="line 2"):
        blocks("words\n```python\nx = 1\n")
