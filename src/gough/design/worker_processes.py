"""Local worker processes: each has one span at a time, so whose worker died is known; dead workers are replaced."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from gough.design.executors import Died, Done, Failed, SweepStoppedError, Work, attempted
from gough.design.spans import Span
from gough.system import ignore_interrupts

STILLBORN = 3  # workers that die before they are ready, one after the other


class _Worker:
    """A process, the pipe to it, and the span that it has."""

    def __init__(self, work: Work) -> None:
        context = get_context("spawn")
        self.pipe, there = context.Pipe()
        self.process: BaseProcess = context.Process(target=_serve, args=(there, work))
        self.process.start()
        there.close()  # the worker's end is its own: when it dies, the pipe ends
        self.span: Span | None = None
        self.ready = False

    def give(self, span: Span) -> None:
        self.span = span
        with suppress(OSError):  # dead: `wait` will find out
            self.pipe.send(span)

    def end(self) -> None:
        self.pipe.close()
        self.process.kill()
        self.process.join()


class Processes:
    """Fresh local processes as a crew."""

    def __init__(self, work: Work, workers: int) -> None:
        self.workers, self._work = workers, work
        self._team: list[_Worker] = []
        self._stillborn = 0

    @property
    def under_way(self) -> int:
        """Spans that workers have."""
        return sum(worker.span is not None for worker in self._team)

    @property
    def room(self) -> int:
        """One span a worker."""
        return self.workers - self.under_way

    def start(self, span: Span) -> None:
        """Give the span to a worker that has none, or to a new one."""
        free = next((worker for worker in self._team if worker.span is None), None)
        if free is None:
            free = _Worker(self._work)
            self._team.append(free)
        free.give(span)

    def wait(self) -> list[Done | Died | Failed]:
        """What the workers have sent, and who died."""
        ends: list[Done | Died | Failed] = []
        pipes: dict[Any, _Worker] = {worker.pipe: worker for worker in self._team}
        for pipe in wait(list(pipes)):
            worker = pipes[pipe]
            try:
                answer = worker.pipe.recv()
            except (EOFError, OSError):
                ends.extend(self._buried(worker))
                continue
            if answer is None:
                worker.ready, self._stillborn = True, 0
            else:
                worker.span = None
                ends.append(answer)
        return ends

    def _buried(self, worker: _Worker) -> list[Died | Failed]:
        """Strike a dead worker off; its span, if it had begun with it."""
        self._team.remove(worker)
        worker.end()
        if worker.span is None:
            return []
        if worker.ready:
            return [Died(worker.span)]
        self._stillborn += 1
        if self._stillborn == STILLBORN:
            raise SweepStoppedError(
                f"{STILLBORN} worker processes ended before they were ready (exit code "
                f"{worker.process.exitcode}); finished cases are kept.  A script that starts workers needs "
                'its calls under: if __name__ == "__main__":'
            )
        self.start(worker.span)
        return []

    def close(self) -> None:
        """End all workers at once."""
        for worker in self._team:
            worker.end()
        self._team.clear()


def _serve(pipe: Connection, work: Work) -> None:
    """A worker's life: None when it is ready, then an answer for each span."""
    ignore_interrupts()  # the parent hears it too, and ends us
    os.environ.setdefault("GOUGH_THREADS", "1")  # one worker a core already
    end_with_parent()
    pipe.send(None)
    while True:
        try:
            span = pipe.recv()
        except EOFError:
            return
        pipe.send(attempted(work, span))


def end_with_parent() -> None:
    """Workers of a killed parent must not live on: a thread waits for its end."""
    parent = parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
