"""The folder the user opened: the only files the studio reads or writes.

A name is joined, resolved, and must still lie inside; links are refused wherever they point, hidden files, foreign
endings and characters that cannot be seen (controls, marks of direction) too.  No sentence names the folder's place.
"""

from __future__ import annotations

import os
import stat
import unicodedata
from pathlib import Path

from gough.checks import InputError
from gough.system import open_file

ENDINGS = {
    "machine": (".toml",),
    "readings": (".toml",),
    "table": (".csv",),
    "telemetry": (".csv",),
    "trajectory": (".toml", ".csv", ".nc"),
}
MOST_FILES = 500
LARGEST = 20_000_000  # bytes
LONGEST = 255  # bytes of a name
UNSEEN = (
    "Cc",
    "Cf",
    "Cs",
    "Co",
    "Cn",
    "Zl",
    "Zp",
)  # kinds of characters (Unicode) that no name may have


class WorkFolder:
    """Files of one folder and its subfolders, by their relative names."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.root = Path(path).resolve(strict=True)
        if not self.root.is_dir():
            raise InputError("folder", str(path), "must be a folder")

    def files(self) -> tuple[dict[str, str], ...]:
        """What can be opened: name and kind, at most `MOST_FILES`, two levels deep, sorted."""
        found: list[dict[str, str]] = []
        for folder, folders, names in os.walk(self.root):
            here = Path(folder).relative_to(self.root)
            folders[:] = sorted(f for f in folders if not f.startswith(".") and f != "node_modules")
            if len(here.parts) >= 2:
                folders[:] = []
            for name in sorted(names):
                path = Path(folder) / name
                if (
                    name.startswith(".")
                    or not _seen((here / name).as_posix())
                    or path.is_symlink()
                    or path.suffix.lower() not in ENDINGS["trajectory"]
                    or not path.is_file()  # a pipe would hold the reader up, a socket cannot be opened
                ):
                    continue
                found.append({"name": (here / name).as_posix(), "kind": _kind(path)})
                if len(found) >= MOST_FILES:
                    return tuple(found)
        return tuple(found)

    def resolve(self, name: str, *, kind: str = "machine") -> Path:
        """The path of `name` inside the folder, or `InputError` with the reason."""
        if not _seen(name) or any(c in '\\:*?"<>|' for c in name):
            raise InputError("name", name, "must be a plain file name inside the work folder")
        if any(part.startswith(".") for part in name.split("/")) or name.startswith("/"):
            raise InputError(
                "name", name, "must be inside the work folder, without '..' and hidden names"
            )
        if Path(name).suffix.lower() not in ENDINGS[kind]:
            raise InputError("name", name, "must end with " + " or ".join(ENDINGS[kind]))
        path = self.root / name
        steps = [path, *path.parents]
        try:
            linked = any(step.is_symlink() for step in steps[: steps.index(self.root)])
            resolved = path.resolve()
        except OSError as error:
            raise InputError("name", name, f"cannot be looked for: {error.strerror}") from None
        if linked:
            raise InputError("name", name, "is or passes through a link; links are not followed")
        if not resolved.is_relative_to(self.root):
            raise InputError("name", name, "must be inside the work folder")
        return resolved

    def file(self, name: str, *, kind: str = "machine") -> Path:
        """The path of a plain file of the folder that is not too large, or `InputError`."""
        path = self.resolve(name, kind=kind)
        try:
            about = path.stat()
        except OSError:
            about = None
        if about is None or not stat.S_ISREG(about.st_mode):
            raise InputError("name", name, "no such file in the work folder")
        if about.st_size > LARGEST:
            raise InputError("name", name, f"is larger than {LARGEST} bytes")
        return path

    def read(self, name: str, *, kind: str = "machine") -> str:
        """The text of a file of the folder."""
        path = self.file(name, kind=kind)
        try:
            # a pipe put in its place meanwhile does not hold us up
            handle = open_file(path, os.O_RDONLY, links=False, wait=False)
            with os.fdopen(handle, encoding="utf-8-sig") as file:
                return file.read(LARGEST + 1)
        except OSError as error:
            raise InputError("name", name, f"cannot be read: {error.strerror}") from None
        except UnicodeDecodeError:
            raise InputError("name", name, "is not text in UTF-8") from None

    def target(self, name: str, *, overwrite: bool) -> Path:
        """Where to write `name`; an existing file only with `overwrite`."""
        path = self.resolve(name)
        if not path.parent.is_dir():
            raise InputError("name", name, "its folder does not exist")
        if path.exists() and not overwrite:
            raise InputError("name", name, "exists already; ask for overwriting to replace it")
        return path


def _seen(name: str) -> bool:
    """A name that a file can have and a reader can see."""
    whole = all(unicodedata.category(c) not in UNSEEN for c in name)
    return bool(name) and whole and len(name.encode()) <= LONGEST


def _kind(path: Path) -> str:
    """A TOML file with a [trajectory] table, and every table of samples, is a trajectory; with [encoders]: readings."""
    if path.suffix.lower() != ".toml":
        return "trajectory"
    try:
        with path.open("rb") as file:
            head = file.read(65536)
    except OSError:
        return "machine"
    if b"[trajectory]" in head:
        return "trajectory"
    return "readings" if b"[encoders]" in head else "machine"
