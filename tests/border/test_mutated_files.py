"""Files that are not what they say: read as they were, or refused in our own words; results keep their seal."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gough
from border import files
from gough.simulation.checkpoint import Checkpoints
from gough.storage import Held, replacing, sealed, write_whole

COUNT = int(os.environ.get("GOUGH_HOSTILE_FILES", "900"))
QUICK = tuple(
    "machine trajectory scenario sweep design csv checkpoint kernel message journal parquet".split()  # noqa: SIM905
)
MEASURED = tuple("family sensors efforts telemetry catalogue responses shaking record".split())  # noqa: SIM905
COMPUTED = ("readings", "readings table", "joints")  # what was read is used
LINE = gough.trajectory.line(([0, 0, 1], [0, 0, 0]), ([0, 0.1, 1], [0, 0, 0.1]), 1.0).sample(20)


def test_small_campaign_of_mutated_files() -> None:
    """`python -m border files --count N --seed S` (in tests/) makes any number of them."""
    assert files.campaign(COUNT, seed=30, kinds=QUICK) == {}
    assert files.campaign(COUNT, seed=34, kinds=MEASURED) == {}
    assert files.campaign(COUNT // 10, seed=35, kinds=COMPUTED) == {}
    assert files.campaign(100, seed=31, kinds=("netcdf",)) == {}


@pytest.mark.filterwarnings("ignore::gough.ModelWarning")
def test_every_kind_of_file_is_tried_as_it_is(tmp_path: Path) -> None:
    """What is mutated was good before: otherwise everything would be refused, and nothing tried."""
    for kind, (name, contents, read) in files.samples().items():
        if kind in ("message", "scenario"):  # any answer will do; each is of another machine
            continue
        for number, good in enumerate(contents):
            folder = tmp_path / f"{kind}-{number}"
            folder.mkdir()
            (folder / "run.json").write_text('{"fingerprint": "f"}')
            (folder / name).write_bytes(good)
            read(folder / name)


@pytest.mark.slow
def test_campaign_of_damaged_results() -> None:
    assert files.campaign(400, seed=32, kinds=("netcdf",)) == {}
    assert files.campaign(4000, seed=33, kinds=QUICK) == {}
    assert files.campaign(8000, seed=36, kinds=MEASURED) == {}
    assert files.campaign(600, seed=37, kinds=COMPUTED) == {}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """HDF5 that meets a full disk ends the process (exit 139): results are built in memory, then written."""
    table = gough.export.motion_table(LINE)

    def full(self: Path, data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(gough.InputError, match="No space left on device"):
        gough.export.write_netcdf(table, tmp_path / "a.nc")
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_writer_left_is_swept(tmp_path: Path) -> None:
    code = (
        "import os, sys; from gough.storage import replacing\n"
        f"with replacing({str(tmp_path / 'a.nc')!r}) as t: t.write_bytes(b'x' * 1000); os._exit(9)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 9
    assert len(list(tmp_path.iterdir())) == 1
    with replacing(tmp_path / "living") as mine:  # the temporary of a living writer stays
        write_whole(tmp_path / "b.nc", b"new")
        assert mine.exists()
    assert {path.name for path in tmp_path.iterdir()} == {"b.nc", "living"}


def test_one_simulation_per_folder(tmp_path: Path) -> None:
    first = Checkpoints(tmp_path, "f", False)
    with pytest.raises(gough.InputError, match="in use by another run"):
        Checkpoints(tmp_path, "f", True)
    del first
    second = Checkpoints(tmp_path, "f", True)
    second.save(0, {"x": np.arange(3.0)})
    assert np.array_equal(second.pieces()[0]["x"], np.arange(3.0))
    del second
    held = Held("folder", tmp_path)
    held.close()
    held.close()


def test_a_piece_without_its_seal_does_not_count(tmp_path: Path) -> None:
    saved = Checkpoints(tmp_path, "f", False)
    saved.save(0, {"x": np.arange(3.0)})
    piece = tmp_path / "piece-000000.npz"
    good = piece.read_bytes()
    for bad in (good[:-1], good[:-48], b"", good[:100] + b"?" + good[101:]):
        piece.write_bytes(bad)
        assert saved.pieces() == []
    assert sealed(good[:-48]) == good
