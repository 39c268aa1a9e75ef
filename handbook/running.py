"""Runs the blocks of a page from top to bottom and says where the page and the program differ.

python -m handbook.running PAGE ...           exit code 1 where a page does not run or prints something else
python -m handbook.running --write PAGE ...   put what is printed below the blocks that show something
"""

from __future__ import annotations

import contextlib
import importlib
import io
import linecache
import os
import shlex
import shutil
import sys
import tempfile
import traceback
import types
from collections.abc import Iterator
from pathlib import Path

from handbook.blocks import Block, blocks

ROOT = Path(__file__).parents[1]


class BlockError(AssertionError):
    """A block that fails, or prints something else than its page shows."""


def run_page(page: Path, write: bool = False) -> int:
    """Run a page's blocks, in a folder of their own beside a copy of ``examples/``; how many ran.

    write  put what is printed below the blocks that show an output, instead of comparing
    """
    found = [block for block in blocks(page.read_text(encoding="utf-8")) if not block.skipped]
    if not found:
        return 0
    answers: list[str] = []
    module = types.ModuleType("handbook_page")
    with workshop(), _registered(module):
        for block in found:
            printed = run_commands(block) if block.kind == "sh" else _python(block, page, module)
            answers.append(printed)
            if not write:
                _compare(block, printed, page)
    if write:
        lines = page.read_text(encoding="utf-8").splitlines()
        for block, printed in reversed(list(zip(found, answers, strict=True))):
            if block.output is not None:
                first = block.end - 1 - len(block.output.splitlines())
                lines[first : block.end - 1] = _lines(printed)
        page.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return len(found)


def _python(block: Block, page: Path, module: types.ModuleType) -> str:
    name = f"<{page.name}:{block.line}>"
    linecache.cache[name] = (len(block.text), None, block.text.splitlines(True), name)
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out):
            exec(compile(block.text, name, "exec"), vars(module))
    except Exception as error:
        raise BlockError(f"{page}:{block.line}: {traceback.format_exc()}") from error
    return out.getvalue()


def run_commands(block: Block) -> str:
    """Run the lines of a block that begin with ``gough``, in this process; what they print."""
    from typer.testing import CliRunner

    from gough.cli.app import COMMAND_MODULES, app

    for module in COMMAND_MODULES:
        importlib.import_module(f"gough.cli.{module}")
    printed = ""
    for line in block.text.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        if words[:1] == ["gough"]:
            target = words[words.index(">") + 1] if ">" in words else ""
            result = CliRunner().invoke(app, words[1 : words.index(">") if target else None])
            if result.exit_code:
                said = f"{result.output}{result.exception!r}"
                raise BlockError(f"{line!r} ends with {result.exit_code}: {said}")
            if target:
                Path(target).write_text(result.stdout, encoding="utf-8")
            else:
                printed += result.stdout
    return printed


def _compare(block: Block, printed: str, page: Path) -> None:
    if block.output is None:
        return
    if _lines(block.output) != _lines(printed):
        raise BlockError(
            f"{page}:{block.line}: the page shows\n{block.output}\nthe block prints\n{printed}"
        )


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip().splitlines()]


@contextlib.contextmanager
def workshop() -> Iterator[None]:
    """A folder of its own to work in, with a copy of ``examples/``."""
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "examples", Path(folder) / "examples")
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(here)


@contextlib.contextmanager
def _registered(module: types.ModuleType) -> Iterator[None]:
    """Dataclasses and pickles of a page look their module up by name."""
    sys.modules[module.__name__] = module
    try:
        yield
    finally:
        del sys.modules[module.__name__]


def main() -> int:
    wrong, names = 0, sys.argv[1:]
    write = names[:1] == ["--write"]
    for name in names[write:]:
        try:
            print(f"{name}: {run_page(Path(name).resolve(), write)} blocks run")
        except BlockError as error:
            wrong += 1
            print(error)
    return int(bool(wrong))


if __name__ == "__main__":
    raise SystemExit(main())
