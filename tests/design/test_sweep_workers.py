"""Sweeps on worker processes: the same bytes whoever is killed, and one row for a design that kills its worker."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import time
from functools import partial
from math import isnan
from pathlib import Path

import pytest

import gough
from gough.design import parameter_sweep, read_sweep, sweep
from gough.design.executors import Died, SweepStoppedError
from gough.design.parameter_sweep import GIVEN_UP
from gough.design.spans import Span
from gough.design.worker_processes import STILLBORN, Processes
from support.sweeps import SPEC, alive, command, deadly_span, tables, workers_of

needs_proc = pytest.mark.skipif(
    not Path("/proc/self/task").exists(), reason="looks for workers in /proc"
)


@needs_proc
def test_killed_process_resumes_to_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    """SIGKILL with worker processes at work, twice; no worker outlives it; then to the end."""
    out = tmp_path / "out"
    orphans: list[int] = []
    for kill, seen in enumerate((2, 4)):
        extra = ["--resume"] if kill else []
        process = subprocess.Popen(
            command(folder / "spec.toml", "--out", out, "--workers", "1", *extra),
            stderr=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 120
        while process.poll() is None and time.monotonic() < deadline:
            journal = out / "journal"
            if journal.exists() and journal.read_bytes().count(b"\n") >= seen:
                break
            time.sleep(0.005)
        orphans += workers_of(process.pid)
        process.send_signal(signal.SIGKILL)
        process.wait()
    deadline = time.monotonic() + 30
    while any(map(alive, orphans)) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not any(map(alive, orphans))
    done = subprocess.run(
        command(
            folder / "spec.toml",
            "--out",
            out,
            "--resume",
            "--format",
            "csv,nc,parquet",
            "--workers",
            "2",
        ),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert tables(out) == tables(folder / "whole")


@needs_proc
def test_a_killed_worker_costs_nothing(folder: Path, tmp_path: Path) -> None:
    """Killed as soon as it is seen, before it is ready or after: the sweep goes on with another."""
    process = subprocess.Popen(
        command(folder / "spec.toml", "--out", tmp_path / "out", "--workers", "1"),
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    deadline = time.monotonic() + 120
    while (
        not (found := workers_of(process.pid))
        and process.poll() is None
        and time.monotonic() < deadline
    ):
        time.sleep(0.002)
    for pid in found:
        os.kill(pid, signal.SIGKILL)
    _, said = process.communicate(timeout=120)
    assert found
    assert process.returncode == 0, said
    whole = tables(folder / "whole")
    assert tables(tmp_path / "out") == {k: v for k, v in whole.items() if "parquet" not in k}


def test_a_design_that_kills_its_worker_is_one_row(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = read_sweep(folder / "spec.toml")
    deadly = Processes(partial(deadly_span, plan.path, "", plan.identity, case=7), 1)
    monkeypatch.setattr(parameter_sweep, "_crew", lambda *_: deadly)
    sweep(plan, tmp_path, executor="processes", formats=("csv",), chunk=2)
    whole = (folder / "whole" / "results.csv").read_text().splitlines()
    found = (tmp_path / "results.csv").read_text().splitlines()
    assert [k for k, pair in enumerate(zip(whole, found, strict=True)) if len(set(pair)) > 1] == [8]
    with (tmp_path / "results.csv").open() as file:
        row = list(csv.DictReader(file))[7]
    assert row["status"] == GIVEN_UP
    assert row["base_radius [m]"] == "0.6"
    assert isnan(float(row["dexterity [1]"]))


def stillborn(span: Span) -> list[int]:
    raise AssertionError("never called")


def end_with(code: int) -> None:
    os._exit(code)


class Unreadable:
    """Work that no worker can take over: it ends the process that unpickles it."""

    def __reduce__(self) -> tuple[object, tuple[int]]:
        return end_with, (3,)

    def __call__(self, span: Span) -> list[int]:
        return stillborn(span)


def test_workers_that_end_before_they_are_ready_stop_the_sweep() -> None:
    crew = Processes(Unreadable(), 1)
    crew.start(Span(0, 1))
    assert [crew.wait() for _ in range(STILLBORN - 1)] == [[], []]
    with pytest.raises(SweepStoppedError, match=r"ended before they were ready \(exit code 3\)"):
        crew.wait()
    assert crew.under_way == 0


def exhausted(span: Span) -> list[int]:
    raise MemoryError


def test_memory_that_ends_is_a_death_and_workers_are_used_again() -> None:
    crew = Processes(exhausted, 1)
    for span in (Span(0, 2), Span(2, 3)):
        crew.start(span)
        ends = []
        while not ends:
            ends = crew.wait()
        assert ends == [Died(span)]
    crew.close()
    assert crew.under_way == 0


def test_a_plan_that_workers_cannot_read_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "spec.toml").write_text(SPEC)
    plan = read_sweep(tmp_path / "spec.toml")
    (tmp_path / "spec.toml").unlink()
    with pytest.raises(gough.InputError, match=r"no use to the workers: .*spec.toml"):
        sweep(plan, tmp_path / "out", executor="processes", workers=1)
    assert not (tmp_path / "out").exists()
