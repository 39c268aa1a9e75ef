"""The controller behind a TCP port: several clients, one thread, bounded buffers, nothing left at the end.

A client is read only while its answers are sent: what one that does not read them can hold is one turn's worth.  A line
that is too long is answered once and skipped up to its end.  Planning a move takes tens of milliseconds, in which no
other line is answered.
"""

from __future__ import annotations

import selectors
import socket
import threading
from contextlib import suppress
from typing import Any

from gough.checks import InputError
from gough.hardware.closing import Closing
from gough.hardware.controller import HexapodController
from gough.hardware.lines import ERRORS, LONGEST, said

CLIENTS = 8
READ = 1024  # bytes of a client at once
LOCAL = "127.0.0.1"


class _Client:
    """One connection: bytes that are no whole line yet, and answers on their way."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection, self.inside, self.outside = connection, b"", b""
        self.skipping = self.leaving = False

    def lines(self, data: bytes) -> list[str | None]:
        """Whole lines; None: one that was too long."""
        found: list[str | None] = []
        *whole, self.inside = (self.inside + data).split(b"\n")
        for line in whole:
            if self.skipping:
                self.skipping = False
            elif len(line) > LONGEST:
                found.append(None)
            else:
                found.append(line.rstrip(b"\r").decode("latin-1"))
        if len(self.inside) > LONGEST:
            if not self.skipping:
                found.append(None)
            self.inside, self.skipping = b"", True
        return found


class ControllerServer(Closing):
    """A `HexapodController` that listens; use it in a ``with`` block, or `close` it.

    host, port  where (default: this computer only, any free port: see `port`)
    clients     at once; one more is told so and sent away
    """

    def __init__(
        self,
        controller: HexapodController,
        *,
        host: str = LOCAL,
        port: int = 0,
        clients: int = CLIENTS,
    ) -> None:
        if not isinstance(controller, HexapodController):
            raise InputError("controller", controller, "must be a HexapodController")
        if isinstance(port, bool) or not isinstance(port, int) or not 0 <= port <= 65535:
            raise InputError("port", port, "must be a number from 0 to 65535")
        self.controller, self.most = controller, clients
        self._listening = socket.create_server((host, port))
        self._listening.setblocking(False)
        self.host, self.port = self._listening.getsockname()[:2]
        self._wake, self._woken = socket.socketpair()
        self._clients: dict[socket.socket, _Client] = {}
        self._chosen = selectors.DefaultSelector()
        self._chosen.register(self._listening, selectors.EVENT_READ)
        self._chosen.register(self._woken, selectors.EVENT_READ)
        self._open = True
        self._thread = threading.Thread(target=self._serve, name="gough-controller", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End all connections and the thread; a second time nothing happens."""
        if not self._open:
            return
        self._open = False
        self._wake.send(b"x")
        self._thread.join()
        self._wake.close()

    def wait(self) -> None:
        """Until it is closed by somebody else."""
        self._thread.join()

    def _serve(self) -> None:
        try:
            while self._open:
                for key, events in self._chosen.select():
                    if key.fileobj is self._listening:
                        self._accept()
                    elif key.fileobj in self._clients:
                        self._turn(self._clients[key.fileobj], events)  # type: ignore[index]
        finally:
            for client in list(self._clients.values()):
                self._drop(client)
            self._chosen.close()
            for own in (self._listening, self._woken):
                own.close()

    def _accept(self) -> None:
        try:
            connection, _ = self._listening.accept()
        except OSError:  # it went away again
            return
        connection.setblocking(False)
        client = _Client(connection)
        self._clients[connection] = client
        if len(self._clients) > self.most:
            self._say(client, f"ERR {ERRORS['FULL']} FULL there are {self.most} clients already")
            client.leaving = True
        self._chosen.register(connection, self._wanted(client))

    @staticmethod
    def _wanted(client: _Client) -> int:
        return selectors.EVENT_WRITE if client.outside else selectors.EVENT_READ

    def _turn(self, client: _Client, events: int) -> None:
        try:
            if events & selectors.EVENT_WRITE:
                client.outside = client.outside[client.connection.send(client.outside) :]
            elif not self._read(client):
                return self._drop(client)
        except (BlockingIOError, InterruptedError):
            pass
        except OSError:
            return self._drop(client)
        if client.leaving and not client.outside:
            return self._drop(client)
        self._chosen.modify(client.connection, self._wanted(client))
        return None

    def _read(self, client: _Client) -> bool:
        """Answer what came in; False: the client is gone."""
        data = client.connection.recv(READ)
        if not data:
            return False
        for line in client.lines(data):
            if line is None:
                told = f"a line has at most {LONGEST} bytes"
                self._say(client, f"ERR {ERRORS['TOO-LONG']} TOO-LONG {told}")
            elif line.strip().upper() == "QUIT":
                self._say(client, "OK bye")
                client.leaving = True
                break
            else:
                self._say(client, self._answer(client, line))
        return True

    def _answer(self, client: _Client, line: str) -> str:
        """Whatever a line meets inside, the others are served on."""
        try:
            return self.controller.answer(client, line)
        except Exception as error:
            return said(f"ERR {ERRORS['INTERNAL']} INTERNAL {type(error).__name__}: {error}")

    @staticmethod
    def _say(client: _Client, text: str) -> None:
        client.outside += text.encode("ascii") + b"\n"

    def _drop(self, client: _Client) -> None:
        self._clients.pop(client.connection, None)
        self._chosen.unregister(client.connection)
        client.connection.close()
        self.controller.leave(client)


def serve_controller(controller: HexapodController, host: str, port: int, ready: Any) -> None:
    """Serve until Ctrl+C; ``ready(server)`` is called once it listens."""
    with ControllerServer(controller, host=host, port=port) as server:
        ready(server)
        with suppress(KeyboardInterrupt):
            server.wait()
