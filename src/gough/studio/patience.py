"""Connections that never finish their request: held for a while only, and never so many that others find no place.

Whoever opens a connection and does not complete the head of a request costs a place among the connections that uvicorn
allows.  Here such a connection is closed after `SECONDS`, and where there are more than `MOST_OPEN` of them the oldest
goes first: a browser that asks at once is never among the oldest.  The frames of a WebSocket are read piece by piece,
between which others have their turn, and a message of very many fragments ends its connection.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import Any

SECONDS = 10.0
MOST_OPEN = 64
PIECE = 2048  # bytes that are read in one go: 340 of the smallest frames
MOST_FRAGMENTS = 1024  # of one message


def patient_protocol() -> type:
    """A protocol class of uvicorn with its own record of half-open connections: one for each server."""
    from uvicorn.protocols.http.h11_impl import H11Protocol

    open_ones: OrderedDict[Any, asyncio.TimerHandle] = OrderedDict()

    class PatientProtocol(H11Protocol):
        """As uvicorn's, but a request must be complete in time."""

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._await_request()

        def connection_lost(self, exc: Exception | None) -> None:
            self._settle()
            super().connection_lost(exc)

        def handle_events(self) -> None:
            super().handle_events()
            if self.cycle is not None and not self.cycle.response_complete:
                self._settle()

        def handle_websocket_upgrade(self, event: Any) -> None:
            self._settle()
            super().handle_websocket_upgrade(event)

        def on_response_complete(self) -> None:
            if not self.transport.is_closing():
                self._await_request()
            super().on_response_complete()

        def _await_request(self) -> None:
            self._settle()
            open_ones[self] = self.loop.call_later(SECONDS, self._give_up)
            if len(open_ones) > MOST_OPEN:
                next(iter(open_ones))._give_up()

        def _settle(self) -> None:
            timer = open_ones.pop(self, None)
            if timer is not None:
                timer.cancel()

        def _give_up(self) -> None:
            self._settle()
            self.transport.close()

    return PatientProtocol


def paced_websocket() -> type:
    """uvicorn's WebSocket protocol, which reads all frames that have come before anybody else has a turn, in pieces."""
    from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

    class PacedProtocol(WebSocketsSansIOProtocol):
        """As uvicorn's, `PIECE` bytes at a time."""

        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            self._rest, self._feeding = bytearray(), False

        def data_received(self, data: bytes) -> None:
            self._rest += data
            if not self._feeding:
                self._feeding = True
                self._feed()

        def _feed(self) -> None:
            piece = bytes(self._rest[:PIECE])
            del self._rest[:PIECE]
            super().data_received(piece)
            if len(getattr(self, "frames", ())) > MOST_FRAGMENTS:
                self.transport.close()
            if self.transport.is_closing():
                self._rest.clear()
            elif self._rest:
                self.transport.pause_reading()
                self.loop.call_soon(self._feed)
                return
            elif not self.read_paused:
                self.transport.resume_reading()
            self._feeding = False

    return PacedProtocol
