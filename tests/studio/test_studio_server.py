"""The server over a real socket: hostile messages, many clients, newest pose wins, restart."""

from __future__ import annotations

import asyncio
import json
import random
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import uvicorn
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

import gough
from gough.model.files import load
from gough.spatial import Motion
from gough.studio import messages as m
from gough.studio import server, wire
from gough.studio.workfolder import WorkFolder
from support.binary_frames import unpack


class Running:
    """A studio on a free port, in a thread."""

    def __init__(self, folder: Path, port: int = 0) -> None:
        self.listener = server.listen("127.0.0.1", port)
        self.port = self.listener.getsockname()[1]
        app = server.build(WorkFolder(folder), "127.0.0.1", self.port)
        self.server = uvicorn.Server(server.settings(app))
        self.thread = threading.Thread(
            target=self.server.run, kwargs={"sockets": [self.listener]}, daemon=True
        )
        self.thread.start()
        deadline = time.monotonic() + 20
        while not self.server.started and time.monotonic() < deadline:
            time.sleep(0.02)
        assert self.server.started

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def stop(self) -> None:
        self.server.should_exit = True
        self.thread.join(20)
        self.listener.close()


@pytest.fixture(scope="module")
def running(tmp_path_factory: Any) -> Iterator[Running]:
    r = Running(tmp_path_factory.mktemp("work"))
    yield r
    r.stop()


def talk(
    running: Running, story: Callable[[ClientConnection], Any], origin: str | None = None
) -> Any:
    async def main() -> Any:
        url = f"ws://127.0.0.1:{running.port}/ws"
        async with connect(url, origin=origin or running.origin, max_size=None) as ws:  # type: ignore[arg-type]
            return await asyncio.wait_for(story(ws), 120)

    return asyncio.run(main())


async def ask(ws: ClientConnection, type_: str, **fields: Any) -> dict[str, Any]:
    """Send one request and return its answer, progress aside."""
    await ws.send(json.dumps({"type": type_, **fields}))
    while True:
        answer = unpack(await ws.recv())
        if answer["id"] == fields["id"] and answer["type"] != "Progress":
            return answer


def home(name: str = "motion-base-1500") -> list[float]:
    pose = load(name).home
    assert pose is not None
    return pose.position.tolist()


def test_a_pose_over_the_wire_is_the_library_to_the_last_bit(running: Running) -> None:
    async def story(ws: ClientConnection) -> dict[str, Any]:
        await ask(ws, "OpenMachine", id=1, source="start")
        return await ask(ws, "SolvePose", id=2, pose={"position": home()})

    state = talk(running, story)
    platform = load("motion-base-1500")
    assert platform.home is not None
    expected = gough.inverse_dynamics(platform, Motion.at_rest(platform.home)).force
    assert np.array(state["force"]) == pytest.approx(expected, rel=1e-12)


def test_a_thousand_hostile_messages_leave_it_serving(running: Running) -> None:
    rng = random.Random(9)
    seed = json.dumps(
        {"type": "SolvePose", "id": 1, "pose": {"position": [0, 0, 1]}, "formulation": "kane"}
    )
    nasty: list[str | bytes] = [
        "",
        "null",
        "[]",
        "{}",
        "{" * 5000,
        "[" * 20000,
        '"' * 9,
        "\x00",
        "NaN",
        "1e999",
        '{"type":"__import__","id":1}',
        '{"type":"SolvePose","id":1,"pose":"../../etc/passwd"}',
        '{"type":"OpenMachine","id":1,"source":"file","name":"../../../etc/passwd"}',
        '{"type":"SaveMachine","id":1,"name":"/tmp/x.toml"}',
        "x" * 200_000,
        b"\x80\x04\x95",
        b"",
        '{"type":"SetMachine","id":1,"document":{"legs":[[]]}}',
        '{"type":"SetMachine","id":1,"document":{"__class__":"os.system"}}',
        '{"type":"MakeMotion","id":1,"kind":"demo","samples":1000000000}',
        '{"type":"SliceWorkspace","id":1,"pose":{"position":[0,0,1]},"points":100000}',
    ]

    async def story(ws: ClientConnection) -> tuple[int, dict[str, Any]]:
        failures = 0

        async def collect() -> None:
            nonlocal failures
            while True:
                answer = json.loads(await ws.recv())
                failures += answer["type"] == "Failure"
                if answer["id"] == 777:
                    return

        reader = asyncio.create_task(collect())
        for i in range(1000):
            if i % 3 == 0:
                await ws.send(nasty[(i // 3) % len(nasty)])
                continue
            letters = list(seed)
            for _ in range(rng.randint(1, 5)):
                letters[rng.randrange(len(letters))] = chr(rng.randint(32, 126))
            await ws.send("".join(letters))
        await ws.send(json.dumps({"type": "GetToml", "id": 777}))
        await reader
        await ask(ws, "OpenMachine", id=901, source="start")
        return failures, await ask(ws, "SolvePose", id=902, pose={"position": home()})

    failures, state = talk(running, story)
    assert failures > 800
    assert state["type"] == "PoseState"
    assert not (Path("/tmp") / "x.toml").exists()


def test_too_large_a_message_is_refused_and_the_next_client_served(running: Running) -> None:
    async def large(ws: ClientConnection) -> dict[str, Any]:
        await ws.send("x" * (wire.LARGEST + 10))
        return json.loads(await ws.recv())

    assert "characters" in talk(running, large)["text"]

    async def enormous(ws: ClientConnection) -> str:
        try:
            await ws.send("x" * (5 * wire.LARGEST))
            await ws.recv()
        except ConnectionClosed as closed:
            return str(closed)
        return "open"

    assert talk(running, enormous) != "open"
    assert talk(running, lambda ws: ask(ws, "GetToml", id=5))["type"] == "Toml"


def test_a_foreign_page_cannot_connect(running: Running) -> None:
    with pytest.raises(InvalidStatus):
        talk(running, lambda ws: ask(ws, "Hello", id=1), origin="http://evil.example")


def test_raw_requests_meet_the_gate(running: Running) -> None:
    def raw(text: str) -> bytes:
        with socket.create_connection(("127.0.0.1", running.port), timeout=10) as s:
            s.sendall(text.encode("latin-1"))
            s.shutdown(socket.SHUT_WR)
            received = b""
            while chunk := s.recv(65536):
                received += chunk
            return received

    host = f"127.0.0.1:{running.port}"
    assert (
        b" 200 "
        in raw(f"GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").splitlines()[0]
    )
    for line, headers in (
        (f"GET / HTTP/1.1\r\nHost: evil.example:{running.port}", b"421"),
        (f"POST / HTTP/1.1\r\nHost: {host}\r\nContent-Length: 0", b"405"),
        (f"GET /../../etc/passwd HTTP/1.1\r\nHost: {host}", b"404"),
        (f"GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: {host}", b"404"),
        (f"GET /ws HTTP/1.1\r\nHost: {host}", b"404"),
        (f"GET / HTTP/1.1\r\nHost: {host}\r\nOrigin: http://evil.example", b"403"),
    ):
        first = raw(line + "\r\nConnection: close\r\n\r\n").splitlines()[0]
        assert headers in first, (line, first)
    assert b"root:" not in raw(
        f"GET /../../../../etc/passwd HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
    )


def test_two_clients_do_not_disturb_each_other(running: Running) -> None:
    async def main() -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
        url = f"ws://127.0.0.1:{running.port}/ws"
        async with (
            connect(url, origin=running.origin, max_size=None) as a,
            connect(url, origin=running.origin, max_size=None) as b,
        ):  # type: ignore[arg-type]
            await ask(a, "OpenMachine", id=1, source="start")
            other = await ask(b, "OpenMachine", id=1, source="preset", name="octahedral-33")
            before = await ask(a, "SolvePose", id=2, pose={"position": home()})
            other["document"]["body"]["mass"] = 500.0
            await ask(b, "SetMachine", id=3, document=other["document"])
            theirs = await ask(b, "SolvePose", id=4, pose={"position": home("octahedral-33")})
            return before, theirs, await ask(a, "SolvePose", id=5, pose={"position": home()})

    before, theirs, after = asyncio.run(main())
    assert before["force"] == pytest.approx(after["force"], rel=1e-12)
    assert theirs["force"] != pytest.approx(after["force"], rel=1e-3)


def test_newest_pose_wins_and_nothing_is_answered_twice(running: Running) -> None:
    async def story(ws: ClientConnection) -> list[int]:
        await ask(ws, "OpenMachine", id=1, source="start")
        x, y, z = home()
        for i in range(300):
            await ws.send(
                json.dumps(
                    {"type": "SolvePose", "id": 10 + i, "pose": {"position": [x + i * 1e-4, y, z]}}
                )
            )
        answered: list[int] = []
        while not answered or answered[-1] != 309:
            answered.append(unpack(await ws.recv())["id"])
        return answered

    answered = talk(running, story)
    assert answered == sorted(set(answered))
    assert answered[-1] == 309


def test_poses_overtake_a_long_request(running: Running) -> None:
    async def story(ws: ClientConnection) -> list[int]:
        await ask(ws, "OpenMachine", id=1, source="start")
        await ask(ws, "MakeMotion", id=2, kind="demo", samples=21)  # compiled by now
        await ws.send(
            json.dumps(
                {
                    "type": "MakeMotion",
                    "id": 3,
                    "kind": "demo",
                    "samples": 5001,
                    "formulations": ["exact", "kane", "lagrange", "newton-euler"],
                }
            )
        )
        await ws.send(json.dumps({"type": "SolvePose", "id": 4, "pose": {"position": home()}}))
        return [unpack(await ws.recv())["id"] for _ in range(2)]

    assert talk(running, story) == [4, 3]


def test_a_stop_right_behind_a_request_ends_it(running: Running) -> None:
    """Sent at once, before the request has left the mailbox; what comes after the stop is computed."""

    async def story(ws: ClientConnection) -> tuple[dict[str, Any], dict[str, Any]]:
        await ask(ws, "OpenMachine", id=1, source="start")
        long = {"id": 2, "motion": {"id": 2, "kind": "demo", "duration": 400.0}}
        await ws.send(json.dumps({"type": "Simulate", **long}))
        await ws.send(json.dumps({"type": "Cancel", "id": 3}))
        said = {}
        while said.get("id") != 2 or said["type"] == "Progress":
            said = json.loads(await ws.recv())
        at = {"position": home()}
        return said, await ask(ws, "SliceWorkspace", id=4, pose=at, points=11)

    stopped, after = talk(running, story)
    assert (stopped["type"], stopped["kind"]) == ("Failure", "infeasible")
    assert "stopped" in stopped["text"]
    assert after["type"] == "SliceShown"


def test_a_restart_on_the_same_port_takes_the_edited_machine(tmp_path: Path) -> None:
    first = Running(tmp_path)
    document = talk(first, lambda ws: ask(ws, "OpenMachine", id=1, source="start"))["document"]
    document["body"]["mass"] = 777.0
    first.stop()
    second = Running(tmp_path, first.port)
    try:

        async def story(ws: ClientConnection) -> tuple[dict[str, Any], dict[str, Any]]:
            return await ask(ws, "SetMachine", id=1, document=document, label="mine"), await ask(
                ws, "GetToml", id=2
            )

        machine, toml = talk(second, story)
        assert machine["document"]["body"]["mass"] == 777.0
        assert "777.0" in toml["text"]
    finally:
        second.stop()


def test_the_bucket_slows_a_flood_down() -> None:
    now = [0.0]
    bucket = server.Bucket(rate=10.0, burst=5.0, clock=lambda: now[0])
    waits = [bucket.delay() for _ in range(8)]
    assert waits[:5] == [0.0] * 5
    assert waits[5:] == pytest.approx([0.1, 0.2, 0.3])
    now[0] = 10.0
    assert bucket.delay() == 0.0


def test_the_mailbox_keeps_order_and_the_newest_pose() -> None:
    async def main() -> list[int]:
        box = server.Mailbox()
        pose = m.PoseInput((0.0, 0.0, 1.0))
        for message in (
            m.SolvePose(1, pose),
            m.GetToml(2),
            m.SolvePose(3, pose),
            m.ListFiles(4),
            m.SolvePose(5, pose),
        ):
            box.put(message)
        return [(await box.take()).id for _ in range(3)]

    assert asyncio.run(main()) == [2, 4, 5]


def test_a_taken_port_gives_the_next_one() -> None:
    first = server.listen("127.0.0.1", 0)
    first.listen()
    port = first.getsockname()[1]
    second = server.listen("127.0.0.1", port)
    assert second.getsockname()[1] != port
    first.close()
    second.close()


def test_more_pages_than_allowed_are_told(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "MOST_CLIENTS", 0)

    async def story(ws: ClientConnection) -> dict[str, Any]:
        return json.loads(await ws.recv())

    assert talk(running, story)["kind"] == "busy"
