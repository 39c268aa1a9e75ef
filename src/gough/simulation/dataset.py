"""A finished run as an xarray Dataset: motion, legs, forces, drives, energies, reactions, limits, events.

Names, dimensions, units and sentences of the variables stand in variables.toml.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array
from gough.dynamics.laws import hydraulic
from gough.extras import package
from gough.layout import SPINNING, STATE
from gough.model import Platform
from gough.model.json_document import fingerprint
from gough.simulation import compiled, events, leg_law, moving_base, winding
from gough.simulation.job import Finished
from gough.simulation.programs import REACTIONS
from gough.simulation.state import Rows, orthogonal, spin_angle
from gough.simulation.tables import table
from gough.spatial import quaternion_from_rotation, rpy_from_rotation
from gough.status import Status

if TYPE_CHECKING:
    from xarray import Dataset

COORDINATES = {
    "axis": list("xyz"),
    "component": list("wxyz"),
    "angle": ["roll", "pitch", "yaw"],
    "wrench": ["fx", "fy", "fz", "mx", "my", "mz"],
}
CONVENTIONS = "world axes; RPY means R = Rz Ry Rx; SI and radians; external wrench in platform axes"
EFFORTS = {"m": "N", "rad": "N m"}  # by the unit of the coordinate
WHOLE = {
    "limits": "passed limits",
    "beyond": "turned beyond what limits see",
}  # runs that reached their end
Values = dict[str, Array]
"""Variables (K, n, ...) by their names."""


def dataset(result: Finished, *, reactions: bool, attributes: dict[str, Any]) -> Dataset:
    """The public form; dimensions (run,) time, leg, axis."""
    xarray = package("xarray")

    job, platform = result.job, result.job.rows.platform
    after = result.time[:, None] > result.end_time * (1 + 1e-12) + 1e-12  # (K, n)
    states = np.where(after[:, None, :], np.nan, result.states)
    told = _told(result, states, after, reactions)
    turning = _turning(result, states, told)
    values = _motion(states) | _legs(job.rows, states, told, turning)
    values |= _energies(result, told, turning)
    until = np.full(states.shape[2], np.inf)
    if winding.turning(job.rows):
        told_length, rate = told["coordinate"], told["rate"]
        found = winding.recorded(job.rows, result.time, states, told_length, rate)
        values["length"], word = winding.worded(result.time, told_length, found)
        attributes = {**attributes, "lengths_beyond_half_a_turn": word}
        values |= _margin(platform, values["length"])
        until = winding.seen_until(result.time, told_length, found)
    if "series" in job.rows.laws:
        values["drive_coordinate"] = _per(states[:, job.rows.layout.drive_coordinate])
    if "hydraulic" in job.rows.laws:
        values |= _oil(result, states, told)
    values |= {"command": _per(result.command), "external": _per(result.external)}
    if job.loop is not None and job.tell_loop:
        values |= job.loop.told(result.index, result.measured)
    if job.rows.spins:
        rate = _per(states[:, SPINNING.spin_rate])
        values |= {"spin_angle": _per(spin_angle(states, 1)), "spin_rate": rate}
    same = (
        "acceleration",
        "angular_acceleration",
        "force",
        *(REACTIONS.names if reactions else ()),
    )
    values |= {name: told[name] for name in same}
    words, variables = _words(platform), {}
    for name, (dims, unit, text) in table("variables").items():
        if name in values:
            about = {"units": unit.format(**words), "long_name": text.format(**words)}
            data = np.swapaxes(values[name], 0, 1) if job.batched else values[name][:, 0]
            variables[name] = (
                (("run", "time") if job.batched else ("time",)) + (*dims,),
                data,
                about,
            )
    time = ("time", result.time, {"units": "s", "long_name": "time"})
    own = [leg_law.unit_of(leg) for leg in platform.legs]
    coords = {"time": time, **COORDINATES, "leg": list(platform.leg_names)}
    coords |= {
        "leg_type": ("leg", list(platform.kinds)),
        "length_unit": ("leg", own),
        "force_unit": ("leg", [EFFORTS[unit] for unit in own]),
    }
    if job.batched:
        coords["run"] = np.arange(states.shape[2])
    ds = xarray.Dataset(variables, coords=coords)
    whole = [status.code in ("ok", "limits") for status in result.status]
    seen, looked = result.lookout, events.limits_looked_at(platform, job.plant.events)
    lost = winding.turns(platform)  # their strokes after `until`
    passed = [
        e
        for e in seen.found
        if e.name != "stroke" or not lost[e.margin % 6] or e.time <= until[e.run]
    ]
    ds.attrs = {
        "title": f"Simulation of {platform.name or 'a platform'}",
        "machine": platform.name,
        "machine_fingerprint": fingerprint(platform),
        "source": platform.source.title,
        "conventions": CONVENTIONS,
        "events": events.as_json(platform, passed, seen.count, whole),
        "limits_checked": looked,
        "dips_not_looked_into": seen.missed,
        "record_interval": job.every * job.step,
        **attributes,
    }
    _status(ds, result, _qualified(result, passed, until))
    return ds


def _per(a: Array) -> Array:
    """(K, width, n) -> (K, n, width)."""
    return np.moveaxis(a, 1, 2)


def _words(platform: Platform) -> dict[str, Any]:
    """What variables.toml leaves open."""
    units = sorted({leg_law.unit_of(leg) for leg in platform.legs})
    efforts = sorted(EFFORTS[unit] for unit in units)
    each = {"coordinate": units, "rate": [f"{unit}/s" for unit in units], "effort": efforts}
    words = {name: " or ".join(listed) for name, listed in each.items()}
    return {**words, "size": platform.characteristic_length}


def _told(result: Finished, states: Array, after: NDArray[np.bool_], reactions: bool) -> Values:
    """What the compiled record says of each state under the law that held: (K, n, width), reactions (K, n, 6, 3)."""
    job, out = result.job, dict[str, Array]()
    rows, laws, (K, _, n) = job.rows, job.law_at(result.index), states.shape

    def flat(a: Array, pick: NDArray[np.bool_]) -> Array:
        wide = np.broadcast_to(a[pick], (int(pick.sum()), a.shape[1], n))
        return np.moveaxis(wide, 1, 0).reshape(a.shape[1], -1)

    for i in np.unique(laws):
        pick = laws == i
        X, command, external = (flat(a, pick) for a in (states, result.command, result.external))
        given = X, command, external, job.laws[i][1], rows.par
        part = compiled.tell(rows.kinds, rows.laws, reactions, *given)
        if rows.carried is not None:
            acted = part["force"], external, reactions
            part |= moving_base.told(rows, result.time[pick], X, *acted)
        for name, value in part.items():
            kept = out.setdefault(name, np.empty((K, n, *value.shape[:-1])))
            kept[pick] = np.moveaxis(value, -1, 0).reshape(-1, n, *value.shape[:-1])
    for name in ("force", "motor", "stop") if rows.laws else ():
        out[name][after] = np.nan
    return out


def _motion(states: Array) -> Values:
    K, _, n = states.shape
    R = _per(states[:, STATE.rotation]).reshape(K, n, 3, 3)
    mask = np.isfinite(_per(states[:, STATE.rotation]).sum(axis=-1))[..., None]
    clean = orthogonal(np.where(mask[..., None], R, np.eye(3)))
    return {
        "position": _per(states[:, STATE.position]),
        "quaternion": np.where(mask, quaternion_from_rotation(clean), np.nan),
        "rpy": np.where(mask, rpy_from_rotation(clean), np.nan),
        "velocity": _per(states[:, STATE.velocity]),
        "angular_velocity": _per(states[:, STATE.angular_velocity]),
    }


def _turning(result: Finished, states: Array, told: Values) -> Array:
    """Rates at which the drives turn, in actuator units: their own behind a spring, else the legs'."""
    rows = result.job.rows
    return _per(states[:, rows.layout.drive_rate]) if "series" in rows.laws else told["rate"]


def _legs(rows: Rows, states: Array, told: Values, turning: Array) -> Values:
    platform, (K, _, n) = rows.platform, states.shape
    values = {"length": told["coordinate"], "rate": told["rate"], "motor_force": told["motor"]}
    R = _per(states[:, STATE.rotation]).reshape(K, n, 3, 3)
    s, t = told["direction"].reshape(K, n, 6, 3), _per(states[:, STATE.position])
    values["condition"] = events.conditions(rows, s, R, t)
    if told["stop"].any():
        values["stop_force"] = told["stop"]
    values |= _margin(platform, values["length"])
    drives = [leg.drive for leg in platform.legs]
    if any(drive is not None and drive.hydraulic is None for drive in drives):
        ratio = np.array([np.nan if drive is None else drive.ratio for drive in drives])
        values |= {"motor_torque": told["motor"] / ratio, "motor_speed": turning * ratio}
    return values


def _margin(platform: Platform, length: Array) -> Values:
    """How far coordinates are from the ends of the strokes; nothing where no leg has one."""
    given = [leg.limits.stroke for leg in platform.legs]
    low, high = np.array([[np.nan] * 2 if stroke is None else [*stroke] for stroke in given]).T
    margin = np.minimum(length - low, high - length)
    return {} if np.isnan(margin).all() else {"stroke_margin": margin}


def _oil(result: Finished, states: Array, told: Values) -> Values:
    """Spools, pressures and what pump and tank give, of cylinders."""
    job, layout = result.job, result.job.rows.layout
    now = {name: states[:, getattr(layout, name)] for name in ("valve", "cap_oil", "rod_oil")}
    now["coordinate"] = np.moveaxis(told["coordinate"], 1, 2)
    law = np.stack([job.laws[i][1] for i in job.law_at(result.index)], axis=1)
    each = hydraulic.pressures(law, now["coordinate"], now["cap_oil"], now["rod_oil"])
    values = {"valve": now["valve"], "cap_pressure": each[0], "rod_pressure": each[1]}
    values["supply_power"] = hydraulic.supplied(law, now)
    return {name: _per(value) for name, value in values.items()}


def _energies(result: Finished, told: Values, turning: Array) -> Values:
    power, springs = told["motor"] * turning, result.job.plant.springs
    work, period = np.zeros_like(power), np.diff(result.time)[:, None, None]
    work[1:] = np.cumsum(0.5 * (power[1:] + power[:-1]) * period, axis=0)
    energies = {name: told[name][..., 0] for name in ("kinetic", "potential")}
    if result.job.rows.laws:
        energies["stored"] = told["stored"][..., 0]
    if springs is not None:
        known = np.isfinite(told["coordinate"])  # not after the end of a run
        energy = springs.energy(np.where(known, told["coordinate"], 0.0))
        energies["spring_energy"] = np.where(known.all(axis=-1), energy, np.nan)
    return {**energies, "power": power, "work": work}


def _qualified(result: Finished, passed: list[events.Passed], until: Array) -> list[Status]:
    """Status of each run; `until`: when limits and laws lose sight of a crank or screw (n,)."""
    job, platform = result.job, result.job.rows.platform
    if not winding.judged(platform, [law for _, law in job.laws], job.plant.events.off):
        return result.status
    told = []
    for run, (status, last) in enumerate(zip(result.status, until.tolist(), strict=True)):
        early = [event for event in passed if event.run == run and event.time <= last]
        told.append(winding.qualified(status, events.limits_status(platform, early), last))
    return told


def _status(ds: Dataset, result: Finished, status: list[Status]) -> None:
    """Status of the whole as an attribute; of each run as variables of a batch, with the states at which events
    stopped runs."""
    texts = [str(one) for one in status]
    if not result.job.batched:
        ds.attrs |= {"status": texts[0], "end_time": float(result.end_time[0])}
        return
    ds["status"] = (
        "run",
        np.array(texts),
        {"long_name": "ok, limits passed, not known, or why it ended early"},
    )
    ds["end_time"] = ("run", result.end_time, {"units": "s", "long_name": "end of the run"})
    if np.isfinite(result.final).any():
        for name, value in _motion(result.final[None]).items():
            about = {"long_name": f"{name} where an event stopped the run"}
            ds[f"end_{name}"] = (("run", *ds[name].dims[2:]), value[0], {**ds[name].attrs, **about})
    told: dict[str, list[str]] = {what: [] for what in ("ended early", *WHOLE.values())}
    for one in status:
        if not one.ok:
            told[WHOLE.get(one.code, "ended early")].append(str(one))
    few = [
        f"{len(some)} of {len(texts)} runs {what}: {some[0]}" for what, some in told.items() if some
    ]
    ds.attrs["status"] = "; ".join(few) or "ok"
