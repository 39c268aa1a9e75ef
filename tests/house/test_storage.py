"""The one writer: whole or not at all, whatever fails and whenever; and nothing left behind."""

from __future__ import annotations

import errno
import os
import pickle
import re
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray

import gough
from gough.checks import GoughError
from gough.export.c_code import CProject
from gough.export.mjcf import save_mjcf
from gough.export.sdf import save_sdf
from gough.export.tables import motion_table, write_csv, write_netcdf
from gough.export.urdf import save_urdf
from gough.simulation.checkpoint import Checkpoints
from gough.storage import StorageError, replacing, write_whole

PLATFORM = gough.load("octahedral-33")
SOURCE = Path(gough.__file__).parent


def table() -> xarray.Dataset:
    return motion_table(gough.trajectory.paper("001-I").sample(5))  # type: ignore[union-attr]


def stream(path: Path) -> None:
    with replacing(path) as temporary, temporary.open("wb") as file:
        file.write(b"first")
        file.write(b"second")


def figure(path: Path) -> None:
    from matplotlib.figure import Figure

    from gough.report.figures import save_figure

    save_figure(Figure(), path)


WRITERS: dict[str, tuple[str, Callable[[Path], Any]]] = {
    "text": ("a.txt", lambda path: write_whole(path, "new")),
    "stream": ("a.bin", stream),
    "machine": ("a.toml", lambda path: gough.save(PLATFORM, path)),
    "csv": ("a.csv", lambda path: write_csv(table(), path)),
    "netcdf": ("a.nc", lambda path: write_netcdf(table(), path)),
    "sdf": ("a.sdf", lambda path: save_sdf(PLATFORM, path)),
    "mjcf": ("a.xml", lambda path: save_mjcf(PLATFORM, path)),
    "c": ("a.c", lambda path: CProject("a", {"a.c": "int x;\n"}).write(path.parent)),
    "figure": ("a.svg", figure),
    "checkpoint": (
        "piece-000001.npz",
        lambda path: Checkpoints(path.parent, "f", True).save(1, {"x": np.zeros(3)}),
    ),
}


@pytest.mark.parametrize("call", ["open", "fsync", "replace", "chmod"])
@pytest.mark.parametrize("name", WRITERS)
def test_a_failure_at_any_call_keeps_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, call: str
) -> None:
    """The n-th call of open, fsync, chmod and rename fails, for every n: the file is the old one or the new, whole."""
    file, write = WRITERS[name]
    target = tmp_path / file
    write(target)
    new = target.read_bytes()
    before = {path.name for path in tmp_path.iterdir()}
    if name == "checkpoint":
        (tmp_path / "run.json").write_text('{"fingerprint": "f"}')
    real, failed = getattr(os, call), 0
    for n in range(50):
        target.write_bytes(b"old")
        left = [n]

        def fail(*args: Any, left: list[int] = left, **more: Any) -> Any:
            left[0] -= 1
            if left[0] == -1:
                raise OSError(errno.ENOSPC, "No space left on device")
            return real(*args, **more)

        monkeypatch.setattr(os, call, fail)
        said: OSError | None = None
        try:
            write(target)
        except OSError as error:
            said = error
        monkeypatch.undo()
        if said is not None:
            failed += 1
            assert isinstance(said, GoughError)
            assert "cannot be written: No space left on device" in str(said)
        assert target.read_bytes() == b"old" if said else len(target.read_bytes()) == len(new)
        assert {path.name for path in tmp_path.iterdir()} == before
        if left[0] >= 0:
            break  # no n-th call any more: nothing failed
    assert failed
    assert n < 49


def test_a_full_disk_in_the_middle_of_the_data(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    target.write_text("old")

    def half(temporary: Path) -> None:
        with temporary.open("wb") as file:
            file.write(b"half")
            raise OSError(errno.ENOSPC, "No space left on device")

    with (
        pytest.raises(
            StorageError, match=r"path: got '.*a\.txt'; cannot be written: No space left"
        ),
        replacing(target) as temporary,
    ):
        half(temporary)
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]
    assert target.read_text() == "old"


def test_the_error_is_the_librarys_and_the_systems(tmp_path: Path) -> None:
    with pytest.raises(StorageError) as caught:
        write_whole(tmp_path / "none" / "a.txt", "x")
    assert isinstance(caught.value, gough.InputError)
    assert isinstance(caught.value, OSError)
    assert caught.value.errno == errno.ENOENT
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.errno) == (str(caught.value), errno.ENOENT)
    for wrong in (tmp_path, "", "a\0b"):
        with pytest.raises(gough.InputError):
            write_whole(wrong, "x")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(StorageError, match="Permission denied"):
        write_whole(tmp_path / "a", "x")
    tmp_path.chmod(0o700)


def test_permissions_are_those_of_any_new_file_and_stay(tmp_path: Path) -> None:
    plain, ours = tmp_path / "plain", tmp_path / "ours"
    plain.write_text("x")
    write_whole(ours, "x")
    assert stat.S_IMODE(ours.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)
    ours.chmod(0o640)
    write_whole(ours, "y")
    assert stat.S_IMODE(ours.stat().st_mode) == 0o640
    assert ours.read_text() == "y"


def test_long_names_and_line_ends(tmp_path: Path) -> None:
    target = write_whole(tmp_path / ("ü" * 120 + ".txt"), "a\nb\r\n")
    assert target.read_bytes() == b"a\nb\r\n"


def test_urdf_and_its_companion(tmp_path: Path) -> None:
    assert sorted(p.name for p in save_urdf(PLATFORM, tmp_path / "a.urdf")) == [
        "a.loops.json",
        "a.urdf",
    ]


def test_no_other_writer_in_the_house() -> None:
    """Only storage renames, and only the kernel cache (with its own time stamps) makes temporary files beside it."""
    allowed = {"storage.py", "engines/cache.py"}
    for file in SOURCE.rglob("*.py"):
        if file.relative_to(SOURCE).as_posix() not in allowed:
            text = file.read_text(encoding="utf-8")
            assert not re.search(
                r"os\.replace|os\.rename|mkstemp|\.write_text\(|\.write_bytes\(", text
            ), file
            assert (
                not re.search(r"tomllib\.load|get_close_matches", text) or file.name == "source.py"
            ), file
