"""A Dask cluster as a crew: a window of spans is under way, answers are gathered in batches.

A scheduler gives a task up (`KilledWorker`) when the workers that had it died more than
``distributed.scheduler.allowed-failures`` times, and counts tasks that only waited on them too; `executors.computed`
asks again by halves and at last alone.
"""

from __future__ import annotations

import os
import time
from asyncio import CancelledError
from contextlib import suppress
from functools import partial
from typing import Any

from gough.checks import InputError
from gough.design.executors import Died, Done, Failed, SweepStoppedError, Work, attempted
from gough.design.spans import Span
from gough.extras import package

AHEAD = 2  # spans under way per thread of a worker
WORKERS = {  # environment of workers of our own: one a core, without Dask's profiler (8 % of their time)
    "GOUGH_THREADS": "1",
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
    "DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__INTERVAL": "5s",
}
LOOK = 5.0  # seconds after which the workers are counted again: clusters grow and shrink


class DaskCluster:
    """Workers of a Dask cluster: of a `distributed.Client`, behind an address, or a new one on this machine."""

    def __init__(self, work: Work, workers: int | None, client: Any) -> None:
        distributed = package("distributed")
        from distributed.scheduler import KilledWorker

        self._own = not isinstance(client, distributed.Client)
        self._client = _client(client, workers) if self._own else client
        self._task = partial(attempted, work)
        self._spans: dict[Any, Span] = {}
        self._done = distributed.as_completed(loop=self._client.loop)
        self._deaths = (KilledWorker, MemoryError)
        self._counted, self._threads = -LOOK, 1

    @property
    def workers(self) -> int:
        """Threads of all workers, counted every few seconds."""
        now = time.monotonic()
        if now > self._counted + LOOK:
            self._counted = now
            with suppress(OSError, CancelledError):  # gone: `wait` will find out
                self._threads = max(1, sum(self._client.nthreads().values()))
        return self._threads

    @property
    def under_way(self) -> int:
        """Spans submitted and not gathered."""
        return len(self._spans)

    @property
    def room(self) -> int:
        """What is left of the window."""
        return AHEAD * self.workers - self.under_way

    def start(self, span: Span) -> None:
        """Submit a span."""
        future = self._client.submit(self._task, span, pure=False)
        self._spans[future] = span
        self._done.add(future)

    def wait(self) -> list[Done | Died | Failed]:
        """The next batch of answers."""
        batch = [(future, future.status) for future in self._done.next_batch()]
        finished = [future for future, status in batch if status == "finished"]
        ends: list[Done | Died | Failed] = []
        ends += [self._ended(future, status) for future, status in batch if status != "finished"]
        try:
            ends.extend(self._client.gather(finished))
        except (*self._deaths, OSError, CancelledError):  # a worker died with its answers
            time.sleep(0.1)
            self._done.update(finished)
            return ends
        for future in finished:
            del self._spans[future]
        return ends

    def _ended(self, future: Any, status: str) -> Died | Failed:
        span = self._spans.pop(future)
        if status != "error":
            raise SweepStoppedError(
                "the Dask scheduler has gone away; finished cases are kept: resume when it is back"
            )
        error = future.exception()
        if isinstance(error, self._deaths):
            return Died(span)
        return Failed(span, f"{type(error).__name__}: {error}")

    def close(self) -> None:
        """Take back what is not finished; end the cluster if it is our own."""
        for future in self._spans:
            future.cancel()
        self._spans.clear()
        if self._own:
            self._client.close()


def _client(address: Any, workers: int | None) -> Any:
    """A client of the scheduler at `address`; None: of a new cluster of `workers` processes."""
    from dask import config
    from distributed import Client

    from gough.system import processors

    if address is None:
        settings = {
            "distributed.scheduler.allowed-failures": 0,  # halved at once
            "distributed.worker.profile.enabled": False,
            "distributed.admin.system-monitor.interval": "5s",
        }
        given = {name: os.environ.get(name, value) for name, value in WORKERS.items()}
        with config.set(settings):
            return Client(
                n_workers=workers or processors(),
                threads_per_worker=1,
                dashboard_address=None,
                env=given,
            )
    if not isinstance(address, str):
        allowed = "must be a distributed.Client or the address of a scheduler"
        raise InputError("client", address, allowed)
    try:
        return Client(address)
    except (OSError, ValueError) as error:
        why = " ".join(str(error).split()) or type(error).__name__
        allowed = f"no Dask scheduler answers there ({why})"
        raise InputError("client", address, allowed) from None
