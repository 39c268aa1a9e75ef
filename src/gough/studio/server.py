"""The studio's server: static page, one WebSocket, behind one gate.

Each client has its own session and mailbox.  A newer pose replaces an unanswered older one; long requests run in a
thread, one per client at a time; a flood is slowed down at the reader, so that it costs its sender only.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import socket
import time
from collections import deque
from collections.abc import Callable
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
from gough.studio import wire
from gough.studio.gate import Gate, allowed_hosts, is_loopback
from gough.studio.session import DEFAULT, Session
from gough.studio.workfolder import WorkFolder

log = logging.getLogger("gough.studio")
PAGES = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/studio.js": ("studio.js", "text/javascript; charset=utf-8"),
    "/studio.css": ("studio.css", "text/css; charset=utf-8"),
    "/favicon.svg": ("favicon.svg", "image/svg+xml"),
}
MOST_CLIENTS = 32
MOST_SILENT, SILENCE = 32, 10.0  # clients that have said nothing yet, and for how long, s
QUICK, HEAVY = (
    8,
    max(1, (os.cpu_count() or 2) - 1),
)  # threads: edits and files; motions, modes, simulations
QUEUE = 64  # unanswered messages of one client, poses not counted
RATE, BURST = 400.0, 800.0  # messages a second, and at once
SLOW = (m.MakeMotion, m.Simulate, m.FindModes, m.SliceWorkspace)


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
        self.heavy = ThreadPoolExecutor(HEAVY, "studio-heavy")
        self.app = Starlette(
            routes=[
                *(Route(path, self.page, methods=["GET", "HEAD"]) for path in PAGES),
                WebSocketRoute("/ws", self.talk),
            ]
        )

    async def page(self, request: Request) -> Response:
        """A file of the built front end; only the four names of `PAGES` exist."""
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
        jobs: set[Session] = set()
        slow: asyncio.Queue[tuple[Session, m.Request]] = asyncio.Queue()
        tasks = [
            asyncio.create_task(self._work(socket, session, mailbox, slow, jobs)),
            asyncio.create_task(self._work_slowly(socket, slow, jobs)),
        ]
        try:
            await self._read(socket, mailbox, jobs, first)
        except WebSocketDisconnect:
            pass
        finally:
            _stop(jobs)
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

    async def _read(
        self, socket: WebSocket, mailbox: Mailbox, jobs: set[Session], first: Any
    ) -> None:
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
                _stop(jobs)
            mailbox.put(message)

    async def _work(
        self,
        socket: WebSocket,
        session: Session,
        mailbox: Mailbox,
        slow: asyncio.Queue[tuple[Session, m.Request]],
        jobs: set[Session],
    ) -> None:
        """Answer in order; long requests get a snapshot of the session and their own lane."""
        loop = asyncio.get_running_loop()
        while True:
            message = await mailbox.take()
            if isinstance(message, SLOW):
                if slow.qsize() < QUEUE:
                    job = session.snapshot()
                    jobs.add(job)
                    slow.put_nowait((job, message))
                else:
                    await _send(
                        socket,
                        m.Failure(message.id, "too many long requests are waiting", kind="busy"),
                    )
            elif isinstance(message, m.SolvePose):
                await _send_text(socket, _answer(session, message, None))
                await asyncio.sleep(0)
            else:
                text = await loop.run_in_executor(self.quick, _answer, session, message, None)
                await _send_text(socket, text)

    async def _work_slowly(
        self,
        socket: WebSocket,
        slow: asyncio.Queue[tuple[Session, m.Request]],
        jobs: set[Session],
    ) -> None:
        """Long requests, one of each client at a time, `HEAVY` of all clients; what was stopped never begins."""
        loop = asyncio.get_running_loop()
        while True:
            session, message = await slow.get()

            def report(fraction: float, text: str, id_: int = message.id) -> None:
                asyncio.run_coroutine_threadsafe(
                    _send(socket, m.Progress(id_, fraction, text)), loop
                )

            text = await loop.run_in_executor(self.heavy, _job, session, message, report)
            jobs.discard(session)
            await _send_text(socket, text)


def _stop(jobs: set[Session]) -> None:
    """End the simulations among them, and those that have not begun."""
    for job in jobs:
        job.stop.set()


def _job(session: Session, message: m.Request, report: Callable[[float, str], None]) -> str:
    if session.stop.is_set():
        return wire.encode(m.Failure(message.id, "stopped before it began", kind="infeasible"))
    return _answer(session, message, report)


async def _close(socket: WebSocket) -> None:
    try:
        await socket.close(1008)
    except RuntimeError:
        return  # closed already


def _answer(
    session: Session, message: m.Request, report: Callable[[float, str], None] | None
) -> str:
    """The text of the answer; a fault of ours is told as such and does not end the server."""
    try:
        return wire.encode(session.handle(message, report))
    except Exception:
        log.exception("a request failed")
        return wire.encode(
            m.Failure(message.id, "the studio made a mistake; its log says more", kind="fault")
        )


async def _send(socket: WebSocket, answer: Any) -> None:
    await _send_text(socket, wire.encode(answer))


async def _send_text(socket: WebSocket, text: str) -> None:
    if socket.application_state == WebSocketState.CONNECTED:
        try:
            await socket.send_text(text)
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

    from gough.studio.patience import patient_protocol

    return uvicorn.Config(
        app,
        http=patient_protocol(),
        log_level="warning",
        ws="websockets-sansio",
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
