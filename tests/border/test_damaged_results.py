"""Our own files, damaged: refused before any decoder sees them; sealed files that have lost their seal say so."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gough
from border import damage
from gough.storage import PLACE, SEAL, stamped, unsealed

COUNT = int(os.environ.get("GOUGH_DAMAGED_FILES", "300"))
LINE = gough.trajectory.line(([0, 0, 1], [0, 0, 0]), ([0, 0.1, 1], [0, 0, 0.1]), 1.0).sample(20)
RESULTS = ("motion", "checkpoint", "sweep", "parquet")


def test_small_campaign_of_damaged_results() -> None:
    """`python -m border damage --count N --seed S` (in tests/) makes any number of them."""
    assert damage.campaign(COUNT, seed=40, kinds=RESULTS) == {}
    assert damage.campaign(20, seed=41, kinds=("kernel",)) == {}


@pytest.mark.slow
def test_campaign_of_damaged_kernels() -> None:
    assert damage.campaign(200, seed=42, kinds=("kernel",)) == {}


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


def test_a_file_of_another_program_is_read_apart(tmp_path: Path) -> None:
    """Copied by another program, a result has no seal and does not say that it had one."""
    import xarray

    path = gough.export.write_netcdf(gough.export.motion_table(LINE), tmp_path / "a.nc")
    wanted = gough.trajectory.recorded(path)(0.3)
    with xarray.open_dataset(path) as table:
        table.to_netcdf(tmp_path / "b.nc", engine="h5netcdf")
    assert not unsealed(tmp_path / "b.nc")[1]
    found = gough.trajectory.recorded(tmp_path / "b.nc")(0.3)
    assert np.array_equal(found.position, wanted.position)
    foreign = (tmp_path / "b.nc").read_bytes()
    for n in (8, 20, 47, len(foreign) // 2, len(foreign) - 1):  # its first bytes say how long it is
        (tmp_path / "b.nc").write_bytes(foreign[:n])
        with damage.no_decoder(), pytest.raises(gough.InputError, match="end is cut off"):
            gough.trajectory.recorded(tmp_path / "b.nc")
    (tmp_path / "b.nc").write_bytes(foreign[:7])
    with pytest.raises(gough.InputError, match="without its beginning"):
        gough.trajectory.recorded(tmp_path / "b.nc")


def test_a_sealed_result_without_its_seal_is_damaged(tmp_path: Path) -> None:
    """Cut off exactly before its seal it is a good HDF5 file; it was sealed, and says so."""
    path = gough.export.write_netcdf(gough.export.motion_table(LINE), tmp_path / "a.nc")
    good = path.read_bytes()
    for bad in (
        good[:-SEAL],
        good[: -SEAL + 5],
        good[:-1],
        good + b"x",
        good[:-SEAL] + bytes(SEAL),
        *(good[: -SEAL - n] + good[-n:] for n in range(1, 48)),  # the same length as without a seal
        *(good[:-n] + bytes(n) for n in (60, 100, 512, 4096)),
    ):
        path.write_bytes(bad)
        with damage.no_decoder(), pytest.raises(gough.InputError, match="seal is lost"):
            gough.trajectory.recorded(path)


def test_the_seal_of_a_parquet_file(tmp_path: Path) -> None:
    """Other programs read it; the digest in its footer covers every byte, its own place as zeros."""
    pq = pytest.importorskip("pyarrow.parquet")
    _, good, _ = damage.own()["parquet"]
    path = tmp_path / "a.parquet"
    path.write_bytes(good)
    assert pq.read_table(path, page_checksum_verification=True).num_rows > 0
    assert unsealed(path)[1]
    rng = random.Random(5)
    for at in rng.sample(range(len(good)), 200):
        path.write_bytes(good[:at] + bytes([good[at] ^ (1 << rng.randrange(8))]) + good[at + 1 :])
        with pytest.raises(gough.InputError, match=r"is damaged|has no checksum"):
            damage.found(path)
    assert stamped(PLACE.encode()) != PLACE.encode()


@pytest.mark.parametrize(
    ("file", "code", "said"),
    [("a.nc", 0, "checksum fits"), ("bad.nc", 2, "does not fit"), ("none.nc", 2, "no such file")],
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
