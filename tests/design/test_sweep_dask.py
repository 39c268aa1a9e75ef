"""Sweeps on Dask: the same bytes, a window of spans, clear errors that leave nothing behind."""

from __future__ import annotations

import csv
import runpy
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import gough
from gough.design import parameter_sweep, read_sweep, sweep
from gough.design.dask_cluster import AHEAD, DaskCluster
from gough.design.executors import Died, Failed, SweepStoppedError, computed
from gough.design.parameter_sweep import GIVEN_UP
from gough.design.spans import Span, Supply
from support.sweeps import deadly_span, tables

distributed = pytest.importorskip("distributed")
from distributed.scheduler import KilledWorker  # noqa: E402

SCRIPT = Path(__file__).parents[2] / "examples" / "design" / "sweep_slurm.py"


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """A cluster inside this process: a scheduler, one worker, two threads."""
    with distributed.Client(
        processes=False, n_workers=1, threads_per_worker=2, dashboard_address=None
    ) as made:
        yield made


def counted(span: Span) -> list[int]:
    return list(range(*span))


def test_dask_gives_the_same_bytes(folder: Path, tmp_path: Path, client: Any) -> None:
    plan, seen = read_sweep(folder / "spec.toml"), []
    sweep(
        plan,
        tmp_path,
        executor="dask",
        client=client,
        formats=("csv", "nc", "parquet"),
        progress=lambda done, total: seen.append((done, total)),
    )
    assert tables(tmp_path) == tables(folder / "whole")
    assert seen[0] == (0, 16)
    assert seen[-1] == (16, 16)


def test_a_window_of_spans_is_under_way(client: Any) -> None:
    """However many spans there are, the scheduler holds a few: each answer is taken before the next is sent."""
    crew, most, rows = DaskCluster(counted, None, client), 0, []
    for end in computed(crew, Supply([Span(0, 60)], 1)):
        most = max(most, crew.under_way)
        rows += end.rows if not isinstance(end, Died) else []
    assert sorted(rows) == list(range(60))
    assert crew.workers == 2
    assert 0 < most <= AHEAD * 2
    assert not crew.under_way
    crew.close()
    assert client.status == "running"  # the user's own client stays open


def fails(span: Span) -> list[int]:
    raise FileNotFoundError("/nowhere/machine.toml")


def exhausted(span: Span) -> list[int]:
    raise MemoryError


def test_what_workers_cannot_do_is_said(client: Any) -> None:
    for work, wanted in (
        (fails, Failed(Span(0, 2), "FileNotFoundError: /nowhere/machine.toml")),
        (exhausted, Died(Span(0, 2))),
    ):
        crew = DaskCluster(work, None, client)
        crew.start(Span(0, 2))
        assert crew.wait() == [wanted]


def test_a_scheduler_that_gives_a_task_up_says_so(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The words of the scheduler itself: workers died with the task; or the code is not there."""
    last: Any = SimpleNamespace(address="tcp://a")
    killed = KilledWorker("task", last, 3)
    for error, kind in ((killed, Died), (ModuleNotFoundError("No module named 'gough'"), Failed)):
        crew = DaskCluster(counted, None, client)
        monkeypatch.setattr(crew, "_task", partial(_raise, error))
        crew.start(Span(0, 2))
        (end,) = crew.wait()
        assert isinstance(end, kind)
        assert end.span == Span(0, 2)


def _raise(error: Exception, span: Span) -> None:
    raise error


def test_cancelled_work_stops_the_sweep(client: Any) -> None:
    crew = DaskCluster(counted, None, client)
    crew.start(Span(0, 1))
    for future in crew._spans:
        future.cancel()
    with pytest.raises(SweepStoppedError, match="scheduler has gone away"):
        crew.wait()


def test_a_plan_that_workers_do_not_see_leaves_nothing(
    folder: Path, tmp_path: Path, client: Any
) -> None:
    plan = replace(read_sweep(folder / "spec.toml"), path=str(tmp_path / "nowhere.toml"))
    with pytest.raises(gough.InputError, match=r"no use to the workers: .*nowhere.toml"):
        sweep(plan, tmp_path / "out", executor="dask", client=client)
    other = replace(read_sweep(folder / "spec.toml"), identity="of other code")
    with pytest.raises(gough.InputError, match="this worker has other code"):
        sweep(other, tmp_path / "out", executor="dask", client=client)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nonsense://a", "no host at all", 7])
def test_a_scheduler_that_is_not_there_leaves_nothing(
    folder: Path, tmp_path: Path, address: object
) -> None:
    from dask import config

    plan = read_sweep(folder / "spec.toml")
    with (
        config.set({"distributed.comm.timeouts.connect": "0.3s"}),
        pytest.raises(gough.InputError, match=r"client: got .*(no Dask scheduler|must be a)"),
    ):
        sweep(plan, tmp_path / "out", executor="dask", client=address)
    assert list(tmp_path.iterdir()) == []


def test_the_slurm_script_asks_for_jobs_and_resumes(
    folder: Path,
    tmp_path: Path,
    client: Any,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """SLURM's cluster replaced by ours: what it would be asked for, and twice the same table."""
    asked: list[dict[str, Any]] = []

    class Stand:
        def __init__(self, **given: Any) -> None:
            asked.append(given)

        def __getattr__(self, name: str) -> Any:
            return getattr(client.cluster, name)

        def __enter__(self) -> Stand:
            return self

        def __exit__(self, *_: object) -> None: ...

        def scale(self, jobs: int) -> None:
            asked[-1]["jobs"] = jobs

    module = ModuleType("dask_jobqueue")
    module.SLURMCluster = Stand  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "dask_jobqueue", module)
    words = [folder / "spec.toml", tmp_path / "out", "--jobs", 3, "--minutes", 90]
    monkeypatch.setattr(sys, "argv", [str(word) for word in ("script", *words)])
    for _ in range(2):
        runpy.run_path(str(SCRIPT), run_name="__main__")
    wanted = (folder / "whole" / "results.parquet").read_bytes()
    assert (tmp_path / "out" / "results.parquet").read_bytes() == wanted
    assert capsys.readouterr().out.count("results.parquet") == 2
    assert [(given["walltime"], given["jobs"]) for given in asked] == [("01:30:00", 3)] * 2
    assert asked[0]["worker_extra_args"][1] == "85m"
    assert asked[0]["processes"] == asked[0]["cores"]


@pytest.mark.slow
def test_a_design_that_kills_its_dask_worker_is_one_row(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cluster of our own: its workers are processes, and are replaced when they die."""
    plan = read_sweep(folder / "spec.toml")
    deadly = partial(deadly_span, plan.path, "", plan.identity, case=7)
    monkeypatch.setattr(parameter_sweep, "_crew", lambda *_: DaskCluster(deadly, 1, None))
    sweep(plan, tmp_path, executor="dask", formats=("csv",), chunk=4)
    with (tmp_path / "results.csv").open() as file:
        rows = list(csv.reader(file))
    with (folder / "whole" / "results.csv").open() as file:
        whole = list(csv.reader(file))
    assert [k for k in range(17) if rows[k] != whole[k]] == [8]
    assert rows[8][-1] == GIVEN_UP
