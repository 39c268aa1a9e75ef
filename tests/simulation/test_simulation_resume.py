"""A killed run goes on from its last piece and ends with the same bits."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import gough
from gough.control import Decentralized, Sampling
from gough.simulation import Brake

CODE = """
import sys, time
sys.path.insert(0, {tests!r})
from test_simulation_resume import run
left = {pieces}
def wait(share):
    global left
    left -= 1
    while left <= 0:
        time.sleep(1)
run({folder!r}, resume=True, progress=wait)
"""


def run(folder: str | None, *, resume: bool = False, duration: float = 3.0, **more):  # type: ignore[no-untyped-def]
    """Control with noise, delay, observer, quantization, integral and a brake: everything with a memory."""
    machine = gough.load("motion-base-1500")
    path = gough.trajectory.harmonic(
        ((0, 0, 1.15), (0, 0, 0)), [0.02, 0, 0.03, 0.02, 0, 0], 0.5, duration=10.0
    )
    controller = Decentralized.from_bandwidth(machine, bandwidth=40.0, integral=0.2)
    sampling = Sampling(rate=500.0, delay=2e-3, noise=1e-6, quantization=1e-6, velocity="observed")
    return gough.simulate(
        machine,
        path(0.0),
        duration=duration,
        controller=controller,
        reference=path,
        sampling=sampling,
        faults=[Brake(2.9, 1e4)],
        output=4e-3,
        checkpoint=folder,
        resume=resume,
        **more,
    )


@pytest.fixture(scope="module")
def whole():  # type: ignore[no-untyped-def]
    return run(None)


def same(a, b) -> bool:  # type: ignore[no-untyped-def]
    return all(np.array_equal(a[n].values, b[n].values, equal_nan=True) for n in a.data_vars)


def test_kill_and_resume(tmp_path: Path, whole) -> None:  # type: ignore[no-untyped-def]
    folder = tmp_path / "run"
    tests = str(Path(__file__).parent)
    for count, more in ((1, 1), (3, 2)):
        code = CODE.format(tests=tests, folder=str(folder), pieces=more)
        child = subprocess.Popen(
            [sys.executable, "-c", code], env={**os.environ, "NUMBA_NUM_THREADS": "1"}
        )
        deadline = time.monotonic() + 300
        while len(list(folder.glob("piece-*.npz"))) < count and child.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        child.send_signal(signal.SIGKILL)
        child.wait()
        assert len(list(folder.glob("piece-*.npz"))) == count
    resumed = run(str(folder), resume=True)
    assert resumed.attrs["status"] == "ok"
    assert same(resumed, whole)


def test_a_torn_or_damaged_piece_is_computed_again(tmp_path: Path, whole) -> None:  # type: ignore[no-untyped-def]
    folder = tmp_path / "run"
    run(str(folder))
    pieces = sorted(folder.glob("piece-*.npz"))
    data = bytearray(pieces[2].read_bytes())
    data[len(data) // 2] ^= 0xFF
    pieces[2].write_bytes(bytes(data))
    pieces[4].write_bytes(pieces[4].read_bytes()[:100])
    assert same(run(str(folder), resume=True), whole)


def test_a_folder_belongs_to_one_run(tmp_path: Path) -> None:
    folder = str(tmp_path / "run")
    run(folder, duration=0.4)
    with pytest.raises(gough.InputError, match="resume=True"):
        run(folder, duration=0.4)
    with pytest.raises(gough.InputError, match="another run"):
        run(folder, duration=0.8, resume=True)
    (tmp_path / "run" / "run.json").write_text("{")
    with pytest.raises(gough.InputError, match="not readable"):
        run(folder, duration=0.4, resume=True)


def test_progress_is_told() -> None:
    told: list[float] = []
    run(None, duration=2.0, progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1.0
    assert len(told) > 2
