"""CUDA kernels whose numbers lie in constant memory, which all users of one kernel share.

Every launch says whose numbers it needs: they are written where others lie there, and nobody else launches in between.
Copies and launches go one after the other on the device's null stream, so that no kernel meets the numbers of a later
one, whatever threads do.
"""

from __future__ import annotations

from threading import Lock
from typing import Any

import numpy as np

from gough.checks import Array
from gough.engines.cuda import cupy


class HeldKernel:
    """The function ``kernel`` of a module with the constant array ``par`` of float64, on the current device."""

    def __init__(
        self, code: str, threads: int, options: tuple[str, ...] = ("--std=c++14",)
    ) -> None:
        self.module = cupy().RawModule(code=code, options=options)
        self.function, self.threads = self.module.get_function("kernel"), threads
        self._lock, self._held = Lock(), b""

    def launch(self, numbers: Array, questions: int, *arguments: Any) -> None:
        """One thread for each question, with these numbers."""
        cp, grid = cupy(), (questions + self.threads - 1) // self.threads
        with self._lock, cp.cuda.Stream.null:
            held = numbers.tobytes()
            if held != self._held:
                at = self.module.get_global("par")
                cp.ndarray(numbers.shape, dtype=np.float64, memptr=at).set(numbers)
                self._held = held
            self.function((grid,), (self.threads,), arguments)
