"""Writes web/src/messages.js from messages.py, with its types: ``python -m gough.studio.generate``."""

from __future__ import annotations

import dataclasses
import inspect
import json
import textwrap
import types
import typing
from pathlib import Path
from typing import Annotated, Any, Union

from gough.storage import write_whole
from gough.studio import calibration_messages, cueing_messages, messages

WIDTH = 120  # characters of a line
TARGET = Path(__file__).parent / "web" / "src" / "messages.js"


def source() -> str:
    """The text of messages.js."""
    parts = [
        "// Written by `python -m gough.studio.generate` from messages.py; do not edit.\n",
        f"export const PROTOCOL = {messages.PROTOCOL};\n",
    ]
    nested = (
        *(messages.Numbering, messages.PoseInput, messages.Payload),
        *(messages.CueParameter, messages.CueInput),
        *calibration_messages.PARTS,
    )
    parts += [
        _typedef(cls) for cls in (*nested, *cueing_messages.REQUESTS, *cueing_messages.ANSWERS)
    ]
    parts += [_builder(cls) for cls in cueing_messages.REQUESTS]
    return "\n".join(parts)


def _typedef(cls: type) -> str:
    hints = typing.get_type_hints(cls, include_extras=True)
    doc = (inspect.getdoc(cls) or "").splitlines()[0]
    lines = [*textwrap.wrap(doc, WIDTH - 3), f"@typedef {{Object}} {cls.__name__}"]
    for f in dataclasses.fields(cls):
        name = f.name if _required(f) else f"[{f.name}]"
        lines.append(f"@property {{{_js(hints[f.name])}}} {name}")
    return "/**\n" + "".join(f" * {line}\n" for line in lines) + " */\n"


def _builder(cls: type) -> str:
    name, names = cls.__name__, [f.name for f in dataclasses.fields(cls)]
    listed = "".join(f"  {n},\n" for n in names)
    given = ", ".join(names)
    short = len(given) < WIDTH - 60
    return (
        f"/**\n * @param {{{name}}} fields\n"
        f' * @returns {{{name} & {{ type: "{name}" }}}}\n */\n'
        f"export function {name[0].lower()}{name[1:]}("
        + (f"{{ {given} }}" if short else f"{{\n{listed}}}")
        + f") {{\n  return {{ type: {json.dumps(name)}, "
        + (given if short else "\n    " + ",\n    ".join(names) + ",\n ")
        + " };\n}\n"
    )


def _required(f: Any) -> bool:
    return f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING


def _js(hint: Any) -> str:
    simple = {
        float: "number",
        int: "number",
        str: "string",
        bool: "boolean",
        type(None): "null",
        Any: "unknown",
    }
    if hint in simple:
        return simple[hint]
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is Annotated:
        return f'import("./types.d.ts").{args[1]}'
    if origin in (Union, types.UnionType):
        return "|".join(_js(a) for a in args)
    if origin is tuple:
        return f"Array<{_js(args[0])}>"
    if origin is dict:
        return f"Record<string, {_js(args[1])}>"
    return hint.__name__


def main() -> None:
    """Write the file."""
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    write_whole(TARGET, source())


if __name__ == "__main__":
    main()
