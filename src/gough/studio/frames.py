"""Answers with long arrays as one binary frame: what JSON would spell digit by digit goes as it lies in memory.

==========  =================================================================================
bytes       meaning
==========  =================================================================================
0 to 3      ``GFR1``
4 to 7      length n of the header, unsigned 32 bits
8 to 8+n    the answer as JSON in UTF-8, spaces at its end, so that n is a multiple of 8
then        the arrays, each padded with zeros to a multiple of 8
==========  =================================================================================

Everything is little-endian.  In the header an array is ``{"array": kind, "at": a, "count": c}``: c numbers of that kind
from byte a after the header.  A number that does not exist (JSON: null) is NaN.
"""

from __future__ import annotations

from typing import Any

import numpy as np

MAGIC = b"GFR1"
ALIGNED = 8
KINDS = {"f8": "<f8", "f4": "<f4", "i4": "<i4"}  # of an array in the header, of its bytes


class Arrays:
    """The arrays met while an answer is written, laid one after the other."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.end = 0

    def put(self, array: np.ndarray[Any, Any]) -> dict[str, Any]:
        """Keep an array, row by row; what the header says in its place."""
        kind = "i4" if array.dtype.kind in "iub" else "f4" if array.dtype == np.float32 else "f8"
        data = np.ascontiguousarray(array, KINDS[kind]).tobytes()
        said = {"array": kind, "at": self.end, "count": array.size}
        data += b"\0" * (-len(data) % ALIGNED)
        self.parts.append(data)
        self.end += len(data)
        return said

    def frame(self, text: str) -> bytes:
        """The whole frame with `text` as its header."""
        head = text.encode()
        head += b" " * (-len(head) % ALIGNED)
        return b"".join([MAGIC, len(head).to_bytes(4, "little"), head, *self.parts])


def columns(data: dict[str, Any]) -> dict[str, Any]:
    """A timeline's arrays as they are sent: float64, so that no digit that is shown is lost.

    Marks of limits are whole numbers; the joint forces as vectors are only drawn, as arrows, and go as float32.
    """
    sent = dict(data)
    sent["spherical_vector"] = np.asarray(data["spherical_vector"], np.float32)
    for name in ("broken", "near"):
        sent[name] = np.asarray(data[name], np.int32)
    return sent
