"""CUDA kernels whose numbers lie in constant memory, which all users of one kernel share (constant_memory.py)."""

from __future__ import annotations

from typing import Any

from gough.checks import Array
from gough.engines.constant_memory import ConstantMemory
from gough.engines.cuda import cupy


class HeldKernel:
    """The function ``kernel`` of a module with the constant array ``par`` of float64, on the current device."""

    def __init__(
        self, code: str, threads: int, options: tuple[str, ...] = ("--std=c++14",)
    ) -> None:
        self.module = cupy().RawModule(code=code, options=options)
        self.function, self.threads = self.module.get_function("kernel"), threads
        self._memory = ConstantMemory(cupy(), self.module)

    def launch(self, numbers: Array, questions: int, *arguments: Any) -> None:
        """One thread for each question, with these numbers."""
        grid = (questions + self.threads - 1) // self.threads
        with self._memory.holding(numbers.tobytes(), {"par": numbers}):
            self.function((grid,), (self.threads,), arguments)
