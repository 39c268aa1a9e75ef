"""Who opens connections and says nothing does not lock the owner out; files and lists are judged before work."""

from __future__ import annotations

import http.client
import os
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest
import uvicorn

import gough
from gough.studio import messages as m
from gough.studio import patience, server, wire
from gough.studio.session import Session
from gough.studio.workfolder import WorkFolder


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    listener = server.listen("127.0.0.1", 0)
    number = int(listener.getsockname()[1])
    app = server.build(WorkFolder(tmp_path_factory.mktemp("work")), "127.0.0.1", number)
    running = uvicorn.Server(server.settings(app))
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    deadline = time.monotonic() + 60
    while not running.started and time.monotonic() < deadline:
        time.sleep(0.02)
    yield number
    running.should_exit = True
    thread.join(20)
    listener.close()


def page(port: int) -> int:
    owner = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        owner.request("GET", "/favicon.svg")
        return owner.getresponse().status
    finally:
        owner.close()


def let_go(held: socket.socket) -> bool:
    """Whether the server has closed its end."""
    held.settimeout(30)
    try:
        return held.recv(1) == b""
    except ConnectionResetError:
        return True


def test_three_hundred_half_open_requests_leave_room(port: int) -> None:
    assert page(port) == 200
    held = []
    try:
        for _ in range(300):
            s = socket.create_connection(("127.0.0.1", port), timeout=30)
            s.sendall(b"GET / HTTP/1.1\r\nHost: 127.0")
            held.append(s)
        assert page(port) == 200
        assert all(map(let_go, held[:200])), "the oldest"
    finally:
        for s in held:
            s.close()


def handshake(port: int) -> bytes:
    return (
        f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\n"
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    ).encode()


def test_silent_pages_hold_no_place(port: int) -> None:
    held = []
    try:
        for _ in range(2 * server.MOST_CLIENTS):
            s = socket.create_connection(("127.0.0.1", port), timeout=30)
            s.sendall(handshake(port))
            assert b" 101 " in s.recv(64)
            held.append(s)
        from websockets.sync.client import connect

        with connect(f"ws://127.0.0.1:{port}/ws", origin=f"http://127.0.0.1:{port}") as ws:  # type: ignore[arg-type]
            ws.send(f'{{"type":"Hello","id":1,"protocol":{m.PROTOCOL}}}')
            assert '"Welcome"' in str(ws.recv(timeout=60))
    finally:
        for s in held:
            s.close()


def test_a_message_of_endless_fragments_ends_its_connection(port: int) -> None:
    begin, empty = b"\x01\x80\0\0\0\0", b"\x00\x80\0\0\0\0"
    with socket.create_connection(("127.0.0.1", port), timeout=30) as s:
        s.sendall(handshake(port))
        assert b" 101 " in s.recv(4096)
        s.sendall(begin + 2 * patience.MOST_FRAGMENTS * empty)
        assert page(port) == 200
        assert let_go(s)
    with socket.create_connection(("127.0.0.1", port), timeout=30) as s:  # some are no harm
        s.sendall(handshake(port))
        assert b" 101 " in s.recv(4096)
        hello = b'{"type":"Hello","id":1}'
        s.sendall(begin + 400 * empty + bytes([0x80, 0x80 | len(hello), 0, 0, 0, 0]) + hello)
        assert b"Welcome" in s.recv(4096)


def test_frames_are_read_in_pieces_and_all_of_them() -> None:
    """Others have their turn between the pieces; nothing is lost, and reading goes on."""
    seen: list[str] = []

    class Loop:
        """Turns of the others, and what waits for the next one."""

        later: ClassVar[list[Any]] = []

        def call_soon(self, call: Any) -> None:
            self.later.append(call)

    class Transport:
        """Open, and tells when it is held."""

        def is_closing(self) -> bool:
            return False

        def pause_reading(self) -> None:
            seen.append("held")

        def resume_reading(self) -> None:
            seen.append("on")

    paced: Any = patience.paced_websocket()
    (base,) = paced.__bases__
    one = paced.__new__(paced)
    one._rest, one._feeding, one.read_paused = bytearray(), False, False
    one.transport, one.loop = Transport(), Loop()
    pieces: list[bytes] = []
    data = bytes(i % 251 for i in range(2 * patience.PIECE + 10))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(base, "data_received", lambda self, piece: pieces.append(piece))
        one.data_received(data)
        one.data_received(b"more")
        while Loop.later:
            seen.append("others")
            Loop.later.pop()()
    assert b"".join(pieces) == data + b"more"
    assert max(map(len, pieces)) == patience.PIECE
    assert seen == ["held", "others", "held", "others", "on"]


def test_the_bounds_fit_into_what_the_server_allows() -> None:
    config = server.settings(None)  # type: ignore[arg-type]
    room = patience.MOST_OPEN + server.MOST_SILENT + 2 * server.MOST_CLIENTS
    assert room < config.limit_concurrency


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes on this system")
def test_a_pipe_is_neither_listed_nor_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "machine.toml")
    folder = WorkFolder(tmp_path)
    assert folder.files() == ()
    with pytest.raises(gough.InputError, match="no such file"):
        folder.read("machine.toml")


def test_lists_are_judged_before_work(tmp_path: Path) -> None:
    session = Session(WorkFolder(tmp_path))
    session.handle(m.OpenMachine(1, "start"))
    for names in (("exact", "nobody"), ("exact",) * 4000, ("kane/printed",)):
        answer = session.handle(m.MakeMotion(2, "demo", samples=3, formulations=names))
        assert isinstance(answer, m.Failure)
        assert answer.field == "formulations"
    rows = ((0.0,) * 6,) * 4000
    answer = session.handle(m.MakeMotion(3, "waypoints", waypoints=rows, samples=3))
    assert isinstance(answer, m.Failure)
    assert "at most" in answer.text
    assert wire.encode(answer)
