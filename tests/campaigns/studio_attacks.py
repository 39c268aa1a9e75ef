"""Attacks on a studio in its own process: is each refused by a sentence or a closed connection, and others served?

    PYTHONPATH=src:tests python -m campaigns.studio_attacks --drawn 150 --seed 1

Every request of support/attack_requests.py and attack_frames.py, floods and half-open connections, each on its own
connection; after each (while floods are still held) another page asks for a pose, and that is timed.  Wrong: an answer
with a path, a secret or a traceback, "the studio made a mistake", a changed file, another page's machine changed, a
server that ended.  Prints kinds and counts, the slowest pose, and what was wrong; exit code 1 where anything was.
Times are told, not judged: they depend on what else the computer does.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import json
import socket
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from support.attack_frames import frame, frames, messages
from support.attack_requests import head, requests, tokens, upgrade
from support.studio_process import SECRET, Page, Studio, furnish, inventory

WAIT = 0.4  # s for an answer that need not come
ANSWER = 60.0  # s for one that must
TOKEN = "tok-" + "q7" * 12
QUIET = "before the first attack"
LEAKS = (SECRET, "Traceback", 'File "', "site-packages", "root:x:", "made a mistake")


class Attacked:
    """The server, its owner's page, and what was seen."""

    def __init__(self, root: Path) -> None:
        self.root, work = root, furnish(root)
        self.studio = Studio(work)
        self.guarded = Studio(work, "--token", TOKEN)
        self.owner = self.studio.page()
        self.machine = self.owner.ask("GetToml")["text"]
        self.before = inventory(root)
        self.counts: collections.Counter[str] = collections.Counter()
        self.slowest: list[tuple[float, str]] = []
        self.wrong: list[str] = []
        for _ in range(60):  # kernels are loaded meanwhile
            self.owner.pose()
        for _ in range(30):
            self.pose(QUIET)

    def pose(self, kind: str) -> None:
        began = time.perf_counter()
        if self.owner.pose()["type"] != "PoseState":
            self.wrong.append(f"{kind}: the owner's pose is not answered")
        self.slowest.append((time.perf_counter() - began, kind))

    def judge(self, kind: str, sent: bytes | str, received: bytes) -> None:
        """What came back, and whether another page is served."""
        self.counts[kind] += 1
        text = received.decode("utf-8", "replace")
        for leak in (*LEAKS, str(self.root)):
            if leak in text:
                self.wrong.append(
                    f"{kind}: {sent[:200]!r} was answered with {leak!r}: {text[:300]!r}"
                )
        self.pose(kind)

    def finish(self) -> None:
        """What must be as it was."""
        if self.owner.ask("GetToml")["text"] != self.machine:
            self.wrong.append("the owner's machine has changed")
        after = inventory(self.root)
        changed = [
            name for name in {*self.before, *after} if self.before.get(name) != after.get(name)
        ]
        if changed:
            self.wrong.append(f"files changed: {sorted(changed)}")
        for studio in (self.studio, self.guarded):
            if studio.process.poll() is not None:
                self.wrong.append(f"a server ended with {studio.process.returncode}")
            log = studio.log.read_text("utf-8", "replace")
            if "a request failed" in log or "no worker" in log:
                self.wrong.append("its log tells of a mistake: " + log[-2000:])

    def stop(self) -> None:
        """End both servers."""
        self.owner.close()
        for studio in (self.studio, self.guarded):
            studio.stop()


def exchange(port: int, data: bytes, wait: float = WAIT) -> bytes:
    """Send raw bytes, return what comes until the other side closes or says nothing for `wait` seconds."""
    received = b""
    with (
        contextlib.suppress(OSError),
        socket.create_connection(("127.0.0.1", port), timeout=ANSWER) as s,
    ):
        with contextlib.suppress(OSError):
            s.sendall(data)
        s.settimeout(wait)
        while len(received) < 5_000_000 and (chunk := s.recv(65536)):
            received += chunk
    return received


def handshaken(port: int, more: str = "") -> socket.socket:
    """A raw socket after a good handshake."""
    s = socket.create_connection(("127.0.0.1", port), timeout=ANSWER)
    s.sendall(upgrade(port, more))
    received = b""
    while b"\r\n\r\n" not in received and (chunk := s.recv(4096)):
        received += chunk
    assert b" 101 " in received, received
    return s


def broken_frames(port: int, data: bytes, more: str) -> bytes:
    """What comes back for raw bytes after the handshake."""
    received = b""
    with handshaken(port, more) as s:
        with contextlib.suppress(OSError):
            s.sendall(data)
        s.settimeout(WAIT)
        with contextlib.suppress(OSError):
            while len(received) < 5_000_000 and (chunk := s.recv(65536)):
                received += chunk
    return received


def one_message(page: Page, text: str) -> bytes:
    """The answers to a message, up to that of a question after it; long ones are stopped."""
    page.ws.send(text)
    page.ws.send(json.dumps({"type": "Cancel", "id": 999_999_998}))
    page.next = 1_000_000 + page.next
    said, last = [], page.send("Restate", rows=[])
    while True:
        received = page.ws.recv(timeout=ANSWER)
        said.append(received if isinstance(received, bytes) else received.encode())
        if b'"Restated"' in said[-1] and str(last).encode() in said[-1]:
            return b"\n".join(said)


@contextlib.contextmanager
def held(port: int, count: int, data: bytes) -> Iterator[None]:
    """Connections that stay open without an end of what they say."""
    kept: list[socket.socket] = []
    try:
        for _ in range(count):
            with contextlib.suppress(OSError):
                s = socket.create_connection(("127.0.0.1", port), timeout=5)
                s.sendall(data)
                kept.append(s)
        yield
    finally:
        for s in kept:
            s.close()


def floods(a: Attacked) -> None:
    """Many at once, and slowly: the owner asks while they are held."""
    port = a.studio.port
    for count, data, kind in (
        (300, b"GET / HTTP/1.1\r\nHost: 127.0", "half-open requests"),
        (300, b"", "connections that say nothing"),
        (64, upgrade(port), "silent pages"),
        (40, head(port)[:-2], "heads without an end"),
        (40, head(port, more="Content-Length: 1000000"), "bodies that never come"),
    ):
        with held(port, count, data):
            a.judge(kind, data, exchange(port, head(port, "/favicon.svg")))
    with held(port, 20, b"GET / HTTP/1.1\r\n"):
        for letter in b"Host: 127.0.0.1\r\nX-A: b\r\n":
            with held(port, 3, bytes([letter])):
                a.judge("slow letters", bytes([letter]), b"")
    for _ in range(10):
        for _ in range(40):
            socket.create_connection(("127.0.0.1", port), timeout=5).close()
        a.judge("connections closed at once", b"", b"")
    text = b'{"type":"SolvePose","id":5,"pose":{"position":[0,0,1.15]}}'
    for what, kind in (
        (text, "flood of poses"),
        (b'{"type":"Hello","id":5}', "flood of greetings"),
    ):
        with handshaken(port) as s, contextlib.suppress(OSError):
            s.sendall(frame(1, what) * 1500)
            a.judge(f"{kind}, nothing read", what, b"")
    with handshaken(port) as s, contextlib.suppress(OSError):
        s.sendall(frame(1, b'{"type":"ListFiles","id":5,"x":"' + b"y" * 900_000 + b'"}') * 4)
        a.judge("large messages", b"", b"")


def edits(a: Attacked, count: int) -> None:
    """Pages that edit their machines at once, with other numbers; the owner's stays."""
    pages = [a.studio.page() for _ in range(4)]
    for i in range(count):
        page = pages[i % len(pages)]
        document = json.loads(json.dumps(page.opened["document"]))
        document["body"]["mass"] = 100.0 + i
        page.send("SetMachine", document=document, label=f"edit {i}")
        a.judge("edits by others", "", b"")
    for page in pages:
        page.close()


def attack(root: Path, drawn: int, seed: int, every: int = 1) -> Attacked:
    """Everything, or one of `every` of the plain requests; the servers have ended when this returns."""
    a = Attacked(root)
    try:
        for port, listed in (
            (a.studio.port, requests(a.studio.port, seed)),
            (a.guarded.port, tokens(a.guarded.port, TOKEN)),
        ):
            for kind, data in list(listed)[::every]:
                received = exchange(port, data)
                if port == a.guarded.port and (
                    b" 200 " in received[:20] or b" 101 " in received[:20]
                ):
                    a.wrong.append(f"{kind}: {data[:100]!r} was let in")
                a.judge(kind, data, received)
        for kind, data, more in list(frames())[::every]:
            a.judge(kind, data, broken_frames(a.studio.port, data, more))
        hostile = a.studio.page()
        for kind, text in list(messages(seed, drawn))[::every]:
            a.judge(kind.split()[0], text, one_message(hostile, text))
        hostile.close()
        edits(a, 12)
        floods(a)
        a.finish()
    finally:
        a.stop()
    return a


def main() -> int:
    """Attack and say what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--drawn", type=int, default=150, help="messages drawn from their declarations"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--every", type=int, default=1, help="take one of so many")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        a = attack(Path(root), options.drawn, options.seed, options.every)
    times = sorted((t, kind) for t, kind in a.slowest if kind != QUIET)
    quiet = sorted(t for t, kind in a.slowest if kind == QUIET)
    sys.stdout.write(
        f"{sum(a.counts.values())} attacks of {len(a.counts)} kinds: {dict(a.counts.most_common())}\n"
    )
    sys.stdout.write(
        f"a pose of another page: median {1e3 * times[len(times) // 2][0]:.1f} ms, slowest {1e3 * times[-1][0]:.1f} ms "
        f"({times[-1][1]}), {sum(t > 0.1 for t, _ in times)} above 100 ms; before the attacks median "
        f"{1e3 * quiet[len(quiet) // 2]:.1f} ms, slowest {1e3 * quiet[-1]:.1f} ms\n"
    )
    for line in a.wrong:
        sys.stdout.write(f"WRONG: {line}\n")
    return int(bool(a.wrong))


if __name__ == "__main__":
    sys.exit(main())
