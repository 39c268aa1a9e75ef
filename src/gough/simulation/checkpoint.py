"""Checkpoints of long runs: a folder of finished pieces, each written whole or not at all.

A killed run continues after its last piece and gives the same numbers to the last bit, because a run is the same
sequence of kernel calls however often it is interrupted, and because every piece carries the identity of its run
(identity.py): another machine, input, version of this library, compiler or processor is refused.
"""

from __future__ import annotations

import io
import json
import os
from pathlib import Path

import numpy as np

from gough.checks import Array, InputError
from gough.documents.source import parse_json
from gough.storage import Held, StorageError, sealed, unsealed, write_whole

MARK = "fingerprint"
OTHER = "belongs to another run (machine, state, inputs, settings, code or processor differ)"
TAKEN = "already holds a run: pass resume=True to continue it, or name another folder"


class Checkpoints:
    """The pieces of one run in `folder`; `identity` says which run they belong to."""

    def __init__(self, folder: str | os.PathLike[str], identity: str, resume: bool) -> None:
        self.folder, self.identity = Path(folder), identity
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._held = Held("checkpoint", self.folder)
        except OSError as error:
            raise StorageError(self.folder, error) from error
        head = self.folder / "run.json"
        if not head.exists():
            write_whole(head, json.dumps({MARK: identity}))
            return
        if not resume:
            raise InputError("checkpoint", str(folder), TAKEN)
        try:
            found = parse_json(head.read_bytes(), head.name)[MARK]
        except (OSError, ValueError, KeyError, TypeError):
            raise InputError("checkpoint", str(head), "is not readable as a run") from None
        if found != identity:
            raise InputError("checkpoint", str(folder), OTHER)

    def close(self) -> None:
        """Let the folder go: another run may go on with it."""
        self._held.close()

    def pieces(self) -> list[dict[str, Array]]:
        """All complete pieces in order; a damaged or missing one ends the list, one of another run is refused."""
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
                piece = {name: data[name] for name in data.files}
            if str(piece.pop(MARK, "")) != self.identity:
                raise InputError("checkpoint", str(path), OTHER)
            out.append(piece)

    def save(self, index: int, piece: dict[str, Array]) -> None:
        """Write a piece, whole or not at all."""
        memory = io.BytesIO()
        np.savez(memory, **{MARK: np.array(self.identity)}, **piece)  # type: ignore[arg-type]
        write_whole(self._path(index), sealed(memory.getvalue()))

    def _path(self, index: int) -> Path:
        return self.folder / f"piece-{index:06d}.npz"
