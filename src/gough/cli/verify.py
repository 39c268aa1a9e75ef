"""verify: is a file whole?"""

from __future__ import annotations

from pathlib import Path

from gough.checks import InputError
from gough.cli.app import command
from gough.cli.console import answer, say


@command()
def verify(file: Path, as_json: bool = False) -> None:
    """Say whether a file is whole: by its seal before any of it is used, else by reading it."""
    answer(
        {"file": str(file), "found": found(file)}, as_json, lambda it: say(f"{file}: {it['found']}")
    )


def found(file: Path) -> str:
    """What speaks for the file; `InputError` where something speaks against it."""
    from gough.documents.source import parse_toml, read_text
    from gough.storage import unsealed
    from gough.trajectory import recorded

    if not file.exists():
        raise InputError("file", str(file), "no such file")
    if file.suffix == ".toml":
        parse_toml(read_text(file, "document", 10_000_000), str(file))
        return "readable TOML; it carries no checksum"
    if unsealed(file)[1]:
        return "whole: its checksum fits"
    if file.suffix in (".npz", ".parquet"):
        raise InputError(
            "path", str(file), "has no checksum: its end is lost, or another program wrote it"
        )
    recorded(file)
    return "readable as a motion; it carries no checksum"
