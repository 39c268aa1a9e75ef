"""The studio's server: static page, one WebSocket, behind one gate.

Each client has its own session and mailbox.  A newer pose replaces an unanswered older one; long requests run in worker
processes (crew.py), one per client at a time; a flood is slowed down at the reader, so that it costs its sender only.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import socket
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from importlib import resources
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from gough.checks import InputError
from gough.studio import messages as m
from gough.studio import views, wire
from gough.studio.crew import Sent, WorkerCrew, answered
from gough.studio.gate import Gate, allowed_hosts, is_loopback
from gough.studio.jobs import Jobs
from gough.studio.session import DEFAULT, Session
from gough.studio.workfolder import WorkFolder

PAGES = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/studio.js": ("studio.js", "text/javascript; charset=utf-8"),
    "/viewer.js": ("viewer.js", "text/javascript; charset=utf-8"),
    "/studio.css": ("studio.css", "text/css; charset=utf-8"),
    "/favicon.svg": ("favicon.svg", "image/svg+xml"),
}
MOST_CLIENTS = 32
MOST_SILENT, SILENCE = 32, 10.0  # clients that have said nothing yet, and for how long, s
QUICK = 8  # threads: edits and files
QUEUE = 64  # unanswered messages of one client, poses not counted
RATE, BURST = 400.0, 800.0  # messages a second, and at once
SLOW = (m.MakeMotion, m.Simulate, m.FindModes, m.SliceWorkspace, *views.SLOW)


class Mailbox:
    """Messages of one client waiting for an answer: a queue, and the newest pose."""

    def __init__(self) -> None:
        self.queue: deque[m.Request] = deque()
        self.pose: m.SolvePose | None = None
        self.ready = asyncio.Event()
        self.room = asyncio.Event()
        self.room.set()

    def put(self, message: m.Request) -> None:
        """Keep a message; a pose takes the place of an older one."""
        if isinstance(message, m.SolvePose):
            self.pose = message
        else:
            self.queue.append(message)
        if len(self.queue) >= QUEUE:
            self.room.clear()
        self.ready.set()

    async def take(self) -> m.Request:
        """The next message: the queue in order, then the newest pose."""
        while not self.queue and self.pose is None:
            self.ready.clear()
            await self.ready.wait()
        if self.queue:
            message = self.queue.popleft()
            if len(self.queue) < QUEUE:
                self.room.set()
            return message
        message, self.pose = self.pose, None
        assert message is not None
        return message


class Bucket:
    """Rate limit: `rate` messages a second, `burst` at once; says how long to wait."""

    def __init__(
        self, rate: float = RATE, burst: float = BURST, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.rate, self.burst, self.clock = rate, burst, clock
        self.tokens, self.last = burst, clock()

    def delay(self) -> float:
        """Seconds to wait before the next message may be read."""
        now = self.clock()
        self.tokens = min(self.burst, self.tokens + (now - self.last) * self.rate)
        self.last = now
        self.tokens -= 1.0
        return max(0.0, -self.tokens / self.rate)


class Studio:
    """The application and what its clients share: the work folder and the machine to start with."""

    def __init__(self, folder: WorkFolder, start: str = DEFAULT, scenario: str = "") -> None:
        self.folder, self.start, self.scenario = folder, start, scenario
        self.clients = 0
        self.silent: deque[WebSocket] = deque()  # accepted, nothing said yet
        self.quick = ThreadPoolExecutor(QUICK, "studio-quick")
        self.crew = WorkerCrew()
        self.app = Starlette(
            routes=[
                *(Route(path, self.page, methods=["GET", "HEAD"]) for path in PAGES),
                WebSocketRoute("/ws", self.talk),
            ],
            lifespan=self._life,
        )

    @contextlib.asynccontextmanager
    async def _life(self, _: Starlette) -> AsyncIterator[None]:
        """A worker is there before the first page asks, and none after the server has ended."""
        self.crew.warm()
        yield
        self.crew.close()
        self.quick.shutdown(wait=False, cancel_futures=True)

    async def page(self, request: Request) -> Response:
        """A file of the built front end; only the names of `PAGES` exist."""
        name, kind = PAGES[request.url.path]
        return Response(
            (resources.files("gough") / "studio" / "dist" / name).read_bytes(), media_type=kind
        )

    async def talk(self, socket: WebSocket) -> None:
        """Serve one client until it leaves."""
        await socket.accept()
        if self.clients >= MOST_CLIENTS:
            await _send(
                socket, m.Failure(0, f"already {MOST_CLIENTS} pages are connected", kind="busy")
            )
            await socket.close(1013)
            return
        first = await self._first(socket)
        if first is None:
            return
        self.clients += 1
        session, mailbox = Session(self.folder, self.start, self.scenario), Mailbox()
        jobs = Jobs(self.crew, lambda answer: _send_text(socket, answer))
        tasks = [
            asyncio.create_task(self._work(socket, session, mailbox, jobs)),
            asyncio.create_task(jobs.work()),
        ]
        try:
            await self._read(socket, mailbox, jobs, first)
        except WebSocketDisconnect:
            pass
        finally:
            jobs.stop()
            for task in tasks:
                task.cancel()
            self.clients -= 1

    async def _first(self, socket: WebSocket) -> Any:
        """The first thing a client says, or None: who is silent holds no place, and not for long."""
        self.silent.append(socket)
        if len(self.silent) > MOST_SILENT:
            await _close(self.silent.popleft())
        try:
            received = await asyncio.wait_for(socket.receive(), SILENCE)
        except (TimeoutError, WebSocketDisconnect, RuntimeError):
            await _close(socket)
            return None
        finally:
            if socket in self.silent:
                self.silent.remove(socket)
        return None if received["type"] == "websocket.disconnect" else received

    async def _read(self, socket: WebSocket, mailbox: Mailbox, jobs: Jobs, first: Any) -> None:
        bucket, received = Bucket(), first
        while True:
            delay = bucket.delay()
            if delay > 0:
                await asyncio.sleep(delay)
            await mailbox.room.wait()
            received, first = first or await socket.receive(), None
            if received["type"] == "websocket.disconnect":
                return
            text = received.get("text")
            if text is None:
                text = received.get("bytes") or b""
            try:
                message = wire.decode(text)
            except wire.MessageError as error:
                await _send(socket, m.Failure(wire.request_id(text), str(error), kind="message"))
                continue
            if isinstance(message, m.Cancel):
                jobs.stop()
            mailbox.put(message)

    async def _work(
        self, socket: WebSocket, session: Session, mailbox: Mailbox, jobs: Jobs
    ) -> None:
        """Answer in order; long requests get a snapshot of the session and their own lane."""
        loop = asyncio.get_running_loop()
        while True:
            message = await mailbox.take()
            if isinstance(message, m.Cancel):
                jobs.stop()  # also what still lay in the mailbox when the reader heard of it
            if isinstance(message, SLOW):
                if not jobs.add(session.snapshot(), message):
                    await _send(
                        socket,
                        m.Failure(message.id, "too many long requests are waiting", kind="busy"),
                    )
            elif isinstance(message, m.SolvePose):
                await _send_text(socket, answered(session, message, None))
                await asyncio.sleep(0)
            else:
                text = await loop.run_in_executor(self.quick, answered, session, message, None)
                await _send_text(socket, text)


async def _close(socket: WebSocket) -> None:
    try:
        await socket.close(1008)
    except RuntimeError:
        return  # closed already


async def _send(socket: WebSocket, answer: Any) -> None:
    await _send_text(socket, wire.encode(answer))


async def _send_text(socket: WebSocket, text: Sent) -> None:
    """An answer as text, or as a binary frame."""
    if socket.application_state == WebSocketState.CONNECTED:
        try:
            await (socket.send_text(text) if isinstance(text, str) else socket.send_bytes(text))
        except (WebSocketDisconnect, RuntimeError, OSError):
            return  # the client left while we were working for it


def build(
    folder: WorkFolder,
    host: str,
    port: int,
    *,
    start: str = DEFAULT,
    scenario: str = "",
    token: str | None = None,
) -> Gate:
    """The whole application behind its gate."""
    everywhere = host in ("0.0.0.0", "::", "")
    if token is None and not is_loopback(host):
        raise InputError(
            "token", None, "is needed when the studio is bound to more than this machine"
        )
    return Gate(Studio(folder, start, scenario).app, allowed_hosts(host, port), token, everywhere)


def serve(
    folder: WorkFolder,
    host: str = "127.0.0.1",
    port: int = 8642,
    *,
    start: str = DEFAULT,
    scenario: str = "",
    token: str | None = None,
    ready: Callable[[str], None] | None = None,
) -> None:
    """Serve until interrupted; `ready` gets the address to open once the port is taken."""
    import uvicorn

    if token is None and not is_loopback(host):
        token = secrets.token_urlsafe(24)
    listener = listen(host, port)
    port = listener.getsockname()[1]
    app = build(folder, host, port, start=start, scenario=scenario, token=token)
    shown = "127.0.0.1" if host in ("0.0.0.0", "") else host
    address = f"http://{f'[{shown}]' if ':' in shown else shown}:{port}/" + (
        f"?token={token}" if token else ""
    )
    if ready is not None:
        ready(address)
    uvicorn.Server(settings(app)).run(sockets=[listener])


def settings(app: Gate) -> Any:
    """uvicorn's configuration: quiet, bounded in sizes and connections."""
    import uvicorn

    from gough.studio.patience import paced_websocket, patient_protocol

    return uvicorn.Config(
        app,
        http=patient_protocol(),
        log_level="warning",
        ws=paced_websocket(),
        ws_max_size=4 * wire.LARGEST,
        ws_max_queue=8,
        server_header=False,
        date_header=False,
        access_log=False,
        limit_concurrency=256,
        h11_max_incomplete_event_size=65536,
        timeout_graceful_shutdown=2,
    )


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; if the port is taken, the next free one of twenty (port 0: any)."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    last: OSError | None = None
    for attempt in range(20 if port else 1):
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port + attempt))
            return listener
        except OSError as error:
            listener.close()
            last = error
    raise InputError("port", port, f"cannot be opened on {host}: {last}")
