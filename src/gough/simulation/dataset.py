"""A finished run as an xarray Dataset: motion, legs, forces, drives, energies, reactions, limits, events."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array
from gough.engines import native
from gough.engines.pack import parameters
from gough.model import Platform
from gough.simulation import events, laws
from gough.simulation.events import Events
from gough.simulation.state import Rows, orthogonal
from gough.spatial import quaternion_from_rotation, rpy_from_rotation

if TYPE_CHECKING:
    from xarray import Dataset

AXIS, LEG, LEG_AXIS = ("axis",), ("leg",), ("leg", "axis")
REACTION_NAMES = {
    "spherical_force": (15, "N", "force on the platform at the platform joint, world axes"),
    "universal_force": (18, "N", "force on the strut at its base-side joint, world axes"),
    "universal_moment": (21, "N m", "moment on the strut at its base-side joint, world axes"),
    "prismatic_force": (24, "N", "force in the sliding joint (crank: bearing), world axes"),
    "prismatic_moment": (27, "N m", "moment in the sliding joint (crank: bearing), world axes"),
}


@dataclass(eq=False)
class Result:
    """Raw outcome of any route: times (K,), states (K, rows, n), commands and wrenches (K, 6, n), laws by record."""

    rows: Rows
    time: Array
    states: Array
    command: Array
    external: Array
    law_of: NDArray[np.int64]
    laws: list[Array]
    status: list[str]
    end_time: Array
    springs: laws.Springs | None
    events: Events
    batched: bool


def dataset(result: Result, *, reactions: bool, attributes: dict[str, Any]) -> Dataset:
    """The public form; dimensions (run,) time, leg, axis."""
    import xarray

    rows, platform = result.rows, result.rows.platform
    after = result.time[:, None] > result.end_time * (1 + 1e-12) + 1e-12  # (K, n)
    states = np.where(after[:, None, :], np.nan, result.states)
    K, _, n = states.shape
    flat = np.moveaxis(states, 1, 0).reshape(states.shape[1], K * n)
    found = events.kinematics(rows, states)
    force, motor = _efforts(result, found, states)
    with np.errstate(all="ignore"):
        out = rows.run("forward", flat, _flat(force), _flat(result.external))
        energy = rows.run("energy", flat).reshape(K, n, 2)
    values: dict[str, tuple[tuple[str, ...], Array, str, str]] = {}
    _motion(values, states, out.reshape(K, n, 18))
    _legs(values, platform, result, found, force, motor)
    _energies(values, result, energy, found, motor)
    if rows.spins:
        angle = np.arctan2(states[:, 24:30], states[:, 18:24])
        turns = np.round((states[:, 36:42] - angle) / (2 * np.pi))
        values["spin_angle"] = (LEG, _per(angle + 2 * np.pi * turns), "rad", "spin of the leg about its axis")
        values["spin_rate"] = (LEG, _per(states[:, 30:36]), "rad/s", "rate of the spin")
    if reactions:
        _reactions(values, rows, flat, out, result.external, (K, n))
    variables = {name: _variable(dims, data, unit, text, result.batched)
                 for name, (dims, data, unit, text) in values.items()}
    ds = xarray.Dataset(variables, coords=_coords(platform, result))
    happened = _events(result, found, states)
    ds.attrs.update({"title": f"Simulation of {platform.name or 'a platform'}", "machine": platform.name,
                     "source": platform.source.title, "conventions": "world axes; RPY means R = Rz Ry Rx; SI and "
                     "radians; external wrench in platform axes", "events": events.to_json(happened), **attributes})
    _status(ds, result)
    return ds


def _flat(a: Array) -> Array:
    """(K, 6, n) -> (K n, 6)."""
    return np.ascontiguousarray(np.moveaxis(a, 1, 2).reshape(-1, a.shape[1]))


def _per(a: Array) -> Array:
    """(K, width, n) -> (K, n, width)."""
    return np.moveaxis(a, 1, 2)


def _efforts(result: Result, found: events.Kinematics, states: Array) -> tuple[Array, Array]:
    """Delivered and motor efforts (K, 6, n) under the laws that held."""
    if not result.rows.laws:
        return result.command, result.command
    force, motor = np.empty_like(result.command), np.empty_like(result.command)
    anchors = states[:, result.rows.anchors]
    for i, law in enumerate(result.laws):
        pick = result.law_of == i
        args = (np.moveaxis(a[pick], s, 0) for a, s in (
            (result.command, 1), (found.length, 2), (found.rate, 2), (anchors, 1)))
        f, u, _ = laws.delivered(law[:, :, None, :], *args)
        force[pick], motor[pick] = np.moveaxis(f, 0, 1), np.moveaxis(u, 0, 1)
    return force, motor


def _motion(values: dict[str, Any], states: Array, out: Array) -> None:
    K, _, n = states.shape
    R = _per(states[:, 3:12]).reshape(K, n, 3, 3)
    mask = np.isfinite(_per(states[:, 3:12]).sum(axis=-1))[..., None]
    clean = orthogonal(np.where(mask[..., None], R, np.eye(3)))
    values["position"] = (AXIS, _per(states[:, 0:3]), "m", "position of the platform reference point")
    values["quaternion"] = (("component",), np.where(mask, quaternion_from_rotation(clean), np.nan), "1",
                            "orientation, unit quaternion (w, x, y, z), platform to world")
    values["rpy"] = (("angle",), np.where(mask, rpy_from_rotation(clean), np.nan), "rad",
                     "orientation, R = Rz Ry Rx, angles (x, y, z)")
    values["velocity"] = (AXIS, _per(states[:, 12:15]), "m/s", "velocity of the reference point")
    values["angular_velocity"] = (AXIS, _per(states[:, 15:18]), "rad/s", "angular velocity")
    values["acceleration"] = (AXIS, out[..., 0:3], "m/s^2", "acceleration of the reference point")
    values["angular_acceleration"] = (AXIS, out[..., 3:6], "rad/s^2", "angular acceleration")


def _legs(values: dict[str, Any], platform: Platform, result: Result, found: events.Kinematics, force: Array,
          motor: Array) -> None:
    cranks = [laws.unit_of(leg) for leg in platform.legs]
    l, f = " or ".join(sorted(set(cranks))), " or ".join(sorted({"N" if u == "m" else "N m" for u in cranks}))
    values["length"] = (LEG, found.length, l, "actuator coordinate")
    values["rate"] = (LEG, found.rate, "/s or ".join(l.split(" or ")) + "/s", "rate of the actuator coordinate")
    values["force"] = (LEG, _per(force), f, "effort on the actuator coordinate: motor, springs, friction, brakes")
    values["command"] = (LEG, _per(result.command), f, "commanded effort")
    values["motor_force"] = (LEG, _per(motor), f, "effort of the motor after its limits")
    values["external"] = (("wrench",), _per(result.external), "N, N m", "external wrench, platform axes")
    values["condition"] = ((), found.condition, "1", "condition number of H with the characteristic length "
                           f"{platform.characteristic_length:.6g} m")
    margin = np.full(found.length.shape, np.nan)
    for i, leg in enumerate(platform.legs):
        if leg.limits.stroke is not None:
            low, high = leg.limits.stroke
            margin[..., i] = np.minimum(found.length[..., i] - low, high - found.length[..., i])
    if not np.isnan(margin).all():
        values["stroke_margin"] = (LEG, margin, l, "distance to the nearer stroke end; negative outside")
    if any(leg.drive is not None for leg in platform.legs):
        ratio = np.array([np.nan if leg.drive is None else leg.drive.ratio for leg in platform.legs])
        values["motor_torque"] = (LEG, _per(motor) / ratio, "N m", "torque of the motor, rotor acceleration included")
        values["motor_speed"] = (LEG, found.rate * ratio, "rad/s", "speed of the rotor")


def _energies(values: dict[str, Any], result: Result, energy: Array, found: events.Kinematics, motor: Array) -> None:
    values["kinetic"] = ((), energy[..., 0], "J", "kinetic energy of platform, legs and rotors")
    values["potential"] = ((), energy[..., 1], "J", "potential energy in gravity, zero at the world origin")
    if result.springs is not None:
        values["spring_energy"] = ((), result.springs.energy(found.length), "J", "energy of the passive leg springs")
    power = _per(motor) * found.rate
    values["power"] = (LEG, power, "W", "mechanical power of the motor")
    work = np.zeros_like(power)
    work[1:] = np.cumsum(0.5 * (power[1:] + power[:-1]) * np.diff(result.time)[:, None, None], axis=0)
    values["work"] = (LEG, work, "J", "work of the motor since the start, trapezoidal rule on the records")


def _reactions(values: dict[str, Any], rows: Rows, flat: Array, out: Array, external: Array,
               shape: tuple[int, int]) -> None:
    blocks = [*rows.blocks(flat), out[:, :3], out[:, 3:6], _flat(external), *rows.spin_inputs(flat)]
    with np.errstate(all="ignore"):
        record = native.run("record", rows.kinds, blocks, parameters(rows.platform)).reshape(*shape, 6, 31)
    for name, (at, unit, text) in REACTION_NAMES.items():
        values[name] = (LEG_AXIS, record[..., at:at + 3], unit, text)


def _variable(dims: tuple[str, ...], data: Array, unit: str, text: str, batched: bool) -> Any:
    attributes = {"units": unit, "long_name": text}
    if batched:
        return ("run", "time", *dims), np.swapaxes(data, 0, 1), attributes
    return ("time", *dims), data[:, 0], attributes


def _coords(platform: Platform, result: Result) -> dict[str, Any]:
    coords: dict[str, Any] = {
        "time": ("time", result.time, {"units": "s", "long_name": "time"}), "axis": ["x", "y", "z"],
        "component": ["w", "x", "y", "z"], "angle": ["roll", "pitch", "yaw"],
        "wrench": ["fx", "fy", "fz", "mx", "my", "mz"], "leg": list(platform.leg_names)}
    if result.batched:
        coords["run"] = np.arange(result.states.shape[2])
    return coords


def _events(result: Result, found: events.Kinematics, states: Array) -> list[events.Event]:
    flags: dict[str, NDArray[np.bool_]] = {}
    for i, law in enumerate(result.laws):
        pick = result.law_of == i
        if not pick.any():
            continue
        part = events.Kinematics(*(a[pick] for a in (found.length, found.rate, found.direction, found.condition)))
        new = events.passed(result.rows, part, states[pick], result.command[pick], law, result.events.condition)
        for name, flag in new.items():
            flags.setdefault(name, np.zeros((len(result.time), *flag.shape[1:]), dtype=bool))[pick] = flag
    return events.collect(result.rows.platform, result.events, flags, result.time, found)


def _status(ds: Dataset, result: Result) -> None:
    """Status of the whole as an attribute; of each run as variables of a batch."""
    failed = [s for s in result.status if s != "ok"]
    if result.batched:
        ds["status"] = ("run", np.array(result.status), {"long_name": "ok, or why the run ended early"})
        ds["end_time"] = ("run", result.end_time, {"units": "s", "long_name": "end of the run"})
        few = f"{len(failed)} of {len(result.status)} runs ended early: {failed[0]}" if failed else ""
        ds.attrs["status"] = few or "ok"
    else:
        ds.attrs["status"] = result.status[0]
        ds.attrs["end_time"] = float(result.end_time[0])
