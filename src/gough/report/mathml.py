r"""Formulas as MathML, which browsers typeset without a network.

The source reads like the formula: names (letters and their digits; several letters are one upright name), numbers,
operators and Greek letters as they are, ``_`` and ``^`` before a name, a number or a group ``{...}``, a space between
factors.  Unicode accents, primes and raised or lowered characters mean what they show (``ω̇``, ``v′``, ``²``, ``ᵀ``).
Commands: ``\frac{a}{b}``, ``\sqrt{a}``, ``\text{words}``.  Every line of the source is its own line.  A narrow page
may break it at two spaces or more, at words and, outside brackets, after a comma and before ``=``, ``+`` and ``−``.
"""

from __future__ import annotations

import html
import re
import unicodedata

ACCENTS = {"\u0307": ".", "\u0308": "..", "\u0303": "~", "\u0302": "^", "\u0304": "¯"}
"""Combining marks and what stands above the letter."""
LARGE = "Σ∑"
FENCES = "()[]|‖"
TIGHT = ' stretchy="false" lspace="0" rspace="0"'
PLACES = {"sub": "_", "super": "^"}
WORD = re.compile(r"[^\W\d_]+\d*")
NUMBER = re.compile(r"\d+(\.\d+)?")
SCRIPTED = re.compile(r"[_^′]")
WORDS = re.compile(r'("[^"]*"|\\text\{([^}]*)\})')
GAP = re.compile(r" {2,}")
BREAKS = "=+−⇒"


class FormulaError(ValueError):
    """A formula that cannot be typeset, with the place where its source is wrong."""


def typeset(source: str) -> str:
    """A row for each line of the source, in pieces between which a narrow page may break it."""
    rows = []
    for line in source.strip().splitlines():
        found = [_piece(kind, text) for kind, text in _pieces(line.strip())]
        rows.append(f'<div class="row">{" ".join(found)}</div>')
    return "".join(rows)


def _piece(kind: str, text: str) -> str:
    if kind == "gap":
        return '<span class="gap"></span>'
    if kind == "words":
        return f"<span>{html.escape(text)}</span>"
    lead = ""
    if text[0] in BREAKS:
        lead = f'<mo form="infix" lspace="0" rspace="0.22em">{text[0]}</mo>'
        text = text[1:].lstrip()
    return f'<math displaystyle="true"><mrow>{lead}{_FormulaReader(text).whole()}</mrow></math>'


def _pieces(line: str) -> list[tuple[str, str]]:
    """Words, gaps and formulas; a formula ends before ``=``, ``+`` or a minus sign that stands outside all brackets."""
    found: list[tuple[str, str]] = []
    start = at = depth = braces = 0
    while at < len(line):
        here, words = line[at], None if braces else WORDS.match(line, at)
        gap = None if braces else GAP.match(line, at)
        broken = not depth and here in BREAKS and line[at - 1 : at + 2] == f" {here} "
        if words or gap or broken:
            found.append(("formula", line[start:at].strip()))
            start = at
        if words:
            found.append(("words", words[2] if words[2] is not None else words[1]))
            start = at = words.end()
        elif gap:
            found.append(("gap", ""))
            start = at = gap.end()
        else:
            depth += (here in "([{") - (here in ")]}")
            braces += (here == "{") - (here == "}")
            at += 1
            if not depth and line.startswith(", ", at - 1):
                found.append(("formula", line[start:at].strip()))
                start = at
    found.append(("formula", line[start:].strip()))
    return [(kind, text) for kind, text in found if text or kind == "gap"]


class _FormulaReader:
    """Reads one line from left to right; `at` is the place of the next character."""

    def __init__(self, line: str) -> None:
        self.text, self.at = _plain(line), 0

    def whole(self) -> str:
        found = self._row("")
        if self.at < len(self.text):
            raise FormulaError(f"{self.text!r}: unexpected {self.text[self.at]!r} at {self.at}")
        return found

    def _row(self, end: str) -> str:
        """Everything up to the character `end` (to the end of the line if empty)."""
        found = []
        while self.at < len(self.text) and self.text[self.at] != end:
            if self.text[self.at] == "}":
                break
            found.append(self._space() or self._scripted())
        return "".join(found)

    def _space(self) -> str:
        start = self.at
        while self.at < len(self.text) and self.text[self.at] == " ":
            self.at += 1
        return "" if self.at == start else '<mspace width="0.2em"/>'

    def _scripted(self) -> str:
        """An atom with what is raised and lowered beside it."""
        base = "<mrow/>" if SCRIPTED.match(self.text, self.at) else self._atom()
        low, high = "", ""
        while match := SCRIPTED.match(self.text, self.at):
            self.at += 1
            if match[0] == "_":
                low += self._atom()
            else:
                high += "<mo>′</mo>" if match[0] == "′" else self._atom()
        if low and high:
            return f"<msubsup>{base}<mrow>{low}</mrow><mrow>{high}</mrow></msubsup>"
        if low:
            return f"<msub>{base}<mrow>{low}</mrow></msub>"
        return f"<msup>{base}<mrow>{high}</mrow></msup>" if high else base

    def _atom(self) -> str:
        if self.at >= len(self.text):
            raise FormulaError(f"{self.text!r}: something must follow at its end")
        here = self.text[self.at]
        if here == "{":
            return f"<mrow>{self._group()}</mrow>"
        if here == "\\":
            return self._command()
        if match := NUMBER.match(self.text, self.at):
            self.at = match.end()
            return f"<mn>{match[0]}</mn>"
        if here.isalpha() and here not in LARGE:
            return self._name()
        self.at += 1
        how = ' largeop="true"' if here in LARGE else TIGHT if here in FENCES else ""
        return f"<mo{how}>{html.escape(here)}</mo>"

    def _name(self) -> str:
        """A letter with its accent, or a word."""
        if self.text[self.at + 1 : self.at + 2] in ACCENTS and self.at + 1 < len(self.text):
            letter, mark = self.text[self.at], self.text[self.at + 1]
            self.at += 2
            above = f'<mo stretchy="false">{ACCENTS[mark]}</mo>'
            return f"<mover><mi>{letter}</mi>{above}</mover>"
        match = WORD.match(self.text, self.at)
        assert match is not None
        word = match[0]
        if self.text[match.end() : match.end() + 1] in ACCENTS and match.end() < len(self.text):
            word = word[:-1]  # the accent is of the last letter only
        self.at += len(word)
        letters = word.rstrip("0123456789")
        if len(letters) == 1 and letters != word:
            return f"<msub><mi>{letters}</mi><mn>{word[1:]}</mn></msub>"
        return f"<mi>{html.escape(word)}</mi>"

    def _command(self) -> str:
        match = WORD.match(self.text, self.at + 1)
        word = match[0] if match else ""
        self.at += 1 + len(word)
        if word == "frac":
            return f"<mfrac><mrow>{self._group()}</mrow><mrow>{self._group()}</mrow></mfrac>"
        if word == "sqrt":
            return f"<msqrt>{self._group()}</msqrt>"
        if word == "text" and (match := WORDS.match(self.text, self.at - len("\\text"))):
            self.at = match.end()
            return f"<mtext>{html.escape(match[2])}</mtext>"
        raise FormulaError(f"{self.text!r}: no command \\{word}")

    def _group(self) -> str:
        if self.text[self.at : self.at + 1] != "{":
            raise FormulaError(f"{self.text!r}: a brace must open at {self.at}")
        self.at += 1
        found = self._row("}")
        if self.text[self.at : self.at + 1] != "}":
            raise FormulaError(f"{self.text!r}: a brace is not closed")
        self.at += 1
        return found


def _plain(part: str) -> str:
    """Raised and lowered characters as ``^{...}`` and ``_{...}``, letters apart from their accents."""
    found, inside = "", ""
    for character in unicodedata.normalize("NFC", part):
        tag, _, code = unicodedata.decomposition(character).partition(" ")
        place = PLACES.get(tag.strip("<>"), "")
        if place != inside:
            found += ("}" if inside else "") + (place + "{" if place else "")
            inside = place
        apart = unicodedata.normalize("NFD", character) if character.isalpha() else character
        found += chr(int(code, 16)) if place else apart
    return found + ("}" if inside else "")
