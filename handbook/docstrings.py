"""Docstrings of the package as Markdown.

They are prose with a few habits: ``name  what it is`` on lines of their own, indented formulas, doctests, names in
backticks.  Each becomes what it means: a list, a block, a ``pycon`` block, a link.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Collection, Mapping

FIELD = re.compile(r"([A-Za-z_]\w*(?:\(.*?\))?(?:, [A-Za-z_]\w*)*) {2,}(\S.*)")
PARAMETER = re.compile(r"([A-Za-z_]\w*): (\S.*)")
CODE = re.compile(r"(``.+?``|`[^`]+`)")
PROMPT = ">>> "


def markdown(
    docstring: str | None, links: Mapping[str, str] | None = None, parameters: Collection[str] = ()
) -> str:
    """A docstring as Markdown.

    links       addresses of names that stand in backticks
    parameters  names whose lines ``name: what it is`` are items too
    """
    lines = inspect.cleandoc(docstring or "").splitlines()
    out: list[str] = []
    at, kind = 0, ""
    while at < len(lines):
        line = lines[at]
        if line.startswith(PROMPT):
            end = at
            while end < len(lines) and lines[end].strip():
                end += 1
            out += ["", "```pycon", *lines[at:end], "```", ""]
            at, kind = end, ""
        elif match := FIELD.fullmatch(line) or _parameter(line, parameters):
            if kind != "list":
                out.append("")
            words = [match[2]]
            colon = FIELD.fullmatch(line) is None
            while lines[at + 1 : at + 2] and _goes_on(lines[at + 1], colon, parameters):
                at += 1
                words.append(lines[at].strip())
            out.append(f"- `{match[1]}`: {_prose(' '.join(words), links)}")
            at, kind = at + 1, "list"
        elif line.startswith("  ") and line.strip():
            if kind != "code":
                out.append("")
            out.append("    " + line)
            at, kind = at + 1, "code"
        else:
            if kind in ("list", "code") and line.strip():
                out.append("")
            out.append(_prose(line, links))
            at, kind = at + 1, ""
    return "\n".join(out).strip()


def _parameter(line: str, parameters: Collection[str]) -> re.Match[str] | None:
    match = PARAMETER.fullmatch(line)
    return match if match and match[1] in parameters else None


def _goes_on(line: str, colon: bool, parameters: Collection[str]) -> bool:
    """Whether a line belongs to the item above it: indented, or after ``name:`` simply not the next item."""
    if not line.strip() or line.startswith(PROMPT):
        return False
    if colon:
        return not (FIELD.fullmatch(line) or _parameter(line, parameters))
    return line.startswith("  ")


def _prose(text: str, links: Mapping[str, str] | None) -> str:
    """Text in which nothing but code is markup, names linked."""
    parts = CODE.split(text)
    return "".join(
        _linked(part, links or {}) if place % 2 else re.sub(r"([<*\[\]$])", r"\\\1", part)
        for place, part in enumerate(parts)
    )


def _linked(code: str, links: Mapping[str, str]) -> str:
    name = code.strip("`").strip("() ")
    return f"[{code}]({links[name]})" if name in links else code
