"""A finished run as an xarray Dataset: motion, legs, forces, drives, energies, reactions, limits, events."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array
from gough.layout import SPINNING, STATE
from gough.model import Platform
from gough.simulation import compiled, events, leg_law
from gough.simulation.events import Events
from gough.simulation.state import Rows, orthogonal, spin_angle
from gough.spatial import quaternion_from_rotation, rpy_from_rotation
from gough.status import Status

if TYPE_CHECKING:
    from xarray import Dataset

AXIS, LEG, LEG_AXIS = ("axis",), ("leg",), ("leg", "axis")
REACTION_NAMES = {
    "spherical_force": ("N", "force on the platform at the platform joint, world axes"),
    "universal_force": ("N", "force on the strut at its base-side joint, world axes"),
    "universal_moment": ("N m", "moment on the strut at its base-side joint, world axes"),
    "prismatic_force": ("N", "force in the sliding joint (crank: bearing), world axes"),
    "prismatic_moment": ("N m", "moment in the sliding joint (crank: bearing), world axes"),
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
    status: list[Status]
    end_time: Array
    springs: leg_law.Springs | None
    events: Events
    batched: bool


def dataset(result: Result, *, reactions: bool, attributes: dict[str, Any]) -> Dataset:
    """The public form; dimensions (run,) time, leg, axis."""
    import xarray

    rows, platform = result.rows, result.rows.platform
    after = result.time[:, None] > result.end_time * (1 + 1e-12) + 1e-12  # (K, n)
    states = np.where(after[:, None, :], np.nan, result.states)
    told = _told(result, states, after, reactions)
    found = events.legs(rows, states, told["coordinate"], told["rate"], told["direction"])
    values: dict[str, tuple[tuple[str, ...], Array, str, str]] = {}
    _motion(values, states, told)
    _legs(values, platform, result, found, told)
    _energies(values, result, told, found)
    if rows.spins:
        values["spin_angle"] = (
            LEG,
            _per(spin_angle(states, 1)),
            "rad",
            "spin of the leg about its axis",
        )
        values["spin_rate"] = (
            LEG,
            _per(states[:, SPINNING.spin_rate]),
            "rad/s",
            "rate of the spin",
        )
    for name, (unit, text) in REACTION_NAMES.items() if reactions else ():
        values[name] = (LEG_AXIS, told[name], unit, text)
    variables = {
        name: _variable(dims, data, unit, text, result.batched)
        for name, (dims, data, unit, text) in values.items()
    }
    ds = xarray.Dataset(variables, coords=_coords(platform, result))
    happened = _events(result, found, states)
    ds.attrs.update(
        {
            "title": f"Simulation of {platform.name or 'a platform'}",
            "machine": platform.name,
            "source": platform.source.title,
            "conventions": "world axes; RPY means R = Rz Ry Rx; SI and "
            "radians; external wrench in platform axes",
            "events": events.to_json(happened),
            **attributes,
        }
    )
    _status(ds, result)
    return ds


def _per(a: Array) -> Array:
    """(K, width, n) -> (K, n, width)."""
    return np.moveaxis(a, 1, 2)


def _told(
    result: Result, states: Array, after: NDArray[np.bool_], reactions: bool
) -> dict[str, Array]:
    """What the compiled record says of each state under the law that held: (K, n, width), reactions (K, n, 6, 3)."""
    rows, out = result.rows, dict[str, Array]()
    K, _, n = states.shape

    def flat(a: Array) -> Array:
        return np.moveaxis(a, 1, 0).reshape(a.shape[1], -1)

    for i, law in enumerate(result.laws):
        pick = result.law_of == i
        if not pick.any():
            continue
        command, external = (
            flat(np.broadcast_to(a[pick], (int(pick.sum()), 6, n)))
            for a in (result.command, result.external)
        )
        part = compiled.tell(
            rows.kinds, rows.laws, reactions, flat(states[pick]), command, external, law, rows.par
        )
        for name, value in part.items():
            kept = out.setdefault(name, np.empty((K, n, *value.shape[:-1])))
            kept[pick] = np.moveaxis(value, -1, 0).reshape(-1, n, *value.shape[:-1])
    for name in ("force", "motor") if rows.laws else ():
        out[name][after] = np.nan
    return out


def _motion(values: dict[str, Any], states: Array, told: dict[str, Array]) -> None:
    K, _, n = states.shape
    R = _per(states[:, STATE.rotation]).reshape(K, n, 3, 3)
    mask = np.isfinite(_per(states[:, STATE.rotation]).sum(axis=-1))[..., None]
    clean = orthogonal(np.where(mask[..., None], R, np.eye(3)))
    values["position"] = (
        AXIS,
        _per(states[:, STATE.position]),
        "m",
        "position of the platform reference point",
    )
    values["quaternion"] = (
        ("component",),
        np.where(mask, quaternion_from_rotation(clean), np.nan),
        "1",
        "orientation, unit quaternion (w, x, y, z), platform to world",
    )
    values["rpy"] = (
        ("angle",),
        np.where(mask, rpy_from_rotation(clean), np.nan),
        "rad",
        "orientation, R = Rz Ry Rx, angles (x, y, z)",
    )
    values["velocity"] = (
        AXIS,
        _per(states[:, STATE.velocity]),
        "m/s",
        "velocity of the reference point",
    )
    values["angular_velocity"] = (
        AXIS,
        _per(states[:, STATE.angular_velocity]),
        "rad/s",
        "angular velocity",
    )
    values["acceleration"] = (
        AXIS,
        told["acceleration"],
        "m/s^2",
        "acceleration of the reference point",
    )
    values["angular_acceleration"] = (
        AXIS,
        told["angular_acceleration"],
        "rad/s^2",
        "angular acceleration",
    )


def _legs(
    values: dict[str, Any],
    platform: Platform,
    result: Result,
    found: events.Kinematics,
    told: dict[str, Array],
) -> None:
    cranks = [leg_law.unit_of(leg) for leg in platform.legs]
    l, f = (
        " or ".join(sorted(set(cranks))),
        " or ".join(sorted({"N" if u == "m" else "N m" for u in cranks})),
    )
    values["length"] = (LEG, found.length, l, "actuator coordinate")
    values["rate"] = (
        LEG,
        found.rate,
        "/s or ".join(l.split(" or ")) + "/s",
        "rate of the actuator coordinate",
    )
    values["force"] = (
        LEG,
        told["force"],
        f,
        "effort on the actuator coordinate: motor, springs, friction, brakes",
    )
    values["command"] = (LEG, _per(result.command), f, "commanded effort")
    values["motor_force"] = (LEG, told["motor"], f, "effort of the motor after its limits")
    values["external"] = (
        ("wrench",),
        _per(result.external),
        "N, N m",
        "external wrench, platform axes",
    )
    values["condition"] = (
        (),
        found.condition,
        "1",
        "condition number of H with the characteristic length "
        f"{platform.characteristic_length:.6g} m",
    )
    margin = np.full(found.length.shape, np.nan)
    for i, leg in enumerate(platform.legs):
        if leg.limits.stroke is not None:
            low, high = leg.limits.stroke
            margin[..., i] = np.minimum(found.length[..., i] - low, high - found.length[..., i])
    if not np.isnan(margin).all():
        values["stroke_margin"] = (
            LEG,
            margin,
            l,
            "distance to the nearer stroke end; negative outside",
        )
    if any(leg.drive is not None for leg in platform.legs):
        ratio = np.array(
            [np.nan if leg.drive is None else leg.drive.ratio for leg in platform.legs]
        )
        values["motor_torque"] = (
            LEG,
            told["motor"] / ratio,
            "N m",
            "torque of the motor, rotor acceleration included",
        )
        values["motor_speed"] = (LEG, found.rate * ratio, "rad/s", "speed of the rotor")


def _energies(
    values: dict[str, Any], result: Result, told: dict[str, Array], found: events.Kinematics
) -> None:
    values["kinetic"] = (
        (),
        told["kinetic"][..., 0],
        "J",
        "kinetic energy of platform, legs and rotors",
    )
    values["potential"] = (
        (),
        told["potential"][..., 0],
        "J",
        "potential energy in gravity, zero at the world origin",
    )
    if result.springs is not None:
        values["spring_energy"] = (
            (),
            result.springs.energy(found.length),
            "J",
            "energy of the passive leg springs",
        )
    power = told["motor"] * found.rate
    values["power"] = (LEG, power, "W", "mechanical power of the motor")
    work = np.zeros_like(power)
    work[1:] = np.cumsum(
        0.5 * (power[1:] + power[:-1]) * np.diff(result.time)[:, None, None], axis=0
    )
    values["work"] = (
        LEG,
        work,
        "J",
        "work of the motor since the start, trapezoidal rule on the records",
    )


def _variable(dims: tuple[str, ...], data: Array, unit: str, text: str, batched: bool) -> Any:
    attributes = {"units": unit, "long_name": text}
    if batched:
        return ("run", "time", *dims), np.swapaxes(data, 0, 1), attributes
    return ("time", *dims), data[:, 0], attributes


def _coords(platform: Platform, result: Result) -> dict[str, Any]:
    coords: dict[str, Any] = {
        "time": ("time", result.time, {"units": "s", "long_name": "time"}),
        "axis": ["x", "y", "z"],
        "component": ["w", "x", "y", "z"],
        "angle": ["roll", "pitch", "yaw"],
        "wrench": ["fx", "fy", "fz", "mx", "my", "mz"],
        "leg": list(platform.leg_names),
    }
    if result.batched:
        coords["run"] = np.arange(result.states.shape[2])
    return coords


def _events(result: Result, found: events.Kinematics, states: Array) -> list[events.Event]:
    flags: dict[str, NDArray[np.bool_]] = {}
    for i, law in enumerate(result.laws):
        pick = result.law_of == i
        if not pick.any():
            continue
        part = events.Kinematics(
            *(a[pick] for a in (found.length, found.rate, found.direction, found.condition))
        )
        new = events.passed(
            result.rows, part, states[pick], result.command[pick], law, result.events.condition
        )
        for name, flag in new.items():
            flags.setdefault(name, np.zeros((len(result.time), *flag.shape[1:]), dtype=bool))[
                pick
            ] = flag
    return events.collect(result.rows.platform, result.events, flags, result.time, found)


def _status(ds: Dataset, result: Result) -> None:
    """Status of the whole as an attribute; of each run as variables of a batch."""
    failed = [str(s) for s in result.status if not s.ok]
    if result.batched:
        each = np.array([str(s) for s in result.status])
        ds["status"] = ("run", each, {"long_name": "ok, or why the run ended early"})
        ds["end_time"] = ("run", result.end_time, {"units": "s", "long_name": "end of the run"})
        few = (
            f"{len(failed)} of {len(result.status)} runs ended early: {failed[0]}" if failed else ""
        )
        ds.attrs["status"] = few or "ok"
    else:
        ds.attrs["status"] = str(result.status[0])
        ds.attrs["end_time"] = float(result.end_time[0])
