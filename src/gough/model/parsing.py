"""From TOML text to a Platform, collecting every problem with its key path and line."""

from __future__ import annotations

import copy
import difflib
import re
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

from gough.checks import InputError
from gough.model.platform import Platform

if TYPE_CHECKING:
    from pydantic import ValidationError

    from gough.model.schema import LegTable, Table

Path = tuple[str | int, ...]
_DEEPEST = 20  # levels; a machine file needs six
_DOTTED = re.compile(r"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){20}""")


@dataclass(frozen=True)
class Problem:
    """One thing wrong with a machine file: key path such as ``legs[2].axis``, sentence, line if known."""

    path: str
    message: str
    line: int | None = None

    def __str__(self) -> str:
        where = f"line {self.line}: " if self.line else ""
        return f"{where}{self.path}: {self.message}" if self.path else f"{where}{self.message}"


class MachineFileError(InputError):
    """A machine file that cannot be used; `problems` lists everything wrong with it."""

    def __init__(self, label: str, problems: list[Problem]) -> None:
        self.problems = tuple(problems)
        count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
        super().__init__(label, count, "must be a machine file")
        self.args = (f"{label}: {count}\n" + "\n".join(f"  {p}" for p in problems),)

    def __reduce__(self) -> tuple[Any, ...]:
        return MachineFileError, (self.field, list(self.problems))


def parse(text: str, label: str) -> tuple[Platform, list[str]]:
    """The machine described by `text`, and remarks about its bodies; `label` names it in errors."""
    data = _toml(text, label)
    lines = _Lines(text)
    problems: list[Problem] = []
    notes: list[str] = []

    def report(path: Path, message: str) -> None:
        problem = Problem(_spell(path), message, lines.find(path))
        if problem not in problems:
            problems.append(problem)

    from gough.model.schema import HeadTable

    head_data = {k: v for k, v in data.items() if k not in ("legs", "leg_defaults")}
    head = _validate(HeadTable, head_data, lambda path: path, report, extra_keys=("legs", "leg_defaults"))
    legs = _legs(data, report)
    if problems or head is None:
        raise MachineFileError(label, sorted(problems, key=lambda p: (p.line or 0)))
    _note(notes, [("body", head.body)], "")  # type: ignore[attr-defined]
    for group in ("lower", "upper", "link", "crank"):
        named = [(f"legs[{i}]", getattr(leg, group, None)) for i, leg in enumerate(legs)]
        _note(notes, [(where, body) for where, body in named if body is not None], f".{group}")
    given = {k: v for k, v in head.given().items() if k != "format"}
    return Platform(legs=[leg.built for leg in legs], **given), notes


def _toml(text: str, label: str) -> dict[str, Any]:
    too_deep = Problem("", f"tables or lists are nested more than {_DEEPEST} deep")
    if _DOTTED.search(text):  # tomllib takes quadratic time for these
        raise MachineFileError(label, [too_deep])
    try:
        data = tomllib.loads(text)
    except RecursionError:
        raise MachineFileError(label, [too_deep]) from None
    except ValueError as error:  # TOMLDecodeError, and integers with too many digits
        found = re.search(r"\(at line (\d+), column \d+\)", str(error))
        line = int(found[1]) if found else None
        reason = str(error) if isinstance(error, tomllib.TOMLDecodeError) else "a number has too many digits"
        raise MachineFileError(label, [Problem("", f"is not TOML: {reason}", line)]) from None
    level: list[Any] = [data]  # dotted keys nest without recursion in tomllib, so depth is checked here again
    for _ in range(_DEEPEST):
        level = [x for item in level for x in (item.values() if isinstance(item, dict) else item)
                 if isinstance(x, (dict, list))]
    if level:
        raise MachineFileError(label, [too_deep])
    return data


def _note(notes: list[str], bodies: list[tuple[str, Any]], suffix: str) -> None:
    """One sentence per distinct warning, with all the bodies it is about."""
    about: dict[str, list[str]] = {}
    for where, table in bodies:
        for text in table.warnings:
            about.setdefault(text, []).append(where + suffix)
    for text, places in about.items():
        if len(places) == 6 and suffix:
            places = [f"{suffix[1:]} body of every leg"]
        notes.append(f"{', '.join(places)}: {text}")


def _legs(data: dict[str, Any], report: Any) -> list[LegTable]:
    from gough.model.schema import LEG_TABLES

    raw, defaults = data.get("legs"), data.get("leg_defaults", {})
    if not isinstance(defaults, dict):
        report(("leg_defaults",), "must be a table")
        defaults = {}
    every = sorted({name for table in LEG_TABLES.values() for name in table.model_fields})
    for key in defaults:
        if key not in every:
            report(("leg_defaults", key), _unknown(key, every))
    if not isinstance(raw, list) or not all(isinstance(leg, dict) for leg in raw):
        report(("legs",), "must be six tables, each under its own [[legs]]")
        return []
    if len(raw) != 6:
        report(("legs",), f"got {len(raw)}; must be exactly six")
    legs: list[LegTable] = []
    for i, leg in enumerate(raw):
        kind = leg.get("type", defaults.get("type"))
        if not isinstance(kind, str) or kind not in LEG_TABLES:
            shared = "type" in defaults and "type" not in leg
            report(("leg_defaults", "type") if shared else ("legs", i, "type"),
                   f"got {kind!r}; must be one of UPS, SPS, PUS, RUS")
            continue
        table = LEG_TABLES[kind]
        merged = _merge({k: v for k, v in defaults.items() if k in table.model_fields}, leg)
        made = _validate(table, merged, _origin(i, leg, defaults), report)
        if made is not None:
            legs.append(made)  # type: ignore[arg-type]
    return legs


def _merge(defaults: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """`own` over `defaults`, tables merged key by key."""
    merged = dict(defaults)
    for key, value in own.items():
        old = merged.get(key)
        merged[key] = _merge(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return merged


def _origin(i: int, leg: dict[str, Any], defaults: dict[str, Any]) -> Any:
    """Where a key of the merged leg was written: in the leg, or in leg_defaults."""

    def origin(path: Path) -> Path:
        own = _depth(leg, path)
        return ("leg_defaults", *path) if _depth(defaults, path) > own else ("legs", i, *path)

    return origin


def _depth(data: Any, path: Path) -> int:
    """How many steps of `path` exist in `data`."""
    for n, key in enumerate(path):
        if isinstance(data, dict) and key in data:
            data = data[key]
        else:
            return n
    return len(path)


# Values that let the checks go on past a bad required key, so that all errors of a file come at once.
_STAND_INS: dict[str, Any] = {
    "base": [0.0, 0.0, 0.0], "joint": [0.0, 0.0, 0.0], "axis": [1.0, 0.0, 0.0], "rail": [0.0, 0.0, 1.0],
    "shaft": [0.0, 0.0, 1.0], "arm": [1.0, 0.0, 0.0], "length": 1.0, "mass": 1.0,
    "position": [0.0, 0.0, 0.0], "body": {"mass": 1.0},
}
_TOGETHER = ("ratio", "transmission", "gear", "lead", "pinion_radius", "pulley_radius")  # judged as one
_ROUNDS = 50


def _validate(table: type[Table], data: dict[str, Any], origin: Any, report: Any,
              extra_keys: tuple[str, ...] = ()) -> Table | None:
    """The validated table, or None after reporting everything wrong with it."""
    from pydantic import ValidationError

    data = copy.deepcopy(data)
    failed = False
    for _ in range(_ROUNDS):
        try:
            made = table.model_validate(data)
        except ValidationError as error:
            failed = True
            for path, message in _messages(table, error, extra_keys):
                report(origin(path), message)
                _repair(data, path)
        else:
            return None if failed else made
    return None


def _repair(data: dict[str, Any], path: Path) -> None:
    """Take the bad key at `path` out, or put a harmless value in its place."""
    if path[-1] in _TOGETHER:
        path = path[:-1]
    *outer, last = path[: next((n for n, key in enumerate(path) if isinstance(key, int)), len(path))]
    for key in outer:
        inner = data.get(str(key))
        if not isinstance(inner, dict):
            return
        data = inner
    data.pop(str(last), None)
    if last in _STAND_INS:
        data[str(last)] = copy.deepcopy(_STAND_INS[str(last)])


def _messages(
    table: type[Table], error: ValidationError, extra_keys: tuple[str, ...]
) -> list[tuple[Path, str]]:
    """Key path and sentence of every error pydantic found."""
    found: list[tuple[Path, str]] = []
    for item in error.errors(include_url=False):
        path: Path = item["loc"]
        cause = item.get("ctx", {}).get("error")
        if item["type"] == "extra_forbidden":
            allowed = [*_keys_at(table, path[:-1]), *(extra_keys if len(path) == 1 else ())]
            found.append((path, _unknown(str(path[-1]), allowed)))
        elif isinstance(cause, InputError):
            inner, index = _split(cause.field)
            found.append(((*path, *inner), f"{index}got {_shown(cause.value)}; {cause.allowed}"))
        elif item["type"] == "missing":
            found.append((path, "is missing"))
        elif item["type"] in ("model_type", "model_attributes_type", "dict_type"):
            found.append((path, f"got {_shown(item['input'])}; must be a table"))
        else:
            text = item["msg"].removeprefix("Input ").replace("valid ", "")
            found.append((path, f"got {_shown(item['input'])}; {text}"))
    return found


def _split(field: str) -> tuple[Path, str]:
    """A field named inside a table as key path; an index stays in the sentence."""
    names, _, index = field.partition("[")
    return tuple(n for n in names.split(".") if n), f"[{index}: " if index else ""


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def _unknown(key: str, allowed: Any) -> str:
    names = [str(name) for name in allowed]
    near = difflib.get_close_matches(key, names, 1)
    hint = f"did you mean {near[0]}? " if near else ""
    return f"unknown key; {hint}allowed: {', '.join(names)}"


def _keys_at(table: type[Table], path: Path) -> list[str]:
    """Keys of the (nested) table at `path`."""
    from gough.model.schema import Table as Base

    current: type[Table] = table
    for key in path:
        annotation = current.model_fields[str(key)].annotation
        options = [annotation, *get_args(annotation)]
        current = next(t for t in options if isinstance(t, type) and issubclass(t, Base))
    return list(current.model_fields)


def _spell(path: Path) -> str:
    text = ""
    for key in path:
        text += f"[{key}]" if isinstance(key, int) else (f".{key}" if text else str(key))
    return text


class _Lines:
    """Line numbers of keys, by a light scan of the text (tomllib gives none)."""

    _header = re.compile(r"\s*(\[\[?)\s*([A-Za-z0-9_.\- \"]+?)\s*\]\]?")
    _key = re.compile(r"\s*([A-Za-z0-9_\-.]+)\s*=")

    def __init__(self, text: str) -> None:
        self.at: dict[Path, int] = {}
        counts: dict[Path, int] = {}
        table: Path = ()
        inside = ""  # the delimiter of a multi-line string
        for number, line in enumerate(text.splitlines(), 1):
            if inside:
                inside = "" if inside in line else inside
                continue
            header, key = self._header.match(line), self._key.match(line)
            if header:
                table = self._table(header[2], header[1] == "[[", counts)
                self.at.setdefault(table, number)
                self.at.setdefault(table[:1], number)
            elif key:
                self.at.setdefault((*table, *key[1].split(".")), number)
            for mark in ('"""', "'''"):
                if line.count(mark) % 2:
                    inside = mark

    @staticmethod
    def _table(name: str, is_array: bool, counts: dict[Path, int]) -> Path:
        path: Path = ()
        parts = [part.strip().strip('"') for part in name.split(".")]
        for n, part in enumerate(parts):
            path = (*path, part)
            if is_array and n == len(parts) - 1:
                counts[path] = counts.get(path, -1) + 1
            if path in counts:
                path = (*path, counts[path])
        return path

    def find(self, path: Path) -> int | None:
        """Line of the key, or of the nearest table around it."""
        for n in range(len(path), 0, -1):
            if path[:n] in self.at:
                return self.at[path[:n]]
        return None


def json_schema() -> dict[str, Any]:
    """JSON Schema of a machine file (see `gough.model.files.json_schema`)."""
    from pydantic.json_schema import models_json_schema

    from gough.model.schema import LEG_TABLES, HeadTable

    tables: list[Any] = [HeadTable, *LEG_TABLES.values()]
    refs, shared = models_json_schema([(t, "validation") for t in tables], title="gough machine file",
                                      ref_template="#/$defs/{model}")
    definitions = shared["$defs"]
    head = definitions.pop("HeadTable")
    for table in LEG_TABLES.values():  # any key of a leg may come from leg_defaults
        definitions[table.__name__].pop("required", None)
    legs = {"anyOf": [refs[(table, "validation")] for table in LEG_TABLES.values()]}
    head["properties"]["leg_defaults"] = {**legs, "description": "Keys shared by all legs"}
    head["properties"]["legs"] = {"type": "array", "items": legs, "minItems": 6, "maxItems": 6}
    head["required"] = [*head.get("required", []), "legs"]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **head,
            "title": "gough machine file", "$defs": definitions}
