"""What is written about a paper, as data: ``claims.toml`` beside its computations holds every sentence.

Sentences are templates filled with computed values; verdicts come from `verdicts`, summaries from verdicts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from string import Formatter
from typing import Any

import numpy as np

from gough.documents.source import parse_toml
from gough.reproduce.page import Claim, Erratum, Figure, Panel, PaperReport, TextTable
from gough.reproduce.verdicts import Test, Values, verdict


class _Words(Formatter):
    """``str.format`` that writes a row entry by entry; the specification ``-.1f`` as smallest-largest."""

    def format_field(self, value: Any, format_spec: str) -> str:
        if not isinstance(value, list | tuple | np.ndarray):
            return super().format_field(value, format_spec)
        if format_spec.startswith("-"):
            return "-".join(format(f(value), format_spec[1:]) for f in (np.min, np.max))
        return ", ".join(format(x, format_spec) for x in value)


def fill(template: str, values: Values) -> str:
    """A sentence with its computed values."""
    return _Words().vformat(template, (), values)


@dataclass(frozen=True, eq=False)
class PaperText:
    """One ``claims.toml``: the paper, its claims with their tests, its errata, titles and captions of figures."""

    paper: dict[str, Any]
    claims: dict[str, dict[str, Any]]
    errata: dict[str, dict[str, str]] = field(default_factory=dict)
    figures: dict[str, dict[str, Any]] = field(default_factory=dict)
    tables: dict[str, dict[str, Any]] = field(default_factory=dict)

    def figure(self, key: str, panels: Iterable[Panel], **values: Any) -> Figure:
        """A figure under its title and its caption, filled with `values`."""
        text = self.figures[key]
        columns = text.get("columns", 1)
        return Figure(key, text["title"], fill(text["caption"], values), tuple(panels), columns)

    def table(self, key: str, rows: Iterable[Sequence[object]] | None = None) -> TextTable:
        """A table under its title and header; its rows from the file where the paper prints them."""
        text = self.tables[key]
        found = text["rows"] if rows is None else rows
        lines = tuple(tuple(str(cell) for cell in row) for row in found)
        return TextTable(key, text["title"], tuple(text["header"]), lines)

    def judge(self, values: Values) -> dict[str, Claim]:
        """Every claim with its computed verdict."""
        return {key: _judged(claim, values) for key, claim in self.claims.items()}

    def sentences(self, keys: Sequence[str], values: Values, form: str = "say") -> str:
        """What the verdicts on some claims amount to, a sentence each; `form`: "say", or "short"."""
        judged = self.judge(values)
        found = []
        for key in keys:
            claim = judged[key]
            plain = f"{claim.statement}: {claim.verdict}."
            said = self.claims[key].get(form, {}).get(claim.verdict)
            found.append(fill(said, values) if said else plain)
        return " ".join(found).replace(" ;", ";")

    def report(
        self, values: Values, figures: Iterable[Figure], tables: Iterable[TextTable]
    ) -> PaperReport:
        """The whole paper."""
        return PaperReport(
            key=self.paper["key"],
            citation=self.paper["citation"],
            line=self.sentences(self.paper["line"], values, "short"),
            summary=self.sentences(self.paper["summary"], values),
            mechanism=self.paper["mechanism"],
            choices=tuple(self.paper["choices"]),
            figures=tuple(figures),
            tables=tuple(tables),
            claims=tuple(self.judge(values).values()),
            errata=tuple(_erratum(key, e, values) for key, e in self.errata.items()),
            errors=values["errors"],
            errors_of=self.paper["errors"],
        )


def conditions_of(claim: dict[str, Any]) -> list[Test]:
    """The tests of a claim's entry."""
    return [Test(**test) for test in claim["tests"]]


def _judged(claim: dict[str, Any], values: Values) -> Claim:
    found = verdict(conditions_of(claim), values, claim.get("readings", False))
    note = claim.get("note", "")  # one text, or a table of texts by verdict
    note = note if isinstance(note, str) else note.get(found, "")
    return Claim(
        **{name: fill(claim[name], values) for name in ("statement", "where", "printed")},
        as_printed=fill(claim.get("as_printed", "-"), values),
        exact=fill(claim["exact"], values),
        verdict=found,
        why=fill(claim["why"], values),
        note=fill(note, values),
    )


def _erratum(key: str, entry: dict[str, str], values: Values) -> Erratum:
    filled = {name: entry[name] for name in ("where", "text", "formula", "grade")}
    return Erratum(
        key,
        **filled,
        reason=fill(entry["reason"], values),
        cost=fill(entry.get("cost", ""), values),
    )


def read(room: str) -> PaperText:
    """The text about the paper of a room of `reproduce`, such as ``"newton_euler"``."""
    path = files("gough.reproduce").joinpath(room, "claims.toml")
    return PaperText(**parse_toml(path.read_text(encoding="utf-8"), path.name))
