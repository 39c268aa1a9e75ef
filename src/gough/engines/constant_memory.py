"""Numbers in a CUDA module's constant memory, which everybody who launches its kernel shares.

Every launch says whose numbers it needs.  Where others lie there, what runs on the device ends first, in every stream,
then the new ones are written; nobody else launches in between, whatever threads do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import Lock
from typing import Any

from numpy.typing import NDArray


class ConstantMemory:
    """The constant arrays of a compiled module, written when their owner changes."""

    def __init__(self, cupy: Any, module: Any) -> None:
        self._cupy, self._module = cupy, module
        self._lock, self._owner = Lock(), None

    @contextmanager
    def holding(self, owner: Any, numbers: Mapping[str, NDArray[Any]]) -> Iterator[None]:
        """While this lasts the arrays hold these numbers; those of an equal `owner` are not written again."""
        with self._lock:
            if numbers and (self._owner is None or owner != self._owner):
                self._owner = None
                self._cupy.cuda.runtime.deviceSynchronize()
                for name, found in numbers.items():
                    at = self._module.get_global(name)
                    self._cupy.ndarray(found.shape, dtype=found.dtype, memptr=at).set(found)
                self._cupy.cuda.runtime.deviceSynchronize()
                self._owner = owner
            yield
