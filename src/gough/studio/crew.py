"""Long requests in worker processes of their own, so that they can be ended at any instant, whatever they compute.

No library call has to look at a flag: a stopped request ends with its process, and a fresh one takes its place.  The
processes are spawned, not forked (threads and compiled code do not survive a fork), and one idle worker is kept warm
beyond the busy ones, so that the next request does not wait for a start.  At most `WORKERS` compute at once; of these
simulations and cues leave one for shorter requests.  A worker ends with the server, also with one that was killed.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import pickle
import threading
import time
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

from gough.design.worker_processes import end_with_parent
from gough.studio import messages as m
from gough.studio import wire
from gough.studio.cueing_messages import MakeCue
from gough.system import ignore_interrupts, processors

log = logging.getLogger("gough.studio")
WORKERS = max(2, min(8, processors()))  # that compute at once
SPARE = 1  # idle workers kept beyond the busy ones
LONG = (m.Simulate, MakeCue)  # requests that leave one worker to the others
PAUSE = 0.1  # s between two words on progress
FAULT = "the studio made a mistake; its log says more"
DIED = "the process that computed this ended unexpectedly; nothing was changed, ask again"

Report = Callable[[float, str], None]
Sent = str | bytes  # an answer as it goes over the socket


class WorkerDiedError(Exception):
    """The process of a worker ended before its answer came."""


class Worker:
    """A process that answers one request at a time."""

    def __init__(self) -> None:
        context = get_context("spawn")
        self.pipe, there = context.Pipe()
        self.process = context.Process(target=live, args=(there,), daemon=True)
        self.process.start()
        there.close()  # the worker's end is its own: when it dies, the pipe ends

    def ask(self, state: bytes, message: m.Request, report: Report) -> Sent:
        """The answer to `message` by a pickled session; waits for it, telling progress."""
        try:
            self.pipe.send((state, message))
            while True:
                told = self.pipe.recv()
                if not isinstance(told, tuple):
                    return told
                report(*told)
        except (EOFError, OSError):
            raise WorkerDiedError from None

    def bury(self) -> None:
        """End it and leave nothing of it: no process, no pipe; by the thread that asks it, or where nobody does."""
        self.process.kill()
        self.process.join()
        self.pipe.close()
        self.process.close()


class HeldWorker:
    """The worker that a request has, while it has one; who stops the request ends no worker of another."""

    def __init__(self) -> None:
        self.worker: Worker | None = None
        self.stopped = False
        self._lock = threading.Lock()

    def take(self, worker: Worker) -> bool:
        """Hold a worker; False where the request was stopped meanwhile."""
        with self._lock:
            self.worker = None if self.stopped else worker
            return not self.stopped

    def let_go(self) -> bool:
        """The answer is there; False where the worker was ended at the last instant."""
        with self._lock:
            self.worker = None
            return not self.stopped

    def stop(self) -> None:
        """End the process at once."""
        with self._lock:
            self.stopped = True
            if self.worker is not None:
                self.worker.process.kill()


class WorkerCrew:
    """The workers of one server."""

    def __init__(self, workers: int = WORKERS) -> None:
        self.workers = workers
        self.idle: list[Worker] = []
        self.busy: set[Worker] = set()
        self._places = asyncio.Semaphore(workers)
        self._long = asyncio.Semaphore(max(1, workers - 1))
        self._lock = threading.Lock()
        self._closed = False

    async def answer(self, session: Any, message: m.Request, report: Report) -> Sent:
        """The answer to a request on a snapshot of a session; cancelling this coroutine ends its process."""
        loop, held = asyncio.get_running_loop(), HeldWorker()
        done: asyncio.Future[Sent] = loop.create_future()
        state = pickle.dumps(session)

        def told(fraction: float, text: str) -> None:
            loop.call_soon_threadsafe(report, fraction, text)

        def work() -> None:
            try:
                found = self._asked(held, state, message, told)
            except OSError as error:  # no more processes, memory or files
                log.exception("no worker")
                found = _failure(message, f"no process could be started for this: {error.strerror}")
            with contextlib.suppress(RuntimeError):  # the server has ended meanwhile
                loop.call_soon_threadsafe(lambda: done.done() or done.set_result(found))

        async with self._turn(message), self._places:
            threading.Thread(target=work, daemon=True).start()
            try:
                return await done
            except asyncio.CancelledError:
                held.stop()
                raise

    def _turn(self, message: m.Request) -> Any:
        return self._long if isinstance(message, LONG) else contextlib.nullcontext()

    def warm(self) -> None:
        """Start a spare worker where none is idle, without waiting for it."""
        threading.Thread(target=self._fill, daemon=True).start()

    def close(self) -> None:
        """End every worker; those who asked them find the pipe ended."""
        with self._lock:
            self._closed = True
            idle, self.idle = self.idle, []
            for worker in self.busy:
                worker.process.kill()
        for worker in idle:
            worker.bury()

    def _asked(self, held: HeldWorker, state: bytes, message: m.Request, report: Report) -> Sent:
        """In a thread of its own: take a worker, ask it, give it back or bury it."""
        worker = self._take()
        self.warm()
        if not held.take(worker):
            self._give_back(worker)
            return ""
        try:
            answer = worker.ask(state, message, report)
        except WorkerDiedError:
            answer = _failure(message, DIED)
            if not held.stopped:
                log.warning("a worker ended while it answered %s", type(message).__name__)
            held.stop()
        self._give_back(worker, well=held.let_go())
        return answer

    def _take(self) -> Worker:
        """An idle worker that lives, or a new one."""
        while True:
            with self._lock:
                worker = self.idle.pop() if self.idle else None
            if worker is not None and not worker.process.is_alive():
                worker.bury()
                continue
            worker = worker or Worker()
            with self._lock:
                self.busy.add(worker)
            return worker

    def _give_back(self, worker: Worker, *, well: bool = True) -> None:
        """Idle again; a dead one, or one more than is kept, is buried and replaced where none is idle."""
        with self._lock:
            self.busy.discard(worker)
            well = well and len(self.idle) <= SPARE and not self._closed
            if well:
                self.idle.append(worker)
        if not well:
            worker.bury()
            self.warm()

    def _fill(self) -> None:
        with self._lock:
            if len(self.idle) < SPARE and not self._closed:
                self.idle.insert(0, Worker())  # taken after those that have worked already


def _failure(message: m.Request, text: str) -> Sent:
    return wire.encode(m.Failure(message.id, text, kind="fault"))


def live(pipe: Connection) -> None:
    """A worker's life: an answer for each request; progress goes before it as a pair."""
    ignore_interrupts()  # the server hears it too, and ends us
    end_with_parent()
    import gough.studio.session  # noqa: F401  what every request needs, before the first one comes

    last: tuple[bytes, Any] = (b"", None)
    while True:
        try:
            state, message = pipe.recv()
        except (EOFError, OSError):
            return
        if state != last[0]:  # the same machine as before: what was computed of it is still at hand
            last = (state, pickle.loads(state))
        pipe.send(answered(last[1], message, _paced(pipe.send)))


def _paced(send: Callable[[Any], None]) -> Report:
    """Progress, not more often than every `PAUSE`."""
    before = -PAUSE

    def report(fraction: float, text: str) -> None:
        nonlocal before
        now = time.monotonic()
        if now - before >= PAUSE:
            before = now
            send((fraction, text))

    return report


def answered(session: Any, message: m.Request, report: Report | None) -> Sent:
    """The answer as it is sent; a fault of ours is told as such and ends nothing."""
    try:
        return wire.encode(session.handle(message, report))
    except Exception:
        log.exception("a request failed")
        return _failure(message, FAULT)
