"""A studio in its own process for attacks and soaks: started, asked by raw sockets and pages, looked at, ended."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

from gough.model.files import dumps, load

SECRET = "s-e-c-r-e-t-4711"


class Studio:
    """``gough studio`` on a free port of 127.0.0.1; what it writes to its log is kept."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port = int(s.getsockname()[1])
        self.folder, self.log = folder, folder.parent / f"studio-{self.port}.log"
        command = [sys.executable, "-m", "gough", "studio", *arguments, "--no-open"]
        command += ["--port", str(self.port), "--folder", str(folder)]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(command, stderr=log, stdout=log)
        deadline = time.monotonic() + 180
        while time.monotonic() < deadline and self.process.poll() is None:
            with socket.socket() as s:
                if s.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.1)
        raise TimeoutError(self.log.read_text("utf-8", "replace"))

    def stop(self) -> None:
        """By Ctrl+C, as its user would."""
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(10)

    def family(self) -> list[int]:
        """The server's process and those that it started (Linux)."""
        with contextlib.suppress(OSError):
            children = Path(f"/proc/{self.process.pid}/task").glob("*/children")
            return [
                self.process.pid,
                *(int(pid) for c in children for pid in c.read_text().split()),
            ]
        return [self.process.pid]

    def memory(self) -> float:
        """Resident memory of the server, MB (Linux)."""
        return resident(self.process.pid)

    def page(self) -> Page:
        """A page with the start machine open."""
        return Page(self.port)


def resident(pid: int) -> float:
    """Resident memory of a process, MB (Linux)."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


class Page:
    """A client with the start machine, as a browser would be."""

    def __init__(self, port: int) -> None:
        origin: Any = f"http://127.0.0.1:{port}"
        self.stack = contextlib.ExitStack()
        self.ws: ClientConnection = self.stack.enter_context(
            connect(f"ws://127.0.0.1:{port}/ws", origin=origin, max_size=None, open_timeout=120)
        )
        self.next = 0
        self.opened = self.ask("OpenMachine", source="start")

    def send(self, type_: str, **fields: Any) -> int:
        """Without waiting for the answer; its id."""
        self.next += 1
        self.ws.send(json.dumps({"type": type_, "id": self.next, **fields}))
        return self.next

    def answer(self, id_: int, timeout: float = 300.0) -> dict[str, Any]:
        """To the message of that id; others are passed over.  Arrays of binary answers are left out."""
        while True:
            said = header(self.ws.recv(timeout=timeout))
            if said["id"] == id_ and said["type"] != "Progress":
                return said

    def ask(self, type_: str, **fields: Any) -> dict[str, Any]:
        """The answer to a message."""
        return self.answer(self.send(type_, **fields))

    def pose(self, shift: float = 0.0) -> dict[str, Any]:
        """The state near home."""
        x, y, z = self.opened["document"]["home"]["position"]
        return self.ask("SolvePose", pose={"position": [x + shift, y, z]})

    def close(self) -> None:
        """Leave."""
        self.stack.close()


def header(received: str | bytes) -> dict[str, Any]:
    """An answer; of a binary one (magic, length, JSON, arrays) its JSON."""
    if isinstance(received, bytes):
        size = int.from_bytes(received[4:8], "little")
        received = received[8 : 8 + size].decode()
    return json.loads(received)


def furnish(root: Path) -> Path:
    """A work folder with what may be opened and much that may not; a secret lies beside it."""
    work = root / "work"
    (work / "sub").mkdir(parents=True)
    (root / "beside").mkdir()
    for path in (root / "secret.toml", root / "beside" / "secret.toml", work / ".hidden.toml"):
        path.write_text(f'name = "{SECRET}"\n')
    (work / "mine.toml").write_text(dumps(load("octahedral-33")), encoding="utf-8")
    (work / "way.csv").write_text("t,x,y,z,roll,pitch,yaw\n0,0,0,1,0,0,0\n1,0,0,1.1,0,0,0\n")
    (work / "binary.toml").write_bytes(bytes(range(256)) * 10)
    (work / "folder.toml").mkdir()
    with (work / "huge.toml").open("wb") as file:
        file.truncate(30_000_000)
    (work / "link.toml").symlink_to(root / "secret.toml")
    (work / "inner.toml").symlink_to(work / "mine.toml")
    (work / "linked").symlink_to(root / "beside")
    (work / "device.toml").symlink_to("/dev/zero")
    for name in ("pipe.toml", "pipe.csv"):
        os.mkfifo(work / name)
    return work


def inventory(root: Path) -> dict[str, tuple[int, int, bytes]]:
    """Kind, size and content of everything below, to see whether anything changed."""
    found: dict[str, tuple[int, int, bytes]] = {}
    for path in sorted(root.rglob("*")):
        about = path.lstat()
        plain = path.is_file() and not path.is_symlink() and about.st_size < 10**7
        content = path.read_bytes() if plain and path.suffix != ".log" else b""
        size = 0 if path.is_dir() or path.suffix == ".log" else about.st_size
        found[str(path.relative_to(root))] = (about.st_mode, size, content)
    return found
