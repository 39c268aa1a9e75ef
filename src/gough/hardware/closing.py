"""What holds a socket: closed at the end of a ``with`` block, whatever happened inside."""

from __future__ import annotations

from types import TracebackType
from typing import Self


class Closing:
    """Something with `close`, which may be called twice."""

    def close(self) -> None:
        """Let go of the socket."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
