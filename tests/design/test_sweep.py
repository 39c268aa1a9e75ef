"""Sweeps: right numbers, and the same bytes after torn journals and on full disks."""

from __future__ import annotations

import csv
import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gough
from gough.design.executors import SweepStoppedError
from gough.design.journal import Journal, line_of, record_of
from gough.design.metrics import Task, evaluate
from gough.design.parameter_sweep import run_case, slowed, sweep
from gough.design.sweep_plan import read_sweep
from support.sweeps import SPEC, tables


def test_rows_are_the_metrics_of_each_case(folder: Path) -> None:
    plan = read_sweep(folder / "spec.toml")
    assert plan.shape == (1, 2, 4, 2)
    with (folder / "whole" / "results.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 16
    row = rows[13]  # sway, 0.5 m, 10 kg
    assert (row["machine"], row["motion"], row["status"]) == ("hexapod", "sway", "ok")
    assert float(row["base_radius [m]"]) == pytest.approx(0.5)
    machine = gough.hexapod(0.5, 0.25, np.radians(20), np.radians(30), 0.5, platform_mass=20.0)
    body = gough.Body(30.0, machine.body.center, machine.body.inertia)
    motion = gough.trajectory.harmonic(
        ((0, 0, 0), (0, 0, 0)), [0.02, 0, 0, 0, 0, 0], [2.0], duration=1.0
    ).sample(21)
    task = Task(np.full(3, 0.03), np.radians([5, 5, 0]), motion, True)
    wanted = evaluate(machine.replace(body=body), task, plan.metrics)
    for name, unit in (
        ("dexterity", "1"),
        ("stroke", "m"),
        ("footprint", "m"),
        ("peak_force", "N"),
    ):
        assert float(row[f"{name} [{unit}]"]) == pytest.approx(wanted[name], rel=1e-12), name
    assert float(row["footprint [m]"]) == pytest.approx(1.0)


def test_all_formats_hold_the_same_numbers(folder: Path) -> None:
    import pyarrow.parquet as pq
    import xarray

    with (folder / "whole" / "results.csv").open() as file:
        force = [float(row["peak_force [N]"]) for row in csv.DictReader(file)]
    with xarray.open_dataset(folder / "whole" / "results.nc", engine="h5netcdf") as table:
        assert table["peak_force"].values.tolist() == force
        assert table["peak_force"].attrs["units"] == "N"
    assert pq.read_table(folder / "whole" / "results.parquet")["peak_force"].to_pylist() == force


@pytest.mark.parametrize("lines", [1, 2, 4, 6])
@pytest.mark.parametrize(
    "tail", [b"", b"0", b'deadbeef {"chunk":5,"rows":[[1', b'00000000 {"chunk":5,"rows":[]}\n']
)
def test_any_torn_journal_resumes_to_the_same_bytes(
    folder: Path, tmp_path: Path, lines: int, tail: bytes
) -> None:
    whole = (folder / "whole" / "journal").read_bytes().splitlines(keepends=True)
    out = tmp_path / "out"
    out.mkdir()
    (out / "journal").write_bytes(b"".join(whole[:lines]) + tail)
    sweep(read_sweep(folder / "spec.toml"), out, resume=True, formats=("csv", "nc", "parquet"))
    assert tables(out) == tables(folder / "whole")
    assert (out / "journal").read_bytes() == b"".join(whole)


def test_every_cut_of_a_journal_line_is_seen_as_torn() -> None:
    line = line_of({"chunk": 3, "rows": [["a", float("nan"), 0.1]]})
    assert record_of(line) is not None
    assert all(record_of(line[:k]) is None for k in range(len(line)))
    for k in range(len(line) - 1):
        assert record_of(line[:k] + bytes([line[k] ^ 1]) + line[k + 1 :]) is None


def test_a_damaged_line_in_the_middle_is_computed_again(folder: Path, tmp_path: Path) -> None:
    whole = (folder / "whole" / "journal").read_bytes().splitlines(keepends=True)
    bad = whole[2].replace(b"ok", b"no", 1)
    (tmp_path / "journal").write_bytes(b"".join([*whole[:2], bad, *whole[3:]]))
    sweep(read_sweep(folder / "spec.toml"), tmp_path, resume=True, formats=("csv", "nc", "parquet"))
    assert tables(tmp_path) == tables(folder / "whole")


def test_full_disk_is_said_and_resumed(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = read_sweep(folder / "spec.toml")
    real, left = os.pwrite, [3]

    def write(handle: int, data: bytes, at: int) -> int:
        if left[0] == 0:
            real(handle, bytes(data)[:7], at)  # a disk fills up in the middle of a line
            raise OSError(errno.ENOSPC, "No space left on device")
        left[0] -= 1
        return real(handle, data, at)

    monkeypatch.setattr(os, "pwrite", write)
    with pytest.raises(SweepStoppedError, match=r"No space left.*6 of 16 cases are kept.*resume"):
        sweep(plan, tmp_path)
    monkeypatch.undo()
    assert not tables(tmp_path)
    assert (tmp_path / "journal").read_bytes().endswith(b"\n")
    sweep(plan, tmp_path, resume=True, formats=("csv", "nc", "parquet"))
    assert tables(tmp_path) == tables(folder / "whole")


def test_a_file_size_limit_of_the_system_is_a_full_disk(folder: Path, tmp_path: Path) -> None:
    """A real short write: the system stops the journal in the middle of a line."""
    size = len((folder / "whole" / "journal").read_bytes())
    code = (
        f"import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({size // 2}, resource.RLIM_INFINITY)); "
        "from gough.design import *; import sys; sweep(read_sweep(sys.argv[1]), sys.argv[2])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder / "spec.toml"), str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 1
    assert "File too large" in done.stderr
    kept = (tmp_path / "journal").read_bytes()
    assert 1 < kept.count(b"\n") < 7
    assert kept.endswith(b"\n")
    sweep(read_sweep(folder / "spec.toml"), tmp_path, resume=True, formats=("csv", "nc", "parquet"))
    assert tables(tmp_path) == tables(folder / "whole")


def test_full_disk_at_the_result_table_leaves_none_and_resumes(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gough import storage

    def full(handle: int) -> None:
        if not stat.S_ISDIR(os.fstat(handle).st_mode):  # the journal's folder, not the table
            raise OSError(errno.ENOSPC, "No space left on device")

    plan = read_sweep(folder / "spec.toml")
    monkeypatch.setattr(storage, "os", type("Os", (), {**vars(os), "fsync": staticmethod(full)}))
    with pytest.raises(SweepStoppedError, match="16 of 16 cases are kept"):
        sweep(plan, tmp_path)
    monkeypatch.undo()
    assert [p.name for p in tmp_path.iterdir()] == ["journal"]
    sweep(plan, tmp_path, resume=True, formats=("csv", "nc", "parquet"))
    assert tables(tmp_path) == tables(folder / "whole")


def test_a_journal_is_not_shared_nor_mixed(folder: Path, tmp_path: Path) -> None:
    plan = read_sweep(folder / "spec.toml")
    sweep(plan, tmp_path)
    with pytest.raises(gough.InputError, match="holds a sweep already"):
        sweep(plan, tmp_path)
    (tmp_path / "other.toml").write_text(SPEC.replace('"20 kg"', '"21 kg"'))
    with pytest.raises(gough.InputError, match="belongs to another sweep"):
        sweep(read_sweep(tmp_path / "other.toml"), tmp_path, resume=True)
    work = {"identity": plan.identity, "cases": plan.cases}
    with (
        Journal(tmp_path / "journal", work),
        pytest.raises(gough.InputError, match="still running"),
        Journal(tmp_path / "journal", work),
    ):
        pass


def test_comments_do_not_change_the_identity(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "same.toml").write_text("# a comment\n" + SPEC)
    assert read_sweep(tmp_path / "same.toml").identity == read_sweep(folder / "spec.toml").identity
    (tmp_path / "moved.toml").write_text(SPEC.replace('"1 Hz"', '"1.1 Hz"'))
    assert read_sweep(tmp_path / "moved.toml").identity != read_sweep(folder / "spec.toml").identity


def test_a_chunk_computed_twice_must_agree(tmp_path: Path) -> None:
    """Planted: a chunk that is not a pure function."""
    with Journal(tmp_path / "journal", {"identity": "x"}) as journal:
        journal.append(0, [["a", float("nan")]])
        journal.append(0, [["a", float("nan")]])
        with pytest.raises(gough.InputError, match="twice with different results"):
            journal.append(0, [["a", 1.0]])


def test_a_case_that_cannot_be_done_says_why(tmp_path: Path) -> None:
    """Similar hexagons (pair angles that add up to 120 deg) are singular everywhere."""
    (tmp_path / "spec.toml").write_text(SPEC.replace('"30 deg"', '"100 deg"'))
    row = run_case(read_sweep(tmp_path / "spec.toml"), 0)
    assert "singular" in row[-1]
    assert all(np.isnan(row[4:-1]))


def test_slower_motion_has_smaller_rates() -> None:
    wave = gough.trajectory.harmonic(
        ((0, 0, 0.5), (0, 0, 0)), [0.02, 0, 0, 0.1, 0, 0], [2.0], duration=1.0
    )
    fast, slow = wave.sample(11), slowed(wave.sample(11), 2.0)
    half = gough.trajectory.harmonic(
        ((0, 0, 0.5), (0, 0, 0)), [0.02, 0, 0, 0.1, 0, 0], [1.0], duration=2.0
    ).sample(11)
    np.testing.assert_allclose(slow.acceleration, half.acceleration, atol=1e-12)
    np.testing.assert_allclose(slow.angular_velocity, half.angular_velocity, atol=1e-12)
    assert fast.time is not None
    assert slow.time is not None
    assert slow.time[-1] == 2 * fast.time[-1]


@pytest.mark.parametrize(
    ("old", "new", "match"),
    [
        ("base_radius =", "base_raduis =", "axes.base_raduis"),
        ("count = 4", "count = 1", "axes.base_radius.count"),
        ('"dexterity"', '"dexterty"', "metrics"),
        ("chunk = 3", "chunk = 0", "chunk"),
        ('family = "hexapod"', 'family = "heptapod"', "machine.family"),
        ('"0.25 m"', '"0.25 kg"', "machine.platform_radius"),
        ('"0.3 m"', "nan", "axes.base_radius.from"),
        ("[task]", "[tusk]", "did you mean task"),
    ],
)
def test_bad_files_are_refused_with_the_key(tmp_path: Path, old: str, new: str, match: str) -> None:
    (tmp_path / "spec.toml").write_text(SPEC.replace(old, new))
    with pytest.raises(gough.InputError, match=match):
        read_sweep(tmp_path / "spec.toml")
