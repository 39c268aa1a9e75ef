"""From a file to TOML data, with limits on its size and depth, and the lines its keys stand on."""

from __future__ import annotations

import difflib
import json
import os
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gough.checks import InputError

KeyPath = tuple[str | int, ...]
DEEPEST = 20  # levels; a machine file needs six
_PART = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')"""
_DOTTED = re.compile(rf"(?<![\w-])(?:{_PART}[ \t]*+\.[ \t]*+){{{DEEPEST}}}")


@dataclass(frozen=True, slots=True)
class DocumentProblem:
    """One thing wrong with a document: key path such as ``legs[2].axis``, sentence, line if known."""

    path: str
    message: str
    line: int | None = None

    def __str__(self) -> str:
        where = f"line {self.line}: " if self.line else ""
        return f"{where}{self.path}: {self.message}" if self.path else f"{where}{self.message}"


class DocumentError(InputError):
    """A document that cannot be used; `problems` lists everything wrong with it, `field` names the first."""

    def __init__(
        self, label: str, problems: Iterable[DocumentProblem], count: int | None = None
    ) -> None:
        self.label, self.problems = label, tuple(problems)
        self.count = len(self.problems) if count is None else count
        first = self.problems[0]
        super().__init__(
            first.path or label, f"{self.count} problem{'s' * (self.count != 1)}", first.message
        )
        hidden = self.count - len(self.problems)
        lines = [
            f"{label}: {self.value}",
            *map(str, self.problems),
            *([f"and {hidden} more"] if hidden else []),
        ]
        self.args = ("\n  ".join(lines),)

    def __reduce__(self) -> tuple[Any, ...]:
        return DocumentError, (self.label, self.problems, self.count)


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """``"did you mean NAME? "`` with the nearest known name, or nothing."""
    near = difflib.get_close_matches(str(name), list(known), 1)
    return f"did you mean {near[0]}? " if near else ""


def read_text(
    path: str | os.PathLike[str], what: str, largest: int, label: str | None = None
) -> str:
    """The text of a document of the kind `what` ("machine"), at most `largest` bytes of UTF-8."""
    name = os.fspath(path)
    file = Path(name)
    try:
        if not file.is_file():
            raise InputError(what, name, "is not a file" if file.exists() else "no such file")
        with file.open("rb") as stream:
            raw = stream.read(largest + 1)
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(what, name, f"cannot be read: {error}") from error
    if len(raw) > largest:
        raise InputError(what, name, f"is larger than {largest} bytes: not a {what} file")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise DocumentError(
            label or name, [DocumentProblem("", "is not UTF-8 text", line)]
        ) from None


def parse_toml(text: str, label: str) -> dict[str, Any]:
    """The tables of `text`; a `DocumentError` if it is not TOML or nested too deep."""
    too_deep = DocumentError(
        label, [DocumentProblem("", f"tables or lists are nested more than {DEEPEST} deep")]
    )
    if _DOTTED.search(text):  # tomllib takes quadratic time for these
        raise too_deep
    try:
        data = tomllib.loads(text)
    except RecursionError:
        raise too_deep from None
    except ValueError as error:  # TOMLDecodeError, and integers with too many digits
        found = re.search(r"\(at line (\d+), column \d+\)", str(error))
        line = int(found[1]) if found else None
        reason = (
            str(error)
            if isinstance(error, tomllib.TOMLDecodeError)
            else "a number has too many digits"
        )
        raise DocumentError(label, [DocumentProblem("", f"is not TOML: {reason}", line)]) from None
    level: list[Any] = [
        data
    ]  # dotted keys nest without recursion in tomllib, so depth is checked here again
    for _ in range(DEEPEST):
        level = [
            x
            for item in level
            for x in (item.values() if isinstance(item, dict) else item)
            if isinstance(x, (dict, list))
        ]
    if level:
        raise too_deep
    return data


def parse_json(text: str | bytes, label: str) -> Any:
    """What the text holds; a `DocumentError` if it is not JSON or nested too deep."""
    line = None
    try:
        return json.loads(text)
    except RecursionError:
        reason = "is nested too deep"
    except json.JSONDecodeError as error:
        reason, line = f"is not JSON: {error.msg}", error.lineno
    except ValueError as error:  # no UTF-8, integers with too many digits
        reason = f"is not JSON: {error}"
    raise DocumentError(label, [DocumentProblem("", reason, line)]) from None


def spell(path: KeyPath) -> str:
    """A key path as text: ``legs[2].axis``."""
    text = ""
    for key in path:
        text += f"[{key}]" if isinstance(key, int) else (f".{key}" if text else str(key))
    return text


class Lines:
    """Line numbers of keys, by a light scan of the text (tomllib gives none)."""

    _header = re.compile(rf"\s*(\[\[?)\s*({_PART}(?:\s*\.\s*{_PART})*+)\s*\]")
    _key = re.compile(rf"\s*({_PART}(?:\s*\.\s*{_PART})*+)\s*=")
    _part = re.compile(_PART)
    _inert = re.compile(r"""\"(?:[^"\\]++|\\.)*+\"|'[^']*+'|#.*""")  # strings and comments

    def __init__(self, text: str) -> None:
        self.at: dict[KeyPath, int] = {}
        counts: dict[KeyPath, int] = {}
        table: KeyPath = ()
        quotes, depth = (
            "",
            0,
        )  # the delimiter of a multi-line string, open brackets of a multi-line list
        for number, line in enumerate(text.split("\n"), 1):
            if quotes:
                quotes = "" if quotes in line else quotes
                continue
            if depth == 0:
                header, key = self._header.match(line), self._key.match(line)
                if header:
                    table = self._table(self._names(header[2]), header[1] == "[[", counts)
                    self.at.setdefault(table, number)
                    self.at.setdefault(table[:1], number)
                    continue
                if key:
                    names = self._names(key[1])
                    for n in range(1, len(names) + 1):
                        self.at.setdefault((*table, *names[:n]), number)
            quotes = next((mark for mark in ('"""', "'''") if line.count(mark) % 2), "")
            if not quotes:
                bare = self._inert.sub("", line)
                depth = max(
                    0, depth + bare.count("[") + bare.count("{") - bare.count("]") - bare.count("}")
                )

    @classmethod
    def _names(cls, dotted: str) -> list[str]:
        return [part.strip("\"'") for part in cls._part.findall(dotted)]

    @staticmethod
    def _table(parts: list[str], is_array: bool, counts: dict[KeyPath, int]) -> KeyPath:
        path: KeyPath = ()
        for n, part in enumerate(parts):
            path = (*path, part)
            if is_array and n == len(parts) - 1:
                counts[path] = counts.get(path, -1) + 1
            if path in counts:
                path = (*path, counts[path])
        return path

    def find(self, path: KeyPath) -> int | None:
        """Line of the key, or of the nearest table around it."""
        return next(
            (self.at[path[:n]] for n in range(len(path), 0, -1) if path[:n] in self.at), None
        )
