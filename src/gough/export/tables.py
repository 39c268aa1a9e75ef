"""Motions and forces as tables: NetCDF and CSV, with units and leg names.

A table is an xarray Dataset over ``time`` with the dimensions ``leg`` (names) and ``axis`` (x, y, z); every
variable has ``units`` and ``long_name``.  Files appear complete or not at all (temporary name, fsync,
rename), and NetCDF files carry Fletcher-32 checksums and a seal over the whole file: a flipped bit is an error on
reading, not a wrong number.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.checks import Array, InputError
from gough.extras import package
from gough.model import CRANKS, Platform
from gough.results import InverseDynamics, LegMotion
from gough.spatial import Motion
from gough.storage import NAME, csv_cell, replacing, sealed, write_whole
from gough.trajectory.recorded import GROUPS

if TYPE_CHECKING:
    from xarray import Dataset

AXES = ("x", "y", "z")
_MOTION = {
    "position": ("m", "position of the platform reference point, world axes"),
    "quaternion": (
        "1",
        "orientation of the platform, unit quaternion (w, x, y, z), platform to world",
    ),
    "rpy": ("rad", "orientation of the platform, R = Rz Ry Rx, angles (x, y, z)"),
    "velocity": ("m/s", "velocity of the reference point, world axes"),
    "angular_velocity": ("rad/s", "angular velocity, world axes"),
    "acceleration": ("m/s^2", "acceleration of the reference point, world axes"),
    "angular_acceleration": ("rad/s^2", "angular acceleration, world axes"),
}
_REACTIONS = {
    "spherical_force": ("N", "force on the platform at the platform joint, world axes"),
    "universal_force": ("N", "force on the strut at its base-side joint, world axes"),
    "universal_moment": ("N m", "moment on the strut at its base-side joint, world axes"),
    "prismatic_force": ("N", "force in the sliding joint (crank: bearing), world axes"),
    "prismatic_moment": ("N m", "moment in the sliding joint (crank: bearing), world axes"),
    "platform_moment": ("N m", "moment of the leg on the platform in its joint, world axes"),
}
_DIMENSION = {"quaternion": "component", "rpy": "angle"}


def motion_table(motion: Motion) -> Dataset:
    """Pose, twist and acceleration over time; `gough.trajectory.recorded` reads it back."""
    xarray = package("xarray")

    time = motion.time
    if time is None or motion.position.ndim != 2:
        raise InputError(
            "motion", f"batch shape {motion.shape}", "must have one time axis and `time` set"
        )
    pose = motion.pose
    values = {"quaternion": pose.quaternion, "rpy": pose.rpy}
    variables = {}
    for name, (unit, about) in _MOTION.items():
        data = values.get(name, getattr(motion, name, None))
        dimensions = ("time", _DIMENSION.get(name, "axis"))
        variables[name] = (dimensions, data, {"units": unit, "long_name": about})
    coords = {
        "time": ("time", time, {"units": "s", "long_name": "time"}),
        "axis": list(AXES),
        "component": ["w", "x", "y", "z"],
        "angle": ["roll", "pitch", "yaw"],
    }
    return xarray.Dataset(variables, coords=coords)


def forces_table(
    platform: Platform,
    motion: Motion,
    legs: LegMotion,
    result: InverseDynamics,
    *,
    reactions: bool | None = None,
    **about: str,
) -> Dataset:
    """The motion, the legs' coordinates, the actuator forces, condition numbers and joint reactions.

    reactions  True, False, or None: where the formulation gives them
    about      more attributes, such as the trajectory's name
    """
    import gough

    given = result.has_reactions
    if reactions and not given:
        raise InputError(
            "reactions", True, f"formulation {result.formulation!r} does not give joint reactions"
        )
    ds = motion_table(motion)
    units = actuator_units(platform)
    ds = ds.assign_coords(
        leg=list(platform.leg_names),
        leg_type=("leg", list(platform.kinds)),
        length_unit=("leg", [u for u, _ in units]),
        force_unit=("leg", [f for _, f in units]),
    )
    length, effort = (_joint_unit(unit) for unit in zip(*units, strict=True))
    whose = "actuator" if result.actuator_force is None else "motor"
    push = f"{whose} effort, positive extends the leg or moves along +rail"
    scaled = f"condition number, lengths in {result.characteristic_length:.6g} m"
    mixed = "condition number, meters and radians mixed"
    for name, data, unit, text in (
        ("length", legs.length, length, "actuator coordinate"),
        ("rate", legs.rate, _per_second(length, 1), "rate of the actuator coordinate"),
        ("leg_acceleration", legs.acceleration, _per_second(length, 2), "its acceleration"),
        ("force", result.force, effort, push),
        ("condition", result.condition, "1", mixed),
        ("condition_scaled", result.condition_scaled, "1", scaled),
    ):
        dimensions = ("time", "leg")[: np.ndim(data)]
        ds[name] = (dimensions, data, {"units": unit, "long_name": text})
    if given and reactions is not False:
        for name, (unit, text) in _REACTIONS.items():
            data = getattr(result.reactions, name)
            ds[name] = (("time", "leg", "axis"), data, {"units": unit, "long_name": text})
    ds.attrs.update(
        {
            "title": f"Actuator forces of {platform.name or 'a platform'}",
            "machine": platform.name,
            "source": platform.source.title,
            "formulation": result.formulation,
            "published_errors_kept": str(result.published).lower(),
            "software": f"gough {gough.__version__}",
            "conventions": "world axes; RPY means R = Rz Ry Rx; SI and radians",
            **about,
        }
    )
    return ds


def actuator_units(platform: Platform) -> list[tuple[str, str]]:
    """Unit of the coordinate and of the effort of each leg."""
    return [("rad", "N m") if isinstance(leg, CRANKS) else ("m", "N") for leg in platform.legs]


AFTER = "note=the-digest-follows-the-end-of-the-HDF5-data"  # keeps the seal's name and the seal apart: no one
# block of the seal's length that is lost takes both


def write_netcdf(table: Dataset, path: str | os.PathLike[str]) -> Path:
    """Write NetCDF-4 with its seal (`gough.storage`), built in memory: the file appears complete or not at all."""
    h5netcdf = package("h5netcdf")
    from xarray.backends import H5NetCDFStore

    encoding: dict[str, dict[str, Any]] = {}
    for name, variable in table.variables.items():
        if variable.ndim:
            encoding[str(name)] = {"fletcher32": True}
            if variable.dtype.kind in "UO":
                encoding[str(name)] |= {
                    "dtype": "S1"
                }  # fixed width: variable-length text has no checksum
    memory = io.BytesIO()  # HDF5 must not meet a full disk: it ends the process
    with h5netcdf.File(memory, "w") as file:
        table.dump_to_store(H5NetCDFStore(file), encoding=encoding)
    say_sealed(memory)
    return write_whole(path, sealed(memory.getvalue()))


def say_sealed(file: Any) -> None:
    """Put the seal's name to that of the writer, in an open NetCDF file: one that has lost its seal says so."""
    h5py = package("h5py")

    with h5py.File(file, "r+") as raw:
        writer = raw.attrs["_NCProperties"]
        words = f"{writer.decode() if isinstance(writer, bytes) else writer},seal={NAME},{AFTER}"
        raw.attrs["_NCProperties"] = np.bytes_(words.encode())


def write_csv(table: Dataset, path: str | os.PathLike[str]) -> Path:
    """Write one row per time with ``name [unit]`` columns, all digits; complete or not at all."""
    columns = list(csv_columns(table))
    header = ",".join(csv_cell(f"{name} [{unit}]" if unit else name) for name, unit, _ in columns)
    values = np.stack([np.asarray(data, dtype=float) for _, _, data in columns], axis=1)
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as file:
        file.write(header + "\n")
        for row in values:
            file.write(",".join(map(repr, row.tolist())) + "\n")
    return Path(path)


def csv_columns(table: Dataset) -> Iterator[tuple[str, str, Array]]:
    """Name, unit and values of each column of a table over time."""
    yield "time", table["time"].attrs.get("units", "s"), table["time"].values
    for key, variable in table.data_vars.items():
        name = str(key)
        if variable.dims[:1] != ("time",):
            continue
        flat = variable.values.reshape(len(table["time"]), -1)
        labels = _labels(table, name)
        for i, label in enumerate(labels):
            yield label, _column_unit(table, name, i, len(labels)), flat[:, i]


def _labels(table: Dataset, name: str) -> list[str]:
    dims = table[name].dims[1:]
    if name in GROUPS and len(dims) == 1:
        return list(GROUPS[name][0])
    labels = [name]
    for dim in dims:
        labels = [f"{label}_{value}" for label in labels for value in table[dim].values]
    return labels


def _column_unit(table: Dataset, name: str, index: int, count: int) -> str:
    """The leg's own unit where legs of different kinds share a variable."""
    unit = str(table[name].attrs.get("units", ""))
    if " or " not in unit or table[name].dims[1:] != ("leg",) or "length_unit" not in table:
        return unit
    turns = str(table["length_unit"].values[index]) == "rad"
    own = [one for one in unit.split(" or ") if ("rad" in one or one.startswith("N m")) == turns]
    return own[0] if own else unit


def _joint_unit(units: tuple[str, ...]) -> str:
    return " or ".join(sorted(set(units)))


def _per_second(unit: str, power: int) -> str:
    return " or ".join(f"{u}/s" if power == 1 else f"{u}/s^2" for u in unit.split(" or "))
