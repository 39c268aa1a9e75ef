"""Where numbered pieces of work run: in this process, in local processes, on a Dask cluster."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, TypeVar

from gough.checks import InputError

EXECUTORS = ("serial", "processes", "dask")
T = TypeVar("T")


class SweepStoppedError(RuntimeError):
    """The sweep stopped before its end; what is finished is kept, and it can be resumed."""


def computed(
    work: Callable[[int], T], numbers: list[int], executor: str, workers: int | None, client: Any
) -> Iterator[T]:
    """``work(number)`` of all numbers, in the order in which they are finished; `work` is sent by pickle."""
    if executor == "processes" and numbers:
        yield from _on_processes(work, numbers, workers)
    elif executor == "dask" and numbers:
        yield from _on_dask(work, numbers, workers, client)
    else:
        yield from map(work, numbers)


def _on_processes(work: Callable[[int], T], numbers: list[int], workers: int | None) -> Iterator[T]:
    """Local processes, started fresh; at most four pieces a worker are under way."""
    from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    from gough.engines.native import processors

    count = workers or processors()
    with ProcessPoolExecutor(
        count, mp_context=get_context("spawn"), initializer=_end_with_parent
    ) as pool:
        todo = iter(numbers)
        running: set[Future[T]] = set()
        try:  # a worker can be killed while the first pieces are still being handed out
            running |= {pool.submit(work, k) for k in islice(todo, 4 * count)}
            while running:
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for item in done:
                    yield item.result()
                running |= {pool.submit(work, k) for k in islice(todo, len(done))}
        except BrokenProcessPool as error:
            raise SweepStoppedError(
                "a worker process was killed (out of memory?); finished chunks are kept: "
                "resume, with fewer workers if memory is short"
            ) from error
        finally:
            for item in running:
                item.cancel()


def _end_with_parent() -> None:
    """Workers of a killed parent must not live on: a thread waits for its end."""
    import threading
    from multiprocessing import parent_process

    parent = parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    os.environ.setdefault("GOUGH_THREADS", "1")  # one worker a core already
    threading.Thread(target=watch, daemon=True).start()


def _on_dask(
    work: Callable[[int], T], numbers: list[int], workers: int | None, client: Any
) -> Iterator[T]:
    """A Dask cluster; it may run a piece twice, which must change nothing.  Workers must see the files `work` reads."""
    try:
        from distributed import Client, as_completed
    except ImportError:
        raise InputError("executor", "dask", "needs the extra: pip install gough[dask]") from None
    own = not isinstance(client, Client)
    if own:
        client = (
            Client(client)
            if client is not None
            else Client(n_workers=workers or 1, threads_per_worker=1)
        )
    try:
        futures = [client.submit(work, k, pure=False) for k in numbers]
        for future in as_completed(futures):
            yield future.result()
    finally:
        if own:
            client.close()
