"""Motions from files: CSV and NetCDF.

CSV: a header row, then numbers.  A column is ``name`` or ``name [unit]`` (SI and radians where no unit is
    said). time                        s, increasing
    x y z                       position of the reference point, m
    qw qx qy qz | roll pitch yaw | rotation columns absent: no rotation
    vx vy vz wx wy wz           optional twist, world axes
    ax ay az alx aly alz        optional acceleration (needs the twist)
Other columns are left alone.  NetCDF: the variables ``time``, ``position`` (time, 3), ``quaternion`` (time,
4) or ``rpy`` (time, 3), and optionally ``velocity``, ``angular_velocity``, ``acceleration``,
``angular_acceleration``. Both are what `gough.export.tables` writes.
"""

from __future__ import annotations

import csv
import io
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from gough.checks import Array, GoughError, InputError
from gough.documents.units import quantity
from gough.extras import need, package
from gough.spatial import Pose
from gough.storage import HDF5, unsealed
from gough.trajectory.spline import PoseSpline
from gough.trajectory.waypoints import through_motion

LARGEST = 2_000_000_000  # bytes
GROUPS: dict[str, tuple[tuple[str, ...], str]] = {
    "position": (("x", "y", "z"), "length"),
    "quaternion": (("qw", "qx", "qy", "qz"), ""),
    "rpy": (("roll", "pitch", "yaw"), "angle"),
    "velocity": (("vx", "vy", "vz"), "speed"),
    "angular_velocity": (("wx", "wy", "wz"), "rate"),
    "acceleration": (("ax", "ay", "az"), "acceleration"),
    "angular_acceleration": (("alx", "aly", "alz"), "angular acceleration"),
}
_RATES = ("velocity", "angular_velocity", "acceleration", "angular_acceleration")
_HEADER = re.compile(r"\s*([^\[\]]+?)\s*(?:\[([^\[\]]*)\])?\s*")


def absent(path: str | os.PathLike[str]) -> str:
    """The beginning of a refusal: says that there is no such file where that is the reason."""
    return "" if os.path.exists(path) else "no such file; "


def check_file(field: str, path: str | os.PathLike[str], kind: str) -> Path:
    """An `InputError` unless there is a plain file of at most `LARGEST` bytes."""
    file = Path(path)
    if not os.path.isfile(file):
        raise InputError(field, str(path), f"{absent(file)}must be {kind}")
    if file.stat().st_size > LARGEST:
        raise InputError(field, str(path), f"must not exceed {LARGEST // 10**9} GB")
    return file


def recorded(path: str | os.PathLike[str]) -> PoseSpline:
    """The motion in a CSV or NetCDF file as a C2 spline (see `through_motion`); its first time becomes 0."""
    file = check_file("path", path, "a file of motion samples (.csv or .nc)")
    netcdf = file.suffix.lower() in (".nc", ".nc4", ".netcdf", ".h5")
    return _spline(file.name, _read_netcdf(file) if netcdf else read_columns(file, GROUPS))


def _spline(label: str, data: dict[str, Array]) -> PoseSpline:
    for name in ("time", "position"):
        if name not in data:
            columns = "time" if name == "time" else "x, y, z"
            raise InputError(
                f"{label}: {columns}", "missing", f"must be there: a motion needs its {name}"
            )
    v, w, a, al = (name in data for name in _RATES)
    if v != w or a != al or (a and not v):
        allowed = (
            "must have linear and angular velocity together, and accelerations only beside them"
        )
        raise InputError(label, "half of a twist or acceleration", allowed)
    position = data["position"]
    if "quaternion" in data:
        pose = Pose.from_quaternion(position, data["quaternion"])
    else:
        pose = Pose.from_rpy(position, data.get("rpy", np.zeros_like(position)))
    try:
        rates = (data.get(name) for name in _RATES)
        return through_motion(data["time"], pose.position, pose.rotation, *rates)
    except GoughError as error:
        field = error.field.replace("times", "time")
        raise InputError(f"{label}: {field}", error.value, error.allowed) from None


Groups = Mapping[str, tuple[tuple[str, ...], str]]
"""Name of a quantity -> its columns and their dimension."""


def read_columns(
    path: str | os.PathLike[str], groups: Groups, field: str = "path", kind: str = "a CSV file"
) -> dict[str, Array]:
    """The `groups` that a CSV file holds, (n, columns) each in SI, and its "time"; other columns are left alone.

    field, kind  what a path that is none is called, and what it must be
    """
    file = check_file(field, path, kind)
    try:
        with file.open(newline="", encoding="utf-8-sig") as stream:
            lines = (line for line in stream if line.strip() and not line.startswith("#"))
            rows = list(csv.reader(lines))
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(file.name, str(error), "must be a CSV file in UTF-8") from None
    except OSError as error:
        raise InputError(field, str(path), f"cannot be read: {error.strerror}") from None
    if not rows:
        raise InputError(file.name, "an empty file", "must have a header row and samples")
    names = _header(file.name, rows[0], groups)
    try:
        values = np.array(rows[1:], dtype=float).reshape(len(rows) - 1, len(names))
    except ValueError:
        raise InputError(file.name, *_bad_row(rows, len(names))) from None
    columns = {name: values[:, i] * scale for i, (name, scale) in enumerate(names) if name}
    data = {"time": columns["time"]} if "time" in columns else {}
    for group, (members, _) in groups.items():
        present = [m for m in members if m in columns]
        if present and len(present) < len(members):
            missing = ", ".join(m for m in members if m not in columns)
            beside = ", ".join(present)
            raise InputError(f"{file.name}: {missing}", "missing", f"must be there beside {beside}")
        if present:
            data[group] = np.stack([columns[m] for m in members], axis=-1)
    return _finite(file.name, data)


FOREIGN_SECONDS, FOREIGN_SIZE = 4, 2**30  # limits on files without a seal
_CHILD = """
import pathlib, sys
import numpy, xarray, h5netcdf
from gough.system import limit_memory
from gough.trajectory.recorded import netcdf_arrays
limit_memory(2**34)
print("ready", flush=True)
found = netcdf_arrays(pathlib.Path(sys.argv[1]).read_bytes())
numpy.savez(sys.stdout.buffer, **(found if isinstance(found, dict) else {"error": found}))
"""


def _header(label: str, row: list[str], groups: Groups) -> list[tuple[str, float]]:
    """Known name (or "") and factor to SI of every column."""
    dimensions = {m: d for members, d in groups.values() for m in members}
    dimensions |= {"time": "time", "t": "time"}
    found: list[tuple[str, float]] = []
    for cell in row:
        match = _HEADER.fullmatch(cell)
        name = match[1].lower() if match else ""
        if match is None or name not in dimensions:
            found.append(("", 1.0))
            continue
        unit, dimension = match[2], dimensions[name]
        plain = not unit or unit in ("1", "-") or not dimension
        scale = 1.0 if plain else quantity(f"{label}: {name}", f"1 {unit}", dimension)
        found.append(("time" if name == "t" else name, scale))
    names = [name for name, _ in found if name]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(f"{label}: {', '.join(twice)}", "more than one column", "must appear once")
    return found


def _bad_row(rows: list[list[str]], width: int) -> tuple[str, str]:
    for number, row in enumerate(rows[1:], 2):
        if len(row) != width:
            allowed = f"must have {width} cells in every row, as above"
            return f"row {number} with {len(row)} cells", allowed
        for cell in row:
            try:
                float(cell)
            except ValueError:
                return f"{cell!r} in row {number}", "must be numbers below the header"
    return "no samples", "must have samples below the header"


def _read_netcdf(file: Path) -> dict[str, Array]:
    content, whole = unsealed(file)
    need("xarray", "h5netcdf")
    data = netcdf_arrays(content) if whole else _read_foreign(file, content)
    if isinstance(data, str):
        raise InputError(file.name, data, "must be a NetCDF-4 file of numbers")
    for name, values in data.items():
        width = () if name == "time" else (len(GROUPS[name][0]),)
        if "time" in data and values.shape != (len(data["time"]), *width):
            raise InputError(
                f"{file.name}: {name}", f"shape {values.shape}", f"must be {('time', *width)}"
            )
    return _finite(file.name, data)


def netcdf_arrays(content: bytes) -> dict[str, Array] | str:
    """The arrays of a motion in a NetCDF-4 file, or why there are none."""
    xarray = package("xarray")

    try:
        with xarray.open_dataset(io.BytesIO(content), engine="h5netcdf", decode_times=False) as ds:
            names = [name for name in ("time", *GROUPS) if name in ds]
            return {name: np.asarray(ds[name].values, dtype=float) for name in names}
    except Exception as error:  # a decoder on bytes that nobody vouches for may raise anything
        return " ".join(str(error).split())


def _read_foreign(file: Path, content: bytes) -> dict[str, Array] | str:
    """As `netcdf_arrays`, for a file without a seal: in a process of its own, damaged HDF5 may loop or crash."""
    if HDF5 not in content:
        return "a file of another kind, or without its beginning"
    if len(content) > FOREIGN_SIZE:
        return f"a file without checksum of more than {FOREIGN_SIZE} bytes"
    command = [sys.executable, "-c", _CHILD, str(file)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "bufsize": 0}
    with subprocess.Popen(command, **pipes) as child:  # type: ignore[call-overload]
        try:
            assert child.stdout is not None
            child.stdout.readline()  # it has loaded its libraries: the clock runs for the file alone
            answer, _ = child.communicate(timeout=FOREIGN_SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()
            return f"a file without checksum that takes more than {FOREIGN_SECONDS} s to read"
    if child.returncode:
        return "a damaged file: reading it ended the process"
    with np.load(io.BytesIO(answer), allow_pickle=False) as found:
        data = {name: found[name] for name in found.files}
    return str(data["error"]) if "error" in data else data


def _finite(label: str, data: dict[str, Array]) -> dict[str, Array]:
    n = len(data.get("time", ()))
    if "time" in data and n < 2:
        raise InputError(label, f"{n} sample(s)", "must hold at least two samples")
    for name, values in data.items():
        if not values.size:
            raise InputError(f"{label}: {name}", "no numbers", "must not be empty")
        good = np.isfinite(values.reshape(len(values), -1)).all(axis=1)
        if not good.all():
            where = f"NaN or infinity in sample {int(np.argmin(good)) + 1}"
            raise InputError(f"{label}: {name}", where, "must be finite")
    return data
