"""Binary frames of the studio read back, strictly by their documented layout."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np

KINDS = {"f8": np.dtype("<f8"), "f4": np.dtype("<f4"), "i4": np.dtype("<i4")}


def unpack(frame: str | bytes) -> dict[str, Any]:
    """The message of a frame with its arrays, or of JSON text."""
    if isinstance(frame, str):
        return json.loads(frame)
    magic, length = struct.unpack_from("<4sI", frame)
    assert magic == b"GFR1"
    assert length % 8 == 0
    start, used = 8 + length, []

    def look(value: Any) -> Any:
        if isinstance(value, list):
            return [look(item) for item in value]
        if not isinstance(value, dict):
            return value
        if "array" not in value:
            return {key: look(item) for key, item in value.items()}
        kind = KINDS[value["array"]]
        assert value["at"] % 8 == 0
        used.append((value["at"], value["count"] * kind.itemsize))
        return np.frombuffer(frame, kind, value["count"], start + value["at"])

    def refuse(name: str) -> float:
        raise AssertionError(f"{name} in a header")

    message = look(json.loads(frame[8:start], parse_constant=refuse))
    end = 0
    for at, size in used:  # one after the other, nothing between but padding
        assert at == end
        end = at + size + (-size % 8)
    assert len(frame) == start + end
    return message
