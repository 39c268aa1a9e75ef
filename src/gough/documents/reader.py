"""The one reader: declared tables walked once, every problem collected with its key path and line.

A *kind* says how a value of a document becomes a value of the library (`read`) and what an editor should know about it
(`schema`).  `Value` converts one value; `Keyed` reads named fields and builds an object from them; `Tagged` chooses a
table by one of its keys; `Many` and `Named` read tables in a list and by name.  Nothing stops at the first mistake:
what is wrong is reported to the `Reading` and `BAD` stands for the value, so one error names everything.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from gough.checks import GoughError, InfeasibleError
from gough.documents.source import (
    DocumentError,
    DocumentProblem,
    KeyPath,
    Lines,
    did_you_mean,
    parse_toml,
    spell,
)

MOST = 1000  # problems spelled out in one error; the others are counted
BAD: Any = object()
T = TypeVar("T")
Schema = dict[str, Any]


class Reading:
    """One document being read: its label, the folder it lies in, and what was found wrong or remarkable.

    text    of the document, for line numbers; None for data that never was text
    notes   remarks of the model with the key path of what they are about
    """

    def __init__(self, label: str, text: str | None = None, folder: Path | None = None) -> None:
        self.label, self.text, self.folder = label, text, folder or Path()
        self.notes: list[tuple[KeyPath, str]] = []
        self.count = 0
        self._problems: dict[DocumentProblem, None] = {}
        self._lines: Lines | None = None

    @property
    def root(self) -> Place:
        """The place of the whole document."""
        return Place(self, ())

    def report(self, path: KeyPath, message: str) -> None:
        """Take down a problem; the same one counts once."""
        self.count += 1
        if len(self._problems) < MOST:
            if self._lines is None:
                self._lines = Lines(self.text or "")
            self._problems[DocumentProblem(spell(path), message, self._lines.find(path))] = None

    def finish(self, made: T) -> T:
        """`made`, or one `DocumentError` with all problems in the order of their lines."""
        if not self.count:
            return made
        found = sorted(self._problems, key=lambda p: p.line or 0)
        raise DocumentError(self.label, found, self.count if len(found) == MOST else None)


@dataclasses.dataclass(frozen=True)
class Place:
    """A key of a document; `origin` says where a key was written when it was taken over from elsewhere."""

    reading: Reading
    path: KeyPath
    origin: Callable[[KeyPath], KeyPath] | None = None

    def __getitem__(self, key: str | int) -> Place:
        return Place(self.reading, (*self.path, key), self.origin)

    def report(self, message: str) -> None:
        """Say what is wrong here."""
        self.reading.report(self.path if self.origin is None else self.origin(self.path), message)

    def wrong(self, value: object, allowed: str) -> None:
        """Say what was found here and what is allowed."""
        self.report(f"got {shown(value)}; {allowed}")

    def unknown(self, key: str, known: Iterable[str]) -> None:
        """Say that `key` is not a key of this table."""
        names = list(known)
        hint = did_you_mean(key, names) if self.reading.count < MOST else ""
        self[key].report(f"unknown key; {hint}allowed: {', '.join(names)}")

    def refuse(self, error: GoughError) -> None:
        """Report what the library refused; its field is seen from here, an index stays in the sentence."""
        if isinstance(error, DocumentError):
            self.report("; ".join([f"{error.label}: {problem}" for problem in error.problems]))
        elif isinstance(error, InfeasibleError):
            self.report(error.allowed)
        else:
            names, _, index = error.field.partition("[")
            here = self
            for name in filter(None, names.split(".")):
                here = here[name]
            here.report(
                f"{f'[{index}: ' if index else ''}got {shown(error.value)}; {error.allowed}"
            )


class ValueKind(Generic[T]):
    """How a value is read; what is wrong goes to the place, and `BAD` comes back."""

    def read(self, value: Any, at: Place) -> T:
        """The value of the library."""
        raise NotImplementedError

    def schema(self, definitions: dict[str, Schema]) -> Schema:
        """JSON Schema of the value; tables are put into `definitions`."""
        raise NotImplementedError


class Value(ValueKind[T]):
    """One value, converted by a function that raises `InputError`; the field of the error is seen from here."""

    def __init__(self, convert: Callable[[Any], T], schema: Schema) -> None:
        self.convert, self._schema = convert, schema

    def read(self, value: Any, at: Place) -> T:
        return attempt(at, self.convert, value)

    def schema(self, definitions: dict[str, Schema]) -> Schema:
        return self._schema


class FileName(ValueKind[T]):
    """The name of something outside the document, found by a function that is given the document's folder too."""

    def __init__(self, find: Callable[[Any, Path], T]) -> None:
        self.find = find

    def read(self, value: Any, at: Place) -> T:
        return attempt(at, self.find, value, at.reading.folder)

    def schema(self, definitions: dict[str, Schema]) -> Schema:
        return {"type": "string"}


class Field(NamedTuple):
    """A key of a table: its kind, whether it must be there, and a sentence about it."""

    kind: ValueKind[Any]
    needed: bool = False
    about: str = ""


def need(kind: ValueKind[Any], about: str = "") -> Field:
    """A key that must be there."""
    return Field(kind, True, about)


def each(field: ValueKind[Any] | Field, *names: str) -> dict[str, Any]:
    """Several keys alike."""
    return dict.fromkeys(names, field)


class Keyed(ValueKind[T]):
    """A table of keys: its fields by name (a bare kind is an optional field), and what is built from those given."""

    def __init__(
        self,
        name: str,
        fields: Mapping[str, ValueKind[Any] | Field],
        build: Callable[..., T] = dict,
    ) -> None:  # type: ignore[assignment]
        self.name, self.build = name, build
        self.fields = {key: f if isinstance(f, Field) else Field(f) for key, f in fields.items()}

    def read(self, value: Any, at: Place, tag: tuple[str, ...] = ()) -> T:
        if not isinstance(value, dict):
            at.wrong(value, "must be a table")
            return BAD
        before = at.reading.count
        for key in value:
            if key not in self.fields and key not in tag:
                at.unknown(key, (*tag, *self.fields))
        given: dict[str, Any] = {}
        for name, field in self.fields.items():
            if name in value:
                given[name] = field.kind.read(value[name], at[name])
            elif field.needed:
                at[name].report("is missing")
        return BAD if at.reading.count > before else attempt(at, self.build, **given)

    def schema(self, definitions: dict[str, Schema]) -> Schema:
        if self.name not in definitions:
            definitions[self.name] = {}  # a table may hold itself
            properties = {
                key: field.kind.schema(definitions)
                | ({"description": field.about} if field.about else {})
                for key, field in self.fields.items()
            }
            required = [key for key, field in self.fields.items() if field.needed]
            definitions[self.name] |= {
                "type": "object",
                "title": self.name,
                "description": (self.build.__doc__ or "").partition("\n")[0],
                "additionalProperties": False,
                "properties": properties,
                "required": required,
            }
        return {"$ref": f"#/$defs/{self.name}"}


class Tagged(ValueKind[Any]):
    """One of several tables, chosen by the text under `key`."""

    def __init__(self, key: str, tables: Mapping[str, Keyed[Any]]) -> None:
        self.key, self.tables = key, tables

    def read(self, value: Any, at: Place) -> Any:
        if not isinstance(value, dict):
            at.wrong(value, "must be a table")
            return BAD
        kind = value.get(self.key)
        if not isinstance(kind, str) or kind not in self.tables:
            at[self.key].wrong(
                kind, f"{did_you_mean(kind, self.tables)}must be one of {', '.join(self.tables)}"
            )
            return BAD
        return self.tables[kind].read(value, at, (self.key,))

    def schema(self, definitions: dict[str, Schema]) -> Schema:
        found = []
        for kind, table in self.tables.items():
            found.append(table.schema(definitions))
            properties = definitions[table.name].setdefault("properties", {})
            definitions[table.name]["properties"] = {
                self.key: {"const": kind, "type": "string"},
                **properties,
            }
        return {"anyOf": found}


class Named(ValueKind[dict[str, Any]]):
    """A table of things by name, in the order of the document: all of one kind, or each name with its own."""

    def __init__(self, kinds: ValueKind[Any] | Mapping[str, ValueKind[Any]]) -> None:
        self.kinds = kinds

    def read(self, value: Any, at: Place) -> dict[str, Any]:
        if not isinstance(value, dict):
            at.wrong(value, "must be a table")
            return BAD
        found = {}
        for name, item in value.items():
            kind = self.kinds if isinstance(self.kinds, ValueKind) else self.kinds.get(name)
            if kind is not None:
                found[name] = kind.read(item, at[name])
            elif not isinstance(self.kinds, ValueKind):
                at.unknown(name, self.kinds)
        return found

    def schema(self, definitions: dict[str, Schema]) -> Schema:
        if isinstance(self.kinds, ValueKind):
            return {"type": "object", "additionalProperties": self.kinds.schema(definitions)}
        properties = {name: kind.schema(definitions) for name, kind in self.kinds.items()}
        return {"type": "object", "additionalProperties": False, "properties": properties}


class Either(ValueKind[Any]):
    """A table, or something shorter that is none."""

    def __init__(self, table: ValueKind[Any], other: ValueKind[Any]) -> None:
        self.table, self.other = table, other

    def read(self, value: Any, at: Place) -> Any:
        return (self.table if isinstance(value, dict) else self.other).read(value, at)

    def schema(self, definitions: dict[str, Schema]) -> Schema:
        return {"anyOf": [self.table.schema(definitions), self.other.schema(definitions)]}


class Many(ValueKind[list[Any]]):
    """A list of at least `least` items of one kind."""

    def __init__(self, item: ValueKind[Any], allowed: str, least: int = 0) -> None:
        self.item, self.allowed, self.least = item, allowed, least

    def read(self, value: Any, at: Place) -> list[Any]:
        if (
            not isinstance(value, list)
            or len(value) < self.least
            or not all(isinstance(x, dict) for x in value)
        ):
            at.wrong(value, self.allowed)
            return BAD
        return [self.item.read(x, at[i]) for i, x in enumerate(value)]

    def schema(self, definitions: dict[str, Schema]) -> Schema:
        return {"type": "array", "items": self.item.schema(definitions), "minItems": self.least}


def attempt(at: Place, make: Callable[..., T], *args: Any, **given: Any) -> T:
    """``make(...)``; what it refuses is reported at the place."""
    try:
        return make(*args, **given)
    except GoughError as error:
        at.refuse(error)
        return BAD


def read_document(kind: ValueKind[T], text: str, label: str, folder: Path | None = None) -> T:
    """The object that the TOML `text` describes, or one `DocumentError` with everything wrong with it."""
    data = parse_toml(text, label)
    reading = Reading(label, text, folder)
    return reading.finish(kind.read(data, reading.root))


def shown(value: object) -> str:
    """A value as a message shows it, shortened."""
    text = repr(value[:20] if isinstance(value, (list, str)) and len(value) > 100 else value)
    return text if len(text) <= 80 else text[:77] + "..."
