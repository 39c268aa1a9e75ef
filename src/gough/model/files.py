"""Machine files: TOML in and out, presets, and errors that name the key and the line.

A machine written and read again is the same to the last bit.  The format: docs/machine-files.md.
"""

from __future__ import annotations

import contextlib
import difflib
import os
import tempfile
import tomllib
import warnings
from importlib import resources
from pathlib import Path
from typing import Any

from gough.checks import InputError
from gough.model.body import ModelWarning, collected_warnings
from gough.model.parsing import MachineFileError, Problem, parse
from gough.model.platform import Platform
from gough.model.writing import dumps as dumps

LARGEST = 1_000_000  # bytes; a machine file has a few thousand


def load(name_or_path: str | os.PathLike[str]) -> Platform:
    """A machine from a preset name (`presets` lists them) or the path of a TOML file.

    All errors of a file are reported at once in one `MachineFileError` (an `InputError`).
    """
    text, label = _read(name_or_path)
    return _load(text, label)


def loads(text: str) -> Platform:
    """A machine from TOML text."""
    return _load(text, "text")


def save(platform: Platform, path: str | os.PathLike[str]) -> Path:
    """Write `platform` as TOML; the file appears complete or not at all."""
    target = Path(path)
    text = dumps(platform)
    if target.is_dir():
        raise InputError("path", str(target), "is a folder; give the name of a file")
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
    except OSError as error:
        raise InputError("path", str(target), f"cannot be written: {error.strerror}") from error
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, _mode(target))
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    return target


def presets() -> list[str]:
    """Names of the machines that ship with gough."""
    folder = resources.files("gough.model") / "presets"
    names = [entry.name for entry in folder.iterdir()]
    return sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml"))


def preset_summary(name: str) -> str:
    """One line about a preset: its title and leg types."""
    data = tomllib.loads(_preset_text(name))
    title = data.get("source", {}).get("title", "")
    kinds = {leg.get("type", data.get("leg_defaults", {}).get("type")) for leg in data["legs"]}
    return f"6-{'/'.join(sorted(kinds))}: {title}"


def json_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of a machine file, for completion and checking in editors."""
    from gough.model.parsing import json_schema as build

    return build()


def _load(text: str, label: str) -> Platform:
    with collected_warnings() as about_machine:
        platform, notes = parse(text, label)
    for note in [*notes, *about_machine]:
        warnings.warn(f"{platform.name or label}: {note}", ModelWarning, stacklevel=3)
    return platform


def _mode(target: Path) -> int:
    """Permissions of the file replaced, or what a new file of this process would get."""
    try:
        return target.stat().st_mode & 0o777
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


def _preset_text(name: str) -> str:
    if name not in presets():
        raise InputError("preset", name, _suggest_preset(name))
    return (resources.files("gough.model") / "presets" / f"{name}.toml").read_text(encoding="utf-8")


def _suggest_preset(name: str) -> str:
    near = difflib.get_close_matches(name, presets(), 1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    return f"{hint}neither a file nor a preset; presets are " + ", ".join(presets())


def _read(name_or_path: str | os.PathLike[str]) -> tuple[str, str]:
    """Text of the machine and how to call it in messages."""
    if not isinstance(name_or_path, (str, os.PathLike)) or not os.fspath(name_or_path):
        raise InputError("machine", name_or_path, "must be a preset name or the path of a TOML file")
    label = os.fspath(name_or_path)
    if isinstance(name_or_path, str) and name_or_path in presets():
        return _preset_text(name_or_path), name_or_path
    path = Path(label)
    try:
        if not path.exists():
            raise InputError("machine", label, _suggest_preset(label))
        if not path.is_file():
            raise InputError("machine", label, "is not a file")
        with path.open("rb") as file:
            raw = file.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError("machine", label, f"cannot be read: {error}") from error
    if len(raw) > LARGEST:
        raise InputError("machine", label, f"is larger than {LARGEST} bytes: not a machine file")
    try:
        return raw.decode("utf-8-sig"), label
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise MachineFileError(label, [Problem("", "is not UTF-8 text", line)]) from None
