"""BibTeX of the papers that machines come from: a table of entries (citations.toml), and the machine's own DOI."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any

from gough.documents.source import parse_toml
from gough.model.platform import Source


def bibtex(source: Source) -> str:
    """The entry of the paper that `source` names by its title, with the DOI that the source gives; empty if unknown.

    The title alone decides: a machine made from a preset and written to a file keeps its papers.
    """
    for key, entry in _entries().items():
        if entry["source"] == source.title:
            return _entry(key, entry, source)
    return ""


@cache
def _entries() -> dict[str, Any]:
    text = resources.files("gough.model").joinpath("citations.toml").read_text("utf-8")
    return parse_toml(text, "citations.toml")


def _entry(key: str, entry: dict[str, str], source: Source) -> str:
    fields = {name: text for name, text in entry.items() if name not in ("type", "source")}
    fields |= {"doi": source.doi} if source.doi else {}
    fields |= {"note": f"numbers: {source.page}"} if source.page else {}
    width = max(map(len, fields))
    lines = (f"  {name:<{width}} = {{{text}}}" for name, text in fields.items())
    return f"@{entry['type']}{{{key},\n" + ",\n".join(lines) + "\n}"
