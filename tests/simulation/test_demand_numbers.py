"""What a run asks for, to the number: bytes, steps, pieces of a long run; refusals on both sides of their edges."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gough
from gough.simulation import demand
from gough.simulation.fixed_run import CHUNK, MEMORY, FixedRun
from gough.simulation.inputs import TimeSignal, _arguments
from gough.simulation.job import Job


@pytest.mark.parametrize("reactions", [False, True])
@pytest.mark.parametrize(("records", "runs", "rows", "samples"), [(7, 3, 18, 0), (5, 1, 30, 9)])
def test_memory_to_the_byte(
    records: int, runs: int, rows: int, samples: int, reactions: bool, monkeypatch: Any
) -> None:
    """Eight bytes a number: states twice, what is told of each record, and the reference at all samples."""
    each = 2 * rows + (demand.REACTIONS if reactions else demand.TOLD)
    need = 8.0 * (records * runs * each + demand.SAMPLED * samples)
    monkeypatch.setattr(demand, "memory", lambda: need)
    demand.check_memory(records, runs, rows, samples, reactions)
    monkeypatch.setattr(demand, "memory", lambda: need - 1.0)
    with pytest.raises(gough.InputError, match=f"{records} records of {runs} runs") as caught:
        demand.check_memory(records, runs, rows, samples, reactions)
    assert ("samples" in str(caught.value)) is bool(samples)
    assert f"need about {need / 1e9:.3g} GB; there are {(need - 1) / 1e9:.3g} GB" in str(
        caught.value
    )


def test_the_memory_of_this_machine_is_pages_of_their_size(monkeypatch: Any) -> None:
    sizes = {"SC_PHYS_PAGES": 1000, "SC_PAGE_SIZE": 4096}
    monkeypatch.setattr(os, "sysconf", sizes.__getitem__)
    assert demand.memory() == 4_096_000.0

    def silent(name: str) -> int:
        raise ValueError(name)

    monkeypatch.setattr(os, "sysconf", silent)
    assert demand.memory() == np.inf


def test_whole_steps_to_a_billionth_of_the_duration() -> None:
    assert demand.grid(1.0, 0.25) == (4, 0.25)
    assert demand.grid(0.25, 0.25) == (1, 0.25)
    assert demand.grid(1.0 + 0.9e-9, 0.25) == (4, 0.25)
    assert demand.grid(1.0 - 0.9e-9, 0.25) == (4, 0.25)
    for duration in (1.0 + 1.2e-9, 1.0 - 1.2e-9, 0.1, 0.12):
        with pytest.raises(gough.InputError, match="whole steps"):
            demand.grid(duration, 0.25)
    assert demand.grid(1e10, 1.0)[0] == 10**10
    with pytest.raises(gough.InputError, match="a run has at most"):
        demand.grid(1e10 + 1.0, 1.0)


def signal(value: Any, runs: int) -> TimeSignal:
    return TimeSignal("force", value, steps=10, step=0.1, runs=runs, batched=runs > 1)


@pytest.mark.parametrize("feedback", [False, True])
@pytest.mark.parametrize(
    ("force", "external", "wide"),
    [
        (None, None, 0),
        (np.zeros(6), None, 0),
        (lambda t: np.zeros(6), None, 400_000),
        (None, np.ones((10, 6)), 1),
        (np.ones((10, 6)), lambda t: np.zeros(6), 400_000),
        (np.ones((10, 6)), np.ones((10, 6)), 1),
    ],
)
def test_a_piece_of_a_run_fits_into_its_memory(
    force: Any, external: Any, wide: int, feedback: bool
) -> None:
    """Three times six numbers a step of each run whose inputs change in time; with feedback a state a step."""
    runs = 400_000
    job = SimpleNamespace(force=signal(force, runs), external=signal(external, runs))
    X = np.zeros((18, runs))
    run: Any = SimpleNamespace(job=job, X=X, feedback=feedback)
    if wide == 1 and not feedback:  # a signal without samples may be as wide as the runs
        widest = max(s.runs if s.samples is None else 1 for s in (job.force, job.external))
    else:
        widest = wide
    each = 8 * X.size if feedback else 144 * widest
    due = CHUNK if not each else max(1, min(CHUNK, MEMORY // each))
    assert FixedRun._chunk(run) == due
    assert feedback or not wide or due < CHUNK or widest == 1


def test_a_builtin_without_a_signature_is_a_function_of_time() -> None:
    assert _arguments("force", max) == 1
    assert _arguments("force", lambda t: t) == 1
    assert _arguments("force", lambda t, motion: t) == 2
    assert _arguments("force", lambda t, scale=2.0: t) == 1


@pytest.mark.parametrize(
    ("steps", "every", "recorded"), [(6, 2, [0, 2, 4, 6]), (7, 3, [0, 3, 6, 7]), (1, 5, [0, 1])]
)
def test_records_samples_and_the_laws_in_force(steps: int, every: int, recorded: list[int]) -> None:
    law: Any = np.zeros((1, 6, 1))
    nothing: Any = None
    job = Job(
        nothing, nothing, "rk4", 0.1, steps, every, nothing, nothing, [(0, law), (3, law), (5, law)]
    )
    assert job.recorded.tolist() == recorded
    for period in (1, 2, 3, 10):
        job.period = period
        assert job.samples == len(range(0, steps, period))
    assert job.law_at(np.array([0, 2, 3, 4, 5, 9])).tolist() == [0, 0, 1, 1, 2, 2]
