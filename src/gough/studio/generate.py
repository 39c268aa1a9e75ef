"""Writes web/src/messages.js from messages.py: ``python -m gough.studio.generate``."""

from __future__ import annotations

import dataclasses
import inspect
import json
import types
import typing
from pathlib import Path
from typing import Any, Union

from gough.storage import write_whole
from gough.studio import messages

TARGET = Path(__file__).parent / "web" / "src" / "messages.js"


def source() -> str:
    """The text of messages.js."""
    parts = [
        "// Written by `python -m gough.studio.generate` from messages.py; do not edit.\n",
        f"export const PROTOCOL = {messages.PROTOCOL};\n",
    ]
    nested = (messages.Numbering, messages.PoseInput, messages.Payload)
    parts += [_typedef(cls) for cls in (*nested, *messages.REQUESTS, *messages.ANSWERS)]
    parts += [_builder(cls) for cls in messages.REQUESTS]
    names = [cls.__name__ for cls in messages.ANSWERS]
    parts.append(f"export const ANSWERS = {json.dumps(names)};\n")
    return "\n".join(parts)


def _typedef(cls: type) -> str:
    hints = typing.get_type_hints(cls)
    doc = (inspect.getdoc(cls) or "").splitlines()[0]
    lines = [f" * @typedef {{Object}} {cls.__name__} {doc}"]
    for f in dataclasses.fields(cls):
        name = f.name if _required(f) else f"[{f.name}]"
        lines.append(f" * @property {{{_js(hints[f.name])}}} {name}")
    return "/**\n" + "\n".join(lines) + "\n */\n"


def _builder(cls: type) -> str:
    names = [f.name for f in dataclasses.fields(cls)]
    return (
        f"/** @returns {{{cls.__name__}}} */\n"
        f"export function {cls.__name__[0].lower()}{cls.__name__[1:]}({{ {', '.join(names)} }}) {{\n"
        f"  return {{ type: {json.dumps(cls.__name__)}, {', '.join(names)} }};\n}}\n"
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
        Any: "any",
    }
    if hint in simple:
        return simple[hint]
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin in (Union, types.UnionType):
        return "|".join(_js(a) for a in args)
    if origin is tuple:
        return f"Array<{_js(args[0])}>"
    if origin is dict:
        return f"Object<string, {_js(args[1])}>"
    return hint.__name__


def main() -> None:
    """Write the file."""
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    write_whole(TARGET, source())


if __name__ == "__main__":
    main()
