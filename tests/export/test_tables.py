"""Tables: units and names, exact round trips, checksums, writers that die."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
import xarray

import gough
from gough import trajectory
from gough.export.facts import forces_along, forces_facts
from gough.export.tables import actuator_units, forces_table, motion_table, write_csv, write_netcdf
from gough.report.forces import write_folder
from gough.storage import replacing

A = gough.Pose.from_rpy((0.1, 0.2, 0.9), (0.3, -0.2, 0.5))
PATH = trajectory.harmonic(A, 0.1 * np.ones(6), 0.5)
FIELDS = (
    "position",
    "rotation",
    "velocity",
    "angular_velocity",
    "acceleration",
    "angular_acceleration",
)


@pytest.fixture(scope="module")
def lopes() -> xarray.Dataset:
    platform = gough.load("lopes-6pus")
    return forces_along(platform, trajectory.paper("002").sample(21), trajectory="002")  # type: ignore[union-attr]


@pytest.mark.parametrize("ending", ["csv", "nc"])
def test_a_motion_written_and_read_is_the_same_motion(tmp_path: Path, ending: str) -> None:
    motion = PATH.sample(41)
    file = tmp_path / f"motion.{ending}"
    (write_csv if ending == "csv" else write_netcdf)(motion_table(motion), file)
    again = trajectory.load_trajectory(file)(motion.time)  # type: ignore[operator]
    for name in FIELDS:
        scale = np.abs(getattr(motion, name)).max()
        close = 1e-12 * (1 + scale)
        np.testing.assert_allclose(getattr(again, name), getattr(motion, name), rtol=0, atol=close)


def test_between_the_samples_the_motion_is_close(tmp_path: Path) -> None:
    file = write_csv(motion_table(PATH.sample(41)), tmp_path / "m.csv")
    t = np.linspace(0.01, 1.99, 37)
    again = trajectory.recorded(file)(t)
    np.testing.assert_allclose(again.position, PATH(t).position, atol=1e-9)
    np.testing.assert_allclose(again.angular_acceleration, PATH(t).angular_acceleration, atol=1e-4)


def test_forces_table_has_units_and_leg_names(lopes: xarray.Dataset) -> None:
    assert lopes["force"].attrs["units"] == "N"
    assert lopes["rate"].attrs["units"] == "m/s"
    assert list(lopes["leg"].values) == ["L1", "L2", "L3", "L4", "L5", "L6"]
    assert lopes["spherical_force"].dims == ("time", "leg", "axis")
    assert all(v.attrs.get("units") and v.attrs.get("long_name") for v in lopes.data_vars.values())
    # [Lopes] tau at rest in P1: 7.36077 N in every leg, their sum the weight
    np.testing.assert_allclose(lopes["force"].values[0], 7.36077, atol=5e-6)


def test_netcdf_round_trip_is_exact_and_checksummed(lopes: xarray.Dataset, tmp_path: Path) -> None:
    import h5py

    file = write_netcdf(lopes, tmp_path / "forces.nc")
    with xarray.open_dataset(file, engine="h5netcdf") as again:
        again.load()
    for name in lopes.data_vars:
        np.testing.assert_array_equal(again[name].values, lopes[name].values)
        assert again[name].attrs["units"] == lopes[name].attrs["units"]
    assert [str(x) for x in again["leg"].values] == list(lopes["leg"].values)
    assert again.attrs["trajectory"] == "002"
    with h5py.File(file) as raw:
        assert all(
            raw[name].fletcher32 for name in ("force", "position", "time", "spherical_force", "leg")
        )
        where = raw["force"].id.get_chunk_info(0)
    data = bytearray(file.read_bytes())
    data[where.byte_offset + 5] ^= 0x10  # a flipped bit must be an error, not a wrong number
    file.write_bytes(data)
    with pytest.raises(OSError, match=r"[Ff]letcher|filter|read"), h5py.File(file) as raw:
        raw["force"][...]


def test_csv_columns_carry_units_and_all_digits(lopes: xarray.Dataset, tmp_path: Path) -> None:
    file = write_csv(lopes, tmp_path / "forces.csv")
    with file.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 21
    assert {
        "time [s]",
        "x [m]",
        "qw [1]",
        "roll [rad]",
        "length_L1 [m]",
        "rate_L6 [m/s]",
        "force_L3 [N]",
        "spherical_force_L2_z [N]",
        "universal_moment_L4_x [N m]",
        "condition [1]",
    } <= set(rows[0])
    values = np.array([[float(r[f"force_L{i + 1} [N]"]) for i in range(6)] for r in rows])
    np.testing.assert_array_equal(values, lopes["force"].values)


def test_cranks_are_in_radians_and_newton_meters(tmp_path: Path) -> None:
    platform = gough.load("servo-hexapod")
    assert actuator_units(platform)[0] == ("rad", "N m")
    assert platform.home is not None
    table = forces_along(platform, trajectory.hold(platform.home, 1.0).sample(3))
    header = write_csv(table, tmp_path / "f.csv").read_text().splitlines()[0]
    assert "length_L1 [rad]" in header
    assert "rate_L1 [rad/s]" in header
    assert "force_L1 [N m]" in header


def test_mixed_legs_have_their_own_units_in_csv(lopes: xarray.Dataset, tmp_path: Path) -> None:
    mixed = lopes.copy()
    mixed["force"].attrs["units"], mixed["length"].attrs["units"] = "N or N m", "m or rad"
    mixed = mixed.assign_coords(
        force_unit=("leg", ["N", "N m"] * 3), length_unit=("leg", ["m", "rad"] * 3)
    )
    header = write_csv(mixed, tmp_path / "f.csv").read_text().splitlines()[0]
    assert "force_L1 [N],force_L2 [N m]" in header
    assert "length_L1 [m],length_L2 [rad]" in header


def test_chunks_join_to_the_same_table(
    lopes: xarray.Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    import gough.export.facts as module

    monkeypatch.setattr(module, "CHUNK", 8)
    done: list[int] = []
    motion = trajectory.paper("002").sample(21)  # type: ignore[union-attr]
    again = forces_along(gough.load("lopes-6pus"), motion, trajectory="002", progress=done.append)
    assert done == [8, 16, 21]
    for name in lopes.variables:
        np.testing.assert_array_equal(again[name].values, lopes[name].values)
        assert again[name].attrs == lopes[name].attrs


def test_summary_holds_the_extremes(lopes: xarray.Dataset) -> None:
    found = forces_facts(lopes)
    assert found["samples"] == 21
    assert found["end"] == 2.0
    leg = found["legs"][2]
    assert abs(leg["peak_force"]) == np.abs(lopes["force"].values[:, 2]).max()
    assert leg["max_length"] == lopes["length"].values[:, 2].max()


def test_reactions_are_refused_where_the_formulation_has_none() -> None:
    platform, motion = gough.load("lopes-6pus"), trajectory.paper("002").sample(3)  # type: ignore[union-attr]
    result = gough.inverse_dynamics(platform, motion, formulation="kane")
    legs = gough.inverse_kinematics(platform, motion)
    assert "spherical_force" not in forces_table(platform, motion, legs, result)
    with pytest.raises(gough.InputError, match="does not give joint reactions"):
        forces_table(platform, motion, legs, result, reactions=True)


def test_a_failed_folder_leaves_nothing(
    lopes: xarray.Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import gough.report.forces as module

    def full_disk(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module, "write_csv", full_disk)
    with pytest.raises(OSError, match="No space"):
        write_folder(lopes, tmp_path / "out", figures=False)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_takes_the_place_of_old_files_only(lopes: xarray.Dataset, tmp_path: Path) -> None:
    out = tmp_path / "deep" / "out"
    out.mkdir(parents=True)
    (out / "notes.txt").write_text("mine")
    (out / "forces.csv").write_text("old")
    files = write_folder(lopes, out, figures=False)
    assert {f.name for f in files} == {"forces.nc", "forces.csv"}
    assert (out / "notes.txt").read_text() == "mine"
    assert (out / "forces.csv").read_text().startswith("time [s]")
    assert sorted(p.name for p in out.parent.iterdir()) == ["out"]


def test_a_block_that_fails_keeps_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    target.write_text("old")

    def fail_half_way() -> None:
        with replacing(target) as temporary:
            temporary.write_text("half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_half_way()
    assert target.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def test_a_killed_writer_never_damages_the_target(tmp_path: Path) -> None:
    """SIGKILL in the middle of writing: the old file stays whole, the torn one has a temporary name."""
    target = tmp_path / "a.csv"
    target.write_text("old")
    script = textwrap.dedent(f"""
        import time
        from gough.storage import replacing
        with replacing({str(target)!r}) as temporary:
            temporary.write_text("half of it")
            print("writing", flush=True)
            time.sleep(60)
    """)
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "writing\n"
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    assert target.read_text() == "old"
    left = [p.name for p in tmp_path.iterdir() if p != target]
    assert all(name.startswith(".a.csv.") and name.endswith(".tmp") for name in left)


def test_writing_where_nothing_can_be_written_is_refused(
    lopes: xarray.Dataset, tmp_path: Path
) -> None:
    with pytest.raises(gough.InputError, match="cannot be written"):
        write_csv(lopes, tmp_path / "missing" / "a.csv")
    with pytest.raises(gough.InputError, match="is a folder"):
        write_netcdf(lopes, tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(gough.InputError, match="is a file"):
        write_folder(lopes, tmp_path / "file")


def test_a_motion_without_time_is_refused() -> None:
    with pytest.raises(gough.InputError, match="time"):
        motion_table(gough.Motion.at_rest(A))


CSV = {
    "empty": ("", "empty file"),
    "header only": ("time,x,y,z\n", r"0 sample\(s\)"),
    "one sample": ("time,x,y,z\n0,0,0,1\n", r"1 sample\(s\)"),
    "no time": ("x,y,z\n0,0,1\n0,0,2\n", "time.*missing"),
    "no position": ("time,a\n0,0\n1,0\n", "x, y, z.*missing"),
    "z missing": ("time,x,y\n0,0,0\n1,0,0\n", "z.*missing.*beside x, y"),
    "half a quaternion": ("time,x,y,z,qw\n0,0,0,1,1\n1,0,0,1,1\n", "qx, qy, qz.*missing"),
    "time stands still": (
        "time,x,y,z\n0,0,0,1\n1,0,0,1\n1,0,0,2\n",
        r"time\[2\].*greater than the one",
    ),
    "nan": ("time,x,y,z\n0,0,0,1\n1,nan,0,1\n", "NaN or infinity in sample 2"),
    "words": ("time,x,y,z\n0,0,0,1\n1,a,0,1\n", "'a' in row 3"),
    "ragged": ("time,x,y,z\n0,0,0,1\n1,0,0\n", "row 3 with 3 cells"),
    "unit": ("time,x [furlong],y,z\n0,0,0,1\n1,0,0,1\n", "unknown unit"),
    "wrong unit": ("time,x [deg],y,z\n0,0,0,1\n1,0,0,1\n", "unit of angle"),
    "twice": ("time,x,x,y,z\n0,0,0,0,1\n1,0,0,0,1\n", "more than one column"),
    "half a twist": ("time,x,y,z,vx,vy,vz\n0,0,0,1,0,0,0\n1,0,0,1,0,0,0\n", "half of a twist"),
    "zero quaternion": (
        "time,x,y,z,qw,qx,qy,qz\n0,0,0,1,0,0,0,0\n1,0,0,1,1,0,0,0\n",
        "zero length",
    ),
}


@pytest.mark.parametrize("name", CSV)
def test_bad_csv_is_refused_with_its_reason(tmp_path: Path, name: str) -> None:
    text, reason = CSV[name]
    file = tmp_path / "m.csv"
    file.write_text(text)
    with pytest.raises(gough.InputError, match=reason):
        trajectory.load_trajectory(file)


def test_csv_units_comments_and_foreign_columns(tmp_path: Path) -> None:
    file = tmp_path / "m.csv"
    file.write_text(
        "# from the logger\n"
        "t [ms],x [mm],y [mm],z [mm],yaw [deg],pitch [deg],roll [deg],current [A]\n"
        "500,100,0,400,-10,0,0,1\n1500,200,0,500,10,0,0,2\n2500,300,0,600,30,0,0,3\n"
    )
    path = trajectory.recorded(file)
    assert path.duration == 2.0
    m = path(1.0)
    np.testing.assert_allclose(m.position, [0.2, 0, 0.5], atol=1e-15)
    np.testing.assert_allclose(m.pose.rpy, [0, 0, np.radians(10)], atol=1e-15)
    assert m.angular_velocity[2] == pytest.approx(np.radians(20))


def test_not_a_netcdf_file(tmp_path: Path) -> None:
    (tmp_path / "m.nc").write_bytes(b"\x89HDF nonsense")
    with pytest.raises(gough.InputError, match="NetCDF"):
        trajectory.load_trajectory(tmp_path / "m.nc")


TOML = {
    "line": """kind = "line"
        duration = "6 s"
        max_speed = "80 mm/s"
        max_rate = 0.08
        start = {position = "100 0 400 mm", rpy = [0, 0, -0.2]}
        end = {position = [0.3, 0, 0.6], rpy = [0, 0, 0.2]}""",
    "move": """kind = "move"
        profile = "trigonometric"
        orientation = "screw"
        duration = 2
        start = {position = [0, 0, 1]}
        end = {position = [0, 0, 2], rpy = "0 0 10 deg"}""",
    "harmonic": """kind = "harmonic"
        center = {position = [0, 0, 1]}
        amplitude = ["10 mm", 0, 0, "1 deg", 0, 0]
        frequency = "2 Hz"
        duration = "3 s" """,
    "legs": """kind = "legs-harmonic"
        center = [0.4, 0.4, 0.4, 0.4, 0.4, 0.4]
        amplitude = [[0.02, 0, 0, 0, 0, 0], [0, "1 mm", 0, 0, 0, 0]]
        frequency = [1.0, "500 mHz"]""",
    "acceleration": """kind = "acceleration"
        start = {position = [0, 0, 1]}
        coordinate = "ry"
        peak = "400 deg/s^2"
        period = "100 ms" """,
    "waypoints": """kind = "waypoints"
        spline = "quintic"
        times = [0, "500 ms", 2]
        poses = [
            {position = [0, 0, 1]},
            {position = [0, 0.1, 1]},
            {position = [0, 0, 1], rpy = "0 0 20 deg"},
        ]""",
    "sequence": """kind = "sequence"
        [[trajectory.parts]]
        kind = "hold"
        pose = {position = [0, 0, 1]}
        duration = 1
        [[trajectory.parts]]
        kind = "there-and-back"
        start = {position = [0, 0, 1]}
        end = {position = [0, 0, 1.1]}
        duration = 1""",
    "retimed": """kind = "retimed"
        duration = 3
        profile = "quintic"
        [trajectory.path]
        kind = "paper"
        name = "001-I" """,
    "file": """kind = "file"
        path = "m.csv" """,
}


def _toml(tmp_path: Path, body: str) -> Path:
    file = tmp_path / "t.toml"
    file.write_text("[trajectory]\n" + textwrap.dedent(body))
    return file


@pytest.mark.parametrize("name", TOML)
def test_definitions_load(tmp_path: Path, name: str) -> None:
    (tmp_path / "m.csv").write_text("time,x,y,z\n0,0,0,1\n1,0,0,2\n")
    path = trajectory.load_trajectory(_toml(tmp_path, TOML[name]))
    path(np.linspace(0, path.duration, 7))


def test_a_definition_is_the_same_as_the_call(tmp_path: Path) -> None:
    assert trajectory.load_trajectory(_toml(tmp_path, TOML["line"])) == trajectory.paper("001-I")


BAD_TOML = {
    "unknown kind": ('kind = "lin"', "did you mean line"),
    "unknown key": (TOML["line"] + "\nmax_sped = 1", "did you mean max_speed"),
    "missing key": ('kind = "hold"\nduration = 1', r"trajectory\.pose"),
    "unknown unit": (TOML["line"].replace("6 s", "6 parsec"), "unknown unit"),
    "speed": (TOML["line"].replace("80 mm/s", "80 m/s"), r"trajectory\.max_speed.*never reached"),
    "not a table": (
        TOML["line"].replace("{position = [0.3, 0, 0.6], rpy = [0, 0, 0.2]}", "3"),
        r"trajectory\.end",
    ),
    "infinite": (TOML["line"].replace('"6 s"', "inf"), "finite"),
    "part": (TOML["sequence"].replace('"hold"', '"stay"'), r"trajectory\.parts\[0\]\.kind"),
    "broken": ("kind = ", "TOML"),
}


@pytest.mark.parametrize("name", BAD_TOML)
def test_bad_definitions_are_refused_with_the_key(tmp_path: Path, name: str) -> None:
    body, reason = BAD_TOML[name]
    with pytest.raises(gough.InputError, match=reason):
        trajectory.load_trajectory(_toml(tmp_path, body))


def test_deep_nesting_is_an_input_error(tmp_path: Path) -> None:
    file = tmp_path / "t.toml"
    file.write_text("a = " + "[" * 5000)
    with pytest.raises(gough.InputError):
        trajectory.load_trajectory(file)
