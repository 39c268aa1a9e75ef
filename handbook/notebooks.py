"""Tutorials as notebooks: the same Markdown cut into cells, no Jupyter needed to make them.

A cell of code is a block that runs (`handbook.blocks`), with the output that its page shows; what lies between is
text.  A program that the page hides comes as a cell of its own.  Commands are cells that begin with ``!``.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from handbook.blocks import Block, blocks


def notebook(text: str) -> dict[str, Any]:
    """A page as a notebook (nbformat 4.5)."""
    lines = text.splitlines()
    cells: list[dict[str, Any]] = []
    at = 0
    for block in blocks(text):
        if block.skipped:
            continue
        opening = block.line - 2  # the fence, or the comment, above the first line of code
        _add_text(cells, lines[at:opening])
        cells.append(_code(block, len(cells)))
        at = block.end
    _add_text(cells, lines[at:])
    return {
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def notebook_text(text: str) -> str:
    """The file of a notebook."""
    return json.dumps(notebook(text), indent=1, ensure_ascii=False) + "\n"


def _add_text(cells: list[dict[str, Any]], lines: list[str]) -> None:
    text = "\n".join(lines).strip()
    if text:
        cells.append(
            {
                "cell_type": "markdown",
                "id": _name(text, len(cells)),
                "metadata": {},
                "source": _source(text),
            }
        )


def _code(block: Block, place: int) -> dict[str, Any]:
    text = block.text
    if block.kind == "sh":
        text = "\n".join(f"!{line}" for line in text.splitlines() if line.startswith("gough"))
    shown = [] if block.output is None else [_stream(block.output)]
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": _name(text, place),
        "metadata": {},
        "outputs": shown,
        "source": _source(text),
    }


def _stream(text: str) -> dict[str, Any]:
    return {"name": "stdout", "output_type": "stream", "text": _source(text + "\n")}


def _source(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def _name(text: str, place: int) -> str:
    return hashlib.sha256(f"{place} {text}".encode()).hexdigest()[:12]
