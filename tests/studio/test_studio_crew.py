"""Long requests end at once when they are stopped, whatever they compute; their place is free again."""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gough.studio import messages as m
from gough.studio.crew import DIED, HeldWorker, WorkerCrew, answered
from gough.studio.jobs import MOST, Jobs
from gough.studio.session import Session
from gough.studio.workfolder import WorkFolder

LONG = 60.0  # s, of a request that is stopped
SHORT = m.SliceWorkspace(7, m.PoseInput((0.0, 0.0, 1.15)), points=21)


class Slow(Session):
    """A session whose long requests last: asleep, in compiled code that looks at nothing, or dead at once."""

    def handle(self, message: m.Request, report: Any = None) -> Any:
        if isinstance(message, m.FindModes):
            time.sleep(LONG)
        if isinstance(message, m.MakeMotion):
            os._exit(9)
        if isinstance(message, m.Simulate):
            report(0.5, "half")
            deaf()
        return super().handle(message, report)


def deaf() -> None:
    """One call of C code for longer than any test: no flag could end it."""
    sum(range(10**11))


@pytest.fixture
def slow(tmp_path: Path) -> Slow:
    session = Slow(WorkFolder(tmp_path))
    session.handle(m.OpenMachine(1, "start"))
    return session


@pytest.fixture(scope="module")
def crew() -> Iterator[WorkerCrew]:
    made = WorkerCrew(2)
    yield made
    made.close()


def quiet(fraction: float, text: str) -> None:
    """Nobody listens."""


async def until(true: Callable[[], Any]) -> None:
    for _ in range(3000):
        if true():
            return
        await asyncio.sleep(0.02)
    raise TimeoutError


def alive(pid: int | None) -> bool:
    assert pid is not None
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


ENDLESS = [m.FindModes(3, SHORT.pose), m.Simulate(4, m.MakeMotion(4, "demo"))]


@pytest.mark.parametrize("message", ENDLESS, ids=["asleep", "deaf"])
def test_a_stopped_request_ends_with_its_process(
    crew: WorkerCrew, slow: Slow, message: Any
) -> None:
    async def story() -> tuple[int | None, Any]:
        task = asyncio.create_task(crew.answer(slow, message, quiet))
        await until(lambda: crew.busy)
        pid = next(iter(crew.busy)).process.pid
        await asyncio.sleep(0.2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await until(lambda: not crew.busy and not alive(pid))
        return pid, await crew.answer(slow, SHORT, quiet)

    pid, answer = asyncio.run(story())
    assert not alive(pid), "neither a process nor a zombie"
    assert answer == answered(slow, SHORT, None), "its place serves the next, and rightly"


def test_a_worker_that_dies_is_one_sentence_and_a_new_worker(crew: WorkerCrew, slow: Slow) -> None:
    async def story() -> tuple[Any, Any]:
        died = await crew.answer(slow, m.MakeMotion(9, "demo"), quiet)
        return json.loads(died), await crew.answer(slow, SHORT, quiet)

    failure, answer = asyncio.run(story())
    assert failure == {"type": "Failure", "id": 9, "text": DIED, "field": "", "kind": "fault"}
    assert answer == answered(slow, SHORT, None)


def test_a_worker_killed_while_idle_is_not_asked(crew: WorkerCrew, slow: Slow) -> None:
    async def story() -> Any:
        await crew.answer(slow, SHORT, quiet)
        for worker in list(crew.idle):
            worker.process.kill()
            worker.process.join()
        return await crew.answer(slow, SHORT, quiet)

    assert asyncio.run(story()) == answered(slow, SHORT, None)


def test_simulations_leave_a_place_to_the_others(slow: Slow) -> None:
    """Six pages simulate, a seventh asks for a slice: it is answered while all six still run or wait."""
    crew = WorkerCrew(2)
    told: list[str] = []

    async def story() -> Any:
        runs = [
            asyncio.create_task(crew.answer(slow, ENDLESS[1], lambda f, text: told.append(text)))
            for _ in range(6)
        ]
        await until(lambda: told)
        answer = await crew.answer(slow, SHORT, quiet)
        assert not any(run.done() for run in runs)
        for run in runs:
            run.cancel()
        await asyncio.gather(*runs, return_exceptions=True)
        await until(lambda: not crew.busy)
        return answer

    try:
        assert asyncio.run(story()) == answered(slow, SHORT, None)
        assert told == ["half"], "one simulation of two places"
    finally:
        crew.close()
    assert crew.idle == []


def test_no_worker_outlives_its_crew(slow: Slow) -> None:
    crew = WorkerCrew(2)

    async def story() -> int:
        task = asyncio.create_task(crew.answer(slow, ENDLESS[0], quiet))
        await until(lambda: crew.busy and crew.idle)
        pids = [worker.process.pid for worker in (*crew.busy, *crew.idle)]
        crew.close()
        assert DIED in str(await task)
        await until(lambda: not any(map(alive, pids)))
        crew.warm()
        await asyncio.sleep(0.1)
        return len(crew.idle)

    assert asyncio.run(story()) == 0


def test_a_request_stopped_before_or_after_its_worker_harms_no_other() -> None:
    killed: list[int] = []

    class Fake:
        """Counts what was done to its process."""

        process = type("P", (), {"kill": staticmethod(lambda: killed.append(1))})()

    held = HeldWorker()
    held.stop()
    assert not held.take(Fake())  # type: ignore[arg-type]
    late = HeldWorker()
    assert late.take(Fake())  # type: ignore[arg-type]
    assert late.let_go()
    late.stop()
    assert killed == []


def test_a_page_stops_what_it_computes_and_what_waits(slow: Slow) -> None:
    crew = WorkerCrew(2)
    sent: list[Any] = []

    async def send(answer: Any) -> None:
        sent.append(json.loads(answer))

    async def story() -> None:
        jobs = Jobs(crew, send)
        work = asyncio.create_task(jobs.work())
        for id_ in (1, 2, 3):
            assert jobs.add(slow, m.FindModes(id_, SHORT.pose))
        await until(lambda: crew.busy)
        jobs.stop()
        await until(lambda: len(sent) == 3)
        jobs.add(slow, SHORT)
        await until(lambda: len(sent) == 4)
        jobs.add(slow, ENDLESS[0])
        await until(lambda: crew.busy)
        jobs.stop()  # the page closes
        work.cancel()
        await until(lambda: not crew.busy)
        jobs = Jobs(crew, send)
        assert [jobs.add(slow, SHORT) for _ in range(MOST + 1)] == [True] * MOST + [False]

    try:
        asyncio.run(story())
    finally:
        crew.close()
    assert [answer["text"] for answer in sent[:3]] == ["stopped", *["stopped before it began"] * 2]
    assert sent[3]["type"] == "SliceShown"


def test_a_snapshot_travels_whole(slow: Slow) -> None:
    slow.carried(m.Payload(5.0))
    taken = pickle.loads(pickle.dumps(slow.snapshot()))
    assert taken.platform == slow.platform
    assert (taken.label, taken.count, taken.folder.root) == (
        slow.label,
        slow.count,
        slow.folder.root,
    )
    assert taken._carried is None
    assert slow._carried is not None
