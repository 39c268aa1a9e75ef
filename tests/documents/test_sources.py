"""Files that are not there, not files, nested without end, or hold numbers of no machine: our own sentences."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import gough
from gough.cueing import load_telemetry
from gough.design.journal import _checked, record_of
from gough.documents.kinds import scalar
from gough.documents.source import parse_json
from gough.documents.units import plain, quantities, quantity
from gough.export import save_urdf
from gough.importing import joint_motion, read_urdf
from gough.metrology.document import load_efforts, load_readings
from gough.report.verdicts import _tracked
from gough.simulation.checkpoint import Checkpoints
from gough.trajectory import load_responses
from gough.trajectory.shaking import load_shaking

MACHINE = gough.load("motion-base-1500")
DEEP = "[" * 200_000 + "]" * 200_000
LONG = "9" * 5000  # more digits than Python reads


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (DEEP, "nested too deep"),
        (LONG, "not JSON"),
        ('{"a": }', "line 1: is not JSON"),
        (b"\xff{}", "not JSON"),
    ],
)
def test_json_is_read_or_refused(text: str | bytes, why: str) -> None:
    with pytest.raises(gough.InputError, match=why):
        parse_json(text, "a.json")
    assert parse_json('{"a": [1]}', "a.json") == {"a": [1]}


@pytest.mark.parametrize("text", [DEEP, LONG, "", "[]", '{"other": 1}'])
def test_a_run_whose_head_is_damaged_is_not_resumed(tmp_path: Path, text: str) -> None:
    Checkpoints(tmp_path, "f", False).close()
    (tmp_path / "run.json").write_text(text)
    with pytest.raises(gough.InputError, match="not readable as a run"):
        Checkpoints(tmp_path, "f", True)


def test_a_folder_in_the_place_of_a_head(tmp_path: Path) -> None:
    (tmp_path / "run.json").mkdir()
    with pytest.raises(gough.InputError, match="not readable as a run"):
        Checkpoints(tmp_path, "f", True)


@pytest.mark.parametrize("text", [DEEP, LONG, "no JSON"])
def test_companions_of_models_are_read_or_refused(tmp_path: Path, text: str) -> None:
    save_urdf(MACHINE, tmp_path / "a.urdf")
    (tmp_path / "a.loops.json").write_text(text)
    with pytest.raises(gough.InputError):
        read_urdf(tmp_path / "a.urdf")


def test_records_nested_without_end_do_not_count(tmp_path: Path) -> None:
    assert record_of(_checked(DEEP.encode())) is None
    assert record_of(_checked(b'{"a": 1}')) == {"a": 1}
    (tmp_path / "summary.json").write_text(DEEP)
    assert "not known" in _tracked(tmp_path)[0][1]
    (tmp_path / "summary.json").write_text(json.dumps({"tracking": {"position": 1e-3}}))
    assert _tracked(tmp_path)[0][1] == "0.001"


READERS: dict[str, Callable[[Path], object]] = {
    "telemetry": load_telemetry,
    "responses": load_responses,
    "shaking": lambda path: load_shaking(gough.Pose([0.0, 0.0, 1.0]), path),
    "joints": lambda path: joint_motion(MACHINE, path),
    "efforts": lambda path: load_efforts(MACHINE, path),
    "motion": gough.trajectory.load_trajectory,
}


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_tables_that_are_no_files(tmp_path: Path, reader: Callable[[Path], object]) -> None:
    for path in (tmp_path / "nowhere.csv", tmp_path, tmp_path / "a\0b.csv", tmp_path / ("a" * 300)):
        with pytest.raises(gough.InputError, match="must be"):
            reader(path)


@pytest.mark.parametrize("name", ["nowhere.csv", ".", "a\\u0000b", "a" * 300])
def test_readings_whose_table_is_no_file(tmp_path: Path, name: str) -> None:
    sensor = (
        '[sensors.wire]\nkind = "distance"\nanchor = "1 0 0 m"\npoint = "0 0 0 m"\nsigma = "5 um"'
    )
    (tmp_path / "r.toml").write_text(f'readings = "{name}"\n[encoders]\nsigma = "1 um"\n{sensor}')
    with pytest.raises(gough.InputError, match="must be a CSV file"):
        load_readings(MACHINE, tmp_path / "r.toml")


def test_a_record_that_promises_numbers_without_end(tmp_path: Path) -> None:
    file = tmp_path / "record.at2"
    file.write_text(f"a\nb\nc\nNPTS= {LONG}, DT= .01 SEC\n0.0 0.1 0.0 -0.1\n")
    with pytest.raises(gough.InputError, match="NPTS"):
        load_shaking(gough.Pose([0.0, 0.0, 1.0]), file)


def test_numbers_whose_products_overflow_are_of_no_machine() -> None:
    for value in (1.1e30, -1e200, "4e30 ft", f"1{'0' * 31} m"):
        with pytest.raises(gough.InputError, match=r"must not exceed 1e\+30 in SI"):
            quantity("x", value, "length")
    with pytest.raises(gough.InputError, match=r"must not exceed 1e\+30"):
        quantities("x", "0 0 1e31 m", "length")
    with pytest.raises(gough.InputError, match=r"must not exceed 1e\+30"):
        plain("x", -1e31)
    for value in (np.inf, -np.inf, np.nan, "1e400 m", 10**400):
        with pytest.raises(gough.InputError, match="must be finite"):
            quantity("x", value, "length")
    assert quantity("x", 1e30, "length") == -plain("x", -1e30) == 1e30


def test_what_must_be_positive_can_be_divided_by() -> None:
    length = scalar("length", above=0.0)
    assert length.convert(1e-30) == 1e-30
    for value in (1e-31, "1e-28 mm", 5e-324):
        with pytest.raises(gough.InputError, match=r"must be at least 1e-30 in SI"):
            length.convert(value)
    assert scalar("length", minimum=0.0).convert(5e-324) == 5e-324
