"""Checkpoints of long runs: a folder of finished pieces, each written whole or not at all.

A killed run continues after its last piece and gives the same numbers to the last bit, because a run is the same
sequence of kernel calls however often it is interrupted.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from gough.checks import Array, InputError
from gough.storage import Held, StorageError, sealed, unsealed, write_whole


class Checkpoints:
    """The pieces of one run in `folder`; `fingerprint` says which run they belong to."""

    def __init__(self, folder: str | os.PathLike[str], fingerprint: str, resume: bool) -> None:
        self.folder = Path(folder)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._held = Held("checkpoint", self.folder)
        except OSError as error:
            raise StorageError(self.folder, error) from error
        head = self.folder / "run.json"
        if head.exists() and not resume:
            raise InputError(
                "checkpoint",
                str(folder),
                "already holds a run: pass resume=True to continue it, or name another folder",
            )
        if head.exists():
            try:
                found = json.loads(head.read_text())["fingerprint"]
            except (ValueError, KeyError, TypeError):
                raise InputError("checkpoint", str(head), "is not readable as a run") from None
            if found != fingerprint:
                raise InputError(
                    "checkpoint",
                    str(folder),
                    "belongs to another run (machine, state, inputs or settings differ)",
                )
        else:
            write_whole(head, json.dumps({"fingerprint": fingerprint}))

    def pieces(self) -> list[dict[str, Array]]:
        """All complete pieces in order; a damaged or missing one ends the list."""
        out: list[dict[str, Array]] = []
        while True:
            path = self._path(len(out))
            try:
                content, whole = unsealed(path)
            except InputError:
                return out
            if not whole:
                return out
            with np.load(io.BytesIO(content), allow_pickle=False) as data:
                out.append({name: data[name] for name in data.files})

    def save(self, index: int, piece: dict[str, Array]) -> None:
        """Write a piece, whole or not at all."""
        memory = io.BytesIO()
        np.savez(memory, **piece)  # type: ignore[arg-type]
        write_whole(self._path(index), sealed(memory.getvalue()))

    def _path(self, index: int) -> Path:
        return self.folder / f"piece-{index:06d}.npz"


def fingerprint(*parts: Any) -> str:
    """A hash of arrays by content and of everything else by what it says of itself."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(_bytes(part) + b"|")
    return digest.hexdigest()


def _bytes(part: Any) -> bytes:
    if isinstance(part, np.ndarray):
        return str(part.shape).encode() + np.ascontiguousarray(part).tobytes()
    if hasattr(part, "__dataclass_fields__"):
        return type(part).__name__.encode() + b"".join(
            _bytes(getattr(part, f)) for f in part.__dataclass_fields__
        )
    if isinstance(part, (list, tuple)):
        return b"(" + b",".join(_bytes(p) for p in part) + b")"
    if isinstance(part, dict):
        return b"{" + b",".join(_bytes(k) + _bytes(v) for k, v in sorted(part.items())) + b"}"
    if callable(part):
        return f"{getattr(part, '__module__', '')}.{getattr(part, '__qualname__', type(part).__name__)}".encode()
    return repr(part).encode()
