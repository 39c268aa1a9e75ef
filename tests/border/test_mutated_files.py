"""Files that are not what they say: read as they were, or refused in our own words; results keep their seal."""

from __future__ import annotations

import errno
import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gough
from border import files
from gough.simulation.checkpoint import Checkpoints
from gough.storage import Held, replacing, sealed, unsealed, write_whole

COUNT = int(os.environ.get("GOUGH_HOSTILE_FILES", "900"))
QUICK = tuple(
    "machine trajectory scenario sweep design csv checkpoint kernel message".split()  # noqa: SIM905
)
LINE = gough.trajectory.line(([0, 0, 1], [0, 0, 0]), ([0, 0.1, 1], [0, 0, 0.1]), 1.0).sample(20)


def test_small_campaign_of_mutated_files() -> None:
    """`python -m border files --count N --seed S` (in tests/) makes any number of them."""
    assert files.campaign(COUNT, seed=30, kinds=QUICK) == {}
    assert files.campaign(4, seed=31, kinds=("netcdf",)) == {}


@pytest.mark.slow
def test_campaign_of_damaged_results() -> None:
    assert files.campaign(40, seed=32, kinds=("netcdf",)) == {}
    assert files.campaign(4000, seed=33, kinds=QUICK) == {}


def test_every_flipped_byte_of_a_result_is_an_error(tmp_path: Path) -> None:
    """No flipped byte under the seal is read as a number; the seal is checked before HDF5 sees the file."""
    path = gough.export.write_netcdf(gough.export.motion_table(LINE), tmp_path / "a.nc")
    good, rng = path.read_bytes(), random.Random(1)
    for _ in range(200):
        at = rng.randrange(len(good) - 48)
        path.write_bytes(good[:at] + bytes([good[at] ^ (1 << rng.randrange(8))]) + good[at + 1 :])
        with pytest.raises(gough.InputError, match="checksum does not fit"):
            gough.trajectory.recorded(path)
    path.write_bytes(good)
    assert gough.trajectory.recorded(path)(0.5).position == pytest.approx(
        LINE.position[0] / 2 + LINE.position[-1] / 2, abs=1e-3
    )


def test_other_programs_open_a_sealed_result(tmp_path: Path) -> None:
    import xarray

    path = gough.export.write_netcdf(gough.export.motion_table(LINE), tmp_path / "a.nc")
    with xarray.open_dataset(path, engine="h5netcdf") as table:
        assert np.array_equal(table.position, LINE.position)
    assert unsealed(path)[1]


def test_a_file_without_a_seal_is_read_apart(tmp_path: Path) -> None:
    path = gough.export.write_netcdf(gough.export.motion_table(LINE), tmp_path / "a.nc")
    wanted = gough.trajectory.recorded(path)(0.3)
    path.write_bytes(unsealed(path)[0])
    assert np.array_equal(gough.trajectory.recorded(path)(0.3).position, wanted.position)


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


@pytest.mark.parametrize(
    ("file", "code", "said"),
    [("a.nc", 0, "checksum fits"), ("bad.nc", 2, "does not fit"), ("none.nc", 2, "cannot be read")],
)
def test_verify_says_whether_a_file_is_whole(
    tmp_path: Path, file: str, code: int, said: str
) -> None:
    good = gough.export.write_netcdf(
        gough.export.motion_table(LINE), tmp_path / "a.nc"
    ).read_bytes()
    (tmp_path / "bad.nc").write_bytes(b"?" + good[1:])
    command = "from gough.cli import main; main()"
    run = subprocess.run(
        [sys.executable, "-c", command, "verify", str(tmp_path / file)],
        capture_output=True,
        text=True,
    )
    assert run.returncode == code
    assert said in run.stdout + run.stderr
    assert "Traceback" not in run.stderr
