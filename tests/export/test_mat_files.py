"""Tables as .mat files: what SciPy reads in them is the table, bit by bit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.io import loadmat

import gough
from gough.export import motion_table, write_mat
from gough.storage import write_whole


def table():  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(4)
    time = np.linspace(0.0, 1.0, 7)
    still = {n: rng.normal(size=(7, 3)) for n in ("velocity", "acceleration")}
    motion = gough.Motion(
        rng.normal(size=(7, 3)), np.broadcast_to(np.eye(3), (7, 3, 3)), time=time, **still
    )
    return motion_table(motion)


def test_a_file_is_its_table(tmp_path: Path) -> None:
    written = table()
    found = loadmat(str(write_mat(written, tmp_path / "motion.mat")))
    assert {name for name in found if not name.startswith("__")} == {
        *map(str, written.variables),
        "units",
        "long_name",
    }
    for name, variable in written.variables.items():
        if variable.dtype.kind == "f":
            wanted = variable.values if variable.ndim > 1 else variable.values[:, None]
            assert (found[str(name)] == wanted).all()
        assert "".join(found["units"][str(name)][0, 0]) == variable.attrs.get("units", "")
    assert [cell[0] for cell in found["axis"].ravel()] == ["x", "y", "z"]


def test_a_number_changed_in_the_last_digit_is_seen(tmp_path: Path) -> None:
    written = table()
    path = write_mat(written, tmp_path / "motion.mat")
    number = written["position"].values[3, 1]
    raw = path.read_bytes()
    changed = raw.replace(np.float64(number).tobytes(), np.nextafter(number, 9.0).tobytes())
    assert changed != raw
    write_whole(path, changed)
    assert not (loadmat(str(path))["position"] == written["position"].values).all()


@pytest.mark.parametrize("name", ["two words", "1st", "a" * 32, "units", "größe"])
def test_names_that_matlab_does_not_read_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(gough.InputError, match="name"):
        write_mat(table().rename(position=name), tmp_path / "motion.mat")
    assert not list(tmp_path.iterdir())


def test_text_that_is_not_ascii_is_refused(tmp_path: Path) -> None:
    with pytest.raises(gough.InputError, match="ASCII"):
        write_mat(table().assign_coords(axis=["x", "y", "ζ"]), tmp_path / "motion.mat")
