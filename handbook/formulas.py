r"""Formulas of the pages, ``$...$`` and ``$$...$$``, as MathML that browsers typeset by themselves.

A Markdown extension.  ``\tag{...}`` puts a number beside a displayed formula.  Code is left alone.
"""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

from latex2mathml.converter import convert
from markdown import Markdown
from markdown.blockprocessors import BlockProcessor
from markdown.extensions import Extension
from markdown.inlinepatterns import InlineProcessor

INLINE = r"(?<![\\$])\$(?=\S)([^$\n]+?)(?<=\S)\$(?![\d$])"
DISPLAY = re.compile(r"\$\$(.+?)\$\$", re.S)
TAG = re.compile(r"\s*\\tag\{([^}]*)\}\s*")


class Formulas(Extension):
    """Inline and displayed formulas."""

    def extendMarkdown(self, md: Markdown) -> None:
        md.inlinePatterns.register(
            _Inline(INLINE, md), "formula", 185
        )  # after code, before escapes
        md.parser.blockprocessors.register(_Display(md.parser), "formulas", 75)


class _Inline(InlineProcessor):
    def handleMatch(self, m: re.Match[str], data: str) -> tuple[Any, int, int]:  # type: ignore[override]
        return self.md.htmlStash.store(convert(m[1])), m.start(0), m.end(0)


class _Display(BlockProcessor):
    """A paragraph that holds displayed formulas: cut into text and formulas."""

    def test(self, parent: ElementTree.Element, block: str) -> bool:
        return DISPLAY.search(block) is not None and not block.startswith("    ")

    def run(self, parent: ElementTree.Element, blocks: list[str]) -> None:
        pieces = DISPLAY.split(blocks.pop(0))
        for place, piece in enumerate(pieces):
            if place % 2 == 0:
                if piece.strip():
                    self.parser.parseBlocks(parent, [piece.strip("\n")])
                continue
            number = TAG.search(piece)
            holder = ElementTree.SubElement(parent, "div", {"class": "formula"})
            holder.text = self.parser.md.htmlStash.store(
                f'<div class="formula-body">{convert(TAG.sub("", piece), display="block")}</div>'
                + (f'<span class="formula-number">({number[1]})</span>' if number else "")
            )


def makeExtension(**options: Any) -> Formulas:
    return Formulas(**options)
