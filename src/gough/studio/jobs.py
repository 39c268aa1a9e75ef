"""The long requests of one page: one after the other, by the server's crew; all of them can be stopped."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

from gough.studio import messages as m
from gough.studio.crew import Sent, WorkerCrew
from gough.studio.wire import encode

MOST = 64  # that wait


class PageJob:
    """A request, the session as it was when it came, and whether it was stopped."""

    def __init__(self, session: Any, message: m.Request) -> None:
        self.session, self.message, self.stopped = session, message, False
        self.task: asyncio.Task[Sent] | None = None


class Jobs:
    """Of one client.  `send` takes an answer as it goes over the socket."""

    def __init__(self, crew: WorkerCrew, send: Callable[[Sent], Awaitable[None]]) -> None:
        self._crew, self._send = crew, send
        self._waiting: deque[PageJob] = deque()
        self._current: PageJob | None = None
        self._some = asyncio.Event()
        self._telling: set[asyncio.Task[None]] = set()  # a task that nobody holds may vanish

    def add(self, session: Any, message: m.Request) -> bool:
        """Keep a request for later; False where too many wait."""
        if len(self._waiting) >= MOST:
            return False
        self._waiting.append(PageJob(session, message))
        self._some.set()
        return True

    def stop(self) -> None:
        """End what is computed, whatever it is; what waits never begins."""
        for job in self._waiting:
            job.stopped = True
        if self._current is not None:
            self._current.stopped = True
            if self._current.task is not None:
                self._current.task.cancel()

    async def work(self) -> None:
        """Answer one after the other until this is cancelled."""
        while True:
            while not self._waiting:
                self._some.clear()
                await self._some.wait()
            self._current = self._waiting.popleft()
            answer = await self._answer(self._current)
            self._current = None
            await self._send(answer)

    async def _answer(self, job: PageJob) -> Sent:
        if job.stopped:
            return _stopped(job, "stopped before it began")
        job.task = asyncio.create_task(
            self._crew.answer(job.session, job.message, self._teller(job.message.id))
        )
        try:
            return await job.task
        except asyncio.CancelledError:
            if not job.stopped:
                raise  # the page is gone: not the request but all of this ends
            return _stopped(job, "stopped")

    def _teller(self, id_: int) -> Callable[[float, str], None]:
        def tell(fraction: float, text: str) -> None:
            task = asyncio.ensure_future(self._send(encode(m.Progress(id_, fraction, text))))
            self._telling.add(task)
            task.add_done_callback(self._telling.discard)

        return tell


def _stopped(job: PageJob, text: str) -> Sent:
    return encode(m.Failure(job.message.id, text, kind="infeasible"))
