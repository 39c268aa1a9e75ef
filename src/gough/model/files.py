"""Machine files: TOML in and out, presets, and errors that name the key and the line.

A machine written and read again is the same to the last bit.  The format: docs/machine-files.md.
"""

from __future__ import annotations

import os
from importlib import resources
from pathlib import Path

from gough.checks import InputError
from gough.documents.source import DocumentError, did_you_mean, parse_toml, read_text
from gough.model.body import collected_warnings, model_warning
from gough.model.document import json_schema as json_schema
from gough.model.document import parse
from gough.model.platform import Platform
from gough.model.writing import dumps as dumps
from gough.storage import write_whole

LARGEST = 1_000_000  # bytes; a machine file has a few thousand
MachineFileError = DocumentError


def load(name_or_path: str | os.PathLike[str]) -> Platform:
    """A machine from a preset name (`presets` lists them) or the path of a TOML file.

    All errors of a file are reported at once in one `MachineFileError` (an `InputError`).

    >>> platform = gough.load("positioner-300")
    >>> platform.name, platform.kinds[0]
    ('positioner-300', 'UPS')
    """
    text, label = _read(name_or_path)
    return _load(text, label)


def loads(text: str) -> Platform:
    """A machine from TOML text.

    >>> platform = gough.load("positioner-300")
    >>> gough.loads(gough.dumps(platform)).name
    'positioner-300'
    """
    return _load(text, "text")


def save(platform: Platform, path: str | os.PathLike[str]) -> Path:
    """Write `platform` as TOML; the file appears complete or not at all.

    >>> platform = gough.load("positioner-300")
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     gough.load(gough.save(platform, folder + "/mine.toml")) == platform
    True
    """
    return write_whole(path, dumps(platform))


def presets() -> list[str]:
    """Names of the machines that ship with gough.

    >>> "motion-base-1500" in gough.presets()
    True
    """
    folder = resources.files("gough.model") / "presets"
    names = [entry.name for entry in folder.iterdir()]
    return sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml"))


def preset_summary(name: str) -> str:
    """One line about a preset: its title and leg types.

    >>> print(gough.preset_summary("positioner-300"))
    6-UPS: Precision hexapod positioner, 300 mm base (a representative design, not a product)
    """
    data = parse_toml(_preset_text(name), name)
    title = data.get("source", {}).get("title", "")
    kinds = {leg.get("type", data.get("leg_defaults", {}).get("type")) for leg in data["legs"]}
    driven = sum("fixed" not in leg for leg in data["legs"])
    fixed = "" if driven == 6 else f" and {6 - driven} fixed"
    return f"{driven}-{'/'.join(sorted(kinds))}{fixed}: {title}"


def _load(text: str, label: str) -> Platform:
    with collected_warnings() as about_machine:
        platform, notes = parse(text, label)
    for note in [*notes, *about_machine]:
        model_warning(f"{platform.name or label}: {note}")
    return platform


def _preset_text(name: str) -> str:
    if name not in presets():
        raise InputError("preset", name, _suggest_preset(name))
    return (resources.files("gough.model") / "presets" / f"{name}.toml").read_text(encoding="utf-8")


def _suggest_preset(name: str) -> str:
    return f"{did_you_mean(name, presets())}neither a file nor a preset; presets are " + ", ".join(
        presets()
    )


def _read(name_or_path: str | os.PathLike[str]) -> tuple[str, str]:
    """Text of the machine and how to call it in messages."""
    if not isinstance(name_or_path, (str, os.PathLike)) or not os.fspath(name_or_path):
        raise InputError(
            "machine", name_or_path, "must be a preset name or the path of a TOML file"
        )
    label = os.fspath(name_or_path)
    if isinstance(name_or_path, str) and name_or_path in presets():
        return _preset_text(name_or_path), name_or_path
    if "\0" in label or not os.path.exists(label):
        gone = "no such file; " if Path(label).suffix or Path(label).name != label else ""
        raise InputError("machine", label, gone + _suggest_preset(label))
    return read_text(label, "machine", LARGEST), label
